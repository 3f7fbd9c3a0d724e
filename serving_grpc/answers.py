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
    Row,
    Verdict,
    judge,
)
from serving_grpc.replica import Replica
from topics.access import ALL, Access
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
    """Returns one element per key, in request order; one bad item never fails the batch.

    The loop is the hot path: memory, one judgement, one suffix. Everything unusual leaves it.
    """
    batch = _Batch(ask, replica, access, now_ms)
    find, policy_of, open_until_ms = replica.rows.get, replica.policies.get, replica.open_until_ms
    unrestricted = ALL in access.merchants and ALL in access.markets
    may, ad_format = access.may, ask.ad_format
    suffixes: dict[int, bytes] = {}
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
            scope = row.scope
            until_ms = open_until_ms[scope.partition]  # before the policy, see Replica.open_until_ms
            allowed = unrestricted or may(scope.merchant, scope.market)
            status, reason, until_ms = judge(row, allowed, policy_of(scope.merchant), until_ms, ad_format, now_ms)
            if status == OK and not reason:
                suffix = suffixes.get(until_ms)
                if suffix is None:
                    suffix = suffixes[until_ms] = wire.eligible_suffix(until_ms)
                element = row.element + suffix
                if len(element) <= left:
                    oks += 1
                else:
                    element = batch.refused(DEFERRED, key)
            else:
                element = batch.unusual(key, row, (status, reason, until_ms), left)
        left -= len(element)
        elements.append(element)
    batch.counts[OK] += oks
    return Answer(elements, batch.counts)


class _Batch:
    """What leaves the hot loop: keys that are not in memory as written, refusals, ineligible items, full records."""

    def __init__(self, ask: Ask, replica: Replica, access: Access, now_ms: int) -> None:
        self.counts: Counter[int] = Counter()
        self._ask = ask
        self._replica = replica
        self._access = access
        self._now_ms = now_ms

    def refused(self, status: int, key: str) -> bytes:
        self.counts[status] += 1
        return wire.framed(wire.refused(status, key))

    def slow(self, key: str, left: int) -> bytes:
        """An item that is not in memory under the key as written, or that wants its full record."""
        try:
            offer = OfferKey.parse(key.encode("ascii"))
        except (Invalid, ValueError):
            return self.refused(INVALID, key)
        normalized, replica = offer.key.decode("ascii"), self._replica
        row, record = self._found(normalized)
        until_ms = replica.open_until_ms[replica.partition(offer.merchant)]
        policy, may = replica.policies.get(offer.merchant), self._access.may(offer.merchant, offer.market)
        verdict = judge(row, may, policy, until_ms, self._ask.ad_format, self._now_ms)
        return self.unusual(normalized, row, verdict, left, record)

    def _found(self, key: str) -> tuple[Row | None, bytes]:
        if self._ask.full:
            return self._replica.find_full(key) or (None, b"")
        return self._replica.find(key), b""

    def unusual(self, key: str, row: Row | None, verdict: Verdict, left: int, record: bytes = b"") -> bytes:
        """Any item, without the shortcut of the hot loop."""
        status, reason, until_ms = verdict
        if status != OK or row is None:
            return self.refused(status, key)
        suffix = wire.ineligible_suffix(reason, until_ms) if reason else wire.eligible_suffix(until_ms)
        result = wire.unframed(row.element) + suffix
        if self._ask.full:
            result += wire.record_suffix(record)
        if len(result) > left:
            return self.refused(DEFERRED, key)
        self.counts[OK] += 1
        return wire.framed(result)


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
