"""What a person sees: prices and stock words near the product's heading, as claims that contradict or confirm the markup.

The main zone runs from the product's heading to the first heading of other products. A price is the smallest element whose text
holds exactly one amount with a currency sign; its words, its class and its strike-through say what kind of price it is.
"""

import re
from dataclasses import dataclass, field, replace
from typing import Final

from selectolax.lexbor import LexborNode

from streams.extraction.look import PRICE_CLASS, Look, Looks
from streams.extraction.numerals import fold
from streams.extraction.price_text import PriceText, parse_amounts
from streams.extraction.setting import Setting
from streams.extraction.price_words import CURRENT, Kind, kind_after, kind_before
from streams.extraction.stock import stock_text
from streams.page_tree import PageTree, attribute, parent_of, squeeze

NODES_MAX: Final = 60_000
ZONE_TEXTS_MAX: Final = 320
SEEN_TEXTS_MAX: Final = 1_500  # hidden and away ones included
BLOCK_CHARS_MAX: Final = 60
TEXT_CHARS_MAX: Final = 160
CLIMB_MAX: Final = 4
STOCK_TEXTS: Final = 120  # farther from the heading, stock words are about other things

_AWAY_TEXT: Final = re.compile(
    r"^(?:you (?:may|might) also like|related (?:products|items)|customers? (?:who|also)|people also|frequently bought|similar (?:products|items)|recommended|"
    r"recently viewed|more (?:from|like)|others? also|complete the look|goes well with|sponsored|das k[öo]nnte (?:dir|ihnen)|[äa]hnliche (?:produkte|artikel)|kunden (?:kauften|haben)|zubeh[öo]r$|"
    r"vous aimerez|produits (?:similaires|associ[ée]s)|productos (?:relacionados|similares)|tambi[ée]n te|prodotti (?:correlati|simili)|potrebbe(?:ro)? (?:interessarti|piacerti)|"
    r"produtos (?:relacionados|similares)|gerelateerde|vergelijkbare|podobne produkty|podobn[ée]|s[úu]visiace|похожие|с этим товаром|рекомендуем|relaterade|liknende|"
    r"関連商品|おすすめ|相关|相關|推薦|推荐|관련)",
    re.IGNORECASE,
)
_BUY_WORDS: Final = re.compile(
    r"(?<!\w)(?:buy(?: now| it)?|add to (?:cart|bag|basket|trolley)|purchase|order now|pre-?order|in den (?:waren|einkaufs)korb|kaufen|bestellen|ajouter au panier|acheter|"
    r"a[ñn]adir (?:al carrito|a la cesta)|agregar al carr(?:it)?o|comprar|aggiungi al carrello|acquista|adicionar ao (?:carrinho|cesto)|toevoegen|in winkelwagen|l[äa]gg i (?:varukorg|kundvagn)|"
    r"k[øo]b|legg i handlekurv|lis[äa]{1,2} ostos?korv?iin?|osta|do koszyka|kup teraz|do ko[šs][íi]ku|kosárba|adaug[ăa] [îi]n co[șs]|v ko[šs]arico|u ko[šs]aricu|в корзину|купить|у кошик|добави в количката|"
    r"sepete ekle|カートに(?:入れる|追加)|購入|加入購物車|放入購物車|加入购物车|立即(?:購買|购买)|장바구니|구매하기|أضف إلى|ielikt grozā|pirkt|į krepšelį)(?!\w)",
    re.IGNORECASE,
)
_BUY_ATTRIBUTE: Final = re.compile(
    r"add-?_?to-?_?(?:cart|bag|basket)|addtocart|buy-?now|buy-?product|button-cart|buy_?cart|join_?cart|add_?cart|cart_?add|add-?item|single_add_to|/cart/add|basket/add|cart/add|product_addtocart",
    re.IGNORECASE,
)
_NUMERIC: Final = re.compile(r"[^\w]*\d[\d.,'’ ]*(?:[.,]?\s?-{0,2})[^\w]*")
_FRACTION_CLASS: Final = re.compile(
    r"cent|fraction|decimal|(?:^|[\s_-])sup(?:$|[\s_-])|superscript|penn|kopeck|minor", re.IGNORECASE
)
_BARE_PAIR: Final = re.compile(r"\d\s\d{2}(?!\d)(?!\s?\d)")
_NUMBERS: Final = re.compile(r"\d[\d.,' ]*")
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """One shown text."""

    text: str
    parent: LexborNode
    look: Look
    order: int


def read_visible(tree: PageTree, setting: Setting) -> VisiblePage:
    """Prices and stock words of the main zone.

    Args:
        tree: the page.
        setting: how its signs and number marks are to be read.
    """
    looks = Looks()
    heading = main_heading(tree)
    page = VisiblePage(heading=_heading_text(heading))
    pieces = _zone(tree, heading, looks)
    page.texts = len(pieces)
    reader = _Reader(page=page, pieces=pieces, looks=looks, setting=setting)
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


