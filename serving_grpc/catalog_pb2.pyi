# ruff: noqa: I001, RUF023, UP007, UP045
# fmt: off
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class AdFormat(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    AD_FORMAT_UNSPECIFIED: _ClassVar[AdFormat]
    TEXT: _ClassVar[AdFormat]
    IMAGE: _ClassVar[AdFormat]
    VIDEO: _ClassVar[AdFormat]

class Purpose(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PURPOSE_UNSPECIFIED: _ClassVar[Purpose]
    PURCHASE_AD: _ClassVar[Purpose]
AD_FORMAT_UNSPECIFIED: AdFormat
TEXT: AdFormat
IMAGE: AdFormat
VIDEO: AdFormat
PURPOSE_UNSPECIFIED: Purpose
PURCHASE_AD: Purpose

class BatchGetRequest(_message.Message):
    __slots__ = ("keys", "market", "ad_format", "purpose", "full_records", "max_response_bytes")
    KEYS_FIELD_NUMBER: _ClassVar[int]
    MARKET_FIELD_NUMBER: _ClassVar[int]
    AD_FORMAT_FIELD_NUMBER: _ClassVar[int]
    PURPOSE_FIELD_NUMBER: _ClassVar[int]
    FULL_RECORDS_FIELD_NUMBER: _ClassVar[int]
    MAX_RESPONSE_BYTES_FIELD_NUMBER: _ClassVar[int]
    keys: _containers.RepeatedScalarFieldContainer[str]
    market: str
    ad_format: AdFormat
    purpose: Purpose
    full_records: bool
    max_response_bytes: int
    def __init__(self, keys: _Optional[_Iterable[str]] = ..., market: _Optional[str] = ..., ad_format: _Optional[_Union[AdFormat, str]] = ..., purpose: _Optional[_Union[Purpose, str]] = ..., full_records: _Optional[bool] = ..., max_response_bytes: _Optional[int] = ...) -> None: ...

class GetOfferRequest(_message.Message):
    __slots__ = ("key", "market", "ad_format", "purpose", "full_record")
    KEY_FIELD_NUMBER: _ClassVar[int]
    MARKET_FIELD_NUMBER: _ClassVar[int]
    AD_FORMAT_FIELD_NUMBER: _ClassVar[int]
    PURPOSE_FIELD_NUMBER: _ClassVar[int]
    FULL_RECORD_FIELD_NUMBER: _ClassVar[int]
    key: str
    market: str
    ad_format: AdFormat
    purpose: Purpose
    full_record: bool
    def __init__(self, key: _Optional[str] = ..., market: _Optional[str] = ..., ad_format: _Optional[_Union[AdFormat, str]] = ..., purpose: _Optional[_Union[Purpose, str]] = ..., full_record: _Optional[bool] = ...) -> None: ...

class BatchGetResponse(_message.Message):
    __slots__ = ("results",)
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[Result]
    def __init__(self, results: _Optional[_Iterable[_Union[Result, _Mapping]]] = ...) -> None: ...

class Result(_message.Message):
    __slots__ = ("status", "ad_eligible", "ineligible_reason", "serve_until_ms", "revision", "card", "key", "record")
    class Status(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        STATUS_UNSPECIFIED: _ClassVar[Result.Status]
        OK: _ClassVar[Result.Status]
        MISSING: _ClassVar[Result.Status]
        STALE: _ClassVar[Result.Status]
        DISABLED: _ClassVar[Result.Status]
        INVALID: _ClassVar[Result.Status]
        UNAVAILABLE: _ClassVar[Result.Status]
        DEFERRED: _ClassVar[Result.Status]
    STATUS_UNSPECIFIED: Result.Status
    OK: Result.Status
    MISSING: Result.Status
    STALE: Result.Status
    DISABLED: Result.Status
    INVALID: Result.Status
    UNAVAILABLE: Result.Status
    DEFERRED: Result.Status
    STATUS_FIELD_NUMBER: _ClassVar[int]
    AD_ELIGIBLE_FIELD_NUMBER: _ClassVar[int]
    INELIGIBLE_REASON_FIELD_NUMBER: _ClassVar[int]
    SERVE_UNTIL_MS_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    status: Result.Status
    ad_eligible: bool
    ineligible_reason: str
    serve_until_ms: int
    revision: int
    card: Card
    key: str
    record: Record
    def __init__(self, status: _Optional[_Union[Result.Status, str]] = ..., ad_eligible: _Optional[bool] = ..., ineligible_reason: _Optional[str] = ..., serve_until_ms: _Optional[int] = ..., revision: _Optional[int] = ..., card: _Optional[_Union[Card, _Mapping]] = ..., key: _Optional[str] = ..., record: _Optional[_Union[Record, _Mapping]] = ...) -> None: ...

class Card(_message.Message):
    __slots__ = ("name", "price_minor", "currency", "exponent", "list_price_minor", "availability", "url", "image_url", "evidence_at_ms", "eligible_until_ms", "lifecycle", "attributes")
    NAME_FIELD_NUMBER: _ClassVar[int]
    PRICE_MINOR_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    EXPONENT_FIELD_NUMBER: _ClassVar[int]
    LIST_PRICE_MINOR_FIELD_NUMBER: _ClassVar[int]
    AVAILABILITY_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    IMAGE_URL_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_AT_MS_FIELD_NUMBER: _ClassVar[int]
    ELIGIBLE_UNTIL_MS_FIELD_NUMBER: _ClassVar[int]
    LIFECYCLE_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    name: str
    price_minor: int
    currency: str
    exponent: int
    list_price_minor: int
    availability: str
    url: str
    image_url: str
    evidence_at_ms: int
    eligible_until_ms: int
    lifecycle: str
    attributes: _containers.RepeatedCompositeFieldContainer[Attribute]
    def __init__(self, name: _Optional[str] = ..., price_minor: _Optional[int] = ..., currency: _Optional[str] = ..., exponent: _Optional[int] = ..., list_price_minor: _Optional[int] = ..., availability: _Optional[str] = ..., url: _Optional[str] = ..., image_url: _Optional[str] = ..., evidence_at_ms: _Optional[int] = ..., eligible_until_ms: _Optional[int] = ..., lifecycle: _Optional[str] = ..., attributes: _Optional[_Iterable[_Union[Attribute, _Mapping]]] = ...) -> None: ...

class Attribute(_message.Message):
    __slots__ = ("name", "value")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: str
    def __init__(self, name: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...

class Claim(_message.Message):
    __slots__ = ("syntax", "path", "raw")
    SYNTAX_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    RAW_FIELD_NUMBER: _ClassVar[int]
    syntax: str
    path: str
    raw: str
    def __init__(self, syntax: _Optional[str] = ..., path: _Optional[str] = ..., raw: _Optional[str] = ...) -> None: ...

class FieldEvidence(_message.Message):
    __slots__ = ("field", "claims")
    FIELD_FIELD_NUMBER: _ClassVar[int]
    CLAIMS_FIELD_NUMBER: _ClassVar[int]
    field: str
    claims: _containers.RepeatedCompositeFieldContainer[Claim]
    def __init__(self, field: _Optional[str] = ..., claims: _Optional[_Iterable[_Union[Claim, _Mapping]]] = ...) -> None: ...

class Record(_message.Message):
    __slots__ = ("key", "name", "brand", "sku", "gtin14", "source_image_urls", "attributes", "observation_id", "target_id", "parser_rev", "decision_rev", "source_epoch", "term", "generation", "reason", "content_digest", "evidence")
    KEY_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    BRAND_FIELD_NUMBER: _ClassVar[int]
    SKU_FIELD_NUMBER: _ClassVar[int]
    GTIN14_FIELD_NUMBER: _ClassVar[int]
    SOURCE_IMAGE_URLS_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    OBSERVATION_ID_FIELD_NUMBER: _ClassVar[int]
    TARGET_ID_FIELD_NUMBER: _ClassVar[int]
    PARSER_REV_FIELD_NUMBER: _ClassVar[int]
    DECISION_REV_FIELD_NUMBER: _ClassVar[int]
    SOURCE_EPOCH_FIELD_NUMBER: _ClassVar[int]
    TERM_FIELD_NUMBER: _ClassVar[int]
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    CONTENT_DIGEST_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    key: str
    name: str
    brand: str
    sku: str
    gtin14: str
    source_image_urls: _containers.RepeatedScalarFieldContainer[str]
    attributes: _containers.RepeatedCompositeFieldContainer[Attribute]
    observation_id: str
    target_id: str
    parser_rev: str
    decision_rev: int
    source_epoch: int
    term: int
    generation: int
    reason: str
    content_digest: str
    evidence: _containers.RepeatedCompositeFieldContainer[FieldEvidence]
    def __init__(self, key: _Optional[str] = ..., name: _Optional[str] = ..., brand: _Optional[str] = ..., sku: _Optional[str] = ..., gtin14: _Optional[str] = ..., source_image_urls: _Optional[_Iterable[str]] = ..., attributes: _Optional[_Iterable[_Union[Attribute, _Mapping]]] = ..., observation_id: _Optional[str] = ..., target_id: _Optional[str] = ..., parser_rev: _Optional[str] = ..., decision_rev: _Optional[int] = ..., source_epoch: _Optional[int] = ..., term: _Optional[int] = ..., generation: _Optional[int] = ..., reason: _Optional[str] = ..., content_digest: _Optional[str] = ..., evidence: _Optional[_Iterable[_Union[FieldEvidence, _Mapping]]] = ...) -> None: ...
