"""OpenGraph and product meta elements as claims. They describe the page, so they carry one offer at most."""

from typing import Final

from streams.extraction.claims import Amount, Fact, OfferClaims, ProductClaims
from streams.extraction.numerals import read_machine
from streams.extraction.price_text import parse_price
from streams.extraction.price_words import Kind
from streams.extraction.signs import iso_code
from streams.page_tree import PageTree, squeeze
from topics.evidence import Claim

METAS_MAX: Final = 400
_AMOUNTS: Final = {
    "product:sale_price:amount": Kind.SALE,
    "product:price:amount": Kind.SINGLE,
    "og:price:amount": Kind.SINGLE,
    "product:original_price:amount": Kind.LIST,
    "og:price:standard_amount": Kind.LIST,
    "product:pretax_price:amount": Kind.TAX_EXCLUDED,
    "product:shipping_cost:amount": Kind.SHIPPING,
    "og:price": Kind.SINGLE,
    "product:price": Kind.SINGLE,
}
_FACTS: Final = {
    "og:title": "name",
    "og:url": "url",
    "og:image": "image",
    "og:image:secure_url": "image",
    "product:brand": "brand",
    "og:brand": "brand",
    "product:retailer_item_id": "retailer_id",
    "product:sku": "sku",
    "product:ean": "gtin",
    "product:gtin": "gtin",
    "product:isbn": "gtin",
    "product:upc": "gtin",
    "product:item_group_id": "group_id",
    "product:condition": "condition",
    "product:availability": "stock",
    "og:availability": "stock",
    "product:price:currency": "currency",
    "og:price:currency": "currency",
    "product:sale_price:currency": "currency",
}
_OFFER_FACTS: Final = ("currency", "stock", "sku", "retailer_id", "gtin", "condition")


def meta_product(tree: PageTree) -> ProductClaims | None:
    """The product that the page's meta elements describe, or None when they say nothing of one."""
    facts: dict[str, list[Fact]] = {}
    amounts: list[tuple[str, Kind, str, Claim]] = []
    metas = [one for one in tree.marked("meta") if "content" in one.attributes]
    for one in metas[:METAS_MAX]:
        name = (one.get("property") or one.get("name")).strip().lower()
        if name not in _AMOUNTS and name not in _FACTS:
            continue
        content = squeeze(one.get("content"), 2_000)
        if not content:
            continue
        claim = Claim.of("meta", name, content)
        if name in _AMOUNTS:
            amounts.append((name, _AMOUNTS[name], content, claim))
        else:
            facts.setdefault(_FACTS[name], []).append(Fact(value=content, claim=claim))
    if not facts and not amounts:
        return None
    kept = {name: tuple(found) for name, found in facts.items()}
    read = tuple(_amount(name, kind, text, claim, kept) for name, kind, text, claim in amounts)
    offer = OfferClaims(
        syntax="meta", path="meta", amounts=read, facts={name: kept[name] for name in _OFFER_FACTS if name in kept}
    )
    stated = read or "stock" in kept
    return ProductClaims(syntax="meta", path="meta", facts=kept, offers=(offer,) if stated else ())


def _amount(name: str, kind: Kind, text: str, claim: Claim, facts: dict[str, tuple[Fact, ...]]) -> Amount:
    wanted = name.rsplit(":", 1)[0] + ":currency"
    own = next((iso_code(one.value) for one in facts.get("currency", ()) if one.claim.path == wanted), None)
    machine = read_machine(text)
    if machine is not None:
        zero = machine == 0
        return Amount(
            value=None if zero else machine, kind=kind, currency=own, claim=claim, reason="zero" if zero else None
        )
    read = parse_price(text, currency_hint=own)
    found = kind if read.kind is Kind.SINGLE else read.kind
    return Amount(
        value=read.amount,
        kind=found,
        currency=own or read.currency,
        claim=claim,
        reason=read.reason if read.amount is None else None,
    )
