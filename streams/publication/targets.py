"""An observation of a target is applied: which offers it supplies now, and which it supplied before (DESIGN §6)."""

from dataclasses import replace

from streams.publication.absence import ENDED, Absences
from streams.publication.candidates import Decided, locate
from streams.publication.guards import Refusal, unauthorized
from streams.publication.rows import ABSENT_MAX, MerchantRow, OfferRow, TargetRow
from streams.publication.upgrade import upgrades
from streams.stage import Position, View
from topics.errors import Invalid
from topics.events.offer import TargetObserved
from topics.keys import OfferKey, target_key


def observe(view: View, seen: TargetObserved, position: Position, guard: MerchantRow) -> Decided:
    """Applies a target's presence; returns the outputs and the merchant row to put last."""
    key = target_key(seen.merchant, seen.target_id)
    known: TargetRow | None = view.get("targets", key)
    refusal = _refusal(seen, position, guard, known)
    if refusal is not None:
        return [], guard.refused(refusal.reason, position.offset)
    if seen.presence == "unclear":
        return [], guard
    try:
        offers = tuple(dict.fromkeys(_canonical_text(view, seen.merchant, text) for text in seen.offer_keys))
    except (Invalid, UnicodeError):
        return [], guard.refused("bad_key", position.offset)
    row = _next_row(view, seen, position, known, offers)
    if row.offers or row.absent:
        guard = guard.marked(seen.target_id, position.offset, missed=not row.offers)
    assert guard.terms is not None, "unknown policy authorizes nothing"
    absences = Absences(
        seen=seen,
        position=position,
        terms=guard.terms,
        paused=guard.deletion_paused,
        replaced_by=_replaced(view, known, row),
    )
    emits = [emit for absent in row.absent for emit in absences.decide(view, absent)]
    for offer in row.offers:
        _confirm(view, offer, seen, position)
    view.put("targets", key, row)
    return emits, guard


def _refusal(seen: TargetObserved, position: Position, guard: MerchantRow, known: TargetRow | None) -> Refusal | None:
    refusal = unauthorized(guard.terms, seen.fence)
    if refusal is not None or known is None or known.applied == position.offset:
        return refusal
    if seen.fence.supersedes(known.fence):
        return None
    return Refusal(reason="repeated" if seen.fence == known.fence else "stale")


def _canonical_text(view: View, merchant: str, text: str) -> str:
    key = OfferKey.parse(text.encode("ascii"))
    if key.merchant != merchant:
        raise Invalid("offer_keys", text, f"a target of {merchant} supplies offers of {merchant} only")
    return locate(view, key)[0].key.decode("ascii")


def _next_row(
    view: View, seen: TargetObserved, position: Position, known: TargetRow | None, offers: tuple[str, ...]
) -> TargetRow:
    """Returns the target's row after this observation; absences that are settled are forgotten.

    Taken once more from its own result it stays as it is, so an event that is handled again needs no special case.
    """
    formerly = dict.fromkeys((*known.offers, *known.absent)) if known else {}
    absent = [one for one in formerly if one not in offers and _open(view, one, seen.target_id, position)]
    return TargetRow(
        applied=position.offset,
        fence=seen.fence,
        presence=seen.presence,
        offers=offers,
        absent=tuple(absent[:ABSENT_MAX]),
    )


def _open(view: View, key: str, target_id: str, position: Position) -> bool:
    """True while the absence of an offer from this target is not settled: neither ended nor supplied elsewhere.

    A row of this very offset was written by an interrupted run of this event; it stays, so that its outcome is repeated.
    """
    row: OfferRow | None = view.get("offers", key.encode("ascii"))
    if row is None or row.applied >= position.offset:
        return row is not None
    if row.entry.lifecycle in ENDED:
        return False
    return target_id in row.suppliers or not row.suppliers


def _replaced(view: View, known: TargetRow | None, row: TargetRow) -> dict[str, str]:
    if not row.absent or not row.offers:
        return {}
    formerly = frozenset(known.offers) if known else frozenset()
    fresh = (one for one in row.offers if one not in formerly and _alive(view, one))
    return upgrades((one for one in row.absent if one in formerly), fresh)


def _alive(view: View, key: str) -> bool:
    row: OfferRow | None = view.get("offers", key.encode("ascii"))
    return row is not None and row.entry.lifecycle in ("active", "out_of_stock")


def _confirm(view: View, key: str, seen: TargetObserved, position: Position) -> None:
    """Notes a live supplier. Presence alone never revives an offer: only a candidate knows its price."""
    row: OfferRow | None = view.get("offers", key.encode("ascii"))
    if row is None or row.applied > position.offset or row.entry.lifecycle in ENDED:
        return
    suppliers = row.supplied_by(seen.target_id)
    if row.applied == position.offset or suppliers != row.suppliers or row.misses:
        confirmed = replace(row, applied=position.offset, suppliers=suppliers, misses=0, missed_at_ms=0)
        view.put("offers", key.encode("ascii"), confirmed)
