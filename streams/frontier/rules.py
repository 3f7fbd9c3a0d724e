"""What an accepted robots.txt outcome teaches about its origin (SPEC E3); the rules live in the robots target's row."""

from dataclasses import replace

from streams.frontier.admit import Found, admit, url_policy
from streams.frontier.index import put_target
from streams.frontier.rows import RobotsRules, SourceRow, TargetRow
from streams.frontier.turn import Turn
from streams.robots import LIFETIME_MS, RECHECK_MS, RobotsState, decide
from topics.events.crawl import FetchOutcome
from topics.urls import identity_url, target_id

AHEAD_MS = 3_600_000
"""Rules are fetched again this long before they end, so that their end stops nobody."""


def learn(turn: Turn, source: SourceRow, row: TargetRow, outcome: FetchOutcome) -> tuple[TargetRow, SourceRow]:
    """Returns both rows with the new rules, and admits the sitemaps that they name.

    A hop of a redirected robots.txt teaches its root. A redirect that was admitted teaches nothing yet.
    """
    if outcome.outcome == "redirected" and row.next_fetch_at_ms <= turn.now_ms:
        return row, source
    if outcome.outcome == "redirected" and row.redirect_id is not None and _is_open(turn, outcome, row.redirect_id):
        return replace(row, next_fetch_at_ms=turn.now_ms + LIFETIME_MS - AHEAD_MS), source
    state = decide(outcome.outcome, outcome.status, outcome.extract, outcome.retry_after_ms)
    if row.root_id is None:
        row = _with_rules(row, state, turn.now_ms)
    else:
        root = turn.target(outcome.merchant, row.root_id)
        if root is not None and not root.leased and root.applied <= turn.offset:
            taught = replace(_with_rules(root, state, turn.now_ms), applied=turn.offset)
            put_target(turn, outcome.merchant, row.root_id, taught)
        row = replace(row, next_fetch_at_ms=turn.now_ms + LIFETIME_MS)
    for url in state.extract.sitemaps if state.extract is not None else ():
        source = _admit_sitemap(turn, outcome.merchant, source, url)
    return row, source


def _is_open(turn: Turn, outcome: FetchOutcome, redirect_id: str) -> bool:
    hop = turn.target(outcome.merchant, redirect_id)
    return hop is not None and hop.due_at_ms > 0 and (hop.leased or hop.next_fetch_at_ms <= turn.now_ms)


def _with_rules(row: TargetRow, state: RobotsState, now_ms: int) -> TargetRow:
    cached = row.rules if row.rules is not None and row.rules.mode != "pause" else None
    if state.mode == "unchanged":
        if cached is None:
            return replace(row, etag=None, last_modified=None, next_fetch_at_ms=now_ms)
        rules = replace(cached, until_ms=now_ms + LIFETIME_MS)
        return replace(row, rules=rules, next_fetch_at_ms=rules.until_ms - AHEAD_MS)
    if state.mode == "pause":
        again_ms = now_ms + max(state.lifetime_ms, RECHECK_MS)
        if state.keeps_cached and cached is not None and cached.until_ms > now_ms:
            return replace(row, next_fetch_at_ms=again_ms)
        return replace(
            row,
            rules=RobotsRules(mode="pause", until_ms=again_ms, reason=state.reason),
            next_fetch_at_ms=again_ms,
            etag=None,
            last_modified=None,
        )
    extract = state.extract
    lifetime_ms = min(state.lifetime_ms, LIFETIME_MS)
    rules = RobotsRules(
        mode=state.mode,
        text="" if extract is None else extract.to_text(),
        crawl_delay_ms=0 if extract is None else extract.crawl_delay_ms or 0,
        until_ms=now_ms + lifetime_ms,
        reason=state.reason,
    )
    return replace(row, rules=rules, next_fetch_at_ms=now_ms + lifetime_ms - min(AHEAD_MS, lifetime_ms // 24))


def _admit_sitemap(turn: Turn, merchant: str, source: SourceRow, url: str) -> SourceRow:
    assert source.policy is not None
    identity = identity_url(url, url_policy(source.policy))
    found = Found(url=url, identity_url=identity, target_id=target_id(identity), kind="sitemap")
    return admit(turn, merchant, source, found)
