"""What lanes yield: claims grouped as the page groups them (product → offers). No lane decides a field (SPEC F1)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from streams.extraction.price_words import Kind
from topics.evidence import Claim

OFFERS_MAX: Final = 500
RANK: Final = ("selector", "platform", "json-ld", "microdata", "rdfa", "meta", "state", "visible")
"""Lanes in the order in which they are believed when all agree; a disagreement is never settled by it alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One claimed text value of a field."""

    value: str
    claim: Claim


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """One claimed amount.

    Attributes:
        value: decimal in major units; None when the text could not be read, with the reason.
        kind: what the amount is.
        currency: the code stated with this very amount, or None.
        reason: why `value` is None.
        claim: its evidence.
        valid_from_ms, valid_until_ms: its stated validity, inclusive, in milliseconds of the epoch; None is open.
    """

    value: Decimal | None
    kind: Kind
    currency: str | None
    claim: Claim
    reason: str | None = None
    valid_from_ms: int | None = None
    valid_until_ms: int | None = None

    def holds_at(self, at_ms: int) -> bool:
        """Whether its validity window, if it has one, encloses a time."""
        begun = self.valid_from_ms is None or self.valid_from_ms <= at_ms
        return begun and (self.valid_until_ms is None or at_ms <= self.valid_until_ms)


Facts = Mapping[str, tuple[Fact, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferClaims:
    """What one lane says of one offer.

    `facts` holds, by field: name, url, sku, retailer_id, gtin, brand, image, platform_id, variant_id, currency, stock, condition.
    A retailer_id is the number of an advertising feed: it may be the SKU, the platform's id, or both with a prefix.
    """

    syntax: str
    path: str
    amounts: tuple[Amount, ...] = ()
    facts: Facts = field(default_factory=dict)
    attributes: tuple[tuple[str, str], ...] = ()

    def first(self, name: str) -> str | None:
        """The first claimed value of a field."""
        found = self.facts.get(name)
        return found[0].value if found else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductClaims:
    """What one lane says of one product.

    `facts` holds, by field: name, url, sku, gtin, brand, image, platform_id, group_id.
    """

    syntax: str
    path: str
    facts: Facts = field(default_factory=dict)
    offers: tuple[OfferClaims, ...] = ()

    def first(self, name: str) -> str | None:
        """The first claimed value of a field."""
        found = self.facts.get(name)
        return found[0].value if found else None


def merged(*groups: Facts) -> Facts:
    """Facts of all groups, field by field, without exact repetitions."""
    out: dict[str, list[Fact]] = {}
    for group in groups:
        for name, facts in group.items():
            kept = out.setdefault(name, [])
            kept.extend(fact for fact in facts if fact not in kept)
    return {name: tuple(facts) for name, facts in out.items()}


def fact(value: object, claim: Claim) -> tuple[Fact, ...]:
    """A one-fact tuple, or none for an empty value."""
    text = value_text(value)
    return (Fact(value=text, claim=claim),) if text else ()


def value_text(value: object) -> str:
    """The text of a scalar; empty for containers, booleans and nothing."""
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, bool) or value is None or not isinstance(value, (int, float)):
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else str(value)


def union(offers: Iterable[OfferClaims], *, syntax: str, path: str) -> OfferClaims:
    """One offer that carries the claims of several."""
    listed = list(offers)
    attributes = sorted({pair for offer in listed for pair in offer.attributes})
    amounts: list[Amount] = []
    for offer in listed:
        amounts.extend(amount for amount in offer.amounts if amount not in amounts)
    return OfferClaims(
        syntax=syntax,
        path=path,
        amounts=tuple(amounts),
        facts=merged(*(offer.facts for offer in listed)),
        attributes=tuple(attributes),
    )
