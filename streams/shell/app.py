"""The Faust app of a stage: `build_app` puts the parts together, `run_worker` runs it until a signal or a stop."""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any, NoReturn

import faust
from faust.types import TP

from streams.shell import boot
from streams.shell.failstop import FailStopMonitor, stop
from streams.shell.lanes import Lanes
from streams.shell.mend import LaneTransport, MendedTables
from streams.shell.owner import Owner
from streams.shell.runner import Prepare, StageRunner, Wire
from streams.shell.settings import EXIT_RANGE, ShellSettings
from streams.shell.store import IndexStore
from streams.shell.table import PartitionRows, RowTable
from streams.shell.watch import Watch
from streams.stage import Position, Stage
from topics.keys import partition_of

BUFFER_EVENTS_MAX = 1024
POLL_RECORDS_MAX = 300


class Shell:
    """What the parts of a running stage share; `app.shell`."""

    def __init__(
        self,
        *,
        app: "ShellApp",
        stage: Stage,
        settings: ShellSettings,
        wire: Wire,
        prepare: Prepare | None,
        must_decode: Callable[[bytes], bool],
    ) -> None:
        self._app = app
        self._stage = stage
        self._rows: dict[int, PartitionRows] = {}
        self.settings = settings
        self.inboxes = stage.inboxes
        self.lanes = Lanes()
        self.tables = {spec.name: _table(app, spec.name) for spec in stage.tables if spec.durable}
        self.index = IndexStore(settings.state / "index", (spec.name for spec in stage.tables if not spec.durable))
        self.owner = None
        if stage.ticks is not None:
            self.owner = Owner(app=app, inbox=stage.ticks, lanes=self.lanes, wire=wire, settings=settings)
        counts: Counter[str] = Counter()
        self.watch = Watch(app=app, lanes=self.lanes, settings=settings, counts=counts)
        self.runner = StageRunner(
            app=app,
            stage=stage,
            lanes=self.lanes,
            wire=wire,
            rows_of=self.rows_of,
            prepare=prepare,
            must_decode=must_decode,
            seen=self._seen,
            alive=self.watch.alive,
            counts=counts,
        )

    def rows_of(self, partition: int) -> PartitionRows:
        """Returns the rows of an owned partition."""
        if partition not in self._rows:
            self._rows[partition] = PartitionRows(self._app, partition, self._stage.tables, self.tables, self.index)
        return self._rows[partition]

    async def begin(self, generation: int, starts: Mapping[Any, int]) -> None:
        """Takes an assignment, after recovery and seek, before the first event (called by the mend)."""
        await self._check_not_ahead(starts)
        locks = [self.runner.locks.setdefault(tp.partition, asyncio.Lock()) for tp in starts]
        async with AsyncExitStack() as idle:
            for lock in dict.fromkeys(locks):
                await idle.enter_async_context(lock)
            self.lanes.begin(generation, {(tp.topic, tp.partition): offset for tp, offset in starts.items()})
            self.index.restart(sorted({tp.partition for tp in starts}))
        self.watch.follow_heartbeats()
        self.watch.assigned = True
        if self.owner is not None:
            self.owner.begin(tp.partition for tp in starts if tp.topic == self._stage.ticks)

    async def _check_not_ahead(self, starts: Mapping[Any, int]) -> None:
        """Stops the process when a row has taken an offset that the log does not reach (DESIGN §5)."""
        ends: dict[int, int] = {}
        for tp, end in (await self._app.consumer.highwaters(*starts)).items() if starts else ():
            ends[tp.partition] = max(end, ends.get(tp.partition, 0))
        for partition, end in ends.items():
            for name, table in self.tables.items():
                applied = table.data.applied(partition)
                if applied >= end:
                    stop(
                        EXIT_RANGE,
                        f"rows of {name}/{partition} have taken offset {applied}, but the log of {self.inboxes} ends at "
                        f"{end}: it was re-created or truncated; see `adcat topics new-epoch` and `adcat reset`",
                    )

    def committable(self, tp: Any) -> int | None:
        """Returns the offset to commit for a partition; None for none."""
        return self.lanes.committable((tp.topic, tp.partition), self._app.consumer_generation_id)

    def _seen(self, event: Any, position: Position) -> None:
        if self.owner is not None:
            self.owner.seen(event, position)


