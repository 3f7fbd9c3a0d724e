"""Where the numbers of a folded text stand, and which currency sign belongs to which: the one that touches it nearest."""

import re
from dataclasses import dataclass, field
from typing import Final

from streams.extraction.numerals import NUMBER
from streams.extraction.signs import QUIET, SIGN, WORD_CODES, candidates_of, counts

_GAP: Final = re.compile(r"[\s:()]{0,3}")
TAIL: Final = re.compile(r"[.,:]\s?-{1,2}|-{1,2}(?=\s|$)")
"""`49,-`, `49.--`, `199:-`, `49--`: no cents."""
CENTS: Final = re.compile(r"[.,]\d{2}\Z")
_LATIN_END: Final = "\u0590"  # scripts from here on write a number right behind a word


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A part of the folded text."""

    start: int
    end: int
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spotted:
    """A number with the signs that touch it.

    Attributes:
        number: the number's span.
        end: where the number ends with its tail, `49,-`.
        before: the sign before it.
        after: the sign after it.
        contested: a sign stands as near to a neighbour that no other sign claims.
    """

    number: Span
    end: int
    before: Span | None
    after: Span | None
    contested: bool = False

    @property
    def bare_end(self) -> int:
        """Where the digits end."""
        return self.number.start + len(self.number.text)

    @property
    def left(self) -> int:
        return min(self.number.start, self.before.start) if self.before else self.number.start

    @property
    def right(self) -> int:
        return max(self.end, self.after.end) if self.after else self.end

    @property
    def sign(self) -> str | None:
        """The sign that names the currency: of an open one and a code of its currencies, the code (`$5.00 CAD`)."""
        if self.before is None or self.after is None:
            one = self.before or self.after
            return one.text if one else None
        first, second = candidates_of(self.before.text), candidates_of(self.after.text)
        return self.after.text if len(first) > 1 and len(second) == 1 and second[0] in first else self.before.text

    @property
    def disagrees(self) -> bool:
        """Whether the signs of both sides name different currencies."""
        both = self.before is not None and self.after is not None
        return both and not set(candidates_of(self.before.text)) & set(candidates_of(self.after.text))  # type: ignore[union-attr]


def spot(folded: str, *, hint: str | None, market: str | None) -> list[Spotted]:
    """The numbers of a text in order, each with its signs."""
    signs = _signs(folded, hint, market)
    numbers = _numbers(folded, signs)
    ends = [_tail_end(folded, one) for one in numbers]
    owned = _Owned(numbers=numbers, ends=ends)
    between: list[tuple[Span, int, int]] = []
    for sign in signs:
        left = next((i for i in range(len(numbers) - 1, -1, -1) if ends[i] <= sign.start), None)
        right = next((i for i, one in enumerate(numbers) if one.start >= sign.end), None)
        left = left if left is not None and _GAP.fullmatch(folded, ends[left], sign.start) else None
        right = right if right is not None and _GAP.fullmatch(folded, sign.end, numbers[right].start) else None
        if left is not None and right is not None:
            between.append((sign, left, right))
        elif left is not None:
            owned.after.setdefault(left, sign)
        elif right is not None:
            owned.before[right] = sign
    for sign, left, right in between:
        owned.settle(sign, left, right)
    return [
        Spotted(
            number=one,
            end=ends[i],
            before=owned.before.get(i),
            after=owned.after.get(i),
            contested=i in owned.contested,
        )
        for i, one in enumerate(numbers)
    ]


@dataclass(slots=True, kw_only=True)
class _Owned:
    """Which number has which sign, by the numbers' places."""

    numbers: list[Span]
    ends: list[int]
    before: dict[int, Span] = field(default_factory=dict)
    after: dict[int, Span] = field(default_factory=dict)
    contested: set[int] = field(default_factory=set)

    def settle(self, sign: Span, left: int, right: int) -> None:
        """Gives a sign between two numbers to the nearer, to the one without a sign, or to the one with cents."""
        near, far = sign.start - self.ends[left], self.numbers[right].start - sign.end
        cents = [bool(CENTS.search(self.numbers[i].text)) for i in (left, right)]
        if near != far:
            mine = near < far
        elif right in self.after or right in self.before:
            mine = left not in self.before
        elif left in self.before:
            mine = False
        else:
            mine = cents[0] or not cents[1]
            if cents[0] == cents[1]:
                self.contested.add(left)
        if mine:
            self.after.setdefault(left, sign)
        else:
            self.before.setdefault(right, sign)


def _signs(folded: str, hint: str | None, market: str | None) -> list[Span]:
    """The signs that count here; an open sign and a code beside it (`MXN $`, `$ CA`) are one."""
    out: list[Span] = []
    for match in SIGN.finditer(folded):
        text = match.group()
        if text in QUIET and not counts(text, hint=hint, market=market) and not _behind_cents(folded, match):
            continue
        span = Span(start=match.start(), end=match.end(), text=text)
        if out and folded[out[-1].end : span.start] in ("", " ") and _joins(out[-1].text, text):
            wide = out.pop()
            code = text if len(candidates_of(text)) == 1 else wide.text
            span = Span(start=wide.start, end=span.end, text=code)
        out.append(span)
    return out


def _behind_cents(folded: str, match: re.Match[str]) -> bool:
    """`129.90 TRY`: behind two decimals a code is no word."""
    return match.group() in WORD_CODES and bool(
        re.search(r"[.,]\d{2}\s?\Z", folded[max(0, match.start() - 4) : match.start()])
    )


def _joins(one: str, other: str) -> bool:
    first, second = set(candidates_of(one)), set(candidates_of(other))
    return len(first) != len(second) and bool(first & second) and 1 in (len(first), len(second))


def _numbers(folded: str, signs: list[Span]) -> list[Span]:
    """Spans of number texts; a space groups only well-formed thousands and never joins two numbers."""
    spans: list[Span] = []
    after_sign = {sign.end for sign in signs}
    for match in NUMBER.finditer(folded):
        start, end = match.span()
        ahead = folded[start - 1] if start else " "
        glued = (ahead.isalnum() and ahead < _LATIN_END) or ahead in "_#"
        own = len(_RUN.match(folded, start, end).group()) if glued and start not in after_sign else 0  # type: ignore[union-attr]
        start += own  # the digits of `PS5` are its own
        for one, other in _split_spaces(folded[start:end]):
            if other > one:
                spans.append(
                    Span(start=start + one, end=start + other, text=folded[start + one : start + other].rstrip(" .,'`"))
                )
    return spans


_RUN: Final = re.compile(r"[\d.,']*")
_GROUPED: Final = re.compile(r"\d{1,3}(?: \d{3})+(?![\d])(?:[.,]\d{1,3}(?!\d))?")
_WORD: Final = re.compile(r"[^ ]+")


def _split_spaces(text: str) -> list[tuple[int, int]]:
    if " " not in text or _GROUPED.fullmatch(text):
        return [(0, len(text))]
    return [match.span() for match in _WORD.finditer(text) if any(ch.isdigit() for ch in match.group())]


def _tail_end(folded: str, number: Span) -> int:
    """Where a number ends with its tail."""
    end = number.start + len(number.text)
    tail = TAIL.match(folded, end) if "." not in number.text[-3:] and "," not in number.text[-3:] else None
    return tail.end() if tail else end
