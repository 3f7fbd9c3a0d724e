"""Bounded decompression: decoded bytes are counted, not wire bytes (1 MB of gzip holds 1 GiB; SPEC E2, F8).

A neutral module: the fetch worker uses it for `Content-Encoding`, discovery for `.xml.gz` sitemaps.
"""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from topics.errors import Reject

GZIP_MAGIC = b"\x1f\x8b"
PIECE_BYTES = 64 * 1024
RATIO_FLOOR_BYTES = 1024 * 1024  # small bodies may be as compressible as they like


class InflateError(Reject):
    """A compressed body is refused.

    Attributes:
        reason: `too_many_bytes`, `ratio`, `too_many_members`, `bad_coding` or `truncated`.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class InflateLimits:
    """Limits of one body.

    Attributes:
        decoded_bytes_max: most bytes after decoding.
        ratio_max: most decoded bytes per wire byte, once 1 MiB is decoded.
        members_max: most gzip members; thousands of tiny ones cost quadratic work elsewhere (aiohttp PR 13098).
    """

    decoded_bytes_max: int
    ratio_max: int = 200
    members_max: int = 16

    def __post_init__(self) -> None:
        assert self.decoded_bytes_max > 0
        assert self.ratio_max > 0
        assert self.members_max > 0


class Inflater:
    """Decodes one gzip, zlib or raw deflate body piece by piece; raises InflateError at the first broken limit."""

    def __init__(self, coding: str, limits: InflateLimits) -> None:
        assert coding in ("gzip", "deflate")
        self._coding = coding
        self._limits = limits
        self._decoder = self._new(zlib.MAX_WBITS | 16 if coding == "gzip" else zlib.MAX_WBITS)
        self._members = 1
        self._fresh = True
        self.wire_bytes = 0
        self.decoded_bytes = 0

    @staticmethod
    def _new(wbits: int) -> "zlib._Decompress":
        return zlib.decompressobj(wbits)

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """Yields decoded pieces of at most 64 KiB."""
        self.wire_bytes += len(piece)
        while piece:
            if self._decoder.eof:
                piece = self._next_member(piece)
                continue
            decoded = self._decode(piece)
            piece = self._decoder.unconsumed_tail or self._decoder.unused_data
            if decoded:
                self._count(len(decoded))
                yield decoded

    def finish(self) -> None:
        """Raises InflateError when the body ended before its coding did."""
        if not self._decoder.eof:
            raise InflateError("truncated")

    def _decode(self, piece: bytes) -> bytes:
        try:
            decoded = self._decoder.decompress(piece, PIECE_BYTES)
        except zlib.error:
            if self._coding != "deflate" or not self._fresh:
                raise InflateError("bad_coding") from None
            # RFC 9110 8.4.1.2: "deflate" is zlib, but some servers send the raw stream.
            self._decoder = self._new(-zlib.MAX_WBITS)
            self._fresh = False
            return self._decode(piece)
        self._fresh = False
        return decoded

    def _next_member(self, rest: bytes) -> bytes:
        """Starts the next gzip member; zero padding after the last one is legal (gzip(1)), anything else is not."""
        rest = rest.lstrip(b"\0")
        if not rest:
            return rest
        if self._coding != "gzip" or not GZIP_MAGIC.startswith(rest[:2]):
            raise InflateError("bad_coding")
        self._members += 1
        if self._members > self._limits.members_max:
            raise InflateError("too_many_members")
        self._decoder = self._new(zlib.MAX_WBITS | 16)
        return rest

    def _count(self, decoded: int) -> None:
        self.decoded_bytes += decoded
        if self.decoded_bytes > self._limits.decoded_bytes_max:
            raise InflateError("too_many_bytes")
        if self.decoded_bytes > max(RATIO_FLOOR_BYTES, self.wire_bytes * self._limits.ratio_max):
            raise InflateError("ratio")


def gunzip(body: bytes, limits: InflateLimits) -> bytes:
    """Returns the decoded bytes of a whole gzip body; raises InflateError."""
    inflater = Inflater("gzip", limits)
    decoded = b"".join(inflater.feed(body))
    inflater.finish()
    return decoded
