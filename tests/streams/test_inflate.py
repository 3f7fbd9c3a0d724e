"""Decompression stops at the first broken limit, whatever the pieces (SPEC E2)."""

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.inflate import InflateError, InflateLimits, Inflater, gunzip

LIMITS = InflateLimits(decoded_bytes_max=4 << 20)


def inflate(body: bytes, coding: str = "gzip", limits: InflateLimits = LIMITS, piece: int = 7) -> bytes:
    inflater = Inflater(coding, limits)
    out = b""
    for at in range(0, len(body), piece):
        for decoded in inflater.feed(body[at : at + piece]):
            assert len(decoded) <= 64 * 1024
            out += decoded
    inflater.finish()
    return out


@given(st.binary(max_size=3_000), st.integers(1, 999), st.sampled_from(["gzip", "zlib", "raw", "members", "padded"]))
def test_any_cut_of_the_wire_decodes_to_the_same_bytes(body: bytes, piece: int, form: str) -> None:
    raw = zlib.compressobj(wbits=-15)
    wire = {
        "gzip": gzip.compress(body),
        "zlib": zlib.compress(body),
        "raw": raw.compress(body) + raw.flush(),
        "members": gzip.compress(body[:50]) + gzip.compress(body[50:]),
        "padded": gzip.compress(body) + b"\0" * 9,
    }[form]
    if form == "raw" and piece == 1:
        piece = 2  # a zlib header is two bytes; one alone cannot be told from a raw stream
    assert inflate(wire, "deflate" if form in ("zlib", "raw") else "gzip", piece=piece) == body


@pytest.mark.parametrize(
    ("wire", "coding", "reason"),
    [
        (gzip.compress(b"\0" * (3 << 20)), "gzip", "ratio"),
        (gzip.compress(bytes(range(256)) * 40_000), "gzip", "ratio"),
        (gzip.compress(b"x") * 17, "gzip", "too_many_members"),
        (gzip.compress(b"x")[:-4], "gzip", "truncated"),
        (b"", "gzip", "truncated"),
        (b"<html>", "gzip", "bad_coding"),
        (gzip.compress(b"x") + b"trailing", "gzip", "bad_coding"),
        (zlib.compress(b"x") + b"trailing", "deflate", "bad_coding"),
        (b"\xff\xff\xff\xff", "deflate", "bad_coding"),
        (zlib.compress(b"x" * 99)[:-4] + b"\xff" * 4, "deflate", "bad_coding"),
    ],
)
def test_a_broken_limit_or_coding_has_a_reason(wire: bytes, coding: str, reason: str) -> None:
    with pytest.raises(InflateError) as caught:
        inflate(wire, coding, piece=8 if coding == "deflate" else 4096)
    assert caught.value.reason == reason


def test_decoded_bytes_are_counted_not_wire_bytes() -> None:
    with pytest.raises(InflateError, match="too_many_bytes"):
        gunzip(gzip.compress(b"x" * 1_001), InflateLimits(decoded_bytes_max=1_000))
    assert gunzip(gzip.compress(b"x" * 1_000), InflateLimits(decoded_bytes_max=1_000)) == b"x" * 1_000
