"""JSON from pages: the strict fast path first, then a recorded ladder of repairs. A script that needs a guess stays unread.

Order (reference/extraction.md §Design 9): trim → wrappers → orjson → control characters → trailing junk and concatenated
values → comments and trailing commas → entities once → quotes last.
"""

import html
import json
import math
import re
from typing import Any, Final

import orjson

SCRIPT_CHARS_MAX: Final = 2 << 20
CHECKED_CHARS_MAX: Final = 400_000
MEND_CHARS_MAX: Final = 64_000
COMMENTS_MAX: Final = 100
REPAIR_CHARS_MAX: Final = 250_000  # of one page; the ladder costs about 2 µs a character at worst
DEPTH_MAX: Final = 256
VALUES_MAX: Final = 64

_OPENERS: Final = (
    re.compile(r"(?://\s*|/\*\s*)?(?:<!\[CDATA\[|&lt;!\[CDATA\[)\s*(?:\*/)?"),
    re.compile(r"<!--"),
)
_CLOSER: Final = re.compile(r"(?://\s*|/\*\s*)?(?:\]\]>|\]\]&gt;|-->)\s*(?:\*/)?\s*\Z")
_CLOSER_CHARS: Final = 64
_TRIM: Final = "\ufeff\u00a0\u200b \t\r\n\f\v"
_JUNK: Final = re.compile(r"[\s;,\]})/]*")
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*[^*]*(?:\*(?!/)[^*]*)*\*/|,(?=\s*[}\]])', re.DOTALL)
_ENTITY_START: Final = re.compile(r"\s*[\[{]\s*&quot;")


class Unreadable(ValueError):
    """The script is no JSON that can be read without guessing."""


def load(text: str, *, repair_chars_max: int = REPAIR_CHARS_MAX) -> list[tuple[Any, str]]:
    """The JSON values of one script, each with the repair it took (empty for none).

    Args:
        text: the script.
        repair_chars_max: longest script that the ladder may take up; the strict path has no such bound.

    Raises:
        Unreadable: nothing could be read. An empty script gives an empty list.
    """
    if len(text) > SCRIPT_CHARS_MAX:
        raise Unreadable("script_too_large")
    steps: list[str] = []
    body = text.strip(_TRIM)
    stripped = _unwrapped(body)
    if stripped != body:
        steps.append("wrapper")
    if not stripped:
        return []
    try:
        value = orjson.loads(stripped)
        return [(_checked(stripped) if _may_repeat(stripped) else value, "+".join(steps))]
    except orjson.JSONDecodeError:
        if len(stripped) > repair_chars_max:
            raise Unreadable("too_large_to_repair") from None
        return _ladder(stripped, steps)


def _may_repeat(text: str) -> bool:
    """Whether a deciding key stands more than once: only then the slower reader looks whether it is in one object."""
    return len(text) < CHECKED_CHARS_MAX and any(
        text.count(key) > 1 for key in ('"price"', '"priceCurrency"', '"availability"', '"sku"', '"offers"')
    )


def _checked(text: str) -> Any:
    """The value with repeated, differing keys dropped (orjson keeps the last silently)."""
    return json.loads(text, object_pairs_hook=_pairs)


def _unwrapped(body: str) -> str:
    """The text without comment and CDATA wrappers, at most two of each."""
    for _ in range(2):
        for opener in _OPENERS:
            found = opener.match(body)
            body = body[found.end() :].strip(_TRIM) if found else body
        found = _CLOSER.search(body, max(0, len(body) - _CLOSER_CHARS))
        body = body[: found.start()].strip(_TRIM) if found else body
    return body


def _ladder(body: str, steps: list[str]) -> list[tuple[Any, str]]:
    attempts = [(body, "control_characters")]
    if _ENTITY_START.match(body):
        body = html.unescape(body)
        attempts = [(body, "entities")]
    if body.count("/*") <= COMMENTS_MAX:  # an unclosed comment makes each search run to the end
        attempts.append((_TOKEN.sub(_kept, body), "commas_comments"))
    for candidate, step in attempts:
        if _too_deep(candidate):
            raise Unreadable("nested_too_deep")
        values, junk = _values(candidate)
        if values:
            name = "+".join([*steps, step, *(["trailing_junk"] if junk else [])])
            return [(value, name) for value in values]
    mended = mend_quotes(body)
    if mended is not None:
        values, _ = _values(mended)
        if values:
            return [(value, "+".join([*steps, "quotes"])) for value in values]
    raise Unreadable("not_json")


def _kept(match: re.Match[str]) -> str:
    text = match.group()
    return text if text.startswith('"') else " "


def _values(text: str) -> tuple[list[Any], bool]:
    """Every complete value from the start of the text; junk between and after them is brackets and separators only."""
    decoder = json.JSONDecoder(strict=False, parse_constant=_no_constant, object_pairs_hook=_pairs)
    values: list[Any] = []
    at, junk = len(text) - len(text.lstrip()), False
    while at < len(text) and len(values) < VALUES_MAX:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            break
        if isinstance(value, (dict, list)):
            values.append(value)
        gap = _JUNK.match(text, end)
        at = gap.end() if gap else end
        junk = junk or bool(text[end:at].strip())
    if at < len(text):
        # what follows is unreadable: the values before it stand, an unread object behind them may hold another product
        return (values, True) if values and not re.search(r'[{]\s*"', text[at:]) else ([], False)
    return values, junk


def _no_constant(name: str) -> None:
    """NaN and Infinity are no values: null."""
    del name


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; a key given twice with different values becomes null, it is not chosen between."""
    out: dict[str, Any] = {}
    clashing: set[str] = set()
    for key, value in pairs:
        if key in out and out[key] != value:
            clashing.add(key)
        out[key] = value
    for key in clashing:
        out[key] = None
    return out


def _too_deep(text: str) -> bool:
    """Whether brackets outside strings nest beyond the limit (Python's decoder would overflow its stack)."""
    depth = 0
    for match in re.finditer(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]', text, re.DOTALL):
        mark = match.group()
        if mark in "[{":
            depth += 1
            if depth > DEPTH_MAX:
                return True
        elif mark in "]}":
            depth -= 1
    return False


def finite(value: object) -> bool:
    """Whether a number may be used."""
    return not isinstance(value, float) or math.isfinite(value)


_QUOTED_LINE: Final = re.compile(
    r'("(?:description|name|reviewBody|headline|text|alt|caption)"\s*:\s*")([^{}\[\]]{0,4000}?)(?="\s*(?:,\s*"[\w@:]+"\s*:|\}))',
    re.DOTALL,
)


def mend_quotes(text: str) -> str | None:
    """Escapes bare quotes inside free-text members only, so that price members are never inside the mended part."""

    def escape(match: re.Match[str]) -> str:
        inner = re.sub(r'(?<!\\)"', r"\"", match.group(2))
        return match.group(1) + inner

    if len(text) > MEND_CHARS_MAX:
        return None
    mended = _QUOTED_LINE.sub(escape, text)
    return mended if mended != text else None
