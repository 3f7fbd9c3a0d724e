"""How far a URL pattern may grow (SPEC C5): traps that no rule knows by their shape show themselves by never ending.

Counted are the URLs that one source gave by its links, per pattern (`streams/url_pattern.py`), where they are admitted. A flat cap on
a host would punish large catalogs, so the cap is on a pattern, and it ends when a product comes from that pattern. Addresses that look
like products and what a sitemap declares are not counted.

There is a row per pattern only when it can repeat and a URL of it asked for admission: fewer rows than targets, whatever a site
invents, and one event holds at most as many as it has links.
"""

import hashlib
from dataclasses import replace
from typing import Final

from streams.frontier.rows import PATTERNS, PatternRow, TargetRow
from streams.frontier.turn import Turn
from streams.url_pattern import pattern_of, repeats
from topics.keys import join_key

PATTERN_URLS_MAX: Final = 1_000
_UNBOUNDED: Final = frozenset({"product", "seed"})


def bounded_pattern(identity_url: str, hint: str) -> str | None:
    """Returns the pattern whose growth a URL adds to; None when it is a product or the only URL of its pattern."""
    if hint in _UNBOUNDED:
        return None
    pattern = pattern_of(identity_url)
    return pattern if repeats(pattern) else None


def count(turn: Turn, merchant: str, pattern: str) -> bool:
    """Counts one admitted URL of a pattern; False, and nothing is counted, when the pattern has as many as it may have."""
    key = _key(merchant, pattern)
    row = _row(turn, key)
    if row.product:
        return True
    if row.before + turn.grown.get(key, 0) >= PATTERN_URLS_MAX:
        if not row.full:
            _put(turn, key, replace(row, full=True))
        return False
    turn.grown[key] = turn.grown.get(key, 0) + 1
    _put(turn, key, replace(row, admitted=row.before + turn.grown[key]))
    return True


def free(turn: Turn, merchant: str, product: TargetRow) -> bool:
    """Ends the bound on the pattern of a product page; True when URLs of it were refused and should be said again."""
    pattern = bounded_pattern(product.identity_url, product.hint)
    if pattern is None:
        return False
    key = _key(merchant, pattern)
    row: PatternRow | None = turn.view.get(PATTERNS, key)
    if row is None or not row.product:
        _put(turn, key, replace(_row(turn, key), product=True))
        return row is not None and row.full
    return row.full and row.applied == turn.offset  # handled again: this event ended it


def _key(merchant: str, pattern: str) -> bytes:
    return join_key(merchant, hashlib.sha256(pattern.encode()).hexdigest()[:32])


def _row(turn: Turn, key: bytes) -> PatternRow:
    """Returns the row as this event has it: `before` is what earlier events counted, however often this one is handled."""
    row: PatternRow | None = turn.view.get(PATTERNS, key)
    if row is None:
        return PatternRow(applied=turn.offset)
    return row if row.applied == turn.offset else replace(row, applied=turn.offset, before=row.admitted)


def _put(turn: Turn, key: bytes, row: PatternRow) -> None:
    turn.view.put(PATTERNS, key, row)
