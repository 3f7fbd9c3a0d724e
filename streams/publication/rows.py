"""The rows that publication keeps: what was decided per offer, per target, per merchant.

Every event of a merchant puts its merchant row last, so `MerchantRow.applied` says up to where the log is decided
completely: an offset below it is dropped whole, and a rewound log changes nothing. An offer or target row whose
`applied` equals the offset in hand already holds the outcome, which is then repeated instead of decided again.
"""

import zlib
from dataclasses import dataclass, field, replace

from topics.events.offer import CatalogEntry, OfferCard
from topics.events.policy import MerchantPolicy
from topics.fence import LOG_EPOCH_SHIFT, OFFSET_MAX, Fence
from topics.specs import LOG_EPOCH

WINDOW_MAX = 100
"""Target observations of a merchant that the miss rate looks at (DESIGN §9)."""
WINDOW_MIN = 10
"""The rate is taken over at least this many, so that one removed product of a small shop is no anomaly."""
PAUSE_PERCENT = 30
SUPPLIERS_MAX = 32
ABSENT_MAX = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The part of a merchant's policy that publication decides by.

    Attributes:
        policy_rev: revision of the policy in force.
        enabled: the policy's status is `enabled`.
        source_epoch: largest ever seen, see `MerchantPolicy`.
        disable_epoch: largest ever seen.
        markets: keys of the allowed market contexts, `US:USD`.
    """

    policy_rev: int
    enabled: bool
    source_epoch: int
    disable_epoch: int
    allowed_origins: tuple[str, ...]
    markets: tuple[str, ...]
    required_fields: tuple[str, ...]
    field_age_ms_max: int
    misses_min: int
    miss_gap_ms: int

    @classmethod
    def of(cls, policy: MerchantPolicy, known: "Terms | None") -> "Terms":
        """Returns the terms of a newer policy; epochs never fall, whatever a restored database says."""
        return cls(
            policy_rev=policy.policy_rev,
            enabled=policy.status == "enabled",
            source_epoch=max(policy.source_epoch, known.source_epoch if known else 0),
            disable_epoch=max(policy.disable_epoch, known.disable_epoch if known else 0),
            allowed_origins=policy.allowed_origins,
            markets=tuple(market.key for market in policy.markets),
            required_fields=policy.required_fields,
            field_age_ms_max=policy.field_age_ms_max,
            misses_min=policy.misses_min,
            miss_gap_ms=policy.miss_gap_ms,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MerchantRow:
    """Guard row of a merchant: put last by every event.

    Attributes:
        applied: inbox offset up to which this merchant's events are decided completely.
        terms: None until a policy was seen; unknown policy authorizes nothing.
        window: one mark per clear observation of a target that supplies offers, the newest last:
            `crc32(target) << 1 | missed`.
        refusals: how many events were refused, by reason.
    """

    applied: int
    terms: Terms | None = None
    window: tuple[int, ...] = ()
    refusals: dict[str, int] = field(default_factory=dict)

    def refused(self, reason: str, offset: int) -> "MerchantRow":
        """Returns the row with one more refusal of this reason; an event counts once, however often it is handled."""
        if self.applied == offset:
            return self
        return replace(self, refusals={**self.refusals, reason: self.refusals.get(reason, 0) + 1})

    def marked(self, target_id: str, offset: int, *, missed: bool) -> "MerchantRow":
        """Returns the row with one more observation in the window; an event counts once."""
        if self.applied == offset:
            return self
        mark = zlib.crc32(target_id.encode()) << 1 | missed
        return replace(self, window=(*self.window, mark)[-WINDOW_MAX:])

    @property
    def deletion_paused(self) -> bool:
        """True when too many of the lately observed targets are missing (SPEC G6).

        Each target of the window counts once, by its latest mark: otherwise the frequent observations of a small shop
        would dilute a site-wide outage, and the confirmations of one removed product would look like one.
        """
        latest = {mark >> 1: mark & 1 for mark in self.window}
        return sum(latest.values()) * 100 >= PAUSE_PERCENT * max(len(latest), WINDOW_MIN)


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetRow:
    """What the latest clear observation of a target says it supplies.

    Attributes:
        fence: of that observation; an older one changes nothing.
        presence: `live`, `missing` or `gone`.
        offers: keys of the offers read from it, as text.
        absent: keys that it supplied before and whose absence is still being counted.
    """

    applied: int
    fence: Fence
    presence: str
    offers: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferRow:
    """An offer: its current entry, and what must hold before the next one.

    Attributes:
        entry: current entry as published; re-emitted when its decision is handled again.
        before: card of the entry before it.
        barrier: fence of the observation that ended the offer, None while it lives; only a later one revives it (SPEC G7),
            and then the fence of its entry bounds what follows.
        suppliers: targets whose latest observation supplies the offer; it is missed only when there is none.
        misses: independent misses since the last live observation.
        missed_at_ms: evidence time of the last miss that counted.
        alias_of: key, as text, that replaced this one when a better identity became known.
    """

    applied: int
    entry: CatalogEntry
    before: OfferCard | None = None
    barrier: Fence | None = None
    suppliers: tuple[str, ...] = ()
    misses: int = 0
    missed_at_ms: int = 0
    alias_of: str | None = None

    def supplied_by(self, target_id: str) -> tuple[str, ...]:
        """Returns the suppliers with this one, at most `SUPPLIERS_MAX`."""
        if target_id in self.suppliers or len(self.suppliers) >= SUPPLIERS_MAX:
            return self.suppliers
        return (*self.suppliers, target_id)


def seeded(entry: CatalogEntry) -> OfferRow:
    """Returns the guard row of a catalog entry, for reading a rewound log after the tables were lost (DESIGN §5).

    An entry of this log epoch drops every earlier decision by offset; one of a former epoch guards by its fence alone.
    """
    ended = entry.lifecycle in ("inactive", "tombstoned")
    current = entry.revision >> LOG_EPOCH_SHIFT == LOG_EPOCH
    return OfferRow(
        applied=entry.revision & OFFSET_MAX if current else -1,
        entry=entry,
        barrier=entry.fence if ended else None,
        suppliers=() if ended else (entry.target_id,),
    )
