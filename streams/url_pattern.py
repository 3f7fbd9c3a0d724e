"""The shape of a URL: which addresses of a site differ by a number, a date, a token or a value only.

Discovery knows traps by it, the frontier counts what it admits by it, parse groups pages into templates by it.
"""

import re
from functools import lru_cache
from urllib.parse import unquote

_DATE_SEGMENT = re.compile(r"(?:19|20|21)\d{2}(?:-\d{1,2}){0,2}\Z")
_NUMBERS = re.compile(r"\d+")
_TOKEN = re.compile(r"(?=[^/]*\d)[0-9a-f]{12,}|(?=[^/]*\d)[0-9A-Za-z_-]{20,}")


@lru_cache(maxsize=256)
def split(identity: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Returns the path and the (name, value) pairs of an identity URL, names folded, escapes decoded."""
    base, _, query = identity.partition("?")
    path = "/" + base.partition("://")[2].partition("/")[2]
    pairs = [part.partition("=") for part in query.split("&") if part]
    return path, tuple((unquote(name).casefold(), unquote(value)) for name, _, value in pairs)


def pattern_of(identity: str) -> str:
    """Returns the URL's pattern: dates, numbers and long tokens in the path as signs, parameter names without values.

    `https://s.example/blog/2026/05?b=1&a=2` gives `/blog/{date}/{n}?a&b`.
    """
    path, pairs = split(identity)
    segments = [_sign(segment) for segment in path.split("/")]
    names = sorted({name for name, _ in pairs})
    return "/".join(segments) + ("?" + "&".join(names) if names else "")


def repeats(pattern: str) -> bool:
    """True when a site can make more than one URL of a pattern: something in it stands for a value."""
    return "{" in pattern or "?" in pattern


def _sign(segment: str) -> str:
    if _DATE_SEGMENT.match(segment):
        return "{date}"
    if _TOKEN.fullmatch(segment):
        return "{token}"
    return _NUMBERS.sub("{n}", segment)
