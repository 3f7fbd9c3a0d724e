"""What extraction answers: readings and refusals as values, and their JSON form (`adcat inspect page`)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from streams.extraction.stock import UNKNOWN
from topics.evidence import Claim


@dataclass(frozen=True, slots=True, kw_only=True)
class PageContext:
    """What is known beside the bytes; the same bytes and context give the same reading.

    Attributes:
        url: address that the page was observed at.
        market: ISO 3166 country of the merchant's policy, or None.
        currency: the policy's currency for that market, or None. It chooses among the currencies of an ambiguous sign and
            never stands for a sign that is not there.
        content_type: of the response.
        selectors: tested merchant selectors, field name to CSS selector.
        evidence_at_ms: response time in broker milliseconds; judges price validity windows. None judges none.
    """

    url: str
    market: str | None = None
    currency: str | None = None
    content_type: str | None = None
    selectors: Mapping[str, str] = field(default_factory=dict)
    evidence_at_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferReading:
    """One offer of a page; None is unknown."""

    selected: bool
    name: str | None = None
    price_minor: int | None = None
    currency: str | None = None
    exponent: int | None = None
    list_price_minor: int | None = None
    availability: str = UNKNOWN
    sku: str | None = None
    gtin: str | None = None
    brand: str | None = None
    image_urls: tuple[str, ...] = ()
    url: str | None = None
    platform_id: str | None = None
    variant_id: str | None = None
    variant: tuple[tuple[str, str], ...] = ()
    evidence: Mapping[str, tuple[Claim, ...]] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A field that stays unknown, why, and every claim about it."""

    field: str
    reason: str
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageReading:
    """The decision about one page.

    Attributes:
        verdict: product, listing, block_page, soft_404, consent_wall, needs_rendering, other.
        verdict_reason: why, one word.
        offers: every offer of the page's product; at most one is selected.
        refusals: what stays unknown and why.
        product_name: of the product above its variants.
        group_id: the platform's product or group id.
        canonical_url: evidence only.
        lanes: those that spoke of the page's product, in the order of `RANK`; the visible text is on every page and not among them.
    """

    verdict: str
    verdict_reason: str
    offers: tuple[OfferReading, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    product_name: str | None = None
    group_id: str | None = None
    canonical_url: str | None = None
    lanes: tuple[str, ...] = ()


def inspect_answer(reading: PageReading) -> dict[str, Any]:
    """The JSON of `adcat inspect page`: unknown is null."""
    return {
        "verdict": reading.verdict,
        "verdict_reason": reading.verdict_reason,
        "offers": [_offer(offer) for offer in reading.offers],
        "refusals": [
            {"field": one.field, "reason": one.reason, "claims": [_claim(claim) for claim in one.claims]}
            for one in reading.refusals
        ],
    }


def _offer(offer: OfferReading) -> dict[str, Any]:
    return {
        "selected": offer.selected,
        "name": offer.name,
        "price_minor": offer.price_minor,
        "currency": offer.currency,
        "exponent": offer.exponent,
        "list_price_minor": offer.list_price_minor,
        "availability": None if offer.availability == UNKNOWN else offer.availability,
        "sku": offer.sku,
        "gtin": offer.gtin,
        "brand": offer.brand,
        "url": offer.url,
        "image_urls": list(offer.image_urls),
        "platform_id": offer.platform_id,
        "variant_id": offer.variant_id,
        "variant": dict(offer.variant),
        "evidence": {name: [_claim(claim) for claim in claims] for name, claims in sorted(offer.evidence.items())},
    }


def _claim(claim: Claim) -> dict[str, str]:
    out = {"syntax": claim.syntax, "path": claim.path, "raw": claim.raw}
    if claim.normaliser:
        out["normaliser"] = claim.normaliser
    if claim.repair:
        out["repair"] = claim.repair
    return out
