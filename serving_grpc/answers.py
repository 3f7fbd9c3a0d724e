"""A batch of keys becomes the bytes of a BatchGetResponse. Pure; one `now` for the whole batch (SPEC I3, I4, I6)."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from serving_grpc import wire
from serving_grpc.eligibility import (
    DEFERRED,
    IMAGE,
    INVALID,
    OK,
    STATUS_NAMES,
    TEXT,
    VIDEO,
    Gate,
    Row,
    Scope,
    Verdict,
    judge,
)
from serving_grpc.replica import Replica
from topics.access import Access
from topics.errors import Invalid
from topics.keys import OfferKey

PURCHASE_AD: Final = 1
KEYS_MAX: Final = 500
REQUEST_BYTES_MAX: Final = 64 << 10
RESPONSE_BYTES: Final = 1 << 20
RESPONSE_BYTES_MAX: Final = 3 << 20


class Ask(NamedTuple):
    """One request after its limits were checked.

    Attributes:
        keys: full offer keys, or product ids when `market` is set.
        response_bytes: budget of the results.
    """

    keys: Sequence[str]
    market: str
    ad_format: int
    purpose: int
    full: bool
    response_bytes: int


class Answer(NamedTuple):
    """The serialized results, each framed as an element of BatchGetResponse, and their statuses."""

    elements: list[bytes]
    counts: Counter[int]


def answer(ask: Ask, replica: Replica, access: Access, now_ms: int) -> Answer:
    """Returns one element per key, in request order; one bad item never fails the batch."""
    batch = _Batch(ask, replica, access, now_ms)
    find, judged, ad_format = replica.rows.get, judge, ask.ad_format
    gates, suffixes = batch.gates, batch.suffixes
    left = ask.response_bytes
    elements: list[bytes] = []
    oks = 0
    tail = f"|{ask.market}" if ask.market else ""
    for asked in ask.keys:
        key = asked + tail
        row = find(key)
        if row is None or ask.full:
            element = batch.slow(key, left)
        else:
            scope_gate = gates.get(row.scope) or batch.gate(row.scope)
            status, reason, until = judged(row, scope_gate, ad_format, now_ms)
            if status == OK and not reason:
                element = row.element + (suffixes.get(until) or batch.suffix(until))
                if len(element) <= left:
                    oks += 1
                else:
                    element = batch.refused(DEFERRED, key)
            else:
                element = batch.unusual(key, row, Verdict(status, reason, until), left)
        left -= len(element)
        elements.append(element)
    batch.counts[OK] += oks
    return Answer(elements, batch.counts)


class _Batch:
    """What the items of one batch share: gates by scope, suffixes by instant, counts by status."""

    def __init__(self, ask: Ask, replica: Replica, access: Access, now_ms: int) -> None:
        self.gates: dict[Scope, Gate] = {}
        self.suffixes: dict[int, bytes] = {}
        self.counts: Counter[int] = Counter()
        self._ask = ask
        self._replica = replica
        self._access = access
        self._now_ms = now_ms

    def gate(self, scope: Scope) -> Gate:
        made = self.gates[scope] = self._replica.gate(scope, self._access, self._now_ms)
        return made

    def suffix(self, until_ms: int) -> bytes:
        made = self.suffixes[until_ms] = wire.eligible_suffix(until_ms)
        return made

    def refused(self, status: int, key: str) -> bytes:
        self.counts[status] += 1
        return wire.framed(wire.refused(status, key))

    def slow(self, key: str, left: int) -> bytes:
        """An item that is not in memory under the key as written, or that wants its full record."""
        try:
            offer = OfferKey.parse(key.encode("ascii"))
        except (Invalid, ValueError):
            return self.refused(INVALID, key)
        normalized = offer.key.decode("ascii")
        row, record = self._found(normalized)
        scope = self._replica.scope_of(offer.merchant, offer.market) if row is None else row.scope
        verdict = judge(row, self.gates.get(scope) or self.gate(scope), self._ask.ad_format, self._now_ms)
        return self.unusual(normalized, row, verdict, left, record)

    def _found(self, key: str) -> tuple[Row | None, bytes]:
        if self._ask.full:
            return self._replica.find_full(key) or (None, b"")
        return self._replica.find(key), b""

    def unusual(self, key: str, row: Row | None, verdict: Verdict, left: int, record: bytes = b"") -> bytes:
        """Any item, without the shortcut of the hot loop."""
        if verdict.status != OK or row is None:
            return self.refused(verdict.status, key)
        fixed = wire.unframed(row.element)
        if verdict.reason:
            fixed += wire.ineligible_suffix(verdict.reason, verdict.serve_until_ms)
        else:
            fixed += self.suffix(verdict.serve_until_ms)
        if self._ask.full:
            fixed += wire.record_suffix(record)
        if len(fixed) > left:
            return self.refused(DEFERRED, key)
        self.counts[OK] += 1
        return wire.framed(fixed)


def checked(ask: Ask) -> Ask:
    """Returns the request with its default budget; raises Invalid naming the field that is outside its limit."""
    if not 0 < len(ask.keys) <= KEYS_MAX:
        raise Invalid("keys", f"{len(ask.keys)} keys", f"send 1 to {KEYS_MAX} keys, 200 to 500 is best")
    if ask.purpose != PURCHASE_AD:
        raise Invalid("purpose", ask.purpose, "name the purpose: PURCHASE_AD")
    if ask.ad_format not in (TEXT, IMAGE, VIDEO):
        raise Invalid("ad_format", ask.ad_format, "name the ad format: TEXT, IMAGE or VIDEO")
    if ask.response_bytes > RESPONSE_BYTES_MAX:
        raise Invalid("max_response_bytes", ask.response_bytes, f"at most {RESPONSE_BYTES_MAX}")
    return ask._replace(response_bytes=ask.response_bytes or RESPONSE_BYTES)


def counted(counts: Counter[int]) -> dict[str, int]:
    """Returns counts by status name, for metrics."""
    return {STATUS_NAMES[status]: number for status, number in counts.items()}
