"""Which record changes what (SPEC I5, DESIGN §5): only a larger revision counts, whatever the order in which records come. Pure.

| seen against kept | becomes |
|---|---|
| larger | kept |
| equal, same bytes | nothing (re-delivery) |
| equal, other bytes | alarm `divergence`, the first stays |
| smaller | alarm `regress`, the larger stays: compaction keeps the last record, so publish must append it again |
| null | purge, after the replay horizon |
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

import msgspec

from serving_grpc import rows
from serving_grpc.eligibility import KnownPolicy
from topics.errors import Bug, Undecodable
from topics.events.base import Event
from topics.events.offer import CatalogEntry
from topics.events.policy import MerchantPolicy, PolicyProof
from topics.specs import MERCHANT_POLICY, OFFER_CATALOG, POLICY_PROOF, codec

Place = tuple[str, int]
"""Topic and partition."""
_E = TypeVar("_E", bound=Event)


class LogRecord(NamedTuple):
    """One record as read; `value` is None for a purge, `append_ms` the log's time of it."""

    topic: str
    partition: int
    offset: int
    key: bytes
    value: bytes | None
    append_ms: int


class Alarm(NamedTuple):
    """Something that must not happen and was survived by keeping what we had.

    Attributes:
        kind: `regress` or `divergence`, see the table above.
        key: offer key or merchant.
    """

    kind: str
    topic: str
    key: str
    kept_rev: int
    seen_rev: int


@dataclass(slots=True, kw_only=True)
class Change:
    """What a batch of records does; None as a value deletes.

    Attributes:
        rows: stored bytes by offer key.
        policies: known policy by merchant.
        offsets: next offset to read per place.
        append_ms: time of the last record per place.
        proofs: in the order of the log; kept in memory only, they outlive no restart.
    """

    rows: dict[str, bytes | None] = field(default_factory=dict)
    policies: dict[str, KnownPolicy | None] = field(default_factory=dict)
    offsets: dict[Place, int] = field(default_factory=dict)
    append_ms: dict[Place, int] = field(default_factory=dict)
    proofs: list[PolicyProof] = field(default_factory=list)
    alarms: list[Alarm] = field(default_factory=list)


def policy_bytes(policy: KnownPolicy) -> bytes:
    """Returns the stored form of a policy."""
    return msgspec.msgpack.encode(policy)


def policy_of(value: bytes) -> KnownPolicy:
    """Returns the policy of its stored form; raises Bug when it does not fit."""
    try:
        return msgspec.msgpack.decode(value, type=KnownPolicy)
    except msgspec.MsgspecError as error:
        raise Bug(f"a stored policy does not decode: {error}; delete the replica's folder and restart") from error


def planned(
    records: Iterable[LogRecord],
    kept_row: Callable[[str], bytes | None],
    kept_policy: Callable[[str], KnownPolicy | None],
) -> Change:
    """Returns what the records change against what is kept. Raises Undecodable or UnknownSchema: the process stops."""
    change = Change()
    for record in records:
        if record.topic == OFFER_CATALOG:
            _plan_entry(record, change, kept_row)
        elif record.topic == MERCHANT_POLICY:
            _plan_policy(record, change, kept_policy)
        elif record.value is not None:
            change.proofs.append(_decoded(record, record.value, PolicyProof, POLICY_PROOF))
        place = record.topic, record.partition
        change.offsets[place] = record.offset + 1
        change.append_ms[place] = record.append_ms
    return change


def _plan_entry(record: LogRecord, change: Change, kept_row: Callable[[str], bytes | None]) -> None:
    key = record.key.decode("ascii")
    if record.value is None:
        change.rows[key] = None
        return
    entry = _decoded(record, record.value, CatalogEntry, OFFER_CATALOG)
    if entry.offer_key.key != record.key:
        raise Undecodable(f"{_where(record)}: its key {key} is not its entry's {entry.offer_key.key.decode()}")
    kept = change.rows[key] if key in change.rows else kept_row(key)
    kept_rev = -1 if kept is None else rows.revision_of(kept)
    if entry.revision < kept_rev:
        change.alarms.append(Alarm("regress", OFFER_CATALOG, key, kept_rev, entry.revision))
        return
    value = rows.stored(entry)
    if entry.revision > kept_rev:
        change.rows[key] = value
    elif value != kept:
        change.alarms.append(Alarm("divergence", OFFER_CATALOG, key, kept_rev, entry.revision))


def _plan_policy(record: LogRecord, change: Change, kept_policy: Callable[[str], KnownPolicy | None]) -> None:
    merchant = record.key.decode("ascii")
    if record.value is None:
        change.policies[merchant] = None
        return
    event = _decoded(record, record.value, MerchantPolicy, MERCHANT_POLICY)
    seen = KnownPolicy(event.policy_rev, event.live, event.source_epoch, event.disable_epoch, event.field_age_ms_max)
    kept = change.policies[merchant] if merchant in change.policies else kept_policy(merchant)
    if kept is None or seen.policy_rev > kept.policy_rev:
        change.policies[merchant] = seen
    elif seen != kept:
        kind = "regress" if seen.policy_rev < kept.policy_rev else "divergence"
        change.alarms.append(Alarm(kind, MERCHANT_POLICY, merchant, kept.policy_rev, seen.policy_rev))


def _decoded(record: LogRecord, value: bytes, kind: type[_E], topic: str) -> _E:
    if record.topic != topic:
        raise Undecodable(f"{_where(record)}: a replica does not read this topic")
    event = codec().decode(value)
    if not isinstance(event, kind):
        raise Undecodable(f"{_where(record)} carries a {type(event).__name__}, expected a {kind.__name__}")
    return event


def _where(record: LogRecord) -> str:
    return f"{record.topic}/{record.partition}@{record.offset}"
