"""Extraction of one page: lanes yield claims, one resolver decides. Pure and total: any bytes give a reading, none an exception."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from streams.extraction.answer import OfferReading, PageContext, PageReading, Refusal, inspect_answer
from streams.extraction.app_state import state_products
from streams.extraction.blocks import is_buyable
from streams.extraction.claims import OfferClaims, ProductClaims
from streams.extraction.gtin import read_gtin
from streams.extraction.items import embedded_items, json_ld_items
from streams.extraction.lead import has_reduction
from streams.extraction.meta import meta_product
from streams.extraction.microdata import microdata_items
from streams.extraction.platform import platform_products
from streams.extraction.price_words import CURRENT
from streams.extraction.prices import PriceCase, decide_price, shared_codes
from streams.extraction.schema_org import products_of
from streams.extraction.selectors import selector_product
from streams.extraction.setting import setting_of
from streams.extraction.states import states_of
from streams.extraction.stock import ABSENT, BUYABLE, UNKNOWN, stock_word
from streams.extraction.subject import Hints, Subject, build, choose_products, facts_of, with_addresses
from streams.extraction.variants import selected
from streams.extraction.verdict import judge
from streams.extraction.visible import VisiblePage, read_visible
from streams.page_tree import PageTree, join
from topics.evidence import Claim
from topics.money import MONEY_REVISION

__all__ = ["PARSER_REVISION", "OfferReading", "PageContext", "PageReading", "Refusal", "inspect_answer", "read_page"]

PARSER_REVISION: Final = f"2026-12-01.1+{MONEY_REVISION}"
IMAGES_MAX: Final = 10


def read_page(tree: PageTree, context: PageContext) -> PageReading:
    """Reads one page.

    Args:
        tree: the parsed page.
        context: its address, market and policy currency.

    Returns:
        The verdict, the offers of the page's own product, and what was refused. The same input gives the same reading.
    """
    states = states_of(tree)
    items, faults = json_ld_items(tree)
    items += embedded_items(states)
    lanes: dict[str, list[ProductClaims]] = {
        "json-ld": products_of(items),
        "microdata": products_of(microdata_items(tree)),
        "platform": platform_products(tree, states),
    }
    setting = setting_of(tree, context)
    visible = read_visible(tree, setting)
    hints = Hints(url=context.url, canonical=tree.canonical, heading=visible.heading, title=tree.title)
    chosen = {syntax: choose_products(with_addresses(found, tree.base_url), hints) for syntax, found in lanes.items()}
    meta = meta_product(tree)
    if meta is not None and meta.offers:
        chosen["meta"] = [meta]
    if not any(
        amount.kind in CURRENT
        for found in chosen.values()
        for one in found
        for offer in one.offers
        for amount in offer.amounts
    ):
        chosen["state"] = state_products(states, hints)
    picked = selector_product(tree, context.selectors, setting) if context.selectors else None
    if picked is not None:
        chosen["selector"] = [picked]
    subject = build(chosen)
    everything = [product for found in lanes.values() for product in found]
    has_own = bool(subject.products) or (not everything and _sells(tree, visible))
    verdict = judge(tree, everything, has_own, visible)
    refusals = tuple(
        Refusal(field="json-ld", reason="unreadable", claims=(Claim.of("json-ld", fault.partition(":")[0], fault),))
        for fault in faults
    )
    if verdict.kind != "product":
        return PageReading(
            verdict=verdict.kind, verdict_reason=verdict.reason, refusals=refusals, canonical_url=tree.canonical
        )
    shared = shared_codes(subject, meta)
    offers, decided = _decide(subject, visible, tree, context, shared)
    return PageReading(
        verdict=verdict.kind,
        verdict_reason=verdict.reason,
        offers=offers,
        refusals=refusals + decided,
        product_name=_first(subject, "name") or visible.heading,
        group_id=_first(subject, "group_id") or _first(subject, "platform_id"),
        canonical_url=tree.canonical,
    )


def _sells(tree: PageTree, visible: VisiblePage) -> bool:
    """Whether a page without product markup is a product page all the same: a heading, a price, and something to buy it with."""
    return visible.heading is not None and bool(visible.prices) and (has_reduction(visible) or is_buyable(tree))


def _first(subject: Subject, name: str) -> str | None:
    return next((found for found in (product.first(name) for product in subject.products) if found), None)


def _decide(
    subject: Subject,
    visible: VisiblePage,
    tree: PageTree,
    context: PageContext,
    shared: Mapping[str, tuple[Claim, ...]],
) -> tuple[tuple[OfferReading, ...], tuple[Refusal, ...]]:
    variants = [facts_of(variant) for variant in subject.variants] or [OfferClaims(syntax="visible", path="main")]
    chosen = selected(variants, context.url)
    offers: list[OfferReading] = []
    refusals: list[Refusal] = []
    if chosen is None:
        refusals.append(Refusal(field="variant", reason="variant_unselected"))
    for number, variant in enumerate(variants):
        own = number == chosen
        reading, refused = _offer(variant, subject, visible if own else None, tree, shared, own=own)
        offers.append(reading)
        refusals.extend(refused)
    return tuple(offers), tuple(refusals)


def _offer(
    variant: OfferClaims,
    subject: Subject,
    visible: VisiblePage | None,
    tree: PageTree,
    shared: Mapping[str, tuple[Claim, ...]],
    *,
    own: bool,
) -> tuple[OfferReading, list[Refusal]]:
    page = subject.page if own else []
    siblings = frozenset(
        amount.value
        for one in subject.variants
        for amount in facts_of(one).amounts
        if amount.kind in CURRENT and amount.value is not None
    )
    decision = decide_price(PriceCase(offer=variant, page=page, visible=visible, siblings=siblings, shared=shared))
    availability, stock_claims, stock_refusal = _stock(variant, page, visible)
    gtin, gtin_claims, gtin_refusal = _gtin(variant)
    refusals = [*decision.refusals, *(one for one in (stock_refusal, gtin_refusal) if one)]
    evidence: dict[str, tuple[Claim, ...]] = {
        "price_minor": decision.evidence,
        "currency": decision.currency_evidence,
        "list_price_minor": decision.reference_evidence,
        "availability": stock_claims,
        "gtin": gtin_claims,
    }
    for name in ("name", "sku", "brand", "url", "platform_id", "variant_id"):
        evidence[name] = tuple(fact.claim for fact in variant.facts.get(name, ())[:4])
    money = decision.money
    reading = OfferReading(
        selected=own,
        name=variant.first("name") or (visible.heading if visible else None),
        price_minor=money.amount_minor if money else None,
        currency=money.currency if money else None,
        exponent=money.exponent if money else None,
        list_price_minor=decision.reference.amount_minor if decision.reference else None,
        availability=availability,
        sku=variant.first("sku"),
        gtin=gtin,
        brand=variant.first("brand"),
        image_urls=_images(variant, tree),
        url=join(tree.base_url, variant.first("url") or ""),
        platform_id=variant.first("platform_id"),
        variant_id=variant.first("variant_id"),
        variant=variant.attributes,
        evidence=MappingProxyType({name: claims for name, claims in evidence.items() if claims}),
    )
    return reading, refusals


def _images(variant: OfferClaims, tree: PageTree) -> tuple[str, ...]:
    found: list[str] = []
    for fact in variant.facts.get("image", ()):
        url = join(tree.base_url, fact.value)
        if url and url not in found:
            found.append(url)
    return tuple(found[:IMAGES_MAX])


def _stock(
    variant: OfferClaims, page: Sequence[OfferClaims], visible: VisiblePage | None
) -> tuple[str, tuple[Claim, ...], Refusal | None]:
    """The one availability that every lane and the visible words allow."""
    facts = [fact for one in (variant, *page) for fact in one.facts.get("stock", ())]
    stated = {fact.value: stock_word(fact.value) for fact in facts}
    found = {word for word in stated.values() if word}
    claims = tuple(fact.claim for fact in facts)
    seen = tuple(visible.stock[:8]) if visible else ()
    seen_claims = tuple(Claim.of("visible", path, raw, normaliser="stock_text") for _, path, raw in seen)
    shown = {word for word, _, _ in seen}
    word = _one_word(found)
    if found and word is None:
        return UNKNOWN, (), Refusal(field="availability", reason="contradiction", claims=claims + seen_claims)
    if word in BUYABLE and shown == {"OutOfStock"}:
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
