"""How catalog entries are made, and which records a decision emits.

Lifecycle and ad eligibility are different things (SPEC A6). Known and not buyable is `out_of_stock`. `Unknown` stock
stays `active`, because unknown is not zero: the offer is in the catalog and alive, and serving, which reads
`content.availability`, answers `ad_eligible = false` with the reason `stock_unknown`.
"""

import re
from dataclasses import replace

from streams.publication.rows import OfferRow, Terms
from streams.stage import Emit, Position
from topics.events.base import event_id
from topics.events.offer import (
    BUYABLE,
    CandidateProposed,
    CatalogEntry,
    OfferCard,
    OfferChanged,
    Quarantined,
    TargetObserved,
)
from topics.fence import log_position
from topics.keys import OfferKey
from topics.specs import LOG_EPOCH, OFFER_CATALOG, OFFER_CHANGE, QUARANTINE

NOT_BUYABLE = frozenset({"OutOfStock", "SoldOut", "Discontinued", "InStoreOnly", "Reserved", "MadeToOrder"})
"""schema.org ItemAvailability that proves that nobody can order it online now; `MadeToOrder` until a policy allows it."""

_ENTRY, _CHANGE, _REFUSAL = 0, 1, 2  # output indexes of one key; a repeated decision gives the same event ids
_CAPITAL = re.compile(r"(?<!^)([A-Z])")


def revision_of(position: Position) -> int:
    """Returns the published revision of decisions at this position: unique and growing without a counter."""
    return log_position(LOG_EPOCH, position.offset)


def lifecycle_of(availability: str) -> tuple[str, str]:
    """Returns (lifecycle, reason) of an offer that was seen alive."""
    if availability in BUYABLE:
        return "active", ""
    if availability in NOT_BUYABLE:
        return "out_of_stock", _CAPITAL.sub(r"_\1", availability).lower()
    return "active", "stock_unknown"


def eligible_until(evidence_at_ms: int, terms: Terms, now_ms: int) -> int:
    """Returns the end of eligibility in ms: the oldest required evidence plus its maximum age (SPEC A4, A5).

    All required fields of a candidate come from one observation and share its evidence time. Evidence from the future
    is not trusted to last longer than evidence of now.
    """
    return min(evidence_at_ms, now_ms) + terms.field_age_ms_max


def published(candidate: CandidateProposed, key: OfferKey, terms: Terms, position: Position) -> CatalogEntry:
    """Returns the entry that installs a candidate under `key`; its evidence is never re-dated."""
    lifecycle, reason = lifecycle_of(candidate.content.availability)
    return CatalogEntry(
        event_id=event_id("CatalogEntry", key.key, candidate.fence, position.origin, _ENTRY),
        occurred_at_ms=position.now_ms,
        merchant=key.merchant,
        identity=key.identity,
        variant=key.variant,
        market=key.market,
        revision=revision_of(position),
        fence=candidate.fence,
        decision_rev=candidate.decision_rev,
        observation_id=candidate.observation_id,
        target_id=candidate.target_id,
        parser_rev=candidate.parser_rev,
        lifecycle=lifecycle,
        reason=reason,
        evidence_at_ms=candidate.evidence_at_ms,
        eligible_until_ms=eligible_until(candidate.evidence_at_ms, terms, position.now_ms),
        content_digest=candidate.content.digest,
        content=candidate.content,
        evidence=candidate.evidence,
    )


def restated(entry: CatalogEntry, lifecycle: str, reason: str, position: Position) -> CatalogEntry:
    """Returns the entry with another lifecycle: same content, evidence, fence and eligibility bound, a new revision."""
    return replace(
        entry,
        event_id=event_id("CatalogEntry", entry.offer_key.key, entry.fence, position.origin, _ENTRY),
        occurred_at_ms=position.now_ms,
        revision=revision_of(position),
        lifecycle=lifecycle,
        reason=reason,
    )


def tombstone(entry: CatalogEntry, cause: TargetObserved, reason: str, position: Position) -> CatalogEntry:
    """Returns the tombstone of an entry: no content, never eligible, fenced by the observation that caused it."""
    return replace(
        entry,
        event_id=event_id("CatalogEntry", entry.offer_key.key, cause.fence, position.origin, _ENTRY),
        occurred_at_ms=position.now_ms,
        revision=revision_of(position),
        fence=cause.fence,
        observation_id=cause.observation_id,
        target_id=cause.target_id,
        lifecycle="tombstoned",
        reason=reason,
        eligible_until_ms=0,
        content_digest="",
        content=None,
        evidence=(),
    )


def card(entry: CatalogEntry) -> OfferCard:
    """Returns what analysts compare."""
    content = entry.content
    return OfferCard(
        revision=entry.revision,
        lifecycle=entry.lifecycle,
        price_minor=content.price_minor if content else None,
        currency=content.currency if content else None,
        availability=content.availability if content else None,
        content_digest=entry.content_digest,
    )


def outputs(row: OfferRow, position: Position) -> list[Emit]:
    """Returns the records of the row's current entry if it was decided at this position, else nothing.

    Every decision gives an entry, because freshness must move. An `OfferChanged` follows only when the card or the
    lifecycle differs, so that analysts read changes of the offer and not our heartbeat.
    """
    entry = row.entry
    if entry.revision != revision_of(position):
        return []
    key = entry.offer_key.key
    emits = [Emit(topic=OFFER_CATALOG, key=key, event=entry)]
    after = card(entry)
    if row.before is None or replace(row.before, revision=after.revision) != after:
        changed = OfferChanged(
            event_id=event_id("OfferChanged", key, entry.fence, position.origin, _CHANGE),
            occurred_at_ms=entry.occurred_at_ms,
            merchant=entry.merchant,
            identity=entry.identity,
            variant=entry.variant,
            market=entry.market,
            op=_op(row.before, after),
            before=row.before,
            after=entry,
        )
        emits.append(Emit(topic=OFFER_CHANGE, key=key, event=changed))
    return emits


def _op(before: OfferCard | None, after: OfferCard) -> str:
    if after.lifecycle == "tombstoned":
        return "d"
    return "c" if before is None or before.lifecycle == "tombstoned" else "u"


def quarantined(
    candidate: CandidateProposed, key: bytes, position: Position, *, field: str, reason: str, detail: str
) -> Emit:
    """Returns the visible record of a candidate that is kept and not published (SPEC G8)."""
    claims = next((found.claims for found in candidate.evidence if found.field == field), ())
    event = Quarantined(
        event_id=event_id("Quarantined", key, candidate.fence, position.origin, _REFUSAL),
        occurred_at_ms=position.now_ms,
        merchant=candidate.merchant,
        stage="publish",
        subject=key.decode("ascii"),
        url=candidate.content.url,
        target_id=candidate.target_id,
        fence=candidate.fence,
        observation_id=candidate.observation_id,
        evidence_at_ms=candidate.evidence_at_ms,
        field=field,
        reason=reason,
        detail=detail,
        claims=claims,
    )
    return Emit(topic=QUARANTINE, key=key, event=event)
