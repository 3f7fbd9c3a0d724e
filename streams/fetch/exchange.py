"""One request and what came back: the values on both sides of the network seam."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from streams.fetch.limits import FetchLimits


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One GET.

    Attributes:
        url: as claimed; judged again by the fetcher.
        origins: allowed origins of the source.
        headers: complete request headers but Host.
        limits: of this request.
    """

    url: str
    origins: frozenset[str]
    headers: Mapping[str, str] = field(default_factory=dict)
    limits: FetchLimits = field(default_factory=FetchLimits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back for one request, or why nothing did.

    Attributes:
        status: HTTP status, None when no answer came.
        headers: lower-case names, the first value of each.
        body: decoded bytes of a 200, else None.
        error: reason when the request failed or a limit broke; an answer with an error is never a page.
        refused: `error` is our own policy's; nothing was sent.
        elapsed_ms: duration of the request, None when none was sent.
    """

    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    error: str | None = None
    refused: bool = False
    elapsed_ms: int | None = None
