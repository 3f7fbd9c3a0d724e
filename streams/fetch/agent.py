"""The fetch worker: a plain consumer group over `fetch-task` (DESIGN §2, §6).

A task runs at most once: its offset is committed before its first byte is sent, and when the commit's result is unknown it is
not run at all; the lease lapses and the frontier claims again. Tasks in flight survive a rebalance, because they are committed.
"""

import asyncio
import logging
import signal
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition
from aiokafka.errors import CommitFailedError, KafkaConnectionError, KafkaError

from streams.blobs.io import BlobStore
from streams.fetch.egress import EgressPolicy
from streams.fetch.io import Fetcher
from streams.fetch.recall.io import Recall
from streams.fetch.report import user_agent
from streams.fetch.run import Ended, Runner
from streams.fetch.spent import SpentPermits
from topics.clock import wall_ms
from topics.errors import Retry, Undecodable
from topics.events.base import Event, event_id
from topics.events.crawl import FetchTask
from topics.events.offer import DeadLettered
from topics.io import LogProducer, LogUnreachable, with_backoff
from topics.specs import BUDGET_EVENT, FETCH_TASK, FRONTIER_EVENT, codec
from topics.status import write_status

log = logging.getLogger("adcat.fetch")

GROUP = "fetch"
DLQ = "dlq-fetch"
POLL_MS = 200
LOOK_S = 0.5
PROBE_S = 3.0
SEND_ATTEMPTS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchSettings:
    """Settings of one fetch worker.

    Attributes:
        bootstrap: Kafka's address.
        partitions: P of the merchant-scoped topics.
        blobs: object store URL.
        status: status file `{"worker", "pid", "ready", …}`; None for none.
        worker: stable name; also the static group member, so that a restart keeps its partitions.
        version: of adcat, in the User-Agent.
        contact: address in the User-Agent (SPEC B2).
        allow_loopback: development only: storefronts on this machine may be fetched.
        tasks_max: most tasks taken and not ended; they wait for their permit's time.
        requests_max: most requests in flight.
        session_ms: how long a dead worker keeps its partitions.
        drain_s: how long a stopping worker waits for its tasks; what is left lapses with its lease.
        boot_attempts: tries to reach Kafka at start, with a pause growing from 0.5 s to 10 s.
    """

    bootstrap: str
    partitions: int
    blobs: str
    status: Path | None = None
    worker: str = "fetch"
    version: str = "0.1"
    contact: str = "crawler@adcat.invalid"
    allow_loopback: bool = False
    tasks_max: int = 256
    requests_max: int = 64
    session_ms: int = 10_000
    drain_s: float = 10.0
    boot_attempts: int = 30


async def run_worker(settings: FetchSettings) -> None:
    """Runs until SIGTERM or SIGINT, then drains; raises LogUnreachable when Kafka stays away."""
    worker = Worker(settings)
    loop = asyncio.get_running_loop()
    # Names are resolved in threads; the default pool of a small machine would let a few slow resolvers stop everybody.
    loop.set_default_executor(ThreadPoolExecutor(settings.requests_max, thread_name_prefix="fetch"))
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, worker.stopping.set)
    await worker.run()


