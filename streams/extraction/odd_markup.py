"""The slow lane: RDFa, and microdata that only a complete reader understands (`itemref`), read by extruct (SPEC F1).

extruct costs 150 ms on an ordinary page and minutes on a hostile one. So it runs only where the cheap lanes found no product and
the bytes name one, and never on the page itself: it gets a skeleton of at most 2,000 elements with the attributes and texts that
carry meaning. Nothing is fetched: vocabularies are names here.
"""

import json
import re
from collections.abc import Iterator
from html import escape
from importlib import import_module
from typing import Any, Final

from selectolax.lexbor import LexborNode

from streams.extraction.items import Item, Leaf, json_items, short
from streams.page_tree import PageTree, attribute, parent_of, squeeze

HTML_BYTES_MAX: Final = 1 << 20
ELEMENTS_MAX: Final = 2_000
VALUE_CHARS_MAX: Final = 1_000
DEPTH_MAX: Final = 64
REFERENCES_MAX: Final = 10
MICRODATA_MAX: Final = 300  # extruct takes the cube of nested scopes: 200 of them 0.3 s, 2,000 five minutes
LEVELS_MAX: Final = 16
EMBEDDED_MAX: Final = 4_000
FOREIGN_FAULTS: Final = (ValueError, TypeError, LookupError, AttributeError, RecursionError)
"""What extruct and its parsers raise on odd addresses and literals; the page then has nothing to say here."""

_RDFA_PRODUCT: Final = re.compile(rb"(?i)\stypeof\s*=\s*[\"']?[^\"'<>]{0,200}\b(?:Product|Offer)")
_MICRODATA_PRODUCT: Final = re.compile(rb"(?i)\sitemtype\s*=\s*[\"']?[^\"'<>]{0,200}/(?:Product|Offer)\b")
_RDFA_CSS: Final = "[typeof], [property], [vocab], [prefix], [about], [resource]"
_RDFA_NAMES: Final = (
    "typeof", "property", "vocab", "prefix", "about", "resource", "rel", "rev", "content", "href", "src", "datetime", "datatype",
)  # fmt: skip
_MICRODATA_NAMES: Final = (
    "itemscope", "itemtype", "itemprop", "itemid", "itemref", "id", "content", "href", "src", "datetime", "value", "data",
)  # fmt: skip
_KEPT_TAGS: Final = frozenset(("a", "link", "meta", "img", "time", "data", "meter", "object"))
_VOID_TAGS: Final = frozenset(("link", "meta", "img"))
_VALUED: Final = ("content", "href", "src", "resource", "datetime", "value", "typeof", "itemscope")


def odd_items(tree: PageTree) -> dict[str, list[Item]]:
    """Items that extruct reads, by syntax; empty when nothing in the bytes names a product or the page is too large."""
    if len(tree.html) > HTML_BYTES_MAX:
        return {}
    found: dict[str, list[Item]] = {}
    if b"property" in tree.html and _RDFA_PRODUCT.search(tree.html):
        found["rdfa"] = _rdfa(tree)
    if b"itemscope" in tree.html and _MICRODATA_PRODUCT.search(tree.html):
        found["microdata"] = _microdata(tree)
    return {syntax: items for syntax, items in found.items() if items}


def preload() -> None:
    """Imports extruct ahead of the first page that needs it: 0.7 s and 34 MB, more than a page may take on a busy machine."""
    import_module("extruct")


def _rdfa(tree: PageTree) -> list[Item]:
    from extruct.rdfa import RDFaExtractor  # noqa: PLC0415  # slow to import; see preload

    html = _skeleton(tree.parser.css(_RDFA_CSS), _RDFA_NAMES)
    try:
        graph = RDFaExtractor().extract(html, base_url=tree.base_url)
    except FOREIGN_FAULTS:
        return []
    return _items(_trees(graph), "rdfa")


def _microdata(tree: PageTree) -> list[Item]:
    from extruct.w3cmicrodata import MicrodataExtractor  # noqa: PLC0415  # as above

    referring = tree.parser.css("[itemref]")
    wanted = {name for node in referring[:REFERENCES_MAX] for name in attribute(node, "itemref").split()}
    if len(referring) > REFERENCES_MAX or len(wanted) > REFERENCES_MAX:
        return []
    nodes = tree.parser.css("[itemscope], [itemprop], [id]" if wanted else "[itemscope], [itemprop]")
    kept = [one for one in nodes if _is_microdata(one) or attribute(one, "id") in wanted][:MICRODATA_MAX]
    html = _skeleton(kept, _MICRODATA_NAMES)
    try:
        found = MicrodataExtractor().extract(html, base_url=tree.base_url)
    except FOREIGN_FAULTS:
        return []
    return _items([_typed(one, 0) for one in found], "microdata")


