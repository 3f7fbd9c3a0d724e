# ruff: noqa: RUF001  # the words and marks of many scripts are the data here
"""Small questions about elements that show prices: their text, their neighbours, the heading, the buy button."""

import re
from typing import Final

from selectolax.lexbor import LexborNode

from streams.extraction.look import PRICE_CLASS, Looks
from streams.extraction.numerals import fold
from streams.extraction.price_text import parse_amounts
from streams.page_tree import PageTree, attribute, parent_of, squeeze

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
_FRACTION_CLASS: Final = re.compile(
    r"cent|fraction|decimal|(?:^|[\s_-])sup(?:$|[\s_-])|superscript|penn|kopeck|minor", re.IGNORECASE
)


def named_price(node: LexborNode) -> bool:
    """Whether the element of a price or its parent is itself named a price."""
    current: LexborNode | None = node
    for _ in range(2):
        if current is None or current.tag in ("body", "main", "html"):
            return False
        attrs = current.attributes
        if PRICE_CLASS.search(
            f"{attrs.get('class') or ''} {attrs.get('id') or ''} {attrs.get('itemprop') or ''} {attrs.get('data-testid') or ''}"
        ):
            return True
        current = parent_of(current)
    return False


def is_choice(node: LexborNode) -> bool:
    """Whether a text labels a choice (a sold-out size) and not the product."""
    current: LexborNode | None = node
    for _ in range(3):
        if current is None:
            return False
        if current.tag in ("label", "option") or "swatch" in attribute(current, "class").lower():
            return True
        current = parent_of(current)
    return False


def on_buy_button(node: LexborNode) -> bool:
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


def are_near(one: LexborNode, other: LexborNode) -> bool:
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


def splits_cents(text: str, around: str) -> bool:
    """Whether the element around a price continues its number: `$249` then `99`."""
    _, _, rest = around.partition(text)
    return bool(text[-1:].isdigit() and re.match(r"\s?\d{2}(?!\w|\s?%)", rest))


def block_text(node: LexborNode, looks: Looks) -> str:
    """The shown text of a block; a superscript or classed pair of digits is the cents of the number before it."""
    pieces: list[str] = []
    for inner in node.traverse(include_text=True, skip_empty=True):
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
    attrs = node.attributes
    name = attrs.get("id")
    if name:
        return f"{node.tag}#{name[:60]}"
    names = (attrs.get("class") or "").split()
    return f"{node.tag}.{names[0][:60]}" if names else str(node.tag)


def is_buyable(tree: PageTree) -> bool:
    """Whether the page offers to buy something: a button, a form or an input says so."""
    for node in tree.parser.css(
        "button, input[type=submit], input[type=button], input[type=image], a, form, [id*=cart i], [onclick*=cart i]"
    )[:3_000]:
        attrs = node.attributes
        named = " ".join(attrs.get(name) or "" for name in ("class", "id", "name", "action", "data-action", "onclick"))
        if _BUY_ATTRIBUTE.search(named):
            return True
        if node.tag != "form":
            text = attrs.get("value") or attrs.get("aria-label") or attrs.get("alt") or node.text() or ""
            if len(text) < 80 and _BUY_WORDS.search(text):
                return True
    return False


def main_heading(tree: PageTree) -> LexborNode | None:
    """The h1 that shares most words with the page's title; the first that has text when none does."""
    title = set(re.findall(r"\w+", (tree.title or "").lower()))
    best: tuple[float, LexborNode] | None = None
    for node in [one.node for one in tree.marked("h1")][:12]:
        found = set(re.findall(r"\w+", (node.text() or "").lower()))
        if not found:
            continue
        points = len(found & title) / len(found)
        if best is None or points > best[0]:
            best = (points, node)
    return best[1] if best else None


def heading_text(node: LexborNode | None) -> str | None:
    """The text of the heading, as it would be read aloud."""
    if node is None:
        return None
    return (
        squeeze(
            " ".join(inner.text_content or "" for inner in node.traverse(include_text=True) if inner.is_text_node), 300
        )
        or None
    )
