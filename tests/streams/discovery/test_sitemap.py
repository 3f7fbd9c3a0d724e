"""Sitemaps of every declared kind give links; hostile and broken ones give a reason (SPEC C1, C2, F8)."""

import gzip

import pytest

from streams.discovery.links import LinkSet, Scope
from streams.discovery.sitemap import moment_ms, sitemap_links

SITE = "https://shop.example"
SCOPE = Scope(allowed_origins=frozenset((SITE,)))
NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
URLSET = f"""<?xml version="1.0" encoding="UTF-8"?>
<urlset {NS} xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
 <url><loc> {SITE}/products/a </loc><lastmod>2026-01-02</lastmod><image:image><image:loc>{SITE}/a.jpg</image:loc></image:image></url>
 <url><loc>{SITE}/about?a=1&amp;b=2</loc></url>
 <url><lastmod>2026-01-02</lastmod></url>
</urlset>""".encode()


def check(body: bytes, url: str = SITE + "/sitemap.xml", scope: Scope = SCOPE, depth: int = 0) -> LinkSet:
    return sitemap_links(body, url, scope, depth=depth)


def test_a_urlset_gives_pages_with_their_hint_and_date() -> None:
    result = check(URLSET)
    assert [(link.url, link.kind, link.hint, link.lastmod_ms) for link in result.links] == [
        (SITE + "/products/a", "page", "product", 1_767_312_000_000),
        (SITE + "/about?a=1&b=2", "page", "other", None),
    ]
    assert result.dropped == ()


def test_a_gzipped_file_is_the_same_sitemap() -> None:
    assert check(gzip.compress(URLSET)).links == check(URLSET).links


def test_utf16_is_read() -> None:
    assert check(URLSET.decode().replace("UTF-8", "UTF-16").encode("utf-16")).links == check(URLSET).links


def test_an_index_gives_sitemaps_but_never_itself() -> None:
    body = f"""<sitemapindex {NS}><sitemap><loc>{SITE}/s1.xml.gz</loc><lastmod>2026-01</lastmod></sitemap>
    <sitemap><loc>{SITE}/sitemap.xml#x</loc></sitemap></sitemapindex>""".encode()
    result = check(body)
    assert [(link.url, link.kind) for link in result.links] == [(SITE + "/s1.xml.gz", "sitemap")]
    assert result.dropped == ((SITE + "/sitemap.xml", "self_reference"),)
    assert check(body, depth=3).dropped[0] == (SITE + "/s1.xml.gz", "sitemap_depth")


def test_the_name_of_a_product_sitemap_is_a_hint() -> None:
    assert [link.hint for link in check(URLSET, SITE + "/sitemap_products_1.xml").links] == ["product", "product"]


def test_plain_text_rss_and_atom_are_sitemaps_too() -> None:
    text = check(f"\ufeff{SITE}/products/a\r\n\r\n{SITE}/products/b\n".encode())
    rss = check(
        f"""<rss version="2.0"><channel><link>{SITE}</link><item><link>{SITE}/products/a</link>
        <pubDate>Fri, 02 Jan 2026 00:00:00 GMT</pubDate></item></channel></rss>""".encode()
    )
    atom = check(
        f"""<feed xmlns="http://www.w3.org/2005/Atom"><link href="{SITE}"/><entry><link rel="self" href="{SITE}/x"/>
        <link href="{SITE}/products/a"/><updated>2026-01-02T01:00:00+01:00</updated></entry></feed>""".encode()
    )
    assert [link.url for link in text.links] == [SITE + "/products/a", SITE + "/products/b"]
    assert [(link.url, link.lastmod_ms) for link in rss.links] == [(SITE + "/products/a", 1_767_312_000_000)]
    assert [(link.url, link.lastmod_ms) for link in atom.links] == [(SITE + "/products/a", 1_767_312_000_000)]


@pytest.mark.parametrize(
    ("loc", "reason"),
    [
        ("https://elsewhere.example/a", "origin"),
        ("ftp://shop.example/a", "not_followed"),
        (SITE + "/a.jpg", "not_a_page"),
    ],
)
def test_entries_outside_the_scope_are_reported(loc: str, reason: str) -> None:
    assert check(f"<urlset {NS}><url><loc>{loc}</loc></url></urlset>".encode()).dropped == ((loc, reason),)


LAUGHS = b"".join(b'<!ENTITY l%d "%s">' % (n, b"&l%d;" % (n - 1) * 10 if n else b"ha" * 10) for n in range(9))


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><urlset><url><loc>&e;</loc></url></urlset>',
            "doctype",
        ),
        (b"<!DOCTYPE x [" + LAUGHS + b"]><urlset><url><loc>&l8;</loc></url></urlset>", "doctype"),
        ("<!DOCTYPE x [<!ENTITY e 'x'>]><urlset><url><loc>&e;</loc></url></urlset>".encode("utf-16"), "doctype"),
        (
            b"<!--" + b"x" * 20_000 + b"--><!DOCTYPE x [<!ENTITY e 'x'>]><urlset><url><loc>&e;</loc></url></urlset>",
            "doctype",
        ),
        (gzip.compress(b"x" * (60 << 20)), "gzip_ratio"),
        (gzip.compress(URLSET)[:-20], "gzip_truncated"),
        (b"\x1f\x8bnot gzip at all", "gzip_bad_coding"),
        (b"x" * (51 << 20), "too_many_bytes"),
        (b"<html><body>Not a sitemap <br></body></html>", "broken_xml"),
        (b"<a>" * 300 + b"</a>" * 300, "broken_xml"),
    ],
)
def test_a_hostile_document_gives_a_reason_and_no_link(body: bytes, reason: str) -> None:
    result = check(body)
    assert result.links == ()
    assert result.dropped == ((SITE + "/sitemap.xml", reason),)


def test_what_was_read_before_a_break_is_kept() -> None:
    result = check(URLSET[: URLSET.index(b"<url><lastmod>")])
    assert len(result.links) == 2
    assert result.dropped == ((SITE + "/sitemap.xml", "broken_xml"),)


def test_entries_are_bounded_and_leave_in_chunks() -> None:
    scope = Scope(allowed_origins=frozenset((SITE,)), sitemap_links_max=1_200)
    body = "\n".join(f"{SITE}/products/{number}" for number in range(2_000)).encode()
    result = check(body, scope=scope)
    assert [len(chunk) for chunk in result.chunks()] == [500, 500, 200]
    assert result.dropped == ((SITE + "/sitemap.xml", "too_many_links"),)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026", 1_767_225_600_000),
        ("2026-01", 1_767_225_600_000),
        ("2026-01-01T00:00:00Z", 1_767_225_600_000),
        ("2026-01-01T01:00:00+01:00", 1_767_225_600_000),
        ("Thu, 01 Jan 2026 00:00:00 -0000", 1_767_225_600_000),
        ("", None),
        ("soon", None),
        ("2026-13-01", None),
        ("9999", 253_370_764_800_000),
    ],
)
def test_dates_are_hints_in_two_notations(text: str, moment: int | None) -> None:
    assert moment_ms(text) == moment
