"""What real systems do to a stage, as probabilities that a seeded source decides."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Protocol

Writes = list[tuple[tuple[str, bytes], Any | None]]
"""(table, key) and row, None for a deletion, in put order."""


class Chance(Protocol):
    """The part of `random.Random` that faults are drawn from; tests pass a seeded one."""

    def random(self) -> float: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """Probabilities, 0 to 1, of each fault; all zero is an undisturbed run.

    Attributes:
        crash_in_send: only some of the outputs were acknowledged, no write survives.
        crash_before_flush: all outputs were acknowledged, no write survives.
        crash_in_flush: only a part of the writes survives, or all of them, and the offset is not committed.
        repeat: an output is appended twice.
        lose_answer: an effect's answer never arrives.
        late_answer: an effect's answer arrives `late_ms` later, behind others.
    """

    crash_in_send: float = 0.0
    crash_before_flush: float = 0.0
    crash_in_flush: float = 0.0
    repeat: float = 0.0
    lose_answer: float = 0.0
    late_answer: float = 0.0
    late_ms: int = 150_000


@dataclass(slots=True)
class Dice:
    """Draws faults and counts those that happened, by name.

    Attributes:
        chance: None for a run in which nothing happens by chance.
    """

    faults: Faults
    chance: Chance | None = None
    counts: dict[str, int] = field(default_factory=dict)

    def falls(self, fault: str) -> bool:
        """True when the fault of this name happens now."""
        probability: float = getattr(self.faults, fault)
        if self.chance is None or probability <= 0 or self.chance.random() >= probability:
            return False
        self.counts[fault] = self.counts.get(fault, 0) + 1
        return True

    def up_to(self, most: int) -> int:
        """Returns 0 to `most`, both included."""
        assert self.chance is not None, "only a fault asks for a number"
        return min(int(self.chance.random() * (most + 1)), most)

    def survivors(self, writes: Writes, durable: Collection[str]) -> Writes:
        """Returns the writes that a crash inside the flush leaves behind.

        As the shell sends them (`streams/shell/table.py`): the last table's final writes, the guard among them, go out when
        all others are acknowledged; until then each table's changelog is a log of its own, of which any prefix may have arrived.
        """
        kept = [write for write in writes if write[0][0] in durable]
        split = len(kept)
        while split and kept[split - 1][0][0] == kept[-1][0][0]:
            split -= 1
        if split == 0 or self.up_to(1):
            return kept[: split + self.up_to(len(kept) - split)]
        before = kept[:split]
        left = {table: self.up_to(sum(1 for write in before if write[0][0] == table)) for table in durable}
        arrived: Writes = []
        for write in before:
            table = write[0][0]
            if left[table] > 0:
                left[table] -= 1
                arrived.append(write)
        return arrived
