"""What the relay decides, as pure rules: where an event goes, what the topic lacks, what may be proven (DESIGN §8).

A proof says: of everything committed to the database before `issued_at_ms`, nothing of this partition is missing below `complete_to`.
So the order of reading is the whole safety argument: the database clock first, then the backlog (only while holding the lease),
and `complete_to` from acknowledgements of this holder and the end offsets it read after taking the lease.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from control.keys import Signer
from topics.events.base import Event, event_id
from topics.events.policy import MerchantPolicy, PolicyProof, SourceCommanded
from topics.keys import merchant_key, partition_of
from topics.specs import FRONTIER_EVENT, MERCHANT_POLICY, OFFER_DECISION

ROUTES: Final[dict[type[Event], tuple[str, ...]]] = {
    MerchantPolicy: (MERCHANT_POLICY, OFFER_DECISION, FRONTIER_EVENT),
    SourceCommanded: (FRONTIER_EVENT,),
}
"""The relay is the only writer of these events, in this order: replicas stop serving first, and publication knows a policy
before the frontier can cause a candidate under it (else a relay's crash in between would end in `policy_unknown`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Queued:
    """An outbox row that is not relayed yet.

    Attributes:
        id: grows in the order of commits of one merchant.
    """

    id: int
    merchant: str
    event: Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The policy topic against the database.

    Attributes:
        behind: merchants whose last record is missing or lower; published again.
        ahead: merchants whose last record is higher: the database was restored; nothing may be proven.
    """

    behind: tuple[str, ...]
    ahead: tuple[str, ...]


def compare(database: Mapping[str, int], topic: Mapping[str, int]) -> Comparison:
    """Returns the differences between the policy revisions of the database and those of the topic's last records.

    The topic must have been read first: the relay sends only what is committed, so a database read later is never behind.
    """
    return Comparison(
        behind=tuple(sorted(one for one, rev in database.items() if topic.get(one, 0) < rev)),
        ahead=tuple(sorted(one for one, rev in topic.items() if database.get(one, 0) < rev)),
    )


def in_order(rows: Iterable[Queued]) -> list[list[Queued]]:
    """Returns the rows as one lane per merchant, each in commit order: lanes may run together, rows of a lane may not."""
    lanes: dict[str, list[Queued]] = {}
    for row in sorted(rows, key=lambda one: one.id):
        lanes.setdefault(row.merchant, []).append(row)
    return list(lanes.values())


def provable(backlog: Iterable[str], partitions: int) -> list[int]:
    """Returns the policy partitions for which every committed row is relayed.

    Args:
        backlog: merchants with rows that are committed and not relayed.
        partitions: P.
    """
    behind = {partition_of(merchant_key(merchant), partitions) for merchant in backlog}
    return [partition for partition in range(partitions) if partition not in behind]


def proof_key(partition: int) -> bytes:
    """Returns the key of a partition's proofs in the proof topic."""
    return str(partition).encode()


def proof(signer: Signer, *, partition: int, complete_to: int, issued_at_ms: int, lifetime_ms: int) -> PolicyProof:
    """Returns the signed proof.

    Args:
        complete_to: end offset of the policy partition.
        issued_at_ms: database clock, read before the backlog.
        lifetime_ms: how long it authorizes.
    """
    origin = f"{MERCHANT_POLICY}/{partition}/{complete_to}/{issued_at_ms}"
    unsigned = PolicyProof(
        event_id=event_id(PolicyProof.__name__, proof_key(partition), None, origin, 0),
        occurred_at_ms=issued_at_ms,
        policy_log=MERCHANT_POLICY,
        partition=partition,
        complete_to=complete_to,
        issued_at_ms=issued_at_ms,
        expires_at_ms=issued_at_ms + lifetime_ms,
        key_id=signer.key_id,
        signature=b"",
    )
    return replace(unsigned, signature=signer.sign(unsigned.signed_bytes()))
