"""WooCommerce, Magento, PrestaShop, BigCommerce, Squarespace and Salesforce: what each writes for its own scripts, as claims."""

from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final

import orjson

from streams.extraction.claims import OFFERS_MAX, Amount, Fact, OfferClaims, ProductClaims, fact, value_text
from streams.extraction.numerals import read_machine
from streams.extraction.price_words import Kind
from streams.extraction.signs import iso_code
from streams.extraction.states import State, walk
from streams.page_tree import PageTree, attribute
from topics.evidence import Claim

_CENT: Final = Decimal("0.01")


def cart_products(tree: PageTree, states: list[State]) -> list[ProductClaims]:
    """Products of every cart system that the page shows signs of."""
    out: list[ProductClaims] = []
    if b"data-product_variations" in tree.html:
        out += _woo(tree)
    if b"data-price-amount" in tree.html or b"optionPrices" in tree.html:
        out += _magento(tree, states)
    if b"data-product=" in tree.html and b"id_product" in tree.html:
        out += _presta(tree, states)
    for state in states:
        if state.name == "BCData":
            out += _bigcommerce(state)
        elif state.name == "Static.SQUARESPACE_CONTEXT":
            out += _squarespace(state)
    if b"sales" in tree.html and b"data-pid" in tree.html:
        out += _salesforce(tree)
    return out


def amount(value: Any, kind: Kind, claim: Claim, currency: str | None = None) -> tuple[Amount, ...]:
    """One amount in major units from a number or a point-decimal text; none for what is no number."""
    if isinstance(value, bool) or value is None:
        return ()
    read = read_machine(value_text(value))
    if read is None:
        return ()
    if read == 0:
        return (Amount(value=None, kind=kind, currency=currency, claim=claim, reason="zero"),)
    return (Amount(value=read, kind=kind, currency=currency, claim=claim),)


def _parsed(text: str) -> Any:
    try:
        return orjson.loads(text) if len(text) < 2 << 20 else None
    except orjson.JSONDecodeError:
        return None


def _stock(value: Any, claim: Claim) -> tuple[Fact, ...]:
    return (Fact(value="InStock" if value else "OutOfStock", claim=claim),) if isinstance(value, bool) else ()


def _woo(tree: PageTree) -> list[ProductClaims]:
    """`form.variations_form[data-product_variations]`: prices as displayed, in the shop's currency."""
    out = []
    for number, form in enumerate(tree.parser.css("[data-product_variations]")[:4]):
        listed = _parsed(attribute(form, "data-product_variations"))
        if not isinstance(listed, list):
            continue
        offers = [
            _woo_offer(one, f"form[{number}]/data-product_variations/{i}")
            for i, one in enumerate(listed[:OFFERS_MAX])
            if isinstance(one, dict)
        ]
        ident = attribute(form, "data-product_id")
        facts = (
            {"platform_id": fact(ident, Claim.of("platform", f"form[{number}]/data-product_id", ident))}
            if ident
            else {}
        )
        out.append(ProductClaims(syntax="platform", path=f"form[{number}]", facts=facts, offers=tuple(offers)))
    return out


def _woo_offer(one: dict[str, Any], path: str) -> OfferClaims:
    def claim(name: str) -> Claim:
        return Claim.of("platform", f"{path}/{name}", one.get(name))

    price, regular = one.get("display_price"), one.get("display_regular_price")
    amounts = amount(price, Kind.SINGLE, claim("display_price"))
    if regular is not None and regular != price:
        amounts += amount(regular, Kind.LIST, claim("display_regular_price"))
    attributes = one.get("attributes")
    pairs = [
        (str(name).removeprefix("attribute_").removeprefix("pa_").lower()[:60], value[:120])
        for name, value in (attributes.items() if isinstance(attributes, dict) else ())
        if isinstance(value, str) and value
    ]
    facts = {
        "variant_id": fact(one.get("variation_id"), claim("variation_id")),
        "sku": fact(one.get("sku"), claim("sku")),
        "stock": _stock(one.get("is_in_stock"), claim("is_in_stock")),
    }
    return OfferClaims(
        syntax="platform",
        path=path,
        amounts=amounts,
        facts={k: v for k, v in facts.items() if v},
        attributes=tuple(sorted(pairs)),
    )


_MAGENTO_KINDS: Final = {
    "finalPrice": Kind.SINGLE,
    "oldPrice": Kind.LIST,
    "basePrice": Kind.TAX_EXCLUDED,
    "minPrice": Kind.FROM,
    "maxPrice": Kind.RANGE,
}


