"""Products in a single-page application's own state (Next, Nuxt, Apollo, Redux). Weak claims: shapes are the shop's own.

Only an object that carries the page's heading or number is read, and only amounts whose unit is proven: a decimal text, a number
with a fraction, or cents that say so. They fill a gap; they never outvote markup, so they stand in their own lane, `state`.
"""

import re
from decimal import Decimal
from typing import Any, Final

from streams.extraction.choose import Hints
from streams.extraction.claims import Amount, OfferClaims, ProductClaims, fact, value_text
from streams.extraction.numerals import read_machine
from streams.extraction.price_words import Kind
from streams.extraction.signs import iso_code
from streams.extraction.states import State, walk
from streams.extraction.stock import stock_word
from streams.extraction.subject import words
from topics.evidence import Claim

_NAMES: Final = ("name", "title", "productName", "displayName", "product_name")
_NUMBERS: Final = ("sku", "id", "productId", "product_id", "code", "slug", "handle", "masterId", "partNumber")
_CURRENT: Final = (
    "price",
    "currentPrice",
    "finalPrice",
    "salePrice",
    "sale_price",
    "offerPrice",
    "sellingPrice",
    "final_price",
    "current_price",
    "sale",
)
_LIST: Final = (
    "listPrice",
    "originalPrice",
    "wasPrice",
    "regularPrice",
    "compareAtPrice",
    "msrp",
    "list_price",
    "original_price",
    "regular_price",
    "list",
)
_AMOUNT: Final = ("amount", "value", "price", "decimalPrice", "amountDecimal")
_CODE: Final = (
    "currencyCode",
    "currency",
    "currency_code",
    "currencyIso",
    "currencyIsoCode",
    "isoCode",
    "priceCurrency",
)
_STOCK: Final = (
    "availability",
    "availabilityStatus",
    "stockStatus",
    "inStock",
    "isInStock",
    "in_stock",
    "available",
    "availableForSale",
)
_ELSEWHERE: Final = re.compile(
    r"/_*(?:(?:mini|shopping)[_-]?)?(?:cart|basket|bag|orders?|checkout|wish|favou?rite|recent|(?:last)?viewed|history|recommend|related|similar|upsell|cross|bundle|instal|subscri|financ|accessor|compare)",
    re.IGNORECASE,
)
"""Parts of a state where the page's own product stands with another amount: a line total, a rate, an old visit."""


def state_products(states: list[State], hints: Hints) -> list[ProductClaims]:
    """The one product of the page's state that is the page's own; none when there is doubt."""
    found: list[ProductClaims] = []
    for state in states:
        for path, node in walk(state.value):
            if _is_own(node, hints) and not _ELSEWHERE.search(path):
                product = _product(node, f"{state.path}{path}")
                if product is not None:
                    found.append(product)
    values = {
        amount.value
        for one in found
        for offer in one.offers
        for amount in offer.amounts
        if amount.kind is not Kind.LIST
    }
    return found[:1] if len(values) == 1 else []


def _is_own(node: dict[str, Any], hints: Hints) -> bool:
    if not any(name in node for name in _CURRENT) and "prices" not in node and "pricing" not in node:
        return False
    names = [words(value_text(node.get(name))) for name in _NAMES if isinstance(node.get(name), str)]
    if any(name and name in (words(hints.heading), words(hints.title)) for name in names):
        return True
    tokens = set(words(hints.url).split())
    return bool(names) and any(
        len(text := value_text(node.get(name)).lower()) > 4 and text in tokens for name in _NUMBERS
    )


def _product(node: dict[str, Any], path: str) -> ProductClaims | None:
    holders = [(path, node)] + [
        (f"{path}/{name}", node[name]) for name in ("price", "prices", "pricing") if isinstance(node.get(name), dict)
    ]
    code = next((one for _, holder in holders for one in [_code(holder)] if one), None)
    amounts: list[Amount] = []
    for where, holder in holders:
        for names, kind in ((_CURRENT, Kind.SINGLE), (_LIST, Kind.LIST)):
            for name in names:
                amounts += _amounts(holder.get(name), kind, f"{where}/{name}", code)
        if where.endswith("/price"):
            amounts += _amounts(holder, Kind.SINGLE, where, code)
    unique = {(one.kind, one.value): one for one in amounts}
    if not any(one.kind is Kind.SINGLE for one in unique.values()):
        return None
    facts = {
        "name": next(
            (
                found
                for name in _NAMES
                if (found := fact(node.get(name), Claim.of("state", f"{path}/{name}", node.get(name))))
            ),
            (),
        ),
        "sku": fact(node.get("sku"), Claim.of("state", f"{path}/sku", node.get("sku"))),
        "stock": _stock(node, path),
    }
    kept = {name: value for name, value in facts.items() if value}
    offer = OfferClaims(syntax="state", path=path, amounts=tuple(unique.values()), facts=kept)
    return ProductClaims(syntax="state", path=path, facts=kept, offers=(offer,))


def _code(holder: dict[str, Any]) -> str | None:
    return next(
        (code for name in _CODE if isinstance(holder.get(name), str) and (code := iso_code(holder[name]))), None
    )


def _amounts(value: Any, kind: Kind, path: str, code: str | None) -> list[Amount]:
    """An amount whose unit is proven, or none."""
    if isinstance(value, dict):
        own = _code(value) or code
        cents, digits = value.get("centAmount"), value.get("fractionDigits", 2)
        if isinstance(cents, int) and isinstance(digits, int) and 0 <= digits <= 4 and cents > 0:
            claim = Claim.of("state", f"{path}/centAmount", cents, normaliser=f"minor_e{digits}")
            return [Amount(value=Decimal(cents).scaleb(-digits), kind=kind, currency=own, claim=claim)]
        return [one for name in _AMOUNT for one in _amounts(value.get(name), kind, f"{path}/{name}", own)][:1]
    text = value_text(value) if isinstance(value, (str, float)) else ""
    read = read_machine(text)
    if read is None or read <= 0 or ("." not in text):
        return []
    return [Amount(value=read, kind=kind, currency=code, claim=Claim.of("state", path, text, normaliser="decimal"))]


def _stock(node: dict[str, Any], path: str) -> tuple[Any, ...]:
    for name in _STOCK:
        value = node.get(name)
        claim = Claim.of("state", f"{path}/{name}", value)
        if isinstance(value, bool):
            return fact("InStock" if value else "OutOfStock", claim)
        if isinstance(value, str) and stock_word(value):
            return fact(value, claim)
    return ()
