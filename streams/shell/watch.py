"""Watches the worker itself: status file, heartbeat, frozen process, stalled recovery (faust-kafka.md R14, R19)."""

import asyncio
import logging
import time
from collections import Counter
from typing import Any

from streams.shell.failstop import stop
from streams.shell.lanes import Lanes
from streams.shell.settings import EXIT_STALLED, ShellSettings
from topics.status import write_status

log = logging.getLogger("adcat.shell")

LOOK_S = 0.25


def _now_s() -> float:
    """Seconds that go on while the process is stopped or the machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


class Watch:
    """Looks four times a second, writes `run/<worker>.json`, and stops the process when it must not go on.

    The status file is `{"worker", "stage", "pid", "ready", "lag", "partitions", "counts", "updated_ms"}`: `ready` is true
    when tables are restored and the assignment is taken, `lag` counts the events of the owned partitions not yet done.
    A killed worker leaves its file: readers compare `pid` with the process they started.
    """

    def __init__(self, *, app: Any, lanes: Lanes, settings: ShellSettings, counts: Counter[str]) -> None:
        self._app = app
        self._lanes = lanes
        self._settings = settings
        self._counts = counts
        self._looked_s = _now_s()
        self._heartbeat_s: float | None = None
        self._recovery: tuple[int, float] = (-1, _now_s())
        self.assigned = False

    def alive(self) -> None:
        """Stops the process if it stood still longer than the session: its partitions may have another owner."""
        still_s = _now_s() - self._looked_s
        if still_s > self._settings.session_s:
            stop(EXIT_STALLED, f"this process stood still for {still_s:.1f} s, longer than its session")

    def follow_heartbeats(self) -> None:
        """Records successful heartbeats of the group coordinator; called at each assignment."""
        self._heartbeat_s = _now_s()
        coordinator = self._app.consumer._thread._consumer._coordinator  # noqa: SLF001 (aiokafka offers no hook)
        if getattr(coordinator, "adcat_followed", False):
            return
        beat = coordinator._do_heartbeat  # noqa: SLF001

        async def followed() -> bool:
            success: bool = await beat()
            if success:
                self._heartbeat_s = _now_s()
            return success

        coordinator._do_heartbeat = followed  # noqa: SLF001
        coordinator.adcat_followed = True

    async def run(self) -> None:
        """Looks until cancelled; a clean end removes the status file."""
        self._settings.status.parent.mkdir(parents=True, exist_ok=True)
        try:
            while True:
                self.alive()
                self._looked_s = _now_s()
                self._check_heartbeat()
                self._check_recovery()
                self._write()
                await asyncio.sleep(LOOK_S)
        finally:
            self._settings.status.unlink(missing_ok=True)

    def _check_heartbeat(self) -> None:
        if self._heartbeat_s is None or self._app.rebalancing or self._app.should_stop:
            return
        silent_s = _now_s() - self._heartbeat_s
        if silent_s > self._settings.session_s:
            stop(EXIT_STALLED, f"no heartbeat was answered for {silent_s:.1f} s, longer than the session")

    def _check_recovery(self) -> None:
        now_s = _now_s()
        if not self._app.in_recovery:
            self._recovery = (-1, now_s)
            return
        offsets = self._app.tables.recovery.active_offsets
        restored = sum(offset for offset in offsets.values() if offset is not None)
        if restored != self._recovery[0]:
            self._recovery = (restored, now_s)
        elif now_s - self._recovery[1] > self._settings.recovery_stall_s:
            stop(EXIT_STALLED, f"table recovery made no progress for {self._settings.recovery_stall_s:.0f} s")

    def _write(self) -> None:
        ready = self.assigned and not self._app.rebalancing
        lag, partitions = self._lag() if ready else (None, [])
        write_status(
            self._settings.status,
            ready=ready,
            worker=self._settings.worker,
            stage=self._app.conf.id,
            lag=lag,
            partitions=partitions,
            counts=dict(self._counts),
        )

    def _lag(self) -> tuple[int, list[int]]:
        lag, partitions = 0, []
        for (topic, partition), next_offset in self._lanes.next_offsets():
            partitions.append(partition)
            highwater = self._app.consumer.highwater(self._app.tp(topic, partition))
            lag += max(0, (highwater or 0) - next_offset)
        return lag, sorted(partitions)
