"""Which `sold out` texts of the main zone speak of the product: not a badge that is not shown, not the label of one size.

A theme prints `price__badge-sold-out` on every page; it is shown where its block `price` is `price--sold-out` as well.
"""

import re
from collections.abc import Callable
from typing import Final

from selectolax.lexbor import LexborNode

from streams.extraction.blocks import where
from streams.page_tree import PageTree, attribute, parent_of, squeeze

NODES_MAX: Final = 200
CLIMB_MAX: Final = 8
CHOICE_CHARS_MAX: Final = 12  # M, 42, Black: longer texts name no choice
_BADGE: Final = re.compile(r"(?P<block>[a-z][\w-]*?)__[\w-]*?(?P<state>sold-?out|out-of-stock)\Z")
_PLAIN_PATH: Final = re.compile(r"[a-z][\w-]*(?:[.#][A-Za-z_][\w-]*)?")
_HOLDERS: Final = frozenset({"li", "button", "td", "a", "dd"})

StockText = tuple[str, str, str]


def shown_stock(tree: PageTree, stock: list[StockText]) -> list[StockText]:
    """The stock texts without those that say nothing of the product.

    Args:
        tree: the page.
        stock: (word, path, raw) as the main zone shows them.
    """
    if not any(word == "OutOfStock" for word, _, _ in stock):
        return stock
    return [one for one in stock if one[0] != "OutOfStock" or not _is_void(tree, one)]


def _is_void(tree: PageTree, one: StockText) -> bool:
    """Whether every element with this text is a badge that is not shown, or every one labels a choice."""
    _, path, raw = one
    if not _PLAIN_PATH.fullmatch(path):
        return False
    found = tree.parser.css(path)[:NODES_MAX]
    nodes = [node for node in found if where(node) == path and squeeze(node.text(), 120) == raw]
    rules: tuple[Callable[[LexborNode], bool], ...] = (_is_dark, _is_choice)
    return bool(nodes) and any(all(rule(node) for node in nodes) for rule in rules)


def _is_dark(node: LexborNode) -> bool:
    """Whether an element is named after a state that its block, which is around it, is not in."""
    names = [match for name in attribute(node, "class").split() if (match := _BADGE.match(name))]
    current = parent_of(node)
    for _ in range(CLIMB_MAX):
        if current is None or not names:
            return False
        tokens = attribute(current, "class").split()
        if names[0]["block"] in tokens:
            return f"{names[0]['block']}--{names[0]['state']}" not in tokens
        current = parent_of(current)
    return False


def _is_choice(node: LexborNode) -> bool:
    """Whether the text stands beside a short name in a row of such names."""
    holder: LexborNode | None = node
    for _ in range(3):
        if holder is None or holder.tag in _HOLDERS:
            break
        holder = parent_of(holder)
    row = parent_of(holder) if holder is not None and holder.tag in _HOLDERS else None
    if holder is None or row is None or holder.mem_id == node.mem_id:
        return False
    name = squeeze(holder.text(separator=" "), 120).replace(squeeze(node.text(), 120), "", 1).strip()
    others = [one for one in row.iter() if one.tag == holder.tag and one.mem_id != holder.mem_id]
    short = [one for one in others if 0 < len(squeeze(one.text(separator=" "), 120)) <= CHOICE_CHARS_MAX]
    return 0 < len(name) <= CHOICE_CHARS_MAX and ":" not in name and bool(short)
