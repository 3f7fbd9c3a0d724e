"""Microdata as items, scoped or loose: `itemprop` outside any `itemscope` is common on old shops and still says something."""

from typing import Final

from selectolax.lexbor import LexborNode

from streams.extraction.items import Item, Leaf, short
from streams.page_tree import Element, PageTree, parent_of, squeeze

NODES_MAX: Final = 4_000
SAID_CHARS_MAX: Final = 60
_URL_ATTRIBUTES: Final = {
    "a": "href", "area": "href", "link": "href", "img": "src", "audio": "src", "embed": "src", "iframe": "src", "source": "src",
    "track": "src", "video": "src", "object": "data", "data": "value", "meter": "value", "time": "datetime",
}  # fmt: skip


def microdata_items(tree: PageTree) -> list[Item]:
    """Top-level items in document order; the last is the loose one, of all properties outside any scope."""
    scopes: dict[int, Item] = {}
    top: list[Item] = []
    loose = Item(syntax="microdata", path="loose")
    number = 0
    for one in tree.marked():
        marks = ("itemscope" in one.attributes) + ("itemprop" in one.attributes)
        if not marks:
            continue
        if number > NODES_MAX:
            break
        _place(one, number, scopes, top, loose)
        number += marks  # so that a path stays what earlier revisions wrote
    return [*top, _settled(loose)] if loose.props else top


def _place(one: Element, number: int, scopes: dict[int, Item], top: list[Item], loose: Item) -> None:
    node, attrs = one.node, one.attributes
    owner = _owner(node, scopes) if scopes else None
    names = (attrs.get("itemprop") or "").split()
    value: Item | Leaf
    if "itemscope" in attrs:
        types = frozenset(short(name) for name in (attrs.get("itemtype") or "").split())
        parent = f"{owner.path}/" if owner else ""
        path = f"{parent}{names[0] if names else (min(types) if types else 'item')}[{number}]"
        value = Item(syntax="microdata", path=path, types=types, ident=attrs.get("itemid") or None)
        scopes[node.mem_id] = value
        if owner is None and not names:
            top.append(value)
            return
    else:
        text, machine = _value(one)
        path = f"{owner.path if owner else 'loose'}/{names[0] if names else ''}[{number}]"
        said = squeeze(node.text(separator=" "), SAID_CHARS_MAX) if machine and "price" in names else ""
        value = Leaf(text=text, path=path, machine=machine, said=said)
        if not text:
            return
    target = owner if owner is not None else loose
    for name in names[:8]:
        target.props.setdefault(short(name), []).append(value)
    if owner is None and isinstance(value, Item):
        top.append(value)


def _settled(loose: Item) -> Item:
    """The loose item; several different prices outside any scope are a list of products, and say nothing of one."""
    prices = {leaf.text for leaf in loose.leaves("price", "lowprice", "highprice")}
    if len(prices) > 1:
        for name in ("price", "lowprice", "highprice", "pricecurrency", "availability"):
            loose.props.pop(name, None)
    return loose


def _owner(node: LexborNode, scopes: dict[int, Item]) -> Item | None:
    parent = parent_of(node)
    steps = 0
    while parent is not None and steps < 128:
        found = scopes.get(parent.mem_id)
        if found is not None:
            return found
        parent = parent_of(parent)
        steps += 1
    return None


def _value(one: Element) -> tuple[str, bool]:
    """The text of a property and whether it was written for programs."""
    content = one.get("content")
    if content.strip():
        return squeeze(content, 2_000), True
    name = _URL_ATTRIBUTES.get(one.tag)
    linked = one.get(name) if name else ""
    if linked:
        return linked.strip()[:2_000], True
    return squeeze(one.node.text(separator=" "), 2_000), False
