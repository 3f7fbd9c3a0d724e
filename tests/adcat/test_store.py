import gzip
import re
import socket
import struct
import subprocess
import sys
import zlib
from collections.abc import AsyncIterator
from html import unescape
from pathlib import Path
from urllib.parse import urldefrag, urljoin, urlsplit

import aiohttp
import orjson
import pytest
from stdnum import ean

from adcat.store import RequestLogged, SampleStore
from adcat.store.exchange import accepts_gzip
from adcat.store.model import euro, usd, yen
from adcat.store.sites import SITES

PAGES_MAX = 400
UNBOUNDED = "/calendar"


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SampleStore]:
    opened = SampleStore(tmp_path / "requests.jsonl", slow_s=0.05)
    await opened.start()
    yield opened
    await opened.stop()


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(auto_decompress=False, headers={"User-Agent": "test/1"}) as session:
        yield session


async def read(http: aiohttp.ClientSession, url: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    async with http.get(url, headers=headers, allow_redirects=False, skip_auto_headers=["Accept-Encoding"]) as answer:
        return answer.status, {name.lower(): value for name, value in answer.headers.items()}, await answer.read()


async def page(http: aiohttp.ClientSession, url: str) -> str:
    status, headers, body = await read(http, url)
    assert status == 200, url
    return body.decode(headers["content-type"].partition("charset=")[2])


async def put(http: aiohttp.ClientSession, store: SampleStore, merchant: str, call: str, body: object) -> int:
    sent = body if isinstance(body, str) else orjson.dumps(body)
    async with http.put(f"{store.urls[merchant]}__store/{call}", data=sent) as answer:
        return answer.status


def links(text: str, base: str) -> set[str]:
    found = re.findall(r'(?:<a [^>]*href="|<loc>)([^"<]+)', text)
    return {urldefrag(urljoin(base, unescape(one))).url for one in found}


async def crawl(http: aiohttp.ClientSession, start: str) -> dict[str, int]:
    """Status by URL of everything that links and sitemaps lead to; a calendar is entered once."""
    statuses: dict[str, int] = {}
    waiting = [start, urljoin(start, "/sitemap.xml")]
    while waiting:
        url = waiting.pop()
        if url in statuses or (UNBOUNDED in url and any(UNBOUNDED in one for one in statuses)):
            continue
        assert len(statuses) < PAGES_MAX
        status, headers, body = await read(http, url)
        statuses[url] = status
        if "location" in headers:
            waiting.append(urljoin(url, headers["location"]))
        if headers["content-type"] == "application/gzip":
            body = gzip.decompress(body)
        waiting += sorted(links(body.decode("utf-8", "replace"), url))
    return statuses


def of(store: SampleStore, merchant: str, **wanted: object) -> list:
    return [
        one
        for one in store.expected()
        if one.merchant == merchant and all(getattr(one, name) == value for name, value in wanted.items())
    ]


def markup_price(merchant: str, price_minor: int) -> list[str]:
    if merchant == "cometa":
        return [f'"price": {price_minor * 100}']
    plain = f"{price_minor // 100}.{price_minor % 100:02d}"
    return [
        f'"price": "{plain}"',
        f'content="{plain}"',
        f'itemprop="price">{euro(price_minor)}',
        f">{usd(price_minor)}<",
    ]


async def test_about_150_pages_and_300_offers_are_reachable(store, http) -> None:
    pages, offers = {}, {}
    for merchant, url in store.urls.items():
        statuses = await crawl(http, url)
        html = [one for one, status in statuses.items() if status == 200 and ".xml" not in one]
        pages[merchant] = len({urlsplit(one)._replace(query="").geturl() for one in html if "?page" not in one})
        reached = {one.partition("?")[0] for one in statuses}
        assert {one.url.partition("?")[0] for one in of(store, merchant)} <= reached
        offers[merchant] = len(of(store, merchant, publishable=True))
        assert max(statuses.values()) < 500
    assert 130 <= sum(pages.values()) <= 180
    assert offers == {"alpine": 150, "brocante": 49, "cometa": 108}


async def test_every_publishable_offer_has_a_page_with_its_price_in_the_markup(store, http) -> None:
    for offer in store.expected():
        if not offer.publishable:
            assert offer.reason
            continue
        assert offer.price_minor is not None
        text = await page(http, offer.url)
        assert any(one in text for one in markup_price(offer.merchant, offer.price_minor)), offer
        assert offer.currency == {one.merchant: one.currency for one in SITES}[offer.merchant]
        shown = {"USD": usd, "JPY": yen, "EUR": lambda minor: f"{euro(minor)}&nbsp;€"}[offer.currency](
            offer.price_minor
        )
        assert f">{shown}<" in text, "a person sees the same price"


async def test_offers_are_told_apart_by_url_and_by_sku(store) -> None:
    expected = list(store.expected())
    skus = [one.sku for one in expected if one.sku]
    assert len({one.url for one in expected}) == len(expected)
    assert len(set(skus)) == len(skus)


def test_every_gtin_has_its_check_digit() -> None:
    numbers = [variant.gtin13 for site in SITES for one in site.products() for variant in one.variants]
    assert all(ean.is_valid(one) for one in numbers)
    assert len(set(numbers)) == len(numbers)


async def test_two_stores_show_the_same_content(store, http) -> None:
    other = SampleStore()
    await other.start()
    try:
        for merchant, url in store.urls.items():
            texts = [(await page(http, one)).replace(one, "/") for one in (url, other.urls[merchant])]
            assert texts[0] == texts[1]
        paths = [[urlsplit(one.url)._replace(netloc="") for one in shops.expected()] for shops in (store, other)]
        assert paths[0] == paths[1]
    finally:
        await other.stop()


async def test_alpine_lists_half_of_its_products_in_a_gzipped_child_sitemap(store, http) -> None:
    start = store.urls["alpine"]
    robots = (await read(http, f"{start}robots.txt"))[2].decode()
    assert f"Sitemap: {start}sitemap.xml" in robots
    assert "Disallow: /private/" in robots
    children = links((await read(http, f"{start}sitemap.xml"))[2].decode(), start)
    zipped = next(one for one in children if one.endswith(".gz"))
    status, headers, body = await read(http, zipped, **{"Accept-Encoding": "gzip"})
    assert (status, headers["content-type"]) == (200, "application/gzip")
    assert "content-encoding" not in headers
    found = links(gzip.decompress(body).decode(), start)
    assert len(found) == 18
    home = await page(http, start)
    assert not any("day-pack" in one for one in links(home, start))
    assert any("day-pack" in one for one in found), "some products are in the gzipped sitemap only"


async def test_a_moved_product_redirects_and_the_private_page_is_linked(store, http) -> None:
    start = store.urls["alpine"]
    linked = links(await page(http, start), start)
    assert f"{start}private/wholesale" in linked
    status, headers, _ = await read(http, f"{start}products/summit-shell-jacket-2019")
    assert (status, headers["location"]) == (301, "/products/summit-shell-jacket")


async def test_out_of_stock_offers_stay_in_the_catalog(store) -> None:
    sold_out = of(store, "alpine", availability="OutOfStock", publishable=True, product="ridge-grid-fleece")
    assert len(sold_out) == 6
    for merchant in store.urls:
        assert of(store, merchant, availability="OutOfStock", publishable=True)


async def test_brocante_has_one_of_each_oddity(store, http) -> None:
    by_reason = {one.reason: one for one in of(store, "brocante", publishable=False)}
    statuses = {reason: (await read(http, one.url))[0] for reason, one in by_reason.items()}
    assert statuses == {
        "the page answers 410": 410,
        "the page answers 404": 404,
        "the page says that it was not found": 200,
        "the visible price contradicts the markup": 200,
        "the price has no currency": 200,
    }
    start = store.urls["brocante"]
    listed = set().union(*[links(await page(http, f"{start}shop?page={at}"), start) for at in range(1, 6)])
    assert {one.url for one in by_reason.values()} <= listed, "removed items are still listed"
    clash = await page(http, by_reason["the visible price contradicts the markup"].url)
    assert 'content="92.00">29,00&nbsp;€' in clash
    assert "EUR" not in await page(http, by_reason["the price has no currency"].url)


async def test_the_listing_is_bounded_by_rel_next(store, http) -> None:
    url, seen = urljoin(store.urls["brocante"], "/shop"), 0
    while url:
        found = re.search(r'rel="next" href="([^"]+)"', await page(http, url))
        url, seen = urljoin(url, found[1]) if found else "", seen + 1
    assert seen == 5
    for absent in ("6", "0", "x"):
        assert (await read(http, f"{store.urls['brocante']}shop?page={absent}"))[0] == 404


async def test_the_calendar_goes_on_for_ever(store, http) -> None:
    url, seen = urljoin(store.urls["brocante"], "/calendar?month=9999-10"), set()
    for _ in range(30):
        seen.add(url)
        months = sorted(one for one in links(await page(http, url), url) if "/calendar" in one and one not in seen)
        url = max(months, key=lambda one: (len(one), one))
    assert len(seen) == 30
    assert "month=10002-" in url


async def test_session_and_tracking_parameters_change_nothing(store, http) -> None:
    start = store.urls["brocante"]
    marked = [one for one in links(await page(http, start), start) if "/artikel/" in one]
    assert {re.sub(r".*/artikel/[a-z-]+([;?]\w+).*", r"\1", one) for one in marked} == {
        "?PHPSESSID",
        ";jsessionid",
        "?gclid",
    }
    for one in marked:
        assert await page(http, one) == await page(http, re.split("[;?]", one)[0])


async def test_an_unchanged_page_answers_304_to_its_validators(store, http) -> None:
    for merchant in store.urls:
        url = of(store, merchant, publishable=True)[0].url
        _, headers, _ = await read(http, url)
        assert headers["etag"].startswith('"'), "strong"
        for condition in ({"If-None-Match": headers["etag"]}, {"If-Modified-Since": headers["last-modified"]}):
            status, repeated, body = await read(http, url, **condition)
            assert (status, body, repeated["etag"]) == (304, b"", headers["etag"])
        other = {"If-None-Match": '"other"', "If-Modified-Since": headers["last-modified"]}
        assert (await read(http, url, **other))[0] == 200, "If-None-Match decides alone"
        assert (await read(http, url, **{"If-Modified-Since": "no date"}))[0] == 200


async def test_gzip_is_another_representation_with_its_own_etag(store, http) -> None:
    url = of(store, "cometa")[0].url
    _, plain, body = await read(http, url)
    _, coded, squeezed = await read(http, url, **{"Accept-Encoding": "gzip, deflate"})
    assert coded["content-encoding"] == "gzip"
    assert gzip.decompress(squeezed) == body
    assert coded["etag"] != plain["etag"]
    conditional = {"If-None-Match": coded["etag"], "Accept-Encoding": "gzip"}
    assert (await read(http, url, **conditional))[0] == 304


@pytest.mark.parametrize(
    ("accepted", "answer"),
    [
        ("gzip", True),
        ("br, gzip;q=0.5", True),
        ("*", True),
        ("", False),
        ("br", False),
        ("gzip;q=0", False),
        ("gzip; q=0.0", False),
    ],
)
def test_gzip_is_sent_to_those_who_accept_it(accepted: str, answer: bool) -> None:
    assert accepts_gzip(accepted) is answer


async def test_every_page_says_its_charset_twice_and_alike(store, http) -> None:
    for url in store.urls.values():
        _, headers, body = await read(http, url)
        charset = headers["content-type"].partition("charset=")[2]
        assert f'<meta charset="{charset}">'.encode() in body
    assert charset_of(await read(http, store.urls["brocante"])) == "windows-1252"


def charset_of(answer: tuple[int, dict[str, str], bytes]) -> str:
    return answer[1]["content-type"].partition("charset=")[2]


async def test_images_are_valid_png(store, http) -> None:
    url = of(store, "alpine")[0].url
    found = re.search(r'src="(/img/[^"]+)"', await page(http, url))
    assert found
    status, headers, body = await read(http, urljoin(url, found[1]))
    assert (status, headers["content-type"], body[:8]) == (200, "image/png", b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", body[16:24])
    length = struct.unpack(">I", body[33:37])[0]
    assert len(zlib.decompress(body[41 : 41 + length])) == height * (1 + 3 * width)


async def test_a_proof_is_served_once_it_was_put_there(store, http) -> None:
    url = f"{store.urls['cometa']}.well-known/adcat-verification.txt"
    assert (await read(http, url))[0] == 404
    assert await put(http, store, "cometa", "proof", "adcat-token-1\n") == 204
    store.proof_tokens["cometa"].add("adcat-token-0")
    assert (await read(http, url))[2] == b"adcat-token-0\nadcat-token-1\n"
    assert (await read(http, url.replace(store.urls["cometa"], store.urls["alpine"])))[0] == 404
    for bad in ("", "two words", "x" * 201):
        assert await put(http, store, "cometa", "proof", bad) == 400


async def test_the_log_has_every_request_but_the_calls_of_tests(store, http, tmp_path) -> None:
    start = store.urls["alpine"]
    await read(http, f"{start}products/summit-shell-jacket?variant=4100001&utm_source=x")
    await put(http, store, "alpine", "mode", {"mode": "ok"})
    await read(http, f"{store.urls['brocante']}nothing")
    async with http.post(start) as answer:
        assert answer.status == 405
    seen = [(one.merchant, one.method, one.path_qs, one.status, one.user_agent) for one in store.requests]
    assert seen == [
        ("alpine", "GET", "/products/summit-shell-jacket?variant=4100001&utm_source=x", 200, "test/1"),
        ("brocante", "GET", "/nothing", 404, "test/1"),
        ("alpine", "POST", "/", 405, "test/1"),
    ]
    assert sorted(one.at_monotonic_s for one in store.requests) == [one.at_monotonic_s for one in store.requests]
    lines = (tmp_path / "requests.jsonl").read_text().splitlines()
    assert [RequestLogged(**orjson.loads(one)) for one in lines] == store.requests
    served = orjson.loads((await read(http, f"{start}__store/requests"))[2])
    assert [RequestLogged(**one) for one in served] == store.requests


async def test_a_new_price_changes_the_page_its_etag_and_what_is_expected(store, http) -> None:
    offer = of(store, "brocante", publishable=True)[0]
    _, before, _ = await read(http, offer.url)
    change = {"product": offer.product, "price_minor": 12_345}
    assert await put(http, store, "brocante", "price", change) == 204
    status, after, body = await read(http, offer.url, **{"If-None-Match": before["etag"]})
    assert status == 200
    assert b'content="123.45"' in body
    assert after["etag"] != before["etag"]
    assert after["last-modified"] > before["last-modified"]
    expected = orjson.loads((await read(http, f"{store.urls['cometa']}__store/expected"))[2])
    assert [one["price_minor"] for one in expected if one["url"] == offer.url] == [12_345]
    assert len(expected) == 313


@pytest.mark.parametrize("status", [404, 410])
async def test_a_product_can_be_removed_and_come_back(store, http, status: int) -> None:
    offer = of(store, "alpine", publishable=True)[0]
    assert await put(http, store, "alpine", "removed", {"product": offer.product, "status": status}) == 204
    assert (await read(http, offer.url))[0] == status
    assert not of(store, "alpine", product=offer.product, publishable=True)
    assert await put(http, store, "alpine", "removed", {"product": offer.product, "status": 200}) == 204
    assert of(store, "alpine", product=offer.product, publishable=True)


async def test_a_mode_holds_for_one_whole_shop(store, http) -> None:
    start, product = store.urls["alpine"], of(store, "alpine")[0].url
    other = of(store, "cometa")[0].url
    for mode, statuses in {
        "missing": (404, 200),
        "error": (503, 503),
        "throttled": (429, 429),
        "slow": (200, 200),
        "ok": (200, 200),
    }.items():
        assert await put(http, store, "alpine", "mode", {"mode": mode}) == 204
        answers = [await read(http, url) for url in (product, start)]
        assert tuple(one[0] for one in answers) == statuses, mode
        assert answers[0][1].get("retry-after") == ("1" if mode == "throttled" else None)
        assert (await read(http, other))[0] == 200


@pytest.mark.parametrize(
    ("call", "body", "answer"),
    [
        ("price", {"product": "no-such", "price_minor": 5}, "404 product"),
        ("price", {"product": "summit-shell-jacket", "price_minor": 0}, "400 price_minor"),
        ("price", {"product": "summit-shell-jacket", "price_minor": True}, "400 price_minor"),
        ("price", "{", "400 body"),
        ("price", [], "400 body"),
        ("removed", {"product": "summit-shell-jacket", "status": 500}, "400 status"),
        ("removed", {"product": "no-such", "status": 404}, "404 product"),
        ("mode", {"mode": "on fire"}, "400 mode"),
    ],
)
async def test_a_bad_call_names_its_field(store, http, call: str, body: object, answer: str) -> None:
    sent = body if isinstance(body, str) else orjson.dumps(body)
    async with http.put(f"{store.urls['alpine']}__store/{call}", data=sent) as got:
        assert f"{got.status} {await got.text()}".startswith(answer)


async def test_a_taken_port_is_an_error_and_leaves_nothing_open(tmp_path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        store = SampleStore(tmp_path / "log")
        with pytest.raises(OSError, match="address"):
            await store.start(ports=(0, taken.getsockname()[1], 0))
        await store.stop()


def test_the_command_prints_its_urls_and_stops_on_a_signal(tmp_path) -> None:
    code = "from adcat.store import run_forever; run_forever(0, None)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in SITES]
        process.terminate()
        assert process.wait(timeout=20) == 0
    assert [one.partition(":")[0] for one in lines] == [one.merchant for one in SITES]
    assert all("http://127.0.0.1:" in one for one in lines)
