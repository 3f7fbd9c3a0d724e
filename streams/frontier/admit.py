"""Admission: exact, durable deduplication and the bounds of a source (SPEC C4, C5).

Check and record are one atomic step because one owner handles the partition in order. Admitting again changes nothing, except that a
better hint or a newer `lastmod` only moves it forward. Nothing is dropped silently: each refusal is counted, and the first
of its kind is shown in quarantine.
"""

from dataclasses import dataclass, replace

from streams.frontier import growth
from streams.frontier.gate import robots_target_id
from streams.frontier.index import lane_rank, put_target
from streams.frontier.rows import REPORTS_MAX, SourceRow, TargetRow
from streams.frontier.turn import Turn
from topics.errors import Invalid
from topics.events.crawl import LinksFound
from topics.events.policy import MerchantPolicy
from topics.urls import UrlPolicy, in_origins, parse_url

COUNTED = ("page", "sitemap")
BOUNDS = ("urls_max", "depth_max", "pattern_growth")
"""Reasons of refusals that a wider bound takes back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A URL that asks for admission; fields as in `TargetRow` and `FoundLink`.

    Attributes:
        followed: met by following a link or a redirect, as traps are, not declared by the merchant.
    """

    url: str
    identity_url: str
    target_id: str
    kind: str
    hint: str = "other"
    depth: int = 0
    hops: int = 0
    root_id: str | None = None
    followed: bool = False
    lastmod_ms: int | None = None


def url_policy(policy: MerchantPolicy) -> UrlPolicy:
    """Returns how this source normalizes URLs."""
    return UrlPolicy(
        variant_params=policy.variant_params, tracking_params=policy.tracking_params, sort_query=policy.sort_query
    )


def on_links(turn: Turn, event: LinksFound) -> None:
    """Admits the new links of a page; the source row is the guard and comes last.

    Links of an older source epoch are admitted too: parse sends a link set once, and what may be fetched is judged at claim time.
    """
    source = turn.source(event.merchant)
    if source is None or source.policy is None or turn.offset < source.applied:
        return
    parent = turn.target(event.merchant, event.target_id)
    depth = event.depth if parent is None else parent.depth + 1
    if event.product and parent is not None and growth.free(turn, event.merchant, parent):
        source = widened(turn, source)
    met: set[str] = set()
    for link in event.links:
        if link.target_id not in met:
            met.add(link.target_id)
            found = Found(
                url=link.url,
                identity_url=link.identity_url,
                target_id=link.target_id,
                kind=link.kind if link.kind in COUNTED else "page",
                hint=link.hint,
                depth=depth,
                followed=parent is None or parent.kind != "sitemap",
                lastmod_ms=link.lastmod_ms,
            )
            source = admit(turn, event.merchant, source, found)
    turn.put_source(event.merchant, replace(source, applied=turn.offset))


def admit(turn: Turn, merchant: str, source: SourceRow, found: Found) -> SourceRow:
    """Admits one target if it is new; returns the source row to store, counted and with its reports.

    Re-handling an event over a part of its writes counts the same: a row names the offset that admitted it.
    """
    row = turn.target(merchant, found.target_id)
    counted = found.kind in COUNTED
    pattern = growth.bounded_pattern(found.identity_url, found.hint) if found.followed else None
    if row is not None:
        if row.identity_url != found.identity_url:
            return report(turn, merchant, source, found, reason="identity_collision", about=found.target_id)
        _move_forward(turn, merchant, row, found)
        again = row.admitted == turn.offset and counted
        if again and pattern is not None:
            growth.count(turn, merchant, pattern)
        return replace(source, urls=source.urls + again)
    refused = _refusal(source, found)
    if refused is not None:
        return report(turn, merchant, source, found, reason=refused, about=_about(refused, found))
    if pattern is not None and not growth.count(turn, merchant, pattern):
        about = f"{growth.PATTERN_URLS_MAX} URLs of {pattern} and no product"
        return report(turn, merchant, source, found, reason="pattern_growth", about=about)
    row = TargetRow(
        applied=turn.offset,
        admitted=turn.offset,
        kind=found.kind,
        url=found.url,
        identity_url=found.identity_url,
        hint=found.hint,
        depth=found.depth,
        hops=found.hops,
        root_id=found.root_id,
        enqueued_at_ms=turn.now_ms,
        next_fetch_at_ms=turn.now_ms,
    )
    if found.kind != "robots":
        ensure_robots(turn, merchant, parse_url(found.url).origin)
    put_target(turn, merchant, found.target_id, row)
    return replace(source, urls=source.urls + counted)


