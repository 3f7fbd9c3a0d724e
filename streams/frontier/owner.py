"""Ownership: the last `OwnerStarted` in the log is the owner, its position is the term (DESIGN §5).

The stage is not told its own incarnation, and need not be: it obeys the log. A shell that reads another's `OwnerStarted` after its own
while it still owns the partition appends its own again; until then its ticks claim nothing here.
"""

from dataclasses import replace

from streams.frontier.index import ensure_indexed, mark_site
from streams.frontier.rows import OWNER_KEY, SOURCES, TARGETS, Owner, SourceRow, TargetRow
from streams.frontier.turn import Turn
from topics.events.crawl import OwnerStarted
from topics.fence import log_position
from topics.specs import LOG_EPOCH


def on_owner_started(turn: Turn, event: OwnerStarted) -> None:
    """Starts a term: permits of the former one go back unused, the private index is completed from the rows.

    Claims decided but not yet sent stay to be sent: their leases stand. This is the one place that reads every row.
    """
    before: SourceRow | None = turn.view.get(SOURCES, OWNER_KEY)
    if before is not None and turn.offset < before.applied:
        return
    sources: list[tuple[bytes, SourceRow]] = list(turn.view.scan(SOURCES, b""))
    for key, source in sources:
        if key != OWNER_KEY:
            _start_source(turn, key.decode("ascii"), source)
    targets: list[tuple[bytes, TargetRow]] = list(turn.view.scan(TARGETS, b""))
    for key, row in targets:
        ensure_indexed(turn, key, row)
    owner = Owner(incarnation=event.incarnation, term=log_position(LOG_EPOCH, turn.offset))
    turn.view.put(SOURCES, OWNER_KEY, SourceRow(applied=turn.offset, owner=owner))


def _start_source(turn: Turn, merchant: str, source: SourceRow) -> None:
    mark_site(turn, merchant)
    if source.permits or source.wish is not None:
        for permit in source.permits:
            turn.return_unused(merchant, permit)
        turn.put_source(merchant, replace(source, applied=turn.offset, permits=(), wish=None))
