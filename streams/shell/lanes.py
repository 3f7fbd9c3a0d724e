"""Order within each owned partition: which event comes next, what time it is, what may be committed. Pure.

Faust marks an event as done when its iterator moves on, whatever happened to it, and marks events that it skips. Nothing
here relies on that: an offset is committed only after the shell says that the event before it is done.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from streams.stage import Position
from topics.errors import LogHole

Inbox = tuple[str, int]
"""Topic and partition."""


@dataclass(slots=True)
class Lane:
    """One owned partition since its assignment.

    Attributes:
        generation: the group generation that gave it.
        next_offset: offset that must come next.
        now_ms: largest append time so far.
        moved: something was done since the assignment.
    """

    generation: int
    next_offset: int
    now_ms: int = 0
    moved: bool = False


class Lanes:
    """The lanes of one worker."""

    def __init__(self) -> None:
        self._lanes: dict[Inbox, Lane] = {}

    def begin(self, generation: int, starts: Mapping[Inbox, int]) -> None:
        """Counts anew at an assignment: another owner may have gone on meanwhile.

        Args:
            generation: group generation of the assignment.
            starts: first offset to come per owned partition: committed, or the log's start.
        """
        times = {inbox: lane.now_ms for inbox, lane in self._lanes.items()}
        self._lanes = {
            inbox: Lane(generation=generation, next_offset=offset, now_ms=times.get(inbox, 0))
            for inbox, offset in starts.items()
        }

    def admit(self, inbox: Inbox, offset: int, append_ms: int, generation: int) -> Position | None:
        """Returns the position of an event to handle; None for a record of an earlier assignment or one already done.

        Raises LogHole when `offset` jumps past the next one.
        """
        lane = self._lanes.get(inbox)
        if lane is None or lane.generation != generation or offset < lane.next_offset:
            return None
        topic, partition = inbox
        if offset > lane.next_offset:
            raise LogHole(f"{topic}/{partition} jumped from offset {lane.next_offset} to {offset}")
        lane.now_ms = max(lane.now_ms, append_ms)
        return Position(topic=topic, partition=partition, offset=offset, now_ms=lane.now_ms)

    def done(self, position: Position, generation: int) -> None:
        """Says that an admitted event needs no repetition; one of an earlier assignment is ignored."""
        lane = self._lanes.get((position.topic, position.partition))
        if lane is not None and lane.generation == generation and lane.next_offset == position.offset:
            lane.next_offset = position.offset + 1
            lane.moved = True

    def committable(self, inbox: Inbox, generation: int) -> int | None:
        """Returns the offset to commit; None when nothing was done since this assignment."""
        lane = self._lanes.get(inbox)
        return lane.next_offset if lane is not None and lane.moved and lane.generation == generation else None

    def next_offsets(self) -> Iterator[tuple[Inbox, int]]:
        """Yields the next offset of each owned partition."""
        for inbox, lane in self._lanes.items():
            yield inbox, lane.next_offset

    def now_ms(self, inbox: Inbox) -> int:
        """Returns the largest append time seen in a partition; 0 before the first event."""
        lane = self._lanes.get(inbox)
        return 0 if lane is None else lane.now_ms
