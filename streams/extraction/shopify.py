"""Product JSON as Shopify themes embed it. Its integers are hundredths whatever the currency: 890000 is 8,900 won."""

import re
from decimal import Decimal
from typing import Any, Final

from streams.extraction.claims import OFFERS_MAX, Amount, Fact, OfferClaims, ProductClaims, fact, value_text
from streams.extraction.numerals import read_machine
from streams.extraction.price_words import Kind
from streams.extraction.signs import iso_code
from topics.evidence import Claim

_CURRENCY: Final = (
    re.compile(rb"Shopify\.currency\s*=\s*\{[^{}]{0,200}?[\"']?active[\"']?\s*:\s*[\"']([A-Za-z]{3})[\"']"),
    re.compile(rb"Shopify\.currency\.active\s*=\s*[\"']([A-Za-z]{3})[\"']"),
)
_HUNDRED: Final = Decimal(100)


def active_currency(html: bytes) -> Fact | None:
    """The presentment currency that the page's scripts state."""
    for pattern in _CURRENCY:
        found = pattern.search(html)
        text = found.group(1).decode("ascii") if found else ""
        code = iso_code(text)
        if code:
            return Fact(value=code, claim=Claim.of("platform", "Shopify.currency.active", text))
    return None


def is_product(value: Any) -> bool:
    """Whether a JSON object is a Shopify-like product: an id and a list of variants that have ids and prices."""
    if not isinstance(value, dict) or "id" not in value:
        return False
    variants = value.get("variants")
    return (
        isinstance(variants, list)
        and bool(variants)
        and all(isinstance(one, dict) and "id" in one and "price" in one for one in variants[:OFFERS_MAX])
    )


def product(value: dict[str, Any], path: str, currency: Fact | None, repair: str = "") -> ProductClaims:
    """Claims of one product object."""

    def claim(where: str, raw: object, normaliser: str = "") -> Claim:
        return Claim.of("platform", f"{path}/{where}", raw, normaliser=normaliser, repair=repair)

    facts: dict[str, tuple[Fact, ...]] = {
        "name": fact(value.get("title"), claim("title", value.get("title"))),
        "platform_id": fact(value.get("id"), claim("id", value.get("id"))),
        "brand": fact(value.get("vendor"), claim("vendor", value.get("vendor"))),
        "image": _images(value, path, repair),
    }
    names = [value_text(one.get("name") if isinstance(one, dict) else one) for one in _list(value.get("options"))]
    offers = []
    for number, variant in enumerate(value["variants"][:OFFERS_MAX]):
        offers.append(_offer(variant, f"{path}/variants/{number}", names, currency, repair))
    return ProductClaims(
        syntax="platform",
        path=path,
        facts={name: found for name, found in facts.items() if found},
        offers=tuple(offers),
    )


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _images(value: dict[str, Any], path: str, repair: str) -> tuple[Fact, ...]:
    out: list[Fact] = []
    for number, one in enumerate([*_list(value.get("images")), value.get("featured_image")][:20]):
        text = value_text(one.get("src") if isinstance(one, dict) else one)
        out += fact(text, Claim.of("platform", f"{path}/images/{number}", text, repair=repair))
    return tuple(out)


def _offer(variant: dict[str, Any], path: str, names: list[str], currency: Fact | None, repair: str) -> OfferClaims:
    def claim(where: str, normaliser: str = "") -> Claim:
        return Claim.of("platform", f"{path}/{where}", variant.get(where), normaliser=normaliser, repair=repair)

    amounts = [_amount(variant.get("price"), Kind.SINGLE, currency, claim("price", "minor_x100"))]
    before = variant.get("compare_at_price")
    if before not in (None, "", 0, "0", "0.00"):
        amounts.append(_amount(before, Kind.LIST, currency, claim("compare_at_price", "minor_x100")))
    facts = {
        "variant_id": fact(variant.get("id"), claim("id")),
        "sku": fact(variant.get("sku"), claim("sku")),
        "gtin": fact(variant.get("barcode"), claim("barcode")),
        "name": fact(variant.get("name") or variant.get("public_title"), claim("name")),
        "stock": _stock(variant, claim("available")),
        "currency": (currency,) if currency else (),
    }
    options = [value_text(variant.get(f"option{i}")) for i in (1, 2, 3)]
    listed = [value_text(one) for one in _list(variant.get("options"))] or [one for one in options if one]
    pairs = tuple(
        sorted(
            (names[i].lower() if i < len(names) and names[i] else f"option{i + 1}", text[:120])
            for i, text in enumerate(listed[:8])
            if text and text != "Default Title"
        )
    )
    return OfferClaims(
        syntax="platform",
        path=path,
        amounts=tuple(amounts),
        facts={k: v for k, v in facts.items() if v},
        attributes=pairs,
    )


def _stock(variant: dict[str, Any], claim: Claim) -> tuple[Fact, ...]:
    available = variant.get("available")
    if not isinstance(available, bool):
        return ()
    return (Fact(value="InStock" if available else "OutOfStock", claim=claim),)


def _amount(value: Any, kind: Kind, currency: Fact | None, claim: Claim) -> Amount:
    """An integer counts hundredths; a text with a point is in major units (`products.json`)."""
    code = currency.value if currency else None
    if isinstance(value, int) and not isinstance(value, bool):
        amount: Decimal | None = Decimal(value) / _HUNDRED
    elif isinstance(value, str) and "." in value:
        amount = read_machine(value)
    elif isinstance(value, str) and value.isdecimal() and value.isascii() and len(value) <= 15:
        amount = Decimal(value) / _HUNDRED
    else:
        amount = None
    if amount is None or amount <= 0:
        return Amount(value=None, kind=kind, currency=code, claim=claim, reason="zero" if amount == 0 else "unreadable")
    return Amount(value=amount, kind=kind, currency=code, claim=claim)
