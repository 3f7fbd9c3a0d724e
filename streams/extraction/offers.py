"""The amounts of one schema.org offer, each with its kind: a list price, a member price or a range is never the price."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final

from streams.extraction.claims import Amount
from streams.extraction.items import Item, Leaf
from streams.extraction.numerals import fold, read_machine
from streams.extraction.price_text import parse_amounts, parse_price
from streams.extraction.price_words import Kind
from streams.extraction.signs import iso_code
from topics.evidence import Claim

_PRICE_TYPES: Final = {
    "listprice": Kind.LIST, "srp": Kind.LIST, "msrp": Kind.LIST, "suggestedretailprice": Kind.LIST, "regularprice": Kind.LIST,
    "minimumadvertisedprice": Kind.LIST, "invoiceprice": Kind.TAX_EXCLUDED, "strikethroughprice": Kind.STRIKETHROUGH, "saleprice": Kind.SALE,
    "reducedprice": Kind.SALE,
}  # fmt: skip
DAY_MS: Final = 86_400_000
_BOUNDS: Final = ("lowprice", "highprice", "minprice", "maxprice")


def offer_amounts(offer: Item, specifications: list[Item]) -> tuple[Amount, ...]:
    """Amounts of an offer node and its price specifications."""
    currency = _currency(offer)
    out = [one for leaf in offer.leaves("price") for one in _amounts(leaf, offer, _kind_of(offer), currency)]
    out += _bounds(offer, currency)
    for spec in specifications[:64]:
        kind = _kind_of(spec)
        own = _currency(spec) or currency
        start, end = _time(spec, "validfrom", last=False), _time(spec, "validthrough", last=True)
        found = [one for leaf in spec.leaves("price") for one in _amounts(leaf, spec, kind, own)]
        out += [replace(one, valid_from_ms=start, valid_until_ms=end) for one in found]
        out += _bounds(spec, own)
    return tuple(out)


def _time(item: Item, name: str, *, last: bool) -> int | None:
    """A date or time in milliseconds of the epoch; a bare date is its first or last millisecond, UTC unless it says else."""
    for leaf in item.leaves(name):
        try:
            read = datetime.fromisoformat(leaf.text.strip()[:40])
        except ValueError:
            return None
        aware = read if read.tzinfo else read.replace(tzinfo=UTC)
        bare = len(leaf.text.strip()) <= 10
        return int(aware.timestamp() * 1000) + (DAY_MS - 1 if last and bare else 0)
    return None


def _currency(item: Item) -> str | None:
    for leaf in item.leaves("pricecurrency", "currency"):
        return iso_code(leaf.text)
    return None


def _kind_of(item: Item) -> Kind:  # noqa: PLR0911  # one return a kind
    """What the amounts of an offer or specification are."""
    if item.types & {
        "deliverychargespecification",
        "paymentchargespecification",
        "shippingdeliverytime",
        "offershippingdetails",
    }:
        return Kind.SHIPPING
    if item.items("validformembertier", "membershippointsearned") or item.leaves(
        "validformembertier", "membershippointsearned"
    ):
        return Kind.MEMBER
    if item.leaves("billingincrement", "billingduration", "numberofpayments") or item.items("billingduration"):
        return Kind.INSTALMENT
    for leaf in item.leaves("pricetype"):
        found = _PRICE_TYPES.get("".join(ch for ch in leaf.text.rsplit("/", 1)[-1].lower() if ch.isalpha()))
        if found:
            return found
    if any(leaf.text.lower() == "false" for leaf in item.leaves("valueaddedtaxincluded")):
        return Kind.TAX_EXCLUDED
    if _is_unit(item):
        return Kind.UNIT
    return Kind.SINGLE


def _is_unit(item: Item) -> bool:
    """A price per measure: it has a reference quantity other than one piece."""
    quantities = item.items("referencequantity", "eligiblequantity")
    for quantity in quantities:
        value = next((leaf.text for leaf in quantity.leaves("value", "minvalue")), "1")
        unit = next((leaf.text.upper() for leaf in quantity.leaves("unitcode", "unittext")), "C62")
        if value not in ("1", "1.0") or unit not in ("C62", "H87", "EA", "PCE", "PIECE", "UNIT"):
            return True
    return False


def _bounds(item: Item, currency: str | None) -> list[Amount]:
    """Low and high prices: a range, unless both are given and equal."""
    leaves = item.leaves(*_BOUNDS)
    if not leaves:
        return []
    values = {read_machine(leaf.text) for leaf in leaves}
    lows = bool(item.leaves("lowprice", "minprice"))
    highs = bool(item.leaves("highprice", "maxprice"))
    single = len(values) == 1 and None not in values and lows and highs
    kind = _kind_of(item) if single else Kind.RANGE
    return [one for leaf in leaves for one in _amounts(leaf, item, kind, currency)]


def _amounts(leaf: Leaf, item: Item, kind: Kind, currency: str | None) -> list[Amount]:
    """One amount of a machine text; several of a visible one, each with the kind its words give it."""
    machine = read_machine(leaf.text)
    if machine is not None:
        return [_amount(leaf, item, machine, _said_kind(leaf, kind), currency, "decimal")]
    if not leaf.machine or len([one for one in parse_amounts(leaf.text) if one.sign]) > 1:
        return _visible(leaf, item, kind, currency)
    read = parse_price(leaf.text, currency_hint=currency, market=_machine_market(leaf.text))
    stated = read.currency if read.sign else None
    value = None if currency and stated and stated != currency else read.amount
    reason = read.reason if value is None else None
    found = kind if read.kind is Kind.SINGLE else read.kind
    return [
        _amount(
            leaf,
            item,
            value,
            found,
            currency or stated,
            "price_text",
            reason or ("currency_mismatch" if value is None else None),
        )
    ]


def _said_kind(leaf: Leaf, kind: Kind) -> Kind:
    """The kind that the shown text of a machine amount gives it: `ab 129,90` beside `content="129.90"`."""
    said = {one.kind for one in parse_amounts(leaf.said)} if leaf.said and kind is Kind.SINGLE else set()
    return said.pop() if len(said) == 1 and said <= {Kind.FROM, Kind.INSTALMENT} else kind


def _machine_market(text: str) -> str | None:
    """`1,299.00` and `1.299,00` prove their marks; `49,99` has two decimals; anything else keeps its point decimal."""
    folded = fold(text)
    return "US" if "." in folded and "," not in folded else None


def _visible(leaf: Leaf, item: Item, kind: Kind, currency: str | None) -> list[Amount]:
    found = parse_amounts(leaf.text, currency_hint=currency)
    out = []
    for one in found:
        named = one.kind if one.kind is not Kind.SINGLE else kind
        out.append(
            _amount(
                leaf,
                item,
                one.amount,
                named,
                currency or one.currency,
                "price_text",
                one.reason if one.amount is None else None,
            )
        )
    return out


def _amount(  # noqa: PLR0917  # a leaf read in place: the names repeat what the call shows
    leaf: Leaf,
    item: Item,
    value: Decimal | None,
    kind: Kind,
    currency: str | None,
    normaliser: str,
    reason: str | None = None,
) -> Amount:
    claim = Claim.of(item.syntax, leaf.path, leaf.text, normaliser=normaliser, repair=item.repair)
    if value is not None and value == 0:
        value, reason = None, "zero"
    return Amount(value=value, kind=kind, currency=currency, claim=claim, reason=reason)
