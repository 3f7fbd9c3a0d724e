"""Claims: decide, then send (SPEC D3). A claim is written before it is said.

A claim is **decided** by one event (the lease goes into the target's row, the permit moves from `permits` to `sending`) and its
`FetchTask` is **sent** by a later event of the same source, when the decision is durable. So whatever crashes,
- a permit that still stands in `permits` was never sent: it may be returned as unused, and a restart costs no hold-off;
- a task that is sent twice is the same task: same lease, fence, permit, observation id. Fetch workers drop the repetition;
- no private index has a say in what is sent, and indexes are the only state that a new owner does not inherit.
A permit in `sending` is never returned by the frontier: it may have been sent. The worker returns it, or it lapses.
"""

from dataclasses import replace

from streams.frontier.command import sweep
from streams.frontier.gate import Gate, permits_kind
from streams.frontier.index import mark_site, move_due, put_target, sites_in_turn, unmark_site
from streams.frontier.pick import Pick, Picker
from streams.frontier.rows import CLAIMS_MAX, LEASE_MS, READY, Claim, Owner, SourceRow, TargetRow, Wish
from streams.frontier.turn import Turn, observation_id
from topics import specs
from topics.events.crawl import FetchTask, Permit, PermitsGranted, PermitsRequested, Tick
from topics.fence import Fence, generation
from topics.keys import join_key, merchant_key

SITES_MAX = 128
CLAIMS_PER_TICK_MAX = 512
WISH_AGAIN_MS = 1_000
PERMIT_SPARE_MS = 500
"""A permit with less time left than this is not bound to a claim."""


def on_tick(turn: Turn, tick: Tick) -> None:
    """Moves what is due and attends to the sites with work; a tick of anyone but the owner does nothing."""
    owner = turn.owner()
    if owner is None or owner.incarnation != tick.incarnation:
        return
    move_due(turn)
    claims = 0
    for visited, merchant in enumerate(list(sites_in_turn(turn))):
        if visited >= SITES_MAX or claims >= CLAIMS_PER_TICK_MAX:
            break
        claims += _attend(turn, merchant, owner)


def on_granted(turn: Turn, grant: PermitsGranted) -> None:
    """Takes permits of the current term, once: a repeated grant has ids that were seen, another term's goes back."""
    source = turn.source(grant.merchant)
    owner = turn.owner()
    if source is None or source.policy is None or turn.offset <= source.applied:
        return
    if grant.budget_key != source.policy.budget_key:
        return
    fresh = tuple(permit for permit in grant.permits if permit.permit_id > source.grant_seen)
    if not fresh:
        return
    source = replace(source, grant_seen=max(permit.permit_id for permit in fresh))
    if owner is None or grant.term != owner.term:
        for permit in fresh:
            turn.return_unused(grant.merchant, permit)
        turn.put_source(grant.merchant, replace(source, applied=turn.offset))
        return
    wish = source.wish
    if wish is not None:
        wish = replace(wish, wanted=max(0, wish.wanted - len(fresh)))
    _work(turn, grant.merchant, replace(source, permits=source.permits + fresh, wish=wish), owner)


def _attend(turn: Turn, merchant: str, owner: Owner) -> int:
    """Does what a site needs on a tick; returns the claims decided."""
    source = turn.source(merchant)
    if source is None or source.policy is None:
        unmark_site(turn, merchant)
        return 0
    if turn.offset <= source.applied:
        return 0
    return _work(turn, merchant, sweep(turn, merchant, source), owner)


def _work(turn: Turn, merchant: str, source: SourceRow, owner: Owner) -> int:
    """Sends, drops expired permits, decides, wishes; the source row is the guard, index entries go after it."""
    source = _send(turn, merchant, source)
    source = _drop_expired(turn, merchant, source)
    gate = Gate(turn=turn, merchant=merchant, policy=source.policy)
    picker = Picker(turn=turn, merchant=merchant, gate=gate)
    room = _room(turn, source)
    asks = _may_wish(turn, source, owner)
    picks = list(picker.picks(source.claims, room + (CLAIMS_MAX if asks else 1)))
    decided, more = picks[:room], picks[room:]
    source = _decide(turn, merchant, source, owner, decided)
    if asks:
        source = _wish(turn, merchant, source, owner, gate, wanted=min(CLAIMS_MAX, len(more)))
    busy = bool(source.sending or source.permits or more or picker.woke or source.sweep is not None)
    if busy:
        mark_site(turn, merchant)
    if source != turn.source(merchant):
        turn.put_source(merchant, replace(source, applied=turn.offset))
    for entry in picker.obsolete + [pick.entry for pick in decided]:
        turn.view.delete(READY, entry)
    if not busy:
        unmark_site(turn, merchant)
    return len(decided)


