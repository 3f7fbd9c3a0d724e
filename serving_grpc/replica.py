"""The state of a replica: rows, policies, proofs, positions. Pure: storage is asked, the clock is an argument.

A batch of records is planned into a `Change`, the change is written durably (rows and offsets together), then installed in memory: what is
acknowledged or answered is always on disk.
"""

from collections.abc import Iterable, Mapping
from typing import Final, Protocol

from serving_grpc import rows
from serving_grpc.changes import Change, LogRecord, Place, planned, policy_of
from serving_grpc.eligibility import KnownPolicy, Row, Scope
from serving_grpc.proofs import ProofBook
from topics.keys import OfferKey, merchant_key, partition_of
from topics.specs import MERCHANT_POLICY, OFFER_CATALOG

MEMORY_ROWS_MAX: Final = 2_000_000
LAG_MS_MAX: Final = 60_000


class Shelf(Protocol):
    """The durable copy of the rows."""

    def value(self, key: str) -> bytes | None:
        """Returns the stored bytes of an offer key."""


class Replica:
    """Rows, policies and proofs of all partitions.

    Args:
        shelf: durable rows, read for what is not in memory.
        partitions: P of the merchant-scoped topics.
        memory_rows_max: rows kept in memory; further ones are answered from the shelf.
        lag_ms_max: a partition that lags further is UNAVAILABLE.

    Attributes:
        offsets: next offset to read per place.
        lag_ms: age of the newest applied record of a place that is behind its log's end, else 0.
        lag_events: records between position and the log's end.
        open_until_ms: per partition, until when its proof lets it answer; 0 without a proof or while the partition is behind.
            Read it before `policies`: installing goes the other way round, so a proof never meets a policy older than it.
    """

    def __init__(
        self,
        shelf: Shelf,
        proofs: ProofBook,
        *,
        partitions: int,
        memory_rows_max: int = MEMORY_ROWS_MAX,
        lag_ms_max: int = LAG_MS_MAX,
    ) -> None:
        self.rows: dict[str, Row] = {}
        self.policies: dict[str, KnownPolicy] = {}
        self.offsets: dict[Place, int] = {}
        self.lag_ms: dict[Place, int] = {}
        self.lag_events: dict[Place, int] = {}
        self.proofs = proofs
        self._shelf = shelf
        self._partitions = partitions
        self._memory_rows_max = memory_rows_max
        self._lag_ms_max = lag_ms_max
        self._all_in_memory = True
        self._scopes: dict[tuple[str, str], Scope] = {}
        self._ends: dict[Place, int] | None = None
        self._heard_ms: dict[Place, int] = {}
        self._current = [False] * partitions
        self.open_until_ms = [0] * partitions

    def find(self, key: str) -> Row | None:
        """Returns the row of a canonical offer key, from memory or from the shelf; both are judged alike afterwards."""
        row = self.rows.get(key)
        if row is not None or self._all_in_memory:
            return row
        value = self._shelf.value(key)
        return None if value is None else rows.loaded(value, self._scope(key))

    def find_full(self, key: str) -> tuple[Row, bytes] | None:
        """Returns a row and its serialized Record, both of one revision."""
        value = self._shelf.value(key)
        return None if value is None else (rows.loaded(value, self._scope(key)), rows.record_of(value))

    def partition(self, merchant: str) -> int:
        """Returns the partition of a merchant in every merchant-scoped topic."""
        return partition_of(merchant_key(merchant), self._partitions)

    def ready(self) -> bool:
        """True when every partition is caught up and within the lag bound."""
        return all(self._current)

    def load(
        self, stored_rows: Iterable[tuple[str, bytes]], policies: Mapping[str, bytes], offsets: Mapping[Place, int]
    ) -> None:
        """Takes over the durable copy at start."""
        for key, value in stored_rows:
            if not self._remember(key, value):
                break
        self.policies = {merchant: policy_of(value) for merchant, value in policies.items()}
        self.offsets = dict(offsets)

    def expect(self, ends: Mapping[Place, int]) -> None:
        """Sets the barrier: end offsets captured at start; ready when every position has reached them."""
        self._ends = dict(ends)

    def observe(self, ends: Mapping[Place, int], now_ms: int) -> None:
        """Compares positions with the logs' ends as last heard and decides which partitions may answer."""
        for place, end in ends.items():
            behind = max(end - self.offsets.get(place, 0), 0)
            if not behind:
                self._heard_ms[place] = now_ms
            self.lag_events[place] = behind
            self.lag_ms[place] = max(now_ms - self._heard_ms.setdefault(place, now_ms), 0) if behind else 0
        self._current = [
            all(self._caught_up((topic, number)) for topic in (OFFER_CATALOG, MERCHANT_POLICY))
            for number in range(self._partitions)
        ]
        self._open()

    def plan(self, records: Iterable[LogRecord], ends_seen: Mapping[Place, int]) -> Change:
        """Returns what the records change; nothing is changed yet. Raises Undecodable or UnknownSchema.

        Args:
            ends_seen: places whose end was reached and its offset; covers holes at a log's tail that no record stands for.
        """
        change = planned(records, self._kept, self.policies.get)
        for place, end in ends_seen.items():
            change.offsets[place] = max(end, change.offsets.get(place, self.offsets.get(place, 0)))
        return change

    def install(self, change: Change, now_ms: int) -> list[str]:
        """Puts a change that is on disk into memory; returns what became of its proofs. Policies come before the proofs that cover them."""
        for merchant, policy in change.policies.items():
            if policy is None:
                self.policies.pop(merchant, None)
            else:
                self.policies[merchant] = policy
        for key, value in change.rows.items():
            if value is None:
                self.rows.pop(key, None)
            else:
                self._remember(key, value)
        self.offsets.update(change.offsets)
        self._heard_ms.update(change.append_ms)
        for number in range(self._partitions):
            self.proofs.advance(number, self.applied(number))
        fates = [self.proofs.offer(proof, self.applied(proof.partition), now_ms) for proof in change.proofs]
        self._open()
        return fates

    def applied(self, partition: int) -> int:
        """Next policy offset of the partition that is not applied yet."""
        return self.offsets.get((MERCHANT_POLICY, partition), 0)

    def _kept(self, key: str) -> bytes | None:
        """Stored bytes of a key; the shelf is not asked for what cannot be there."""
        if self._all_in_memory and key not in self.rows:
            return None
        return self._shelf.value(key)

    def _remember(self, key: str, value: bytes) -> bool:
        """Keeps a row in memory while there is room; returns False when there is none."""
        if key not in self.rows and len(self.rows) >= self._memory_rows_max:
            self._all_in_memory = False
            return False
        self.rows[key] = rows.loaded(value, self._scope(key))
        return True

    def _scope(self, key: str) -> Scope:
        parsed = key.split("|")
        scope = self._scopes.get((parsed[0], parsed[3]))
        if scope is None:
            offer = OfferKey.parse(key.encode("ascii"))
            scope = Scope(offer.merchant, offer.market, self.partition(offer.merchant))
            self._scopes[offer.merchant, offer.market] = scope
        return scope

    def _open(self) -> None:
        until_ms = self.proofs.until_ms
        self.open_until_ms = [until_ms[one] if current else 0 for one, current in enumerate(self._current)]

    def _caught_up(self, place: Place) -> bool:
        if self._ends is None or place not in self._ends or self.offsets.get(place, 0) < self._ends[place]:
            return False
        return self.lag_ms.get(place, 0) <= self._lag_ms_max
