"""Runs one task: wait for the permit, ask once, store what came, say what it was. Everything outside is injected."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from streams.blobs.manifest import Manifest, manifest_location
from streams.fetch.egress import EgressRefused
from streams.fetch.exchange import Answer, Request
from streams.fetch.outcome import Verdict, verdict
from streams.fetch.report import body_ref, ended, expiry, is_conditional, manifest_of, request_of
from topics.errors import Retry
from topics.events.crawl import BodyRef, FetchOutcome, FetchTask, PermitReturned

STORE_ATTEMPTS = 4
STORE_PAUSE_S = 0.5

Ended = tuple[tuple[bytes, FetchOutcome], tuple[bytes, PermitReturned]]


class Fetches(Protocol):
    """The seam to the network (`streams.fetch.io.Fetcher`)."""

    async def fetch(self, request: Request) -> Answer: ...


class Bodies(Protocol):
    """The seam to object storage (`streams.blobs.io.BlobStore`)."""

    async def put_body(self, body: bytes) -> tuple[str, str]: ...

    async def put_manifest(self, location: str, manifest: Manifest) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """Runs tasks, one request each at most.

    Attributes:
        fetcher: sends the request.
        bodies: keeps the body and its manifest.
        agent: the User-Agent.
        now_ms: wall clock in ms.
        sleep: waits for seconds.
        slots: entered while a request is in flight; bounds how many are.
    """

    fetcher: Fetches
    bodies: Bodies
    agent: str
    now_ms: Callable[[], int]
    sleep: Callable[[float], Awaitable[Any]]
    slots: AbstractAsyncContextManager[Any]

    async def run(self, task: FetchTask, origin: str) -> Ended:
        """Returns the outcome and the returned permit, each with its key; the body, if any, is durable by then.

        Args:
            task: the claim; its offset is committed already, so that it never runs twice.
            origin: coordinates of its record.
        """
        try:
            request = request_of(task, self.agent)
            answer = await self._ask(task, request)
        except EgressRefused as refused:
            answer = Answer(error=refused.reason, refused=True)
        now_ms = self.now_ms()
        found = verdict(answer, task.url, now_ms, conditional=is_conditional(task))
        if found.outcome != "page":
            return ended(task, origin, found, answer, now_ms=now_ms)
        try:
            body = await self._keep(task, answer, now_ms)
        except Retry:
            # An object without manifest completes nothing (SPEC E5): the page was not observed.
            unkept = Verdict(outcome="failed", reason="store_unavailable")
            return ended(task, origin, unkept, answer, now_ms=now_ms)
        return ended(task, origin, found, answer, now_ms=now_ms, body=body)

    async def _ask(self, task: FetchTask, request: Request) -> Answer:
        """Waits for `not_before`, then sends, unless permit or lease ran out meanwhile: judged last before the first byte."""
        wait_ms = task.permit.not_before_ms - self.now_ms()
        if wait_ms > 0 and expiry(task, task.permit.not_before_ms) is None:
            await self.sleep(wait_ms / 1_000)
        async with self.slots:
            late = expiry(task, self.now_ms())
            if late is not None:
                raise EgressRefused(late)
            return await self.fetcher.fetch(request)

    async def _keep(self, task: FetchTask, answer: Answer, now_ms: int) -> BodyRef:
        """Stores body, then manifest; both are write-once, so a repeated try is harmless."""
        assert answer.body is not None
        location, failures = manifest_location(task), 0
        while True:
            try:
                sha256, body = await self.bodies.put_body(answer.body)
                manifest = manifest_of(task, answer, sha256=sha256, location=body, agent=self.agent, now_ms=now_ms)
                await self.bodies.put_manifest(location, manifest)
            except Retry:
                failures += 1
                if failures == STORE_ATTEMPTS:
                    raise
                await self.sleep(STORE_PAUSE_S * 2 ** (failures - 1))
            else:
                return body_ref(manifest, location)