def _refusal(source: SourceRow, found: Found) -> str | None:
    policy = source.policy
    if policy is None or not in_origins(found.url, policy.allowed_origins):
        return "off_origin"
    if found.kind in COUNTED and found.depth > policy.depth_max:
        return "depth_max"
    if found.kind in COUNTED and source.urls >= policy.urls_max:
        return "urls_max"
    return None


def widened(turn: Turn, source: SourceRow) -> SourceRow:
    """Returns the row of a source whose bounds on URLs became wider: pages that are read from now on say all their links again.

    A bound that is met once more is also shown once more.
    """
    reported = tuple(tag for tag in source.reported if tag.split(" ", 1)[0] not in BOUNDS)
    return replace(source, bounds_rev=turn.offset, reported=reported)


def _about(reason: str, found: Found) -> str:
    """What is reported once: the foreign origin, or the bound itself."""
    if reason != "off_origin":
        return ""
    try:
        return parse_url(found.url).origin
    except Invalid:
        return "unreadable"


def _move_forward(turn: Turn, merchant: str, row: TargetRow, found: Found) -> None:
    """A better hint raises the priority, a newer lastmod advances the due time; neither ever delays (SPEC C1, C2)."""
    if row.applied >= turn.offset:
        return
    hinted = replace(row, hint=found.hint)
    better = hinted if lane_rank(hinted) < lane_rank(row) else row
    newer = found.lastmod_ms is not None and 0 < row.evidence_at_ms < found.lastmod_ms <= turn.now_ms
    due_at_ms = min(row.next_fetch_at_ms, turn.now_ms) if newer else row.next_fetch_at_ms
    better = replace(better, next_fetch_at_ms=due_at_ms)
    if better != row:
        put_target(turn, merchant, found.target_id, replace(better, applied=turn.offset))


def report(turn: Turn, merchant: str, source: SourceRow, found: Found, *, reason: str, about: str = "") -> SourceRow:
    """Counts a refused URL and shows the first of its kind; at most `REPORTS_MAX` kinds per source."""
    tag = f"{reason} {about}"[:200]
    source = replace(source, links_dropped=source.links_dropped + 1)
    if tag in source.reported or len(source.reported) >= REPORTS_MAX:
        return source
    detail = f"{reason}: {about or found.url}; further ones are counted, not shown"
    turn.quarantine(merchant, found.target_id, url=found.url, reason=reason, detail=detail)
    return replace(source, reported=(*source.reported, tag))


def ensure_robots(turn: Turn, merchant: str, origin: str) -> bool:
    """Admits the robots.txt of an origin if it is not there yet; it counts against no bound. True when it was new."""
    target_id = robots_target_id(origin)
    absent = turn.target(merchant, target_id) is None
    if absent:
        url = f"{origin}/robots.txt"
        row = TargetRow(
            applied=turn.offset,
            admitted=turn.offset,
            kind="robots",
            url=url,
            identity_url=url,
            enqueued_at_ms=turn.now_ms,
            next_fetch_at_ms=turn.now_ms,
        )
        put_target(turn, merchant, target_id, row)
    return absent


def make_due(turn: Turn, merchant: str, target_id: str, row: TargetRow) -> None:
    """Advances an unleased target to now; a target with an open claim is already being looked at."""
    if not row.leased and row.next_fetch_at_ms > turn.now_ms and row.applied <= turn.offset:
        put_target(turn, merchant, target_id, replace(row, applied=turn.offset, next_fetch_at_ms=turn.now_ms))
