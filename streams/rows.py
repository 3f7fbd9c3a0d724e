"""How table rows are stored: 8 bytes of `applied`, then MessagePack of the row.

The prefix lets table recovery keep the larger `applied` per key without decoding (DESIGN §5: compaction keeps the last
record, not the largest, and a frozen former owner may write late).
"""

import struct
from typing import Any

import msgspec

_APPLIED = struct.Struct(">q")


def encode_row(row: Any) -> bytes:
    """Returns the stored bytes of a row dataclass that has an integer `applied`."""
    return _APPLIED.pack(row.applied) + msgspec.msgpack.encode(row)


def decode_row(raw: bytes, row_type: type) -> Any:
    """Returns the row; raises msgspec.ValidationError when the bytes do not fit `row_type`."""
    return msgspec.msgpack.decode(raw[_APPLIED.size :], type=row_type)


def applied_of(raw: bytes) -> int:
    """Returns the inbox offset that the stored row last took."""
    applied: int = _APPLIED.unpack_from(raw)[0]
    return applied