def _is_microdata(node: LexborNode) -> bool:
    return "itemscope" in node.attributes or "itemprop" in node.attributes


def _skeleton(nodes: list[LexborNode], names: tuple[str, ...]) -> str:
    """The chosen elements of a page, nested as they are there, with the named attributes and the texts of valueless ones."""
    chosen = {node.mem_id: node for node in nodes[:ELEMENTS_MAX]}
    children: dict[int, list[int]] = {}
    levels: dict[int, int] = {0: 0}
    for ident, node in chosen.items():  # parents first
        parent = _ancestor(node, chosen)
        levels[ident] = levels[parent] + 1
        if levels[ident] <= LEVELS_MAX:
            children.setdefault(parent, []).append(ident)
    out: list[str] = []
    stack: list[int | str] = list(reversed(children.get(0, [])))
    while stack:
        piece = stack.pop()
        if isinstance(piece, str):
            out.append(piece)
            continue
        node, inner = chosen[piece], children.get(piece, [])
        tag = node.tag if node.tag in _KEPT_TAGS else "div"
        out.append(_opening(node, tag, names, is_leaf=not inner))
        stack.append("" if tag in _VOID_TAGS else f"</{tag}>")
        stack.extend(reversed(inner))
    return "<html><body>" + "".join(out) + "</body></html>"


def _ancestor(node: LexborNode, chosen: dict[int, LexborNode]) -> int:
    """The nearest chosen ancestor, 0 for none."""
    parent = parent_of(node)
    for _ in range(DEPTH_MAX * 2):
        if parent is None:
            return 0
        if parent.mem_id in chosen:
            return parent.mem_id
        parent = parent_of(parent)
    return 0


def _opening(node: LexborNode, tag: str, names: tuple[str, ...], *, is_leaf: bool) -> str:
    attrs = node.attributes
    kept = "".join(
        f' {name}="{escape(_clean(attrs[name] or "")[:VALUE_CHARS_MAX])}"' for name in names if name in attrs
    )
    text = ""
    if is_leaf and tag not in _VOID_TAGS and not any(name in attrs for name in _VALUED if name != "href" or tag == "a"):
        text = escape(_clean(squeeze(node.text(separator=" "), VALUE_CHARS_MAX)))
    return f"<{tag}{kept}>{text}"


def _clean(text: str) -> str:
    """The text without characters that XML cannot carry."""
    return "".join(char for char in text if char >= " " or char in "\t\n") if not text.isprintable() else text


def _typed(value: Any, depth: int) -> Any:
    """Returns the microdata that extruct gives as JSON-LD."""
    if isinstance(value, list):
        return [_typed(one, depth + 1) for one in value]
    if not isinstance(value, dict) or depth > DEPTH_MAX:
        return value if isinstance(value, str) else None
    properties = {str(name): _typed(one, depth + 1) for name, one in value.get("properties", {}).items()}
    return {"@type": value.get("type", []), **properties}


def _trees(graph: list[dict[str, Any]]) -> list[Any]:
    """RDF nodes as trees in an order of their own: blank nodes have random names and are embedded where they are named."""
    nodes = {node["@id"]: node for node in graph if "@id" in node}
    named = {ref for node in nodes.values() for ref in _references(node)}
    budget = [EMBEDDED_MAX]
    roots = [_embedded(node, nodes, budget, 0) for ident, node in nodes.items() if ident not in named]
    return sorted(roots, key=_canonical)


def _references(node: dict[str, Any]) -> Iterator[str]:
    for name, values in node.items():
        if name not in ("@id", "@type"):
            yield from (one["@id"] for one in values if one.get("@id") not in (None, node["@id"]))


def _embedded(node: dict[str, Any], nodes: dict[str, Any], budget: list[int], depth: int) -> dict[str, Any]:
    budget[0] -= 1
    out: dict[str, Any] = {"@type": sorted(node.get("@type", []))}
    for name, values in sorted(node.items()):
        if name in ("@id", "@type"):
            continue
        inner = []
        for one in values:
            ident = one.get("@id")
            if ident is None or ident not in nodes or ident == node["@id"]:
                inner.append(one.get("@value") if ident is None else ident)
            elif budget[0] > 0 and depth < DEPTH_MAX // 4:
                inner.append(_embedded(nodes[ident], nodes, budget, depth + 1))
        out.setdefault(short(name), []).extend(sorted(inner, key=_canonical))
    return out


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _items(trees: list[Any], syntax: str) -> list[Item]:
    """Items of their own syntax; texts are not taken for machine values, extruct does not tell `content=` from words."""
    items = json_items(trees, syntax)
    stack: list[Item] = list(items)
    while stack:
        item = stack.pop()
        item.syntax = syntax
        for values in item.props.values():
            for one in values:
                if isinstance(one, Leaf):
                    one.machine = False
                else:
                    stack.append(one)
    return items
