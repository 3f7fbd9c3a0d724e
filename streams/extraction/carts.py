"""WooCommerce, Magento and PrestaShop: what each writes for its own scripts, as claims."""

from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final

from streams.extraction.claims import OFFERS_MAX, Amount, OfferClaims, ProductClaims, fact, value_text
from streams.extraction.hosted import hosted_products
from streams.extraction.price_words import Kind
from streams.extraction.signs import iso_code
from streams.extraction.state_values import amount, flag_stock, parsed
from streams.extraction.states import State, walk
from streams.page_tree import PageTree, attribute
from topics.evidence import Claim

_CENT: Final = Decimal("0.01")


def cart_products(tree: PageTree, states: list[State]) -> list[ProductClaims]:
    """Products of every cart system that the page shows signs of."""
    out: list[ProductClaims] = []
    if tree.carrying("data-product_variations"):
        out += _woo(tree)
    if tree.carrying("data-price-amount") or (states and b"optionPrices" in tree.html):
        out += _magento(tree, states)
    if tree.carrying("data-product"):
        out += _presta(tree, states)
    return out + hosted_products(tree, states)


def _woo(tree: PageTree) -> list[ProductClaims]:
    """`form.variations_form[data-product_variations]`: prices as displayed, in the shop's currency."""
    out = []
    for number, form in enumerate(tree.carrying("data-product_variations")[:4]):
        listed = parsed(attribute(form, "data-product_variations"))
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
        "stock": flag_stock(one.get("is_in_stock"), claim("is_in_stock")),
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
        for path, value in walk(state.value, nodes_max=4_000):
            config = value.get("jsonConfig") or value.get("spConfig")
            if isinstance(config, dict) and isinstance(config.get("optionPrices"), dict):
                return [_magento_configurable(config, f"{state.path}{path}")]
    ident = next((attribute(node, "value") for node in tree.parser.css("form input[name=product]")[:1]), "")
    amounts: list[Amount] = []
    for node in tree.carrying("data-price-amount", "data-price-type")[:200]:
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
    for box in tree.carrying("data-product")[:4]:
        one = parsed(attribute(box, "data-product"))
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
