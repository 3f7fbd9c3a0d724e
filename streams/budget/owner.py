"""When a controller may grant at once, and when it must hold off first (SPEC D7).

Every grant passes through the budget inbox before it leaves: it is accounted and sent by handling that record. A worker that recovered
its rows and goes on at its committed offset therefore handles every grant that was ever sent, and knows all that is outstanding:
**it needs no hold-off**, whoever owned the partition before. That the offsets have no gap is the shell's promise (hole check; a
committed offset out of range stops the worker).

What is left is a state that does not reach back to the beginning of its log: rows were lost while grants may be out. The state tells this
itself: it keeps the offset of the first event it ever handled. `0` is the log's beginning, before which nobody granted anything.
Anything else means that nothing is granted for permit life + request maximum + session timeout + clock allowance.
"""

from streams.budget.pace import HOLD_OFF_MS
from streams.budget.rows import BUDGETS, OWNER_KEY, WISHING, BudgetRow, IndexRow, Owner
from streams.stage import Position, View
from topics.events.crawl import OwnerStarted


def partition_owner(view: View, at: Position) -> Owner:
    """Returns the partition's owner row, made by the first event that this state handles."""
    row: BudgetRow | None = view.get(BUDGETS, OWNER_KEY)
    if row is not None and row.owner is not None:
        return row.owner
    owner = Owner(incarnation=None, since=at.offset, hold_until_ms=at.now_ms + HOLD_OFF_MS if at.offset else 0)
    view.put(BUDGETS, OWNER_KEY, BudgetRow(applied=at.offset, owner=owner))
    return owner


def on_owner_started(view: View, event: OwnerStarted, at: Position) -> None:
    """Installs the owner, the last `OwnerStarted` of the log, and rebuilds the private index from the rows."""
    owner = partition_owner(view, at)
    row: BudgetRow | None = view.get(BUDGETS, OWNER_KEY)
    if row is not None and at.offset < row.applied:
        return
    for key, budget in list(view.scan(BUDGETS, b"")):
        if key != OWNER_KEY and any(wish.wanted for wish in budget.wishes):
            view.put(WISHING, key, IndexRow(applied=at.offset))
    started = Owner(incarnation=event.incarnation, since=owner.since, hold_until_ms=owner.hold_until_ms)
    view.put(BUDGETS, OWNER_KEY, BudgetRow(applied=at.offset, owner=started))
