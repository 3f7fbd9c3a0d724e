"""The price that a page leads with: what a person takes for the product's price when no markup helps."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from streams.extraction.price_words import CURRENT, REFERENCE, Kind
from streams.extraction.visible import VisiblePage, VisiblePrice

RIVAL_TEXTS: Final = 10  # how far after the lead another price still competes with it
LEAD_TEXTS: Final = 160  # how far after the heading a lead may stand
UNNAMED_TEXTS: Final = 40  # the same, for a price that no class names


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """The leading price, or why there is none: no_price, several_amounts, from_price, tax_ambiguous."""

    price: VisiblePrice | None
    reason: str | None = None


def shown_prices(visible: VisiblePage) -> list[VisiblePrice]:
    """Current amounts that were read, in document order."""
    return [one for one in visible.prices if one.kind in CURRENT and one.text.amount is not None]


def lead_of(visible: VisiblePage) -> Lead:
    """The one price that leads the main zone, without a rival that it cannot explain."""
    shown = shown_prices(visible)
    buttons = {one.text.amount for one in shown if one.button}
    if len(buttons) == 1:
        return Lead(price=next(one for one in shown if one.button))
    named = [one for one in shown if one.near] or [one for one in shown if one.priced]
    pool = [one for one in named if one.order < LEAD_TEXTS] or [one for one in shown if one.order < UNNAMED_TEXTS]
    if not pool:
        starts = any(one.kind in (Kind.FROM, Kind.RANGE) for one in visible.prices)
        return Lead(price=None, reason="from_price" if starts else "no_price")
    first = pool[0]
    before = [one for one in visible.prices if one.order < first.order and one.near]
    if any(one.kind in (Kind.FROM, Kind.RANGE) for one in before):
        return Lead(price=None, reason="from_price")
    if any(one.kind is Kind.TAX_EXCLUDED for one in before):
        return Lead(price=None, reason="tax_ambiguous")
    rivals = [one for one in pool if one.order - first.order <= RIVAL_TEXTS and one.text.amount != first.text.amount]
    if any(not _explained(first, one, visible.discounts) for one in rivals):
        return Lead(price=None, reason="several_amounts")
    return Lead(price=first)


def _explained(first: VisiblePrice, rival: VisiblePrice, discounts: Sequence[int]) -> bool:
    """Whether a higher amount beside the lead is the one it was reduced from."""
    return (
        first.text.amount is not None
        and rival.text.amount is not None
        and is_discount(first.text.amount, rival.text.amount, discounts)
    )


def is_discount(current: Decimal, reference: Decimal, discounts: Sequence[int]) -> bool:
    """Whether a shown percentage leads from the reference to the current price, rounding allowed."""
    if not 0 < current < reference:
        return False
    percent = (1 - current / reference) * 100
    return any(abs(percent - one) <= 1 for one in discounts)


def has_reduction(visible: VisiblePage) -> bool:
    """Whether the lead stands beside a higher struck price: a price block, even where the buy button is drawn by a script."""
    lead = lead_of(visible).price
    if lead is None or lead.text.amount is None:
        return False
    amount = lead.text.amount
    return any(
        one.kind in REFERENCE
        and one.text.amount is not None
        and one.text.amount > amount
        and abs(one.order - lead.order) <= RIVAL_TEXTS
        for one in visible.prices
    )
