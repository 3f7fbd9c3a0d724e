"""The page's product: which claims of the lanes speak of the same offers."""

import re
from dataclasses import dataclass, field, replace
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

from streams.extraction.claims import RANK, Fact, Facts, OfferClaims, ProductClaims, merged, union
from streams.page_tree import join

_SPLIT: Final = re.compile(r"[\W_]+")
_KEYS: Final = ("variant_id", "sku", "gtin")


@dataclass(slots=True, kw_only=True)
class Variant:
    """One offer with the claims of every lane that speaks of it; `facts` of the product are inherited by name only."""

    offers: list[OfferClaims] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Subject:
    """The page's product.

    Attributes:
        variants: its offers.
        page: claims about the page as a whole, which several variants share.
        products: the product claims chosen in each lane.
    """

    variants: list[Variant] = field(default_factory=list)
    page: list[OfferClaims] = field(default_factory=list)
    products: list[ProductClaims] = field(default_factory=list)


def words(text: str | None) -> str:
    """A text reduced to its lower-case words, for comparison."""
    return " ".join(_SPLIT.split((text or "").lower())).strip()


def path_key(url: str | None) -> str:
    """Host and path of a URL without `www.`, case and trailing slash; empty for none."""
    if not url:
        return ""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    host = (parts.hostname or "").removeprefix("www.")
    return host + unquote(parts.path).rstrip("/").lower()


def query_of(url: str | None) -> dict[str, str]:
    """Lower-case query parameters."""
    try:
        return {name.lower(): value for name, value in parse_qsl(urlsplit(url or "").query)[:64]}
    except ValueError:
        return {}


def build(lanes: dict[str, list[ProductClaims]]) -> Subject:
    """Joins the chosen products of each lane into one subject."""
    subject = Subject(products=[product for syntax in RANK for product in lanes.get(syntax, ())])
    by_lane: list[list[OfferClaims]] = []
    for syntax in RANK:
        offers = distinct([_inherit(offer, product) for product in lanes.get(syntax, ()) for offer in product.offers])
        if offers:
            by_lane.append(offers)
    if not by_lane:
        return subject
    by_lane = [as_new(offers) for offers in by_lane]
    base = max(by_lane, key=len)
    subject.variants = [Variant(offers=[offer]) for offer in base]
    for offers in by_lane:
        if offers is not base:
            _attach(subject, offers)
    return subject


def with_addresses(products: list[ProductClaims], base: str) -> list[ProductClaims]:
    """The same claims with every address resolved against the page's base; what is no http address is dropped."""
    return [
        replace(
            one,
            facts=_resolved(one.facts, base),
            offers=tuple(replace(offer, facts=_resolved(offer.facts, base)) for offer in one.offers),
        )
        for one in products
    ]


def _resolved(facts: Facts, base: str) -> Facts:
    if "url" not in facts:
        return facts
    found = [(join(base, fact.value), fact.claim) for fact in facts["url"]]
    return {**facts, "url": tuple(Fact(value=url, claim=claim) for url, claim in found if url)}


def _inherit(offer: OfferClaims, product: ProductClaims) -> OfferClaims:
    """The offer with the product facts it does not state itself."""
    own = {
        name: offer.facts.get(name) or found
        for name, found in product.facts.items()
        if name in ("name", "brand", "image", "platform_id")
    }
    single = len(product.offers) == 1
    for name in ("sku", "gtin", "url"):
        if single and name in product.facts and name not in offer.facts:
            own[name] = product.facts[name]
    facts = dict(offer.facts) | {name: found for name, found in own.items() if found}
    return OfferClaims(
        syntax=offer.syntax, path=offer.path, amounts=offer.amounts, facts=facts, attributes=offer.attributes
    )


def identity(offer: OfferClaims) -> tuple[object, ...]:
    """What tells an offer from its siblings."""
    url = offer.first("url") or ""
    address = (path_key(url), tuple(sorted(query_of(url).items())))
    return (
        offer.first("condition"),
        offer.first("variant_id"),
        offer.first("sku"),
        offer.first("gtin"),
        address,
        offer.attributes,
        words(offer.first("name")),
    )


def distinct(offers: list[OfferClaims]) -> list[OfferClaims]:
    """Offers of one lane, those that nothing tells apart united: their claims must then agree."""
    groups: dict[tuple[object, ...], list[OfferClaims]] = {}
    for offer in offers:
        groups.setdefault(identity(offer), []).append(offer)
    return [
        group[0] if len(group) == 1 else union(group, syntax=group[0].syntax, path=group[0].path)
        for group in groups.values()
    ]


def as_new(offers: list[OfferClaims]) -> list[OfferClaims]:
    """Offers without the used and open-box ones, where a new one stands beside them."""
    words_of = [(offer.first("condition") or "").rsplit("/", 1)[-1].lower() for offer in offers]
    if not any(word.startswith("new") for word in words_of):
        return offers
    return [offer for offer, word in zip(offers, words_of, strict=True) if not word or word.startswith("new")]


def _attach(subject: Subject, offers: list[OfferClaims]) -> None:
    """Adds another lane's offers to the variants they speak of; what speaks of no single one is about the page."""
    if len(subject.variants) == 1 and len(offers) == 1:
        subject.variants[0].offers.append(offers[0])
        return
    for offer in offers:
        target = match(subject.variants, offer)
        if target is not None:
            target.offers.append(offer)
        else:
            subject.page.append(offer)


def match(variants: list[Variant], offer: OfferClaims) -> Variant | None:
    """The one variant that shares an id, a number, an address with query, or the attributes of an offer."""
    for key in _KEYS:
        value = offer.first(key) or (offer.first("retailer_id") if key == "sku" else None)
        found = [one for one in variants if value and any(mine.first(key) == value for mine in one.offers)]
        if len(found) == 1:
            return found[0]
    query = query_of(offer.first("url"))
    ids = set(query.values()) | {offer.first("platform_id"), offer.first("sku")}
    found = [
        one
        for one in variants
        if any(mine.first("variant_id") in ids for mine in one.offers if mine.first("variant_id"))
    ]
    if len(found) == 1:
        return found[0]
    wanted = {value.lower() for _, value in offer.attributes}
    found = [
        one
        for one in variants
        if wanted and any({v.lower() for _, v in mine.attributes} == wanted for mine in one.offers)
    ]
    return found[0] if len(found) == 1 else None


def facts_of(variant: Variant) -> OfferClaims:
    """All claims of one variant in lane order."""
    ordered = sorted(variant.offers, key=lambda one: RANK.index(one.syntax))
    return OfferClaims(
        syntax=ordered[0].syntax,
        path=ordered[0].path,
        amounts=tuple(amount for one in ordered for amount in one.amounts),
        facts=merged(*(one.facts for one in ordered)),
        attributes=next((one.attributes for one in ordered if one.attributes), ()),
    )
