"""Which currency the claims about an offer state: its amounts, then the offer, then the page."""

from collections.abc import Sequence

from streams.extraction.claims import Amount, OfferClaims, ProductClaims
from streams.extraction.price_words import CURRENT
from streams.extraction.signs import iso_code
from streams.extraction.subject import Subject
from topics.evidence import Claim


def stated_codes(amounts: Sequence[Amount], offers: Sequence[OfferClaims]) -> dict[str, list[Claim]]:
    """Stated currency codes with their claims: of the current amounts, then of the offers."""
    out: dict[str, list[Claim]] = {}
    for amount in amounts:
        if amount.currency and amount.kind in CURRENT:
            out.setdefault(amount.currency, []).append(amount.claim)
    for one in offers:
        for fact in one.facts.get("currency", ()):
            code = iso_code(fact.value)
            if code:
                out.setdefault(code, []).append(fact.claim)
    return out


def shared_codes(subject: Subject, meta: ProductClaims | None) -> dict[str, tuple[Claim, ...]]:
    """Codes that any claim about the product or the page states: a shop has one currency on one page, or says so."""
    out: dict[str, tuple[Claim, ...]] = {}
    offers = [offer for variant in subject.variants for offer in variant.offers] + subject.page
    stated = [fact for offer in offers for fact in offer.facts.get("currency", ())] + list(
        meta.facts.get("currency", ()) if meta else ()
    )
    pairs = [(iso_code(fact.value), fact.claim) for fact in stated]
    pairs += [(amount.currency, amount.claim) for offer in offers for amount in offer.amounts]
    for code, claim in pairs:
        if code:
            out[code] = (*out.get(code, ()), claim)[:4]
    return out
