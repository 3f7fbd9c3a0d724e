"""The budget controller as a value: requests, returns, ticks and its own grants arrive in one inbox, keyed by budget.

A decision only *proposes*: it appends `PermitsGranted` to the own inbox. Handling that record judges it again on accounted state,
accounts for what fits and sends it to the frontier. So a grant exists exactly when its record was handled, the row and the sent grant agree
after any crash, and a proposal made twice (re-handling, lost index) grants nothing twice. Unknown state = no permit.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from streams.budget.grant import on_granted, propose
from streams.budget.owner import on_owner_started, partition_owner
from streams.budget.pace import returned, settled, with_wish
from streams.budget.rows import BUDGETS, WISHING, BudgetRow, IndexRow, Owner, Wish
from streams.stage import Emit, Position, Stage, TableSpec, View
from topics.events.base import Event
from topics.events.crawl import OwnerStarted, PermitReturned, PermitsGranted, PermitsRequested, Tick
from topics.keys import join_key, split_key
from topics.specs import BUDGET_EVENT

KEYS_MAX = 1_024
KEYS_PER_TICK_MAX = 256


def handle(view: View, event: Event, at: Position) -> Sequence[Emit]:
    """Handles one event of the inbox; an event class that the inbox does not carry is a programmer's error."""
    if isinstance(event, OwnerStarted):
        on_owner_started(view, event, at)
        return ()
    owner = partition_owner(view, at)
    if isinstance(event, Tick):
        return _on_tick(view, event, owner, at)
    assert isinstance(event, PermitsRequested | PermitReturned | PermitsGranted), type(event)
    key = join_key(event.budget_key)
    row: BudgetRow = view.get(BUDGETS, key) or BudgetRow(applied=-1)
    if at.offset < row.applied:
        return ()
    if isinstance(event, PermitsGranted):
        assert event.permits, "only propose() writes grants here, and never an empty one"
        return on_granted(view, row, event, owner, at)
    if at.offset == row.applied:
        return ()
    if isinstance(event, PermitReturned):
        row = returned(settled(row, at.now_ms), event.permit_id, event.outcome, event.retry_after_ms, at.now_ms)
    else:
        row = with_wish(settled(row, at.now_ms), _wish(event, at))
    return _decide(view, event.budget_key, row, owner, at)


def _wish(event: PermitsRequested, at: Position) -> Wish:
    return Wish(
        merchant=event.merchant,
        term=event.term,
        wanted=max(0, event.wanted),
        interval_ms=max(1, event.interval_ms),
        concurrency_max=max(1, event.concurrency_max),
        asked_at_ms=at.now_ms,
    )


def _on_tick(view: View, tick: Tick, owner: Owner, at: Position) -> Sequence[Emit]:
    """Proposes for keys whose slots have come near; starts at a place that rotates with the log."""
    if owner.incarnation != tick.incarnation:
        return ()
    keys = [key for key, _ in islice(view.scan(WISHING, b""), KEYS_MAX)]
    start = at.offset % len(keys) if keys else 0
    emits: list[Emit] = []
    for key in (keys[start:] + keys[:start])[:KEYS_PER_TICK_MAX]:
        emits += _tick_key(view, key, owner, at)
    return emits


def _tick_key(view: View, key: bytes, owner: Owner, at: Position) -> Sequence[Emit]:
    row: BudgetRow | None = view.get(BUDGETS, key)
    if row is None or at.offset <= row.applied:
        return ()
    return _decide(view, split_key(key)[0], settled(row, at.now_ms), owner, at, idle=row)


def _decide(
    view: View, budget_key: str, row: BudgetRow, owner: Owner, at: Position, *, idle: BudgetRow | None = None
) -> Sequence[Emit]:
    """Proposes what the row allows and stores it; a tick that changes nothing (`idle`) writes nothing."""
    key = join_key(budget_key)
    wishing = any(wish.wanted for wish in row.wishes)
    if wishing:
        view.put(WISHING, key, IndexRow(applied=at.offset))
    row, emits = propose(budget_key, row, owner, at)
    if row != idle:
        view.put(BUDGETS, key, replace(row, applied=at.offset))
    if not wishing:
        view.delete(WISHING, key)
    return emits


BUDGET = Stage(
    name="budget",
    inboxes=(BUDGET_EVENT,),
    tables=(TableSpec(name=BUDGETS, row=BudgetRow), TableSpec(name=WISHING, row=IndexRow, durable=False)),
    handle=handle,
    ticks=BUDGET_EVENT,
)
