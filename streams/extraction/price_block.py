"""Whether the leading price of a page without product markup stands in the page's own price block, or on a card of another page.

Every shop page has a heading, prices and buttons that buy: a list of products, the home page, an article with a product in it.
"""

import re
from typing import Final
from urllib.parse import urlsplit

from selectolax.lexbor import LexborNode

from streams.extraction.blocks import is_buyable, main_heading, where
from streams.extraction.lead import has_reduction, lead_of
from streams.extraction.look import PRICE_CLASS, Looks
from streams.extraction.numerals import fold
from streams.extraction.signs import SIGN
from streams.extraction.subject import path_key, words
from streams.extraction.visible import VisiblePage, VisiblePrice
from streams.extraction.zone import zone_of
from streams.page_tree import PageTree, attribute, join, parent_of, squeeze

CLIMB_MAX: Final = 24
HEADED_MAX: Final = 3  # farther out, a heading is of a part of the page
LINKED_MAX: Final = 2  # farther out, a link is the page's own: the brand, the basket
SIBLINGS_MAX: Final = 60
TYPES_MAX: Final = 400
_OTHER_TYPE: Final = re.compile(
    rb"\"@type\"\s{0,9}:\s{0,9}\[?\s{0,9}\"(?:Article|NewsArticle|BlogPosting|Blog|Recipe|CollectionPage|SearchResultsPage|CheckoutPage|ContactPage|AboutPage)\""
)
_OTHER_OG: Final = frozenset({"article", "blog", "product.group"})
_SEARCH: Final = re.compile(
    r"/(?:search|suche|recherche|buscar|busca|cerca|ricerca|szukaj|zoeken|sok|hledani|poisk|catalogsearch/result)(?:/index)?(?:\.\w+)?/?$",
    re.IGNORECASE,
)
_PLAIN_PATH: Final = re.compile(r"[a-z][a-z0-9]*(?:[.#][A-Za-z_][\w-]*)?")
_NOT_DIGIT: Final = re.compile(r"[^0-9]+")
WORDS_MAX: Final = 4
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_DIGITS: Final = re.compile(r"\d+")
_HEADINGS: Final = frozenset({"h2", "h3", "h4", "h5"})


def has_price_block(tree: PageTree, visible: VisiblePage) -> bool:
    """Whether the page itself sells one thing: its heading, a price of its own, and something to buy it with."""
    if visible.heading is None or not visible.prices or not (has_reduction(visible) or is_buyable(tree)):
        return False
    lead = lead_of(visible).price or visible.prices[0]
    if not (lead.near or lead.priced or lead.button) and _is_sentence(lead.raw):
        return False
    heading = main_heading(tree)
    node = _element_of(lead, heading, tree) if heading is not None else None
    if heading is None or node is None or is_other_page(tree):
        return False
    chain = _below_common(node, heading)
    return not (_is_extra(chain) or _on_card(chain, tree, visible.heading))


def _is_sentence(text: str) -> bool:
    """Whether an amount stands in running text: a price has a word or two of its own."""
    return len(_WORD.findall(text)) > WORDS_MAX or (text.endswith(".") and bool(_WORD.search(text)))


def is_other_page(tree: PageTree) -> bool:
    """Whether the page says that it is none about a product, is a search, or the root of its host."""
    parts = urlsplit(tree.url)
    is_root = not parts.path.strip("/") and not parts.query
    named = any(one.get("property") == "og:type" and one.get("content") in _OTHER_OG for one in tree.marked("meta"))
    return is_root or named or bool(_SEARCH.search(parts.path)) or _has_other_type(tree.html)


def _has_other_type(html: bytes) -> bool:
    at = -1
    for _ in range(TYPES_MAX):
        at = html.find(b'"@type"', at + 1)
        if at < 0:
            return False
        if _OTHER_TYPE.match(html, at):
            return True
    return False


