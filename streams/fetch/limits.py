"""Limits of one request and the decoder that holds a body to them (SPEC E2)."""

from collections.abc import Iterator
from dataclasses import dataclass

from streams.inflate import InflateError, InflateLimits, Inflater
from streams.robots import BODY_BYTES_MAX
from topics.errors import Reject

MIB = 1024 * 1024
PROOF_BYTES_MAX = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchLimits:
    """Limits of one request.

    Attributes:
        wire_bytes_max: most body bytes as sent.
        decoded_bytes_max: most body bytes after decoding.
        ratio_max: most decoded bytes per wire byte.
        members_max: most gzip members.
        cut: a longer body is cut at `decoded_bytes_max` instead of failing (robots.txt by RFC 9309 2.5, proofs).
        header_bytes_max: longest status line and longest header field.
        headers_max: most header fields.
        dns_ms: for resolving the name.
        connect_ms: for TCP and TLS.
        idle_ms: between two pieces of the answer.
        total_ms: for the whole request; the budget controller counts on it after a permit's expiry.
    """

    wire_bytes_max: int = 10 * MIB
    decoded_bytes_max: int = 20 * MIB
    ratio_max: int = 200
    members_max: int = 16
    cut: bool = False
    header_bytes_max: int = 8 * 1024
    headers_max: int = 128
    dns_ms: int = 5_000
    connect_ms: int = 10_000
    idle_ms: int = 10_000
    total_ms: int = 30_000

    def __post_init__(self) -> None:
        assert self.wire_bytes_max > 0
        assert self.decoded_bytes_max > 0
        assert 0 < min(self.dns_ms, self.connect_ms, self.idle_ms) <= self.total_ms


LIMITS_BY_KIND = {
    "page": FetchLimits(),
    "sitemap": FetchLimits(wire_bytes_max=50 * MIB, decoded_bytes_max=50 * MIB),
    "robots": FetchLimits(decoded_bytes_max=BODY_BYTES_MAX, cut=True),
    "proof": FetchLimits(decoded_bytes_max=PROOF_BYTES_MAX, cut=True),
}


class BodyRefused(Reject):
    """A body broke a limit or has a coding we did not ask for.

    Attributes:
        reason: `too_many_bytes`, `ratio`, `too_many_members`, `bad_coding`, `truncated` or `unsupported_coding`.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


class BodyReader:
    """Collects a body within its limits: at most one coding, every decoded byte counted.

    Args:
        coding: the `Content-Encoding` header.
        limits: of the request.
    """

    def __init__(self, coding: str | None, limits: FetchLimits) -> None:
        self._limits = limits
        self._inflater = _inflater(coding, limits)
        self._body = bytearray()
        self._wire_bytes = 0
        self.full = False

    def feed(self, piece: bytes) -> None:
        """Takes the next wire bytes; raises BodyRefused. `full` says that nothing more is wanted."""
        self._wire_bytes += len(piece)
        if self._wire_bytes > self._limits.wire_bytes_max:
            raise BodyRefused("too_many_bytes")
        try:
            for decoded in self._decoded(piece):
                self._take(decoded)
                if self.full:
                    return
        except InflateError as error:
            raise BodyRefused(error.reason) from None

    def finish(self) -> bytes:
        """Returns the decoded body; raises BodyRefused when its coding did not end."""
        if self._inflater is not None and not self.full and self._wire_bytes:
            try:
                self._inflater.finish()
            except InflateError as error:
                raise BodyRefused(error.reason) from None
        return bytes(self._body)

    def _decoded(self, piece: bytes) -> Iterator[bytes]:
        return iter((piece,)) if self._inflater is None else self._inflater.feed(piece)

    def _take(self, decoded: bytes) -> None:
        room = self._limits.decoded_bytes_max - len(self._body)
        if len(decoded) > room:
            if not self._limits.cut:
                raise BodyRefused("too_many_bytes")
            self.full = True
        self._body += decoded[:room]


def _inflater(coding: str | None, limits: FetchLimits) -> Inflater | None:
    """An endless chain of codings was urllib3's CVE-2025-66418: one is enough."""
    name = (coding or "identity").strip().lower()
    if name in ("identity", ""):
        return None
    if name not in ("gzip", "x-gzip", "deflate"):
        raise BodyRefused("unsupported_coding")
    # What is cut may be long; the counter behind it only has to stop a bomb.
    decoded_bytes_max = limits.wire_bytes_max * limits.ratio_max if limits.cut else limits.decoded_bytes_max
    inflate = InflateLimits(
        decoded_bytes_max=decoded_bytes_max, ratio_max=limits.ratio_max, members_max=limits.members_max
    )
    return Inflater("deflate" if name == "deflate" else "gzip", inflate)
