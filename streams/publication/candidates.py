"""A candidate is decided: all guards, then the pointer moves, in one call without anything in between (SPEC G3)."""

from streams.publication.entries import card, outputs, published, quarantined
from streams.publication.guards import Refusal, out_of_order, unacceptable, unauthorized
from streams.publication.rows import MerchantRow, OfferRow, TargetRow
from streams.stage import Emit, Position, View
from topics.errors import Invalid
from topics.events.offer import CandidateProposed
from topics.keys import OfferKey, merchant_key, target_key

ALIAS_HOPS_MAX = 2
"""url → sku → pid: an identity can only rise."""

Decided = tuple[list[Emit], MerchantRow]


def propose(view: View, candidate: CandidateProposed, position: Position, guard: MerchantRow) -> Decided:
    """Publishes a candidate or refuses it; returns the outputs and the merchant row to put last."""
    try:
        key, row = locate(view, candidate.offer_key)
    except Invalid as error:
        refusal = Refusal(reason="bad_key", field=error.field, detail=str(error), visible=True)
        return _refuse(candidate, merchant_key(candidate.merchant), position, guard, refusal)
    if row is not None and row.applied >= position.offset:
        view.put("offers", key.key, row)  # its changelog record may not have been acknowledged
        return outputs(row, position), guard
    refusal_or_none = _refusal(view, candidate, key, guard, row)
    if refusal_or_none is not None:
        return _refuse(candidate, key.key, position, guard, refusal_or_none)
    assert guard.terms is not None, "unknown policy authorizes nothing"
    accepted = OfferRow(
        applied=position.offset,
        entry=published(candidate, key, guard.terms, position),
        before=card(row.entry) if row else None,
        suppliers=row.supplied_by(candidate.target_id) if row else (candidate.target_id,),
    )
    view.put("offers", key.key, accepted)
    return outputs(accepted, position), guard


def locate(view: View, key: OfferKey) -> tuple[OfferKey, OfferRow | None]:
    """Returns the key that an offer lives under now, its own or the one that replaced it, and its row."""
    row: OfferRow | None = view.get("offers", key.key)
    for _ in range(ALIAS_HOPS_MAX):
        if row is None or row.alias_of is None:
            break
        key = OfferKey.parse(row.alias_of.encode("ascii"))
        row = view.get("offers", key.key)
    return key, row


def _refusal(
    view: View, candidate: CandidateProposed, key: OfferKey, guard: MerchantRow, row: OfferRow | None
) -> Refusal | None:
    refusal = unauthorized(guard.terms, candidate.fence)
    if refusal is not None or guard.terms is None:
        return refusal
    target: TargetRow | None = view.get("targets", target_key(candidate.merchant, candidate.target_id))
    return out_of_order(candidate, row, target) or unacceptable(candidate, key, guard.terms, row)


def _refuse(
    candidate: CandidateProposed, key: bytes, position: Position, guard: MerchantRow, refusal: Refusal
) -> Decided:
    counted = guard.refused(refusal.reason, position.offset)
    if not refusal.visible:
        return [], counted
    emit = quarantined(candidate, key, position, field=refusal.field, reason=refusal.reason, detail=refusal.detail)
    return [emit], counted
