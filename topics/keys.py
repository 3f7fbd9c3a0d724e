"""Canonical keys and the one partitioner (DESIGN §3).

Keys are bytes without a schema id, so that a new schema never changes compaction identity: UTF-8 components,
percent-encoded, joined by `|`. Everything that belongs to a merchant lands in one partition, because only the first
component decides it.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote, unquote

from topics.errors import Invalid

_MERCHANT = re.compile(r"[a-z0-9-]{1,40}\Z")
_MARKET = re.compile(r"[A-Z]{2}:[A-Z]{3}\Z")
_MASK32 = 0xFFFFFFFF
_MURMUR_M = 0x5BD1E995
_MURMUR_SEED = 0x9747B28C
NO_VARIANT = "-"


def join_key(*components: str) -> bytes:
    """Returns the canonical key of the components, in order."""
    return "|".join(quote(component, safe=":") for component in components).encode("ascii")


def split_key(key: bytes) -> tuple[str, ...]:
    """Returns the components of a canonical key; the inverse of `join_key`."""
    return tuple(unquote(component) for component in key.decode("ascii").split("|"))


def merchant_key(merchant: str) -> bytes:
    """Returns the key of merchant-scoped records; raises Invalid for a malformed merchant id."""
    if not _MERCHANT.match(merchant):
        raise Invalid("merchant", merchant, "use 1 to 40 characters of a-z, 0-9 and '-'")
    return merchant.encode("ascii")


def target_key(merchant: str, target_id: str) -> bytes:
    """Returns the key of an observation target (page-observed, media-observed)."""
    return join_key(merchant, target_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferKey:
    """`observation_key = (merchant, offer identity, variant, market)`, which is also the catalog's key (SPEC A2).

    Attributes:
        merchant: merchant id, `[a-z0-9-]{1,40}`.
        identity: `pid:<platform product id>`, else `sku:<…>`, else `url:<32 hex>`.
        variant: platform variant id, else SKU, else sorted attributes, else `-`.
        market: `<ISO 3166 country>:<ISO 4217 currency>`, for example `US:USD`.
    """

    merchant: str
    identity: str
    variant: str
    market: str

    def __post_init__(self) -> None:
        merchant_key(self.merchant)
        scheme, colon, rest = self.identity.partition(":")
        if scheme not in ("pid", "sku", "url") or not colon or not rest:
            raise Invalid("identity", self.identity, "write pid:<id>, sku:<sku> or url:<32 hex>")
        if not self.variant:
            raise Invalid("variant", self.variant, f"use {NO_VARIANT!r} for an offer without variants")
        if not _MARKET.match(self.market):
            raise Invalid("market", self.market, "write <country>:<currency>, for example US:USD")

    @property
    def key(self) -> bytes:
        """Canonical bytes, `merchant|identity|variant|market`."""
        return join_key(self.merchant, self.identity, self.variant, self.market)

    @property
    def product_id(self) -> str:
        """The public id, `merchant|identity|variant` (percent-encoded components)."""
        return join_key(self.merchant, self.identity, self.variant).decode("ascii")

    @classmethod
    def parse(cls, key: bytes) -> "OfferKey":
        """Returns the offer key of canonical bytes; raises Invalid when they are not four components."""
        parts = split_key(key)
        if len(parts) != 4:
            raise Invalid("key", key, "an offer key is merchant|identity|variant|market")
        merchant, identity, variant, market = parts
        return cls(merchant=merchant, identity=identity, variant=variant, market=market)


def partition_of(key: bytes, partitions: int) -> int:
    """Returns the partition of a key: murmur2 of the bytes before the first `|`, modulo `partitions`."""
    return _positive_murmur2(key.split(b"|", 1)[0]) % partitions


@lru_cache(maxsize=100_000)
def _positive_murmur2(data: bytes) -> int:
    """Kafka's murmur2 (org.apache.kafka.common.utils.Utils.murmur2), made positive as its default partitioner does."""
    length = len(data)
    hashed = (_MURMUR_SEED ^ length) & _MASK32
    whole = length // 4 * 4
    for at in range(0, whole, 4):
        chunk = int.from_bytes(data[at : at + 4], "little")
        chunk = chunk * _MURMUR_M & _MASK32
        chunk ^= chunk >> 24
        hashed = (hashed * _MURMUR_M & _MASK32) ^ (chunk * _MURMUR_M & _MASK32)
    if length > whole:
        hashed ^= int.from_bytes(data[whole:], "little")
        hashed = hashed * _MURMUR_M & _MASK32
    hashed ^= hashed >> 13
    hashed = hashed * _MURMUR_M & _MASK32
    hashed ^= hashed >> 15
    return hashed & 0x7FFFFFFF
