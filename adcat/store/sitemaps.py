"""Sitemap documents (sitemaps.org protocol)."""

import gzip
from collections.abc import Iterable
from datetime import UTC, datetime

from adcat.store.shelf import Reply

_NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


def urlset(entries: Iterable[tuple[str, int]]) -> bytes:
    """A sitemap of (absolute URL, seconds since the epoch of its last change)."""
    lines = "".join(f"<url><loc>{url}</loc><lastmod>{_day(at_s)}</lastmod></url>\n" for url, at_s in entries)
    return f"{_HEAD}<urlset {_NAMESPACE}>\n{lines}</urlset>\n".encode()


def index(urls: Iterable[str]) -> bytes:
    """A sitemap of sitemaps."""
    lines = "".join(f"<sitemap><loc>{url}</loc></sitemap>\n" for url in urls)
    return f"{_HEAD}<sitemapindex {_NAMESPACE}>\n{lines}</sitemapindex>\n".encode()


def xml(body: bytes) -> Reply:
    """A sitemap as it is."""
    return Reply(body=body, content_type="application/xml; charset=utf-8")


def gzipped(body: bytes) -> Reply:
    """A `.xml.gz` file: gzip is its type, not a content coding. No time in its header, so equal bytes every run."""
    return Reply(body=gzip.compress(body, mtime=0), content_type="application/gzip")


def _day(at_s: int) -> str:
    return datetime.fromtimestamp(at_s, UTC).strftime("%Y-%m-%d")
