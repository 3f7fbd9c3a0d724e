"""From a catalog entry to a row: projection to card and record, and the bytes that RocksDB keeps."""

import struct
from typing import Final

from serving_grpc import wire
from serving_grpc.catalog_pb2 import Attribute, Card, Claim, FieldEvidence, Record, Result
from serving_grpc.eligibility import TEXT, Row, Scope
from topics.errors import Bug
from topics.events.offer import BUYABLE, CatalogEntry, OfferContent

STATE_VERSION: Final = 1
"""Version of the stored form; another one on disk is rebuilt from the topic."""
CARD_BYTES_MAX: Final = 300
NAME_BYTES_MAX: Final = 80
_HEADER: Final = struct.Struct("<BB2xIQQqqI")
_REASONS: Final = (
    "",
    "out_of_stock",
    "suspected_missing",
    "inactive",
    "tombstoned",
    "stock_unknown",
    "not_buyable",
)
_TOMBSTONED: Final = _REASONS.index("tombstoned")


def stored(entry: CatalogEntry) -> bytes:
    """Returns the bytes kept for an entry: header, framed card, serialized Record; equal entries give equal bytes.

    Header: reason index u8, formats u8, element length u32, source epoch u64, revision u64, evidence and eligible_until i64 ms,
    record length u32.
    """
    reason = _REASONS.index(_reason(entry))
    element = b"" if entry.content is None else wire.framed_for_suffix(_fixed(entry, entry.content))
    record = _record(entry).SerializeToString(deterministic=True)
    header = _HEADER.pack(
        reason,
        1
        << TEXT,  # images are taken into owned storage by the media stage; until then no other format is ready (SPEC H1)
        len(element),
        entry.fence.source_epoch,
        entry.revision,
        entry.evidence_at_ms,
        entry.eligible_until_ms,
        len(record),
    )
    return header + element + record


def loaded(value: bytes, scope: Scope) -> Row:
    """Returns the row of stored bytes; raises Bug when they are torn."""
    if len(value) < _HEADER.size:
        raise Bug(f"a stored row of {scope.merchant} has {len(value)} bytes: delete the replica's folder and restart")
    reason, formats, element_bytes, epoch, revision, evidence_at, eligible_until, record_bytes = _HEADER.unpack_from(
        value
    )
    if len(value) != _HEADER.size + element_bytes + record_bytes:
        raise Bug(f"a stored row of {scope.merchant} is torn: delete the replica's folder and restart")
    element = value[_HEADER.size : _HEADER.size + element_bytes]
    tombstoned = reason == _TOMBSTONED
    return Row(revision, epoch, tombstoned, evidence_at, eligible_until, _REASONS[reason], formats, scope, element)


def record_of(value: bytes) -> bytes:
    """Returns the serialized Record of stored bytes."""
    return value[_HEADER.size + _HEADER.unpack_from(value)[2] :]


def revision_of(value: bytes) -> int:
    """Returns the revision of stored bytes."""
    revision: int = _HEADER.unpack_from(value)[4]
    return revision


def _reason(entry: CatalogEntry) -> str:
    if entry.lifecycle != "active" or entry.content is None:
        return entry.lifecycle
    if entry.content.availability in BUYABLE:
        return ""
    if entry.content.availability in ("OutOfStock", "SoldOut"):
        return "out_of_stock"
    return "stock_unknown" if entry.content.availability == "Unknown" else "not_buyable"


def _fixed(entry: CatalogEntry, content: OfferContent) -> bytes:
    card = Card(
        name=_cut(content.name, NAME_BYTES_MAX),
        price_minor=content.price_minor,
        currency=content.currency,
        exponent=content.exponent,
        list_price_minor=content.list_price_minor,
        availability=content.availability,
        url=content.url,
        evidence_at_ms=entry.evidence_at_ms,
        eligible_until_ms=entry.eligible_until_ms,
        lifecycle=entry.lifecycle,
        attributes=_attributes(content),
    )
    if card.ByteSize() > CARD_BYTES_MAX:
        card.ClearField("attributes")
    result = Result(status=Result.OK, revision=entry.revision, card=card)
    return result.SerializeToString(deterministic=True)


def _record(entry: CatalogEntry) -> Record:
    record = Record(
        key=entry.offer_key.key.decode("ascii"),
        observation_id=entry.observation_id,
        target_id=entry.target_id,
        parser_rev=entry.parser_rev,
        decision_rev=entry.decision_rev,
        source_epoch=entry.fence.source_epoch,
        term=entry.fence.term,
        generation=entry.fence.generation,
        reason=entry.reason,
        content_digest=entry.content_digest,
        evidence=[
            FieldEvidence(
                field=one.field,
                claims=[Claim(syntax=claim.syntax, path=claim.path, raw=claim.raw) for claim in one.claims],
            )
            for one in entry.evidence
        ],
    )
    content = entry.content
    if content is not None:
        record.name = content.name
        record.brand = content.brand or ""
        record.sku = content.sku or ""
        record.gtin14 = content.gtin14 or ""
        record.source_image_urls.extend(content.image_urls)
        record.attributes.extend(_attributes(content))
    return record


def _attributes(content: OfferContent) -> list[Attribute]:
    return [Attribute(name=one.name, value=one.value) for one in content.attributes]


def _cut(text: str, bytes_max: int) -> str:
    """The longest prefix of `text` within the limit that ends on a character."""
    return text.encode()[:bytes_max].decode(errors="ignore")
