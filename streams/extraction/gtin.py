"""GTINs by their check digit. A GTIN is evidence about an offer, never a reason to merge two (SPEC F6)."""

import re
from dataclasses import dataclass
from typing import Final

from streams.extraction.numerals import fold

_SEPARATOR: Final = re.compile(r"(?<=\d)[\s\-]+(?=[\dXx])")
_LABEL: Final = re.compile(
    r"(?:urn:gtin:|\(01\)|https?://[\w.-]{1,40}/01/|"
    r"(?:(?:gtin|ean|upc|isbn|jan|barcode|bar code|uk ?ean)(?:[ -]?(?:8|10|12|13|14|a|code|コード))?(?=[\s:#.\d]|\Z)[/ ]?|(?:ean|upc|gtin|jan)/){1,2}\s*[:#.]?\s*)",
    re.IGNORECASE,
)
_ISBN10: Final = re.compile(r"\d{9}[\dX]")
_FLOAT: Final = re.compile(r"\d(?:[.,]\d+)?e\+?\d+|\d+\.0+", re.IGNORECASE)
_PREFIXES: Final = (
    # of thirteen digits (GS1 General Specifications 1.4): numbers that a shop or a region gives itself, and coupons
    (re.compile(r"02|04|2"), "restricted_prefix"),
    (re.compile(r"05|98[0-4]|99"), "coupon_prefix"),
)
_PREFIX_8: Final = re.compile(r"[02]")
_COUNTED: Final = "12345678901234567890"
_COUNTED_MIN: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Gtin:
    """A judged number: `gtin14` is set only when it is valid."""

    valid: bool
    gtin14: str | None
    reason: str | None


def read_gtin(text: str) -> Gtin:  # noqa: PLR0911  # one return a reason reads best
    """Judges a GTIN-8, -12, -13, -14 or an ISBN-10; everything else is invalid with its reason."""
    bare = _SEPARATOR.sub("", _LABEL.sub("", fold(text[:64]).strip(), count=1) if text else "")
    if not bare:
        return _bad("empty")
    if _ISBN10.fullmatch(bare.upper()):
        return _isbn10(bare.upper())
    if not (bare.isascii() and bare.isdigit()):
        return _bad("float_notation" if _FLOAT.fullmatch(bare) else "not_digits")
    if len(bare) not in (8, 12, 13, 14):
        return _bad("bad_length")
    if check_digit(bare[:-1]) != int(bare[-1]):
        return _bad("bad_check_digit")
    full = bare.zfill(14)
    if not full.strip("0"):
        return _bad("all_zero")
    reason = _reserved(full)
    return _bad(reason) if reason else Gtin(valid=True, gtin14=full, reason=None)


def _reserved(full: str) -> str | None:
    """Why fourteen digits with a right check digit name no trade item of the world's: a filler, or a prefix given to none."""
    body = full[:-1].lstrip("0")
    if len(set(full.lstrip("0")[:-1])) == 1 or (len(body) >= _COUNTED_MIN and _COUNTED.startswith(body)):
        return "placeholder"
    if full.startswith("000000"):
        return "restricted_prefix" if _PREFIX_8.match(full, 6) else None
    return next((reason for prefix, reason in _PREFIXES if prefix.match(full, 1)), None)


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
