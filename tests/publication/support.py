"""A dict-backed partition and short builders, so that a test reads as the story it tells."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from streams.publication.stage import PUBLISH
from streams.rows import applied_of, decode_row, encode_row
from streams.stage import Emit, Overlay, Position
from topics.events.offer import (
    Attribute,
    CandidateProposed,
    CatalogEntry,
    OfferChanged,
    OfferContent,
    Quarantined,
    TargetObserved,
)
from topics.events.policy import Market, MerchantPolicy
from topics.fence import Fence
from topics.keys import OfferKey
from topics.specs import OFFER_CATALOG, OFFER_CHANGE, OFFER_DECISION, QUARANTINE

MERCHANT = "acme"
ORIGIN = "https://shop.example"
HOUR = 3_600_000
DAY = 24 * HOUR
START = 1_700_000_000_000
ROW_TYPES = {table.name: table.row for table in PUBLISH.tables}


class Crash(Exception):
    """The process died while flushing."""


@dataclass
class Partition:
    """Committed rows of one partition as bytes, a log, and everything that was sent."""

    rows: dict[tuple[str, bytes], bytes] = field(default_factory=dict)
    log: list[tuple[Any, int]] = field(default_factory=list)
    sent: list[Emit] = field(default_factory=list)

    def get(self, table: str, key: bytes) -> Any | None:
        raw = self.rows.get((table, key))
        return None if raw is None else decode_row(raw, ROW_TYPES[table])

    def scan(self, table: str, prefix: bytes) -> Iterator[tuple[bytes, Any]]:
        for name, key in sorted(self.rows):
            if name == table and key.startswith(prefix):
                yield key, self.get(name, key)

    def append(self, event: Any, now_ms: int | None = None) -> int:
        """Appends an event to the decision log; returns its offset."""
        now = (self.log[-1][1] if self.log else START) + 1 if now_ms is None else now_ms
        self.log.append((event, now))
        return len(self.log) - 1

    def run(self, offset: int, flushes: int | None = None) -> list[Emit]:
        """Handles one offset; with `flushes`, dies after that many writes (outputs were sent before)."""
        event, now_ms = self.log[offset]
        overlay = Overlay(self)
        position = Position(topic=OFFER_DECISION, partition=0, offset=offset, now_ms=now_ms)
        emits = list(PUBLISH.handle(overlay, event, position))
        self.sent += emits
        for done, ((table, key), row) in enumerate(overlay.writes.items()):
            if done == flushes:
                raise Crash
            assert row is not None
            stored = self.rows.get((table, key))
            assert stored is None or applied_of(stored) <= row.applied, "applied only grows"
            self.rows[table, key] = encode_row(row)
        return emits

    def take(self, *events: Any, now_ms: int | None = None) -> list[Emit]:
        """Appends and handles events; returns what the last one emitted."""
        emits: list[Emit] = []
        for event in events:
            emits = self.run(self.append(event, now_ms))
        return emits

    def entry(self, key: OfferKey) -> CatalogEntry | None:
        """The catalog as a replica reads it: the entry of the largest revision."""
        entries = [emit.event for emit in self.sent if emit.topic == OFFER_CATALOG and emit.key == key.key]
        return max(entries, key=lambda one: one.revision, default=None)

    def catalog(self) -> dict[bytes, tuple[str, str, str]]:
        """Key → (lifecycle, reason, digest): what 'the same catalog' compares."""
        current: dict[bytes, CatalogEntry] = {}
        for emit in self.sent:
            if emit.topic != OFFER_CATALOG:
                continue
            known = current.get(emit.key)
            if known is None or emit.event.revision > known.revision:
                current[emit.key] = emit.event
        return {key: (one.lifecycle, one.reason, one.content_digest) for key, one in current.items()}

    @property
    def refusals(self) -> dict[str, int]:
        row = self.get("merchants", MERCHANT.encode())
        return {} if row is None else row.refusals


def fence(generation: int, epoch: int = 1, term: int = 1) -> Fence:
    return Fence(source_epoch=epoch, term=term, generation=generation)


def policy(rev: int = 1, **changes: Any) -> MerchantPolicy:
    fields: dict[str, Any] = {
        "event_id": f"{rev:032x}",
        "occurred_at_ms": START,
        "merchant": MERCHANT,
        "policy_rev": rev,
        "status": "enabled",
        "source_epoch": 1,
        "disable_epoch": 0,
        "start_url": f"{ORIGIN}/",
        "proof_url": f"{ORIGIN}/proof",
        "allowed_origins": (ORIGIN,),
        "markets": (Market(country="US", currency="USD"),),
        "budget_key": "shop.example",
    }
    return MerchantPolicy(**(fields | changes))


def offer(identity: str = "pid:1", variant: str = "-", market: str = "US:USD") -> OfferKey:
    return OfferKey(merchant=MERCHANT, identity=identity, variant=variant, market=market)


def content(price_minor: int = 1999, **changes: Any) -> OfferContent:
    attributes = tuple(Attribute(name=name, value=value) for name, value in changes.pop("attributes", {}).items())
    fields: dict[str, Any] = {
        "url": f"{ORIGIN}/p/1",
        "name": "Shoe",
        "price_minor": price_minor,
        "currency": "USD",
        "exponent": 2,
        "availability": "InStock",
        "attributes": attributes,
    }
    return OfferContent(**(fields | changes))


def candidate(generation: int, **changes: Any) -> CandidateProposed:
    """A candidate of the observation of target t1 that claim `generation` made."""
    key = changes.pop("key", offer())
    made = changes.pop("made", fence(generation, changes.pop("epoch", 1)))
    target = changes.pop("target", "t1")
    fields: dict[str, Any] = {
        "event_id": f"{generation:032x}",
        "occurred_at_ms": START,
        "merchant": key.merchant,
        "identity": key.identity,
        "variant": key.variant,
        "market": key.market,
        "target_id": target,
        "fence": made,
        "decision_rev": 1,
        "observation_id": f"{target}-{made.source_epoch}-{made.generation}",
        "evidence_at_ms": START + generation,
        "parser_rev": "p1",
        "content": content(changes.pop("price_minor", 1999)),
    }
    return CandidateProposed(**(fields | changes))


def observed(generation: int, presence: str, keys: Sequence[OfferKey] = (), **changes: Any) -> TargetObserved:
    made = fence(generation, changes.pop("epoch", 1))
    target = changes.pop("target", "t1")
    fields: dict[str, Any] = {
        "event_id": f"{generation:032x}",
        "occurred_at_ms": START,
        "merchant": MERCHANT,
        "target_id": target,
        "fence": made,
        "observation_id": f"{target}-{made.source_epoch}-{made.generation}",
        "evidence_at_ms": START + generation,
        "presence": presence,
        "reason": presence,
        "offer_keys": tuple(key.key.decode() for key in keys),
    }
    return TargetObserved(**(fields | changes))


def entries(emits: Sequence[Emit]) -> list[CatalogEntry]:
    return [emit.event for emit in emits if emit.topic == OFFER_CATALOG]


def changes_of(emits: Sequence[Emit]) -> list[OfferChanged]:
    return [emit.event for emit in emits if emit.topic == OFFER_CHANGE]


def reasons(emits: Sequence[Emit]) -> list[str]:
    return [emit.event.reason for emit in emits if emit.topic == QUARANTINE and isinstance(emit.event, Quarantined)]
