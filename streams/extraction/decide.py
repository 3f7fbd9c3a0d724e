"""The offers of the page's product, decided one by one: selection, price, stock, numbers, each with its evidence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Final

from streams.extraction.answer import OfferReading, PageContext, Refusal
from streams.extraction.claims import OfferClaims
from streams.extraction.gtin import read_gtin
from streams.extraction.labels import decide_brand, decide_sku
from streams.extraction.lead import lead_of, shown_prices
from streams.extraction.price_case import PriceCase, PriceDecision
from streams.extraction.price_words import CURRENT
from streams.extraction.prices import decide_price
from streams.extraction.stock import ABSENT, BUYABLE, UNKNOWN, stock_word
from streams.extraction.stock_shown import shown_stock
from streams.extraction.subject import Subject, facts_of
from streams.extraction.tax import is_net_page
from streams.extraction.variants import selected
from streams.extraction.visible import VisiblePage
from streams.page_tree import PageTree, join
from topics.evidence import Claim

IMAGES_MAX: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class _Common:
    """What every offer of the page is decided with.

    Attributes:
        siblings: current values of all offers.
        shared: currency codes that any claim about the product states.
        at_ms: evidence time, or None.
        doubted: the page shows a price that no offer has, so no offer's markup is believed.
        alone: there is one offer.
        net: the page says that its prices are without tax.
        stock: the stock texts that are shown.
    """

    subject: Subject
    visible: VisiblePage
    tree: PageTree
    siblings: frozenset[Decimal]
    shared: Mapping[str, tuple[Claim, ...]]
    doubted: bool
    at_ms: int | None
    alone: bool
    net: bool
    stock: Sequence[tuple[str, str, str]]


def decide(
    subject: Subject,
    visible: VisiblePage,
    tree: PageTree,
    context: PageContext,
    shared: Mapping[str, tuple[Claim, ...]],
) -> tuple[tuple[OfferReading, ...], tuple[Refusal, ...]]:
    """Decides every offer.

    Args:
        subject: the product with its joined claims.
        visible: the main zone.
        tree: the page, for addresses.
        context: the observed address, which may name a variant, and the evidence time.
        shared: currency codes stated for the product.
    """
    variants = [facts_of(variant) for variant in subject.variants] or [OfferClaims(syntax="visible", path="main")]
    chosen = selected(variants, context.url)
    siblings = frozenset(
        amount.value
        for one in variants
        for amount in one.amounts
        if amount.kind in CURRENT and amount.value is not None
    )
    common = _Common(
        subject=subject,
        visible=visible,
        tree=tree,
        siblings=siblings,
        shared=shared,
        doubted=_is_doubted(visible, siblings),
        at_ms=context.evidence_at_ms,
        alone=len(variants) == 1,
        net=is_net_page(tree, visible),
        stock=shown_stock(tree, visible.stock),
    )
    offers: list[OfferReading] = []
    refusals: list[Refusal] = []
    if chosen is None:
        refusals.append(Refusal(field="variant", reason="variant_unselected"))
    for number, variant in enumerate(variants):
        reading, refused = _offer(variant, common, own=number == chosen)
        offers.append(reading)
        refusals.extend(refused)
    return tuple(offers), tuple(refusals)


def _is_doubted(visible: VisiblePage, siblings: frozenset[Decimal]) -> bool:
    """Whether the page leads with a price and shows none that any offer has."""
    shown = {one.text.amount for one in shown_prices(visible)}
    return bool(siblings) and lead_of(visible).price is not None and not shown & siblings


def _offer(variant: OfferClaims, common: _Common, *, own: bool) -> tuple[OfferReading, list[Refusal]]:
    page = common.subject.page if own else []
    decision = _priced(variant, page, common, own=own)
    availability, stock_claims, stock_refusal = _stock(variant, page, common.stock if own else ())
    gtin, gtin_claims, gtin_refusal = _gtin(variant)
    sku, sku_claims, sku_refusal = decide_sku(variant)
    brand, brand_claims, brand_refusal = decide_brand(variant)
    refused = (stock_refusal, gtin_refusal, sku_refusal, brand_refusal)
    refusals = [*decision.refusals, *(one for one in refused if one)]
    evidence: dict[str, tuple[Claim, ...]] = {
        "price_minor": decision.evidence,
        "currency": decision.currency_evidence,
        "list_price_minor": decision.reference_evidence,
        "availability": stock_claims,
        "gtin": gtin_claims,
        "sku": sku_claims,
        "brand": brand_claims,
    }
    for name in ("name", "url", "platform_id", "variant_id"):
        evidence[name] = tuple(fact.claim for fact in variant.facts.get(name, ())[:4])
    money = decision.money
    reading = OfferReading(
        selected=own,
        name=variant.first("name") or (common.visible.heading if own else None),
        price_minor=money.amount_minor if money else None,
        currency=money.currency if money else None,
        exponent=money.exponent if money else None,
        list_price_minor=decision.reference.amount_minor if decision.reference else None,
        availability=availability,
        sku=sku,
        gtin=gtin,
        brand=brand,
        image_urls=_images(variant, common.tree),
        url=join(common.tree.base_url, variant.first("url") or ""),
        platform_id=variant.first("platform_id"),
        variant_id=variant.first("variant_id"),
        variant=variant.attributes,
        evidence=MappingProxyType({name: claims for name, claims in evidence.items() if claims}),
    )
    return reading, refusals


def _priced(variant: OfferClaims, page: Sequence[OfferClaims], common: _Common, *, own: bool) -> PriceDecision:
    case = PriceCase(
        offer=variant,
        page=page,
        visible=common.visible if own or common.doubted else None,
        siblings=common.siblings,
        shared=common.shared,
        at_ms=common.at_ms,
        alone=common.alone,
        net=common.net,
    )
    return decide_price(case)


def _images(variant: OfferClaims, tree: PageTree) -> tuple[str, ...]:
    found: list[str] = []
    for fact in variant.facts.get("image", ()):
        url = join(tree.base_url, fact.value)
        if url and url not in found:
            found.append(url)
    return tuple(found[:IMAGES_MAX])


def _stock(
    variant: OfferClaims, page: Sequence[OfferClaims], stock: Sequence[tuple[str, str, str]]
) -> tuple[str, tuple[Claim, ...], Refusal | None]:
    """The one availability that every lane and the visible words allow."""
    facts = [fact for one in (variant, *page) for fact in one.facts.get("stock", ())]
    stated = {fact.value: stock_word(fact.value) for fact in facts}
    found = {word for word in stated.values() if word}
    claims = tuple(fact.claim for fact in facts)
    seen = tuple(stock[:8])
    seen_claims = tuple(Claim.of("visible", path, raw, normaliser="stock_text") for _, path, raw in seen)
    shown = {word for word, _, _ in seen}
    word = _one_word(found)
    if found and word is None:
        return UNKNOWN, (), Refusal(field="availability", reason="contradiction", claims=claims + seen_claims)
    if word in BUYABLE and seen and seen[0][0] == "OutOfStock":
        return UNKNOWN, (), Refusal(field="availability", reason="visible_sold_out", claims=claims + seen_claims)
    if word is None and len(shown) == 1:
        return next(iter(shown)), seen_claims, None
    return word or UNKNOWN, claims if word else (), None


def _one_word(found: set[str]) -> str | None:
    """The single word, or the most specific of words that do not exclude each other."""
    if len(found) == 1:
        return next(iter(found))
    for family, general in ((BUYABLE, "InStock"), (ABSENT, "OutOfStock")):
        if found and found <= family and len(found - {general}) == 1:
            return next(iter(found - {general}))
    return None


def _gtin(variant: OfferClaims) -> tuple[str | None, tuple[Claim, ...], Refusal | None]:
    facts = variant.facts.get("gtin", ())
    judged = [(read_gtin(fact.value), fact.claim) for fact in facts]
    valid = {one.gtin14 for one, _ in judged if one.gtin14}
    claims = tuple(claim for _, claim in judged)
    if len(valid) == 1:
        return next(iter(valid)), tuple(claim for one, claim in judged if one.valid), None
    if not facts:
        return None, (), None
    reason = "contradiction" if valid else judged[0][0].reason or "invalid"
    return None, (), Refusal(field="gtin", reason=reason, claims=claims)
