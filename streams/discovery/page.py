"""The links of a page: resolved, classified, bounded (SPEC C1, C5). The tree itself is parsed once, elsewhere."""

from collections.abc import Iterable

from streams.discovery.links import Collector, LinkSet, Scope
from streams.discovery.shapes import PRODUCT, hint_of, is_action, is_asset
from streams.discovery.traps import endless_path, listing_trap
from topics.errors import Invalid
from topics.urls import identity_url, resolve_url

# Link relations that name no page (HTML 4.6.7, 4.6.8).
_NO_PAGE = frozenset(
    (
        *("stylesheet", "icon", "apple-touch-icon", "mask-icon", "manifest", "preload", "modulepreload", "prefetch"),
        *("preconnect", "dns-prefetch", "pingback", "search", "edituri", "wlwmanifest", "license", "webmention"),
    )
)


def page_links(links: Iterable[tuple[str, str, str]], base_url: str, scope: Scope, *, depth: int) -> LinkSet:
    """Returns the links of a page.

    How many URLs of one pattern a source may have is the frontier's to bound: it knows those of all pages.

    Args:
        links: (href, rel, anchor text) in document order, as `PageTree.links()` gives them.
        base_url: URL of the page, or its `<base href>`.
        scope: where discovery may go.
        depth: depth of the page; its links are one deeper.
    """
    collector = Collector(scope=scope, depth=depth + 1, links_max=scope.page_links_max)
    try:
        base_identity = identity_url(base_url, scope.policy)
    except Invalid:
        return LinkSet(links=(), dropped=((base_url[:500], "invalid_base"),), dropped_total=1)
    for href, rel, _anchor in links:
        url = resolve_url(base_url, href)
        if url is None:
            collector.drop(href, "not_followed")
            continue
        identity = identity_url(url, scope.policy)
        hint = hint_of(identity, rel)
        reason = _refusal(identity, base_identity, rel, hint, scope)
        if reason is not None:
            collector.drop(url.href, reason)
            continue
        collector.add(url, identity, "page", hint)
    return collector.link_set()


def _refusal(identity: str, base_identity: str, rel: str, hint: str, scope: Scope) -> str | None:
    relations = rel.casefold().split()
    if is_asset(identity) or not _NO_PAGE.isdisjoint(relations):
        return "not_a_page"
    if is_action(identity):
        return "action"
    endless = endless_path(identity)
    if endless is not None or hint == PRODUCT:
        return endless
    if "nofollow" in relations:
        return "nofollow"
    return listing_trap(identity, base_identity, scope)
