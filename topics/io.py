"""Adapters to the log that every plain process shares: an awaited producer and a caught-up reader (aiokafka)."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.errors import KafkaConnectionError, KafkaError

from topics.codec import Codec
from topics.errors import Retry
from topics.events.base import Event
from topics.keys import partition_of
from topics.specs import TOPICS, codec

LOG = logging.getLogger(__name__)
REQUEST_TIMEOUT_MS = 30_000
BACKOFF_S_MAX = 10.0
STOP_S_MAX = 5.0


class LogUnreachable(Retry):
    """No broker answers at the address tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One record as read.

    Attributes:
        value: raw bytes, None for a purge.
        append_ms: broker or producer time, by the topic's policy.
    """

    topic: str
    partition: int
    offset: int
    key: bytes
    value: bytes | None
    append_ms: int


class LogProducer:
    """Sends events and awaits their acknowledgement; the partition follows from the key.

    Args:
        bootstrap: `host:port`.
        partitions: P of the merchant-scoped topics.
    """

    def __init__(self, bootstrap: str, partitions: int, wire: Codec | None = None) -> None:
        self._bootstrap = bootstrap
        self._partitions = partitions
        self._codec = wire or codec()
        self._producer: AIOKafkaProducer | None = None

    async def start(self) -> None:
        """Connects; raises LogUnreachable with the address tried."""
        producer = AIOKafkaProducer(
            bootstrap_servers=self._bootstrap,
            acks="all",
            enable_idempotence=True,
            request_timeout_ms=REQUEST_TIMEOUT_MS,
            linger_ms=2,
        )
        await _connect(producer.start, producer.stop, self._bootstrap)
        self._producer = producer

    async def stop(self) -> None:
        if self._producer is not None:
            producer, self._producer = self._producer, None
            await _stopped(producer.stop, self._bootstrap)

    async def send(self, topic: str, key: bytes, event: Event, *, partition: int | None = None) -> tuple[int, int]:
        """Returns (partition, offset) once the record is acknowledged; raises LogUnreachable when it is not.

        Args:
            partition: only for topics whose partition does not follow from the key.
        """
        assert self._producer is not None, "start() first"
        assert type(event) in TOPICS[topic].events, f"{type(event).__name__} does not belong in {topic}"
        if partition is None:
            partition = partition_of(key, TOPICS[topic].partitions or self._partitions)
        value = self._codec.encode(event)
        with mapped(self._bootstrap):
            sent = await self._producer.send_and_wait(topic, value, key=key, partition=partition)
        return sent.partition, sent.offset


class LogReader:
    """Reads topics by manual assignment: no group, nothing to rebalance.

    Args:
        topics: whole topics to read.
        positions: first offset per (topic, partition); the log's start where absent.
    """

    def __init__(
        self, bootstrap: str, topics: Sequence[str], positions: dict[tuple[str, int], int] | None = None
    ) -> None:
        self._bootstrap = bootstrap
        self._topics = topics
        self._positions = positions or {}
        self._consumer: AIOKafkaConsumer | None = None

    async def start(self) -> None:
        """Connects, assigns every partition and seeks; raises LogUnreachable with the address tried."""
        consumer = AIOKafkaConsumer(
            bootstrap_servers=self._bootstrap,
            enable_auto_commit=False,
            isolation_level="read_committed",
            auto_offset_reset="earliest",
            request_timeout_ms=REQUEST_TIMEOUT_MS,
        )
        await _connect(consumer.start, consumer.stop, self._bootstrap)
        self._consumer = consumer
        try:
            with mapped(self._bootstrap):
                partitions = await self._partitions(consumer)
                consumer.assign(partitions)
                starts = await consumer.beginning_offsets(partitions)
        except BaseException:
            await self.stop()
            raise
        for one in partitions:
            consumer.seek(one, self._positions.get((one.topic, one.partition), starts[one]))

    async def _partitions(self, consumer: AIOKafkaConsumer) -> list[TopicPartition]:
        # aiokafka's public calls know only topics that were subscribed or assigned before.
        cluster = await consumer._client.fetch_all_metadata()  # noqa: SLF001
        found = {topic: cluster.partitions_for_topic(topic) for topic in self._topics}
        missing = sorted(topic for topic, partitions in found.items() if not partitions)
        if missing:
            raise Retry(f"topics {', '.join(missing)} do not exist; create them with `adcat topics apply`")
        return [TopicPartition(topic, number) for topic in self._topics for number in sorted(found[topic])]

    async def stop(self) -> None:
        if self._consumer is not None:
            consumer, self._consumer = self._consumer, None
            await _stopped(consumer.stop, self._bootstrap)

    async def end_offsets(self) -> dict[tuple[str, int], int]:
        """Returns the high watermark per (topic, partition) now: the barrier of "caught up"."""
        assert self._consumer is not None, "start() first"
        with mapped(self._bootstrap):
            ends = await self._consumer.end_offsets(list(self._consumer.assignment()))
        return {(one.topic, one.partition): end for one, end in ends.items()}

    async def positions(self) -> dict[tuple[str, int], int]:
        """Returns the next offset to read per (topic, partition): compared with `end_offsets`, never a record's offset."""
        assert self._consumer is not None, "start() first"
        consumer = self._consumer
        with mapped(self._bootstrap):
            return {(one.topic, one.partition): await consumer.position(one) for one in consumer.assignment()}

    async def poll(self, timeout_ms: int = 200, records_max: int = 2_000) -> list[Record]:
        """Returns the next records, at most `records_max`, waiting at most `timeout_ms`."""
        assert self._consumer is not None, "start() first"
        with mapped(self._bootstrap):
            batches = await self._consumer.getmany(timeout_ms=timeout_ms, max_records=records_max)
        return [
            Record(
                topic=raw.topic,
                partition=raw.partition,
                offset=raw.offset,
                key=raw.key or b"",
                value=raw.value,
                append_ms=raw.timestamp,
            )
            for batch in batches.values()
            for raw in batch
        ]

    async def read_to_end(self) -> AsyncIterator[Record]:
        """Yields records until every position reaches the end offsets captured at the call."""
        ends = await self.end_offsets()
        while True:
            for record in await self.poll():
                yield record
            now = await self.positions()
            if all(now[one] >= end for one, end in ends.items()):
                return


