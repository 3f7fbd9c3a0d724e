"""Extraction of one page: lanes yield claims, one resolver decides. Pure and total: any bytes give a reading, none an exception."""

from dataclasses import dataclass
from typing import Final

from streams.extraction.answer import OfferReading, PageContext, PageReading, Refusal, inspect_answer
from streams.extraction.app_state import state_products
from streams.extraction.choose import Hints, choose_products
from streams.extraction.claims import RANK, ProductClaims
from streams.extraction.currency import shared_codes
from streams.extraction.decide import decide
from streams.extraction.items import embedded_items, json_ld_items
from streams.extraction.meta import meta_product
from streams.extraction.microdata import microdata_items
from streams.extraction.odd_markup import odd_items
from streams.extraction.platform import platform_products
from streams.extraction.price_block import has_price_block
from streams.extraction.price_words import CURRENT
from streams.extraction.schema_org import products_of
from streams.extraction.selectors import selector_product
from streams.extraction.setting import setting_of
from streams.extraction.states import State, states_of
from streams.extraction.subject import Subject, build, with_addresses
from streams.extraction.torn import join_torn
from streams.extraction.verdict import judge
from streams.extraction.visible import VisiblePage, read_visible
from streams.page_tree import PageTree
from topics.evidence import Claim
from topics.money import MONEY_REVISION

__all__ = [
    "PARSER_REVISION", "Heard", "OfferReading", "PageContext", "PageReading", "Refusal", "hear", "inspect_answer", "read_page",
]  # fmt: skip

PARSER_REVISION: Final = f"2026-12-06.1+{MONEY_REVISION}"


def read_page(tree: PageTree, context: PageContext) -> PageReading:
    """Reads one page.

    Args:
        tree: the parsed page.
        context: its address, market and policy currency.

    Returns:
        The verdict, the offers of the page's own product, and what was refused. The same input gives the same reading.
    """
    heard = hear(tree, context)
    visible, chosen = heard.visible, heard.chosen
    subject = build(chosen)
    everything = [product for found in heard.products.values() for product in found]
    has_own = bool(subject.products) or (not everything and has_price_block(tree, visible))
    verdict = judge(tree, everything, has_own, visible)
    refusals = tuple(
        Refusal(field="json-ld", reason="unreadable", claims=(Claim.of("json-ld", fault.partition(":")[0], fault),))
        for fault in heard.faults
    )
    if verdict.kind != "product":
        return PageReading(
            verdict=verdict.kind, verdict_reason=verdict.reason, refusals=refusals, canonical_url=tree.canonical
        )
    shared = shared_codes(subject, heard.meta)
    offers, decided = decide(subject, visible, tree, context, shared)
    return PageReading(
        verdict=verdict.kind,
        verdict_reason=verdict.reason,
        offers=offers,
        refusals=refusals + decided,
        product_name=_first(subject, "name") or visible.heading,
        group_id=_first(subject, "group_id") or _first(subject, "platform_id"),
        canonical_url=tree.canonical,
        lanes=tuple(syntax for syntax in RANK if chosen.get(syntax)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """Everything the page says, before anything is decided.

    Attributes:
        products: by lane, with those that are not the page's own.
        chosen: by lane, the page's own product; empty where it cannot be told.
        meta: what the page's meta elements say, chosen or not.
        visible: the main zone.
        faults: the scripts that could not be read.
    """

    products: dict[str, list[ProductClaims]]
    chosen: dict[str, list[ProductClaims]]
    meta: ProductClaims | None
    visible: VisiblePage
    faults: list[str]


def hear(tree: PageTree, context: PageContext) -> Heard:
    """Listens to every lane."""
    setting = setting_of(tree, context)
    visible = join_torn(read_visible(tree, setting), setting)
    states = states_of(tree)
    items, faults = json_ld_items(tree)
    meta = meta_product(tree)
    products = {
        "json-ld": products_of(items + embedded_items(states)),
        "microdata": products_of(microdata_items(tree)),
        "platform": platform_products(tree, states),
    }
    if not _is_priced(products) and not (meta is not None and meta.offers):
        products |= {syntax: products_of(odd) for syntax, odd in odd_items(tree).items()}
    resolved = {syntax: with_addresses(found, tree.base_url) for syntax, found in products.items()}
    hints = Hints(url=context.url, canonical=tree.canonical, heading=visible.heading, title=tree.title)
    chosen = _chosen(tree, hints, resolved, meta, states)
    picked = selector_product(tree, context.selectors, setting) if context.selectors else None
    if picked is not None:
        chosen["selector"] = [picked]
    return Heard(products=resolved, chosen=chosen, meta=meta, visible=visible, faults=faults)


def _is_priced(products: dict[str, list[ProductClaims]]) -> bool:
    return any(offer.amounts for found in products.values() for one in found for offer in one.offers)


def _chosen(
    tree: PageTree,
    hints: Hints,
    products: dict[str, list[ProductClaims]],
    meta: ProductClaims | None,
    states: list[State],
) -> dict[str, list[ProductClaims]]:
    """The page's own product in each lane; the application state only where no other lane has a price."""
    chosen = {syntax: choose_products(found, hints) for syntax, found in products.items()}
    if meta is not None and meta.offers:
        chosen["meta"] = with_addresses([meta], tree.base_url)
    offers = [offer for found in chosen.values() for one in found for offer in one.offers]
    if not any(amount.kind in CURRENT for offer in offers for amount in offer.amounts):
        chosen["state"] = state_products(states, hints)
    return chosen


def _first(subject: Subject, name: str) -> str | None:
    return next((found for found in (product.first(name) for product in subject.products) if found), None)
