"""One region: a real replica that reads the driver's logs, and a relay that signs proofs while it is alive."""

from dataclasses import dataclass, field

from replay.memory import Logs
from serving_grpc.answers import Ask, answer, checked
from serving_grpc.catalog_pb2 import BatchGetResponse, Result
from serving_grpc.changes import Alarm, Change, LogRecord, Place
from serving_grpc.eligibility import TEXT
from serving_grpc.proofs import ProofBook
from serving_grpc.replica import Replica
from topics.access import Access
from topics.events.policy import PolicyProof
from topics.specs import MERCHANT_POLICY, OFFER_CATALOG, POLICY_PROOF, codec

PROOF_MS = 30_000
ALLOWANCE_MS = 2_000
RANKER = Access(
    subject="ranker",
    roles=frozenset({"service"}),
    merchants=frozenset({"*"}),
    markets=frozenset({"*"}),
    expires_at_ms=1 << 60,
)


@dataclass
class Shelf:
    values: dict[str, bytes] = field(default_factory=dict)

    def value(self, key: str) -> bytes | None:
        return self.values.get(key)

    def write(self, change: Change) -> None:
        for key, value in change.rows.items():
            if value is None:
                self.values.pop(key, None)
            else:
                self.values[key] = value


@dataclass
class Region:
    """Follows catalog and policy.

    Attributes:
        relay_alive: proofs are issued.
        alarms: what the replica had to survive; empty in a healthy system.
    """

    logs: Logs
    relay_alive: bool = True
    alarms: list[Alarm] = field(default_factory=list)
    shelf: Shelf = field(default_factory=Shelf)

    def __post_init__(self) -> None:
        book = ProofBook(self.logs.partitions, ALLOWANCE_MS, lambda _, signature, __: signature == b"genuine")
        self.replica = Replica(self.shelf, book, partitions=self.logs.partitions)
        self.replica.expect(self._ends())

    def batch_get(self, keys: list[str], now_ms: int) -> dict[str, Result]:
        """Returns one result per key, as an ad-ranking service gets it."""
        self._follow(now_ms)
        ask = checked(Ask(keys=keys, market="", ad_format=TEXT, purpose=1, full=False, response_bytes=0))
        answered = answer(ask, self.replica, RANKER, now_ms)
        results = BatchGetResponse.FromString(b"".join(answered.elements)).results
        return dict(zip(keys, results, strict=True))

    def _ends(self) -> dict[Place, int]:
        topics = (OFFER_CATALOG, MERCHANT_POLICY)
        return {
            (topic, number): len(self.logs.read(topic, number))
            for topic in topics
            for number in range(self.logs.partitions)
        }

    def _follow(self, now_ms: int) -> None:
        records = [
            LogRecord(topic, number, offset, one.key, codec().encode(one.event), one.append_ms)
            for (topic, number), end in self._ends().items()
            for offset in range(self.replica.offsets.get((topic, number), 0), end)
            for one in [self.logs.read(topic, number)[offset]]
        ]
        if self.relay_alive:
            proofs = [self._proof(number, now_ms) for number in range(self.logs.partitions)]
            at = self.replica.offsets.get((POLICY_PROOF, 0), 0)
            records += [
                LogRecord(POLICY_PROOF, 0, at + index, str(one.partition).encode(), codec().encode(one), now_ms)
                for index, one in enumerate(proofs)
            ]
        change = self.replica.plan(records, self._ends())
        self.shelf.write(change)
        self.replica.install(change, now_ms)
        self.replica.observe(self._ends(), now_ms)
        self.alarms += change.alarms

    def _proof(self, number: int, now_ms: int) -> PolicyProof:
        return PolicyProof(
            event_id="2" * 32,
            occurred_at_ms=now_ms,
            policy_log=MERCHANT_POLICY,
            partition=number,
            complete_to=len(self.logs.read(MERCHANT_POLICY, number)),
            issued_at_ms=now_ms,
            expires_at_ms=now_ms + PROOF_MS,
            key_id="k1",
            signature=b"genuine",
        )
