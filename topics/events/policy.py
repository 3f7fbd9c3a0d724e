"""What control decides: policies, proofs that they are current, and commands."""

from dataclasses import dataclass

from topics.errors import Invalid
from topics.events.base import Event

DAY_MS = 86_400_000
REFRESH_PERCENT = 80
"""A target is due again at this share of its evidence's maximum age, so that its offers are read before they are STALE."""

STATUSES = ("pending", "enabled", "disabled")
COMMANDS = ("verify", "crawl", "refresh")
DEPTH_MAX = 64
"""Largest `depth_max` that a policy may have."""

SELECTOR_FIELDS = ("price", "list_price", "currency", "availability", "sku", "gtin", "name", "brand")
"""What a merchant selector may be for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Market:
    """A market context: ISO 3166 country and ISO 4217 currency; its key form is `US:USD`."""

    country: str
    currency: str

    @property
    def key(self) -> str:
        """The market component of an offer key."""
        return f"{self.country}:{self.currency}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """An extra request header of a source's policy."""

    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Selector:
    """A merchant selector: where the pages of one source show a field, tested by a person against saved pages.

    Attributes:
        field: one of `SELECTOR_FIELDS`.
        css: a CSS selector.
    """

    field: str
    css: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MerchantPolicy(Event):
    """Full policy snapshot of a merchant's source (compacted by merchant; written by the relay only).

    Attributes:
        merchant: merchant id.
        policy_rev: grows with every change of this merchant; readers apply a larger one only.
        status: `pending` (only proof and robots.txt may be fetched), `enabled` or `disabled`.
        source_epoch: grows on revocation and on reconfiguration that invalidates outstanding work (SPEC B5).
        disable_epoch: the source epoch up to which everything is disabled; grows only.
        start_url: the authorized seed.
        proof_url: where the control token must be readable.
        allowed_origins: origins (`https://shop.example`) that may be fetched.
        media_origins: origins of images, empty without media-use permission.
        markets: market contexts; the first is the default of pages that name none.
        budget_key: site-budget key shared by everything that counts against this site.
        interval_ms: least time between two requests against the budget key.
        concurrency_max: most requests in flight against the budget key.
        refresh_ms: how often a target is observed again.
        urls_max: most targets of the source.
        depth_max: most links followed from the seed.
        variant_params: query parameters that select a variant and therefore stay in the identity.
        tracking_params: further parameters confirmed as tracking for this source.
        sort_query: query order carries no meaning for this source.
        headers: extra request headers.
        selectors: merchant selectors, at most one a field, in the order of their fields.
        required_fields: fields without which a candidate is quarantined.
        field_age_ms_max: maximum age of price and stock evidence (SPEC A5).
        misses_min: independent misses before an offer becomes inactive (SPEC G5).
        miss_gap_ms: least time between two misses that count apart.
    """

    merchant: str
    policy_rev: int
    status: str
    source_epoch: int
    disable_epoch: int
    start_url: str
    proof_url: str
    allowed_origins: tuple[str, ...]
    media_origins: tuple[str, ...] = ()
    markets: tuple[Market, ...]
    budget_key: str
    interval_ms: int = 1_000
    concurrency_max: int = 2
    refresh_ms: int = DAY_MS * REFRESH_PERCENT // 100
    urls_max: int = 100_000
    depth_max: int = 16
    variant_params: tuple[str, ...] = ("variant",)
    tracking_params: tuple[str, ...] = ()
    sort_query: bool = False
    headers: tuple[Header, ...] = ()
    selectors: tuple[Selector, ...] = ()
    required_fields: tuple[str, ...] = ("name", "price_minor", "currency")
    field_age_ms_max: int = DAY_MS
    misses_min: int = 3
    miss_gap_ms: int = 21_600_000

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise Invalid("status", self.status, f"use one of {', '.join(STATUSES)}")
        if self.disable_epoch > self.source_epoch:
            raise Invalid("disable_epoch", self.disable_epoch, f"it cannot exceed source_epoch {self.source_epoch}")
        if not self.markets:
            raise Invalid("markets", "[]", "name at least one market, for example US:USD")
        if self.interval_ms <= 0 or self.concurrency_max <= 0:
            raise Invalid("interval_ms", self.interval_ms, "budgets are positive; disable the source to stop it")

    @property
    def live(self) -> bool:
        """True when pages may be fetched and offers published."""
        return self.status == "enabled" and self.source_epoch > self.disable_epoch


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceCommanded(Event):
    """An operator's or control's order to the frontier.

    Attributes:
        command: `verify` (fetch the proof of control), `crawl` (admit the seed) or `refresh` (everything is due now).
        source_epoch: the epoch for which it was given; an older one than the policy's is dropped.
    """

    merchant: str
    command: str
    source_epoch: int

    def __post_init__(self) -> None:
        if self.command not in COMMANDS:
            raise Invalid("command", self.command, f"use one of {', '.join(COMMANDS)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyProof(Event):
    """Signed statement: policy log L, partition p, complete to offset o until t; the relay alone issues it (SPEC I8).

    Attributes:
        policy_log: topic name of the policy log.
        partition: its partition.
        complete_to: end offset; everything committed before `issued_at_ms` stands below it.
        issued_at_ms: database clock at issue.
        expires_at_ms: a replica authorizes nothing from this proof at or after this time.
        key_id: which public key verifies it.
        signature: Ed25519 over `signed_bytes()`.
    """

    policy_log: str
    partition: int
    complete_to: int
    issued_at_ms: int
    expires_at_ms: int
    key_id: str
    signature: bytes

    def signed_bytes(self) -> bytes:
        """What the signature covers."""
        fields = (self.policy_log, self.partition, self.complete_to, self.issued_at_ms, self.expires_at_ms, self.key_id)
        return "\x1f".join(str(field) for field in fields).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class RevocationAcked(Event):
    """A replica has applied the policy log up to these offsets (one per policy partition)."""

    replica: str
    offsets: tuple[int, ...]
    proof_until_ms: tuple[int, ...]
