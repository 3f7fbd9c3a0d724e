"""Discovery follows products and bounded pagination, and reports every trap it leaves out (SPEC C1, C5)."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.discovery.links import DROPPED_MAX, Scope
from streams.discovery.page import page_links
from streams.discovery.shapes import hint_of, page_number
from streams.url_pattern import pattern_of
from topics.urls import UrlPolicy, identity_url, target_id

SITE = "https://shop.example"
SCOPE = Scope(allowed_origins=frozenset((SITE,)), policy=UrlPolicy(variant_params=("variant", "color")))


def found(*hrefs: str, base: str = SITE + "/", rel: str = "", scope: Scope = SCOPE) -> dict[str, str]:
    links = page_links([(href, rel, "") for href in hrefs], base, scope, depth=0).links
    return {link.url.removeprefix(SITE): link.hint for link in links}


def reason(href: str, base: str = SITE + "/", rel: str = "", scope: Scope = SCOPE) -> str:
    result = page_links([(href, rel, "")], base, scope, depth=0)
    assert result.links == ()
    assert result.dropped_total == 1
    return result.dropped[0][1]


@pytest.mark.parametrize(
    ("href", "hint"),
    [
        ("/products/red-shoe", "product"),
        ("/collections/shoes/products/red-shoe?variant=7", "product"),
        ("/p/1234/red-shoe", "product"),
        ("/red-shoe-p-1234.html", "product"),
        ("/red-shoe-12345.html", "product"),
        ("/dp/B00X", "product"),
        ("/index.php?route=product/product&product_id=42", "product"),
        ("/collections/shoes", "listing"),
        ("/products", "listing"),
        ("/collections/shoes?page=2", "listing"),
        ("/blog/page/3", "listing"),
        ("/list?start=20", "listing"),
        ("/about", "other"),
        ("/?p=77", "other"),
    ],
)
def test_links_are_classified_by_their_shape(href: str, hint: str) -> None:
    assert found(href) == {href: hint}


def test_a_next_link_is_a_listing() -> None:
    assert found("/more", rel="NEXT") == {"/more": "listing"}


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("https://elsewhere.example/products/a", "origin"),
        ("http://shop.example/", "origin"),
        ("mailto:a@shop.example", "not_followed"),
        ("javascript:void(0)", "not_followed"),
        ("/a.pdf", "not_a_page"),
        ("/images/products/a.JPG?v=1", "not_a_page"),
        ("/cart", "action"),
        ("/account/login", "action"),
        ("/list?add-to-cart=7", "action"),
        ("/list?page=501", "pagination_range"),
        ("/page/900", "pagination_range"),
        ("/list?size=1&brand=x", "facet_combination"),
        ("/list?filter.v.size=1&price_max=9", "facet_combination"),
        ("/list?sort=price", "reordered_listing"),
        ("/list?sid=0123456789abcdef0", "session_id"),
        ("/a/b/a/b", "repeated_segments"),
        ("/a/x/a/y/a/z", "repeated_segments"),
        ("/" + "/".join(str(number) for number in range(20)), "repeated_segments"),
        ("www.shop.example/a/shop.example/b", "schemeless_link"),
        ("/list?" + "&".join(f"a{number}=1" for number in range(9)), "query_combinations"),
        ("/list?a=1&a=2&a=3&a=4", "query_combinations"),
        ("/products/a/products/b/products/c", "repeated_segments"),
    ],
)
def test_what_is_left_out_has_a_reason(href: str, expected: str) -> None:
    assert reason(href) == expected


def test_one_facet_is_followed_and_variant_parameters_of_products_are_no_facets() -> None:
    product = "/products/a?color=red&size=1&variant=3"
    assert found("/list?brand=x", product) == {"/list?brand=x": "other", product: "product"}


def test_a_calendar_is_entered_but_not_walked() -> None:
    assert found("/calendar?month=2026-12") == {"/calendar?month=2026-12": "other"}
    assert reason("/calendar?month=2027-01", base=SITE + "/calendar?month=2026-12") == "calendar"
    assert reason("/events/2027/01/", base=SITE + "/events/2026/12/") == "calendar"
    assert found("/products/a", base=SITE + "/calendar?month=2026-12") == {"/products/a": "product"}


def test_nofollow_holds_for_everything_but_products() -> None:
    assert reason("/list", rel="nofollow") == "nofollow"
    assert found("/products/a", rel="nofollow") == {"/products/a": "product"}


@pytest.mark.parametrize("rel", ["stylesheet", "shortcut icon", "Preconnect"])
def test_link_elements_that_name_no_page_are_left_out(rel: str) -> None:
    assert reason("/theme", rel=rel) == "not_a_page"


def test_links_are_one_per_target_and_bounded() -> None:
    result = page_links(
        [(f"/products/{number}?utm_source=x", "", "") for number in range(600)] * 2, SITE, SCOPE, depth=0
    )
    assert len(result.links) == 500
    assert result.dropped_total == 200
    assert {why for _, why in result.dropped} == {"too_many_links"}
    assert [len(chunk) for chunk in result.chunks()] == [500]
    many = page_links([("mailto:x", "", str(number)) for number in range(900)], SITE, SCOPE, depth=0)
    assert (len(many.dropped), many.dropped_total) == (1, 900)
    many = page_links([(f"mailto:{number}", "", "") for number in range(900)], SITE, SCOPE, depth=0)
    assert (len(many.dropped), many.dropped_total) == (DROPPED_MAX, 900)


def test_depth_is_bounded() -> None:
    result = page_links([("/products/a", "", "")], SITE, SCOPE, depth=SCOPE.depth_max)
    assert result.dropped == ((SITE + "/products/a", "depth"),)


def test_an_unreadable_base_gives_no_links() -> None:
    assert page_links([("/a", "", "")], "nonsense", SCOPE, depth=0).dropped == (("nonsense", "invalid_base"),)


def test_a_link_keeps_its_spelling_beside_its_identity() -> None:
    (link,) = page_links([("/Products/%7eA?utm_source=x&variant=1#top", "", "")], SITE, SCOPE, depth=2).links
    assert link.url == SITE + "/Products/%7eA?utm_source=x&variant=1"
    assert link.identity_url == SITE + "/Products/~A?variant=1"
    assert link.target_id == target_id(link.identity_url)
    assert (link.kind, link.depth) == ("page", 3)


@given(st.permutations(["/a", "/products/b", "/c?page=2"]))
def test_the_digest_forgets_order_and_nothing_else(hrefs: list[str]) -> None:
    links = [(href, "", "") for href in hrefs]
    digest = page_links(links, SITE, SCOPE, depth=0).digest
    assert digest == page_links(sorted(links), SITE, SCOPE, depth=0).digest
    assert digest != page_links(links[1:], SITE, SCOPE, depth=0).digest


@given(st.lists(st.text(alphabet="ab/?&=%2e.:#w \\", max_size=25), max_size=12))
def test_every_link_is_followed_or_reported(hrefs: list[str]) -> None:
    result = page_links([(href, "", "") for href in hrefs], SITE + "/dir/", SCOPE, depth=0)
    assert len(result.links) + result.dropped_total <= len(hrefs)
    for link in result.links:
        assert link.identity_url.startswith(SITE + "/")
        assert identity_url(link.url, SCOPE.policy) == link.identity_url


def test_patterns_hide_numbers_dates_and_tokens() -> None:
    assert pattern_of(SITE + "/blog/2026/05-06?b=1&a=2") == "/blog/{date}/{n}-{n}?a&b"
    assert pattern_of(SITE + "/s/0123456789abcdef") == "/s/{token}"


def test_page_numbers_come_from_paths_pages_and_offsets() -> None:
    assert page_number(SITE + "/a/page/7/") == 7
    assert page_number(SITE + "/a?page=9") == 9
    assert page_number(SITE + "/a?offset=120") == 12
    assert page_number(SITE + "/a?page=x") is None
    assert hint_of(SITE + "/index.php?p=9") == "other"


@pytest.mark.parametrize(
    "piece", ["a", "a-", "-1", "/a", "a=1&", ";a", "%41", "%", "_", "0-", "-sku-1", "page/1", "A1"]
)
def test_hostile_urls_cost_little(piece: str) -> None:
    started = time.process_time()
    for prefix in ("/", "/?", "/a-", "/products/"):
        page_links([(prefix + piece * (2_000 // len(piece)) + "x", "", "")], SITE, SCOPE, depth=0)
    assert time.process_time() - started < 0.5  # a quadratic pattern takes seconds