class Worker:
    """One member of the group: takes tasks, runs them, sends what came of them."""

    def __init__(self, settings: FetchSettings) -> None:
        self.settings = settings
        self.stopping = asyncio.Event()
        self.counts: Counter[str] = Counter()
        self.blocked: str | None = None
        self.lag: int | None = None
        self._spent = SpentPermits()
        self._recall: Recall | None = None
        self._failure: BaseException | None = None
        self._running: set[asyncio.Task[None]] = set()
        self._producer = LogProducer(settings.bootstrap, settings.partitions)
        self._consumer: AIOKafkaConsumer | None = None
        self._runner = Runner(
            fetcher=Fetcher(EgressPolicy(allow_loopback=settings.allow_loopback)),
            bodies=BlobStore(settings.blobs),
            agent=user_agent(settings.version, settings.contact),
            now_ms=wall_ms,
            sleep=asyncio.sleep,
            slots=asyncio.Semaphore(settings.requests_max),
        )

    async def run(self) -> None:
        """Takes tasks until `stopping` is set, then drains."""
        watch = asyncio.create_task(self._watch())
        try:
            await with_backoff(self._connect, attempts=self.settings.boot_attempts)
            while not self.stopping.is_set():
                await self._turn()
            await self._drain()
        finally:
            watch.cancel()
            with suppress(asyncio.CancelledError):
                await watch
            self._write(ready=False)
            for task in self._running:
                task.cancel()
            await self._close()
        if self._failure is not None:
            raise self._failure

    async def _connect(self) -> None:
        await self._producer.start()
        consumer = AIOKafkaConsumer(
            bootstrap_servers=self.settings.bootstrap,
            group_id=GROUP,
            group_instance_id=self.settings.worker,
            enable_auto_commit=False,
            auto_offset_reset="earliest",
            session_timeout_ms=self.settings.session_ms,
            heartbeat_interval_ms=max(500, self.settings.session_ms // 4),
        )
        self._recall = Recall(consumer, self.settings.bootstrap, self._spent)
        consumer.subscribe([FETCH_TASK], listener=self._recall)
        try:
            await consumer.start()
        except KafkaConnectionError as error:
            await consumer.stop()
            await self._producer.stop()
            raise LogUnreachable(f"no Kafka broker answers at {self.settings.bootstrap}") from error
        self._consumer = consumer

    async def _close(self) -> None:
        if self._consumer is not None:
            with suppress(KafkaError):
                await self._consumer.stop()
        await self._producer.stop()

    async def _turn(self) -> None:
        """Takes as many tasks as there is room for, commits them, starts them."""
        assert self._consumer is not None
        room = self.settings.tasks_max - len(self._running)
        if room <= 0:
            await asyncio.wait(self._running, timeout=POLL_MS / 1_000, return_when=asyncio.FIRST_COMPLETED)
            return
        batches = await self._consumer.getmany(timeout_ms=POLL_MS, max_records=room)
        if not batches:
            return
        tasks = [found for batch in batches.values() for record in batch if (found := await self._decode(record))]
        assert self._recall is not None
        await self._recall.done()
        if await self._commit(batches):
            for task, origin in tasks:
                if self._spent.spend(task.permit, wall_ms()):
                    self._start(task, origin)
                else:
                    self.counts["repeated"] += 1

    async def _commit(self, batches: dict[TopicPartition, list[ConsumerRecord]]) -> bool:
        """Commits before anything is sent; False when the tasks may belong to another worker now."""
        assert self._consumer is not None
        try:
            await self._consumer.commit({one: batch[-1].offset + 1 for one, batch in batches.items()})
        except (CommitFailedError, KafkaError) as error:
            self.counts["not_committed"] += sum(map(len, batches.values()))
            log.warning("%d tasks are left to their leases: %s", sum(map(len, batches.values())), error)
            return False
        return True

    async def _decode(self, record: ConsumerRecord) -> tuple[FetchTask, str] | None:
        """Returns the task and its coordinates; an undecodable record goes to the DLQ before its offset is committed."""
        origin = f"{record.topic}/{record.partition}/{record.offset}"
        try:
            task = codec().decode(record.value or b"")
            if isinstance(task, FetchTask):
                return task, origin
            reason = f"{type(task).__name__} does not belong here"
        except Undecodable as error:
            reason = str(error)
        key = record.key or b""
        letter = DeadLettered(
            event_id=event_id("DeadLettered", key, None, origin, 0),
            occurred_at_ms=record.timestamp,
            app=GROUP,
            topic=record.topic,
            partition=record.partition,
            offset=record.offset,
            key=key,
            value=record.value or b"",
            reason=reason,
        )
        self.counts["dead_lettered"] += 1
        await self._send(DLQ, key, letter)
        return None

    def _start(self, task: FetchTask, origin: str) -> None:
        running = asyncio.create_task(self._one(task, origin), name=origin)
        self._running.add(running)
        running.add_done_callback(self._done)

    async def _one(self, task: FetchTask, origin: str) -> None:
        ended: Ended = await self._runner.run(task, origin)
        (key, outcome), (budget, returned) = ended
        self.counts[outcome.outcome] += 1
        await asyncio.gather(self._send(FRONTIER_EVENT, key, outcome), self._send(BUDGET_EVENT, budget, returned))

    def _done(self, running: "asyncio.Task[None]") -> None:
        self._running.discard(running)
        if not running.cancelled() and (error := running.exception()) is not None:
            log.error("task %s: %r", running.get_name(), error)
            self._failure = error
            self.stopping.set()

    async def _send(self, topic: str, key: bytes, event: Event) -> None:
        """Sends until it is acknowledged, with bounded backoff; a repeat has the same event id."""

        async def once() -> None:
            await self._producer.send(topic, key, event)
            self.blocked = None

        await with_backoff(once, attempts=SEND_ATTEMPTS, on_wait=partial(setattr, self, "blocked"))

    async def _drain(self) -> None:
        if self._running:
            await asyncio.wait(self._running, timeout=self.settings.drain_s)

    async def _watch(self) -> None:
        """Writes the status file; ready means: assigned, the broker answers, and nothing waits for it."""
        while True:
            ready = await self._answers() and not self.stopping.is_set()
            self._write(ready=ready)
            await asyncio.sleep(LOOK_S)

    async def _answers(self) -> bool:
        consumer = self._consumer
        if consumer is None or not consumer.assignment():
            return False
        try:
            async with asyncio.timeout(PROBE_S):
                ends = await consumer.end_offsets(list(consumer.assignment()))
                taken = {one: await consumer.position(one) for one in ends}
        except (KafkaError, TimeoutError, Retry):
            return False
        self.lag = sum(end - taken[one] for one, end in ends.items())
        return self.blocked is None

    def _write(self, *, ready: bool) -> None:
        if self.settings.status is None:
            return
        assigned = self._consumer.assignment() if self._consumer is not None else ()
        write_status(
            self.settings.status,
            ready=ready,
            worker=self.settings.worker,
            stage=GROUP,
            lag=self.lag,
            partitions=sorted(one.partition for one in assigned),
            counts=dict(self.counts) | {"running": len(self._running)},
            blocked=self.blocked,
        )
