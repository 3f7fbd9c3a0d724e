"""Adapters of control to the log: the relay's view of Kafka, and the reader of proofs."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final

from control.settings import ControlSettings
from topics.clock import wall_ms
from topics.events.base import Event
from topics.io import LogProducer, LogReader, Record, mapped, opened
from topics.specs import MERCHANT_POLICY, SOURCE_PROOF

LOG = logging.getLogger(__name__)
LIVENESS_MS: Final = 5_000


class KafkaLog:
    """The relay's log (`control.relaying.Log`) on Kafka."""

    def __init__(self, producer: LogProducer, reader: LogReader) -> None:
        self._producer = producer
        self._reader = reader

    async def send(self, topic: str, key: bytes, event: Event) -> tuple[int, int]:
        """Returns (partition, offset) once acknowledged; raises LogUnreachable when it is not known to be."""
        return await self._producer.send(topic, key, event)

    async def new_policies(self) -> Iterable[Record]:
        """Returns the policy records up to the topic's present end that were not returned before."""
        return [record async for record in self._reader.read_to_end()]

    async def policy_ends(self) -> dict[int, int]:
        """Returns the end offset of each policy partition."""
        return {partition: end for (_, partition), end in (await self._reader.end_offsets()).items()}


@asynccontextmanager
async def kafka_log(settings: ControlSettings) -> AsyncIterator[KafkaLog]:
    """Connects the relay's log for a block; raises Retry when no broker answers or a topic is missing."""
    reader = LogReader(settings.bootstrap, [MERCHANT_POLICY])
    producer = LogProducer(settings.bootstrap, settings.partitions)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(opened(reader))
        await stack.enter_async_context(opened(producer))
        yield KafkaLog(producer, reader)


async def proof_records(
    settings: ControlSettings, positions: dict[int, int], on_ready: Callable[[], None]
) -> AsyncGenerator[Record, None]:
    """Yields the records of `source-proof` for ever; raises Retry when the log does not answer.

    Args:
        positions: next offset per partition; beyond the topic's end they are those of a topic that is gone, and reading starts anew.
        on_ready: called once the reader is connected.
    """
    first = {(SOURCE_PROOF, one): at for one, at in positions.items()}
    async with opened(probe := LogReader(settings.bootstrap, [SOURCE_PROOF])):
        ends = await probe.end_offsets()
    if any(ends.get(one, 0) < at for one, at in first.items()):
        LOG.warning("%s was created anew; reading it from its start (repeated proofs change nothing)", SOURCE_PROOF)
        first = {}
    async with opened(reader := LogReader(settings.bootstrap, [SOURCE_PROOF], first)):
        on_ready()
        asked_ms = wall_ms()
        while True:
            for record in await reader.poll():
                yield record
            if wall_ms() - asked_ms > LIVENESS_MS:
                # An idle consumer does not notice a dead broker, so it is asked now and then.
                with mapped(settings.bootstrap):
                    await asyncio.wait_for(reader.end_offsets(), LIVENESS_MS / 1_000)
                asked_ms = wall_ms()
