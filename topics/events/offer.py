"""What parse proposes, what publish decides, and what the world reads."""

import hashlib
from dataclasses import dataclass

import msgspec

from topics.errors import Invalid
from topics.events.base import Event
from topics.evidence import Claim
from topics.fence import Fence
from topics.keys import OfferKey

PRESENCES = ("live", "missing", "gone", "unclear")
LIFECYCLES = ("active", "out_of_stock", "suspected_missing", "inactive", "tombstoned")
BUYABLE = frozenset({"InStock", "LimitedAvailability", "OnlineOnly", "PreOrder", "BackOrder"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """One selected attribute of a variant, for example size = M."""

    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldEvidence:
    """The claims that an accepted field rests on (SPEC F3)."""

    field: str
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferContent:
    """What an offer says, apart from when and by which authority; equal content has an equal digest.

    Attributes:
        price_minor: integer minor units of `currency`.
        exponent: decimal digits of the currency's minor unit (JPY 0, USD 2, KWD 3).
        list_price_minor: price before a sale, None when none is claimed.
        availability: schema.org vocabulary, `Unknown` when nothing proves it.
        gtin14: valid GTIN padded to 14 digits, or None; evidence, never a reason to merge (SPEC F6).
    """

    url: str
    name: str
    brand: str | None = None
    price_minor: int
    currency: str
    exponent: int
    list_price_minor: int | None = None
    availability: str
    sku: str | None = None
    gtin14: str | None = None
    image_urls: tuple[str, ...] = ()
    attributes: tuple[Attribute, ...] = ()

    def __post_init__(self) -> None:
        if self.price_minor < 0:
            raise Invalid("price_minor", self.price_minor, "a price is never negative; leave the offer unpublished")
        if not 0 <= self.exponent <= 4:
            raise Invalid("exponent", self.exponent, "ISO 4217 exponents are 0 to 4")

    @property
    def digest(self) -> str:
        """32 hex digits over every field, in field order."""
        return hashlib.sha256(msgspec.msgpack.encode(self)).hexdigest()[:32]


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateProposed(Event):
    """A complete offer read from one accepted observation, offered for publication.

    Attributes:
        decision_rev: order among parsers of the same observation, issued by control; a promotion has a larger one.
        evidence_at_ms: evidence time of the observation; publication never re-dates it.
    """

    merchant: str
    identity: str
    variant: str
    market: str
    target_id: str
    fence: Fence
    decision_rev: int
    observation_id: str
    evidence_at_ms: int
    parser_rev: str
    content: OfferContent
    evidence: tuple[FieldEvidence, ...] = ()

    @property
    def offer_key(self) -> OfferKey:
        """The offer that this candidate is for."""
        return OfferKey(merchant=self.merchant, identity=self.identity, variant=self.variant, market=self.market)


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetObserved(Event):
    """What one accepted observation says about its target's presence (parse); publish knows target → offers.

    Attributes:
        presence: `live` (offers lists what was seen), `missing` (404, soft 404), `gone` (410) or `unclear` (no absence: blocked, failed, block page).
        offer_keys: canonical keys of the offers read from it, as text.
        reason: verdict or outcome word.
    """

    merchant: str
    target_id: str
    fence: Fence
    observation_id: str
    evidence_at_ms: int
    presence: str
    reason: str
    offer_keys: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.presence not in PRESENCES:
            raise Invalid("presence", self.presence, f"use one of {', '.join(PRESENCES)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogEntry(Event):
    """The current entry of an offer, or its tombstone (compacted; written by publish only).

    Attributes:
        revision: `log_epoch << 48 | decision offset`; readers apply a larger one only.
        lifecycle: one of `LIFECYCLES`; a tombstone keeps its fence and has no content.
        evidence_at_ms: oldest evidence among required fields (SPEC A4).
        eligible_until_ms: bound of ad eligibility from evidence, required fields' ages and policy; 0 = never eligible.
        content_digest: digest of `content`; two runs over the same log agree on it.
    """

    merchant: str
    identity: str
    variant: str
    market: str
    revision: int
    fence: Fence
    decision_rev: int
    observation_id: str
    target_id: str
    parser_rev: str
    lifecycle: str
    reason: str
    evidence_at_ms: int
    eligible_until_ms: int
    content_digest: str
    content: OfferContent | None = None
    evidence: tuple[FieldEvidence, ...] = ()

    def __post_init__(self) -> None:
        if self.lifecycle not in LIFECYCLES:
            raise Invalid("lifecycle", self.lifecycle, f"use one of {', '.join(LIFECYCLES)}")
        if (self.content is None) != (self.lifecycle == "tombstoned"):
            raise Invalid("content", self.lifecycle, "only a tombstone has no content")

    @property
    def offer_key(self) -> OfferKey:
        """The offer's key; also the record's key."""
        return OfferKey(merchant=self.merchant, identity=self.identity, variant=self.variant, market=self.market)


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferCard:
    """The part of an entry that analysts compare: before-image of a change."""

    revision: int
    lifecycle: str
    price_minor: int | None = None
    currency: str | None = None
    availability: str | None = None
    content_digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferChanged(Event):
    """Change stream for analysts: card before, entry after, Debezium-like `op`.

    Sent only when the card or the lifecycle differs: a confirmation with newer evidence is a new entry, not a change.

    Attributes:
        op: `c` created, `u` updated, `d` tombstoned.
    """

    merchant: str
    identity: str
    variant: str
    market: str
    op: str
    before: OfferCard | None = None
    after: CatalogEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class Quarantined(Event):
    """Something kept and shown, not published, with all claims (SPEC F4, G8).

    Attributes:
        stage: `parse`, `publish` or `frontier`.
        subject: offer key or target key as text.
        field: what it is about (`price_minor`, `variant`, `page`, `url`, ...).
        reason: short word that operators count by.
        detail: one sentence for people.
    """

    merchant: str
    stage: str
    subject: str
    url: str
    target_id: str
    fence: Fence | None = None
    observation_id: str | None = None
    evidence_at_ms: int | None = None
    field: str
    reason: str
    detail: str = ""
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLettered(Event):
    """A record that a shell could not handle: raw bytes, where they stand, and why (operators read it)."""

    app: str
    topic: str
    partition: int
    offset: int
    key: bytes
    value: bytes
    reason: str
