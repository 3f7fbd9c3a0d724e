"""From a body to what it says: links and offers over one tree. Pure; runs in a killable child process."""

import hashlib
from dataclasses import dataclass

from streams.discovery.links import LinkSet, Scope
from streams.discovery.page import page_links
from streams.discovery.sitemap import sitemap_links
from streams.extraction.page import PARSER_REVISION, PageContext, PageReading, read_page
from streams.page_tree import PageTree
from topics.events.crawl import PageObserved
from topics.events.policy import DEPTH_MAX
from topics.urls import UrlPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRead:
    """An observation together with what its body says.

    Attributes:
        observed: the observation.
        links: None when there was no body to read.
        reading: None for a sitemap or without body.
        failure: why the body could not be read (`timeout`, `crashed`, `body_corrupt`, `parser_error`), else None. It is never absence (SPEC F9).
    """

    observed: PageObserved
    links: LinkSet | None = None
    reading: PageReading | None = None
    failure: str | None = None


def scope_of(observed: PageObserved) -> Scope:
    """Returns where discovery may go, as the policy stood when the outcome was accepted.

    How deep is the frontier's to say, which has the policy and refuses visibly; here is only what no policy may exceed.
    """
    return Scope(allowed_origins=frozenset(observed.allowed_origins), policy=url_policy(observed), depth_max=DEPTH_MAX)


def url_policy(observed: PageObserved) -> UrlPolicy:
    """Returns how URLs of this source get their identity."""
    return UrlPolicy(
        variant_params=observed.variant_params,
        tracking_params=observed.tracking_params,
        sort_query=observed.sort_query,
    )


def parser_rev(observed: PageObserved) -> str:
    """Returns what reads this observation: the parser's revision, and a mark of the merchant selectors that it reads with.

    Equal bytes that are decided otherwise after a change of selectors thereby show why, even where a selector finds nothing.
    """
    if not observed.selectors:
        return PARSER_REVISION
    text = "\x1e".join(f"{one.field}\x1f{one.css}" for one in observed.selectors)
    return f"{PARSER_REVISION}+selectors.{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def read(observed: PageObserved, body: bytes) -> PageRead:
    """Reads a body; never raises on any bytes."""
    scope = scope_of(observed)
    if observed.kind == "sitemap":
        return PageRead(observed=observed, links=sitemap_links(body, observed.url, scope, depth=observed.depth))
    content_type = observed.body.content_type if observed.body is not None else None
    tree = PageTree.parse(body, content_type=content_type, url=observed.url)
    market = observed.markets[0]
    context = PageContext(
        url=observed.url,
        market=market.country,
        currency=market.currency,
        content_type=content_type,
        selectors={one.field: one.css for one in observed.selectors},
        evidence_at_ms=observed.evidence_at_ms,
    )
    return PageRead(
        observed=observed,
        links=page_links(tree.links(), tree.base_url, scope, depth=observed.depth),
        reading=read_page(tree, context),
    )
