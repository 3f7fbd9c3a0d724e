"""BigCommerce, Squarespace and Salesforce: what each hosted shop writes for its own scripts, as claims."""

from typing import Any

from streams.extraction.claims import OFFERS_MAX, Amount, OfferClaims, ProductClaims, fact, value_text
from streams.extraction.price_words import Kind
from streams.extraction.signs import iso_code
from streams.extraction.state_values import amount, flag_stock
from streams.extraction.states import State, walk
from streams.page_tree import PageTree, attribute
from topics.evidence import Claim


def hosted_products(tree: PageTree, states: list[State]) -> list[ProductClaims]:
    """Products of every hosted shop that the page shows signs of."""
    out: list[ProductClaims] = []
    for state in states:
        if state.name == "BCData":
            out += _bigcommerce(state)
        elif state.name == "Static.SQUARESPACE_CONTEXT":
            out += _squarespace(state)
    return out + _salesforce(tree) if tree.carrying("data-pid") else out


def _bigcommerce(state: State) -> list[ProductClaims]:
    """`BCData.product_attributes`: with tax where the shop shows tax, else without."""
    attributes = state.value.get("product_attributes") if isinstance(state.value, dict) else None
    price = attributes.get("price") if isinstance(attributes, dict) else None
    if not isinstance(attributes, dict) or not isinstance(price, dict):
        return []
    amounts: list[Amount] = []
    taxed = isinstance(price.get("with_tax"), dict)
    for name, kind in (("with_tax", Kind.SINGLE), ("without_tax", Kind.TAX_EXCLUDED if taxed else Kind.SINGLE), ("rrp_with_tax", Kind.LIST),
                       ("rrp_without_tax", Kind.LIST), ("non_sale_price_with_tax", Kind.LIST), ("non_sale_price_without_tax", Kind.LIST)):  # fmt: skip
        inner = price.get(name)
        if isinstance(inner, dict) and not (taxed and kind is Kind.LIST and "without" in name):
            claim = Claim.of("platform", f"{state.path}/product_attributes/price/{name}", inner.get("value"))
            amounts += amount(inner.get("value"), kind, claim, iso_code(value_text(inner.get("currency"))))
    facts = {
        "sku": fact(
            attributes.get("sku"), Claim.of("platform", f"{state.path}/product_attributes/sku", attributes.get("sku"))
        ),
        "gtin": fact(
            attributes.get("upc") or attributes.get("gtin"),
            Claim.of("platform", f"{state.path}/product_attributes/upc", attributes.get("upc")),
        ),
        "stock": flag_stock(
            attributes.get("instock"),
            Claim.of("platform", f"{state.path}/product_attributes/instock", attributes.get("instock")),
        ),
    }
    offer = OfferClaims(
        syntax="platform", path=state.path, amounts=tuple(amounts), facts={k: v for k, v in facts.items() if v}
    )
    return [ProductClaims(syntax="platform", path=state.path, offers=(offer,))] if amounts else []


def _squarespace(state: State) -> list[ProductClaims]:
    """Variants with `priceMoney`: decimal text and code together."""
    for path, node in walk(state.value, nodes_max=8_000):
        variants = node.get("variants")
        if (
            not isinstance(variants, list)
            or not variants
            or not all(isinstance(one, dict) and isinstance(one.get("priceMoney"), dict) for one in variants)
        ):
            continue
        offers = tuple(
            _squarespace_offer(one, f"{state.path}{path}/variants/{i}") for i, one in enumerate(variants[:OFFERS_MAX])
        )
        name = fact(node.get("title"), Claim.of("platform", f"{state.path}{path}/title", node.get("title")))
        return [
            ProductClaims(
                syntax="platform", path=f"{state.path}{path}", facts={"name": name} if name else {}, offers=offers
            )
        ]
    return []


def _squarespace_offer(one: dict[str, Any], path: str) -> OfferClaims:
    def money(name: str, kind: Kind) -> tuple[Amount, ...]:
        inner = one.get(name)
        if not isinstance(inner, dict):
            return ()
        claim = Claim.of("platform", f"{path}/{name}/value", inner.get("value"))
        return amount(inner.get("value"), kind, claim, iso_code(value_text(inner.get("currency"))))

    on_sale = one.get("onSale") is True
    amounts = (
        money("salePriceMoney", Kind.SALE) + money("priceMoney", Kind.LIST)
        if on_sale
        else money("priceMoney", Kind.SINGLE)
    )
    quantity = one.get("qtyInStock")
    known = one.get("unlimited") is True or (isinstance(quantity, int) and not isinstance(quantity, bool))
    available = one.get("unlimited") is True or (isinstance(quantity, int) and quantity > 0)
    attributes = one.get("attributes")
    facts = {
        "variant_id": fact(one.get("id"), Claim.of("platform", f"{path}/id", one.get("id"))),
        "sku": fact(one.get("sku"), Claim.of("platform", f"{path}/sku", one.get("sku"))),
        "stock": flag_stock(available, Claim.of("platform", f"{path}/qtyInStock", quantity)) if known else (),
    }
    pairs = (
        tuple(sorted((str(k).lower()[:60], value_text(v)[:120]) for k, v in attributes.items()))
        if isinstance(attributes, dict)
        else ()
    )
    return OfferClaims(
        syntax="platform", path=path, amounts=amounts, facts={k: v for k, v in facts.items() if v}, attributes=pairs
    )


def _salesforce(tree: PageTree) -> list[ProductClaims]:
    """SFRA: `.product-detail[data-pid]` with `.sales .value[content]` and `.strike-through .value[content]`."""
    for box in tree.parser.css(".product-detail[data-pid], .product-wrapper[data-pid]")[:1]:
        pid = attribute(box, "data-pid")
        amounts: list[Amount] = []
        for css, kind in (
            (".prices .sales .value[content]", Kind.SINGLE),
            (".prices .strike-through .value[content]", Kind.LIST),
        ):
            found = [attribute(node, "content") for node in box.css(css)[:6]]
            for raw in dict.fromkeys(found):
                amounts += amount(raw, kind, Claim.of("platform", css, raw, normaliser="decimal"))
        ranged = bool(box.css_first(".prices .range"))
        amounts = [
            Amount(value=one.value, kind=Kind.RANGE, currency=None, claim=one.claim) if ranged else one
            for one in amounts
        ]
        facts = {"sku": fact(pid, Claim.of("platform", "data-pid", pid))}
        if amounts:
            offer = OfferClaims(syntax="platform", path=".product-detail", amounts=tuple(amounts), facts=facts)
            return [ProductClaims(syntax="platform", path=".product-detail", facts=facts, offers=(offer,))]
    return []
