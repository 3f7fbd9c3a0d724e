"""What the budget controller remembers of one site-budget key: one durable row, written whole."""

from dataclasses import dataclass

BUDGETS = "budgets"
WISHING = "wishing"
OWNER_KEY = b"|owner"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What one merchant asks of this budget, under its frontier owner's term; replaced by its next request.

    Attributes:
        merchant: who asks.
        term: of the frontier owner; permits are bound to it.
        wanted: permits still wanted.
        interval_ms: least time between two requests that it knows of.
        concurrency_max: most requests in flight that it knows of.
        asked_at_ms: when it last asked; its limits bind for `WISH_KEPT_MS` after that.
        served: log position of its last grant, so that the one served longest ago comes first.
    """

    merchant: str
    term: int
    wanted: int
    interval_ms: int
    concurrency_max: int
    asked_at_ms: int
    served: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Outstanding:
    """A permit that was granted and has not come back; it counts against concurrency until `frees_at_ms`."""

    permit_id: str
    granted_at_ms: int
    expires_at_ms: int
    frees_at_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """The partition's owner, and what its state is known to contain.

    Attributes:
        incarnation: of the last `OwnerStarted` handled, None before the first.
        since: offset of the first event that this state handled.
        hold_until_ms: nothing is granted before; 0 when the state is complete (see `owner`).
    """

    incarnation: str | None
    since: int
    hold_until_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetRow:
    """One site budget, or, under `OWNER_KEY`, the partition itself.

    Attributes:
        applied: inbox offset it last took.
        owner: in the row under `OWNER_KEY` only.
        wishes: one per merchant, bounded.
        outstanding: granted and not yet back.
        granted: largest permit id accounted for; a repeated grant has none above it.
        next_slot_ms: earliest time of the next request.
        quiet_until_ms: the site asked to be left alone until then.
        slow: the interval is multiplied by 2^slow.
        slow_at_ms: when `slow` last changed.
        calm: answers in a row without a throttle since then.
        proposed: largest permit id proposed to the own inbox, not yet handled there.
        proposed_at_ms: when.
    """

    applied: int
    owner: Owner | None = None
    wishes: tuple[Wish, ...] = ()
    outstanding: tuple[Outstanding, ...] = ()
    granted: str = ""
    next_slot_ms: int = 0
    quiet_until_ms: int = 0
    slow: int = 0
    slow_at_ms: int = 0
    calm: int = 0
    proposed: str = ""
    proposed_at_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexRow:
    """An entry of the private index of keys with open wishes; its key says everything."""

    applied: int
