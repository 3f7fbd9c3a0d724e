"""robots.txt: RFC 9309 decides what matches, our policy decides what an answer means (SPEC E3)."""

import pytest

from streams.robots import EXTRACT_BYTES_MAX, SITEMAPS_MAX, RobotsExtract, allows, decide, read_rules

SITE = "https://shop.example"


def check(body: str, path: str, *, allowed: bool) -> None:
    extract = read_rules(body.encode())
    assert allows(extract, SITE + path) is allowed
    assert allows(extract.to_text(), SITE + path) is allowed
    assert RobotsExtract.from_text(extract.to_text()) == extract


@pytest.mark.parametrize(
    ("body", "path", "allowed"),
    [
        ("", "/a", True),
        ("<html>not robots</html>", "/a", True),
        ("User-agent: *\nDisallow: /", "/a", False),
        ("User-agent: *\nDisallow: /", "/robots.txt", True),
        ("User-agent: *\nDisallow:", "/a", True),
        ("USER-AGENT: ADCAT-Crawler\nDISALLOW: /A", "/A", False),
        ("user-agent: adcat-crawler\ndisallow: /A", "/a", True),
        # 2.2.1: the token is matched whole, ours wins over *, groups of one token are merged
        ("User-agent: adcat\nDisallow: /", "/a", True),
        ("User-agent: adcat-crawler-images\nDisallow: /", "/a", True),
        ("User-agent: adcat-crawler/1.0\nDisallow: /", "/a", False),
        ("User-agent: adcat-crawler bot\nDisallow: /", "/a", False),
        ("User-agent: *\nDisallow: /\nUser-agent: adcat-crawler\nDisallow:", "/a", True),
        ("User-agent: *\nDisallow: /\nUser-agent: adcat-crawler\nAllow: /", "/a", True),
        (
            "User-agent: adcat-crawler\nDisallow: /a\nUser-agent: x\nDisallow: /b\nUser-agent: adcat-crawler\nDisallow: /c",
            "/c",
            False,
        ),
        ("User-agent: adcat-crawler\nDisallow: /a\nUser-agent: x\nDisallow: /b", "/b", True),
        ("User-agent: x\nUser-agent: adcat-crawler\nDisallow: /a", "/a", False),
        ("Disallow: /", "/a", True),
        # 2.2.4: other records have no effect on groups
        ("User-agent: adcat-crawler\nNoindex: /x\nUser-agent: x\nDisallow: /a", "/a", False),
        ("User-agent: adcat-crawler\nCrawl-delay: 9\nUser-agent: x\nDisallow: /a", "/a", False),
        ("User-agent: adcat-crawler\n\nSitemap: https://shop.example/s.xml\n\nDisallow: /a", "/a", False),
        # 2.2.2: the longest match wins, allow wins a tie
        ("User-agent: *\nAllow: /p\nDisallow: /", "/page", True),
        ("User-agent: *\nAllow: /folder\nDisallow: /folder", "/folder/page", True),
        ("User-agent: *\nAllow: /page\nDisallow: /*.htm", "/page.htm", False),
        ("User-agent: *\nDisallow: /a%3cd", "/a%3Cd.html", False),
        ("User-agent: *\nDisallow: /ü", "/%C3%BC/x", False),
        ("User-agent: *\nDisallow: /foo/bar/%62%61%7A", "/foo/bar/baz", False),
        # 2.2.3: * and $
        ("User-agent: *\nDisallow: /*?sort=", "/list?a=1", True),
        ("User-agent: *\nDisallow: /*?sort=", "/list?sort=1", False),
        ("User-agent: *\nDisallow: /*.php$", "/a.php", False),
        ("User-agent: *\nDisallow: /*.php$", "/a.php?x", True),
        ("User-agent: *\nDisallow: /a # comment", "/a", False),
        # line ends, BOM, tolerated spellings
        ("\ufeffUser-agent: *\rDisallow: /a\r\nDisallow: /b", "/b", False),
        ("User-agent *\nDissallow\t/a", "/a", False),
        ("User-agent: *\nDisallow: /a\x0bAllow: /a", "/a", True),
    ],
)
def test_paths_match_as_the_rfc_says(body: str, path: str, allowed: bool) -> None:
    check(body, path, allowed=allowed)


