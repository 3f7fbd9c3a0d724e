"""What discovery finds: links with an identity, and everything it left out with the reason (SPEC C1, C5)."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from topics.urls import Url, UrlPolicy, target_id

EVENT_LINKS_MAX = 500  # DESIGN §3: one `LinksFound` carries at most so many
EVENT_URL_CHARS_MAX = 400_000
"""Characters of all URLs of one `LinksFound`: 500 long ones (2,048 each, twice) would not fit a message of 1 MB."""

DROPPED_MAX = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Where discovery may go for one source, and how far.

    Attributes:
        allowed_origins: canonical origins, `https://shop.example`.
        policy: how identities are made.
        depth_max: most links followed from the seed.
        page_links_max: most links taken from one page.
        sitemap_links_max: most entries taken from one sitemap (sitemaps.org allows 50,000).
        sitemap_depth_max: most nested sitemap indexes.
        pages_max: largest page number followed in a listing.
        facets_max: most filter parameters combined in one listing URL.
    """

    allowed_origins: frozenset[str]
    policy: UrlPolicy = field(default_factory=UrlPolicy)
    depth_max: int = 16
    page_links_max: int = EVENT_LINKS_MAX
    sitemap_links_max: int = 50_000
    sitemap_depth_max: int = 3
    pages_max: int = 500
    facets_max: int = 1

    def __post_init__(self) -> None:
        assert all(value > 0 for value in (self.depth_max, self.page_links_max, self.sitemap_links_max))
        assert all(value > 0 for value in (self.sitemap_depth_max, self.pages_max))


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscoveredLink:
    """One link to an observation target.

    Attributes:
        url: original spelling, resolved; what is fetched.
        identity_url: normalized identity (SPEC C3).
        target_id: 32 hex of the identity's SHA-256.
        kind: `page` or `sitemap`.
        hint: `product`, `listing` or `other`; steers priority only.
        lastmod_ms: a sitemap's scheduling hint in ms since the epoch, never a validator (SPEC C2).
        depth: links from the seed.
    """

    url: str
    identity_url: str
    target_id: str
    kind: str
    hint: str
    lastmod_ms: int | None = None
    depth: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkSet:
    """The links of one page or sitemap.

    Attributes:
        links: one per target, in document order.
        dropped: (url, reason) of what was left out, the first 500.
        dropped_total: how many were left out.
        digest: 64 hex that are equal for equal links; an unchanged set sends no event (DESIGN §3).
    """

    links: tuple[DiscoveredLink, ...]
    dropped: tuple[tuple[str, str], ...] = ()
    dropped_total: int = 0

    @property
    def digest(self) -> str:
        """SHA-256 over the links, in no particular order."""
        lines = sorted(f"{link.target_id} {link.kind} {link.hint} {link.lastmod_ms}" for link in self.links)
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()

    def chunks(self) -> Iterator[tuple[DiscoveredLink, ...]]:
        """Yields the links in pieces that fit one event."""
        piece: list[DiscoveredLink] = []
        chars = 0
        for link in self.links:
            own = len(link.url) + len(link.identity_url)
            if piece and (len(piece) == EVENT_LINKS_MAX or chars + own > EVENT_URL_CHARS_MAX):
                yield tuple(piece)
                piece, chars = [], 0
            piece.append(link)
            chars += own
        if piece:
            yield tuple(piece)


@dataclass(slots=True)
class Collector:
    """Collects the links of one page: one per target, inside the scope, bounded; nothing disappears without a reason."""

    scope: Scope
    depth: int
    links_max: int
    found: dict[str, DiscoveredLink] = field(default_factory=dict)
    dropped: dict[tuple[str, str], None] = field(default_factory=dict)
    dropped_total: int = 0

    def drop(self, url: str, reason: str) -> None:
        self.dropped_total += 1
        if len(self.dropped) < DROPPED_MAX:
            self.dropped[url[:500], reason] = None

    def add(self, url: Url, identity: str, kind: str, hint: str, lastmod_ms: int | None = None) -> None:
        """Takes a link with its identity URL, or drops it with reason `origin`, `depth` or `too_many_links`."""
        if url.origin not in self.scope.allowed_origins:
            return self.drop(url.href, "origin")
        if self.depth > self.scope.depth_max:
            return self.drop(url.href, "depth")
        target = target_id(identity)
        if target in self.found:
            return None
        if len(self.found) >= self.links_max:
            return self.drop(url.href, "too_many_links")
        self.found[target] = DiscoveredLink(
            url=url.href,
            identity_url=identity,
            target_id=target,
            kind=kind,
            hint=hint,
            lastmod_ms=lastmod_ms,
            depth=self.depth,
        )
        return None

    def link_set(self) -> LinkSet:
        """Returns what was collected."""
        return LinkSet(links=tuple(self.found.values()), dropped=tuple(self.dropped), dropped_total=self.dropped_total)
