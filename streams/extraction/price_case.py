"""Everything that is said about the price of one offer, and what can be decided about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from streams.extraction.answer import Refusal
from streams.extraction.claims import Amount, OfferClaims
from streams.extraction.lead import Lead, lead_of, shown_prices
from streams.extraction.price_words import CURRENT
from streams.extraction.visible import VisiblePage, VisiblePrice
from topics.evidence import Claim
from topics.money import Money

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
