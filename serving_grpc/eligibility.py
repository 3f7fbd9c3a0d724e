"""The one exit of every answer: may this row be shown now? First match wins (DESIGN §8); pure, one `now` per batch.

    no access ............................................. MISSING (looks exactly like an absent offer)
    partition behind, policy unknown, proof lapsed,
      row's epoch above the known policy .................. UNAVAILABLE
    source disabled, row's epoch old ...................... DISABLED
    absent or tombstoned .................................. MISSING
    min(eligible_until, evidence_at + policy age) <= now .. STALE
    lifecycle, stock or format not ready .................. OK, not eligible, with the reason
    else .................................................. OK until min(that, proof expiry - clock allowance)

A malformed key is INVALID before any of this; what is beyond the byte budget is DEFERRED after it.
"""

from typing import Final, NamedTuple

OK: Final = 1
MISSING: Final = 2
STALE: Final = 3
DISABLED: Final = 4
INVALID: Final = 5
UNAVAILABLE: Final = 6
DEFERRED: Final = 7
STATUS_NAMES: Final = {
    OK: "OK",
    MISSING: "MISSING",
    STALE: "STALE",
    DISABLED: "DISABLED",
    INVALID: "INVALID",
    UNAVAILABLE: "UNAVAILABLE",
    DEFERRED: "DEFERRED",
}
TEXT: Final = 1
IMAGE: Final = 2
VIDEO: Final = 3
NEVER_MS: Final = 0
_NOTHING: Final = ""


class KnownPolicy(NamedTuple):
    """What serving keeps of a `MerchantPolicy`.

    Attributes:
        live: enabled, and its epoch is above the disable epoch.
        field_age_ms_max: maximum age of price and stock evidence.
    """

    policy_rev: int
    live: bool
    source_epoch: int
    disable_epoch: int
    field_age_ms_max: int


class Scope:
    """A merchant in a market; interned, so that it hashes by identity in the hot loop.

    Attributes:
        partition: partition of the merchant in every merchant-scoped topic.
    """

    __slots__ = ("market", "merchant", "partition")

    def __init__(self, merchant: str, market: str, partition: int) -> None:
        self.merchant = merchant
        self.market = market
        self.partition = partition


class Row(NamedTuple):
    """The compact served form of one catalog entry.

    Attributes:
        source_epoch: of its fence.
        tombstoned: it exists only to fence older entries off.
        eligible_until_ms: 0 = never eligible.
        reason: why it cannot be advertised in any format; empty when it can.
        formats: bit set, `1 << ad format`, of the formats that are ready.
        element: framed fixed part, see wire.py; empty for a tombstone.
    """

    revision: int
    source_epoch: int
    tombstoned: bool
    evidence_at_ms: int
    eligible_until_ms: int
    reason: str
    formats: int
    scope: Scope
    element: bytes


class Gate(NamedTuple):
    """What holds for every row of a scope in one batch; computed per batch, never cached.

    Attributes:
        refusal: MISSING or UNAVAILABLE for everything in the scope, or 0.
        proof_until_ms: proof expiry minus the clock allowance.
    """

    refusal: int
    live: bool
    source_epoch: int
    disable_epoch: int
    age_ms_max: int
    proof_until_ms: int


class Verdict(NamedTuple):
    """One item's answer.

    Attributes:
        status: one of the constants above.
        reason: set when OK and not eligible.
        serve_until_ms: bound of an OK answer.
    """

    status: int
    reason: str = _NOTHING
    serve_until_ms: int = 0


def _closed(refusal: int) -> Gate:
    return Gate(refusal, live=False, source_epoch=0, disable_epoch=0, age_ms_max=0, proof_until_ms=0)


NO_ACCESS: Final = _closed(MISSING)
UNKNOWN: Final = _closed(UNAVAILABLE)
_REFUSED: Final = {status: Verdict(status) for status in STATUS_NAMES}


def gate(policy: KnownPolicy | None, proof_until_ms: int, *, may: bool, current: bool, now_ms: int) -> Gate:
    """Returns the gate of a scope.

    Args:
        policy: newest policy applied; None when the replica knows none.
        proof_until_ms: proof expiry of the policy partition minus the clock allowance, 0 without a proof.
        may: the caller has access to the merchant and market.
        current: catalog and policy partition are caught up and within the lag bound.
    """
    if not may:
        return NO_ACCESS
    if not current or policy is None or proof_until_ms <= now_ms:
        return UNKNOWN
    return Gate(0, policy.live, policy.source_epoch, policy.disable_epoch, policy.field_age_ms_max, proof_until_ms)


def judge(row: Row | None, scope_gate: Gate, ad_format: int, now_ms: int) -> Verdict:
    """Returns the answer for one row (None when the replica has none) behind its gate."""
    refusal, live, epoch, disable_epoch, age_ms_max, proof_until_ms = scope_gate
    if refusal:
        return _REFUSED[refusal]
    if row is None:
        return _REFUSED[MISSING if live else DISABLED]
    row_epoch = row.source_epoch
    if row_epoch != epoch or not live or row_epoch <= disable_epoch:
        return _REFUSED[UNAVAILABLE if row_epoch > epoch else DISABLED]
    if row.tombstoned:
        return _REFUSED[MISSING]
    until = min(row.eligible_until_ms, row.evidence_at_ms + age_ms_max)
    if until <= now_ms:
        return _REFUSED[STALE]
    reason = row.reason or (
        _NOTHING if row.formats >> ad_format & 1 else "image_not_ready" if ad_format == IMAGE else "video_not_ready"
    )
    return Verdict(OK, reason, min(until, proof_until_ms))
