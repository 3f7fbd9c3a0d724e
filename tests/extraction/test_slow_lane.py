"""extruct, bounded: it reads what the cheap lanes cannot, asks no network, ends soon; and it agrees with them where both can read."""

import json
import logging
import socket
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import extruct
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from streams.extraction import odd_markup
from streams.extraction.items import Item, Leaf, json_ld_items
from streams.extraction.microdata import microdata_items
from streams.extraction.odd_markup import odd_items
from streams.extraction.page import PageContext, inspect_answer, read_page
from streams.page_tree import PageTree

PAGES = Path(__file__).resolve().parents[1] / "pages"
URL = "https://shop.example/p/oak-stool"
SLOW = ("rdfa-product", "rdfa-prefixed-names", "rdfa-text-price-german", "rdfa-listing", "microdata-itemref")


def tree_of(body: bytes | str) -> PageTree:
    return PageTree.parse(body.encode() if isinstance(body, str) else body, url=URL)


def answer(body: bytes | str) -> dict[str, Any]:
    return inspect_answer(read_page(tree_of(body), PageContext(url=URL, market="US", currency="USD")))


def page_of(case: str) -> bytes:
    return (PAGES / case / "page.html").read_bytes()


@pytest.mark.parametrize("case", SLOW)
def test_the_slow_lane_is_as_repeatable_as_the_others(case: str) -> None:
    found = {json.dumps(answer(page_of(case)), sort_keys=True) for _ in range(4)}
    assert len(found) == 1


@pytest.mark.parametrize(
    ("case", "syntax", "path"),
    [
        ("rdfa-product", "rdfa", "rdfa/0/offers/0/price/0"),
        ("microdata-itemref", "microdata", "microdata/0/offers/price"),
    ],
)
def test_its_evidence_names_the_syntax_and_the_place(case: str, syntax: str, path: str) -> None:
    claim = answer(page_of(case))["offers"][0]["evidence"]["price_minor"][0]
    assert (claim["syntax"], claim["path"], claim["raw"]) == (syntax, path, "19.99")


