"""What a person sees: prices and stock words near the product's heading, as claims that contradict or confirm the markup.

The main zone runs from the main heading to the first section of other products. In it a price is a short block of text with a
currency sign (or a block whose class says price); struck-through blocks are reference prices.
"""

import re
from dataclasses import dataclass, field
from typing import Final

from selectolax.lexbor import LexborNode

from streams.extraction.price_text import PriceText, parse_amounts
from streams.extraction.price_words import Kind
from streams.extraction.stock import stock_text
from streams.page_tree import PageTree, squeeze

NODES_MAX: Final = 60_000
ZONE_TEXTS_MAX: Final = 900
BLOCK_CHARS_MAX: Final = 90

_HIDDEN_TAGS: Final = frozenset(
    {"script", "style", "template", "noscript", "svg", "select", "option", "textarea", "iframe", "head", "title"}
)
_AWAY_TAGS: Final = frozenset({"footer", "nav", "aside"})
_STRUCK_TAGS: Final = frozenset({"del", "s", "strike"})
_HIDDEN_STYLE: Final = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_STRUCK_STYLE: Final = re.compile(r"line-through", re.IGNORECASE)
_STRUCK_CLASS: Final = re.compile(
    r"(?:^|[\s_-])(?:old|was|strike\w*|struck\w*|striked|crossed|line-?through|list-?price|price-?(?:old|was|before|regular|list|strike|original|rrp|msrp)|"
    r"(?:old|was|before|regular|list|original|retail|base|rrp|msrp|compare(?:-at)?|previous|former|full|initial|standard|normal)-?price|a-text-price|basisprice|"
    r"rrp|msrp|uvp|before|regular|oldprice|price_old|wasprice|prev|previous)(?=$|[\s_-])",
    re.IGNORECASE,
)
_AWAY_CLASS: Final = re.compile(
    r"related|recommend|upsell|up-sell|cross-?sell|similar|also-?(?:bought|viewed|like)|recently|viewed|carousel|slider|bundle|accessor|sponsor|"
    r"mini-?cart|minicart|basket|cart-?(?:drawer|preview|total)|breadcrumb|footer|mega-?menu|navbar|suggest|other-?(?:products|sellers)|more-?(?:from|products)|"
    r"frequently|alternativ|popular|bestsell|cookie|newsletter|review|shipping|delivery|modal|popup",
    re.IGNORECASE,
)
_AWAY_TEXT: Final = re.compile(
    r"^(?:you (?:may|might) also like|related (?:products|items)|customers? (?:who|also)|people also|frequently bought|similar (?:products|items)|recommended|"
    r"recently viewed|more (?:from|like)|others? also|complete the look|goes well with|sponsored|das k[öo]nnte (?:dir|ihnen)|[äa]hnliche (?:produkte|artikel)|kunden kauften|zubeh[öo]r|"
    r"vous aimerez|produits (?:similaires|associ[ée]s)|productos (?:relacionados|similares)|tambi[ée]n te|prodotti (?:correlati|simili)|potrebbe(?:ro)? (?:interessarti|piacerti)|"
    r"produtos (?:relacionados|similares)|gerelateerde|vergelijkbare|podobne produkty|podobn[ée]|s[úu]visiace|похожие|с этим товаром|рекомендуем|relaterade|liknende|"
    r"関連商品|おすすめ|相关|相關|推薦|推荐|관련)",
    re.IGNORECASE,
)
_PRICE_CLASS: Final = re.compile(
    r"price|prix|preis|precio|pre[cç]o|prezzo|cena|cijena|pret\b|hind\b|amount|kaina", re.IGNORECASE
)
_DIGIT: Final = re.compile(r"\d")


@dataclass(slots=True, kw_only=True)
class Look:
    """How an element is shown, inherited from its ancestors."""

    hidden: bool = False
    away: bool = False
    struck: bool = False
    priced: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class VisiblePrice:
    """One amount in the main zone, in document order."""

    text: PriceText
    kind: Kind
    path: str
    raw: str
    priced: bool
    order: int


@dataclass(slots=True, kw_only=True)
class VisiblePage:
    """What the main zone shows."""

    heading: str | None = None
    prices: list[VisiblePrice] = field(default_factory=list)
    stock: list[tuple[str, str, str]] = field(default_factory=list)  # (word, path, raw)
    texts: int = 0


