# ruff: noqa: RUF001  # the words and marks of many scripts are the data here
"""What a person sees: prices and stock words near the product's heading, as claims that contradict or confirm the markup.

The main zone runs from the product's heading to the first heading of other products. A price is the smallest element whose text
holds exactly one amount with a currency sign; its words, its class and its strike-through say what kind of price it is.
"""

import re
from dataclasses import dataclass, field, replace
from typing import Final

from selectolax.lexbor import LexborNode

from streams.extraction.beside import beside
from streams.extraction.blocks import (
    block_text,
    heading_text,
    is_choice,
    main_heading,
    named_price,
    on_buy_button,
    splits_cents,
    where,
)
from streams.extraction.look import Look, Looks
from streams.extraction.price_text import PriceText, parse_amounts
from streams.extraction.price_words import CURRENT, Kind, kind_after, kind_before
from streams.extraction.setting import Setting
from streams.extraction.signs import SIGN
from streams.extraction.stock import stock_text
from streams.extraction.zone import Piece, zone_of
from streams.page_tree import PageTree, parent_of

BLOCK_CHARS_MAX: Final = 60
TEXT_CHARS_MAX: Final = 160
CLIMB_MAX: Final = 4
STOCK_CHARS_MAX: Final = 60
STOCK_TEXTS: Final = 120  # farther from the heading, stock words are about other things

_NUMERIC: Final = re.compile(r"[^\w]*\d[\d.,'’ ]*(?:[.,]?\s?-{0,2})[^\w]*")
_BARE_PAIR: Final = re.compile(r"\d\s\d{2}(?!\d)(?!\s?\d)")
_NUMBERS: Final = re.compile(r"\d[\d.,' ]*")
_PERCENT: Final = re.compile(r"(?<![\d.,])(\d{1,2}) ?%")
_HAS_DIGIT: Final = re.compile(r"\d")


@dataclass(frozen=True, slots=True, kw_only=True)
class VisiblePrice:
    """One amount in the main zone, in document order."""

    text: PriceText
    kind: Kind
    path: str
    raw: str
    priced: bool
    near: bool
    button: bool
    order: int
    struck_by: tuple[int, ...] = ()


@dataclass(slots=True, kw_only=True)
class VisiblePage:
    """What the main zone shows.

    Attributes:
        heading: text of the product's heading.
        prices: amounts in document order.
        stock: (word, path, raw) of short stock texts.
        discounts: percentages off that are shown beside the prices.
        texts: how many shown texts the zone has.
    """

    heading: str | None = None
    prices: list[VisiblePrice] = field(default_factory=list)
    stock: list[tuple[str, str, str]] = field(default_factory=list)
    discounts: list[int] = field(default_factory=list)
    texts: int = 0


def read_visible(tree: PageTree, setting: Setting) -> VisiblePage:
    """Prices and stock words of the main zone.

    Args:
        tree: the page.
        setting: how its signs and number marks are to be read.
    """
    looks = Looks()
    heading = main_heading(tree)
    page = VisiblePage(heading=heading_text(heading))
    pieces = zone_of(tree, heading, looks)
    page.texts = len(pieces)
    titles = frozenset(one.mem_id for one in heading.traverse()) if heading is not None else frozenset()
    reader = _Reader(page=page, pieces=pieces, looks=looks, setting=setting, titles=titles)
    for index in range(len(pieces)):
        reader.take(index)
    page.prices = _without_void_strikes(page.prices)
    return page


def _without_void_strikes(prices: list[VisiblePrice]) -> list[VisiblePrice]:
    """A class that strikes two different amounts is the name of their container, not of a reference price."""
    covered: dict[int, set[object]] = {}
    for one in prices:
        for mark in one.struck_by:
            covered.setdefault(mark, set()).add(one.text.amount)
    void = {mark for mark, amounts in covered.items() if len(amounts) > 1}
    return [
        replace(one, kind=one.text.kind)
        if one.struck_by and set(one.struck_by) <= void and one.kind is Kind.STRIKETHROUGH
        else one
        for one in prices
    ]


