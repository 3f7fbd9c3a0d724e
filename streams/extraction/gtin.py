"""GTINs by their check digit. A GTIN is evidence about an offer, never a reason to merge two (SPEC F6)."""

import re
from dataclasses import dataclass
from typing import Final

from streams.extraction.numerals import fold

_SEPARATORS: Final = re.compile(r"[\s\-]+")
_ISBN10: Final = re.compile(r"\d{9}[\dXx]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Gtin:
    """A judged number: `gtin14` is set only when it is valid."""

    valid: bool
    gtin14: str | None
    reason: str | None


def read_gtin(text: str) -> Gtin:  # noqa: PLR0911  # one return a reason reads best
    """Judges a GTIN-8, -12, -13, -14 or an ISBN-10; everything else is invalid with its reason."""
    bare = _SEPARATORS.sub("", fold(text[:64]).strip())
    for prefix in ("urn:gtin:", "gtin:", "isbn:", "isbn", "ean:", "ean", "upc:", "upc"):
        if bare.lower().startswith(prefix):
            bare = bare[len(prefix) :]
    if not bare:
        return _bad("empty")
    if (_ISBN10.fullmatch(bare) and not bare.isdigit()) or (len(bare) == 10 and bare.isdigit()):
        return _isbn10(bare.upper())
    if not (bare.isascii() and bare.isdigit()):
        return _bad("not_digits")
    if len(bare) not in (8, 12, 13, 14):
        return _bad("bad_length")
    if check_digit(bare[:-1]) != int(bare[-1]):
        return _bad("bad_check_digit")
    full = bare.zfill(14)
    if not full.strip("0"):
        return _bad("all_zero")
    return Gtin(valid=True, gtin14=full, reason=None)


def check_digit(digits: str) -> int:
    """The GS1 check digit of the digits before it."""
    total = sum(int(digit) * (3 if i % 2 == 0 else 1) for i, digit in enumerate(reversed(digits)))
    return -total % 10


def _isbn10(bare: str) -> Gtin:
    total = sum((10 - i) * (10 if digit == "X" else int(digit)) for i, digit in enumerate(bare))
    if total % 11:
        return _bad("bad_check_digit")
    head = "978" + bare[:9]
    return Gtin(valid=True, gtin14=(head + str(check_digit(head))).zfill(14), reason=None)


def _bad(reason: str) -> Gtin:
    return Gtin(valid=False, gtin14=None, reason=reason)
