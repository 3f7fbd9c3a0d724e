"""Price texts of forty markets (`price_texts.jsonl`): each is read as written down, or refused with the reason written down.

`current` is `single` or `sale`; `no price` is an amount of any other kind, or none at all.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from streams.extraction.price_text import PriceText, parse_amounts, parse_price
from streams.extraction.price_words import CURRENT, kind_after, kind_before

ROWS = [
    json.loads(line) for line in Path(__file__).with_name("price_texts.jsonl").read_text(encoding="utf-8").splitlines()
]


def read(row: dict[str, Any]) -> PriceText:
    return parse_price(row["text"], currency_hint=row.get("currency_hint"), market=row.get("market"))


def kind_of(found: PriceText) -> str:
    return "current" if found.kind in CURRENT else found.kind.value


@pytest.mark.parametrize("row", [row for row in ROWS if row["amount"] is not None], ids=lambda row: row["text"])
def test_a_text_is_read(row: dict[str, Any]) -> None:
    found = read(row)
    assert str(found.amount) == row["amount"]
    assert found.currency == row.get("currency", found.currency)
    assert kind_of(found) == row.get("kind", kind_of(found))
    assert (found.reason is None) == (found.currency is not None)


@pytest.mark.parametrize("row", [row for row in ROWS if row["amount"] is None], ids=lambda row: row["text"])
def test_a_text_is_refused(row: dict[str, Any]) -> None:
    found = read(row)
    if row.get("kind") == "no price":
        assert found.amount is None or kind_of(found) != "current"
    else:
        assert (found.amount, found.reason) == (None, row["reason"])


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("$24.99 + $4.99 shipping", [("24.99", "single"), ("4.99", "shipping")]),
        ("netto 16,80 € brutto 19,99 €", [("16.80", "tax-excluded"), ("19.99", "single")]),
        ("19,99 € zzgl. 0,25 € Pfand", [("19.99", "single"), ("0.25", "discount")]),
        ("12 990 Ft helyett 9 990 Ft", [("12990", "list"), ("9990", "single")]),
        ("$19 99", [(None, "single")]),
        ("19,99 € Versand 4,90 €", [("19.99", "shipping"), ("4.90", "shipping")]),
    ],
)
def test_every_amount_of_a_text_has_the_words_that_are_its_own(
    text: str, amounts: list[tuple[str | None, str]]
) -> None:
    found = parse_amounts(text)
    assert [(None if one.amount is None else str(one.amount), one.kind.value) for one in found] == amounts


@pytest.mark.parametrize(
    ("before", "kind"),
    [
        ("zzgl. Versand ", "shipping"), ("crema de noche ", None), ("save up to ", "discount"), ("regular fit jeans ", None), ("regular price ", "list"),
        ("12 cuotas de ", "instalment"), ("shipping from ", "shipping"), ("members now ", "member"), ("up to ", "range"), ("inkl. mwst. ", None),
    ],
)  # fmt: skip
def test_the_nearest_words_name_the_kind_and_bare_connectives_only_beside_the_amount(
    before: str, kind: str | None
) -> None:
    assert kind_before(before.lower()) == kind


@pytest.mark.parametrize(
    ("after", "kind"),
    [
        (" / 100 g", "unit"),
        ("/mån", "instalment"),
        (" inkl. mwst. zzgl. versand", None),
        (" + iva", "tax-excluded"),
        (" off", "discount"),
    ],
)
def test_the_words_right_behind_name_the_kind(after: str, kind: str | None) -> None:
    assert kind_after(after) == kind
