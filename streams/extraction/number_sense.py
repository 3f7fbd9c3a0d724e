# ruff: noqa: RUF001  # the words and marks of many scripts are the data here
"""What the characters right around a number make of it: a measure, a part of a range, a multiple, a minus, one of several for a price."""

import re
from typing import Final

from streams.extraction.amount_spans import CENTS, Spotted
from streams.extraction.signs import SIGN

_MEASURED: Final = re.compile(
    r"\s?(?:%|percent\b|per cent\b|prozent\b|procent\b|por ?ciento\b|pour ?cent\b|per ?cento\b|процент|(?:x|×)\s?\d|[\"'°²³¢]|mm\b|cm\b|m\b|km\b|kg\b|g\b|mg\b|ml\b|cl\b|l\b|oz\b|fl\b|lbs?\b|ft\b|in\b|inch|"
    r"gb\b|tb\b|mb\b|mah\b|w\b|wh\b|v\b|hz\b|pcs?\b|pieces?\b|pack\b|pk\b|count\b|ct\b|reviews?\b|ratings?\b|stars?\b|★|years?\b|months?\b|weeks?\b|days?\b|hours?\b|hrs?\b|min\b|mins\b|minutes?\b|pairs?\b|"
    r"stück\b|stk\b|er[ -]?pack|tage?\b|jahre?\b|stunden\b|jours?\b|ans\b|mois\b|días?\b|giorni\b|dagen\b|dni\b|szt\b|ks\b|шт|дн|лет|кг\b|мл\b|г\b|л\b|м\b|см\b|мм\b)",
    re.IGNORECASE,
)
_PERCENT: Final = re.compile(r"\s?%")
_MULTIPLIED: Final = re.compile(
    r"(?:k|m|mm|mn|bn|b|tr|e\d+)(?!\w)|\s?(?:mio|mrd|mill?i[oó]n\w*|millones|milh(?:ão|ões)|milioni|billion|mil|tys|тыс|млн|млрд|lakhs?|crores?|cr|triệu|tỷ|nghìn|ribu|juta|jt|rb|bin|milyon)(?!\w)|\s?[万億亿만억千萬½¼¾⅓⅔⅛⅜⅝⅞]",
    re.IGNORECASE,
)
_RANGE_GAP: Final = re.compile(
    r"\s{0,3}(?:-|~|to|bis|à|a|al|до|until|through|tot|till|til|do|až|έως)\s{0,3}", re.IGNORECASE
)
_BETWEEN_GAP: Final = re.compile(r"\s{0,3}(?:and|und|et|y|e|i|и|en|och|og|та|și|és|ve)\s{0,3}", re.IGNORECASE)
_BETWEEN: Final = re.compile(
    r"(?<!\w)(?:between|zwischen|entre|tra|fra|między|mezi|medzi|между|між|tussen|mellan|mellem|mellom|între|között)\s\Z",
    re.IGNORECASE,
)
RANGE_CHARS_MAX: Final = 24
_MULTI_BUY: Final = re.compile(
    r"(?<![\w.,])(?!1\b)\d{1,2} ?(?:st|stk|pcs|kpl|items?)?\.? ?(?:for|für|pour|por|voor|för|pentru|za|за|per)\s?:?\s?\Z|[2-9]個で\s?\Z",
    re.IGNORECASE,
)
_MEASURE_OF: Final = re.compile(r"(?:\A|[\s|(])\d{1,4} ?(?:kg|g|ml|l|m|cl|dl|oz|lb|м|кг|г|л)\s?=\s?\Z", re.IGNORECASE)
_BOOKED_MINUS: Final = re.compile(r"-(?=\s*(?:\Z|[€$£¥₹]))")
_NOT_DIGIT: Final = re.compile(r"\D+")
_COMPOUND: Final = re.compile(r"\d[-/:]\d")
_CODE: Final = re.compile(r"0\d+|\d{11,}")


def is_percent(folded: str, one: Spotted) -> bool:
    """Whether a percent sign follows: even a signed `€ 20 %` is none."""
    return _PERCENT.match(folded, one.bare_end) is not None


def is_measure(folded: str, one: Spotted) -> bool:
    """Whether an unsigned number counts or measures something, or is a code."""
    start, end = one.number.start, one.bare_end
    glued = folded[end : end + 1].isalpha()
    fraction = folded[start - 1 : start] in ("/", "#")
    return (
        glued
        or fraction
        or _CODE.fullmatch(one.number.text) is not None
        or any(pattern.match(folded, end) for pattern in (_MEASURED, _MULTIPLIED))
    )


def is_compound(folded: str) -> bool:
    """Whether a text holds a date, a time, a telephone number or a fraction: digits joined by a mark that no price has."""
    return _COMPOUND.search(folded) is not None


def is_multiplied(folded: str, one: Spotted) -> bool:
    """`$5k`, `2 Mio. €`, `1万円`: the digits are not the amount."""
    return bool(_MULTIPLIED.match(folded, one.bare_end) or (one.after and _MULTIPLIED.match(folded, one.right)))


def is_for_several(folded: str, one: Spotted) -> bool:
    """`2 for $10`."""
    return _MULTI_BUY.search(folded[max(0, one.left - 20) : one.left]) is not None


def is_of_measure(before: str) -> bool:
    """`1 kg = 12,50 €`."""
    return _MEASURE_OF.search(before) is not None


def is_range(folded: str, one: Spotted, other: Spotted) -> bool:
    """Whether two neighbours are the bounds of one range."""
    if not 0 <= other.number.start - one.bare_end <= RANGE_CHARS_MAX:
        return False
    if one.sign is None and _units(one) >= _units(other):
        return False  # `Levi's 501 - 59,95 €`
    gap = SIGN.sub("", folded[one.bare_end : other.number.start])
    if _RANGE_GAP.fullmatch(gap):
        return True
    return bool(_BETWEEN_GAP.fullmatch(gap) and _BETWEEN.search(folded[: one.left]))


def _units(one: Spotted) -> int:
    """The whole part of a number, roughly."""
    return int(_NOT_DIGIT.sub("", CENTS.sub("", one.number.text)) or 0)


def is_negative(folded: str, one: Spotted, last_end: int) -> bool:
    """A minus sign before the amount, a bookkeeper's behind it, or his brackets.

    Args:
        folded: the text.
        one: the amount.
        last_end: where the amount before ended: a dash of `99.-` is no minus of the next.
    """
    start, end, left = one.number.start, one.bare_end, one.left
    if one.before and folded[start - 1 : start] == "(" and folded[end : end + 1] == ")":
        return True
    if one.end == end and _BOOKED_MINUS.match(folded, end):
        return True
    if folded[start - 1 : start] == "-" and start - 1 >= last_end:
        return not (
            one.before is None and folded[max(0, start - 2) : start - 1].isalpha()
        )  # the Hebrew prefix of `from`
    ahead = folded[max(0, left - 2, last_end) : left].rstrip()
    return ahead.endswith("-") and not folded[:left].rstrip(" -")[-1:].isalnum()
