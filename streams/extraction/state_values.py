"""Values of embedded states as claims: amounts in major units, stock flags."""

from typing import Any

import orjson

from streams.extraction.claims import Amount, Fact, value_text
from streams.extraction.numerals import read_machine
from streams.extraction.price_words import Kind
from topics.evidence import Claim


def amount(value: Any, kind: Kind, claim: Claim, currency: str | None = None) -> tuple[Amount, ...]:
    """One amount in major units from a number or a point-decimal text; none for what is no number."""
    if isinstance(value, bool) or value is None:
        return ()
    read = read_machine(value_text(value))
    if read is None:
        return ()
    if read == 0:
        return (Amount(value=None, kind=kind, currency=currency, claim=claim, reason="zero"),)
    return (Amount(value=read, kind=kind, currency=currency, claim=claim),)


def parsed(text: str) -> Any:
    """The JSON value of an attribute, or None."""
    try:
        return orjson.loads(text) if len(text) < 2 << 20 else None
    except orjson.JSONDecodeError:
        return None


def flag_stock(value: Any, claim: Claim) -> tuple[Fact, ...]:
    """A boolean stock flag as a fact; nothing for anything else."""
    return (Fact(value="InStock" if value else "OutOfStock", claim=claim),) if isinstance(value, bool) else ()
