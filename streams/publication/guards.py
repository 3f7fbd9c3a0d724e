"""Every guard of SPEC G3, as one decision over what publication knows about the merchant, the target and the offer.

A refusal is either *visible* (a candidate is kept in quarantine: someone must look) or only *counted* (a stale or
repeated fact: the log and the fence did their work).

visible   policy_unknown, disabled, source_epoch, market_not_allowed, currency_mismatch, url_not_allowed,
          required_field_missing, identity_conflict, fence_conflict, evidence_redated, bad_key
counted   stale, repeated, tombstone_fence, superseded_absence; and every refused TargetObserved
"""

from dataclasses import dataclass

from streams.publication.rows import OfferRow, TargetRow, Terms
from topics.events.offer import CandidateProposed, OfferContent
from topics.fence import Fence
from topics.keys import OfferKey
from topics.urls import in_origins


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why an event is refused.

    Attributes:
        reason: word that operators count by.
        field: what it is about.
        detail: one sentence for people.
        visible: True for quarantine, False for a count only.
    """

    reason: str
    field: str = ""
    detail: str = ""
    visible: bool = False


def unauthorized(terms: Terms | None, fence: Fence) -> Refusal | None:
    """Returns why the policy does not authorize an observation of this fence, or None."""
    if terms is None:
        return _visible("policy_unknown", "policy", "no policy of this merchant is known; unknown authorizes nothing")
    epoch = fence.source_epoch
    if epoch > terms.source_epoch:
        detail = f"source epoch {epoch} is above the known {terms.source_epoch}; its policy has not arrived"
        return _visible("policy_unknown", "source_epoch", detail)
    if not terms.enabled or epoch <= terms.disable_epoch:
        return _visible("disabled", "source_epoch", f"the source is disabled up to epoch {terms.disable_epoch}")
    if epoch < terms.source_epoch:
        return _visible("source_epoch", "source_epoch", f"epoch {epoch} is older than {terms.source_epoch}")
    return None


def out_of_order(candidate: CandidateProposed, row: OfferRow | None, target: TargetRow | None) -> Refusal | None:
    """Returns why the candidate comes too late, or None; order is `(fence, decision_rev)`, clocks do not matter."""
    if row is not None:
        late = _behind_offer(candidate, row)
        if late is not None:
            return late
    return _behind_target(candidate, row, target)


def _behind_offer(candidate: CandidateProposed, row: OfferRow) -> Refusal | None:
    if row.barrier is not None and not candidate.fence.supersedes(row.barrier):
        return Refusal(reason="tombstone_fence")
    entry = row.entry
    if candidate.fence.supersedes(entry.fence):
        return None
    if candidate.fence != entry.fence or candidate.decision_rev < entry.decision_rev:
        return Refusal(reason="stale")
    return _same_fence(candidate, row)


def _same_fence(candidate: CandidateProposed, row: OfferRow) -> Refusal | None:
    """Judges a candidate of the very observation that is published: repeated, approved correction, or contradiction."""
    entry = row.entry
    if candidate.observation_id != entry.observation_id:
        detail = f"observations {candidate.observation_id} and {entry.observation_id} carry one fence"
        return _visible("fence_conflict", "fence", detail)
    if candidate.evidence_at_ms != entry.evidence_at_ms:
        detail = f"the observation was made at {entry.evidence_at_ms}, not at {candidate.evidence_at_ms}"
        return _visible("evidence_redated", "evidence_at_ms", detail)
    if candidate.decision_rev > entry.decision_rev:
        return None
    if candidate.content.digest == entry.content_digest:
        return Refusal(reason="repeated")
    detail = "one observation and parser release gave two different contents for this offer"
    return _visible("identity_conflict", "content", detail)


def _behind_target(candidate: CandidateProposed, row: OfferRow | None, target: TargetRow | None) -> Refusal | None:
    """A later observation of the same target no longer shows the offer: an old page cannot bring it back."""
    if target is None or candidate.fence == target.fence or candidate.fence.supersedes(target.fence):
        return None
    key = candidate.offer_key.key.decode("ascii")
    known = key if row is None else row.entry.offer_key.key.decode("ascii")
    return None if known in target.offers or key in target.offers else Refusal(reason="superseded_absence")


def unacceptable(candidate: CandidateProposed, key: OfferKey, terms: Terms, row: OfferRow | None) -> Refusal | None:
    """Returns why the content may not be published under the merchant's policy, or None."""
    content = candidate.content
    if key.market not in terms.markets:
        return _visible("market_not_allowed", "market", f"{key.market} is not among {', '.join(terms.markets)}")
    if content.currency != key.market.partition(":")[2]:
        return _visible("currency_mismatch", "currency", f"{content.currency} is not the currency of {key.market}")
    if not in_origins(content.url, terms.allowed_origins):
        return _visible("url_not_allowed", "url", f"{content.url[:200]} is outside the allowed origins")
    missing = [name for name in terms.required_fields if not _has(content, name)]
    if missing:
        return _visible("required_field_missing", missing[0], f"required and missing: {', '.join(missing)}")
    if row is not None and _another_variant(candidate, key, row):
        detail = "two pages give one SKU to different attributes; a SKU is no reason to merge offers"
        return _visible("identity_conflict", "sku", detail)
    return None


def _has(content: OfferContent, name: str) -> bool:
    """True when a required field is known; a field that no offer can have is never known."""
    if name == "availability":
        return content.availability not in ("", "Unknown")
    return getattr(content, name, None) not in (None, "", ())


def _another_variant(candidate: CandidateProposed, key: OfferKey, row: OfferRow) -> bool:
    """True when another target supplies this key with contradicting attributes and only a SKU says they are one."""
    current, content = row.entry, candidate.content
    by_sku = key.identity.startswith("sku:") or key.variant == content.sku
    if not by_sku or current.content is None or candidate.target_id == current.target_id:
        return False
    known = {one.name.casefold(): one.value.casefold() for one in current.content.attributes}
    return any(
        known.get(one.name.casefold(), one.value.casefold()) != one.value.casefold() for one in content.attributes
    )


def _visible(reason: str, field: str, detail: str) -> Refusal:
    return Refusal(reason=reason, field=field, detail=detail, visible=True)
