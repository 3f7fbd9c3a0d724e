"""The in-memory driver: the real stage functions with virtual time, and faults on request (DESIGN §1).

A log neither drops nor reorders inside a partition, so neither does this one. What real systems do to us is: a record is
handled again after a crash, a producer's retry appends a record twice, an effect's answer is lost, late or out of order,
and a process dies between the acknowledgement of its outputs and the last of its writes. Those are the faults here.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from replay.faults import Chance, Dice, Faults, Writes
from replay.memory import Logs, MemoryRows
from streams.stage import Emit, Overlay, Position, Stage
from topics.errors import Reject
from topics.events.base import Event, event_id
from topics.events.crawl import OwnerStarted, Tick

TICK_MS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """An adapter in place of a worker pool: reads a topic once per record and answers with outputs after a delay.

    Attributes:
        topic: what it reads; a task runs at most once (its offset is committed before it starts).
        answer: `(event, origin, now_ms) -> (delay_ms, outputs)`; origin is the record's `topic/partition/offset`.
    """

    topic: str
    answer: Callable[[Any, str, int], tuple[int, Sequence[Emit]]]


Prepare = Callable[[Any], Any]


@dataclass(slots=True)
class Driver:
    """Runs stages and effects over in-memory logs until nothing is left to do.

    Attributes:
        stages: the real stages.
        effects: stand-ins for worker pools.
        prepare: per stage name, what its shell does before `handle` (parse reads and parses the body).
        faults: what may happen by chance; replaced by none at all, the system must come to rest.
        chance: seeded source of faults; None for none.
        stopped: names of stages whose workers are down: nothing is handled, nothing ticks.
        rounds_max: rounds at one instant after which two stages are taken to answer each other for ever.
    """

    stages: Sequence[Stage]
    effects: Sequence[Effect] = ()
    prepare: dict[str, Prepare] = field(default_factory=dict)
    faults: Faults = field(default_factory=Faults)
    chance: Chance | None = None
    partitions: int = 1
    now_ms: int = 1_700_000_000_000
    stopped: set[str] = field(default_factory=set)
    rounds_max: int = 1_000_000
    logs: Logs = field(init=False)
    rows: dict[tuple[str, int], MemoryRows] = field(init=False, default_factory=dict)
    dice: Dice = field(init=False)
    ticked: int = field(init=False, default=0)
    _committed: dict[tuple[str, str, int], int] = field(init=False, default_factory=dict)
    _time: dict[tuple[str, int], int] = field(init=False, default_factory=dict)
    _incarnation: dict[tuple[str, int], str] = field(init=False, default_factory=dict)
    _answers: list[tuple[int, int, Emit]] = field(init=False, default_factory=list)
    _sequence: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.logs = Logs(self.partitions)
        self.dice = Dice(self.faults, self.chance)
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
            if stage.ticks is not None and stage.name not in self.stopped:
                for partition in range(self.partitions):
                    self._own(stage, partition, Tick)
                    self.ticked += 1

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
        for _ in range(self.rounds_max):
            self._deliver_answers()
            if not any(
                [self._step_stage(stage) for stage in self.stages] + [self._step_effect(one) for one in self.effects]
            ):
                return
        raise AssertionError(f"no rest after {self.rounds_max} rounds: two stages answer each other for ever")

    def restart(self, stage_name: str) -> None:
        """Restarts a stage: private tables are wiped, a new owner starts, handling resumes at the committed offset."""
        stage = next(one for one in self.stages if one.name == stage_name)
        for partition in range(self.partitions):
            self._restart(stage, partition)

    def calm(self) -> None:
        """Ends all faults; what is left to do must now be done."""
        self.dice.faults = Faults()

    def waiting(self) -> bool:
        """True while an effect's answer is on its way."""
        return bool(self._answers)

    def handle_again(self, stage_name: str, topic: str, partition: int, offset: int) -> tuple[Sequence[Emit], Writes]:
        """Handles a record that was handled before, as after a rewound offset; returns what it would send and write."""
        stage = next(one for one in self.stages if one.name == stage_name)
        record = self.logs.read(topic, partition)[offset]
        overlay = Overlay(self.rows[stage_name, partition])
        at = Position(topic=topic, partition=partition, offset=offset, now_ms=record.append_ms)
        prepare = self.prepare.get(stage_name)
        try:
            emits = stage.handle(overlay, prepare(record.event) if prepare else record.event, at)
        except Reject:
            return (), []
        return emits, list(overlay.writes.items())

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
        if offset >= len(log) or stage.name in self.stopped:
            return False
        latest = max(log[offset].append_ms, self._time.get((topic, partition), 0))
        self._time[topic, partition] = latest
        at = Position(topic=topic, partition=partition, offset=offset, now_ms=latest)
        if self._handle(stage, log[offset].event, at):
            self._committed[stage.name, topic, partition] = offset + 1
        return True

    def _handle(self, stage: Stage, event: Any, at: Position) -> bool:
        """Handles an event as a shell does; False when a crash came in between, so that it is handled again."""
        overlay = Overlay(self.rows[stage.name, at.partition])
        prepare = self.prepare.get(stage.name)
        try:
            emits = stage.handle(overlay, prepare(event) if prepare else event, at)
        except Reject:
            return True
        dies = len(emits) > 0 and self.dice.falls("crash_in_send")
        for emit in emits[: self.dice.up_to(len(emits) - 1)] if dies else emits:
            self._send(emit)
        writes = list(overlay.writes.items())
        if dies or self.dice.falls("crash_before_flush"):
            writes = []
        elif self.dice.falls("crash_in_flush"):
            writes = self.dice.survivors(writes, [table.name for table in stage.tables if table.durable])
        else:
            self._write(stage, at.partition, writes)
            return True
        self._write(stage, at.partition, writes)
        self._restart(stage, at.partition)
        return False

    def _write(self, stage: Stage, partition: int, writes: Writes) -> None:
        for (table, key), row in writes:
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
                self._answer(effect, log[offset].event, f"{effect.topic}/{partition}/{offset}")
        return moved

    def _answer(self, effect: Effect, event: Event, origin: str) -> None:
        delay_ms, outputs = effect.answer(event, origin, self.now_ms)
        if self.dice.falls("lose_answer"):
            return
        if self.dice.falls("late_answer"):
            delay_ms += self.dice.faults.late_ms
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
        if self.dice.falls("repeat"):
            self.logs.append(emit.topic, emit.key, emit.event, self.now_ms)

    # -- ownership --------------------------------------------------------------------------------------------------

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
