"""The life of a source, as pure rules: every transition is here (SPEC B1, B5).

    register ──► pending ──(proof of control)──► enabled ◄──► disabled

Epochs: `source_epoch` starts at 1 and grows on disable, on enable and on a reconfiguration that invalidates outstanding work;
`disable_epoch` takes the new source epoch on disable and stays. So everything observed before a revocation is below the fence.
Each rule takes the source as it is and returns what becomes of it, with the events to queue in the same transaction. An event's id
comes from the merchant, its change counter and the time of the change: a repeat is equal, a database restored from a backup is not.
"""

import hmac
from dataclasses import dataclass, replace
from typing import Final

from control.errors import Conflict
from control.request import SourceRequest
from control.selectors import in_order
from topics.events.base import Event, event_id
from topics.events.crawl import ProofObserved
from topics.events.policy import MerchantPolicy, SourceCommanded
from topics.keys import merchant_key

# A change of one of these makes outstanding work and published offers wrong: they were read in another context.
_INVALIDATING: Final = ("start_url", "variant_params", "tracking_params", "sort_query", "headers", "selectors")
_OWN_WORDS: Final = ("refresh_ms", "selectors")
_COPIED: Final = tuple(
    name
    for name in SourceRequest.__struct_fields__
    if name in MerchantPolicy.__dataclass_fields__ and name not in _OWN_WORDS
)
"""What a policy says in the request's own words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofResult:
    """The last outcome of the proof of control.

    Attributes:
        ok: the token was found.
        reason: a sentence for the operator.
        at_ms: when the proof was read.
    """

    ok: bool
    reason: str
    at_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A merchant's source as the database holds it.

    Attributes:
        changes: counts everything that queued an event; part of event identity.
        proof_token: what the well-known file must contain.
        proven: control of the start origin was proven with this token.
    """

    merchant: str
    request: SourceRequest
    status: str
    source_epoch: int
    disable_epoch: int
    policy_rev: int
    changes: int
    proof_token: str
    proven: bool = False
    proof: ProofResult | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a rule decided.

    Attributes:
        source: the source afterwards.
        events: to be queued, in this order, in the transaction that stores the source.
    """

    source: Source
    events: tuple[MerchantPolicy | SourceCommanded, ...] = ()


def register(merchant: str, request: SourceRequest, token: str, now_ms: int) -> Change:
    """A new source: pending, and its proof is fetched. Raises Invalid for a malformed merchant id."""
    merchant_key(merchant)
    fresh = Source(
        merchant=merchant,
        request=request,
        status="pending",
        source_epoch=1,
        disable_epoch=0,
        policy_rev=0,
        changes=0,
        proof_token=token,
    )
    return _published(fresh, now_ms, "verify")


def reconfigure(source: Source, request: SourceRequest, token: str, now_ms: int) -> Change:
    """A changed request; the epoch grows when outstanding work is invalid, a new start origin must be proven anew."""
    if request == source.request:
        return Change(source=source)
    changed = replace(source, request=request)
    if invalidates(source.request, request):
        epoch = source.source_epoch + 1
        fence = epoch if source.status == "disabled" else source.disable_epoch
        changed = replace(changed, source_epoch=epoch, disable_epoch=fence)
    if request.origin != source.request.origin:
        changed = replace(changed, proof_token=token, proven=False, proof=None)
        if source.status == "enabled":
            changed = replace(changed, status="pending")
    command = None
    if changed.source_epoch > source.source_epoch:
        command = {"pending": "verify", "enabled": "crawl"}.get(changed.status)
    return _published(changed, now_ms, command)


def invalidates(old: SourceRequest, new: SourceRequest) -> bool:
    """True when work and offers of the old request are no longer right; more origins or further markets alone are not enough."""
    if any(getattr(old, field) != getattr(new, field) for field in _INVALIDATING):
        return True
    if new.markets[: len(old.markets)] != old.markets:
        return True
    return not (
        set(old.allowed_origins) <= set(new.allowed_origins) and set(old.media_origins) <= set(new.media_origins)
    )


def disable(source: Source, now_ms: int) -> Change:
    """Revocation: everything observed so far falls below the disable fence. Disabling twice changes nothing."""
    if source.status == "disabled":
        return Change(source=source)
    epoch = source.source_epoch + 1
    revoked = replace(source, status="disabled", source_epoch=epoch, disable_epoch=epoch)
    return _published(revoked, now_ms, None)


def enable(source: Source, now_ms: int) -> Change:
    """The end of a revocation: a new epoch, crawled from the seed; unproven sources prove control first."""
    if source.status != "disabled":
        return Change(source=source)
    status = "enabled" if source.proven else "pending"
    enabled = replace(source, status=status, source_epoch=source.source_epoch + 1)
    return _published(enabled, now_ms, "crawl" if source.proven else "verify")


def verify(source: Source, now_ms: int) -> Change:
    """Fetches the proof again; an enabled source needs none (200, nothing queued), a disabled one raises Conflict."""
    if source.status == "disabled":
        raise Conflict("status", source.status, "enable the source first; it is then verified")
    if source.status == "enabled":
        return Change(source=source)
    return _commanded(source, now_ms, "verify")


def refresh(source: Source, now_ms: int) -> Change:
    """Makes everything due now; raises Conflict unless the source is enabled."""
    if source.status != "enabled":
        raise Conflict("status", source.status, "only an enabled source is refreshed; prove control or enable it first")
    return _commanded(source, now_ms, "refresh")


def prove(source: Source, observed: ProofObserved, now_ms: int) -> Change:
    """Takes a proof outcome; one of another epoch, or for a source that is not pending, changes nothing."""
    if source.status != "pending" or observed.source_epoch != source.source_epoch:
        return Change(source=source)
    result = judge(source.proof_token, observed)
    if not result.ok:
        return Change(source=replace(source, proof=result))
    return _published(replace(source, status="enabled", proven=True, proof=result), now_ms, "crawl")


def judge(token: str, observed: ProofObserved) -> ProofResult:
    """Compares every line of the file with the token, each in constant time."""
    at_ms = observed.evidence_at_ms
    if observed.outcome != "page" or observed.status != 200:
        status = "no answer" if observed.status is None else f"status {observed.status}"
        reason = f"the proof file gave {observed.outcome} ({status}); it must answer 200 without a redirect"
        return ProofResult(ok=False, reason=reason, at_ms=at_ms)
    found = False
    for line in (observed.extract or "").splitlines():
        found |= hmac.compare_digest(line.strip().encode(), token.encode())
    reason = "the token was found" if found else "the proof file does not contain the token on a line of its own"
    return ProofResult(ok=found, reason=reason, at_ms=at_ms)


def raised_above(source: Source, topic: MerchantPolicy, now_ms: int) -> Change:
    """After a restore from a backup: revisions and epochs beyond what the policy topic already says (DESIGN §8).

    The restored row may have forgotten a revocation, so the source comes back disabled; an operator enables it.
    """
    epoch = max(source.source_epoch, topic.source_epoch) + 1
    rev = max(source.policy_rev, topic.policy_rev)
    above = replace(source, status="disabled", source_epoch=epoch, disable_epoch=epoch, policy_rev=rev)
    return _published(above, now_ms, None)


def recovered(topic: MerchantPolicy, token: str, now_ms: int) -> Change:
    """After a restore that lost the merchant: its source from the topic's policy, disabled until reviewed again."""
    known = {name: getattr(topic, name) for name in _COPIED}
    known["refresh_ms"] = topic.refresh_ms
    known["selectors"] = {one.field: one.css for one in topic.selectors}
    review = "recovered from the policy topic; review before enabling"
    request = SourceRequest(
        crawl_permission=True, media_permission=bool(topic.media_origins), legal_review=review, **known
    )
    lost = replace(register(topic.merchant, request, token, now_ms).source, changes=0)
    return raised_above(lost, topic, now_ms)


