"""Stock badges that a theme prints on every page and shows by a class of their block: hidden ones say nothing of stock.

`price__badge-sold-out` in a block `price` is shown where the block is `price--sold-out`, so it is not while the block is not.
"""

import re
from typing import Final

from selectolax.lexbor import LexborNode

from streams.extraction.blocks import where
from streams.page_tree import PageTree, attribute, parent_of, squeeze

BADGES_MAX: Final = 20
CLIMB_MAX: Final = 8
_CSS: Final = "[class*=__][class*=sold-out], [class*=__][class*=soldout], [class*=__][class*=out-of-stock]"
_BADGE: Final = re.compile(r"(?P<block>[a-z][\w-]*?)__[\w-]*?(?P<state>sold-?out|out-of-stock)\Z")


def shown_stock(tree: PageTree, stock: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """The stock texts of the main zone without those of badges that are not shown."""
    if not any(word == "OutOfStock" for word, _, _ in stock) or b"__" not in tree.html:
        return stock
    dark = [(where(node), squeeze(node.text(), 120)) for node in tree.parser.css(_CSS)[:BADGES_MAX] if _is_dark(node)]
    kept = []
    for word, path, raw in stock:
        if word == "OutOfStock" and (path, raw) in dark:
            dark.remove((path, raw))
        else:
            kept.append((word, path, raw))
    return kept


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