class _Walk:
    """One pass over the body; keeps how each element looks so that every ancestor is judged once."""

    def __init__(self, *, hint: str | None, market: str | None) -> None:
        self.looks: dict[int, Look] = {}
        self.used: set[int] = set()
        self.page = VisiblePage()
        self.hint = hint
        self.market = market

    def look(self, node: LexborNode) -> Look:
        chain: list[LexborNode] = []
        current: LexborNode | None = node
        while current is not None and current.mem_id not in self.looks and current.is_element_node:
            chain.append(current)
            current = current.parent
        above = self.looks.get(current.mem_id, Look()) if current is not None else Look()
        for one in reversed(chain):
            above = _look(one, above)
            self.looks[one.mem_id] = above
        return above

    def text(self, node: LexborNode, raw: str) -> None:
        parent = node.parent
        if parent is None:
            return
        look = self.look(parent)
        if look.hidden or look.away:
            return
        self.page.texts += 1
        if _DIGIT.search(raw):
            self._price(parent, look)
        elif len(raw) < 60:
            word = stock_text(raw)
            if word:
                self.page.stock.append((word, where(parent), squeeze(raw, 120)))

    def _price(self, parent: LexborNode, look: Look) -> None:
        for block in _blocks(parent):
            if block.mem_id in self.used:
                return
            text = block_text(block)
            if len(text) > BLOCK_CHARS_MAX:
                return
            found = parse_amounts(text, currency_hint=None, market=self.market)
            signed = [one for one in found if one.sign]
            if not signed:
                continue
            self.used.add(block.mem_id)
            self.used.update(inner.mem_id for inner in block.traverse() if inner.is_element_node)
            self._add(block, signed, look, text)
            return

    def _add(self, block: LexborNode, found: list[PriceText], look: Look, text: str) -> None:
        struck = look.struck or self.look(block).struck
        for one in found:
            kind = Kind.STRIKETHROUGH if struck and one.kind in (Kind.SINGLE, Kind.SALE) else one.kind
            self.page.prices.append(
                VisiblePrice(
                    text=one,
                    kind=kind,
                    path=where(block),
                    raw=text,
                    priced=look.priced or self.look(block).priced,
                    order=self.page.texts,
                )
            )


def _look(node: LexborNode, above: Look) -> Look:
    tag = node.tag or ""
    attrs = node.attrs
    style = attrs.get("style") or ""
    names = f"{attrs.get('class') or ''} {attrs.get('id') or ''}"
    return Look(
        hidden=above.hidden or tag in _HIDDEN_TAGS or "hidden" in attrs or bool(style and _HIDDEN_STYLE.search(style)),
        away=above.away
        or tag in _AWAY_TAGS
        or (tag not in ("body", "html", "main") and bool(_AWAY_CLASS.search(names))),
        struck=above.struck
        or tag in _STRUCK_TAGS
        or bool(style and _STRUCK_STYLE.search(style))
        or (tag not in ("body", "html", "main") and bool(_STRUCK_CLASS.search(names))),
        priced=above.priced or (tag not in ("body", "html", "main") and bool(_PRICE_CLASS.search(names))),
    )


def _blocks(node: LexborNode) -> list[LexborNode]:
    """The element of a text and its nearest ancestors."""
    out = [node]
    parent = node.parent
    while parent is not None and len(out) < 4 and parent.is_element_node and parent.tag not in ("body", "html", "main"):
        out.append(parent)
        parent = parent.parent
    return out


_CENTS: Final = re.compile(r"cent|fraction|decimal|sup\b|small", re.IGNORECASE)


def block_text(node: LexborNode) -> str:
    """The text of a block; a superscript pair of digits is the cents of the number before it."""
    pieces: list[str] = []
    for inner in node.traverse(include_text=True):
        if inner.is_text_node:
            raw = squeeze(inner.text_content or "", 200)
            parent = inner.parent
            if not raw or parent is None or (parent.tag or "") in _HIDDEN_TAGS:
                continue
            cents = (
                raw.isdigit()
                and len(raw) == 2
                and (parent.tag == "sup" or bool(_CENTS.search(parent.attrs.get("class") or "")))
            )
            if cents and pieces and pieces[-1][-1:].isdigit():
                pieces[-1] += "." + raw
            elif pieces and pieces[-1][-1:] in ".," and raw[:1].isdigit():
                pieces[-1] += raw
            elif pieces and raw[:1] in ".," and pieces[-1][-1:].isdigit():
                pieces[-1] += raw
            else:
                pieces.append(raw)
        if len(pieces) > 40:
            break
    return " ".join(pieces)


def where(node: LexborNode) -> str:
    """A short path for people: tag, id or first class."""
    attrs = node.attrs
    name = attrs.get("id")
    if name:
        return f"{node.tag}#{name[:60]}"
    names = (attrs.get("class") or "").split()
    return f"{node.tag}.{names[0][:60]}" if names else str(node.tag)


def read_visible(tree: PageTree, *, hint: str | None, market: str | None) -> VisiblePage:
    """Prices and stock words of the main zone."""
    walk = _Walk(hint=hint, market=market)
    body = tree.parser.body
    heading = _heading(tree)
    if body is None:
        return walk.page
    walk.page.heading = squeeze(heading.text(separator=" "), 300) or None if heading is not None else None
    started = heading is None
    for number, node in enumerate(body.traverse(include_text=True)):
        if number > NODES_MAX or walk.page.texts > ZONE_TEXTS_MAX:
            break
        if not node.is_text_node:
            started = started or (heading is not None and node.mem_id == heading.mem_id)
            continue
        raw = node.text_content or ""
        if not started or not raw.strip():
            continue
        if len(raw) < 80 and _AWAY_TEXT.match(raw.strip()):
            break
        walk.text(node, raw)
    return walk.page


def _heading(tree: PageTree) -> LexborNode | None:
    """The first h1 that has text."""
    for node in tree.parser.css("h1")[:10]:
        if (node.text() or "").strip():
            return node
    return None
