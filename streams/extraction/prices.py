"""Currency, then price, then minor units of one offer: agreement of every lane, or a refusal that keeps all claims."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from streams.extraction.answer import Refusal
from streams.extraction.claims import Amount, OfferClaims
from streams.extraction.currency import stated_codes
from streams.extraction.lead import Lead, is_discount, lead_of, shown_prices
from streams.extraction.price_words import CURRENT, REFERENCE, Kind
from streams.extraction.signs import candidates_of
from streams.extraction.tax import NET_CURRENCIES, gross_beside, is_tax_excluded
from streams.extraction.visible import VisiblePage, VisiblePrice
from topics.evidence import Claim
from topics.money import Money, MoneyError, to_money

CLAIMS_MAX: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceDecision:
    """Money with its evidence, or the refusals that say why not."""

    money: Money | None = None
    reference: Money | None = None
    evidence: tuple[Claim, ...] = ()
    currency_evidence: tuple[Claim, ...] = ()
    reference_evidence: tuple[Claim, ...] = ()
    refusals: tuple[Refusal, ...] = ()


@dataclass(slots=True, kw_only=True)
class PriceCase:
    """Everything that is said about the price of one offer.

    Attributes:
        offer: claims of every lane about this very offer.
        page: claims about the page, where they may speak of this offer; empty for a variant that is not selected.
        visible: the main zone; None where it cannot be laid to this offer.
        siblings: current values of the product's other offers.
        at_ms: evidence time, which judges validity windows; None judges none.
        shared: codes that the product's other claims state; they serve an offer that states none.
        alone: the product has no other offer, so words such as `from` speak of this one.
        net: the page says that its prices are without tax.
    """

    offer: OfferClaims
    page: Sequence[OfferClaims]
    visible: VisiblePage | None
    siblings: frozenset[Decimal] = frozenset()
    shared: Mapping[str, tuple[Claim, ...]] = field(default_factory=dict)
    at_ms: int | None = None
    alone: bool = True
    net: bool = False
    amounts: list[Amount] = field(init=False)
    shown: list[VisiblePrice] = field(init=False)
    lead: Lead = field(init=False)

    def __post_init__(self) -> None:
        own = {amount.value for amount in self.offer.amounts if amount.kind in CURRENT}
        self.amounts = [one for one in self.offer.amounts if self.at_ms is None or one.holds_at(self.at_ms)]
        for one in self.page:
            # a page-level amount that is another variant's price speaks of that variant
            self.amounts += [
                amount for amount in one.amounts if not own or amount.value in own or amount.value not in self.siblings
            ]
        self.shown = shown_prices(self.visible) if self.visible else []
        self.lead = lead_of(self.visible) if self.visible else Lead(price=None, reason="no_price")

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Every claim, for a refusal."""
        seen = self.visible.prices[:12] if self.visible else []
        return tuple([amount.claim for amount in self.amounts] + [visible_claim(one) for one in seen])[:CLAIMS_MAX]

    def refuse(self, name: str, reason: str) -> PriceDecision:
        return PriceDecision(refusals=(Refusal(field=name, reason=reason, claims=self.claims),))


def visible_claim(one: VisiblePrice) -> Claim:
    """The evidence of a visible amount."""
    return Claim.of("visible", one.path, one.raw, normaliser="price_text")


def decide_price(case: PriceCase) -> PriceDecision:
    """Decides the price of one offer: kinds, agreement, what a person sees, currency, minor units."""
    current = [amount for amount in case.amounts if amount.kind in CURRENT]
    if not any(amount.value is not None for amount in current):
        return _without_markup(case, current)
    values = _current_values(current, case)
    if len(values) != 1:
        return case.refuse("price", "contradiction" if values else "unreadable")
    value = next(iter(values))
    seen, clash = _seen(value, case)
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


def _seen(value: Decimal, case: PriceCase) -> tuple[Decimal, str | None]:
    """The value that a person sees confirmed, and why it is refused if it is contradicted."""
    visible = case.visible
    if visible is None or any(one.text.amount == value for one in case.shown):
        return value, None
    kinds = {one.kind for one in visible.prices if one.text.amount == value}
    lead = case.lead.price
    if Kind.FROM in kinds:
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


def _other_kind(value: Decimal, case: PriceCase, code: str) -> str | None:
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
    other = _other_kind(value, case, code)
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
