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
    """A merchant in a market; one object for all its rows.

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


Verdict = tuple[int, str, int]
"""Status, reason (set when OK and not eligible), and the instant until which an OK answer may be kept."""

_REFUSED: Final[dict[int, Verdict]] = {status: (status, "", 0) for status in STATUS_NAMES}
_NOT_READY: Final = {IMAGE: "image_not_ready", VIDEO: "video_not_ready"}


def judge(  # noqa: PLR0911, PLR0917 (one exit per row of the table above; keywords cost time here)
    row: Row | None, may: bool, policy: KnownPolicy | None, open_until_ms: int, ad_format: int, now_ms: int
) -> Verdict:
    """Returns the answer for one row; plain comparisons and one tuple, because a batch calls it 500 times.

    Args:
        row: None when the replica has none.
        may: the caller has access to merchant and market.
        policy: newest policy applied; None when the replica knows none.
        open_until_ms: proof expiry of the row's partition minus the clock allowance; 0 without a proof or while the partition is behind.
    """
    if not may:
        return _REFUSED[MISSING]
    if policy is None or open_until_ms <= now_ms:
        return _REFUSED[UNAVAILABLE]
    _, live, epoch, disable_epoch, age_ms_max = policy
    if row is None:
        return _REFUSED[MISSING if live else DISABLED]
    _, row_epoch, tombstoned, evidence_at_ms, until_ms, reason, formats, _, _ = row
    if row_epoch != epoch or not live or row_epoch <= disable_epoch:
        return _REFUSED[UNAVAILABLE if row_epoch > epoch else DISABLED]
    if tombstoned:
        return _REFUSED[MISSING]
    if evidence_at_ms + age_ms_max < until_ms:  # noqa: PLR1730 (min() costs four times the comparison)
        until_ms = evidence_at_ms + age_ms_max
    if until_ms <= now_ms:
        return _REFUSED[STALE]
    if not reason and not formats >> ad_format & 1:
        reason = _NOT_READY[ad_format]
    return OK, reason, until_ms if until_ms < open_until_ms else open_until_ms  # noqa: FURB136 (as above)
