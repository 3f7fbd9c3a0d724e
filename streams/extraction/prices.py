"""Currency, then price, then minor units of one offer: agreement of every lane, or a refusal that keeps all claims."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from streams.extraction.answer import PageContext, Refusal
from streams.extraction.claims import Amount, OfferClaims
from streams.extraction.price_words import CURRENT, REFERENCE, Kind
from streams.extraction.signs import candidates_of, choose, iso_code
from streams.extraction.visible import VisiblePrice
from topics.evidence import Claim
from topics.money import Money, MoneyError, to_money

VISIBLE_MAX: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceDecision:
    """Money with its evidence, or the refusals that say why not."""

    money: Money | None = None
    reference: Money | None = None
    evidence: tuple[Claim, ...] = ()
    currency_evidence: tuple[Claim, ...] = ()
    reference_evidence: tuple[Claim, ...] = ()
    refusals: tuple[Refusal, ...] = ()


def visible_claim(one: VisiblePrice) -> Claim:
    """The evidence of a visible amount."""
    return Claim.of("visible", one.path, one.raw, normaliser="price_text")


def decide_price(
    offer: OfferClaims, page: Sequence[OfferClaims], visible: Sequence[VisiblePrice], context: PageContext
) -> PriceDecision:
    """Decides the price of one offer.

    Args:
        offer: claims of every lane about this very offer.
        page: claims about the page, where they may speak of this offer; empty for a variant that is not selected.
        visible: amounts of the main zone; empty where they cannot be laid to this offer.
        context: market and policy currency.
    """
    amounts = [*offer.amounts, *(amount for one in page for amount in one.amounts)]
    claims = tuple(amount.claim for amount in amounts) + tuple(visible_claim(one) for one in visible[:12])
    current = [amount for amount in amounts if amount.kind in CURRENT]
    shown = [one for one in visible if one.kind in CURRENT and one.text.amount is not None][:VISIBLE_MAX]
    if not any(amount.value is not None for amount in current):
        return _without_markup(amounts, current, shown, visible, context, claims)
    values = _current_values(current, amounts)
    if len(values) != 1:
        return _refuse("price", "contradiction" if values else "unreadable", claims)
    value = next(iter(values))
    clash = _visible_clash(value, shown, visible)
    if clash:
        return _refuse("price", clash, claims)
    return _with_currency(value, offer, page, amounts, shown, context, claims)


def _refuse(name: str, reason: str, claims: tuple[Claim, ...]) -> PriceDecision:
    return PriceDecision(refusals=(Refusal(field=name, reason=reason, claims=claims),))


def _current_values(current: list[Amount], amounts: list[Amount]) -> set[Decimal]:
    """Distinct current values: a sale price stated beside a plain one makes the plain one the list price if a list price says so."""
    values = {amount.value for amount in current if amount.value is not None}
    if len(values) == 1:
        return values
    reference = {amount.value for amount in amounts if amount.kind in REFERENCE and amount.value is not None}
    sale = {amount.value for amount in current if amount.kind is Kind.SALE and amount.value is not None}
    explained = values - (reference - sale)
    if len(explained) == 1:
        return explained
    if len(sale) == 1 and values - sale <= reference:
        return sale
    return values


def _visible_clash(value: Decimal, shown: list[VisiblePrice], visible: Sequence[VisiblePrice]) -> str | None:
    """Why what a person sees contradicts the markup, or None."""
    if any(one.text.amount == value for one in shown):
        return None
    if not shown:
        return None
    struck = [one for one in visible if one.kind in REFERENCE and one.text.amount == value]
    if struck:
        return "visible_price_lower"
    lead = [one for one in shown if one.priced] or shown
    return "visible_price_differs" if lead else None


def _codes(offer: OfferClaims, page: Sequence[OfferClaims], amounts: list[Amount]) -> dict[str, list[Claim]]:
    """Stated currency codes with their claims: of the amounts, then of the offer, then of the page."""
    out: dict[str, list[Claim]] = {}
    for amount in amounts:
        if amount.currency and amount.kind in CURRENT:
            out.setdefault(amount.currency, []).append(amount.claim)
    for one in (offer, *page):
        for fact in one.facts.get("currency", ()):
            code = iso_code(fact.value)
            if code:
                out.setdefault(code, []).append(fact.claim)
    return out


def _with_currency(
    value: Decimal,
    offer: OfferClaims,
    page: Sequence[OfferClaims],
    amounts: list[Amount],
    shown: list[VisiblePrice],
    context: PageContext,
    claims: tuple[Claim, ...],
) -> PriceDecision:
    codes = _codes(offer, page, amounts)
    same = [one for one in shown if one.text.amount == value]
    if not codes:
        for one in same:
            code = choose(one.text.sign, hint=context.currency, market=context.market) if one.text.sign else None
            if code:
                codes.setdefault(code, []).append(visible_claim(one))
    everything = claims + tuple(claim for found in codes.values() for claim in found)
    if len(codes) > 1:
        return _refuse("currency", "contradiction", everything)
    if not codes:
        return _refuse("currency", "ambiguous_currency" if same else "no_currency", everything)
    code, stated = next(iter(codes.items()))
    if same and not any(code in candidates_of(one.text.sign or "") for one in same):
        return _refuse("currency", "visible_currency_differs", everything)
    try:
        money, rounded = to_money(value, code)
    except MoneyError as fault:
        return _refuse("price", fault.reason, everything)
    backing = [amount.claim for amount in amounts if amount.kind in CURRENT and amount.value == value]
    if rounded:
        backing = [
            Claim.of(c.syntax, c.path, c.raw, normaliser=f"{c.normaliser}+float_noise", repair=c.repair)
            for c in backing
        ]
    reference, reference_claims = _reference(amounts, money)
    return PriceDecision(
        money=money,
        evidence=tuple(backing) + tuple(visible_claim(one) for one in same[:2]),
        currency_evidence=tuple(stated),
        reference=reference,
        reference_evidence=reference_claims,
    )


def _reference(amounts: list[Amount], money: Money) -> tuple[Money | None, tuple[Claim, ...]]:
    """The one list price above the price, or none."""
    found = [one for one in amounts if one.kind in REFERENCE and one.value is not None and one.value > money.amount]
    if len({one.value for one in found}) != 1 or found[0].value is None:
        return None, ()
    try:
        reference, _ = to_money(found[0].value, money.currency)
    except MoneyError:
        return None, ()
    return reference, tuple(one.claim for one in found)


def _without_markup(
    amounts: list[Amount],
    current: list[Amount],
    shown: list[VisiblePrice],
    visible: Sequence[VisiblePrice],
    context: PageContext,
    claims: tuple[Claim, ...],
) -> PriceDecision:
    """No machine value: the visible price stands alone if there is one, else the refusal says what kind of amounts there were."""
    del visible
    if any(amount.kind in (Kind.RANGE, Kind.FROM) for amount in amounts):
        return _refuse("price", "range", claims)
    if current:
        return _refuse("price", next((one.reason for one in current if one.reason), "unreadable"), claims)
    if amounts:
        return _refuse("price", "no_current_price", claims)
    lead = [one for one in shown if one.priced] or shown
    values = {one.text.amount for one in lead[:3]}
    if not lead:
        return _refuse("price", "no_price", claims)
    if len(values) != 1 or lead[0].text.amount is None or lead[0].text.sign is None:
        return _refuse("price", "several_amounts", claims)
    code = choose(lead[0].text.sign, hint=context.currency, market=context.market)
    if code is None:
        return _refuse("currency", "ambiguous_currency", claims)
    try:
        money, _ = to_money(lead[0].text.amount, code)
    except MoneyError as fault:
        return _refuse("price", fault.reason, claims)
    claim = visible_claim(lead[0])
    return PriceDecision(money=money, evidence=(claim,), currency_evidence=(claim,))
