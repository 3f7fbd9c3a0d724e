"""schema.org items, whatever the syntax: JSON-LD and microdata both become these, and one module maps them to claims."""

from dataclasses import dataclass, field
from typing import Any, Final, Union

from streams.extraction.claims import value_text
from streams.extraction.repair import REPAIR_CHARS_MAX, Unreadable, finite, load
from streams.extraction.states import State, walk
from streams.page_tree import PageTree

DEPTH_MAX: Final = 48
ITEMS_MAX: Final = 20_000
SCRIPTS_MAX: Final = 200
_PREFIXES: Final = (
    "http://schema.org/",
    "https://schema.org/",
    "http://www.schema.org/",
    "https://www.schema.org/",
    "schema:",
)


@dataclass(slots=True, kw_only=True)
class Leaf:
    """A text value and where it stands; `machine` when it was written for programs (JSON, `content=`), `said` what people read there."""

    text: str
    path: str
    machine: bool = True
    said: str = ""


@dataclass(slots=True, kw_only=True)
class Item:
    """One typed node.

    Attributes:
        types: lower-case short type names.
        ident: `@id` or `itemid`, or None.
        props: lower-case property name to its values in order.
        repair: what its script needed before it could be read.
    """

    syntax: str
    path: str
    types: frozenset[str] = frozenset()
    ident: str | None = None
    props: dict[str, list[Union["Item", Leaf]]] = field(default_factory=dict)
    repair: str = ""

    def leaves(self, *names: str) -> list[Leaf]:
        return [value for name in names for value in self.props.get(name, ()) if isinstance(value, Leaf)]

    def items(self, *names: str) -> list["Item"]:
        return [value for name in names for value in self.props.get(name, ()) if isinstance(value, Item)]


def short(name: str) -> str:
    """A type or property name without its vocabulary, lower case."""
    text = name.strip()
    lowered = text.lower()
    for prefix in _PREFIXES:
        if lowered.startswith(prefix):
            return lowered[len(prefix) :].strip("/#")
    return lowered.rsplit("/", 1)[-1].rsplit("#", 1)[-1].strip()


class _Budget:
    """Counts nodes so that a hostile script cannot grow without end."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = ITEMS_MAX

    def take(self) -> bool:
        self.left -= 1
        return self.left >= 0


def json_ld_items(tree: PageTree) -> tuple[list[Item], list[str]]:
    """Top-level items of every ld+json script, and the faults of those that could not be read."""
    items: list[Item] = []
    faults: list[str] = []
    budget = _Budget()
    seen = 0
    left = REPAIR_CHARS_MAX  # of the page, not of one script
    for one in tree.marked("script"):
        if "ld+json" not in one.get("type").lower():
            continue
        seen += 1
        if seen > SCRIPTS_MAX:
            faults.append("too_many_scripts")
            break
        try:
            text = one.node.text() or ""
            values = load(text, repair_chars_max=left)
        except Unreadable as fault:
            left -= len(text)
            faults.append(f"script[{seen - 1}]: {fault}")
            continue
        left -= len(text) if any(repair for _, repair in values) else 0
        for number, (value, repair) in enumerate(values):
            path = f"script[{seen - 1}]" + (f"#{number}" if len(values) > 1 else "")
            items.extend(_from_json(value, path, repair, 0, budget))
    return items, faults


def embedded_items(states: list[State]) -> list[Item]:
    """schema.org objects inside application state: Next.js ships JSON-LD in its streaming chunks, some shops in their own state."""
    items: list[Item] = []
    budget = _Budget()
    for state in states:
        if not state.linked:
            continue
        for path, node in walk(state.value):
            context = node.get("@context")
            if isinstance(context, str) and "schema.org" in context:
                items.extend(_from_json(node, f"{state.path}{path}", state.repair, 0, budget))
            for key, text in node.items() if state.name == "__next_f" else ():
                if isinstance(text, str) and "schema.org" in text and text.lstrip()[:1] in "[{":
                    items.extend(
                        item
                        for value, repair in _loaded(text)
                        for item in _from_json(value, f"{state.path}{path}/{key}", repair, 0, budget)
                    )
    return items


def json_items(values: list[Any], path: str) -> list[Item]:
    """Items of JSON values that another reader made, under a path of its own."""
    return _from_json(values, path, "", 0, _Budget())


def _loaded(text: str) -> list[tuple[Any, str]]:
    try:
        return load(text, repair_chars_max=0)
    except Unreadable:
        return []


def _from_json(value: Any, path: str, repair: str, depth: int, budget: _Budget) -> list[Item]:
    """Items of a JSON value: an object is one, a list is its members, a graph is its nodes."""
    if depth > DEPTH_MAX:
        return []
    if isinstance(value, list):
        return [
            item
            for i, member in enumerate(value)
            for item in _from_json(member, f"{path}/{i}", repair, depth + 1, budget)
        ]
    if not isinstance(value, dict) or not budget.take():
        return []
    graph = value.get("@graph")
    nodes = _from_json(graph, f"{path}/@graph", repair, depth + 1, budget) if graph is not None else []
    item = _object(value, path, repair, depth, budget)
    return [item, *nodes] if item.props or item.ident else nodes


def _object(value: dict[str, Any], path: str, repair: str, depth: int, budget: _Budget) -> Item:
    names = value.get("@type", value.get("type", ()))
    types = frozenset(short(one) for one in (names if isinstance(names, list) else [names]) if isinstance(one, str))
    ident = value.get("@id")
    item = Item(
        syntax="json-ld", path=path, types=types, ident=ident if isinstance(ident, str) else None, repair=repair
    )
    for key, member in value.items():
        if key in ("@type", "@id", "@graph", "@context"):
            continue
        found = _members(member, f"{path}/{key}", repair, depth + 1, budget)
        if found:
            item.props.setdefault(short(key), []).extend(found)
    return item


def _members(value: Any, path: str, repair: str, depth: int, budget: _Budget) -> list[Item | Leaf]:
    if depth > DEPTH_MAX:
        return []
    if isinstance(value, list):
        return [
            one for i, member in enumerate(value) for one in _members(member, f"{path}/{i}", repair, depth + 1, budget)
        ]
    if isinstance(value, dict):
        inner = value.get("@value")
        if inner is not None:
            return _members(inner, path, repair, depth + 1, budget)
        return [_object(value, path, repair, depth, budget)] if budget.take() else []
    if isinstance(value, bool):
        return [Leaf(text="true" if value else "false", path=path)]
    text = value_text(value) if finite(value) else ""
    return [Leaf(text=text, path=path)] if text else []