def _heading_text(node: LexborNode | None) -> str | None:
    if node is None:
        return None
    return (
        squeeze(
            " ".join(inner.text_content or "" for inner in node.traverse(include_text=True) if inner.is_text_node), 300
        )
        or None
    )


def is_buyable(tree: PageTree) -> bool:
    """Whether the page offers to buy something: a button, a form or an input says so."""
    for node in tree.parser.css(
        "button, input[type=submit], input[type=button], a, form, [id*=cart i], [onclick*=cart i]"
    )[:3_000]:
        attrs = node.attrs
        named = " ".join(attrs.get(name) or "" for name in ("class", "id", "name", "action", "data-action", "onclick"))
        if _BUY_ATTRIBUTE.search(named):
            return True
        if node.tag != "form":
            text = attrs.get("value") or attrs.get("aria-label") or node.text() or ""
            if len(text) < 80 and _BUY_WORDS.search(text):
                return True
    return False


def main_heading(tree: PageTree) -> LexborNode | None:
    """The h1 that shares most words with the page's title; the first that has text when none does."""
    title = set(re.findall(r"\w+", (tree.title or "").lower()))
    best: tuple[float, LexborNode] | None = None
    for node in tree.parser.css("h1")[:12]:
        found = set(re.findall(r"\w+", (node.text() or "").lower()))
        if not found:
            continue
        points = len(found & title) / len(found)
        if best is None or points > best[0]:
            best = (points, node)
    return best[1] if best else None


def _zone(tree: PageTree, heading: LexborNode | None, looks: Looks) -> list[_Piece]:
    """Shown texts from the heading on, up to the first heading of other products."""
    body = tree.parser.body
    pieces: list[_Piece] = []
    if body is None:
        return pieces
    started = heading is None
    start = heading.mem_id if heading is not None else 0
    seen = 0
    for number, node in enumerate(body.traverse(include_text=True)):
        if number > NODES_MAX or len(pieces) > ZONE_TEXTS_MAX:
            break
        if not node.is_text_node:
            started = started or node.mem_id == start
            continue
        raw = (node.text_content or "") if started else ""
        parent = parent_of(node)
        if parent is None or not raw or raw.isspace():
            continue
        seen += 1
        if seen > SEEN_TEXTS_MAX:
            break
        look = looks.of(parent)
        if look.hidden or look.away:
            continue
        text = fold(squeeze(raw, 2_000))
        if len(text) < 80 and _AWAY_TEXT.match(text):
            break
        pieces.append(_Piece(text=text, parent=parent, look=look, order=len(pieces)))
    return pieces


@dataclass(slots=True, kw_only=True)
class _Reader:
    """Turns the zone's texts into prices and stock words."""

    page: VisiblePage
    pieces: list[_Piece]
    looks: Looks
    setting: Setting
    used: set[int] = field(default_factory=set)

    def take(self, index: int) -> None:
        piece = self.pieces[index]
        if not _HAS_DIGIT.search(piece.text):
            word = stock_text(piece.text) if len(piece.text) < 60 and piece.order < STOCK_TEXTS else None
            if word and not _optional(piece.parent):
                self.page.stock.append((word, where(piece.parent), piece.text[:120]))
            return
        if len(piece.text) > TEXT_CHARS_MAX or piece.parent.mem_id in self.used:
            return
        percents = [int(found) for found in re.findall(r"(?<![\d.,])(\d{1,2}) ?%", piece.text)]
        self.page.discounts.extend(percents[:2])
        found = parse_amounts(piece.text, currency_hint=self.setting.currency, market=self.setting.market)
        signed = [one for one in found if one.sign]
        if signed:
            self._own(index, piece, signed)
        elif _NUMERIC.fullmatch(piece.text):
            self._climb(index, piece)

    def _own(self, index: int, piece: _Piece, signed: list[PriceText]) -> None:
        """A text that carries its own sign; an element around it may add the cents."""
        parent = parent_of(piece.parent)
        if len(signed) == 1 and parent is not None:
            around = block_text(parent, self.looks)
            if len(around) <= BLOCK_CHARS_MAX and around != piece.text:
                wider = [
                    one
                    for one in parse_amounts(around, currency_hint=self.setting.currency, market=self.setting.market)
                    if one.sign
                ]
                if len(wider) == 1 and wider[0].amount is not None and signed[0].amount != wider[0].amount:
                    self._add(index, parent, wider, piece.look, around)
                    return
                if _split_cents(piece.text, around):
                    return
        self._add(index, piece.parent, signed, piece.look, piece.text)

    def _climb(self, index: int, piece: _Piece) -> None:
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
            text = block_text(block, self.looks)
            if len(text) > BLOCK_CHARS_MAX:
                return
            found = parse_amounts(text, currency_hint=self.setting.currency, market=self.setting.market)
            signed = [one for one in found if one.sign]
            if signed:
                if len(signed) == 1 and self._whole(piece, signed[0], text):
                    self._add(index, block, signed, piece.look, text)
                return
            block = parent_of(block)

    def _whole(self, piece: _Piece, one: PriceText, text: str) -> bool:
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
                    near=_near_price(block),
                    button=_in_button(block),
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
        after = self._neighbour(index, 1)
        before = self._neighbour(index, -1)
        named = (kind_after(after) if after else None) or (kind_before(before) if before else None)
        return named or one.kind

    def _neighbour(self, index: int, step: int) -> str | None:
        """The text beside a piece, if it is short, without digits and in the same small element."""
        at = index + step
        while 0 <= at < len(self.pieces) and self.pieces[at].parent.mem_id in self.used and abs(at - index) < 4:
            if _HAS_DIGIT.search(self.pieces[at].text) and step < 0:
                return None
            at += step
        if not 0 <= at < len(self.pieces):
            return None
        text = self.pieces[at].text
        if len(text) > 40 or (_HAS_DIGIT.search(text) and step < 0):
            return None
        return text.lower() if _near(self.pieces[at].parent, self.pieces[index].parent) else None


