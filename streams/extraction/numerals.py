# ruff: noqa: RUF001  # the words and marks of many scripts are the data here
"""Numbers as people write them: digits of any script, grouping and decimal marks by locale. Never a float, never a guess."""

import html
import re
import unicodedata
from decimal import Decimal
from typing import Final

_COMMAS: Final = (
    "AD AL AM AO AR AT AX AZ BA BE BG BO BR BY CL CO CR CY CZ DE DK DZ EC EE ES FI FO FR GE GR HR HU ID IS IT KG KZ LB LT LU LV MA MC "
    "MD ME MK MZ NL NO PL PT PY RE RO RS RU SE SI SK SM SN TN TR UA UY UZ VA VE VN XK ZA"
)
COMMA_DECIMAL: Final = frozenset(_COMMAS.split())
"""Countries whose decimal mark is a comma (CLDR, pinned). Everything else that is known uses a point."""

NUMBER: Final = re.compile(r"(?<!\d)(?:\d[\d.,'’` ]{0,24}\d(?:[.,]\d{1,3})?|\d|[.,]\d{1,2}(?![.,]\d))(?!\d)")
TEXT_CHARS_MAX: Final = 400
_ENTITY: Final = re.compile(r"&#?\w{2,8};")
DIGITS_MAX: Final = 15  # more is no price
_SPACES: Final = dict.fromkeys(map(ord, "\u00a0\u202f\u2009\u2007\u2008\u200a\u3000\t\n\r\f\v"), " ")
_MARKS: Final = {
    ord("，"): ",", ord("．"): ".", ord("。"): ".", ord("٫"): ".", ord("٬"): ",", ord("،"): ",", ord("·"): ".",
    ord("−"): "-", ord("‐"): "-", ord("‑"): "-", ord("–"): "-", ord("—"): "-", ord("－"): "-", ord("˗"): "-",
    ord("＄"): "$", ord("￥"): "¥", ord("￡"): "£", ord("￦"): "₩", ord("´"): "'", ord("ʼ"): "'", ord("′"): "'", ord("＇"): "'",
    ord("〜"): "~", ord("～"): "~", ord("（"): "(", ord("）"): ")", ord("＋"): "+", ord("／"): "/", ord("％"): "%", ord("："): ":",
    0x200E: None, 0x200F: None, 0x200B: None, 0xFEFF: None, 0x00AD: None, 0x2060: None, 0x061C: None,
    **{0x202A + i: None for i in range(5)}, **{0x2066 + i: None for i in range(4)},
}  # fmt: skip
_MAP: Final = _SPACES | _MARKS
_OTHER_DIGIT: Final = re.compile(r"[^\D0-9]")
_PLAIN: Final = re.compile(r"\d+(?:\.\d+)?")


def fold(text: str) -> str:
    """Text with ASCII digits, plain spaces, plain hyphens and full-width signs folded; direction marks removed."""
    if text.isascii() and text.isprintable():
        return text
    folded = text.translate(_MAP)
    if folded.isascii():
        return folded
    return _OTHER_DIGIT.sub(lambda match: str(unicodedata.digit(match.group())), folded)


def prepared(text: str) -> str:
    """Folded text of at most TEXT_CHARS_MAX characters that ends with no torn number."""
    if "&" in text:
        text = text[: 2 * TEXT_CHARS_MAX]
        text = _ENTITY.sub(lambda match: html.unescape(match.group()), text).replace("&dollar;", "$")
    if len(text) > TEXT_CHARS_MAX:
        text = (
            text[:TEXT_CHARS_MAX].rstrip("0123456789.,' ") if text[TEXT_CHARS_MAX].isalnum() else text[:TEXT_CHARS_MAX]
        )
    return fold(text)


def read_machine(text: str) -> Decimal | None:
    """A machine-written number (`content=`, JSON): point decimal, no grouping. None when it is anything else."""
    stripped = text.strip()
    if len(stripped) <= 32 and _PLAIN.fullmatch(stripped) and stripped.isascii():
        return Decimal(stripped)
    return None


def read_number(text: str, *, market: str | None = None, exponent: int | None = None) -> Decimal | None:
    """A folded number text as a decimal, or None when its marks leave more than one reading.

    Args:
        text: one match of `NUMBER` in folded text.
        market: country whose marks are expected.
        exponent: decimals of the currency, where it is known: a third decimal is then no decimal of a euro price.
    """
    body = text.strip(" ").replace("`", "'").replace("’", "'")
    if body[:1] in ".,":
        return Decimal("0." + body[1:]) if body[1:].isdigit() else None
    body, fraction = _split_fraction(body, market, exponent)
    whole = _ungroup(body)
    if whole is None or fraction is None or len(whole) + len(fraction) > DIGITS_MAX:
        return None
    return Decimal(f"{whole}.{fraction}") if fraction else Decimal(whole)


def _split_fraction(  # noqa: PLR0911  # one return a way of marking
    body: str, market: str | None, exponent: int | None
) -> tuple[str, str | None]:
    """(whole part with its grouping, fraction digits); the fraction is None when the marks are ambiguous."""
    marks = [ch for ch in body if ch in ".,"]
    if not marks:
        return body, ""
    last = marks[-1]
    head, _, tail = body.rpartition(last)
    if not tail.isdigit():
        return body, None
    if len(set(marks)) == 2:
        other = "," if last == "." else "."
        if last in head or other in tail:  # 1.234,567,890: two groupings
            return body, None
        return head, tail
    if marks.count(last) > 1 or (" " in head or "'" in head):
        # 1.234.567 groups; 1 234.567 and 1'234.567 have another grouping mark, so this one is decimal
        return (body, "") if marks.count(last) > 1 else (head, tail)
    if len(tail) != 3 or len(head) > 3 or head.startswith("0"):
        return head, tail
    return _three_digits(body, head, tail, last, market=market, exponent=exponent)


def _three_digits(
    body: str, head: str, tail: str, mark: str, *, market: str | None, exponent: int | None
) -> tuple[str, str | None]:
    """`1.299` and `1,299`: thousands or three decimals?"""
    if exponent == 0:
        return body, ""
    if market in _EITHER_MARK and exponent == 2:
        return body, ""
    if market:
        decimal_mark = "," if market in COMMA_DECIMAL else "."
        if mark != decimal_mark:
            return body, None if exponent == 3 else ""  # a Tunisian 12.500 is twelve dinars as often as not
        return (head, tail) if exponent == 3 and market in _MILS else (body, None)
    if exponent == 2:  # no currency with two decimals is priced with three
        return body, ""
    return body, None


_MILS: Final = frozenset({"BH", "IQ", "JO", "KW", "LY", "OM", "TN"})  # elsewhere `1,000 BHD` may be a thousand
_EITHER_MARK: Final = frozenset({"ZA"})  # the law says comma, the shops write R1,299.00


def _ungroup(text: str) -> str | None:
    """Digits of a whole part whose groups are well formed: 1 234 567, 1'234'567, 1.234.567, 12,34,567."""
    marks = {ch for ch in text if not ch.isdigit()}
    if not marks:
        return text or None
    if len(marks) > 1:
        return None
    groups = text.split(marks.pop())
    if not 1 <= len(groups[0]) <= 3 or len(groups[-1]) != 3:
        return None
    western = all(len(group) == 3 for group in groups[1:])
    indian = all(len(group) == 2 for group in groups[1:-1]) and len(groups[0]) <= 2
    return "".join(groups) if western or indian else None
