"""The immutable manifest of one answer, and where bodies and manifests lie (SPEC E5). Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from topics.events.crawl import FetchTask
from topics.fence import Fence

_SHA256 = re.compile(r"[0-9a-f]{64}\Z")
HEADER_CHARS_MAX = 2_048
KEPT_HEADERS = (
    *("age", "cache-control", "content-encoding", "content-language", "content-length", "content-type", "date"),
    *("etag", "expires", "last-modified", "link", "location", "retry-after", "vary", "x-robots-tag"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Why and by whom an answer was asked for.

    Attributes:
        merchant: merchant id.
        target_id: observation target.
        kind: target kind.
        fence: of the claim.
        observation_id: 32 hex; readers deduplicate by it.
        permit_id: the permit that was spent.
        user_agent: as sent.
        conditional: validators were sent.
    """

    merchant: str
    target_id: str
    kind: str
    fence: Fence
    observation_id: str
    permit_id: str
    user_agent: str
    conditional: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What was answered, once and for all; a body without manifest completes nothing.

    Attributes:
        url: as requested.
        fetched_at_ms: worker's clock at the end of the body.
        status: HTTP status.
        sha256: hex digest of the decoded body.
        body: location of the body.
        length: decoded bytes.
        headers: of `KEPT_HEADERS`, lower-case names, at most 2,048 characters each.
        etag: validator, or None.
        last_modified: validator, or None.
        provenance: why and by whom.
    """

    url: str
    fetched_at_ms: int
    status: int
    sha256: str
    body: str
    length: int
    headers: dict[str, str]
    etag: str | None
    last_modified: str | None
    provenance: Provenance

    def to_json(self) -> bytes:
        """Returns the manifest as JSON; equal manifests give equal bytes."""
        return msgspec.json.encode(self)

    @classmethod
    def from_json(cls, raw: bytes) -> "Manifest":
        """Returns the manifest; raises msgspec.ValidationError when the bytes are none."""
        return msgspec.json.decode(raw, type=cls)


def kept_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Returns the headers that a manifest keeps, in a fixed order, cut to 2,048 characters.

    aiohttp hands over bytes that are not UTF-8 as lone surrogates, which no encoder takes; they become `?`.
    """
    return {name: clean(headers[name]) for name in KEPT_HEADERS if name in headers}


def clean(text: str) -> str:
    """Returns a header value that can be written, cut to 2,048 characters."""
    return text[:HEADER_CHARS_MAX].encode("utf-8", "replace").decode()


def body_location(sha256: str) -> str:
    """Returns the key of a body: content-addressed, so equal bytes are stored once."""
    assert _SHA256.match(sha256), "a body is named by 64 hex digits"
    return f"bodies/{sha256[:2]}/{sha256[2:4]}/{sha256}.zst"


def manifest_location(task: FetchTask) -> str:
    """Returns the key of a manifest: one per claim, because a task runs at most once."""
    return f"manifests/{task.merchant}/{task.target_id[:2]}/{task.target_id}/{task.observation_id}.json"