async def _connect(start: Callable[[], Awaitable[None]], stop: Callable[[], Awaitable[None]], bootstrap: str) -> None:
    try:
        await start()
    except KafkaConnectionError as error:
        await stop()
        raise LogUnreachable(f"no Kafka broker answers at {bootstrap}; start one with `adcat broker start`") from error


async def _stopped(stop: Callable[[], Awaitable[None]], bootstrap: str) -> None:
    """Stops a client, never longer than 5 s.

    While the broker is away, aiokafka 0.14 lets the cancellation of its own fetch task escape from `stop()`; taken for
    ours, it would end the process silently.
    """
    try:
        await asyncio.wait_for(stop(), STOP_S_MAX)
    except (TimeoutError, KafkaError) as error:
        LOG.warning("a connection to %s was dropped, not closed: %s", bootstrap, error)
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise


@contextmanager
def mapped(bootstrap: str) -> Iterator[None]:
    """Maps the client's errors to LogUnreachable."""
    try:
        yield
    except (TimeoutError, KafkaError) as error:
        raise LogUnreachable(f"the Kafka broker at {bootstrap} does not answer: {error!r}") from error


async def with_backoff(
    connect: Callable[[], Awaitable[None]], *, attempts: int = 30, on_wait: Callable[[str], None] | None = None
) -> None:
    """Runs `connect` until it succeeds, doubling the pause from 0.5 s to 10 s; raises the last Retry after `attempts`."""
    pause = 0.5
    for attempt in range(attempts):
        try:
            await connect()
        except Retry as error:
            if attempt == attempts - 1:
                raise
            LOG.warning("%s; next try in %.1f s", error, pause)
            if on_wait is not None:
                on_wait(str(error))
            await asyncio.sleep(pause)
            pause = min(pause * 2, BACKOFF_S_MAX)
        else:
            return


@asynccontextmanager
async def opened(resource: LogProducer | LogReader) -> AsyncIterator[None]:
    """Starts a producer or reader for a block and stops it afterwards."""
    await resource.start()
    try:
        yield
    finally:
        await resource.stop()
