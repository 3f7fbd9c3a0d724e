"""Reads the committed tasks of the last permit lifetime again when partitions are assigned.

A worker that starts, or takes over a partition, must know which claims were run there while their permits still live.
"""

import asyncio
import logging
from collections.abc import Collection

from aiokafka import AIOKafkaConsumer, ConsumerRebalanceListener, TopicPartition

from streams.fetch.spent import SpentPermits
from topics.clock import wall_ms
from topics.errors import Undecodable
from topics.events.crawl import FetchTask
from topics.io import LogUnreachable, mapped
from topics.specs import codec

LOG = logging.getLogger("adcat.fetch")
LOOK_BACK_MS = 40_000
"""Permit life (30 s) plus the grant's horizon (2 s), the clock allowance and a margin."""
POLL_MS = 200


class Recall(ConsumerRebalanceListener):  # type: ignore[misc]  # aiokafka ships no types
    """Runs at each assignment; a worker waits for `done` before it takes a task.

    aiokafka lets the consumer read on while this callback runs, so the callback alone would be too late.

    Args:
        consumer: the group member; gives the committed offsets.
        spent: remembers what was found.
    """

    def __init__(self, consumer: AIOKafkaConsumer, bootstrap: str, spent: SpentPermits) -> None:
        self._consumer = consumer
        self._bootstrap = bootstrap
        self._spent = spent
        self._recalled = asyncio.Event()
        self._failure: LogUnreachable | None = None

    async def done(self) -> None:
        """Returns once the recent tasks of the assigned partitions are remembered; raises LogUnreachable when they were not read."""
        await self._recalled.wait()
        if self._failure is not None:
            raise self._failure

    async def on_partitions_revoked(self, revoked: Collection[TopicPartition]) -> None:  # noqa: ARG002 - the base class names it
        """Closes the gate; nothing is forgotten, a remembered id harms nobody."""
        self._recalled.clear()

    async def on_partitions_assigned(self, assigned: Collection[TopicPartition]) -> None:
        """Remembers the tasks below the committed offsets that are younger than a permit's life, then opens the gate."""
        try:
            await self._recall(assigned)
        except LogUnreachable as error:
            self._failure = error
        self._recalled.set()

    async def _recall(self, assigned: Collection[TopicPartition]) -> None:
        with mapped(self._bootstrap):
            ends = {one: await self._consumer.committed(one) or 0 for one in assigned}
            found = await self._consumer.offsets_for_times({one: wall_ms() - LOOK_BACK_MS for one in assigned})
            spans = {
                one: (at.offset, ends[one]) for one, at in found.items() if at is not None and at.offset < ends[one]
            }
            if spans:
                await self._read(spans)

    async def _read(self, spans: dict[TopicPartition, tuple[int, int]]) -> None:
        reader = AIOKafkaConsumer(bootstrap_servers=self._bootstrap, enable_auto_commit=False)
        await reader.start()
        try:
            reader.assign(list(spans))
            for one, (start, _) in spans.items():
                reader.seek(one, start)
            while any([await reader.position(one) < end for one, (_, end) in spans.items()]):
                batches = await reader.getmany(timeout_ms=POLL_MS)
                for one, batch in batches.items():
                    for record in batch:
                        if record.offset < spans[one][1]:
                            self._remember(record.value or b"")
        finally:
            await reader.stop()

    def _remember(self, value: bytes) -> None:
        try:
            task = codec().decode(value)
        except Undecodable as error:
            LOG.info("an old record stays unread: %s", error)  # it went to the DLQ when it was first met
            return
        if isinstance(task, FetchTask):
            self._spent.spend(task.permit, wall_ms())
