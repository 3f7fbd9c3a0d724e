"""Application state that pages embed for their own scripts, as JSON values: found, decoded, bounded; meaning is given elsewhere."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import orjson

from streams.extraction.nuxt import CALL_CHARS_MAX, nuxt_value
from streams.extraction.repair import Unreadable, load
from streams.page_tree import PageTree

SCRIPTS_MAX: Final = 200
STATE_REPAIR_CHARS_MAX: Final = 20_000
STATE_CHARS_MAX: Final = 2 << 20
FLIGHT_LINES_MAX: Final = 2_000
ASSIGNMENTS_MAX: Final = 8  # of one name in one script
NAMES: Final = (
    "__INITIAL_STATE__", "__PRELOADED_STATE__", "__APOLLO_STATE__", "__NUXT__", "__NEXT_DATA__", "__STATE__", "__INITIAL_DATA__", "Static.SQUARESPACE_CONTEXT",
    "BCData", "prestashop", "var meta", "ShopifyAnalytics.meta", "productData", "product_data", "productJson",
)  # fmt: skip
_ASSIGNED: Final = re.compile(r"\s*=\s*(?:JSON\.parse\(\s*)?(?=[\[{\"'])")
_FLIGHT: Final = re.compile(r"__next_(?P<kind>[fs])\s*=?[^;]{0,60}?\.?push\(\s*(?=\[)")
_FLIGHT_LINE: Final = re.compile(r"^[0-9a-f]{1,6}:(?:[A-Z]?)(?=[\[{\"])")
_DECODER: Final = json.JSONDecoder(strict=False)
_MARKERS: Final = (
    b"json",
    b"__",
    b"SQUARESPACE_CONTEXT",
    b"BCData",
    b"prestashop",
    b"magento-init",
    b"meta",
    b"product",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """One embedded value: where it was, what it took to read it, and whether its text speaks of a JSON-LD context."""

    name: str
    path: str
    value: Any
    repair: str = ""
    linked: bool = True


def states_of(tree: PageTree) -> list[State]:
    """Every embedded state of a page, in document order."""
    if not any(marker in tree.html for marker in _MARKERS):
        return []
    out: list[State] = []
    flight: list[str] = []
    nuxt_left = CALL_CHARS_MAX  # of the page
    scripts = [(number, one, one.node.text() or "") for number, one in enumerate(tree.marked("script")[:SCRIPTS_MAX])]
    everything = "\n".join(text for _, _, text in scripts)
    names = tuple(name for name in NAMES if name in everything)
    for number, script, text in scripts:
        kind = script.get("type").lower()
        if "ld+json" in kind or not text or len(text) > STATE_CHARS_MAX:
            continue
        if "json" in kind or "magento-init" in kind:
            name = script.get("id") or ("x-magento-init" if "magento" in kind else kind)
            out.extend(
                State(name=name[:60], path=f"script[{number}]", value=value, repair=repair, linked=_is_linked(text))
                for value, repair in _loaded(text)
            )
        else:
            out.extend(_assigned(text, number, names))
            if "__NUXT__" in text and len(text) <= nuxt_left:
                nuxt_left -= len(text)
                out.extend(_called(text, number))
            flight.extend(_flight(text))
    if flight:
        out.extend(_flight_states(flight))
    return out


def _loaded(text: str) -> list[tuple[Any, str]]:
    try:
        return load(text, repair_chars_max=STATE_REPAIR_CHARS_MAX)
    except Unreadable:
        return []


def _is_linked(text: str) -> bool:
    return "@context" in text or "u0040" in text


def _assigned(text: str, number: int, names: tuple[str, ...]) -> Iterator[State]:
    """Values that a script assigns to a well-known name, as JSON or as JSON in a string."""
    for name in names:
        at = text.find(name)
        for _ in range(ASSIGNMENTS_MAX):
            if at < 0:
                break
            match = _ASSIGNED.match(text, at + len(name))
            value = decode_at(text, match.end()) if match else None
            if isinstance(value, str):
                value = _parsed(value)
            if isinstance(value, (dict, list)):
                yield State(name=name, path=f"script[{number}]/{name}", value=value, linked=_is_linked(text))
            at = text.find(name, at + len(name))


def _called(text: str, number: int) -> Iterator[State]:
    """The state that Nuxt 2 ships as a call."""
    value = nuxt_value(text)
    if isinstance(value, (dict, list)):
        yield State(name="__NUXT__", path=f"script[{number}]/__NUXT__()", value=value, repair="call")


def decode_at(text: str, at: int) -> Any:
    """The JSON value that starts at a position, or None."""
    if text[at : at + 1] == "'":
        end = text.find("'", at + 1)
        return text[at + 1 : end] if end > 0 else None
    try:
        value, _ = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None
    return value


def _parsed(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


def _flight(text: str) -> Iterator[str]:
    """Payload strings of Next.js streaming: `self.__next_f.push([1, "..."])` and the props of `__next_s`."""
    if "__next_" not in text:
        return
    for match in islice(_FLIGHT.finditer(text), ASSIGNMENTS_MAX):
        value = decode_at(text, match.end())
        if not isinstance(value, list) or len(value) < 2:
            continue
        if match.group("kind") == "f" and isinstance(value[1], str):
            yield value[1]
        elif match.group("kind") == "s" and isinstance(value[1], dict):
            inner = value[1].get("children")
            if isinstance(inner, str):
                yield "0:" + inner + "\n"


def _flight_states(chunks: list[str]) -> Iterator[State]:
    """JSON rows of the joined stream."""
    for number, line in enumerate("".join(chunks)[:STATE_CHARS_MAX].split("\n")[:FLIGHT_LINES_MAX]):
        start = _FLIGHT_LINE.match(line)
        value = decode_at(line, start.end()) if start else None
        if isinstance(value, (dict, list)):
            yield State(name="__next_f", path=f"__next_f/{number}", value=value)


def walk(value: Any, *, nodes_max: int = 40_000) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object of a value with its path, parents first, bounded; no recursion."""
    stack: list[tuple[str, Any]] = [("", value)]
    left = nodes_max
    while stack and left > 0:
        path, node = stack.pop()
        left -= 1
        if isinstance(node, dict):
            yield path, node
            stack.extend(
                (f"{path}/{str(key)[:40]}"[-200:], inner)
                for key, inner in reversed(list(node.items()))
                if isinstance(inner, (dict, list))
            )
        elif isinstance(node, list):
            stack.extend(
                (f"{path}/{i}"[-200:], inner)
                for i, inner in reversed(list(enumerate(node[:2_000])))
                if isinstance(inner, (dict, list))
            )