def test_it_is_not_asked_when_a_cheap_lane_found_a_product(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr("streams.extraction.page.odd_items", lambda tree: asked.append(tree.url) or {})
    answer(page_of("rdfa-never-asked-beside-json-ld"))
    assert asked == []
    answer(page_of("rdfa-product"))
    assert asked == [URL]


@pytest.mark.parametrize(
    "html",
    [
        '<div vocab="https://schema.org/" typeof="BreadcrumbList"><b property="name">x</b></div>',
        '<meta property="og:title" content="Product"><div class="Product">x</div>',
        '<div itemscope itemtype="https://schema.org/WebPage"><b itemprop="name">Product</b></div>',
        '<div typeof="Product" property="name">' + "x" * odd_markup.HTML_BYTES_MAX,
    ],
    ids=["breadcrumbs", "open graph", "web page", "too large"],
)
def test_bytes_that_name_no_product_never_reach_extruct(html: str) -> None:
    assert odd_items(tree_of(html)) == {}


@pytest.fixture
def canary() -> Iterator[tuple[str, socket.socket]]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        yield f"http://127.0.0.1:{server.getsockname()[1]}", server


def test_nothing_that_a_page_names_is_fetched(canary: tuple[str, socket.socket]) -> None:
    origin, server = canary
    html = f"""<html prefix="c: {origin}/c#" profile="{origin}/profile"><head><base href="{origin}/">
      <script type="application/ld+json">{{"@context": "{origin}/context.jsonld", "@type": "Product", "name": "x"}}</script>
      <script type="text/turtle">@prefix a: <{origin}/t#> .</script><link rel="profile" href="{origin}/p"></head>
      <body vocab="{origin}/vocab/" itemscope itemtype="{origin}/Product" itemref="a"><div typeof="Product c:Thing" resource="{origin}/r">
      <b property="name">x</b><a property="url" href="{origin}/u">u</a><img property="image" src="{origin}/i.png" itemprop="image">
      <div property="offers" typeof="Offer"><b property="price">5.00</b></div></div><i id="a" itemprop="name">y</i></body></html>"""
    assert set(odd_items(tree_of(html))) == {"rdfa", "microdata"}
    answer(html)
    with pytest.raises(TimeoutError):
        server.accept()


HOSTILE = {
    "flat": "<div vocab='https://schema.org/' typeof=Product>" + "<b property=name>x</b>" * 40_000,
    "typed in each other": "<div vocab='https://schema.org/' typeof=Product property=offers>" * 4_000,
    "texts in each other": "<div vocab='https://schema.org/' typeof=Product>" + "<b property=name>" * 4_000 + "x" * 200_000,
    "prefixes": "<div prefix='" + " ".join(f"a{i}: http://e.example/{i}" for i in range(600)) + "'>" * 3_000 + "<b typeof=Product property=a>",
    "names in each other": "<div vocab='https://schema.org/' typeof=Product property='a b c d e f g h'>" * 3_000,
    "plain": "<div vocab='https://schema.org/' typeof=Product property=name>" + "<p class=a>hello</p>" * 40_000,
    "one resource": "<div vocab='https://schema.org/' typeof=Product resource='#a' property=offers>" * 3_000,
    "references": "<div itemscope itemtype='https://schema.org/Product' itemref='a b c' itemprop=offers id=a>" * 3_000,
    "scopes": "<div itemscope itemtype='https://schema.org/Product' itemprop=offers>" * 4_000,
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_markup_costs_it_less_than_two_cpu_seconds(name: str) -> None:
    odd_items(tree_of(page_of("rdfa-product")))  # the import is paid once a process
    body = HOSTILE[name][: odd_markup.HTML_BYTES_MAX]
    start = time.process_time()
    odd_items(tree_of(body))
    assert time.process_time() - start < 2.0


PIECES = st.sampled_from([
    "<div vocab='https://schema.org/'>", "<div typeof='Product'>", " typeof=Offer ", "<b property='name'>", "<b property='price' content='", "'>", "</div>", "</b>",
    "<div prefix='s: http://schema.org/ x: ::'>", "<a property='url' href='http://[bad'>", "<i typeof='s:Product' resource='_:b0'>", "\x00", "\x0b", "&#1;", "<div about='[x:y]'>",
    "<div itemscope itemtype='https://schema.org/Product' itemref='a b a'>", "<i id=a itemprop='offers' itemscope>", "<meta itemprop=price content=5>", "<p property='", "\U0001f600", "<i rel='a' rev='b' resource='%%%'>",
    "<time property='x' datetime='0000-99'>", "<b property='price' datatype='xsd:decimal'>abc", "<b datatype='http://www.w3.org/2001/XMLSchema#date' property=d>x", "<base href='http://[::'>",
])  # fmt: skip


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(PIECES, max_size=30))
def test_any_mix_of_rdfa_and_microdata_gives_items(parts: list[str]) -> None:
    odd_items(tree_of("<b typeof=Product property=a itemscope itemtype='https://schema.org/Product'>" + "".join(parts)))


# -- the oracle: what both can read, both read alike ------------------------------------------------------------------

PRICES = ("price", "lowprice", "highprice", "minprice", "maxprice", "pricecurrency", "availability")
OUR_REPAIR = "repair-"
DIFFERENT = {
    "jsonld-nan-price": "extruct takes NaN for a number",
    "jsonld-infinity-price": "extruct takes Infinity for a number",
    "jsonld-in-template-is-not-the-page": "extruct reads scripts inside <template>",
    "jsonld-type-attribute-with-charset": "extruct does not see the type",
    "jsonld-price-boolean": "a boolean is no price",
}


def ours(items: list[Item]) -> set[tuple[str, str]]:
    out: set[tuple[str, str]] = set()
    stack: list[Item] = list(items)
    while stack:
        item = stack.pop()
        for name, values in item.props.items():
            out |= {(name, plain(one.text)) for one in values if isinstance(one, Leaf) and name in PRICES}
            stack.extend(one for one in values if isinstance(one, Item))
    return out


def theirs(value: Any) -> set[tuple[str, str]]:
    out: set[tuple[str, str]] = set()
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, list):
            stack.extend(node)
        elif isinstance(node, dict):
            for key, inner in node.items():
                name = key.rsplit("/", 1)[-1].removeprefix("schema:").lower()
                for one in inner if isinstance(inner, list) else [inner]:
                    text = one.get("@value") if isinstance(one, dict) else one
                    if name in PRICES and text is not None and not isinstance(text, (dict, list)):
                        out |= {(name, plain(text))} if plain(text) else set()
                stack.append(inner)
    return out


def plain(text: object) -> str:
    words = " ".join(str(text).split())
    try:
        return str(Decimal(words).normalize())
    except ArithmeticError:
        return words


def both(case: str, syntax: str) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    tree = tree_of(page_of(case))
    items = json_ld_items(tree)[0] if syntax == "json-ld" else microdata_items(tree)
    mine = ours([one for one in items if one.path != "loose"])
    logging.disable(logging.CRITICAL)
    try:
        read = extruct.extract(tree.html.decode(), base_url=URL, syntaxes=[syntax], errors="ignore")
    finally:
        logging.disable(logging.NOTSET)
    return mine, theirs(read.get(syntax, []))


CASES = sorted(
    path.parent.name for path in PAGES.glob("*/expected.json") if not path.parent.name.startswith("verdict-")
)
JSON_LD = [one for one in CASES if not one.startswith((OUR_REPAIR, "encoding")) and b"ld+json" in page_of(one)]
MICRODATA = [one for one in CASES if b"itemscope" in page_of(one) and one != "microdata-itemref"]


@pytest.mark.parametrize("case", JSON_LD)
def test_json_ld_says_what_extruct_reads(case: str) -> None:
    mine, oracle = both(case, "json-ld")
    if case in DIFFERENT:
        assert mine != oracle, "the difference is gone: remove it from DIFFERENT"
    else:
        assert mine == oracle


@pytest.mark.parametrize("case", MICRODATA)
def test_microdata_says_what_extruct_reads(case: str) -> None:
    mine, oracle = both(case, "microdata")
    assert mine == oracle
