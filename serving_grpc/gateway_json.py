"""JSON forms of the gateway: snake_case fields as in catalog.proto, integers as numbers, unknown as null. Pure."""

from typing import Any, Final

import msgspec

from serving_grpc.catalog_pb2 import AdFormat, Attribute, BatchGetRequest, Purpose, Record, Result
from topics.errors import Invalid


class BatchBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Body of `POST /v1/products:batchGet`.

    Attributes:
        keys: product ids when a market is given, else full offer keys.
    """

    keys: list[str]
    market: str | None = None
    currency: str | None = None
    ad_format: str = "text"
    purpose: str = "purchase_ad"
    full_records: bool = False
    max_response_bytes: int = 0


_CARD_FIELDS: Final = (
    "name",
    "price_minor",
    "currency",
    "exponent",
    "availability",
    "url",
    "evidence_at_ms",
    "eligible_until_ms",
    "lifecycle",
)


def batch(body: bytes) -> BatchGetRequest:
    """Returns the request of a JSON body; raises Invalid naming the field."""
    try:
        read = msgspec.json.decode(body, type=BatchBody)
    except msgspec.MsgspecError as error:
        raise Invalid("body", body.decode(errors="replace"), str(error)) from None
    if not 0 <= read.max_response_bytes < 1 << 32:
        raise Invalid("max_response_bytes", read.max_response_bytes, "write a byte count, 0 for the default")
    whole = read.market is None and read.currency is None
    return BatchGetRequest(
        keys=read.keys,
        market="" if whole else market(read.market, read.currency),
        ad_format=ad_format(read.ad_format),  # type: ignore[arg-type]
        purpose=purpose(read.purpose),  # type: ignore[arg-type]
        full_records=read.full_records,
        max_response_bytes=read.max_response_bytes,
    )


def market(country: str | None, currency: str | None) -> str:
    """Returns the market key `US:USD`; raises Invalid when half of it is missing."""
    if not country:
        raise Invalid("market", country, "name the market, for example market=US&currency=USD")
    if not currency:
        raise Invalid("currency", currency, "name the currency, for example currency=USD")
    return f"{country}:{currency}"


def ad_format(word: str) -> int:
    """Returns the enum value of `text`, `image` or `video`; raises Invalid for anything else."""
    if word not in ("text", "image", "video"):
        raise Invalid("ad_format", word, "write text, image or video")
    return AdFormat.Value(word.upper())


def purpose(word: str) -> int:
    """Returns the enum value of `purchase_ad`; raises Invalid for anything else."""
    if word != "purchase_ad":
        raise Invalid("purpose", word, "write purchase_ad")
    return Purpose.Value("PURCHASE_AD")


def item(result: Result) -> dict[str, Any]:
    """Returns one result; fields that do not apply to its status are absent."""
    status = Result.Status.Name(result.status)
    if result.status != Result.OK:
        return {"status": status, "key": result.key}
    card = result.card
    shown: dict[str, Any] = {
        "status": status,
        "ad_eligible": result.ad_eligible,
        "ineligible_reason": result.ineligible_reason or None,
        "serve_until_ms": result.serve_until_ms,
        "revision": result.revision,
        **{name: getattr(card, name) for name in _CARD_FIELDS},
        "list_price_minor": card.list_price_minor if card.HasField("list_price_minor") else None,
        "image_url": card.image_url or None,
        "attributes": _attributes(card.attributes),
    }
    if result.HasField("record"):
        shown["record"] = _record(result.record)
    return shown


def _record(record: Record) -> dict[str, Any]:
    return {
        "key": record.key,
        "name": record.name,
        "brand": record.brand or None,
        "sku": record.sku or None,
        "gtin14": record.gtin14 or None,
        "attributes": _attributes(record.attributes),
        "observation_id": record.observation_id,
        "target_id": record.target_id,
        "parser_rev": record.parser_rev,
        "decision_rev": record.decision_rev,
        "fence": {"source_epoch": record.source_epoch, "term": record.term, "generation": record.generation},
        "content_digest": record.content_digest,
        "evidence": {
            one.field: [{"syntax": claim.syntax, "path": claim.path, "raw": claim.raw} for claim in one.claims]
            for one in record.evidence
        },
    }


def _attributes(attributes: Any) -> dict[str, str]:
    read: list[Attribute] = list(attributes)
    return {one.name: one.value for one in read}