def _near_price(node: LexborNode) -> bool:
    """Whether the element of a price or its parent is itself named a price."""
    current: LexborNode | None = node
    for _ in range(2):
        if current is None or current.tag in ("body", "main", "html"):
            return False
        attrs = current.attrs
        if PRICE_CLASS.search(
            f"{attrs.get('class') or ''} {attrs.get('id') or ''} {attrs.get('itemprop') or ''} {attrs.get('data-testid') or ''}"
        ):
            return True
        current = parent_of(current)
    return False


def _optional(node: LexborNode) -> bool:
    """Whether a text labels a choice (a sold-out size) and not the product."""
    current: LexborNode | None = node
    for _ in range(3):
        if current is None:
            return False
        if current.tag in ("label", "option") or "swatch" in attribute(current, "class").lower():
            return True
        current = parent_of(current)
    return False


def _in_button(node: LexborNode) -> bool:
    """Whether a price stands on a button that buys: `Buy now 9.49`."""
    current: LexborNode | None = node
    for _ in range(4):
        if current is None:
            return False
        if current.tag in ("button", "a"):
            text = squeeze(current.text(separator=" "), 80)
            return (
                len(text) < 60
                and bool(_BUY_WORDS.match(text))
                and len([one for one in parse_amounts(text) if one.sign]) == 1
            )
        current = parent_of(current)
    return False


def _near(one: LexborNode, other: LexborNode) -> bool:
    """Whether two elements share an ancestor at most three levels up."""
    mine: set[int] = set()
    node: LexborNode | None = one
    for _ in range(3):
        if node is None or node.tag in ("body", "main", "html"):
            break
        mine.add(node.mem_id)
        node = parent_of(node)
    node = other
    for _ in range(4):
        if node is None:
            return False
        if node.mem_id in mine:
            return True
        node = parent_of(node)
    return False


def _split_cents(text: str, around: str) -> bool:
    """Whether the element around a price continues its number: `$249` then `99`."""
    _, _, rest = around.partition(text)
    return bool(text[-1:].isdigit() and re.match(r"\s?\d{2}(?!\d|\s?%)", rest))


def block_text(node: LexborNode, looks: Looks) -> str:
    """The shown text of a block; a superscript or classed pair of digits is the cents of the number before it."""
    pieces: list[str] = []
    for inner in node.traverse(include_text=True):
        parent = parent_of(inner) if inner.is_text_node else None
        if parent is None:
            continue
        raw = fold(squeeze(inner.text_content or "", 200))
        if not raw or looks.of(parent).hidden:
            continue
        _join(pieces, raw, parent)
        if len(pieces) > 24:
            break
    return " ".join(pieces)


def _join(pieces: list[str], raw: str, parent: LexborNode) -> None:
    last = pieces[-1] if pieces else ""
    fraction = (
        raw.isdigit()
        and len(raw) == 2
        and (parent.tag == "sup" or bool(_FRACTION_CLASS.search(attribute(parent, "class"))))
    )
    if fraction and last[-1:].isdigit() and not re.search(r"[.,]\d{1,2}$", last):
        pieces[-1] += "." + raw
    elif (last[-1:] in (".", ",") and last[-2:-1].isdigit() and raw[:1].isdigit()) or (
        raw[:1] in (".", ",") and raw[1:2].isdigit() and last[-1:].isdigit()
    ):
        pieces[-1] += raw
    else:
        pieces.append(raw)


def where(node: LexborNode) -> str:
    """A short path for people: tag with id or first class."""
    attrs = node.attrs
    name = attrs.get("id")
    if name:
        return f"{node.tag}#{name[:60]}"
    names = (attrs.get("class") or "").split()
    return f"{node.tag}.{names[0][:60]}" if names else str(node.tag)
