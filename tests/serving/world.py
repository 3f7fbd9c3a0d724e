"""A small world for serving tests: entries, policies and proofs as records of the logs, applied to a replica without a broker."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from serving_grpc.changes import Change, LogRecord, Place
from serving_grpc.proofs import ProofBook
from serving_grpc.replica import Replica
from topics.access import Access
from topics.events.base import Event
from topics.events.offer import Attribute, CatalogEntry, OfferContent
from topics.events.policy import Market, MerchantPolicy, PolicyProof
from topics.fence import Fence
from topics.keys import merchant_key, partition_of
from topics.specs import MERCHANT_POLICY, OFFER_CATALOG, POLICY_PROOF, codec

NOW = 1_800_000_000_000
HOUR = 3_600_000
PARTITIONS = 4
MARKET = "US:USD"
KEY = Ed25519PrivateKey.generate()
ALL = Access(
    subject="ranker",
    roles=frozenset({"service"}),
    merchants=frozenset({"*"}),
    markets=frozenset({"*"}),
    expires_at_ms=NOW + HOUR,
)


def verify(key_id: str, signature: bytes, signed: bytes) -> bool:
    try:
        KEY.public_key().verify(signature, signed)
    except InvalidSignature:
        return False
    return key_id == "k1"


def entry(merchant: str = "shoes", number: int = 1, **changes) -> CatalogEntry:
    lifecycle = changes.pop("lifecycle", "active")
    content = OfferContent(
        url=f"https://{merchant}.example/p/{number}?size=M",
        name=changes.pop("name", f"Trail shoe {number}"),
        price_minor=changes.pop("price_minor", 1_999),
        currency="USD",
        exponent=2,
        availability=changes.pop("availability", "InStock"),
        attributes=(Attribute(name="size", value="M"),),
    )
    fields = {
        "event_id": "0" * 32,
        "occurred_at_ms": NOW,
        "merchant": merchant,
        "identity": f"pid:{number}",
        "variant": "m",
        "market": MARKET,
        "revision": 1,
        "fence": Fence(source_epoch=changes.pop("source_epoch", 1), term=1, generation=1),
        "decision_rev": 1,
        "observation_id": "o" * 32,
        "target_id": "t" * 32,
        "parser_rev": "p1",
        "lifecycle": lifecycle,
        "reason": "accepted",
        "evidence_at_ms": NOW - HOUR,
        "eligible_until_ms": NOW + HOUR,
        "content_digest": content.digest,
        "content": None if lifecycle == "tombstoned" else content,
    }
    return CatalogEntry(**fields | changes)


def policy(merchant: str = "shoes", **changes) -> MerchantPolicy:
    fields = {
        "event_id": "1" * 32,
        "occurred_at_ms": NOW,
        "merchant": merchant,
        "policy_rev": 1,
        "status": "enabled",
        "source_epoch": 1,
        "disable_epoch": 0,
        "start_url": f"https://{merchant}.example/",
        "proof_url": f"https://{merchant}.example/.well-known/adcat-verification.txt",
        "allowed_origins": (f"https://{merchant}.example",),
        "markets": (Market(country="US", currency="USD"),),
        "budget_key": merchant,
    }
    return MerchantPolicy(**fields | changes)


def proof(partition: int, complete_to: int, **changes) -> PolicyProof:
    signer = changes.pop("signer", KEY)
    fields = {
        "event_id": "2" * 32,
        "occurred_at_ms": NOW,
        "policy_log": MERCHANT_POLICY,
        "partition": partition,
        "complete_to": complete_to,
        "issued_at_ms": NOW,
        "expires_at_ms": NOW + 30_000,
        "key_id": "k1",
    }
    unsigned = PolicyProof(**fields | changes, signature=b"")
    return PolicyProof(**fields | changes, signature=signer.sign(unsigned.signed_bytes()))


class MemoryShelf:
    """Rows in a dict, written like the store."""

    def __init__(self) -> None:
        self.values: dict[str, bytes] = {}

    def value(self, key: str) -> bytes | None:
        return self.values.get(key)

    def rows(self):
        return iter(list(self.values.items()))

    def policies(self):
        return {}

    def write(self, change: Change) -> None:
        for key, value in change.rows.items():
            if value is None:
                self.values.pop(key, None)
            else:
                self.values[key] = value


@dataclass
class World:
    """A replica fed with events; each goes to the end of its topic's partition.

    `now_ms` is the virtual clock of what is applied.
    """

    shelf: object = field(default_factory=MemoryShelf)
    memory_rows_max: int = 1_000
    now_ms: int = NOW
    ends: dict[Place, int] = field(
        default_factory=lambda: {
            (topic, number): 0 for topic in (OFFER_CATALOG, MERCHANT_POLICY) for number in range(PARTITIONS)
        }
    )

    def __post_init__(self) -> None:
        self.replica = self.restarted()
        self.alarms = []

    def restarted(self) -> Replica:
        """A replica over the same shelf, as after a restart; proofs are gone, offsets and rows are not."""
        book = ProofBook(PARTITIONS, 2_000, verify)
        self.replica = Replica(self.shelf, book, partitions=PARTITIONS, memory_rows_max=self.memory_rows_max)
        offsets = self.shelf.offsets() if hasattr(self.shelf, "offsets") else {}
        self.replica.load(self.shelf.rows(), self.shelf.policies(), offsets or {})
        self.replica.expect(self.ends)
        self.replica.observe(self.ends, self.now_ms)
        return self.replica

    def record(self, event: Event, *, key: bytes | None = None, value: bytes | None = None) -> LogRecord:
        topic, found = {
            CatalogEntry: lambda: (OFFER_CATALOG, event.offer_key.key),
            MerchantPolicy: lambda: (MERCHANT_POLICY, merchant_key(event.merchant)),
            PolicyProof: lambda: (POLICY_PROOF, str(event.partition).encode()),
        }[type(event)]()
        partition = 0 if topic == POLICY_PROOF else partition_of(found, PARTITIONS)
        offset = self.ends.get((topic, partition), 0)
        self.ends[topic, partition] = offset + 1
        return LogRecord(topic, partition, offset, key or found, value or codec().encode(event), self.now_ms)

    def apply(self, *events: Event) -> Change:
        return self.apply_records([self.record(event) for event in events])

    def apply_records(self, records: Iterable[LogRecord]) -> Change:
        change = self.replica.plan(records, {})
        self.shelf.write(change)
        self.fates = self.replica.install(change, self.now_ms)
        self.replica.observe(self.followed(), self.now_ms)
        self.alarms += change.alarms
        return change

    def followed(self) -> dict[Place, int]:
        return {place: end for place, end in self.ends.items() if place[0] != POLICY_PROOF}

    def prove(self, **changes) -> None:
        """The relay says that the policy log is complete, for every partition."""
        for number in range(PARTITIONS):
            issued = changes.get("issued_at_ms", self.now_ms)
            end = self.ends[MERCHANT_POLICY, number]
            fields = {"issued_at_ms": issued, "expires_at_ms": issued + 30_000, **changes}
            self.apply(proof(number, fields.pop("complete_to", end), **fields))
