"""Cents that stand apart from their number: `$19 99`, `19€99`, `1.837, 32 €`. Joined where the text is nothing else, else refused."""

import re
from typing import Final

from streams.extraction.amount_spans import Spotted
from streams.extraction.signs import SIGN

_MARK: Final = "\0"
_GLUED: Final = re.compile(r"(?<![€£$¥\d.,'])(\d{1,3}(?:[.,' ]\d{3})+|\d+)([€£])(\d\d)(?![\d€£$]|[.,']\d|\s?%)")
_WHOLE: Final = re.compile(r"(\0?) ?(\d{1,3}(?:[.,' ]\d{3})+|\d+)(?: ?([.,]) ?|( ?)\0( ?)| )(\d\d) ?(\0?)")
_CHARS_MAX: Final = 24
_TWO_BEHIND: Final = re.compile(r" ?\d\d(?=\s*(?:\Z|[*)]))")
_DIGIT_AHEAD: Final = re.compile(r"(?:\A|[^\w])\d+[.,]? \Z")
_WORD_AHEAD: Final = re.compile(r"[^\W\d_] ?\Z")
_SPACE_MARKETS: Final = (
    "AM BE BG BY CA CH CR CZ DK DZ EE ES FI FR GE HR HU IS KG KZ LT LU LV MA MC MD NO PL PT RS RU SE SI SK TN UA UZ ZA"
)
_SPACED: Final = frozenset(_SPACE_MARKETS.split())
"""Markets where a space groups thousands. Elsewhere `iPhone 15 799 €` may be a name and a price."""


def join_cents(folded: str, *, alone: bool) -> str:
    """The text with its cents beside their number, where it can be read in one way only.

    Args:
        folded: the text.
        alone: whether it was given as a price; a text found on a page needs a mark between: `$19 99` may be two numbers there.
    """
    if "€" in folded or "£" in folded:
        folded = _GLUED.sub(lambda match: f"{match[1]}{_decimal_mark(match[1])}{match[3]} {match[2]}", folded)
    text = folded.strip(" *")
    if len(text) > _CHARS_MAX or not (" " in text or (text[:1].isdigit() and text[-1:].isdigit())):
        return folded
    return _joined_whole(text, alone=alone) or folded


def _joined_whole(text: str, *, alone: bool) -> str | None:
    """A text of one sign, one number and two digits apart from it."""
    signs = SIGN.findall(text)
    if len(signs) != 1:
        return None
    found = _WHOLE.fullmatch(SIGN.sub(_MARK, text))
    if found is None or not (alone or found[3]):
        return None
    first, whole, mark, cents, last = found[1], found[2], found[3], found[6], found[7]
    between = found[4] is not None
    if len([one for one in (first, last, _MARK if between else "") if one]) != 1 or (last and mark is None):
        return None  # `2 15 €` is a quantity and a price as often as two euros fifteen
    return f"{whole}{mark or _decimal_mark(whole)}{cents} {signs[0]}"


def _decimal_mark(whole: str) -> str:
    return "." if "," in whole else ","


def is_split(folded: str, one: Spotted, *, market: str | None) -> bool:
    """Whether digits beside a signed number may be a part of it: its cents, its thousands, or the number of a name."""
    text = one.number.text
    if one.sign is None:
        return False
    if re.search(r"[.,]\d{1,2}\Z", text) is None and _TWO_BEHIND.match(folded, one.right):
        return True
    if not one.before and re.fullmatch(r"\d{2,3}", text) and _DIGIT_AHEAD.search(folded[: one.number.start]):
        return True
    ahead = folded[max(0, one.number.start - 2) : one.number.start]
    if ahead[-1:] == ":" and ahead[:1].isdigit():
        return True
    return (
        " " in text
        and not one.before
        and market is not None
        and market not in _SPACED
        and bool(_WORD_AHEAD.search(ahead))
    )
