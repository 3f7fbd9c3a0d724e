"""What an observation of a target says about the offers that it supplies, or no longer supplies (SPEC G5, G6).

The facts are about a target; an offer is missed only when none of its targets supplies it.

first miss, 404 or 410     → `suspected_missing`; content, evidence and eligibility bound stay as they were
`misses_min` misses, each
`miss_gap_ms` after the last → `inactive`, content kept for diagnosis
410 confirmed by a second
observation, at any distance → `tombstoned`. A 410 is stronger: it needs no third miss and no gap. It is not taken at its
                             first word, because a broken deployment answers 410 for a whole site at once, and the
                             second round meets the anomaly check with the first round already in its window.
soft 404                   → at most `suspected_missing` (SPEC F9); does not count
site-wide jump in misses   → at most `suspected_missing`, reason `deletion_paused`; does not count
`unclear`                  → nothing
"""

from dataclasses import dataclass, replace

from streams.publication.entries import card, outputs, restated, tombstone
from streams.publication.rows import OfferRow, Terms
from streams.stage import Emit, Position, View
from topics.events.offer import CatalogEntry, TargetObserved

ENDED = ("inactive", "tombstoned")
SOFT_REASONS = frozenset({"soft_404"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a miss makes of an offer.

    Attributes:
        lifecycle: one of `suspected_missing`, `inactive`, `tombstoned`.
        reason: `missing`, `gone`, `not_on_page`, `soft_404` or `deletion_paused`.
        misses: misses counted so far, this one included if it counts.
        missed_at_ms: evidence time of the last miss that counted.
    """

    lifecycle: str
    reason: str
    misses: int
    missed_at_ms: int


def judge(row: OfferRow, seen: TargetObserved, terms: Terms, *, paused: bool) -> Verdict:
    """Returns what this miss makes of the offer; `paused` when the merchant's miss rate is an anomaly."""
    word = _word(seen)
    suspicion = Verdict(
        lifecycle="suspected_missing",
        reason="deletion_paused" if paused else word,
        misses=row.misses,
        missed_at_ms=row.missed_at_ms,
    )
    if paused or word in SOFT_REASONS:
        return suspicion
    counted = replace(suspicion, misses=row.misses + 1, missed_at_ms=seen.evidence_at_ms)
    if row.misses and seen.presence == "gone":
        return replace(counted, lifecycle="tombstoned")
    if row.misses and seen.evidence_at_ms < row.missed_at_ms + terms.miss_gap_ms:
        return suspicion
    return replace(counted, lifecycle="inactive") if counted.misses >= terms.misses_min else counted


def _word(seen: TargetObserved) -> str:
    if seen.presence == "live":
        return "not_on_page"
    return seen.reason if seen.reason in SOFT_REASONS else seen.presence


@dataclass(frozen=True, slots=True, kw_only=True)
class Absences:
    """One observation that no longer shows some offers, with all that their decisions need.

    Attributes:
        seen: the observation.
        position: where it stands.
        terms: the merchant's.
        paused: deletion is paused for the merchant.
        replaced_by: old key → new key of offers whose identity rose.
    """

    seen: TargetObserved
    position: Position
    terms: Terms
    paused: bool
    replaced_by: dict[str, str]

    def decide(self, view: View, key: str) -> list[Emit]:
        """Decides about one offer that the target no longer shows, or repeats what its row already says."""
        row: OfferRow | None = view.get("offers", key.encode("ascii"))
        if row is None:
            return []
        if row.applied < self.position.offset:
            after = self._after(row, key)
            if after is None:
                return []
            row = after
        view.put("offers", key.encode("ascii"), row)
        return outputs(row, self.position)

    def _after(self, row: OfferRow, key: str) -> OfferRow | None:
        """Returns the offer's next row, or None when this observation says nothing about it."""
        seen = self.seen
        assert row.entry.lifecycle not in ENDED, "an ended offer is no absence that is still counted"
        if not seen.fence.supersedes(row.entry.fence):
            return None
        suppliers = tuple(one for one in row.suppliers if one != seen.target_id)
        left = replace(row, applied=self.position.offset, suppliers=suppliers)
        if key in self.replaced_by:
            entry = tombstone(row.entry, seen, "identity_upgraded", self.position)
            ended = replace(left, suppliers=(), alias_of=self.replaced_by[key])
            return self._restate(ended, row.entry, entry)
        if suppliers:
            return left if suppliers != row.suppliers else None
        return self._missed(left, row.entry)

    def _missed(self, row: OfferRow, entry: CatalogEntry) -> OfferRow:
        verdict = judge(row, self.seen, self.terms, paused=self.paused)
        counted = replace(row, misses=verdict.misses, missed_at_ms=verdict.missed_at_ms)
        if (verdict.lifecycle, verdict.reason) == (entry.lifecycle, entry.reason):
            return counted
        if verdict.lifecycle in ENDED:
            counted = replace(counted, barrier=self.seen.fence)
        if verdict.lifecycle == "tombstoned":
            return self._restate(counted, entry, tombstone(entry, self.seen, verdict.reason, self.position))
        return self._restate(counted, entry, restated(entry, verdict.lifecycle, verdict.reason, self.position))

    @staticmethod
    def _restate(row: OfferRow, before: CatalogEntry, entry: CatalogEntry) -> OfferRow:
        return replace(row, entry=entry, before=card(before))
