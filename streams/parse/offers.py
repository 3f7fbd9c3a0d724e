"""From a page's offers to candidates: each offer gets its key and market, or a visible reason why it gets none."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from urllib.parse import quote

from streams.extraction.page import OfferReading, PageReading
from streams.offers import Identity, IdentityFacts, identify_all
from streams.parse.read import url_policy
from topics.events.crawl import PageObserved
from topics.events.offer import Attribute, FieldEvidence, OfferContent
from topics.evidence import Claim
from topics.keys import OfferKey
from topics.urls import identity_url, in_origins, offer_identity_url

IMAGES_MAX = 10
VARIANT_PARAM = "variant"
"""The query parameter by which Shopify-like platforms select a variant by its id."""

CLAIMS_MAX = 8
TEXT_CHARS_MAX = 1_000
ATTRIBUTES_MAX = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOffer:
    """One offer of a page.

    Attributes:
        key: its key; the offer is present on the page whatever else is wrong with it. None when the page does not tell it
            apart from another one: such offers are shown, never merged and never published.
        content: what may be published, None when a field without which nothing can be published is unknown.
        missing: (field, reason) for each such field.
    """

    key: OfferKey | None
    content: OfferContent | None
    evidence: tuple[FieldEvidence, ...]
    missing: tuple[tuple[str, str], ...]


def read_offers(observed: PageObserved, reading: PageReading, base: str) -> Iterator[ReadOffer]:
    """Yields the offers of a page in its order; `base` is the page's identity URL without parameters that select a variant."""
    offers = [_writable(offer) for offer in reading.offers]
    facts = [_facts(observed, reading, offer) for offer in offers]
    for offer, identity in zip(offers, identify_all(facts, observed.variant_params), strict=True):
        missing = tuple(_missing(observed, offer))
        if identity is None:
            missing = (("variant", "indistinguishable_offers"),)
        elif _is_of_another_variant(observed, offer):
            missing = (*missing, ("variant", "variant_contradicted"))
        yield ReadOffer(
            key=None if identity is None else _key(observed, offer, identity),
            content=None if missing else _content(offer, _landing(observed, offer, base)),
            evidence=_evidence(offer),
            missing=missing,
        )


def _writable(offer: OfferReading) -> OfferReading:
    """Returns the offer with texts that any event can carry: what a page says is neither bounded nor always UTF-8."""
    variant = [(_text(name), _text(value)) for name, value in offer.variant]
    return replace(
        offer,
        name=_text(offer.name),
        brand=_text(offer.brand),
        sku=_text(offer.sku),
        platform_id=_text(offer.platform_id),
        variant_id=_text(offer.variant_id),
        image_urls=tuple(url for url in offer.image_urls if _is_text(url)),
        variant=tuple((name, value) for name, value in variant if name and value)[:ATTRIBUTES_MAX],
    )


def _text(text: str | None) -> str | None:
    """Returns the text without lone surrogates (half an emoji, where a shop cut a JSON string); None for an implausible length."""
    if text is None or len(text) > TEXT_CHARS_MAX:
        return None
    return text.encode("utf-8", "ignore").decode().strip() or None


def _is_text(text: str) -> bool:
    return text.encode("utf-8", "ignore").decode() == text


def _facts(observed: PageObserved, reading: PageReading, offer: OfferReading) -> IdentityFacts:
    return IdentityFacts(
        platform_id=offer.platform_id or _text(reading.group_id),
        variant_id=offer.variant_id,
        sku=offer.sku,
        url=observed.identity_url,  # unstripped: the variant parameter names the variant when nothing better does
        attributes=offer.variant,
        variants_on_page=len(reading.offers),
    )


def _key(observed: PageObserved, offer: OfferReading, identity: Identity) -> OfferKey:
    return OfferKey(
        merchant=observed.merchant,
        identity=identity.identity,
        variant=identity.variant,
        market=_market(observed, offer),
    )


def _market(observed: PageObserved, offer: OfferReading) -> str:
    """The market whose currency the offer has; the first one for an offer of unknown or foreign currency."""
    return next((one.key for one in observed.markets if one.currency == offer.currency), observed.markets[0].key)


def _is_of_another_variant(observed: PageObserved, offer: OfferReading) -> bool:
    """True when only addresses name the variant, and the offer's own address names another one than the page's.

    A shop that renders its default variant at every address shows that one's price here.
    """
    if offer.url is None or offer.variant_id or offer.sku or offer.variant:
        return False
    if not in_origins(offer.url, observed.allowed_origins):
        return False
    own, page = identity_url(offer.url, url_policy(observed)), observed.identity_url
    bases = [offer_identity_url(url, observed.variant_params) for url in (own, page)]
    return own != page and bases[0] == bases[1] and own != bases[0] and page != bases[1]


def _missing(observed: PageObserved, offer: OfferReading) -> Iterator[tuple[str, str]]:
    if not offer.name:
        yield "name", "name_unknown"
    if offer.currency is None:
        yield "currency", "currency_unknown"
    elif all(market.currency != offer.currency for market in observed.markets):
        yield "currency", "currency_not_in_markets"
    if offer.price_minor is None or offer.exponent is None:
        yield "price_minor", "price_unknown"


def _landing(observed: PageObserved, offer: OfferReading, base: str) -> str:
    """Where an ad for this offer leads: the same address whichever of its pages was read, without tracking parameters.

    A page of one variant also tells of the others; their landing page is not the page's own address.
    """
    # What a page says is no permission to lead people to another origin (SPEC B2); a malformed address is in none.
    if offer.url is not None and in_origins(offer.url, observed.allowed_origins):
        return identity_url(offer.url, url_policy(observed))
    if offer.variant_id is not None and VARIANT_PARAM in observed.variant_params:
        return f"{base}{'&' if '?' in base else '?'}{VARIANT_PARAM}={quote(offer.variant_id)}"
    return base if len(offer.variant) > 0 else observed.identity_url


def _content(offer: OfferReading, url: str) -> OfferContent:
    assert offer.name is not None
    assert offer.price_minor is not None
    assert offer.currency is not None
    assert offer.exponent is not None
    return OfferContent(
        url=url,
        name=offer.name,
        brand=offer.brand,
        price_minor=offer.price_minor,
        currency=offer.currency,
        exponent=offer.exponent,
        list_price_minor=offer.list_price_minor,
        availability=offer.availability,
        sku=offer.sku,
        gtin14=offer.gtin,
        image_urls=offer.image_urls[:IMAGES_MAX],
        attributes=tuple(Attribute(name=name, value=value) for name, value in offer.variant),
    )


def _evidence(offer: OfferReading) -> tuple[FieldEvidence, ...]:
    return tuple(
        FieldEvidence(field=field, claims=_bounded(claims)) for field, claims in sorted(offer.evidence.items())
    )


def _bounded(claims: tuple[Claim, ...]) -> tuple[Claim, ...]:
    return tuple(claims[:CLAIMS_MAX])
