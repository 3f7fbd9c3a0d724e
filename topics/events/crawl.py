"""What the frontier, the budget controller, the fetch pools and discovery tell each other."""

from dataclasses import dataclass

from topics.errors import Invalid
from topics.events.base import Event
from topics.events.policy import Header, Market, Selector
from topics.fence import Fence

TARGET_KINDS = ("page", "sitemap", "robots", "proof")
OUTCOMES = (
    "page",  # 200 with a body
    "not_modified",  # 304
    "redirected",  # 3xx; the hop is authorized anew
    "missing",  # 404
    "gone",  # 410
    "blocked",  # 401, 403
    "throttled",  # 429, or 503 with Retry-After
    "failed",  # other 4xx and 5xx, network, timeout, limits
    "refused",  # our own policy; nothing was sent
    "block_page",  # 200 that is not the page
)


def _require(field: str, value: str, words: tuple[str, ...]) -> None:
    if value not in words:
        raise Invalid(field, value, f"use one of {', '.join(words)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerStarted(Event):
    """A new owner of an inbox partition; its offset is the term of everything that it claims."""

    incarnation: str
    partition: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick(Event):
    """Time passes in a partition's log; claims are made on the ticks of the current owner only."""

    incarnation: str
    partition: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundLink:
    """A link as discovery classified it.

    Attributes:
        url: original spelling, resolved; what is fetched.
        identity_url: normalized identity (SPEC C3).
        target_id: 32 hex of the identity's SHA-256.
        kind: `page` or `sitemap`.
        hint: `product`, `listing` or `other`; steers priority only.
        lastmod_ms: scheduling hint of a sitemap, if it gave one.
    """

    url: str
    identity_url: str
    target_id: str
    kind: str
    hint: str
    lastmod_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LinksFound(Event):
    """Links of one accepted observation; none is sent when the link set is unchanged.

    Attributes:
        product: the page that they stand on sells something, so its own URL pattern is no trap.
    """

    merchant: str
    target_id: str
    fence: Fence
    depth: int
    links: tuple[FoundLink, ...]
    product: bool = False

    def __post_init__(self) -> None:
        if len(self.links) > 500:
            raise Invalid("links", len(self.links), "send at most 500 links an event")


@dataclass(frozen=True, slots=True, kw_only=True)
class Permit:
    """The right to send one request: spent at most once, inside its time.

    Attributes:
        permit_id: unique per grant and slot.
        budget_key: whose budget it spends.
        term: term of the frontier owner it was granted to; useless under another.
        not_before_ms: earliest send time (pacing).
        expires_at_ms: latest send time.
    """

    permit_id: str
    budget_key: str
    term: int
    not_before_ms: int
    expires_at_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PermitsRequested(Event):
    """The frontier wants to send `wanted` requests for a merchant; replaces its earlier wish.

    Attributes:
        term: the frontier owner's term.
        interval_ms: least time between requests by policy and robots Crawl-delay; the strictest requester wins.
        concurrency_max: most requests in flight by policy; the strictest requester wins.
    """

    budget_key: str
    merchant: str
    term: int
    wanted: int
    interval_ms: int
    concurrency_max: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PermitsGranted(Event):
    """A grant; first in the budget inbox itself (accounting), then in the frontier inbox (DESIGN §6)."""

    budget_key: str
    merchant: str
    term: int
    permits: tuple[Permit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PermitReturned(Event):
    """A permit is no longer in flight.

    Attributes:
        outcome: what became of it: an outcome word, or `unused` when the frontier never spent it.
        retry_after_ms: how long the site asked to be left alone, if it did.
        elapsed_ms: duration of the request, None when none was sent.
    """

    budget_key: str
    merchant: str
    permit_id: str
    outcome: str
    retry_after_ms: int | None = None
    elapsed_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyRef:
    """A body in object storage; bodies never travel in messages.

    Attributes:
        sha256: hex digest of the decoded body.
        location: key in the blob store.
        manifest: key of the immutable manifest; a body without manifest completes nothing.
        length: decoded bytes.
        content_type: as the server said, or None.
    """

    sha256: str
    location: str
    manifest: str
    length: int
    content_type: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchTask(Event):
    """A claim: one request for one worker, run at most once.

    Attributes:
        observation_id: 32 hex derived from (merchant, target, fence); readers deduplicate by it.
        lease_until_ms: after this the frontier may claim again.
        claimed_at_ms: lower clamp of the evidence time.
        etag: validator of the representation we still hold, or None.
        last_modified: likewise.
    """

    merchant: str
    target_id: str
    kind: str
    url: str
    fence: Fence
    observation_id: str
    permit: Permit
    claimed_at_ms: int
    lease_until_ms: int
    allowed_origins: tuple[str, ...]
    headers: tuple[Header, ...] = ()
    etag: str | None = None
    last_modified: str | None = None

    def __post_init__(self) -> None:
        _require("kind", self.kind, TARGET_KINDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchOutcome(Event):
    """What came of a task; the frontier accepts it by its fence or drops it.

    Attributes:
        outcome: one of `OUTCOMES`.
        reason: short word for operators, for example `permit_expired`, `too_many_bytes`, `dns`.
        status: HTTP status, None when no answer came.
        fetched_at_ms: worker's clock at the end of the body; the frontier clamps it to (claim, append).
        redirect_to: absolute URL of the Location header.
        extract: our group's lines of robots.txt (≤ 32 KiB) or the first 1 KiB of a proof.
    """

    merchant: str
    target_id: str
    kind: str
    url: str
    fence: Fence
    observation_id: str
    permit_id: str
    outcome: str
    reason: str
    status: int | None = None
    fetched_at_ms: int
    body: BodyRef | None = None
    etag: str | None = None
    last_modified: str | None = None
    retry_after_ms: int | None = None
    redirect_to: str | None = None
    extract: str | None = None

    def __post_init__(self) -> None:
        _require("outcome", self.outcome, OUTCOMES)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageObserved(Event):
    """An accepted outcome of a page or sitemap target: the observation (written by the frontier only).

    Attributes:
        evidence_at_ms: when the representation was seen, clamped between claim and append time.
        body: the body seen; for `not_modified` the retained one that the 304 confirmed.
        markets: market contexts of the source when it was accepted; the first is the default.
        variant_params: of the policy, for identities.
        selectors: merchant selectors of the policy when it was accepted; part of what the body is read with (SPEC F7).
        bounds_rev: changes when the source's bounds on URLs became wider: links that were refused before are worth saying again.
    """

    merchant: str
    target_id: str
    kind: str
    url: str
    identity_url: str
    depth: int
    fence: Fence
    observation_id: str
    evidence_at_ms: int
    outcome: str
    reason: str
    status: int | None = None
    body: BodyRef | None = None
    redirect_to: str | None = None
    allowed_origins: tuple[str, ...]
    markets: tuple[Market, ...]
    variant_params: tuple[str, ...]
    tracking_params: tuple[str, ...] = ()
    sort_query: bool = False
    selectors: tuple[Selector, ...] = ()
    bounds_rev: int = 0

    def __post_init__(self) -> None:
        _require("outcome", self.outcome, OUTCOMES)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofObserved(Event):
    """Accepted outcome of a proof-of-control target, read by control only."""

    merchant: str
    source_epoch: int
    outcome: str
    status: int | None
    extract: str | None
    evidence_at_ms: int
