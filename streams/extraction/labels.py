"""SKU and brand of one offer, where lanes may disagree: one value that explains the others, or a refusal that keeps all claims."""

import re
from collections.abc import Callable
from typing import Final

from streams.extraction.answer import Refusal
from streams.extraction.claims import Fact, OfferClaims
from streams.extraction.subject import words
from topics.evidence import Claim

_VOID: Final = re.compile(
    r"(?:undefined|null|none|n/?a|nan|true|false|0|[\W_]+)|.*(?:\{\{|\$\{|\[\[|<%).*|\$[A-Za-z_]\w*", re.IGNORECASE
)
"""What a template prints where it has no value, or where nobody filled it in."""

_SKU_LABEL: Final = re.compile(r"sku\b[\s:#]+(?=\S)", re.IGNORECASE)
_MARKS: Final = re.compile(r"[\W_]+")
Decided = tuple[str | None, tuple[Claim, ...], Refusal | None]


def decide_sku(offer: OfferClaims) -> Decided:
    """The stock-keeping number.

    Platforms print their own number as the SKU where the merchant gave none. So a claimed SKU that another claim names the
    platform's id or the GTIN gives way to one that is neither; what is then left must be one.
    """
    facts = _spoken(offer, "sku", lambda text: _SKU_LABEL.sub("", text, count=1) if _SKU_LABEL.match(text) else text)
    ids = {
        number(fact.value)
        for name in ("platform_id", "variant_id", "group_id", "gtin")
        for fact in offer.facts.get(name, ())
    }
    merchants = [fact for fact in facts if number(fact.value) not in ids]
    value, claims, refusal = _one("sku", merchants or facts, {number(fact.value) for fact in merchants or facts})
    confirming = [
        fact.claim for fact in offer.facts.get("retailer_id", ()) if value and number(fact.value) == number(value)
    ]
    return value, claims + tuple(confirming[:1]), refusal


def decide_brand(offer: OfferClaims) -> Decided:
    """The brand: `Acme` explains `More by Acme`, but not `Apex`."""
    facts = sorted(_spoken(offer, "brand", str), key=lambda fact: len(words(fact.value)))
    names = {words(fact.value) for fact in facts}
    if facts and all(f" {words(facts[0].value)} " in f" {name} " for name in names):
        facts = [fact for fact in facts if words(fact.value) == words(facts[0].value)]
        names = {words(facts[0].value)}
    return _one("brand", facts, names)


def number(text: str) -> str:
    """A number as it is compared: `466/7999` and `4667999` are one."""
    return _MARKS.sub("", text).lower().lstrip("0")


def _spoken(offer: OfferClaims, name: str, clean: Callable[[str], str]) -> list[Fact]:
    """The facts that say something; a merchant selector speaks alone."""
    facts = [Fact(value=clean(fact.value), claim=fact.claim) for fact in offer.facts.get(name, ())]
    facts = [fact for fact in facts if not _VOID.fullmatch(fact.value)]
    picked = [fact for fact in facts if fact.claim.syntax == "selector"]
    return picked or facts


def _one(name: str, facts: list[Fact], values: set[str]) -> Decided:
    claims = tuple(fact.claim for fact in facts)
    if len(values) > 1:
        return None, (), Refusal(field=name, reason="contradiction", claims=claims)
    return (facts[0].value if facts else None), claims[:4], None
