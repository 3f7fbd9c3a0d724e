"""`adcat inspect page --html` and `adcat inspect selectors`: reports for people, parsed back; hostile pages stay text."""

import json
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser
from typer.testing import CliRunner

from adcat.inspect import app
from adcat.inspect_html import FIELDS, report
from streams.extraction.page import PageContext, inspect_answer, read_page
from streams.page_tree import PageTree

PAGES = Path(__file__).resolve().parents[1] / "pages"
CASES = sorted(path.parent for path in PAGES.glob("*/expected.json"))
URL = "https://shop.example/p/oak-stool"
BASE_PRICE = PAGES / "selector-decides-where-markup-holds-the-base-price" / "page.html"


def both(body: bytes, url: str = URL, **context: str) -> tuple[LexborHTMLParser, dict]:
    tree, given = PageTree.parse(body, url=url), PageContext(url=url, **context)
    return LexborHTMLParser(report(tree, given)), inspect_answer(read_page(tree, given))


def rows(parser: LexborHTMLParser, heading: str) -> list[list[str]]:
    """The table that follows the heading that starts so."""
    node = next(one for one in parser.css("h2, h3") if one.text().startswith(heading))
    while node.tag != "table":
        node = node.next
        assert node is not None
    return [[cell.text() for cell in row.css("th, td")] for row in node.css("tbody tr")]


@pytest.mark.parametrize("folder", CASES[::7], ids=lambda one: one.name)
def test_the_report_says_what_the_answer_says(folder: Path) -> None:
    request = json.loads((folder / "request.json").read_text())
    kept = {name: request[name] for name in ("market", "currency") if name in request}
    parser, answer = both((folder / "page.html").read_bytes(), request["url"], **kept)
    assert parser.css_first(".badge").text() == answer["verdict"]
    for number, offer in enumerate(answer["offers"], 1):
        shown = {name: value for name, value, _ in rows(parser, f"Offer {number}")}
        assert list(shown) == list(FIELDS)
        for name in FIELDS:
            wanted = "unknown" if offer[name] is None else " ".join(str(offer[name]).split())
            assert " ".join(shown[name].split()).startswith(wanted)
    if answer["refusals"]:
        refused = [(field, reason) for field, reason, _ in rows(parser, "Refused")]
        assert refused == [(one["field"], one["reason"]) for one in answer["refusals"]]


def test_it_needs_nothing_from_outside_and_runs_nothing() -> None:
    html = (PAGES / "shopify-product-json-selected" / "page.html").read_bytes()
    parser, _ = both(html, market="US", currency="USD")
    assert parser.css("script, link, img, iframe, a, object, [src], [href], [onclick], [style]") == []
    assert "url(" not in parser.css_first("style").text()


def test_what_a_page_says_stays_text() -> None:
    evil = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)></style>"
    offer = {"@type": "Offer", "price": "1.00", "priceCurrency": "USD", "sku": evil, "availability": evil}
    body = json.dumps({"@type": "Product", "name": evil, "color": evil, "brand": evil, "offers": offer}).replace(
        "</", "<\\/"
    )
    parser, answer = both(
        f"<title>{evil.replace('<', '&lt;')}</title><script type='application/ld+json'>{body}</script>".encode()
    )
    assert answer["offers"][0]["name"] == evil
    assert parser.css("script, img") == []
    assert rows(parser, "Offer 1")[0][1] == evil


def test_claims_of_other_products_are_shown_and_not_marked() -> None:
    parser, _ = both(
        (PAGES / "related-products-as-own-scripts" / "page.html").read_bytes(), market="US", currency="USD"
    )
    assert parser.css("tr.own")
    assert [
        row
        for row in parser.css("tbody tr")
        if "json-ld" in row.text() and "own" not in (row.attributes.get("class") or "")
    ]


def test_the_command_writes_the_report_and_still_answers(tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    page = PAGES / "jsonld-plain" / "page.html"
    done = CliRunner().invoke(app, ["page", str(page), "--url", URL, "--html", str(out)])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["offers"][0]["price_minor"] == 1999
    assert "<h2>Decisions: 1 offer</h2>" in out.read_text()


def selectors(*given: str) -> dict:
    options = [part for one in given for part in ("--selector", one)]
    done = CliRunner().invoke(
        app, ["selectors", str(BASE_PRICE), "--url", URL, "--market", "US", "--currency", "USD", *options]
    )
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_selectors_are_tried_with_and_without_them() -> None:
    request = json.loads((BASE_PRICE.parent / "request.json").read_text())
    answer = selectors(*(f"{name}={css}" for name, css in request["selectors"].items()))
    expected = json.loads((BASE_PRICE.parent / "expected.json").read_text())["offers"][0]
    assert {one["reason"] for one in answer["selectors"]} == {""}
    assert answer["with"]["offer"]["price_minor"] == expected["price_minor"]
    assert answer["without"]["offer"]["price_minor"] != expected["price_minor"]


def test_a_selector_that_finds_nothing_or_is_broken_is_told() -> None:
    answer = selectors("price_minor=.nowhere", "name=h1[")
    assert [(one["field"], one["matched"], one["reason"]) for one in answer["selectors"]] == [
        ("price", 0, "nothing_found"),
        ("name", 0, "broken_selector"),
    ]


@pytest.mark.parametrize(
    ("option", "field"),
    [("colour=.x", "selectors.colour"), ("price=", "selectors.price"), ("price=h1[", "selectors.price")],
)
def test_unusable_selectors_of_a_page_are_refused(option: str, field: str) -> None:
    done = CliRunner().invoke(app, ["page", str(BASE_PRICE), "--url", URL, "--selector", option])
    assert done.exit_code == 2
    assert field in done.output


def test_selector_lines_answer_one_by_one() -> None:
    lines = [
        {"path": str(BASE_PRICE), "url": URL, "selectors": {"name": "h1"}},
        {"path": str(BASE_PRICE), "url": URL},
        [],
    ]
    done = CliRunner().invoke(app, ["selectors", "--jsonl"], input="\n".join(map(json.dumps, lines)))
    first, second, third = map(json.loads, done.stdout.splitlines())
    assert first["selectors"][0]["texts"]
    assert (second["error"]["field"], third["error"]["field"]) == ("selectors", "request")
