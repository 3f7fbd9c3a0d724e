"""What control says: the policy of a source, and commands for it."""

from dataclasses import replace

from streams.frontier.admit import Found, admit, make_due, report, url_policy, widened
from streams.frontier.index import mark_site
from streams.frontier.rows import SourceRow, Waiting
from streams.frontier.turn import Turn
from topics.errors import Invalid
from topics.events.policy import MerchantPolicy, SourceCommanded
from topics.urls import identity_url, target_id

WAITING_MAX = 8
SWEEP_SLICES = 256


def on_policy(turn: Turn, policy: MerchantPolicy) -> None:
    """Takes a policy with a larger `policy_rev`; commands that waited for its source epoch are carried out.

    A larger source epoch makes every target due: what was observed under the former one may no longer be shown, and the
    ordinary refresh would be too late for it.
    """
    source = turn.source(policy.merchant) or SourceRow(applied=-1)
    if turn.offset <= source.applied or (source.policy is not None and policy.policy_rev <= source.policy.policy_rev):
        return
    if source.policy is not None and source.policy.budget_key != policy.budget_key:
        source = _leave_budget(turn, policy.merchant, source)
    if source.policy is not None and source.policy.source_epoch < policy.source_epoch:
        source = replace(source, sweep=0)
    if source.policy is not None and is_wider(source.policy, policy):
        source = widened(turn, source)
    ready = tuple(item for item in source.waiting if item.source_epoch <= policy.source_epoch)
    source = replace(source, policy=policy, waiting=tuple(item for item in source.waiting if item not in ready))
    for item in ready:
        source = _carry_out(turn, policy.merchant, source, item)
    mark_site(turn, policy.merchant)
    turn.put_source(policy.merchant, replace(source, applied=turn.offset))


def is_wider(old: MerchantPolicy, new: MerchantPolicy) -> bool:
    """True when links that the old policy refused may be admitted under the new one."""
    return new.urls_max > old.urls_max or new.depth_max > old.depth_max


def _leave_budget(turn: Turn, merchant: str, source: SourceRow) -> SourceRow:
    """Permits of the former budget go back unused; permit ids of another budget start their own order."""
    for permit in source.permits:
        turn.return_unused(merchant, permit)
    return replace(source, permits=(), grant_seen="", wish=None)


def on_command(turn: Turn, event: SourceCommanded) -> None:
    """Carries a command out, keeps it until its policy is known, or drops it when its epoch is past."""
    source = turn.source(event.merchant) or SourceRow(applied=-1)
    if turn.offset <= source.applied:
        return
    item = Waiting(command=event.command, source_epoch=event.source_epoch)
    if source.policy is None or event.source_epoch > source.policy.source_epoch:
        source = replace(source, waiting=(*source.waiting, item)[-WAITING_MAX:])
    else:
        source = _carry_out(turn, event.merchant, source, item)
        mark_site(turn, event.merchant)
    turn.put_source(event.merchant, replace(source, applied=turn.offset))


def _carry_out(turn: Turn, merchant: str, source: SourceRow, item: Waiting) -> SourceRow:
    policy = source.policy
    if policy is None or item.source_epoch < policy.source_epoch:
        return source
    if item.command == "refresh":
        return replace(source, sweep=0)
    if item.command == "verify":
        return _due_now(turn, merchant, source, policy.proof_url, kind="proof")
    return _due_now(turn, merchant, source, policy.start_url, kind="page")


def _due_now(turn: Turn, merchant: str, source: SourceRow, url: str, *, kind: str) -> SourceRow:
    """Admits the proof or the seed, or makes it due when it is known; robots.txt of its origin comes along."""
    policy = source.policy
    assert policy is not None
    try:
        identity = url if kind == "proof" else identity_url(url, url_policy(policy))
    except Invalid:
        found = Found(url=url, identity_url=url, target_id=target_id(url), kind=kind)
        return report(turn, merchant, source, found, reason="bad_url")
    name = target_id(identity, "proof" if kind == "proof" else "")
    row = turn.target(merchant, name)
    if row is not None and row.identity_url == identity:
        make_due(turn, merchant, name, row)
        return source
    return admit(turn, merchant, source, Found(url=url, identity_url=identity, target_id=name, kind=kind, hint="seed"))


def sweep(turn: Turn, merchant: str, source: SourceRow) -> SourceRow:
    """Makes one of 256 slices of a merchant's targets due; a refresh is bounded work on each tick."""
    if source.sweep is None:
        return source
    for name, row in turn.targets_in_slice(merchant, source.sweep):
        make_due(turn, merchant, name, row)
    return replace(source, sweep=source.sweep + 1 if source.sweep + 1 < SWEEP_SLICES else None)
