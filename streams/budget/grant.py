"""Proposing a grant, and making it true by handling it (DESIGN §6)."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from streams.budget.pace import PERMIT_LIFE_MS, accounted, fits, settled, slots
from streams.budget.rows import BUDGETS, BudgetRow, Owner, Wish
from streams.stage import Emit, Position, View
from topics.events.base import event_id
from topics.events.crawl import Permit, PermitsGranted
from topics.fence import log_position
from topics.keys import join_key, merchant_key
from topics.specs import BUDGET_EVENT, FRONTIER_EVENT, LOG_EPOCH

PROPOSAL_MS = 5_000
"""How long a proposal suppresses the next one, if its record should never arrive."""


def permit_id(budget_key: str, offset: int, index: int) -> str:
    """Returns an id that is unique, and ordered within its budget by the position that proposed it."""
    name = hashlib.sha256(budget_key.encode()).hexdigest()[:8]
    return f"{name}-{log_position(LOG_EPOCH, offset):016x}-{index:02x}"


def propose(budget_key: str, row: BudgetRow, owner: Owner, at: Position) -> tuple[BudgetRow, Sequence[Emit]]:
    """Returns the row with its proposal noted, and the record for the own inbox; nothing while one is under way.

    Several merchants of one budget are served in turn, the one served longest ago first, each its share of the free slots.
    """
    waiting = sorted((wish for wish in row.wishes if wish.wanted), key=lambda wish: (wish.served, wish.merchant))
    under_way = row.proposed > row.granted and at.now_ms - row.proposed_at_ms < PROPOSAL_MS
    if not waiting or under_way or owner.incarnation is None:
        return row, ()
    wish = waiting[0]
    times = slots(row, at.now_ms, owner.hold_until_ms)
    share = -(-len(times) // len(waiting))
    times = times[: min(share, wish.wanted)]
    if not times:
        return row, ()
    permits = tuple(_permit(budget_key, wish, at, index, time_ms) for index, time_ms in enumerate(times))
    row = replace(row, proposed=permits[-1].permit_id, proposed_at_ms=at.now_ms)
    return row, (_grant(BUDGET_EVENT, join_key(budget_key), wish.merchant, permits, at),)


def _permit(budget_key: str, wish: Wish, at: Position, index: int, not_before_ms: int) -> Permit:
    return Permit(
        permit_id=permit_id(budget_key, at.offset, index),
        budget_key=budget_key,
        term=wish.term,
        not_before_ms=not_before_ms,
        expires_at_ms=not_before_ms + PERMIT_LIFE_MS,
    )


def _grant(topic: str, key: bytes, merchant: str, permits: tuple[Permit, ...], at: Position) -> Emit:
    first = permits[0]
    event = PermitsGranted(
        event_id=event_id("PermitsGranted", key, None, f"{at.origin}/{first.permit_id}", 0),
        occurred_at_ms=at.now_ms,
        budget_key=first.budget_key,
        merchant=merchant,
        term=first.term,
        permits=permits,
    )
    return Emit(topic=topic, key=key, event=event)


def on_granted(view: View, row: BudgetRow, event: PermitsGranted, owner: Owner, at: Position) -> Sequence[Emit]:
    """Makes a proposal true: accounts for the permits that fit and sends exactly those to the frontier.

    The same record again re-emits the same grant; the frontier takes each permit id once.
    """
    key = join_key(event.budget_key)
    if at.offset == row.applied:
        known = {item.permit_id for item in row.outstanding}
        granted = tuple(permit for permit in event.permits if permit.permit_id in known)
        return _to_frontier(event, granted, at)
    row = settled(row, at.now_ms)
    granted = ()
    if any(wish.merchant == event.merchant and wish.term == event.term for wish in row.wishes):
        for permit in event.permits:
            if fits(row, permit, at.now_ms, owner.hold_until_ms):
                row = accounted(row, permit, at.now_ms)
                granted = (*granted, permit)
    row = replace(row, applied=at.offset, wishes=tuple(_served(wish, event, len(granted), at) for wish in row.wishes))
    if row.proposed <= event.permits[-1].permit_id:
        row = replace(row, proposed="")
    view.put(BUDGETS, key, row)
    return _to_frontier(event, granted, at)


def _served(wish: Wish, event: PermitsGranted, granted: int, at: Position) -> Wish:
    if wish.merchant != event.merchant:
        return wish
    wanted = max(0, wish.wanted - granted) if wish.term == event.term else wish.wanted
    return replace(wish, wanted=wanted, served=at.offset)


def _to_frontier(event: PermitsGranted, granted: tuple[Permit, ...], at: Position) -> Sequence[Emit]:
    if not granted:
        return ()
    key = merchant_key(event.merchant)
    return (_grant(FRONTIER_EVENT, key, event.merchant, granted, at),)
