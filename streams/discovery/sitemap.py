"""Sitemaps: index, urlset, plain text, RSS and Atom, gzipped or not, read as a stream and bounded (SPEC C1, C2, F8).

A DOCTYPE is refused and entities, DTDs and the network are off: `iterparse` resolved local entities by default before lxml 6.1
(CVE-2026-41066). A broken document gives what was read before the break, and says so.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from io import BytesIO

from lxml import etree

from streams.discovery.links import Collector, LinkSet, Scope
from streams.discovery.shapes import OTHER, PRODUCT, hint_of, is_asset
from streams.inflate import GZIP_MAGIC, InflateError, InflateLimits, gunzip
from topics.errors import Quarantine
from topics.urls import identity_url, resolve_url

# sitemaps.org: at most 50 MiB uncompressed. XML of near-equal lines compresses up to about 50:1.
INFLATE = InflateLimits(decoded_bytes_max=50 * 1024 * 1024, ratio_max=200, members_max=16)
_DOCTYPE = re.compile(rb"<!\s*doctype", re.IGNORECASE)
_DOCTYPE_WINDOW = 16 * 1024
_ITEMS = frozenset(("sitemap", "url", "item", "entry"))
_DATES = frozenset(("lastmod", "pubDate", "updated", "date"))
_MONTH = re.compile(r"(\d{4})(?:-(\d{2}))?\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of a sitemap: its location as written and what else it says.

    Attributes:
        loc: URL as written, trimmed.
        kind: `sitemap` for an entry of an index, else `page`.
        lastmod_ms: ms since the epoch, or None.
    """

    loc: str
    kind: str
    lastmod_ms: int | None


class SitemapError(Quarantine):
    """The document cannot be read further; its text is the reason."""


def sitemap_links(body: bytes, url: str, scope: Scope, *, depth: int) -> LinkSet:
    """Returns the links of a sitemap.

    Args:
        body: decoded HTTP body; a `.xml.gz` file is still gzip and is decoded here.
        url: of the sitemap; entries are resolved against it and it must not list itself.
        scope: where discovery may go.
        depth: depth of the sitemap; nested indexes are bounded by `scope.sitemap_depth_max`.
    """
    collector = Collector(scope=scope, depth=depth + 1, links_max=scope.sitemap_links_max)
    own = identity_url(url, scope.policy)
    products = "product" in url.casefold()
    try:
        for entry in entries(body):
            _collect(entry, url, own, collector, products=products)
            if len(collector.found) >= scope.sitemap_links_max:
                collector.drop(url, "too_many_links")
                break
    except SitemapError as error:
        collector.drop(url, str(error))
    return collector.link_set()


def _collect(entry: Entry, url: str, own: str, collector: Collector, *, products: bool) -> None:
    resolved = resolve_url(url, entry.loc)
    if resolved is None:
        return collector.drop(entry.loc, "not_followed")
    identity = identity_url(resolved, collector.scope.policy)
    if identity == own:
        return collector.drop(resolved.href, "self_reference")
    if entry.kind == "sitemap":
        if collector.depth > collector.scope.sitemap_depth_max:
            return collector.drop(resolved.href, "sitemap_depth")
        return collector.add(resolved, identity, "sitemap", OTHER, entry.lastmod_ms)
    if is_asset(identity):
        return collector.drop(resolved.href, "not_a_page")
    hint = hint_of(identity)
    return collector.add(resolved, identity, "page", PRODUCT if products and hint == OTHER else hint, entry.lastmod_ms)


def entries(body: bytes) -> Iterator[Entry]:
    """Yields the entries as they are read; raises SitemapError where the document breaks."""
    if body.startswith(GZIP_MAGIC):
        try:
            body = gunzip(body, INFLATE)
        except InflateError as error:
            raise SitemapError(f"gzip_{error.reason}") from None
    if len(body) > INFLATE.decoded_bytes_max:
        raise SitemapError("too_many_bytes")
    window = body[:_DOCTYPE_WINDOW].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")
    if not window.startswith(b"<"):
        yield from _text_entries(body)
    elif _DOCTYPE.search(window):
        raise SitemapError("doctype")
    else:
        yield from _xml_entries(body)


def _text_entries(body: bytes) -> Iterator[Entry]:
    for line in BytesIO(body):
        loc = line.decode("utf-8-sig", errors="replace").strip()
        if loc:
            yield Entry(loc=loc, kind="page", lastmod_ms=None)


def _xml_entries(body: bytes) -> Iterator[Entry]:
    parsed = etree.iterparse(
        BytesIO(body),
        events=("end",),
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        for _event, element in parsed:
            if _local(element) not in _ITEMS:
                continue
            if element.getroottree().docinfo.internalDTD is not None:
                raise SitemapError("doctype")
            yield from _entry(element)
            _forget(element)
    except etree.XMLSyntaxError:
        raise SitemapError("broken_xml") from None


def _entry(element: etree._Element) -> Iterator[Entry]:
    kind = "sitemap" if _local(element) == "sitemap" else "page"
    loc, lastmod_ms = "", None
    for child in element:
        name = _local(child)
        text = (child.text or "").strip()
        if name == "loc" or (name == "link" and text):
            loc = loc or text
        elif name == "link" and child.get("rel", "alternate") == "alternate":
            loc = loc or child.get("href", "").strip()
        elif name in _DATES:
            lastmod_ms = moment_ms(text)
    if loc:
        yield Entry(loc=loc, kind=kind, lastmod_ms=lastmod_ms)


def _local(element: etree._Element) -> str:
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def _forget(element: etree._Element) -> None:
    """Frees what was read, so that memory does not grow with the document."""
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


def moment_ms(text: str) -> int | None:
    """Returns ms since the epoch of a W3C datetime (sitemaps, Atom) or an RFC 5322 date (RSS), or None; no zone means UTC."""
    month = _MONTH.match(text)
    if month:
        text = f"{month[1]}-{month[2] or '01'}-01"
    try:
        moment = datetime.fromisoformat(text) if text[:4].isdecimal() else parsedate_to_datetime(text)
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return int(aware.timestamp() * 1_000)
    except (ValueError, OverflowError):
        return None
