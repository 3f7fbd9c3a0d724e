"""What faust-streaming 0.15.3 gets wrong between an assignment and the first event, mended (faust-kafka.md §0).

As released, `Recovery` resumes the stream partitions *before* it seeks them, while the fetcher runs: events are read twice,
the second reading is dropped as already read, and a run of them is never handled. Here the order is pause, wait for the
running fetch, seek, tell the shell where each partition starts, resume. Offsets to commit come from the shell's own
account, not from Faust's acks. The methods are copied from 0.15.3 but for that; `tests/streams/test_shell_mend.py` fails
when the version changes.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

from faust.tables.manager import TableManager
from faust.tables.recovery import Recovery
from faust.transport.drivers import aiokafka as driver

FAUST_VERSION = "0.15.3"
FETCH_S_MAX = 0.25
"""Faust waits up to 1 s for records of the partitions that are not paused at that moment; others wait as long."""
IDLE_S = 0.02
METADATA_PAUSE_S = 0.5


class MendedRecovery(Recovery):
    """Recovery that seeks before it resumes."""

    async def _resume_streams(self, generation_id: int = 0) -> None:
        """For apps without tables."""
        await self.app.on_rebalance_complete.send()
        if self.app.consumer_generation_id != generation_id:
            self.log.warning("rebalanced again during recovery")
            return
        await self._seek_then_resume(generation_id)
        await self._resume_flow()
        self.tables.on_standbys_ready()
        self._end()

    async def on_recovery_completed(self, generation_id: int = 0) -> None:
        """For apps with tables, when their active partitions are restored."""
        await self.app.on_rebalance_complete.send()
        self._set_recovery_ended()
        callbacks = [
            asyncio.ensure_future(
                table.on_recovery_completed(self.actives_for_table[table], self.standbys_for_table[table])
            )
            for table in self.tables.values()
        ]
        if callbacks:
            await asyncio.wait(callbacks)
        if self.app.consumer_generation_id != generation_id:
            self.log.warning("rebalanced again during recovery")
            return
        await self._seek_then_resume(generation_id)
        await self._resume_flow()
        if not self.app.assignor.assigned_standbys():
            self.tables.on_standbys_ready()
        self._end()

    async def _seek_then_resume(self, generation_id: int) -> None:
        """The mend."""
        consumer = self.app.consumer
        owned = {tp for tp in consumer.assignment() if not self._is_changelog_tp(tp)}
        consumer.pause_partitions(owned)
        if owned:
            await self._wait(consumer.perform_seek(), timeout=self.app.conf.broker_request_timeout)
        await self._wait(self._begin(generation_id, owned), timeout=self.app.conf.broker_request_timeout)
        consumer.resume_partitions(owned)

    async def _begin(self, generation_id: int, owned: set[Any]) -> None:
        """Places each partition at its committed offset, or at the log's start, where Faust's seek leaves it alone."""
        consumer = self.app.consumer
        committed = {tp: consumer._committed_offset.get(tp) for tp in owned}  # noqa: SLF001 (set by perform_seek)
        fresh = [tp for tp, offset in committed.items() if offset is None]
        earliest = await consumer.earliest_offsets(*fresh) if fresh else {}
        starts = {tp: offset or earliest.get(tp) or 0 for tp, offset in committed.items()}
        await consumer.rewind(starts)
        await self.app.shell.begin(generation_id, starts)

    async def _resume_flow(self) -> None:
        self.completed.set()
        self.app.flow_control.resume()
        self.app.consumer.resume_flow()
        await self.app._fetcher.maybe_start()  # noqa: SLF001 (as in Faust)
        self.tables.on_actives_ready()

    def _end(self) -> None:
        self.app.on_rebalance_end()
        self.log.info("Worker ready")


class MendedTables(TableManager):
    """Table manager with the mended recovery."""

    async def on_start(self) -> None:
        # Faust sleeps a second here "for tables to register"; ours are all declared by build_app.
        if not self.should_stop:
            await self._update_channels()
            await self.recovery.start()

    _recovery: MendedRecovery | None

    @property
    def recovery(self) -> MendedRecovery:
        if self._recovery is None:
            self._recovery = MendedRecovery(self.app, self, beacon=self.beacon, loop=self.loop)
        return self._recovery


class LaneConsumer(driver.Consumer):
    """Consumer that commits what the shell has done, and can be rewound without a record getting lost.

    As released, a fetch shares the set of active partitions with the pausing code. When that set becomes empty, the running
    fetch takes records of *all* partitions, and what it takes from paused ones is dropped: a worker that had not committed
    yet then waits for ever (found here: kill before the first commit, restart). Each fetch gets a copy of the set, and
    records of a fetch that began before a rewind are dropped whole.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self._rewinds = 0
        self._fetching: frozenset[Any] = frozenset()
        self._fetched = asyncio.Event()

    async def rewind(self, starts: Mapping[Any, int]) -> None:
        """Places paused partitions at the given offsets."""
        while self._fetching & starts.keys():
            self._fetched.clear()
            await self._fetched.wait()
        self._rewinds += 1
        await self.seek_wait(starts)

    async def getmany(self, timeout: float) -> AsyncIterator[tuple[Any, Any]]:  # noqa: ASYNC109 (Faust's signature)
        rewinds = self._rewinds
        async for tp, message in super().getmany(min(timeout, FETCH_S_MAX)):
            if rewinds == self._rewinds or self._is_changelog_tp(tp):
                yield tp, message

    async def _wait_next_records(self, timeout: float) -> tuple[Any, Any]:  # noqa: ASYNC109 (Faust's signature)
        if not self.flow_active:
            await self.wait(self.can_resume_flow)
        active = self._get_active_partitions()
        if not active:
            await self.sleep(IDLE_S)
            return {}, active
        self._fetching = frozenset(active)
        try:
            return await self._getmany(active_partitions=self._fetching, timeout=timeout), active
        finally:
            self._fetching = frozenset()
            self._fetched.set()

    def _new_offset(self, tp: Any) -> int | None:
        self._acked[tp].clear()
        self._acked_index[tp].clear()
        self._gap.pop(tp, None)
        committable: int | None = self.app.shell.committable(tp)
        return committable


class PatientProducer(driver.Producer):
    """Producer that waits between two failed metadata updates.

    aiokafka 0.14.0 asks again at once while no broker answers: 270 tries a second, a whole core, and two log lines each.
    """

    async def on_start(self) -> None:
        await super().on_start()
        client = self._producer.client
        update = client._metadata_update  # noqa: SLF001 (aiokafka offers no hook)

        async def patient(*arguments: Any) -> bool:
            updated: bool = await update(*arguments)
            if not updated:
                await asyncio.sleep(METADATA_PAUSE_S)
            return updated

        client._metadata_update = patient  # noqa: SLF001


class LaneTransport(driver.Transport):
    """Transport with that consumer and that producer."""

    Consumer = LaneConsumer
    Producer = PatientProducer