def _magento(tree: PageTree, states: list[State]) -> list[ProductClaims]:
    """Price boxes of the product form's own product, and the simple products of a configurable one."""
    for state in states:
        for path, node in walk(state.value, nodes_max=4_000):
            config = node.get("jsonConfig") or node.get("spConfig")
            if isinstance(config, dict) and isinstance(config.get("optionPrices"), dict):
                return [_magento_configurable(config, f"{state.path}{path}")]
    ident = next((attribute(node, "value") for node in tree.parser.css("form input[name=product]")[:1]), "")
    amounts: list[Amount] = []
    for node in tree.parser.css("[data-price-amount][data-price-type]")[:200]:
        kind = _MAGENTO_KINDS.get(attribute(node, "data-price-type"))
        name = attribute(node, "id")
        if kind is None or not ident or not name.endswith(f"-{ident}"):
            continue
        raw = attribute(node, "data-price-amount")
        amounts += [
            _to_cents(one)
            for one in amount(raw, kind, Claim.of("platform", f"#{name}/data-price-amount", raw, normaliser="decimal"))
        ]
    if not amounts:
        return []
    offer = OfferClaims(syntax="platform", path="data-price-amount", amounts=tuple(amounts))
    facts = {"platform_id": fact(ident, Claim.of("platform", "input[name=product]", ident))}
    return [ProductClaims(syntax="platform", path="data-price-amount", facts=facts, offers=(offer,))]


def _to_cents(one: Amount) -> Amount:
    """Magento computes tax to more decimals than it shows; its own display rounds half up."""
    if one.value is None or one.value == one.value.quantize(_CENT) or -int(one.value.as_tuple().exponent) < 4:
        return one
    claim = Claim.of(one.claim.syntax, one.claim.path, one.claim.raw, normaliser="decimal+tax_precision")
    return Amount(
        value=one.value.quantize(_CENT, rounding=ROUND_HALF_UP), kind=one.kind, currency=one.currency, claim=claim
    )


def _magento_configurable(config: dict[str, Any], path: str) -> ProductClaims:
    labels: dict[str, list[tuple[str, str]]] = {}
    attributes = config.get("attributes")
    for one in attributes.values() if isinstance(attributes, dict) else ():
        if not isinstance(one, dict):
            continue
        code = value_text(one.get("code"))
        for option in one.get("options") or ():
            for simple in (option.get("products") or ()) if isinstance(option, dict) else ():
                labels.setdefault(value_text(simple), []).append((code.lower(), value_text(option.get("label"))[:120]))
    offers = []
    for simple, prices in list(config["optionPrices"].items())[:OFFERS_MAX]:
        where = f"{path}/optionPrices/{simple}"
        amounts: list[Amount] = []
        for name in ("finalPrice", "oldPrice"):
            inner = prices.get(name) if isinstance(prices, dict) else None
            value = inner.get("amount") if isinstance(inner, dict) else None
            if name == "finalPrice" or amounts:
                amounts += [
                    _to_cents(a)
                    for a in amount(value, _MAGENTO_KINDS[name], Claim.of("platform", f"{where}/{name}/amount", value))
                ]
        if len({one.value for one in amounts}) == 1:
            amounts = amounts[:1]
        facts = {"variant_id": fact(simple, Claim.of("platform", where, simple))}
        offers.append(
            OfferClaims(
                syntax="platform",
                path=where,
                amounts=tuple(amounts),
                facts=facts,
                attributes=tuple(sorted(labels.get(simple, ()))),
            )
        )
    ident = value_text(config.get("productId"))
    found = {"platform_id": fact(ident, Claim.of("platform", f"{path}/productId", ident))} if ident else {}
    return ProductClaims(syntax="platform", path=path, facts=found, offers=tuple(offers))


def _presta(tree: PageTree, states: list[State]) -> list[ProductClaims]:
    """`#product-details[data-product]`: the combination that the page shows, tax as displayed."""
    code = None
    for state in states:
        if state.name == "prestashop" and isinstance(state.value, dict):
            currency = state.value.get("currency")
            code = iso_code(value_text(currency.get("iso_code"))) if isinstance(currency, dict) else None
    for node in tree.parser.css("#product-details[data-product], [data-product]")[:4]:
        one = _parsed(attribute(node, "data-product"))
        if not isinstance(one, dict) or "id_product" not in one:
            continue

        def claim(name: str, product: dict[str, Any] = one) -> Claim:
            return Claim.of("platform", f"data-product/{name}", product.get(name))

        amounts = amount(one.get("price_amount"), Kind.SINGLE, claim("price_amount"), code)
        if one.get("has_discount"):
            amounts += amount(one.get("regular_price_amount"), Kind.LIST, claim("regular_price_amount"), code)
        attribute_id = value_text(one.get("id_product_attribute"))
        facts = {
            "sku": fact(one.get("reference"), claim("reference")),
            "gtin": fact(one.get("ean13"), claim("ean13")),
            "variant_id": fact(attribute_id if attribute_id != "0" else "", claim("id_product_attribute")),
            "platform_id": fact(one.get("id_product"), claim("id_product")),
            "name": fact(one.get("name"), claim("name")),
        }
        offer = OfferClaims(
            syntax="platform", path="data-product", amounts=amounts, facts={k: v for k, v in facts.items() if v}
        )
        return [
            ProductClaims(
                syntax="platform", path="data-product", facts={"platform_id": facts["platform_id"]}, offers=(offer,)
            )
        ]
    return []


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
        "stock": _stock(
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
        "stock": _stock(available, Claim.of("platform", f"{path}/qtyInStock", quantity)) if known else (),
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
