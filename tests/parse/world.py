"""One partition of the parse stage in memory, and short builders of observations and pages."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from streams.parse.io import READ_OUTCOMES
from streams.parse.read import PageRead, read
from streams.parse.stage import PARSE
from streams.rows import decode_row, encode_row
from streams.stage import Emit, Overlay, Position
from topics.events.crawl import BodyRef, FoundLink, LinksFound, PageObserved
from topics.events.offer import CandidateProposed, Quarantined, TargetObserved
from topics.events.policy import Market
from topics.fence import Fence
from topics.specs import PAGE_OBSERVED, codec
from topics.urls import UrlPolicy, identity_url, target_id

MERCHANT = "acme"
ORIGIN = "https://shop.example"
PAGE = f"{ORIGIN}/products/stool"
START_MS = 1_800_000_000_000
ROW_TYPES = {table.name: table.row for table in PARSE.tables}


@dataclass
class Partition:
    """Committed rows as bytes, as a store keeps them."""

    rows: dict[tuple[str, bytes], bytes] = field(default_factory=dict)

    def get(self, table: str, key: bytes) -> Any | None:
        raw = self.rows.get((table, key))
        return None if raw is None else decode_row(raw, ROW_TYPES[table])

    def scan(self, table: str, prefix: bytes) -> Iterator[tuple[bytes, Any]]:
        for name, key in sorted(self.rows):
            if name == table and key.startswith(prefix):
                yield key, self.get(name, key)

    def handle(self, page: PageRead, offset: int, *, dies_before_flush: bool = False) -> "Said":
        """Handles one observation as a driver does: outputs first, then the writes in their order."""
        overlay = Overlay(self)
        position = Position(topic=PAGE_OBSERVED, partition=0, offset=offset, now_ms=START_MS + offset)
        emits = PARSE.handle(overlay, page, position)
        if not dies_before_flush:
            for (table, key), row in overlay.writes.items():
                assert row is not None, "parse forgets nothing"
                self.rows[table, key] = encode_row(row)
        return Said(emits)


@dataclass
class Said:
    """The outputs of one observation, by kind."""

    emits: Sequence[Emit]

    def of(self, kind: type) -> list[Any]:
        return [one.event for one in self.emits if type(one.event) is kind]

    @property
    def candidates(self) -> list[CandidateProposed]:
        return self.of(CandidateProposed)

    @property
    def target(self) -> TargetObserved:
        (one,) = self.of(TargetObserved)
        return one

    @property
    def verdict(self) -> tuple[str, str]:
        return self.target.presence, self.target.reason

    @property
    def refused(self) -> set[tuple[str, str]]:
        return {(one.field, one.reason) for one in self.of(Quarantined)}

    @property
    def chunks(self) -> list[LinksFound]:
        return self.of(LinksFound)

    @property
    def links(self) -> list[FoundLink]:
        return [link for chunk in self.chunks for link in chunk.links]

    @property
    def wire(self) -> list[tuple[str, bytes, bytes]]:
        return [(one.topic, one.key, codec().encode(one.event)) for one in self.emits]


def observed(outcome: str = "page", *, generation: int = 1, url: str = PAGE, body: bytes = b"", **changes: Any) -> Any:
    """Returns an observation of `url`; its body is referred to when the outcome has one."""
    identity = identity_url(url, UrlPolicy(variant_params=changes.get("variant_params", ("variant",))))
    fields: dict[str, Any] = {
        "event_id": "e" * 32,
        "occurred_at_ms": START_MS,
        "merchant": MERCHANT,
        "target_id": target_id(identity),
        "kind": "page",
        "url": url,
        "identity_url": identity,
        "depth": 1,
        "fence": Fence(source_epoch=1, term=1, generation=generation),
        "observation_id": f"{generation:032x}",
        "evidence_at_ms": START_MS - 5,
        "outcome": outcome,
        "reason": "",
        "body": referred(body) if outcome in READ_OUTCOMES else None,
        "allowed_origins": (ORIGIN,),
        "markets": (Market(country="US", currency="USD"),),
        "variant_params": ("variant",),
    }
    return PageObserved(**fields | changes)


def referred(body: bytes, content_type: str = "text/html") -> BodyRef:
    sha256 = hashlib.sha256(body).hexdigest()
    return BodyRef(
        sha256=sha256, location=f"bodies/{sha256}", manifest="m", length=len(body), content_type=content_type
    )


def seen(text: str | bytes, outcome: str = "page", **changes: Any) -> PageRead:
    """Returns what a page of this text says."""
    body = text.encode() if isinstance(text, str) else text
    return read(observed(outcome, body=body, **changes), body)


def unread(outcome: str, failure: str | None = None, **changes: Any) -> PageRead:
    return PageRead(observed=observed(outcome, **changes), failure=failure)


def product(*offers: dict[str, Any], name: str | None = "Oak stool", links: Sequence[str] = (), **more: Any) -> str:
    """Returns a product page with JSON-LD; without offers it sells for 19.99 USD."""
    stated = [offer(**one) for one in offers] or [offer()]
    node = {"@context": "https://schema.org", "@type": "Product", "offers": stated} | more
    if name is not None:
        node["name"] = name
    anchors = "".join(f'<a href="{link}">more</a>' for link in links)
    heading = f"<h1>{name}</h1>" if name is not None else ""
    return (
        f"<!doctype html><html><head><title>shop</title><script type=application/ld+json>{json.dumps(node)}</script></head>"
        f"<body>{heading}<button>Add to cart</button>{anchors}</body></html>"
    )


def offer(**changes: Any) -> dict[str, Any]:
    return {"@type": "Offer", "price": "19.99", "priceCurrency": "USD", "availability": "InStock"} | changes


def listing(links: Sequence[str]) -> str:
    anchors = "".join(f'<a href="{link}">item</a>' for link in links)
    return f"<!doctype html><html><body><h1>All stools</h1>{anchors}</body></html>"
