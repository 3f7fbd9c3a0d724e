"""Elements of `BatchGetResponse.results` put together from bytes, so that a batch joins bytes and builds no message per item.

Protobuf lets a message be the concatenation of its fields in any order (encoding spec, "Last One Wins"), so what is fixed
per revision is framed once and what depends on the request follows as a short suffix:

    0A <length> | 08 01 28 <revision> 32 <card> | 10 01 21 <serve_until, 8 bytes>
    tag of one    fixed part of a row             suffix of an eligible item, always 11 bytes
    result
"""

import struct

from serving_grpc.eligibility import OK

RESULT_TAG = b"\x0a"
ELIGIBLE_SUFFIX_BYTES = 11
_ELIGIBLE = struct.Struct("<3sq")
_SERVE_UNTIL = struct.Struct("<cq")
_REASON_TAG = b"\x1a"
_KEY_TAG = b"\x3a"
_RECORD_TAG = b"\x42"


def varint(number: int) -> bytes:
    """Returns the base-128 encoding of a non-negative number."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def eligible_suffix(serve_until_ms: int) -> bytes:
    """Returns `ad_eligible = true` and `serve_until_ms`."""
    return _ELIGIBLE.pack(b"\x10\x01\x21", serve_until_ms)


def ineligible_suffix(reason: str, serve_until_ms: int) -> bytes:
    """Returns `ineligible_reason` and `serve_until_ms`; `ad_eligible` stays false."""
    text = reason.encode()
    return _REASON_TAG + varint(len(text)) + text + _SERVE_UNTIL.pack(b"\x21", serve_until_ms)


def record_suffix(record: bytes) -> bytes:
    """Returns the `record` field of a serialized Record."""
    return _RECORD_TAG + varint(len(record)) + record


def refused(status: int, key: str) -> bytes:
    """Returns the Result of an item that is not OK: its status and the normalized key."""
    assert status != OK, "an OK item has a card"
    text = key.encode()
    return bytes((8, status)) + _KEY_TAG + varint(len(text)) + text


def framed(result: bytes) -> bytes:
    """Returns a Result as one element of `results`."""
    return RESULT_TAG + varint(len(result)) + result


def framed_for_suffix(fixed: bytes) -> bytes:
    """Returns the element's head and fixed part; an eligible suffix must follow."""
    return RESULT_TAG + varint(len(fixed) + ELIGIBLE_SUFFIX_BYTES) + fixed


def unframed(element: bytes) -> bytes:
    """Returns the element without tag and length: the fixed part again, or a whole Result."""
    at = 1
    while element[at] & 0x80:
        at += 1
    return element[at + 1 :]
