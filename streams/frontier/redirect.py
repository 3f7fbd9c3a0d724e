"""A redirect is an outcome; its destination is authorized anew, as a target with a permit of its own (DESIGN §6)."""

from dataclasses import replace

from streams.frontier.admit import Found, admit, make_due, report, url_policy
from streams.frontier.rows import HOPS_MAX, SourceRow, TargetRow
from streams.frontier.turn import Turn
from topics.errors import Invalid
from topics.events.crawl import FetchOutcome
from topics.urls import identity_url, target_id


def follow(turn: Turn, source: SourceRow, row: TargetRow, outcome: FetchOutcome) -> tuple[TargetRow, SourceRow]:
    """Admits the destination of an accepted redirect; returns both rows to store.

    The old row remembers where it led. A redirect to another spelling of the same identity only changes what is fetched. Hops
    are bounded; an unreadable or foreign destination is reported and not followed.
    """
    merchant = outcome.merchant
    found = _destination(source, row, outcome)
    if row.hops >= HOPS_MAX:
        return row, report(turn, merchant, source, found, reason="redirects_max", about=outcome.target_id)
    if found.target_id == outcome.target_id:
        return replace(row, url=found.url, hops=row.hops + 1, next_fetch_at_ms=turn.now_ms), source
    source = admit(turn, merchant, source, found)
    landed = turn.target(merchant, found.target_id)
    if landed is None:
        return row, source
    if row.kind in ("robots", "proof"):
        make_due(turn, merchant, found.target_id, landed)
    return replace(row, redirect_id=found.target_id), source


def _destination(source: SourceRow, row: TargetRow, outcome: FetchOutcome) -> Found:
    """The destination as a URL that asks for admission; robots and proof hops answer for their root."""
    assert source.policy is not None
    url = outcome.redirect_to or ""
    root_id = None
    try:
        if row.kind in ("robots", "proof"):
            root_id = row.root_id or outcome.target_id
            identity, name = url, target_id(url, f"{row.kind} of {root_id}")
        else:
            identity = identity_url(url, url_policy(source.policy))
            name = target_id(identity)
    except Invalid:
        identity, name = url, target_id(url, "unreadable")
    return Found(
        url=url,
        identity_url=identity,
        target_id=name,
        kind=row.kind,
        hint=row.hint,
        depth=row.depth,
        followed=row.kind == "page",
        hops=row.hops + 1,
        root_id=root_id,
    )
