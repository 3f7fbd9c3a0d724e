"""Crawl traps: URLs that a site can make without end. Each rule gives a reason that is reported (SPEC C5)."""

import re

from streams.discovery.links import Scope
from streams.discovery.shapes import page_number
from streams.url_pattern import pattern_of, split

PARAMETERS_MAX = 8
SEGMENTS_MAX = 16
SEGMENT_REPEATS_MAX = 2

_FACETS = frozenset(
    (
        *("color", "colour", "size", "brand", "material", "style", "gender", "rating", "availability", "in_stock"),
        *("price", "price_min", "price_max", "min_price", "max_price", "minprice", "maxprice", "discount", "tag"),
    )
)
_FACET_NAME = re.compile(r"(?:filter|facet|f\[|refine|attr|pf_|prefn|prefv|constraint)")
_ORDERINGS = frozenset(
    (
        *("sort", "sort_by", "sortby", "orderby", "order", "order_by", "dir", "direction", "view", "mode", "display"),
        *("per_page", "perpage", "pagesize", "page_size", "limit", "show", "items", "srule"),
    )
)
_CALENDAR_NAMES = frozenset(("date", "day", "month", "year", "week", "cal", "calendar", "ical", "tribe-bar-date"))
_CALENDAR_PATH = re.compile(
    r"/(?:calendar|kalender|calendrier|events?|agenda|archives?|schedule)(?:/|\Z)", re.IGNORECASE
)
_SESSION_NAMES = frozenset(("sid", "sessid", "sessionid", "session_id", "session", "token", "s_id"))
_SESSION_VALUE = re.compile(r"(?=.*\d)[0-9A-Za-z_-]{16,}\Z")


def listing_trap(identity: str, base_identity: str, scope: Scope) -> str | None:
    """Returns why a link that is no product must not be followed, or None.

    Args:
        identity: the link's identity URL.
        base_identity: identity URL of the page it stands on; a calendar may be entered, not walked.
        scope: gives the bounds on pages and facets.
    """
    path, pairs = split(identity)
    names = [name for name, _ in pairs]
    page = page_number(identity)
    if page is not None and page > scope.pages_max:
        return "pagination_range"
    if _is_calendar(path, names) and _is_calendar(*_path_and_names(base_identity)):
        return "calendar"
    if any(name in _SESSION_NAMES and _SESSION_VALUE.match(value) for name, value in pairs):
        return "session_id"
    if any(name in _ORDERINGS for name in names):
        return "reordered_listing"
    facets = sum(1 for name in names if name in _FACETS or _FACET_NAME.match(name))
    if facets > scope.facets_max:
        return "facet_combination"
    return None


def endless_path(identity: str) -> str | None:
    """Returns why a URL of any kind cannot be a real page: paths and queries that grow by following relative links."""
    path, pairs = split(identity)
    segments = [segment for segment in path.split("/") if segment]
    host = identity.partition("://")[2].partition("/")[0].partition(":")[0]
    if host in segments:
        return "schemeless_link"  # href="www.shop.example/x" resolves below itself for ever
    if len(segments) > SEGMENTS_MAX or any(segments.count(one) > SEGMENT_REPEATS_MAX for one in set(segments)):
        return "repeated_segments"
    if any(segments[at : at + 2] == segments[at + 2 : at + 4] for at in range(len(segments) - 3)):
        return "repeated_segments"
    if len(pairs) > PARAMETERS_MAX or len({name for name, _ in pairs}) < len(pairs) - SEGMENT_REPEATS_MAX:
        return "query_combinations"
    return None


def _path_and_names(identity: str) -> tuple[str, list[str]]:
    path, pairs = split(identity)
    return path, [name for name, _ in pairs]


def _is_calendar(path: str, names: list[str]) -> bool:
    dated = pattern_of("x://x" + path).count("{date}") > 0
    return any(name in _CALENDAR_NAMES for name in names) or (dated and _CALENDAR_PATH.search(path) is not None)
