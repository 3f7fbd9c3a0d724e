"""Currency, then price, then minor units of one offer: agreement of every lane, or a refusal that keeps all claims."""

from decimal import Decimal

from streams.extraction.claims import Amount
from streams.extraction.currency import stated_codes
from streams.extraction.price_case import PriceCase, PriceDecision, visible_claim
from streams.extraction.price_words import CURRENT, REFERENCE, Kind
from streams.extraction.seen import other_kind, seen_value
from streams.extraction.signs import candidates_of
from streams.extraction.tax import NET_CURRENCIES, is_tax_excluded
from topics.evidence import Claim
from topics.money import Money, MoneyError, to_money


def decide_price(case: PriceCase) -> PriceDecision:
    """Decides the price of one offer: kinds, agreement, what a person sees, currency, minor units."""
    current = [amount for amount in case.amounts if amount.kind in CURRENT]
    if not any(amount.value is not None for amount in current):
        return _without_markup(case, current)
    values = _current_values(current, case)
    if len(values) != 1:
        return case.refuse("price", "contradiction" if values else "unreadable")
    value = next(iter(values))
    seen, clash = seen_value(value, case)
    if clash:
        return case.refuse("price", clash)
    return _with_currency(seen, case)


def _current_values(current: list[Amount], case: PriceCase) -> set[Decimal]:
    """Distinct current values, less those that a list price or a missing tax explains."""
    values = {amount.value for amount in current if amount.value is not None}
    selected = {amount.value for amount in current if amount.claim.syntax == "selector" and amount.value is not None}
    if len(values) == 1 or len(selected) == 1:
        return selected or values
    reference = {amount.value for amount in case.amounts if amount.kind in REFERENCE and amount.value is not None}
    if values & {one.text.amount for one in case.shown}:
        struck = {one.text.amount for one in case.visible.prices if one.kind in REFERENCE} if case.visible else set()
        reference |= {amount for amount in struck if amount is not None}
    sale = {amount.value for amount in current if amount.kind is Kind.SALE and amount.value is not None}
    if len(sale) == 1 and values - sale <= reference:
        return sale
    explained = values - (reference - sale)
    if len(explained) == 1:
        return explained
    values = explained or values
    shown = {one.text.amount for one in case.shown}
    confirmed = values & shown
    if len(confirmed) == 1:
        gross = next(iter(confirmed))
        meta = {amount.value for amount in current if amount.claim.syntax == "meta" and amount.value is not None}
        if values - confirmed <= meta and all(is_tax_excluded(net, gross) for net in values - confirmed):
            return confirmed
    return values


def _with_currency(value: Decimal, case: PriceCase) -> PriceDecision:
    codes = stated_codes(case.amounts, (case.offer, *case.page))
    same = [one for one in case.shown if one.text.amount == value]
    if not codes:
        codes = {code: list(claims) for code, claims in case.shared.items()}
    if not codes:
        for one in same:
            if one.text.currency:
                codes.setdefault(one.text.currency, []).append(visible_claim(one))
    if len(codes) > 1:
        return case.refuse("currency", "contradiction")
    if not codes:
        return case.refuse("currency", "ambiguous_currency" if same else "no_currency")
    code, stated = next(iter(codes.items()))
    if same and not any(code in candidates_of(one.text.sign or "") for one in same):
        return case.refuse("currency", "visible_currency_differs")
    other = other_kind(value, case, code)
    if other:
        return case.refuse("price", other)
    try:
        money, rounded = to_money(value, code)
    except MoneyError as fault:
        return case.refuse("price", fault.reason)
    backing = [
        _noted(amount.claim, rounded=rounded)
        for amount in case.amounts
        if amount.kind in CURRENT and amount.value == value
    ]
    reference, reference_claims = _reference(case, money)
    return PriceDecision(
        money=money,
        evidence=tuple(backing) + tuple(visible_claim(one) for one in same[:2]),
        currency_evidence=tuple(stated),
        reference=reference,
        reference_evidence=reference_claims,
    )


def _noted(claim: Claim, *, rounded: bool) -> Claim:
    if not rounded:
        return claim
    return Claim.of(
        claim.syntax, claim.path, claim.raw, normaliser=f"{claim.normaliser}+float_noise", repair=claim.repair
    )


def _reference(case: PriceCase, money: Money) -> tuple[Money | None, tuple[Claim, ...]]:
    """The one list price above the price, or none."""
    found = [
        (one.value, one.claim)
        for one in case.amounts
        if one.kind in REFERENCE and one.value is not None and one.value > money.amount
    ]
    if len({value for value, _ in found}) != 1:
        return None, ()
    try:
        reference, _ = to_money(found[0][0], money.currency)
    except MoneyError:
        return None, ()
    return reference, tuple(claim for _, claim in found)


def _without_markup(case: PriceCase, current: list[Amount]) -> PriceDecision:  # noqa: PLR0911  # one refusal a reason
    """No machine value: the leading visible price stands alone if there is one, else the refusal says what there was."""
    if any(amount.kind in (Kind.RANGE, Kind.FROM) for amount in case.amounts):
        return case.refuse("price", "range")
    if any(amount.reason not in (None, "several_amounts") for amount in current):
        return case.refuse("price", next(one.reason for one in current if one.reason) or "unreadable")
    if case.amounts and not current:
        return case.refuse("price", "no_current_price")
    lead = case.lead.price
    if lead is None or lead.text.amount is None:
        return case.refuse("price", case.lead.reason or "no_price")
    if lead.text.currency is None:
        return case.refuse("currency", "ambiguous_currency")
    codes = set(stated_codes(case.amounts, (case.offer, *case.page))) - {lead.text.currency}
    if codes:
        return case.refuse("currency", "visible_currency_differs")
    if case.net and lead.text.currency not in NET_CURRENCIES:
        return case.refuse("price", "tax_excluded")
    try:
        money, _ = to_money(lead.text.amount, lead.text.currency)
    except MoneyError as fault:
        return case.refuse("price", fault.reason)
    claim = visible_claim(lead)
    return PriceDecision(money=money, evidence=(claim,), currency_evidence=(claim,))
