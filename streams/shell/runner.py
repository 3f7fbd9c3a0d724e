"""One event at a time through a stage: decode, handle, send and await, write and await, done."""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

from streams.shell.failstop import stop
from streams.shell.lanes import Lanes
from streams.shell.settings import EXIT_BUG, EXIT_SEND_FAILED, EXIT_STALLED
from streams.shell.table import PartitionRows
from streams.stage import Emit, Overlay, Position, Stage
from topics.codec import UnknownSchema
from topics.errors import Quarantine, Reject, Retry, Undecodable
from topics.events.base import Event, event_id
from topics.events.offer import DeadLettered
from topics.keys import partition_of

log = logging.getLogger("adcat.shell")

PREPARE_TRIES = 5
PREPARE_PAUSE_S = 0.2
DEAD_VALUE_BYTES_MAX = 900_000
UNKEYED = b"-"
"""Key of records that name their partition: owner-started and ticks."""


class Wire(Protocol):
    """What the shell needs of `topics.codec.Codec`."""

    def encode(self, event: Event) -> bytes: ...

    def decode(self, value: bytes) -> Any:
        """Returns the event; raises topics.errors.Undecodable."""
        ...


class SendFailed(Exception):
    """A record was not acknowledged."""


Prepare = Callable[[Any], Awaitable[Any]]
Records = list[tuple[str, bytes, bytes]]


class StageRunner:
    """Runs the handler of a stage for each event of the owned partitions.

    Args:
        app: the running Faust app (its producer sends).
        stage: what to run.
        lanes: order and progress of the owned partitions.
        wire: codec of all topics.
        rows_of: rows of a partition.
        prepare: effect that turns a decoded event into the one that is handled; None for none. It may raise Retry.
        must_decode: True for record bytes that may not be set aside when they do not decode (a policy event).
        seen: called with each handled or rejected event and its position.
        alive: stops the process when it may no longer own its partitions.
        counts: handled, rejected, dead_lettered, retried.
    """

    def __init__(
        self,
        *,
        app: Any,
        stage: Stage,
        lanes: Lanes,
        wire: Wire,
        rows_of: Callable[[int], PartitionRows],
        prepare: Prepare | None,
        must_decode: Callable[[bytes], bool],
        seen: Callable[[Any, Position], None],
        alive: Callable[[], None],
        counts: Counter[str],
    ) -> None:
        self._app = app
        self._stage = stage
        self._lanes = lanes
        self._wire = wire
        self._rows_of = rows_of
        self._prepare = prepare
        self._must_decode = must_decode
        self._seen = seen
        self._alive = alive
        self.locks: dict[int, asyncio.Lock] = {}
        self.counts = counts

    async def run(self, stream: Any) -> None:
        """The agent body. No exception leaves it: Faust would count the event as handled (faust-kafka.md R1)."""
        async for event in stream.events():
            try:
                await self._take(event.message)
            except SendFailed as error:
                self._stop(EXIT_SEND_FAILED, f"send failed at {_place(event.message)}", error)
            except Retry as error:
                self._stop(EXIT_STALLED, f"gave up at {_place(event.message)}", error)
            except Exception as error:  # noqa: BLE001 (the event must not be counted as handled)
                self._stop(EXIT_BUG, f"cannot handle {_place(event.message)}", error)

    def _stop(self, code: int, reason: str, error: Exception) -> None:
        if self._app.should_stop:
            log.info("%s while stopping: %r", reason, error)
        else:
            stop(code, f"{reason}: {error!r}", error)

    async def _take(self, message: Any) -> None:
        async with self.locks.setdefault(message.partition, asyncio.Lock()):
            append_ms = round((message.timestamp or 0.0) * 1000)
            inbox = (message.topic, message.partition)
            position = self._lanes.admit(inbox, message.offset, append_ms, message.generation_id)
            if position is None:
                return
            await self._apply(message, position)
            self._lanes.done(position, message.generation_id)

    async def _apply(self, message: Any, position: Position) -> None:
        event: Any = None
        try:
            event = self._decode(message, position)
            if self._prepare is not None:
                event = await self._prepared(self._prepare, event)
            overlay = Overlay(rows=self._rows_of(position.partition))
            records = self._encoded(self._stage.handle(overlay, event, position))
        except Reject as rejected:
            self.counts["rejected"] += 1
            log.debug("rejected %s: %s", position.origin, rejected)
            self._seen(event, position)
            return
        except UnknownSchema:
            raise
        except (Undecodable, Quarantine) as refused:
            if self._must_decode(message.value or b""):
                raise
            await self._set_aside(message, position, refused)
            return
        await self._send(records)
        self._alive()
        writes = [(table, key, row) for (table, key), row in overlay.writes.items()]
        await self._acknowledged(self._rows_of(position.partition).flush(writes, position))
        self.counts["handled"] += 1
        self._seen(event, position)

    def _decode(self, message: Any, position: Position) -> Any:
        key: bytes = message.key or b""
        partitions = self._app.consumer.topic_partitions(position.topic)
        if key != UNKEYED and partitions and partition_of(key, partitions) != position.partition:
            raise Undecodable(f"key {key!r} belongs to partition {partition_of(key, partitions)} of {partitions}")
        return self._wire.decode(message.value or b"")

    async def _prepared(self, prepare: Prepare, event: Any) -> Any:
        for attempt in range(PREPARE_TRIES - 1):
            try:
                return await prepare(event)
            except Retry as error:
                self.counts["retried"] += 1
                log.warning("prepare: %s; trying again", error)
                await asyncio.sleep(PREPARE_PAUSE_S * 2**attempt)
        return await prepare(event)

    async def _set_aside(self, message: Any, position: Position, reason: Exception) -> None:
        self.counts["dead_lettered"] += 1
        log.error("set aside %s: %s", position.origin, reason)
        key: bytes = message.key or b""
        letter = DeadLettered(
            event_id=event_id("DeadLettered", key, None, position.origin, 0),
            occurred_at_ms=position.now_ms,
            app=self._stage.name,
            topic=position.topic,
            partition=position.partition,
            offset=position.offset,
            key=key,
            value=(message.value or b"")[:DEAD_VALUE_BYTES_MAX],
            reason=f"{type(reason).__name__}: {reason}"[:2_000],
        )
        await self._send(self._encoded([Emit(topic=f"dlq-{self._stage.name}", key=key, event=letter)]))

    def _encoded(self, outputs: Sequence[Emit]) -> Records:
        """All outputs as records, before the first is sent: an event either says everything or is set aside."""
        return [(emit.topic, emit.key, self._wire.encode(emit.event)) for emit in outputs]

    async def _send(self, records: Records) -> None:
        """Sends all records in order and returns when all are acknowledged."""
        if not records:
            return
        self._alive()
        await self._acknowledged(self._send_records(records))

    async def _send_records(self, records: Records) -> None:
        send = self._app.producer.send
        await asyncio.gather(*[await send(topic, key, value, None, None, None) for topic, key, value in records])

    async def _acknowledged(self, sending: Awaitable[None]) -> None:
        try:
            await sending
        except Exception as error:
            raise SendFailed(repr(error)) from error


def _place(message: Any) -> str:
    return f"{message.topic}/{message.partition}/{message.offset}"