@dataclass(slots=True, kw_only=True)
class _Reader:
    """Turns the zone's texts into prices and stock words."""

    page: VisiblePage
    pieces: list[Piece]
    looks: Looks
    setting: Setting
    titles: frozenset[int]
    used: set[int] = field(default_factory=set)
    texts: dict[int, str] = field(default_factory=dict)

    def take(self, index: int) -> None:
        piece = self.pieces[index]
        self._take_stock(piece)
        if not _HAS_DIGIT.search(piece.text):
            return
        if len(piece.text) > TEXT_CHARS_MAX or piece.parent.mem_id in self.used:
            return
        if "%" in piece.text:
            self.page.discounts.extend(int(found) for found in _PERCENT.findall(piece.text)[:2])
        signed = self._signed(piece.text)
        if signed:
            self._own(index, piece, signed)
        elif _NUMERIC.fullmatch(piece.text):
            self._climb(index, piece)

    def _take_stock(self, piece: Piece) -> None:
        """Short stock words, also with their number: `Only 2 left in stock`, never beside an amount."""
        if len(piece.text) >= STOCK_CHARS_MAX or piece.order >= STOCK_TEXTS:
            return
        word = stock_text(piece.text)
        if word and not SIGN.search(piece.text) and not is_choice(piece.parent):
            self.page.stock.append((word, where(piece.parent), piece.text[:120]))

    def _own(self, index: int, piece: Piece, signed: list[PriceText]) -> None:
        """A text that carries its own sign; the elements around it may add the cents."""
        around = [piece.parent, parent_of(piece.parent)] if len(signed) == 1 else []
        for block in around:
            if block is None or block.tag in ("body", "main"):
                break
            text = self._text(block)
            if len(text) > BLOCK_CHARS_MAX or text == piece.text:
                continue
            wider = self._signed(text)
            if len(wider) == 1 and wider[0].amount is not None and signed[0].amount != wider[0].amount:
                self._add(index, block, wider, piece.look, text)
                return
            if splits_cents(piece.text, text):
                return
        self._add(index, piece.parent, signed, piece.look, piece.text)

    def _text(self, block: LexborNode) -> str:
        """The shown text of a block, read once: the climbs of neighbours meet in the same blocks."""
        text = self.texts.get(block.mem_id)
        if text is None:
            text = self.texts[block.mem_id] = block_text(block, self.looks)
        return text

    def _signed(self, text: str) -> list[PriceText]:
        """The amounts of a text that have a currency sign; most texts have no sign at all."""
        if not SIGN.search(text):
            return []
        found = parse_amounts(text, currency_hint=self.setting.currency, market=self.setting.market)
        return [one for one in found if one.sign]

    def _climb(self, index: int, piece: Piece) -> None:
        """A bare number: the smallest element around it that holds a sign and no second amount."""
        block: LexborNode | None = piece.parent
        for _ in range(CLIMB_MAX):
            if (
                block is None
                or not block.is_element_node
                or block.tag in ("body", "html", "main")
                or block.mem_id in self.used
            ):
                return
            text = self._text(block)
            if len(text) > BLOCK_CHARS_MAX:
                return
            signed = self._signed(text)
            if signed:
                if len(signed) == 1 and self._whole(piece, signed[0], text):
                    self._add(index, block, signed, piece.look, text)
                return
            block = parent_of(block)

    def _whole(self, piece: Piece, one: PriceText, text: str) -> bool:
        """Whether the signed amount of a block is this very piece's number and no digits stand beside it."""
        if _BARE_PAIR.search(re.sub(r"\d{1,3}( \d{3})+", "", text)):
            return False
        own = parse_amounts(
            f"{one.sign} {piece.text.strip()}", currency_hint=self.setting.currency, market=self.setting.market
        )
        return any(mine.amount == one.amount for mine in own) or (len(_NUMBERS.findall(text)) == 1)

    def _add(self, index: int, block: LexborNode, found: list[PriceText], look: Look, text: str) -> None:
        if block.mem_id != self.pieces[index].parent.mem_id:
            self._mark(block)  # its text was read as a whole: what stands in it is no neighbour
        own = self.looks.of(block)
        for one in found:
            kind = self._kind(index, one, look, alone=len(found) == 1)
            self.page.prices.append(
                VisiblePrice(
                    text=one,
                    kind=kind,
                    path=where(block),
                    raw=text,
                    priced=look.priced or own.priced,
                    near=named_price(block),
                    button=on_buy_button(block),
                    order=self.pieces[index].order,
                    struck_by=look.struck_by,
                )
            )

        self._mark(block)

    def _mark(self, block: LexborNode) -> None:
        self.used.update(inner.mem_id for inner in block.traverse() if inner.is_element_node)

    def _kind(self, index: int, one: PriceText, look: Look, *, alone: bool) -> Kind:
        """The amount's kind: its own words, strike-through, class, then the words of its neighbours."""
        if one.kind not in CURRENT:
            return one.kind
        if look.kind is not None:
            return look.kind
        if look.struck or look.struck_by:
            return Kind.STRIKETHROUGH
        if not alone:
            return one.kind
        after = beside(self.pieces, index, 1, self.used, self.titles)
        before = beside(self.pieces, index, -1, self.used, self.titles)
        named = (kind_after(after) if after else None) or (kind_before(before) if before else None)
        return named or one.kind
