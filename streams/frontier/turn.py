"""One event being handled: the view, where it stands, and what it sends."""

from dataclasses import dataclass, field
from typing import Any

from streams.frontier.rows import OWNER_KEY, SOURCES, TARGETS, Owner, SourceRow, TargetRow
from streams.stage import Emit, Position, View
from topics import specs
from topics.events.base import Event, event_id
from topics.events.crawl import Permit, PermitReturned
from topics.events.offer import Quarantined
from topics.fence import Fence
from topics.keys import join_key, merchant_key, split_key, target_key


def observation_id(merchant: str, target_id: str, fence: Fence) -> str:
    """Returns the 32 hex digits that name the one observation of a claim; readers deduplicate by it."""
    return event_id("Observation", target_key(merchant, target_id), fence, "", 0)


@dataclass(slots=True, kw_only=True)
class Turn:
    """One event of a partition's log in hand.

    Attributes:
        view: rows; reads see this event's own writes.
        at: the event's position and broker time.
        emits: outputs so far.
        grown: URLs that this event admitted, by pattern key.
    """

    view: View
    at: Position
    emits: list[Emit] = field(default_factory=list)
    grown: dict[bytes, int] = field(default_factory=dict)

    @property
    def now_ms(self) -> int:
        return self.at.now_ms

    @property
    def offset(self) -> int:
        return self.at.offset

    def owner(self) -> Owner | None:
        """The owner of the partition: the last `OwnerStarted` handled (the shell stores nothing)."""
        row: SourceRow | None = self.view.get(SOURCES, OWNER_KEY)
        return None if row is None else row.owner

    def source(self, merchant: str) -> SourceRow | None:
        row: SourceRow | None = self.view.get(SOURCES, merchant_key(merchant))
        return row

    def put_source(self, merchant: str, row: SourceRow) -> None:
        """Stores the row unless it already took this event; a source row takes each offset once."""
        stored = self.source(merchant)
        if stored is None or stored.applied < self.offset:
            self.view.put(SOURCES, merchant_key(merchant), row)

    def target(self, merchant: str, target_id: str) -> TargetRow | None:
        row: TargetRow | None = self.view.get(TARGETS, target_key(merchant, target_id))
        return row

    def targets_in_slice(self, merchant: str, part: int) -> list[tuple[str, TargetRow]]:
        """Returns the targets of a merchant whose id begins with the byte `part`: 1/256 of them."""
        found = self.view.scan(TARGETS, target_key(merchant, f"{part:02x}"))
        return [(split_key(key)[1], row) for key, row in found]

    def emit(
        self,
        topic: str,
        key: bytes,
        event_type: type[Event],
        /,
        *,
        about: str = "",
        fence: Fence | None = None,
        **fields: Any,
    ) -> None:
        """Appends an output. `about` tells outputs of one kind and key apart, so that re-handling derives the same ids.

        Args:
            topic: where it goes.
            key: record key.
            event_type: its class.
            about: target id, permit id or reason.
            fence: part of the event id; also set as a field when the event carries one.
            fields: the event's own fields.
        """
        identity = event_id(event_type.__name__, key, fence, f"{self.at.origin}/{about}", 0)
        if fence is not None:
            fields["fence"] = fence
        event = event_type(event_id=identity, occurred_at_ms=self.now_ms, **fields)
        self.emits.append(Emit(topic=topic, key=key, event=event))

    def return_unused(self, merchant: str, permit: Permit) -> None:
        """Gives a permit back that was provably never sent with a task."""
        self.emit(
            specs.BUDGET_EVENT,
            join_key(permit.budget_key),
            PermitReturned,
            about=permit.permit_id,
            budget_key=permit.budget_key,
            merchant=merchant,
            permit_id=permit.permit_id,
            outcome="unused",
        )

    def quarantine(
        self, merchant: str, target_id: str, *, url: str, reason: str, detail: str, fence: Fence | None = None
    ) -> None:
        """Shows operators what is not crawled, and why (SPEC G8)."""
        key = target_key(merchant, target_id)
        self.emit(
            specs.QUARANTINE,
            key,
            Quarantined,
            about=reason,
            fence=fence,
            merchant=merchant,
            stage="frontier",
            subject=key.decode("ascii"),
            url=url,
            target_id=target_id,
            field="url",
            reason=reason,
            detail=detail,
        )
