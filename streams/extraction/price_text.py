# ruff: noqa: RUF001  # the words and marks of many scripts are the data here
"""One price text, read or left open: amount, currency, kind, and the reason when something stays unknown."""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from streams.extraction.numerals import NUMBER, fold, read_number
from streams.extraction.price_words import Kind, kind_after, kind_before
from streams.extraction.signs import MARKETS, SIGN, candidates_of, choose
from topics.money import EXPONENTS

TEXT_CHARS_MAX: Final = 400
AMOUNTS_MAX: Final = 24
_CONTEXT_CHARS: Final = 32
_GAP: Final = re.compile(r"[\s:()]{0,3}\Z")
_DASH_TAIL: Final = re.compile(r"^(?:[.,]\s?-{1,2}|,?\s?-{1,2}(?=\s|$))")
_PERCENT_AFTER: Final = re.compile(r"^\s?%")
_NOT_MONEY_AFTER: Final = re.compile(
    r"^\s?(?:%|(?:x|×)\s?\d|mm\b|cm\b|kg\b|ml\b|gb\b|tb\b|mah\b|\"|''|pcs?\b|pieces\b|reviews?\b|stars?\b|days?\b|hours?\b|pairs?\b|stück\b)",
    re.IGNORECASE,
)
_RANGE_GAP: Final = re.compile(r"^\s?(?:-|~|〜|to|bis|à|a|al|до|until|through)\s?\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceText:
    """What a text says about one amount.

    Attributes:
        amount: decimal in major units, or None.
        currency: ISO code, or None while open.
        candidates: currencies that the sign leaves open.
        kind: what the amount is.
        reason: why the amount or the currency is None; None when both are known.
        sign: the currency sign or code as found, or None.
    """

    amount: Decimal | None
    currency: str | None
    candidates: tuple[str, ...]
    kind: Kind
    reason: str | None
    sign: str | None = None


def parse_price(text: str, *, currency_hint: str | None = None, market: str | None = None) -> PriceText:
    """Reads the one price of a text; a range, several prices, or an open mark gives no amount."""
    found = parse_amounts(text, currency_hint=currency_hint, market=market)
    signed = [one for one in found if one.sign]
    pool = signed or found
    current = [one for one in pool if one.kind in (Kind.SINGLE, Kind.SALE, Kind.FROM)]
    pool = current or pool
    if not pool:
        return _open("no_amount")
    if any(one.kind is Kind.RANGE for one in found):
        return _open("range", kind=Kind.RANGE, like=pool[0])
    if len({(one.amount, one.currency) for one in pool}) > 1:
        return _open("several_amounts", like=pool[0])
    return pool[0]


def _open(reason: str, *, kind: Kind = Kind.SINGLE, like: PriceText | None = None) -> PriceText:
    currency, candidates = (like.currency, like.candidates) if like else (None, ())
    return PriceText(amount=None, currency=currency, candidates=candidates, kind=kind, reason=reason)


def parse_amounts(text: str, *, currency_hint: str | None = None, market: str | None = None) -> tuple[PriceText, ...]:
    """Every amount of a text with its sign and kind, in order. Numbers that measure something else are left out."""
    folded = fold(text[:TEXT_CHARS_MAX])
    signs = [_Span(start=match.start(), end=match.end(), text=match.group()) for match in SIGN.finditer(folded)]
    out: list[PriceText] = []
    last_end = 0
    for span in _number_spans(folded, signs)[:AMOUNTS_MAX]:
        sign = _sign_of(folded, span, signs, last_end)
        one = _read(folded, span, sign, last_end, hint=currency_hint, market=market)
        if one is None:
            continue
        if out and (one.sign or out[-1].sign) and _RANGE_GAP.match(_between(folded, last_end, span.start)):
            out[-1], one = _as_range(out[-1]), _as_range(one)
        out.append(one)
        last_end = max(span.end, sign.end if sign else 0)
    return tuple(out)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Span:
    """A part of the folded text."""

    start: int
    end: int
    text: str = ""


def _as_range(one: PriceText) -> PriceText:
    return PriceText(
        amount=None, currency=one.currency, candidates=one.candidates, kind=Kind.RANGE, reason="range", sign=one.sign
    )


def _between(folded: str, last_end: int, start: int) -> str:
    """The text between two amounts without their signs."""
    return SIGN.sub("", folded[last_end:start]) if start - last_end < 24 else "…"


def _number_spans(folded: str, signs: list[_Span]) -> list[_Span]:
    """Spans of number texts; a space groups only well-formed thousands and never joins two numbers."""
    spans: list[_Span] = []
    after_sign = {sign.end for sign in signs}
    for match in NUMBER.finditer(folded):
        start, end = match.span()
        glued = start > 0 and (folded[start - 1].isalnum() or folded[start - 1] in "_#")
        if not glued or start in after_sign:
            spans.extend(_Span(start=start + one, end=start + other) for one, other in _split_spaces(folded[start:end]))
    return spans


_GROUPED: Final = re.compile(r"\d{1,3}(?: \d{3})+(?![\d])(?:[.,]\d{1,3}(?!\d))?")
_WORD: Final = re.compile(r"[^ ]+")


def _split_spaces(text: str) -> list[tuple[int, int]]:
    grouped = _GROUPED.fullmatch(text)
    if grouped or " " not in text:
        return [(0, len(text))]
    return [match.span() for match in _WORD.finditer(text) if any(ch.isdigit() for ch in match.group())]


def _sign_of(folded: str, number: _Span, signs: list[_Span], last_end: int) -> _Span | None:
    """The sign that touches a number: before it first, then after it, at most three blanks between.

    A sign that closed the amount before is not taken twice, and a code behind an ambiguous sign decides it (`$5.00 USD`).
    """
    before = [
        one
        for one in signs
        if last_end <= one.start and one.end <= number.start and _GAP.match(folded[one.end : number.start])
    ]
    tail = _DASH_TAIL.match(folded[number.end :])
    end = number.end + (tail.end() if tail else 0)
    after = [one for one in signs if one.start >= end and _GAP.match(folded[end : one.start])]
    if before and after:
        open_to = candidates_of(before[-1].text)
        code = candidates_of(after[0].text)
        if len(open_to) > 1 and len(code) == 1 and code[0] in open_to:
            return _Span(start=before[-1].start, end=after[0].end, text=after[0].text)
    return before[-1] if before else after[0] if after else None


def _read(
    folded: str, number: _Span, sign: _Span | None, last_end: int, *, hint: str | None, market: str | None
) -> PriceText | None:
    """One number with its surroundings; None when it is no money."""
    start, end = number.start, number.end
    left, right = (min(start, sign.start), max(end, sign.end)) if sign else (start, end)
    after = folded[right : right + _CONTEXT_CHARS].lower()
    tail = _DASH_TAIL.match(folded[end:])
    measured = _NOT_MONEY_AFTER.match(after) or (start and folded[start - 1] == "/")
    if (not sign and measured) or _PERCENT_AFTER.match(folded[end:]):
        return None
    before = folded[max(last_end, left - _CONTEXT_CHARS) : left].lower()
    kind = kind_after(after[tail.end() if tail and not sign else 0 :]) or kind_before(before) or Kind.SINGLE
    currency = choose(sign.text, hint=hint, market=market) if sign else hint
    candidates = candidates_of(sign.text) if sign and currency is None else ()
    amount = read_number(
        folded[start:end].rstrip(" .,'"),
        market=market or _market_of(currency),
        exponent=_exponent(currency, candidates),
    )
    reason = _reason(amount, folded, start, left)
    if reason is None and currency is None:
        reason = "ambiguous_currency" if sign else "no_currency"
    return PriceText(
        amount=None if reason in ("negative", "zero") else amount,
        currency=currency,
        candidates=candidates,
        kind=kind,
        reason=reason,
        sign=sign.text if sign else None,
    )


def _exponent(currency: str | None, candidates: tuple[str, ...]) -> int | None:
    if currency:
        return EXPONENTS[currency]
    exponents = {EXPONENTS[code] for code in candidates}
    if exponents and exponents <= {0, 2}:
        return max(exponents)  # none of them is priced with three decimals
    return exponents.pop() if len(exponents) == 1 else None


_HOME: Final = {code: market for market, code in reversed(MARKETS.items()) if code not in ("EUR", "USD")}


def _market_of(currency: str | None) -> str | None:
    """The home of a currency that has one: its marks are expected when no market is given."""
    return _HOME.get(currency or "")


def _reason(amount: Decimal | None, folded: str, start: int, left: int) -> str | None:
    """Why an amount cannot be used, or None."""
    if amount is None:
        return "ambiguous_separator"
    ahead = folded[max(0, left - 2) : left].rstrip()
    lonely = not folded[:left].rstrip(" -")[-1:].isalnum()
    if folded[max(0, start - 1) : start] == "-" or (ahead.endswith("-") and lonely):
        return "negative"
    return "zero" if amount == 0 else None
