"""How fast one site budget may go: pure arithmetic over its row (SPEC D7, D8).

A refusal lowers the shared rate and never raises it: fast 429s made other crawlers faster (scrapy/scrapy#4424). The level is forgiven
slowly, by calm answers or by time.
"""

from dataclasses import replace

from streams.budget.rows import BudgetRow, Outstanding, Wish
from topics.events.crawl import Permit

PERMIT_LIFE_MS = 30_000
REQUEST_MS_MAX = 60_000
CLOCK_ALLOWANCE_MS = 2_000
SESSION_TIMEOUT_MS = 45_000
HOLD_OFF_MS = PERMIT_LIFE_MS + REQUEST_MS_MAX + SESSION_TIMEOUT_MS + CLOCK_ALLOWANCE_MS
"""What a controller waits that cannot know what was granted before it."""

HORIZON_MS = 2_000
GRANT_MAX = 16
WISHES_MAX = 64
WISH_KEPT_MS = 3_600_000
OUTSTANDING_MAX = 64
SLOW_MAX = 6
INTERVAL_MS_MAX = 600_000
CALM_ANSWERS = 20
CALM_MS = 600_000
QUIET_MS_MAX = 7 * 86_400_000


def interval_ms(row: BudgetRow) -> int:
    """Returns the least time between two slots: the strictest wish, slowed by the level. A long interval is legal."""
    strictest = max(wish.interval_ms for wish in row.wishes)
    return max(strictest, min(strictest << row.slow, INTERVAL_MS_MAX))


def concurrency_max(row: BudgetRow) -> int:
    """Returns the most permits outstanding: the strictest wish."""
    return min(OUTSTANDING_MAX, *(wish.concurrency_max for wish in row.wishes))


def settled(row: BudgetRow, now_ms: int) -> BudgetRow:
    """Returns the row at `now_ms`: lapsed permits freed, forgotten wishes gone, one level forgiven after a calm time."""
    outstanding = tuple(item for item in row.outstanding if item.frees_at_ms > now_ms)
    wishes = tuple(wish for wish in row.wishes if now_ms - wish.asked_at_ms < WISH_KEPT_MS)
    row = replace(row, outstanding=outstanding, wishes=wishes)
    if row.slow and now_ms - row.slow_at_ms >= CALM_MS:
        return replace(row, slow=row.slow - 1, slow_at_ms=now_ms, calm=0)
    return row


def with_wish(row: BudgetRow, wish: Wish) -> BudgetRow:
    """Returns the row with the merchant's wish replaced; an older term's wish, or one too many, changes nothing."""
    before = next((item for item in row.wishes if item.merchant == wish.merchant), None)
    if before is None:
        return row if len(row.wishes) >= WISHES_MAX else replace(row, wishes=(*row.wishes, wish))
    if wish.term < before.term:
        return row
    wish = replace(wish, served=before.served)
    return replace(row, wishes=tuple(wish if item is before else item for item in row.wishes))


def slots(row: BudgetRow, now_ms: int, hold_until_ms: int) -> list[int]:
    """Returns the times of the requests that may be granted now: spaced, inside the horizon, below the concurrency."""
    step_ms = interval_ms(row)
    free = min(GRANT_MAX, concurrency_max(row) - len(row.outstanding))
    first_ms = max(now_ms, row.next_slot_ms, row.quiet_until_ms, hold_until_ms)
    return [at_ms for index in range(free) if (at_ms := first_ms + index * step_ms) <= now_ms + HORIZON_MS]


def fits(row: BudgetRow, permit: Permit, now_ms: int, hold_until_ms: int) -> bool:
    """True when a proposed permit may still be granted: the judgement that counts, made on accounted state."""
    return (
        permit.permit_id > row.granted
        and permit.not_before_ms >= max(row.next_slot_ms, row.quiet_until_ms, hold_until_ms)
        and permit.expires_at_ms > now_ms
        and len(row.outstanding) < concurrency_max(row)
    )


def accounted(row: BudgetRow, permit: Permit, now_ms: int) -> BudgetRow:
    """Returns the row with the permit outstanding and the next slot an interval later."""
    item = Outstanding(
        permit_id=permit.permit_id,
        granted_at_ms=now_ms,
        expires_at_ms=permit.expires_at_ms,
        frees_at_ms=permit.expires_at_ms + REQUEST_MS_MAX + CLOCK_ALLOWANCE_MS,
    )
    return replace(
        row,
        outstanding=(*row.outstanding, item),
        granted=permit.permit_id,
        next_slot_ms=permit.not_before_ms + interval_ms(row),
    )


def returned(row: BudgetRow, permit_id: str, outcome: str, retry_after_ms: int | None, now_ms: int) -> BudgetRow:
    """Returns the row after a permit came back; one that is not outstanding changes nothing, so repeats are harmless."""
    item = next((item for item in row.outstanding if item.permit_id == permit_id), None)
    if item is None:
        return row
    row = replace(row, outstanding=tuple(other for other in row.outstanding if other is not item))
    if outcome == "throttled":
        return _slowed(row, item, retry_after_ms, now_ms)
    if outcome in ("unused", "refused"):
        return row
    return _calmed(row, outcome, now_ms)


def _slowed(row: BudgetRow, item: Outstanding, retry_after_ms: int | None, now_ms: int) -> BudgetRow:
    """One level slower per throttle of a request granted since the last cut: a burst in flight cuts once."""
    asked_ms = min(retry_after_ms or 0, QUIET_MS_MAX)
    row = replace(row, calm=0, quiet_until_ms=max(row.quiet_until_ms, now_ms + asked_ms))
    if item.granted_at_ms < row.slow_at_ms:
        return row
    slow = min(row.slow + 1, SLOW_MAX)
    row = replace(row, slow=slow, slow_at_ms=now_ms)
    if row.wishes:
        row = replace(row, next_slot_ms=max(row.next_slot_ms, now_ms + interval_ms(row)))
    return row


def _calmed(row: BudgetRow, outcome: str, now_ms: int) -> BudgetRow:
    if not row.slow or outcome in ("failed", "blocked", "block_page"):
        return replace(row, calm=0)
    if row.calm + 1 < CALM_ANSWERS:
        return replace(row, calm=row.calm + 1)
    return replace(row, calm=0, slow=row.slow - 1, slow_at_ms=now_ms)
