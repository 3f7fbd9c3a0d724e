"""What a person sees of a price that markup states: the same, another one, or an amount that is no price of the offer."""

from decimal import Decimal

from streams.extraction.lead import is_discount
from streams.extraction.price_case import PriceCase
from streams.extraction.price_words import REFERENCE, Kind
from streams.extraction.signs import SIGN
from streams.extraction.tax import NET_CURRENCIES, gross_beside, is_tax_excluded
from streams.extraction.visible import VisiblePrice


def seen_value(value: Decimal, case: PriceCase) -> tuple[Decimal, str | None]:
    """The value that a person sees confirmed, and why it is refused if it is contradicted."""
    visible = case.visible
    same = [one for one in case.shown if one.text.amount == value]
    if visible is None or (same and not _is_aside(same, case.lead.price or case.shown[0])):
        return value, None
    kinds = {one.kind for one in visible.prices if one.text.amount == value}
    lead = case.lead.price
    if Kind.FROM in kinds and not (case.alone and lead):
        return value, None
    if lead is None:
        several = case.shown and case.lead.reason == "several_amounts"
        # a class that strikes the only price of a page, `regular-price`, may as well name the price
        named = {one.text.amount for one in visible.prices if one.struck_by} if not (case.shown or kinds) else set()
        return value, "visible_price_differs" if several or len(named) == 1 else None
    if gross_beside(lead.raw) == value:
        return value, None
    amount = lead.text.amount
    if Kind.STRIKETHROUGH in kinds and amount is not None and is_discount(amount, value, visible.discounts):
        return amount, None  # the markup holds the price that the page strikes, and the shown percentage says so
    return value, "visible_price_lower" if kinds & REFERENCE else "visible_price_differs"


def _is_aside(same: list[VisiblePrice], lead: VisiblePrice) -> bool:
    """Whether an amount stands only in texts that nothing names a price, while another one leads: `Gift wrap + $5.00`."""
    amount, value = lead.text.amount, same[0].text.amount
    if amount is None or value is None or amount == value or is_tax_excluded(amount, value):
        return False
    if any(one.near or one.priced or one.button or one.kind is Kind.SALE for one in same):
        return False
    return lead.near or (_is_bare(lead) and not any(_is_bare(one) for one in same))


def _is_bare(one: VisiblePrice) -> bool:
    """Whether a text is an amount and nothing else."""
    return not any(char.isalpha() for char in SIGN.sub("", one.raw))


def other_kind(value: Decimal, case: PriceCase, code: str) -> str | None:
    """Why an amount that markup calls a price is none: the page shows it as something else only, or all its prices without tax."""
    if any(amount.claim.syntax == "selector" and amount.value == value for amount in case.amounts):
        return None
    taxed = code not in NET_CURRENCIES
    visible = case.visible.prices if case.visible else []
    if taxed and (
        case.net or any(one.text.amount == value and gross_beside(one.raw) not in (None, value) for one in visible)
    ):
        return "tax_excluded"
    kinds = {one.kind for one in visible if one.text.amount == value}
    if kinds == {Kind.INSTALMENT}:
        return "instalment"
    if kinds == {Kind.FROM} and case.alone and case.lead.reason == "from_price":
        return "from_price"
    nets = [one.text.amount for one in visible if one.kind is Kind.TAX_EXCLUDED and one.text.amount]
    if kinds == {Kind.TAX_EXCLUDED} and taxed and not any(is_tax_excluded(net, value) for net in nets):
        return "tax_excluded"
    return None