def test_the_rules_of_another_token_can_be_read() -> None:
    extract = read_rules(b"User-agent: other\nDisallow: /x\nUser-agent: *\nDisallow: /", "Other")
    assert allows(extract, SITE + "/y")
    assert not allows(extract, SITE + "/x")


def test_an_extract_holds_our_delay_and_the_sitemaps() -> None:
    body = (
        "Sitemap: https://shop.example/a.xml\nSitemap: /relative.xml\nUser-agent: *\nCrawl-delay: 9\n"
        "User-agent: adcat-crawler\nCrawl-delay: 2.5\nCrawl-delay: 1\nCrawl-delay: soon\nDisallow: /x\n"
    )
    extract = read_rules(body.encode())
    assert extract == RobotsExtract(
        rules=("Disallow: /x",), sitemaps=("https://shop.example/a.xml",), crawl_delay_ms=2_500
    )


def test_many_sitemaps_are_bounded() -> None:
    lines = "\n".join(f"Sitemap: https://shop.example/{'s' * 1_000}/{number}.xml" for number in range(SITEMAPS_MAX * 2))
    extract = read_rules(lines.encode())
    assert 1 <= len(extract.sitemaps) <= SITEMAPS_MAX
    assert len(extract.to_text()) <= EXTRACT_BYTES_MAX
    assert not extract.coarsened


def test_too_many_rules_become_stricter_never_looser() -> None:
    rules = [f"Disallow: /private/{'d' * 40}/{number}" for number in range(2_000)]
    body = "\n".join(["User-agent: *", "Allow: /private/open", *rules])
    extract = read_rules(body.encode())
    assert extract.coarsened
    assert len(extract.to_text()) <= EXTRACT_BYTES_MAX
    assert not allows(extract, f"{SITE}/private/{'d' * 40}/1999")
    assert allows(extract, f"{SITE}/public")
    assert RobotsExtract.from_text(extract.to_text()) == extract


@pytest.mark.parametrize(
    ("outcome", "status", "mode", "keeps_cached"),
    [
        ("not_modified", 304, "unchanged", False),
        ("missing", 404, "allow_all", False),
        ("gone", 410, "allow_all", False),
        ("failed", 400, "allow_all", False),
        ("failed", 418, "allow_all", False),
        ("failed", 500, "pause", True),
        ("failed", 503, "pause", True),
        ("failed", None, "pause", True),
        ("failed", 200, "pause", True),
        ("throttled", 429, "pause", False),
        ("throttled", 503, "pause", False),
        ("blocked", 401, "pause", False),
        ("blocked", 403, "pause", False),
        ("refused", None, "pause", False),
        ("redirected", 301, "pause", False),
        ("block_page", 200, "pause", False),
    ],
)
def test_the_status_decides_before_the_body(outcome: str, status: int | None, mode: str, keeps_cached: bool) -> None:
    state = decide(outcome, status, "User-agent: *\nAllow: /")
    assert (state.mode, state.keeps_cached, state.extract) == (mode, keeps_cached, None)


def test_rules_come_only_from_an_answer_with_a_body() -> None:
    state = decide("page", 200, read_rules(b"User-agent: *\nDisallow: /a").to_text())
    assert state.mode == "rules"
    assert state.extract == RobotsExtract(rules=("Disallow: /a",))
    assert decide("page", 200, None).extract == RobotsExtract()


def test_a_pause_waits_as_long_as_the_site_asked() -> None:
    assert decide("throttled", 429, None, 7_200_000).lifetime_ms == 7_200_000
    assert decide("throttled", 429, None, 1_000).lifetime_ms == 600_000