def _send(turn: Turn, merchant: str, source: SourceRow) -> SourceRow:
    """Sends the claims that an earlier event decided. One that may no longer run is left to its lease."""
    for claim in source.sending:
        row = turn.target(merchant, claim.target_id)
        stands = row is not None and row.leased and row.fence == claim.fence
        if row is not None and stands and _may_run(turn, source, claim, row):
            _send_task(turn, merchant, source, claim, row)
    return replace(source, sending=())


def _may_run(turn: Turn, source: SourceRow, claim: Claim, row: TargetRow) -> bool:
    policy = source.policy
    if policy is None or policy.source_epoch != claim.fence.source_epoch:
        return False
    return permits_kind(policy, row.kind) and claim.permit.expires_at_ms > turn.now_ms


def _send_task(turn: Turn, merchant: str, source: SourceRow, claim: Claim, row: TargetRow) -> None:
    policy = source.policy
    assert policy is not None
    held = row.body is not None or (row.kind == "robots" and row.rules is not None and row.rules.mode == "rules")
    turn.emit(
        specs.FETCH_TASK,
        merchant_key(merchant),
        FetchTask,
        about=claim.target_id,
        fence=claim.fence,
        merchant=merchant,
        target_id=claim.target_id,
        kind=row.kind,
        url=row.url,
        observation_id=observation_id(merchant, claim.target_id, claim.fence),
        permit=claim.permit,
        claimed_at_ms=row.claimed_at_ms,
        lease_until_ms=row.lease_until_ms,
        allowed_origins=policy.allowed_origins,
        headers=policy.headers,
        etag=row.etag if held else None,
        last_modified=row.last_modified if held else None,
    )


def _drop_expired(turn: Turn, merchant: str, source: SourceRow) -> SourceRow:
    """Returns permits that nothing was claimed with in time; they were never sent."""
    kept: list[Permit] = []
    for permit in source.permits:
        if permit.expires_at_ms <= turn.now_ms + PERMIT_SPARE_MS:
            turn.return_unused(merchant, permit)
        else:
            kept.append(permit)
    return replace(source, permits=tuple(kept))


def _room(turn: Turn, source: SourceRow) -> int:
    return 0 if turn.now_ms < source.quiet_until_ms else min(len(source.permits), CLAIMS_MAX)


def _decide(turn: Turn, merchant: str, source: SourceRow, owner: Owner, picks: list[Pick]) -> SourceRow:
    """Installs a lease per pick: the conditional update of the authoritative row, under a fence that only grows."""
    policy = source.policy
    sending: list[Claim] = []
    for index, (pick, permit) in enumerate(zip(picks, source.permits, strict=False)):
        assert policy is not None
        fence = Fence(source_epoch=policy.source_epoch, term=owner.term, generation=generation(turn.offset, index))
        row = replace(
            pick.row,
            applied=turn.offset,
            state="open",
            fence=fence,
            claimed_at_ms=turn.now_ms,
            lease_until_ms=turn.now_ms + LEASE_MS,
        )
        put_target(turn, merchant, pick.target_id, row)
        sending.append(Claim(target_id=pick.target_id, fence=fence, permit=permit))
    return replace(
        source, permits=source.permits[len(sending) :], sending=tuple(sending), claims=source.claims + len(sending)
    )


def _may_wish(turn: Turn, source: SourceRow, owner: Owner) -> bool:
    """True when a wish may be sent: none is open, or the open one is a second old."""
    wish = source.wish
    open_wish = wish is not None and wish.term == owner.term and wish.wanted > 0
    aged = wish is None or turn.now_ms - wish.asked_at_ms >= WISH_AGAIN_MS
    return (not open_wish or aged) and turn.now_ms >= source.quiet_until_ms


def _wish(turn: Turn, merchant: str, source: SourceRow, owner: Owner, gate: Gate, *, wanted: int) -> SourceRow:
    """Asks for permits for the ready targets that have none; a wish replaces the earlier one, zero takes it back."""
    policy = source.policy
    open_wanted = 0 if source.wish is None or source.wish.term != owner.term else source.wish.wanted
    if policy is None or (wanted == 0 and open_wanted == 0):
        return source
    turn.emit(
        specs.BUDGET_EVENT,
        join_key(policy.budget_key),
        PermitsRequested,
        about=merchant,
        budget_key=policy.budget_key,
        merchant=merchant,
        term=owner.term,
        wanted=wanted,
        interval_ms=gate.interval_ms(),
        concurrency_max=policy.concurrency_max,
    )
    return replace(source, wish=Wish(term=owner.term, wanted=wanted, asked_at_ms=turn.now_ms))
