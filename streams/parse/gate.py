"""The template gate: how well the pages of one template were read lately, and whether their offers may still be published.

A parser breaks by template, not by page: a relaunch turns every product page of a shop at once. One page cannot tell it from a
page that is odd by itself; the last fifty of its kind can. Pure: rows in, rows out.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from streams.extraction.page import OfferReading, PageReading
from streams.url_pattern import pattern_of
from topics.evidence import Claim

MARKS_MAX: Final = 50
MARKS_MIN: Final = 20
TEMPLATE_CHARS_MAX: Final = 200
FILLED, DISAGREED, REPAIRED = 1, 2, 4
"""Bits of a mark."""

CONTRADICTIONS: Final = frozenset(
    {"contradiction", "visible_price_differs", "visible_price_lower", "visible_currency_differs", "visible_sold_out"}
)
_DECIDING: Final = frozenset({"price", "currency", "availability"})
_PRICED: Final = ("price_minor", "currency", "list_price_minor")
_REWRITING: Final = frozenset({"entities", "quotes"})
"""Repairs that rewrite text inside values; the others only drop what stands around them, so no price text is touched."""

_PLAIN: Final = re.compile(r"[A-Za-z]{1,24}|\{(?:n|date|token)\}")
_ENDING: Final = re.compile(r"\.[a-z]{3,5}\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Rates at which publication stops (closed gate) or must not stop (open gate); `fill` is a minimum, the others maxima."""

    fill: float
    disagreement: float
    repair: float


CLOSES_BEYOND: Final = Limits(fill=0.5, disagreement=0.3, repair=0.5)
REOPENS_WITHIN: Final = Limits(fill=0.7, disagreement=0.2, repair=0.4)
"""Stricter than what closes, so that a template at the threshold does not open and close with every page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Shares of the marks, 0 to 1, and how many marks there are."""

    marks: int
    fill: float
    disagreement: float
    repair: float

    def within(self, limits: Limits) -> bool:
        """Whether no rate is beyond its limit."""
        return self.fill >= limits.fill and self.disagreement <= limits.disagreement and self.repair <= limits.repair

    def __str__(self) -> str:
        return (
            f"of the last {self.marks} pages {self.fill:.0%} were filled, {self.disagreement:.0%} disagreed, "
            f"{self.repair:.0%} had price text repaired"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """The row of one template of one merchant.

    Attributes:
        applied: offset of the observation last marked.
        parser_rev: what read the marked pages (`read.parser_rev`); another revision or other selectors start anew, with an open gate.
        marks: what the last pages said, oldest first, at most 50.
        closed: whether candidates are kept back.
        turned: offset of the observation that last closed or reopened it, -1 for none.
    """

    applied: int
    parser_rev: str
    marks: tuple[int, ...] = ()
    closed: bool = False
    turned: int = -1

    def __post_init__(self) -> None:
        assert len(self.marks) <= MARKS_MAX

    @property
    def rates(self) -> Rates:
        """What the marks amount to; without marks all is well."""
        total = len(self.marks)
        return Rates(
            marks=total,
            fill=_share(self.marks, FILLED) if total else 1.0,
            disagreement=_share(self.marks, DISAGREED),
            repair=_share(self.marks, REPAIRED),
        )


def _share(marks: tuple[int, ...], bit: int) -> float:
    return sum(1 for mark in marks if mark & bit) / max(len(marks), 1)


def template_of(identity_url: str, lanes: Iterable[str]) -> str:
    """Returns the template of a page: the shape of its address and the lanes that spoke.

    `pattern_of` keeps words; the words that name one product (the last segment, and any with a hyphen) are no shape, so
    `/shop/oak-stool` and `/shop/lamp` are one template.
    """
    path, mark, names = pattern_of(identity_url).partition("?")
    segments = path.split("/")
    last = max((at for at, segment in enumerate(segments) if segment), default=-1)
    shaped = [_shape(segment, is_last=at == last) for at, segment in enumerate(segments)]
    shape = "/".join(shaped) + mark + names
    return f"{shape[:TEMPLATE_CHARS_MAX]} {'+'.join(sorted(lanes)) or 'visible'}"


def _shape(segment: str, *, is_last: bool) -> str:
    if not segment or (_PLAIN.fullmatch(segment) and not is_last):
        return segment
    ending = _ENDING.search(segment)
    return "{slug}" + (ending.group() if ending else "")


def mark_of(reading: PageReading, *, filled: bool) -> int:
    """Returns the mark of one product page; `filled` when an offer of it has every field that publication requires."""
    disagreed = any(one.reason in CONTRADICTIONS and one.field in _DECIDING for one in reading.refusals)
    repaired = any(_rewritten(claim) for offer in reading.offers for claim in _price_claims(offer))
    return FILLED * filled | DISAGREED * disagreed | REPAIRED * repaired


def _price_claims(offer: OfferReading) -> Iterable[Claim]:
    return (claim for field in _PRICED for claim in offer.evidence.get(field, ()))


def _rewritten(claim: Claim) -> bool:
    return not _REWRITING.isdisjoint(claim.repair.split("+"))


def marked(row: Template | None, mark: int, *, offset: int, parser_rev: str) -> Template:
    """Returns the row after one observation.

    An observation that the row has taken before changes nothing, so that handling it again counts no mark twice and says the
    same.
    """
    if row is not None and offset <= row.applied:
        return row
    before = row if row is not None else Template(applied=-1, parser_rev=parser_rev)
    same = before.parser_rev == parser_rev
    after = replace(
        before, applied=offset, parser_rev=parser_rev, marks=(*(before.marks if same else ()), mark)[-MARKS_MAX:]
    )
    closed = same and _is_closed(after.rates, was_closed=before.closed)
    return replace(after, closed=closed, turned=offset if closed != before.closed else before.turned)


def _is_closed(rates: Rates, *, was_closed: bool) -> bool:
    if rates.marks < MARKS_MIN:
        return was_closed
    return not rates.within(REOPENS_WITHIN if was_closed else CLOSES_BEYOND)
