"""The fetch worker on a real broker: a task runs at most once, whatever is killed (DESIGN §6)."""

import asyncio
import hashlib
import json
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest
from aiohttp import web
from aiokafka import AIOKafkaProducer

from adcat.broker import BrokerSettings, status
from tests.streams.fetch.support import task
from topics import admin
from topics.clock import wall_ms
from topics.events.crawl import FetchOutcome, PermitReturned
from topics.events.offer import DeadLettered
from topics.io import LogProducer, LogReader, opened
from topics.specs import BUDGET_EVENT, FETCH_TASK, FRONTIER_EVENT, codec

pytestmark = [pytest.mark.broker, pytest.mark.timeout(120)]
PARTITIONS = 2
MAIN = """
import asyncio, sys, pathlib
from streams.fetch.agent import FetchSettings, run_worker
bootstrap, home = sys.argv[1:]
home = pathlib.Path(home)
asyncio.run(run_worker(FetchSettings(bootstrap=bootstrap, partitions=2, blobs=f"file://{home}/blobs", status=home / "fetch.json",
    allow_loopback=True, session_ms=6000, worker="fetch-test")))
"""


class Site:
    """A storefront that counts requests per path and answers after a pause."""

    def __init__(self) -> None:
        self.requests: Counter[str] = Counter()
        self.pause_s = 0.0

    async def answer(self, request: web.Request) -> web.Response:
        self.requests[request.path] += 1
        await asyncio.sleep(self.pause_s)
        return web.Response(text=f"page {request.path}", headers={"ETag": '"1"'})