def _published(source: Source, now_ms: int, command: str | None) -> Change:
    """A change of policy: a larger revision, its snapshot and the command that follows from it."""
    source = replace(source, policy_rev=source.policy_rev + 1, changes=source.changes + 1)
    events: tuple[MerchantPolicy | SourceCommanded, ...] = (snapshot(source, now_ms),)
    if command is not None:
        events += (_command(source, now_ms, command, 1),)
    return Change(source=source, events=events)


def _commanded(source: Source, now_ms: int, command: str) -> Change:
    source = replace(source, changes=source.changes + 1)
    return Change(source=source, events=(_command(source, now_ms, command, 0),))


def snapshot(source: Source, now_ms: int) -> MerchantPolicy:
    """Returns the full policy of a source, as every reader sees it."""
    request = source.request
    return MerchantPolicy(
        event_id=_event_id(MerchantPolicy, source, now_ms, 0),
        occurred_at_ms=now_ms,
        merchant=source.merchant,
        policy_rev=source.policy_rev,
        status=source.status,
        source_epoch=source.source_epoch,
        disable_epoch=source.disable_epoch,
        proof_url=request.proof_url,
        refresh_ms=request.refreshed_every_ms,
        selectors=in_order(request.selectors),
        **{name: getattr(request, name) for name in _COPIED},
    )


def _command(source: Source, now_ms: int, command: str, index: int) -> SourceCommanded:
    return SourceCommanded(
        event_id=_event_id(SourceCommanded, source, now_ms, index),
        occurred_at_ms=now_ms,
        merchant=source.merchant,
        command=command,
        source_epoch=source.source_epoch,
    )


def _event_id(kind: type[Event], source: Source, now_ms: int, index: int) -> str:
    origin = f"control/{source.merchant}/{source.changes}/{now_ms}"
    return event_id(kind.__name__, merchant_key(source.merchant), None, origin, index)