def _element_of(price: VisiblePrice, heading: LexborNode, tree: PageTree) -> LexborNode | None:
    """The first element behind the heading that is named and reads like the price; it was found by its text before."""
    if not _PLAIN_PATH.fullmatch(price.path):
        return next((one.parent for one in zone_of(tree, heading, Looks()) if one.order == price.order), None)
    digits = _NOT_DIGIT.sub("", fold(price.raw))
    behind = False
    for node in tree.parser.css(f"h1, {price.path}"):
        behind = behind or node.mem_id == heading.mem_id
        if (
            behind
            and node.tag != "h1"
            and where(node) == price.path
            and _NOT_DIGIT.sub("", fold(node.text())) == digits
        ):
            return node
    return None


def _below_common(node: LexborNode, heading: LexborNode) -> list[LexborNode]:
    """The elements around a price that are not around the heading, innermost first."""
    around: set[int] = set()
    above: LexborNode | None = heading
    while above is not None:
        around.add(above.mem_id)
        above = parent_of(above)
    chain: list[LexborNode] = []
    current: LexborNode | None = node
    while current is not None and current.mem_id not in around and len(chain) < CLIMB_MAX:
        chain.append(current)
        current = parent_of(current)
    return chain


def _is_extra(chain: list[LexborNode]) -> bool:
    """Whether the price is that of something to be ticked beside the product."""
    return any(one.css_first("input[type=checkbox]") is not None for one in chain[:LINKED_MAX])


def _on_card(chain: list[LexborNode], tree: PageTree, heading: str) -> bool:
    """Whether the block is one of several of its shape, is headed by another name, or leads to another page before its price."""
    named = [
        _names_other(one, chain[0], heading, tree if level < LINKED_MAX else None)
        for level, one in enumerate(chain[:HEADED_MAX])
    ]
    return any(named) or any(_has_twin(one) for one in chain)


def _has_twin(node: LexborNode) -> bool:
    """Whether a sibling looks the same and has a price and a link or button of its own, as this one has."""
    parent = parent_of(node)
    if parent is None or not _has_control(node):
        return False
    siblings = [one for one in parent.iter() if one.mem_id != node.mem_id][:SIBLINGS_MAX]
    return any(_shape(one) == _shape(node) and _has_control(one) and _has_amount(one) for one in siblings)


def _shape(node: LexborNode) -> tuple[str | None, str, str]:
    """Tag, classes and id: the ids of cards differ in their numbers, those of a page's parts in their names."""
    return node.tag, _DIGITS.sub("", attribute(node, "class")), _DIGITS.sub("", attribute(node, "id"))


def _has_control(node: LexborNode) -> bool:
    return node.css_first("a[href], button") is not None


def _has_amount(node: LexborNode) -> bool:
    text = node.text(separator=" ")[:2_000]
    return bool(SIGN.search(text)) and any(char.isdigit() for char in text)


def _names_other(block: LexborNode, price: LexborNode, heading: str, tree: PageTree | None) -> bool:
    """Whether a heading that is not the page's stands before the price in its block; with the tree, a link to another page."""
    own = words(heading)
    for inner in block.traverse():
        if inner.mem_id == price.mem_id and block.mem_id != price.mem_id:
            return False
        # a link around the price itself may be the button that buys
        linked = tree is not None and inner.tag == "a" and _leads_away(inner, tree) and not _holds(inner, price)
        headed = inner.tag in _HEADINGS and not _has_amount(inner) and not PRICE_CLASS.match(inner.text().strip())
        text = words(squeeze(inner.text(separator=" "), 200)) if linked or headed else ""
        leads = block.mem_id != price.mem_id or words(squeeze(block.text(separator=" "), 200)).startswith(text)
        if text and leads and not text.isdigit() and text not in own and own not in text:
            return True
    return False


def _holds(outer: LexborNode, inner: LexborNode) -> bool:
    return any(one.mem_id == inner.mem_id for one in outer.traverse())


def _leads_away(link: LexborNode, tree: PageTree) -> bool:
    href = attribute(link, "href")
    target = join(tree.base_url, href) if href[:1] != "#" else None
    return target is not None and path_key(target) != path_key(tree.url)
