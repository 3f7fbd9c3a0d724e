"""Acceptance: only the outcome of the open claim becomes an observation (SPEC D4, DESIGN §6).

The fence decides, not the clock: a lapsed lease stays valid until another claim replaces it, and an outcome of a replaced, closed or
older-epoch claim is counted and dropped. The target's row is the guard and comes last.
"""

from dataclasses import replace

from streams.frontier.gate import permits_kind
from streams.frontier.index import mark_site, put_target
from streams.frontier.redirect import follow
from streams.frontier.retry import schedule, was_sent
from streams.frontier.rows import SourceRow, TargetRow
from streams.frontier.rules import learn
from streams.frontier.turn import Turn
from topics import specs
from topics.events.crawl import FetchOutcome, PageObserved, ProofObserved
from topics.events.policy import MerchantPolicy
from topics.keys import merchant_key, target_key

SEEN = ("page", "not_modified")


def on_outcome(turn: Turn, outcome: FetchOutcome) -> None:
    """Accepts an outcome by its fence, or counts it as late."""
    row = turn.target(outcome.merchant, outcome.target_id)
    source = turn.source(outcome.merchant)
    if row is None or source is None or source.policy is None or turn.offset < row.applied:
        return
    if turn.offset == row.applied:
        if row.fence == outcome.fence and not row.leased and was_sent(outcome.outcome, outcome.reason):
            _observe(turn, source, row, outcome)
        return
    if not (row.leased and row.fence == outcome.fence and _is_current(source.policy, row, outcome)):
        late = replace(source, applied=turn.offset, outcomes_late=source.outcomes_late + 1)
        turn.put_source(outcome.merchant, late)
        return
    _accept(turn, source, row, outcome)


def _is_current(policy: MerchantPolicy, row: TargetRow, outcome: FetchOutcome) -> bool:
    return policy.source_epoch == outcome.fence.source_epoch and permits_kind(policy, row.kind)


def _accept(turn: Turn, source: SourceRow, row: TargetRow, outcome: FetchOutcome) -> None:
    merchant = outcome.merchant
    before = source
    row, source = _next_row(turn, source, row, outcome)
    if was_sent(outcome.outcome, outcome.reason):
        if outcome.outcome == "redirected":
            row, source = follow(turn, source, row, outcome)
        if row.kind == "robots":
            row, source = learn(turn, source, row, outcome)
        _observe(turn, before, row, outcome)
    if outcome.outcome == "throttled" and outcome.retry_after_ms:
        quiet_until_ms = max(source.quiet_until_ms, turn.now_ms + outcome.retry_after_ms)
        source = replace(source, quiet_until_ms=quiet_until_ms)
    if source != before:
        turn.put_source(merchant, replace(source, applied=turn.offset))
    mark_site(turn, merchant)
    put_target(turn, merchant, outcome.target_id, row)


def _next_row(turn: Turn, source: SourceRow, row: TargetRow, outcome: FetchOutcome) -> tuple[TargetRow, SourceRow]:
    """Closes the claim and plans the next one; exhausted attempts are shown, never dropped."""
    assert source.policy is not None
    plan = schedule(
        outcome.target_id,
        outcome=outcome.outcome,
        reason=outcome.reason,
        retry_after_ms=outcome.retry_after_ms,
        attempts=row.attempts,
        misses=row.misses,
        policy=source.policy,
        now_ms=turn.now_ms,
    )
    row = replace(
        row,
        applied=turn.offset,
        lease_until_ms=0,
        next_fetch_at_ms=plan.next_fetch_at_ms,
        attempts=plan.attempts,
        misses=plan.misses,
        outcome=outcome.outcome,
        status=outcome.status,
    )
    if plan.exhausted:
        detail = f"{outcome.outcome} ({outcome.reason}) after the last attempt; tried again at the normal interval"
        turn.quarantine(
            outcome.merchant,
            outcome.target_id,
            url=row.url,
            reason="attempts_exhausted",
            detail=detail,
            fence=outcome.fence,
        )
    return _with_representation(row, outcome, turn.now_ms), source


def _with_representation(row: TargetRow, outcome: FetchOutcome, now_ms: int) -> TargetRow:
    """Keeps body and validators together: validators of a body that we do not hold are worthless (SPEC E4)."""
    evidence_at_ms = clamp(outcome.fetched_at_ms, row.claimed_at_ms, now_ms)
    if outcome.outcome == "page":
        return replace(
            row,
            hops=0,
            body=outcome.body,
            etag=outcome.etag,
            last_modified=outcome.last_modified,
            evidence_at_ms=evidence_at_ms,
        )
    if outcome.outcome == "not_modified":
        if row.body is None and row.rules is None:
            return replace(row, etag=None, last_modified=None, next_fetch_at_ms=now_ms)
        return replace(row, hops=0, evidence_at_ms=evidence_at_ms)
    return row


def clamp(fetched_at_ms: int, claimed_at_ms: int, now_ms: int) -> int:
    """Returns the evidence time: the worker's clock held between claim and append time (DESIGN §5)."""
    return min(max(fetched_at_ms, claimed_at_ms), now_ms)


def _observe(turn: Turn, source: SourceRow, row: TargetRow, outcome: FetchOutcome) -> None:
    """Says what was observed: pages and sitemaps to parse, the proof to control, robots to nobody."""
    policy = source.policy
    assert policy is not None
    evidence_at_ms = clamp(outcome.fetched_at_ms, row.claimed_at_ms, turn.now_ms)
    if row.kind == "proof":
        _observe_proof(turn, outcome, evidence_at_ms)
    if row.kind not in ("page", "sitemap"):
        return
    turn.emit(
        specs.PAGE_OBSERVED,
        target_key(outcome.merchant, outcome.target_id),
        PageObserved,
        about=outcome.target_id,
        fence=outcome.fence,
        merchant=outcome.merchant,
        target_id=outcome.target_id,
        kind=row.kind,
        url=outcome.url,
        identity_url=row.identity_url,
        depth=row.depth,
        observation_id=outcome.observation_id,
        evidence_at_ms=evidence_at_ms,
        outcome=outcome.outcome,
        reason=outcome.reason,
        status=outcome.status,
        body=row.body if outcome.outcome in SEEN else outcome.body,
        redirect_to=outcome.redirect_to,
        allowed_origins=policy.allowed_origins,
        markets=policy.markets,
        variant_params=policy.variant_params,
        tracking_params=policy.tracking_params,
        sort_query=policy.sort_query,
        selectors=policy.selectors,
        bounds_rev=source.bounds_rev,
    )


def _observe_proof(turn: Turn, outcome: FetchOutcome, evidence_at_ms: int) -> None:
    turn.emit(
        specs.SOURCE_PROOF,
        merchant_key(outcome.merchant),
        ProofObserved,
        about=outcome.observation_id,
        merchant=outcome.merchant,
        source_epoch=outcome.fence.source_epoch,
        outcome=outcome.outcome,
        status=outcome.status,
        extract=outcome.extract,
        evidence_at_ms=evidence_at_ms,
    )