@asynccontextmanager
async def storefront() -> AsyncIterator[tuple[Site, str]]:
    site, app = Site(), web.Application()
    app.router.add_get("/{path:.*}", site.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        listener = web.TCPSite(runner, "127.0.0.1", 0)
        await listener.start()
        port = listener._server.sockets[0].getsockname()[1]
        yield site, f"http://127.0.0.1:{port}"
    finally:
        await runner.cleanup()


class Group:
    """The worker process, started, killed and started again; and what the log says it did."""

    def __init__(self, kafka: BrokerSettings, home: Path, run: str) -> None:
        self.bootstrap, self.home, self.run = kafka.address, home, run
        self.process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        (self.home / "fetch.json").unlink(missing_ok=True)
        self.process = await asyncio.create_subprocess_exec(sys.executable, "-c", MAIN, self.bootstrap, str(self.home))
        await self.until(lambda: self.status().get("ready"))

    async def stop(self, number: signal.Signals) -> int:
        assert self.process is not None
        self.process.send_signal(number)
        return await asyncio.wait_for(self.process.wait(), 30)

    def status(self) -> dict:
        path = self.home / "fetch.json"
        return json.loads(path.read_text()) if path.exists() else {}

    async def until(self, happened) -> None:
        async with asyncio.timeout(60):
            while not happened():  # noqa: ASYNC110 - what is awaited happens in another process
                await asyncio.sleep(0.05)

    async def give(self, origin: str, paths: range) -> None:
        async with opened(producer := LogProducer(self.bootstrap, PARTITIONS)):
            for number in paths:
                one = task(
                    url=f"{origin}/{self.run}/{number}",
                    observation_id=hashlib.sha256(f"{self.run}/{number}".encode()).hexdigest()[:32],
                    permit_id=f"{self.run}/{number}",
                    target_id=f"{number:032x}",
                    merchant=f"{self.run}-{number % 5}",
                    allowed_origins=(origin,),
                    not_before_ms=wall_ms(),
                    expires_at_ms=wall_ms() + 60_000,
                    lease_until_ms=wall_ms() + 120_000,
                )
                await producer.send(FETCH_TASK, one.merchant.encode(), one)

    async def events(self, topic: str, kind: type) -> list:
        async with opened(reader := LogReader(self.bootstrap, [topic])):
            found = [codec().decode(record.value) async for record in reader.read_to_end()]
        return [
            one for one in found if isinstance(one, kind) and getattr(one, "merchant", self.run).startswith(self.run)
        ]


@pytest.fixture
async def group(kafka: BrokerSettings, tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Group]:
    await asyncio.to_thread(admin.apply, kafka.address, admin.Sizing(partitions=PARTITIONS))
    one = Group(kafka, tmp_path, f"r{abs(hash(request.node.name)) % 10_000}")
    yield one
    if one.process is not None and one.process.returncode is None:
        await one.stop(signal.SIGKILL)


async def test_each_task_ends_in_one_outcome_and_one_returned_permit(group: Group) -> None:
    async with storefront() as (site, origin):
        await group.start()
        await group.give(origin, range(40))
        raw = AIOKafkaProducer(bootstrap_servers=group.bootstrap)
        await raw.start()
        await raw.send_and_wait(FETCH_TASK, b"not avro", key=b"shoes", partition=0)
        await raw.stop()
        await group.give(origin, range(40, 50))
        await group.until(lambda: len(site.requests) == 50)
        assert await group.stop(signal.SIGTERM) == 0
        outcomes = await group.events(FRONTIER_EVENT, FetchOutcome)
        permits = await group.events(BUDGET_EVENT, PermitReturned)
        letters = await group.events("dlq-fetch", DeadLettered)
    assert set(site.requests.values()) == {1}
    assert len(outcomes) == len(permits) == 50
    assert {one.outcome for one in outcomes} == {"page"}
    assert all((group.home / "blobs" / one.body.location).exists() for one in outcomes)
    assert all((group.home / "blobs" / one.body.manifest).exists() for one in outcomes)
    assert [one.value for one in letters] == [b"not avro"]


async def test_a_killed_worker_never_sends_a_request_twice(group: Group) -> None:
    async with storefront() as (site, origin):
        site.pause_s = 0.2
        await group.start()
        await group.give(origin, range(60))
        await group.until(lambda: len(site.requests) >= 5)
        await group.stop(signal.SIGKILL)
        await group.give(origin, range(60, 80))
        await group.start()
        await group.until(lambda: all(f"/{group.run}/{number}" in site.requests for number in range(60, 80)))
        assert await group.stop(signal.SIGTERM) == 0
        outcomes = await group.events(FRONTIER_EVENT, FetchOutcome)
    assert set(site.requests.values()) == {1}
    assert len({one.event_id for one in outcomes}) == len(outcomes)
    assert 20 <= len(outcomes) <= len(site.requests)


async def test_a_task_that_stands_twice_in_the_log_is_run_once_also_after_a_kill(group: Group) -> None:
    """A frontier that dies between sending and writing sends its tasks again, under the same observation ids."""
    async with storefront() as (site, origin):
        await group.start()
        await group.give(origin, range(10))
        await group.give(origin, range(5))
        await group.until(lambda: len(site.requests) == 10)
        await group.stop(signal.SIGKILL)
        await group.give(origin, range(12))
        await group.start()
        await group.until(lambda: len(site.requests) == 12)
        assert await group.stop(signal.SIGTERM) == 0
    assert set(site.requests.values()) == {1}


async def test_a_stopping_worker_finishes_what_it_began(group: Group) -> None:
    async with storefront() as (site, origin):
        site.pause_s = 0.5
        await group.start()
        await group.give(origin, range(10))
        await group.until(lambda: len(site.requests) >= 1)
        assert await group.stop(signal.SIGTERM) == 0
        begun = set(site.requests)
        outcomes = await group.events(FRONTIER_EVENT, FetchOutcome)
    assert {one.url.removeprefix(origin) for one in outcomes} == begun


async def test_a_broker_that_stands_still_makes_the_worker_not_ready_and_loses_nothing(
    group: Group, kafka: BrokerSettings
) -> None:
    async with storefront() as (site, origin):
        site.pause_s = 0.3
        await group.start()
        await group.give(origin, range(10))
        await group.until(lambda: len(site.requests) == 10)
        frozen = psutil.Process(status(kafka).pid)
        frozen.suspend()
        try:
            await group.until(lambda: not group.status()["ready"])
        finally:
            frozen.resume()
        await group.until(lambda: group.status()["ready"])
        assert await group.stop(signal.SIGTERM) == 0
        outcomes = await group.events(FRONTIER_EVENT, FetchOutcome)
    assert len({one.event_id for one in outcomes}) == 10
    assert set(site.requests.values()) == {1}
