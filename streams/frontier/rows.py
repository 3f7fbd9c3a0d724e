"""What the frontier remembers: a durable row per target and per source, and private indexes that are rebuilt from them.

Row keys: targets `merchant|target_id`, sources `merchant`, patterns `merchant|digest`. The partition's own row stands among the sources under
`OWNER_KEY`, which no merchant id can equal.
"""

from dataclasses import dataclass

from topics.events.crawl import BodyRef, Permit
from topics.events.policy import MerchantPolicy
from topics.fence import Fence

TARGETS = "targets"
SOURCES = "sources"
PATTERNS = "patterns"
DUE = "due"
READY = "ready"
SITES = "sites"
OWNER_KEY = b"|owner"

LEASE_MS = 120_000
CLAIMS_MAX = 64
"""Most claims that one event makes for one merchant, and most permits that a merchant wishes for at once."""
REPORTS_MAX = 64
HOPS_MAX = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsRules:
    """What the robots.txt of an origin allows, kept in the row of that robots target.

    Attributes:
        mode: `rules` (ask the text), `allow_all` or `pause`.
        text: the extract, a robots.txt of at most 32 KiB.
        crawl_delay_ms: least time between two requests that it asks for.
        until_ms: the rules are unknown at and after this time; a pause ends then.
        reason: short word for operators.
    """

    mode: str
    text: str = ""
    crawl_delay_ms: int = 0
    until_ms: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetRow:
    """One observation target: the authoritative row (SPEC D1).

    Attributes:
        applied: inbox offset it last took.
        admitted: inbox offset that admitted it.
        kind: `page`, `sitemap`, `robots` or `proof`.
        url: what is fetched; original spelling.
        identity_url: normalized identity, compared in full when the hash is met again.
        hint: `seed`, `product`, `listing` or `other`; steers priority only.
        depth: links from the seed.
        hops: redirects that led here.
        root_id: the robots or proof target whose answer this hop gives, None for an answer of its own.
        next_fetch_at_ms: due then, when no lease is held.
        fence: of the last claim; an outcome is accepted by it alone.
        claimed_at_ms: broker time of that claim.
        lease_until_ms: after this it may be claimed again; 0 when no claim is open.
        attempts: failures in a row.
        misses: 404s and 410s in a row.
        state: `open`, `disallowed` (robots) or `off_origin` (policy); the latter two are not claimed.
        evidence_at_ms: of the last page or not_modified.
        body: the representation that `etag` and `last_modified` validate.
        redirect_id: target that the last redirect led to.
        rules: of a robots target.
    """

    applied: int
    admitted: int
    kind: str
    url: str
    identity_url: str
    hint: str = "other"
    depth: int = 0
    hops: int = 0
    root_id: str | None = None
    enqueued_at_ms: int
    next_fetch_at_ms: int
    fence: Fence | None = None
    claimed_at_ms: int = 0
    lease_until_ms: int = 0
    attempts: int = 0
    misses: int = 0
    state: str = "open"
    outcome: str | None = None
    status: int | None = None
    evidence_at_ms: int = 0
    etag: str | None = None
    last_modified: str | None = None
    body: BodyRef | None = None
    redirect_id: str | None = None
    rules: RobotsRules | None = None

    @property
    def leased(self) -> bool:
        """True while a claim is open, lapsed or not."""
        return self.lease_until_ms > 0

    @property
    def due_at_ms(self) -> int:
        """When the scheduler must look at it again: the end of its lease, else its next fetch."""
        return self.lease_until_ms or self.next_fetch_at_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A lease that was decided and is sent by a later event (see `claim`)."""

    target_id: str
    fence: Fence
    permit: Permit


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """Permits asked for and not yet granted, under one term."""

    term: int
    wanted: int
    asked_at_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A command that came before the policy of its source epoch."""

    command: str
    source_epoch: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """The owner of the partition: the last `OwnerStarted` handled in its log."""

    incarnation: str
    term: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRow:
    """One merchant's source, or, under `OWNER_KEY`, the partition itself.

    Attributes:
        applied: inbox offset it last took.
        owner: of the partition; set in the row under `OWNER_KEY` only.
        policy: the largest `policy_rev` seen, None before the first.
        waiting: commands that came before their policy.
        urls: page and sitemap targets admitted.
        permits: granted under the current term and bound to no claim: none of them was ever sent.
        sending: claims that the next event of this source sends.
        grant_seen: largest permit id taken; a repeated grant brings nothing.
        wish: what was asked of the budget controller.
        claims: claims so far; every fourth serves discovery first.
        quiet_until_ms: the site asked to be left alone until then.
        sweep: next of 256 slices that a refresh makes due, None when none runs.
        reported: what was already said to quarantine, bounded.
        links_dropped: links refused by a bound or an origin.
        bounds_rev: inbox offset that last made a bound on URLs wider, 0 for none.
        outcomes_late: outcomes that no open claim had asked for.
    """

    applied: int
    owner: Owner | None = None
    policy: MerchantPolicy | None = None
    waiting: tuple[Waiting, ...] = ()
    urls: int = 0
    permits: tuple[Permit, ...] = ()
    sending: tuple[Claim, ...] = ()
    grant_seen: str = ""
    wish: Wish | None = None
    claims: int = 0
    quiet_until_ms: int = 0
    sweep: int | None = None
    reported: tuple[str, ...] = ()
    links_dropped: int = 0
    bounds_rev: int = 0
    outcomes_late: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternRow:
    """The URLs of one pattern of one source that were met by following links (see `growth`).

    Attributes:
        applied: inbox offset it last took.
        admitted: how many were admitted.
        before: how many before that offset, so that an event that is handled again counts once.
        full: some were refused.
        product: a product came from it; it has no bound and is not counted any further.
    """

    applied: int
    admitted: int = 0
    before: int = 0
    full: bool = False
    product: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexRow:
    """An entry of a private index; its key says everything."""

    applied: int
