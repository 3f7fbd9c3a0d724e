# ruff: noqa: RUF001  # the marks of many scripts are the data here
"""Extraction is total and indifferent to what does not matter: any bytes give a reading; order, space and strangers change nothing."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from streams.extraction.gtin import check_digit, read_gtin
from streams.extraction.page import PageContext, inspect_answer, read_page
from streams.extraction.price_text import parse_amounts, parse_price
from streams.extraction.repair import Unreadable, load
from streams.page_tree import PageTree

PAGES = Path(__file__).resolve().parents[1] / "pages"
CASES = [path.parent for path in sorted(PAGES.glob("*/expected.json"))]
URL = "https://shop.example/p/oak-stool"
FRAGMENTS = st.sampled_from([
    "<script type='application/ld+json'>", "</script>", '{"@type":"Product","name":"x","offers":', '{"@type":"Offer","price":"1.', '"priceCurrency":"USD"', "}", "]", "[",
    "<div itemscope itemtype='https://schema.org/Product'>", "<span itemprop=price content=", "<b class=price>", "$19.99", "€ 1.299,00", "</div>", "<del>", "<h1>", "NaN", "&quot;", "\\ud800",
    "<meta property=product:price:amount content='9'>", "<form data-product_variations='[{", "\x00", '<script>self.__next_f.push([1,"', "@graph", '"@id":"#a"', "Sold out", "12x de R$", ",", '"', "<!--", "<template>",
])  # fmt: skip
RELAXED = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


def answer(body: bytes, url: str = URL, **context: str) -> bytes:
    reading = read_page(PageTree.parse(body, url=url), PageContext(url=url, **context))
    return json.dumps(inspect_answer(reading), sort_keys=True).encode()


def decision(body: bytes, request: dict[str, str]) -> list[object]:
    """The answer without places: paths name positions, decisions must not depend on them."""
    kept = {name: request.get(name) for name in ("market", "currency")}
    reading = read_page(
        PageTree.parse(body, content_type=request.get("content_type"), url=request["url"]),
        PageContext(url=request["url"], selectors=request.get("selectors", {}), **kept),
    )
    found = inspect_answer(reading)
    offers = [{k: v for k, v in offer.items() if k != "evidence"} for offer in found["offers"]]
    return [found["verdict"], sorted(map(repr, offers)), sorted((r["field"], r["reason"]) for r in found["refusals"])]


@RELAXED
@given(st.binary(max_size=2_000))
def test_any_bytes_give_the_same_reading_twice(body: bytes) -> None:
    assert answer(body) == answer(body)


@RELAXED
@given(st.lists(FRAGMENTS, max_size=40))
def test_any_mix_of_markup_gives_a_reading(parts: list[str]) -> None:
    answer("".join(parts).encode("utf-8", "surrogatepass"), market="US", currency="USD")


@RELAXED
@given(st.text(max_size=120))
def test_any_text_is_a_price_text(text: str) -> None:
    parse_amounts(text)
    read = parse_price(text, currency_hint="EUR", market="DE")
    assert read.amount is None or read.amount > 0


@RELAXED
@given(
    st.lists(
        st.sampled_from([*list("0123456789.,' $€-–%xX/()"), "US$", "kr", " ", "\xa0", "was", "from", "EUR"]),
        max_size=24,
    )
)
def test_number_like_texts_never_raise(parts: list[str]) -> None:
    parse_price("".join(parts))


@RELAXED
@given(st.lists(st.one_of(FRAGMENTS, st.text(max_size=6)), max_size=30))
def test_the_repair_ladder_reads_or_says_unreadable(parts: list[str]) -> None:
    try:
        values = load("".join(parts))
    except Unreadable:
        return
    assert all(isinstance(repair, str) for _, repair in values)


@given(st.integers(min_value=0, max_value=10**12 - 1))
def test_one_wrong_digit_breaks_a_gtin(number: int) -> None:
    digits = f"{number:012d}"
    full = digits + str(check_digit(digits))
    given_to_a_company = not full.startswith(("00000", "02", "04", "05", "2", "98", "99"))
    if given_to_a_company and len(set(digits.lstrip("0"))) > 1 and not digits.lstrip("0").startswith("123456"):
        assert read_gtin(full).gtin14 == "0" + full
    broken = full[:5] + str((int(full[5]) + 1) % 10) + full[6:]
    assert not read_gtin(broken).valid


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "folder" in metafunc.fixturenames:
        chosen = [
            one
            for one in CASES
            if not one.name.startswith(("encoding-utf16", "verdict-binary", "verdict-empty", "verdict-nested"))
        ]
        metafunc.parametrize("folder", chosen[::3], ids=lambda one: one.name)


def request_of(folder: Path) -> dict[str, str]:
    return json.loads((folder / "request.json").read_text())


def test_an_unrelated_script_changes_nothing(folder: Path) -> None:
    body, request = (folder / "page.html").read_bytes(), request_of(folder)
    stranger = b'<script>var a = {"price": 3, "b": [1,2]};</script><script type="application/ld+json">{"@type":"BreadcrumbList","itemListElement":[]}</script>'
    assert decision(body.replace(b"</head>", stranger + b"</head>", 1), request) == decision(body, request)


def test_the_order_of_scripts_changes_nothing(folder: Path) -> None:
    body, request = (folder / "page.html").read_bytes(), request_of(folder)
    pattern = re.compile(rb"<script type=\"application/ld\+json\">.*?</script>", re.DOTALL)
    found = pattern.findall(body)
    if b"<template>" in body or len(found) < 2:
        return
    turned = iter(reversed(found))
    assert decision(pattern.sub(lambda _: next(turned), body), request) == decision(body, request)


def test_white_space_between_elements_changes_nothing(folder: Path) -> None:
    body, request = (folder / "page.html").read_bytes(), request_of(folder)
    pieces = re.split(rb"(<script.*?</script>)", body, flags=re.DOTALL)
    spaced = b"".join(one if one.startswith(b"<script") else one.replace(b">\n<", b">\n\n \t<") for one in pieces)
    assert decision(spaced, request) == decision(body, request)


def test_attribute_order_changes_nothing(folder: Path) -> None:
    body, request = (folder / "page.html").read_bytes(), request_of(folder)
    turned = re.sub(rb"<meta (property=\"[^\"]*\") (content=\"[^\"]*\")>", rb"<meta \2 \1>", body)
    turned = re.sub(rb"<meta (itemprop=\"[^\"]*\") (content=\"[^\"]*\")>", rb"<meta \2 \1>", turned)
    assert decision(turned, request) == decision(body, request)
