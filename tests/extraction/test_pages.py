"""Every folder of tests/pages: a page, the request, and what must be read or refused. Right or silent, never wrong.

`expected.json` names the verdict, the offers (each a subset of fields, in order) and the refusals as `field:reason`.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from streams.extraction.page import PageContext, inspect_answer, read_page
from streams.page_tree import PageTree

PAGES = Path(__file__).resolve().parents[1] / "pages"
CASES = sorted(path.parent.name for path in PAGES.glob("*/expected.json"))


def answer(body: bytes, request: dict[str, Any]) -> dict[str, Any]:
    context = PageContext(
        url=request["url"],
        market=request.get("market"),
        currency=request.get("currency"),
        selectors=request.get("selectors", {}),
        evidence_at_ms=request.get("evidence_at_ms"),
    )
    return inspect_answer(
        read_page(PageTree.parse(body, content_type=request.get("content_type"), url=request["url"]), context)
    )


def brief(found: dict[str, Any], expected: dict[str, Any]) -> dict[str, Any]:
    """The answer cut to what the case speaks of."""
    offers = found["offers"]
    cut = [
        {name: offer[name] for name in wanted}
        for offer, wanted in zip(offers, expected.get("offers", []), strict=False)
    ]
    return {
        "verdict": found["verdict"],
        "offers": cut + [offer["price_minor"] for offer in offers[len(cut) :]],
        "refused": sorted(f"{one['field']}:{one['reason']}" for one in found["refusals"]),
    }


@pytest.mark.parametrize("case", CASES)
def test_page(case: str) -> None:
    folder = PAGES / case
    request = json.loads((folder / "request.json").read_text())
    expected = json.loads((folder / "expected.json").read_text())
    found = answer((folder / "page.html").read_bytes(), request)
    wanted = {
        "verdict": expected["verdict"],
        "offers": expected.get("offers", []),
        "refused": sorted(expected.get("refused", [])),
    }
    assert brief(found, expected) == wanted
