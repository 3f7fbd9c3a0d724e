"""The whole path on a real broker: authorized storefronts → catalog → BatchGet, undisturbed and with every worker killed once."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest
from rich.console import Console

from adcat.api import ControlClient
from adcat.broker import free_port
from adcat.lookup import Lookup
from adcat.session import Session, source_request
from adcat.settings import Settings
from adcat.stack import LocalStack, control_url
from adcat.store import RequestLogged, SampleStore
from adcat.supervisor import WORKERS, is_ready
from adcat.tokens import local_token

REPOSITORY = Path(__file__).parents[2]
MARKETS = {"alpine": ("US", "USD"), "brocante": ("DE", "EUR"), "cometa": ("JP", "JPY")}
REQUESTS_PER_S = 10
CONCURRENCY = 6
CRAWL_MS_MAX = 120_000
LEASE_LAPSE_MS_MAX = 300_000
"""A killed fetch worker takes its tasks with it; their leases lapse after 120 s, then they are claimed again."""

pytestmark = [pytest.mark.broker, pytest.mark.timeout(600)]


@dataclass(frozen=True)
class Run:
    """What one run left behind."""

    catalog: dict[bytes, tuple[str, str]]
    answers: dict[str, Counter[str]]
    requests: list[RequestLogged]
    restarted_s: dict[str, float]


Disturb = Callable[[LocalStack, Session], Awaitable[dict[str, float]]]


async def undisturbed(_stack: LocalStack, _session: Session) -> dict[str, float]:
    return {}


async def kill_each_worker_once(stack: LocalStack, session: Session) -> dict[str, float]:
    """Kills one worker after another while pages keep coming; returns seconds until each was ready again."""
    assert stack.supervisor is not None
    restarted = {}
    for number, name in enumerate(WORKERS):
        seen = 8 * (number + 1)
        await session.until(lambda seen=seen: session.watch.observed >= seen, 20_000)
        starts = stack.supervisor.workers[name].starts
        stack.supervisor.kill(name)
        began = asyncio.get_running_loop().time()
        await session.until(lambda name=name, starts=starts: _back(stack, name, starts), 60_000)
        assert _back(stack, name, starts), f"{name} did not come back"
        restarted[name] = asyncio.get_running_loop().time() - began
    return restarted


def _back(stack: LocalStack, name: str, starts: int) -> bool:
    assert stack.supervisor is not None
    return stack.supervisor.workers[name].starts > starts and is_ready(stack.settings, name)


@asynccontextmanager
async def session_of(settings: Settings) -> AsyncIterator[Session]:
    async with aiohttp.ClientSession() as http:
        control = ControlClient(http, control_url(settings), local_token(settings, "control"))
        async with Session(settings.kafka, control, Console(quiet=True)) as session:
            yield session


async def crawl(home: Path, store: SampleStore, disturb: Disturb, wanted: int | None) -> Run:
    """Runs the stack from nothing until the catalog holds `wanted` offers (or rests), then looks everything up."""
    settings = Settings(
        home=home,
        cache=REPOSITORY / ".cache",
        kafka=f"127.0.0.1:{free_port()}",
        control_port=free_port(),
        grpc_port=free_port(),
        gateway_port=free_port(),
        metrics_port=free_port(),
        allow_loopback=True,
        session_timeout_ms=6_000,
    )
    first_request = len(store.requests)
    stack = LocalStack(settings, lambda _: None)
    try:
        await stack.start()
        async with session_of(settings) as session:
            await _authorize(session, store)
            restarted = await disturb(stack, session)
            if wanted is not None:
                await session.until(lambda: len(session.watch.catalog) >= wanted, LEASE_LAPSE_MS_MAX)
            assert await session.until_quiet(list(MARKETS), CRAWL_MS_MAX), "the crawl came to rest"
            lookup = Lookup(f"{settings.host}:{settings.grpc_port}", local_token(settings, "serving"))
            answers = await lookup.batch_get_async(list(session.watch.catalog))
            catalog = {key.key: (entry.lifecycle, entry.content_digest) for key, entry in session.watch.catalog.items()}
        return Run(
            catalog=catalog,
            answers=answers.statuses,
            requests=store.requests[first_request:],
            restarted_s=restarted,
        )
    finally:
        await stack.stop()


async def _authorize(session: Session, store: SampleStore) -> None:
    for merchant, url in store.urls.items():
        origin = url.rstrip("/")
        market, currency = MARKETS[merchant]
        source = source_request(
            url, origin, market, currency, interval_ms=1000 // REQUESTS_PER_S, concurrency_max=CONCURRENCY
        )
        registered = await session.control.register(merchant, source)
        store.proof_tokens[merchant].add(registered["proof"]["token"])
    for merchant in store.urls:
        assert await session.enabled(merchant, 60_000), f"the proof of {merchant} was accepted"


def most_in_window(requests: list[RequestLogged], window_s: float) -> int:
    """Returns the largest number of requests that any window of this length saw."""
    times = sorted(request.at_monotonic_s for request in requests)
    most, start = 0, 0
    for end, at in enumerate(times):
        while times[start] < at - window_s:
            start += 1
        most = max(most, end - start + 1)
    return most


async def test_every_worker_killed_once_leaves_the_same_catalog_and_no_site_sees_more_than_its_budget(
    tmp_path: Path,
) -> None:
    store = SampleStore()
    await store.start()
    try:
        calm = await crawl(tmp_path / "calm", store, undisturbed, None)
        expected = [offer for offer in store.expected() if offer.publishable]
        assert len(calm.catalog) == len(expected)
        stormy = await crawl(tmp_path / "stormy", store, kill_each_worker_once, len(calm.catalog))
    finally:
        await store.stop()

    assert stormy.catalog == calm.catalog
    assert stormy.answers == calm.answers
    for run in (calm, stormy):
        for merchant in MARKETS:
            mine = [request for request in run.requests if request.merchant == merchant]
            for window_s in (1.0, 5.0, 20.0):
                allowed = window_s * REQUESTS_PER_S + CONCURRENCY
                assert most_in_window(mine, window_s) <= allowed, f"{merchant} in {window_s} s"
    took = {name: round(seconds, 1) for name, seconds in stormy.restarted_s.items()}
    print("seconds until ready again after kill -9:", took)  # noqa: T201 (the figure that docs/operations.md gives)
    slow = {name: seconds for name, seconds in stormy.restarted_s.items() if seconds > 30}
    assert not slow, f"workers that were not ready again in time: {slow}"
