# ruff: noqa: RUF001  # the words and marks of many scripts are the data here
"""The main zone of a page: the texts that are shown from the product's heading on, up to the first heading of other products.

What is hidden or stands in another part of the page is skipped as a whole: its elements are not judged one by one.
"""

import re
from collections.abc import Iterator
from itertools import chain
from typing import Final, NamedTuple

from selectolax.lexbor import LexborNode

from streams.extraction.look import Look, Looks
from streams.extraction.numerals import fold
from streams.page_tree import PageTree, parent_of, squeeze

NODES_MAX: Final = 60_000
ZONE_TEXTS_MAX: Final = 320
SEEN_TEXTS_MAX: Final = 1_000  # hidden and away ones included

_MUTE_TAGS: Final = frozenset({"script", "style"})
_AWAY_TEXT: Final = re.compile(
    r"^(?:you (?:may|might) also like|related (?:products|items)|customers? (?:who|also)|people also|frequently bought|similar (?:products|items)|recommended|"
    r"recently viewed|more (?:from|like)|others? also|complete the look|goes well with|sponsored|das k[öo]nnte (?:dir|ihnen)|[äa]hnliche (?:produkte|artikel)|kunden (?:kauften|haben)|zubeh[öo]r$|"
    r"vous aimerez|produits (?:similaires|associ[ée]s)|productos (?:relacionados|similares)|tambi[ée]n te|prodotti (?:correlati|simili)|potrebbe(?:ro)? (?:interessarti|piacerti)|"
    r"produtos (?:relacionados|similares)|gerelateerde|vergelijkbare|podobne produkty|podobn[ée]|s[úu]visiace|похожие|с этим товаром|рекомендуем|relaterade|liknende|"
    r"関連商品|おすすめ|相关|相關|推薦|推荐|관련)",
    re.IGNORECASE,
)


class Piece(NamedTuple):
    """One shown text."""

    text: str
    parent: LexborNode
    look: Look
    order: int


def zone_of(tree: PageTree, heading: LexborNode | None, looks: Looks) -> list[Piece]:
    """Shown texts from the heading on, up to the first heading of other products."""
    pieces: list[Piece] = []
    body = tree.parser.body
    if body is None:
        return pieces
    for raw, parent, look in _Walk(body=body, looks=looks).texts(heading):
        if look.hidden or look.away:
            continue  # the heading itself stands there
        text = fold(squeeze(raw, 2_000))
        if len(text) < 80 and _AWAY_TEXT.match(text):
            break
        pieces.append(Piece(text=text, parent=parent, look=look, order=len(pieces)))
        if len(pieces) > ZONE_TEXTS_MAX:
            break
    return pieces


class _Walk:
    """A depth-first walk that knows the look of each element from its parent's.

    Attributes:
        seen: how many texts were passed at most; exact once `SEEN_TEXTS_MAX` came near.
        skipped: the subtrees that `seen` only estimates.
    """

    __slots__ = ("body", "looks", "seen", "skipped")

    def __init__(self, *, body: LexborNode, looks: Looks) -> None:
        self.body = body
        self.looks = looks
        self.seen = 0
        self.skipped: list[tuple[LexborNode, int]] = []

    def texts(self, heading: LexborNode | None) -> Iterator[tuple[str, LexborNode, Look]]:
        """Yields (text, parent, look) in document order from the heading on."""
        stack = self._start(heading)
        left = NODES_MAX
        while stack and left > 0:
            siblings, parent, above = stack[-1]
            for node in siblings:
                left -= 1
                if node.is_text_node:
                    raw = node.text_content or ""
                    if raw.isspace():
                        continue
                    if not self._may_see(1):
                        return
                    yield raw, parent, above
                elif node.first_child is not None and node.tag not in _MUTE_TAGS:
                    look = self.looks.under(node, above)
                    if not (look.hidden or look.away):
                        stack.append((node.iter(include_text=True, skip_empty=True), node, look))
                        break
                    if not self._may_skip(node):
                        return
            else:
                stack.pop()

    def _start(self, heading: LexborNode | None) -> list[tuple[Iterator[LexborNode], LexborNode, Look]]:
        """What is still to be walked: the heading and what follows it, inside each element around it, the body first."""
        if heading is None:
            return [(self.body.iter(include_text=True, skip_empty=True), self.body, self.looks.of(self.body))]
        stack: list[tuple[Iterator[LexborNode], LexborNode, Look]] = []
        node, parent = heading, parent_of(heading)
        while parent is not None:
            siblings = _after(node)
            stack.append((siblings if stack else chain((heading,), siblings), parent, self.looks.of(parent)))
            if parent.mem_id == self.body.mem_id:
                return stack[::-1]
            node, parent = parent, parent_of(parent)
        return []  # the heading stands outside the body

    def _may_see(self, texts: int) -> bool:
        self.seen += texts
        if self.seen > SEEN_TEXTS_MAX and self.skipped:
            self.seen += sum(_texts_in(node) - estimate for node, estimate in self.skipped)
            self.skipped.clear()
        return self.seen <= SEEN_TEXTS_MAX

    def _may_skip(self, node: LexborNode) -> bool:
        """Counts the texts of a skipped subtree: too many at first, in C, exactly only where it matters."""
        estimate = node.text(separator="\0", skip_empty=True).count("\0") + 1
        self.skipped.append((node, estimate))
        return self._may_see(estimate)


def _after(node: LexborNode) -> Iterator[LexborNode]:
    """The siblings that follow a node."""
    following = node.next
    while following is not None:
        yield following
        following = following.next


def _texts_in(node: LexborNode) -> int:
    """How many texts a subtree holds; scripts and styles have none."""
    count = 0
    for inner in node.traverse(include_text=True, skip_empty=True):
        if inner.is_text_node and not (inner.text_content or "").isspace():
            parent = inner.parent
            count += parent is not None and parent.tag not in _MUTE_TAGS
    return count
