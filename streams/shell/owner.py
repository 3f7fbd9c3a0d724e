"""Tells the inbox who owns a partition, and that time passes (DESIGN §5): `OwnerStarted` and `Tick`."""

import asyncio
import logging
import secrets
from collections.abc import Iterable
from typing import Any

from streams.shell.failstop import stop
from streams.shell.lanes import Lanes
from streams.shell.runner import UNKEYED, Wire
from streams.shell.settings import EXIT_SEND_FAILED, EXIT_STALLED, ShellSettings
from streams.stage import Position
from topics.clock import wall_ms
from topics.events.base import event_id
from topics.events.crawl import OwnerStarted, Tick

log = logging.getLogger("adcat.shell")

LOG_APPEND_TIME = 1
TICKS_WAITING_MAX = 5
"""Ticks of a partition that may wait in its inbox: a backlog must not be grown by the ticks that wait behind it."""


class Owner:
    """The owner of a set of inbox partitions; a fresh incarnation at each assignment."""

    def __init__(self, *, app: Any, inbox: str, lanes: Lanes, wire: Wire, settings: ShellSettings) -> None:
        self._app = app
        self._inbox = inbox
        self._lanes = lanes
        self._wire = wire
        self._settings = settings
        self._incarnation = ""
        self._waiting: dict[int, int] = {}
        self._started_at: dict[int, int] = {}
        self._sequence = 0
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, partitions: Iterable[int]) -> None:
        """Appends an `OwnerStarted` of a new incarnation to each partition, without waiting."""
        self._incarnation = secrets.token_hex(8)
        self._waiting = dict.fromkeys(partitions, 0)
        self._started_at = {}
        for partition in self._waiting:
            self._later(self._start(partition, self._incarnation))

    def seen(self, event: Any, position: Position) -> None:
        """Follows the inbox: counts own ticks down, answers another's `OwnerStarted` that came after ours."""
        if position.topic != self._inbox or not isinstance(event, (Tick, OwnerStarted)):
            return
        partition = position.partition
        ours = event.incarnation == self._incarnation
        if isinstance(event, Tick):
            if ours and self._waiting.get(partition, 0) > 0:
                self._waiting[partition] -= 1
        elif not ours and position.offset > self._started_at.get(partition, position.offset):
            log.warning("another owner started on %s while this one owns it", position.origin)
            del self._started_at[partition]
            self._later(self._start(partition, self._incarnation))

    async def tick(self) -> None:
        """Appends a tick to each owned partition every `tick_s`, for ever."""
        while True:
            await asyncio.sleep(self._settings.tick_s)
            if not self._app.rebalancing:
                await asyncio.gather(*(self._tick(partition) for partition in tuple(self._waiting)))

    async def _start(self, partition: int, incarnation: str) -> None:
        self._sequence += 1
        origin = f"{incarnation}/{partition}/{self._sequence}"
        event = OwnerStarted(
            event_id=event_id("OwnerStarted", UNKEYED, None, origin, 0),
            occurred_at_ms=self._lanes.now_ms((self._inbox, partition)),
            incarnation=incarnation,
            partition=partition,
        )
        record = await self._send(event, partition)
        if incarnation == self._incarnation:
            self._started_at[partition] = record.offset

    async def _tick(self, partition: int) -> None:
        if self._waiting.get(partition, 0) >= TICKS_WAITING_MAX or partition not in self._started_at:
            return
        self._waiting[partition] += 1
        self._sequence += 1
        event = Tick(
            event_id=event_id("Tick", UNKEYED, None, f"{self._incarnation}/{partition}/{self._sequence}", 0),
            occurred_at_ms=self._lanes.now_ms((self._inbox, partition)),
            incarnation=self._incarnation,
            partition=partition,
        )
        sent_ms = wall_ms()
        record = await self._send(event, partition)
        if record.timestamp_type == LOG_APPEND_TIME:
            self._compare_clocks(sent_ms, record.timestamp, wall_ms())

    def _compare_clocks(self, sent_ms: int, append_ms: int, acknowledged_ms: int) -> None:
        """The append happened between send and acknowledgement; what lies outside of that is skew."""
        skew_ms = max(sent_ms - append_ms, append_ms - acknowledged_ms, 0)
        if skew_ms > self._settings.skew_ms_max:
            stop(EXIT_STALLED, f"this clock and the broker's differ by {skew_ms} ms; synchronize them (NTP)")

    async def _send(self, event: OwnerStarted | Tick, partition: int) -> Any:
        try:
            sent = await self._app.producer.send(self._inbox, UNKEYED, self._wire.encode(event), partition, None, None)
            return await sent
        except Exception as error:
            if self._app.should_stop:
                raise asyncio.CancelledError from error
            stop(EXIT_SEND_FAILED, f"{type(event).__name__} to {self._inbox}/{partition} was not acknowledged", error)

    def _later(self, coroutine: Any) -> None:
        task = asyncio.ensure_future(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