class ShellApp(faust.App):
    """A Faust app that runs one stage."""

    shell: Shell

    async def on_start(self) -> None:
        self.add_future(self.shell.watch.run())
        if self.shell.owner is not None:
            self.add_future(self.shell.owner.tick())
        await super().on_start()

    @staticmethod
    def tp(topic: str, partition: int) -> TP:
        """Returns Faust's name of a partition."""
        return TP(topic, partition)


def build_app(
    stage: Stage,
    settings: ShellSettings,
    codec: Wire,
    prepare: Prepare | None = None,
    *,
    must_decode: Callable[[bytes], bool] = lambda _: False,
) -> ShellApp:
    """Returns the Faust app of a stage; nothing is contacted yet.

    Args:
        stage: what to run; its name is the consumer group, its durable tables need the topics `<name>-<table>-changelog`.
        settings: of this process.
        codec: `topics.specs.codec()`.
        prepare: `async (event) -> event`, an effect before the handler; may raise topics.errors.Retry, Reject, Quarantine.
        must_decode: True for record bytes that stop the worker when they do not decode, instead of going to the DLQ.
    """
    settings.state.mkdir(parents=True, exist_ok=True)
    app = ShellApp(stage.name, **_faust_settings(settings))
    app.transport = LaneTransport(app.conf.broker_consumer, app)
    app.shell = Shell(app=app, stage=stage, settings=settings, wire=codec, prepare=prepare, must_decode=must_decode)
    for inbox in stage.inboxes:
        topic = app.topic(inbox, key_serializer="raw", value_serializer="raw", allow_empty=True)
        # One actor per partition; concurrency stays 1: more would commit past events in flight (faust-kafka.md R2).
        app.agent(topic, name=f"{stage.name}.{inbox}", isolated_partitions=True)(app.shell.runner.run)
    return app


def run_worker(app: ShellApp, verify: Callable[[], None] | None = None) -> NoReturn:
    """Runs until SIGTERM or SIGINT (exit code 0) or until something stops it (see settings.EXIT_*).

    Args:
        app: from `build_app`.
        verify: called first; raises when the topics differ from the table of topics (`topics.admin.verify`).
    """
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    boot.check(app.conf.id, app.shell.inboxes, app.shell.settings)
    if verify is not None:
        verify()
    app.finalize()
    worker = faust.Worker(app, loglevel="INFO", quiet=True, override_logging=False, redirect_stdouts=False)
    worker.execute_from_commandline()
    raise AssertionError("execute_from_commandline does not return")


def _table(app: ShellApp, name: str) -> RowTable:
    table = RowTable(app, name=name, key_type=bytes, value_type=bytes)
    app.tables.add(table)
    return table


def _partition(key: bytes | None, partitions: list[int], _available: list[int]) -> int:
    return sorted(partitions)[partition_of(key or b"", len(partitions))]


def _faust_settings(settings: ShellSettings) -> dict[str, Any]:
    """Every setting that faust-kafka.md's rules name, with its rule."""
    return {
        "broker": ";".join(f"kafka://{address}" for address in settings.bootstrap.split(",")),
        "store": "rocksdb://",
        "datadir": str(settings.state),  # R13
        "autodiscover": False,
        "origin": None,
        "TableManager": MendedTables,  # §0
        "Monitor": FailStopMonitor,  # R3
        "processing_guarantee": "at_least_once",
        "topic_allow_declare": False,  # R9
        "topic_disable_leader": True,
        "table_standby_replicas": settings.standby_replicas,  # R16
        "web_enabled": False,  # R24
        "consumer_auto_offset_reset": "earliest",  # R14
        "consumer_group_instance_id": settings.worker,  # R13
        "broker_session_timeout": settings.session_s,
        "broker_heartbeat_interval": settings.heartbeat_s,
        "broker_request_timeout": settings.request_s,
        "broker_rebalance_timeout": settings.session_s,
        "broker_commit_interval": settings.commit_s,
        "broker_max_poll_records": POLL_RECORDS_MAX,  # R18
        "stream_buffer_maxsize": BUFFER_EVENTS_MAX,
        "stream_recovery_delay": 0.0,
        "producer_acks": -1,
        "producer_request_timeout": settings.request_s,  # R3
        "producer_linger": settings.linger_s,
        "producer_compression_type": settings.compression,  # R22
        "producer_partitioner": _partition,
    }
