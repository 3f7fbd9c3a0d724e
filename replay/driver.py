"""The in-memory driver: the real stage functions with virtual time, and faults on request (DESIGN §1).

A log neither drops nor reorders inside a partition, so neither does this one. What real systems do to us is: a record is
handled again after a crash, a producer's retry appends a record twice, an effect's answer is lost, late or out of order,
and a process dies between the acknowledgement of its outputs and the last of its writes. Those are the faults here.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from replay.memory import Logs, MemoryRows
from streams.stage import Emit, Overlay, Position, Stage
from topics.errors import Reject
from topics.events.base import Event, event_id
from topics.events.crawl import OwnerStarted, Tick

TICK_MS = 200
STEPS_MAX = 1_000_000


class Chance(Protocol):
    """The part of `random.Random` that faults are drawn from; tests pass a seeded one."""

    def random(self) -> float: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """Probabilities, 0 to 1, of each fault; all zero is an undisturbed run.

    Attributes:
        crash_before_flush: outputs are acknowledged, no write survives.
        crash_in_flush: only a prefix of the writes survives.
        repeat: an output is appended twice.
        lose_answer: an effect's answer never arrives.
        late_answer: an effect's answer arrives `late_ms` later, behind others.
    """

    crash_before_flush: float = 0.0
    crash_in_flush: float = 0.0
    repeat: float = 0.0
    lose_answer: float = 0.0
    late_answer: float = 0.0
    late_ms: int = 150_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """An adapter in place of a worker pool: reads a topic once per record and answers with outputs after a delay.

    Attributes:
        topic: what it reads; a task runs at most once (its offset is committed before it starts).
        answer: `(event, now_ms) -> (delay_ms, outputs)`.
    """

    topic: str
    answer: Callable[[Any, int], tuple[int, Sequence[Emit]]]


Prepare = Callable[[Any], Any]


@dataclass(slots=True)
class Driver:
    """Runs stages and effects over in-memory logs until nothing is left to do.

    Attributes:
        stages: the real stages.
        effects: stand-ins for worker pools.
        prepare: per stage name, what its shell does before `handle` (parse reads and parses the body).
        chance: seeded source of faults; None for none.
    """

    stages: Sequence[Stage]
    effects: Sequence[Effect] = ()
    prepare: dict[str, Prepare] = field(default_factory=dict)
    faults: Faults = field(default_factory=Faults)
    chance: Chance | None = None
    partitions: int = 1
    now_ms: int = 1_700_000_000_000
    logs: Logs = field(init=False)
    rows: dict[tuple[str, int], MemoryRows] = field(init=False, default_factory=dict)
    counts: dict[str, int] = field(init=False, default_factory=dict)
    _committed: dict[tuple[str, str, int], int] = field(init=False, default_factory=dict)
    _time: dict[tuple[str, int], int] = field(init=False, default_factory=dict)
    _incarnation: dict[tuple[str, int], str] = field(init=False, default_factory=dict)
    _answers: list[tuple[int, int, Emit]] = field(init=False, default_factory=list)
    _sequence: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.logs = Logs(self.partitions)
        for stage in self.stages:
            for partition in range(self.partitions):
                self.rows[stage.name, partition] = MemoryRows.of(stage)
                self._start_owner(stage, partition)

    def append(self, topic: str, key: bytes, event: Event) -> None:
        """Appends an event from outside (a command, a policy)."""
        self.logs.append(topic, key, event, self.now_ms)

    def tick(self) -> None:
        """Appends one tick per stage partition that wants them."""
        for stage in self.stages:
            if stage.ticks is not None:
                for partition in range(self.partitions):
                    self._own(stage, partition, Tick)

    def advance(self, duration_ms: int, *, step_ms: int = TICK_MS) -> None:
        """Lets virtual time pass, ticking and handling everything that becomes possible."""
        end_ms = self.now_ms + duration_ms
        self.settle()
        while self.now_ms < end_ms:
            self.now_ms = min(self.now_ms + step_ms, end_ms)
            self.tick()
            self.settle()

    def settle(self) -> None:
        """Handles every record that is there now, and all that follow from it at this instant."""
        for _ in range(STEPS_MAX):
            self._deliver_answers()
            if not any(
                [self._step_stage(stage) for stage in self.stages] + [self._step_effect(one) for one in self.effects]
            ):
                return
        raise AssertionError(f"no rest after {STEPS_MAX} rounds: two stages answer each other for ever")

    def restart(self, stage_name: str) -> None:
        """Restarts a stage: private tables are wiped, a new owner starts, handling resumes at the committed offset."""
        stage = next(one for one in self.stages if one.name == stage_name)
        for partition in range(self.partitions):
            self._restart(stage, partition)

    def view(self, stage_name: str, partition: int = 0) -> MemoryRows:
        """Returns the committed rows of a stage partition, for assertions."""
        return self.rows[stage_name, partition]

    # -- one step ---------------------------------------------------------------------------------------------------

    def _step_stage(self, stage: Stage) -> bool:
        moved = False
        for topic in stage.inboxes:
            for partition in range(self.partitions):
                moved |= self._handle_next(stage, topic, partition)
        return moved

    def _handle_next(self, stage: Stage, topic: str, partition: int) -> bool:
        offset = self._committed.get((stage.name, topic, partition), 0)
        log = self.logs.read(topic, partition)
        if offset >= len(log):
            return False
        record = log[offset]
        latest = max(record.append_ms, self._time.get((topic, partition), 0))
        self._time[topic, partition] = latest
        position = Position(topic=topic, partition=partition, offset=offset, now_ms=latest)
        overlay = Overlay(self.rows[stage.name, partition])
        prepare = self.prepare.get(stage.name)
        try:
            emits = stage.handle(overlay, prepare(record.event) if prepare else record.event, position)
        except Reject:
            emits = ()
        for emit in emits:
            self._send(emit)
        if self._flush(stage, partition, overlay):
            self._committed[stage.name, topic, partition] = offset + 1
        return True

    def _flush(self, stage: Stage, partition: int, overlay: Overlay) -> bool:
        """Applies the writes in put order; False when a crash cut them short (the event is handled again)."""
        writes = list(overlay.writes.items())
        keep = len(writes)
        if self._happens(self.faults.crash_before_flush):
            keep = 0
        elif self._happens(self.faults.crash_in_flush):
            keep = int(len(writes) * self._draw())
        elif self.chance is None or keep == len(writes):
            self._write(stage, partition, writes)
            return True
        self._write(stage, partition, writes[:keep])
        self._count("crash")
        self._restart(stage, partition)
        return False

    def _write(self, stage: Stage, partition: int, writes: list[tuple[tuple[str, bytes], Any]]) -> None:
        private = {table.name for table in stage.tables if not table.durable}
        for (table, key), row in sorted(writes, key=lambda one: one[0][0] not in private):
            self.rows[stage.name, partition].write(table, key, row)

    def _step_effect(self, effect: Effect) -> bool:
        moved = False
        for partition in range(self.partitions):
            key = ("effect", effect.topic, partition)
            log = self.logs.read(effect.topic, partition)
            while self._committed.get(key, 0) < len(log):
                offset = self._committed.get(key, 0)
                self._committed[key] = offset + 1
                moved = True
                self._answer(effect, log[offset].event)
        return moved

    def _answer(self, effect: Effect, event: Event) -> None:
        delay_ms, outputs = effect.answer(event, self.now_ms)
        if self._happens(self.faults.lose_answer):
            self._count("lost answer")
            return
        if self._happens(self.faults.late_answer):
            self._count("late answer")
            delay_ms += self.faults.late_ms
        for emit in outputs:
            self._sequence += 1
            self._answers.append((self.now_ms + delay_ms, self._sequence, emit))

    def _deliver_answers(self) -> None:
        due = sorted(one for one in self._answers if one[0] <= self.now_ms) if self._answers else []
        self._answers = [one for one in self._answers if one[0] > self.now_ms]
        for _, _, emit in due:
            self._send(emit)

    def _send(self, emit: Emit) -> None:
        self.logs.append(emit.topic, emit.key, emit.event, self.now_ms)
        if self._happens(self.faults.repeat):
            self._count("repeat")
            self.logs.append(emit.topic, emit.key, emit.event, self.now_ms)

    # -- ownership and chance ---------------------------------------------------------------------------------------

    def _restart(self, stage: Stage, partition: int) -> None:
        for table in stage.tables:
            if not table.durable:
                self.rows[stage.name, partition].wipe(table.name)
        self._start_owner(stage, partition)

    def _start_owner(self, stage: Stage, partition: int) -> None:
        if stage.ticks is not None:
            self._sequence += 1
            self._incarnation[stage.name, partition] = f"{stage.name}-{partition}-{self._sequence}"
            self._own(stage, partition, OwnerStarted)

    def _own(self, stage: Stage, partition: int, kind: type[OwnerStarted] | type[Tick]) -> None:
        assert stage.ticks is not None
        self._sequence += 1
        event = kind(
            event_id=event_id(kind.__name__, b"-", None, f"{stage.name}/{partition}", self._sequence),
            occurred_at_ms=self.now_ms,
            incarnation=self._incarnation[stage.name, partition],
            partition=partition,
        )
        self.logs.append(stage.ticks, b"-", event, self.now_ms, partition=partition)

    def _draw(self) -> float:
        return self.chance.random() if self.chance is not None else 1.0

    def _happens(self, probability: float) -> bool:
        return probability > 0 and self._draw() < probability

    def _count(self, fault: str) -> None:
        self.counts[fault] = self.counts.get(fault, 0) + 1
