# ruff: noqa: RUF001  # the marks of many scripts are the data here
"""Exact money, price texts and the inspect command's lines."""

from decimal import Decimal

import orjson
import pytest
from babel.numbers import get_currency_precision
from typer.testing import CliRunner

from adcat.inspect import app
from streams.extraction.price_text import parse_price
from topics.money import EXPONENTS, BadAmount, Money, TooPrecise, UnknownCurrency, to_money

DISPLAYED_WITHOUT_DECIMALS = {
    "AFN",
    "ALL",
    "COP",
    "HUF",
    "IDR",
    "IQD",
    "IRR",
    "KPW",
    "LAK",
    "LBP",
    "MGA",
    "MMK",
    "RSD",
    "SOS",
    "SYP",
    "YER",
}


def test_the_pinned_exponents_are_those_of_babel_where_cldr_follows_iso() -> None:
    differing = {code for code, digits in EXPONENTS.items() if get_currency_precision(code) != digits}
    assert differing <= DISPLAYED_WITHOUT_DECIMALS


@pytest.mark.parametrize(
    ("text", "code", "minor"),
    [
        ("19.99", "USD", 1999),
        ("1980", "JPY", 1980),
        ("12.345", "KWD", 12345),
        ("67.8400", "EUR", 6784),
        ("185.130001", "EUR", 18513),
    ],
)
def test_money_is_exact_minor_units(text: str, code: str, minor: int) -> None:
    money, rounded = to_money(Decimal(text), code)
    assert (money.amount_minor, rounded) == (minor, text == "185.130001")


@pytest.mark.parametrize(
    ("text", "code", "error"),
    [
        ("19.995", "USD", TooPrecise),
        ("1.5", "JPY", TooPrecise),
        ("1", "ZZZ", UnknownCurrency),
        ("-1", "USD", BadAmount),
        ("NaN", "USD", BadAmount),
        ("1e30", "USD", BadAmount),
    ],
)
def test_what_is_not_exact_money_is_refused(text: str, code: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        to_money(Decimal(text), code)


def test_money_cannot_be_built_with_a_foreign_exponent() -> None:
    with pytest.raises(BadAmount):
        Money(amount_minor=1, currency="JPY", exponent=2)


@pytest.mark.parametrize(
    ("text", "given", "amount", "currency", "kind", "reason"),
    [
        ("1.299,00 €", {}, "1299.00", "EUR", "single", None),
        ("CHF 1’299.50", {}, "1299.50", "CHF", "single", None),
        (",89 €", {}, "0.89", "EUR", "single", None),
        ("2 pairs from $349", {"market": "US"}, "349", "USD", "from", None),
        ("3.350", {}, None, None, "single", "ambiguous_separator"),
        ("1,234,567.890", {}, "1234567.890", None, "single", "no_currency"),
        ("− 5,00 €", {}, None, "EUR", "single", "negative"),
        ("0,00 €", {}, None, "EUR", "single", "zero"),
        ("10 – 20 €", {}, None, "EUR", "range", "range"),
        ("10 USD 20 EUR", {}, None, "USD", "single", "several_amounts"),
        ("$5.00 CAD", {}, "5.00", "CAD", "single", None),
        ("$5.00", {}, "5.00", None, "single", "ambiguous_currency"),
        ("$5.00", {"market": "US"}, "5.00", "USD", "single", None),
        ("£5.00", {"market": "EG"}, "5.00", "EGP", "single", None),
        ("UVP 49,99 €", {}, "49.99", "EUR", "list", None),
        ("4,99 € / 100 ml", {}, "4.99", "EUR", "unit", None),
        ("12x de R$ 99,90", {}, "99.90", "BRL", "instalment", None),
        ("à partir de 5 €", {}, "5", "EUR", "from", None),
        ("₹1,29,999.00", {}, "129999.00", "INR", "single", None),
        ("٩٩٫٥٠ ر.س", {}, "99.50", "SAR", "single", None),
        ("１，９８０円", {}, "1980", "JPY", "single", None),
        ("sold out", {}, None, None, "single", "no_amount"),
    ],
)  # fmt: skip
def test_a_price_text_is_read_or_left_open(  # noqa: PLR0917  # a table row
    text: str, given: dict[str, str], amount: str | None, currency: str | None, kind: str, reason: str | None
) -> None:
    read = parse_price(text, **given)
    assert (None if read.amount is None else str(read.amount), read.currency, read.kind.value, read.reason) == (
        amount,
        currency,
        kind,
        reason,
    )


def lines(command: str, stdin: str) -> list[dict[str, object]]:
    done = CliRunner().invoke(app, [command, "--jsonl"], input=stdin)
    assert done.exit_code == 0
    return [orjson.loads(line) for line in done.stdout.splitlines()]


def test_a_bad_line_is_answered_with_its_field_and_remedy_and_the_run_goes_on() -> None:
    bad, wrong, good = lines("price", '{"text": 4}\nnot json\n{"text": "5 €"}\n')
    assert bad["error"]["field"] == "text"
    assert bad["error"]["remedy"]
    assert wrong["error"]["field"] == "request"  # type: ignore[index]
    assert (good["amount"], good["amount_minor"], good["currency"]) == ("5", 500, "EUR")


def test_gtin_lines() -> None:
    good, bad = lines("gtin", '{"value": "4006381333931"}\n{"value": "4006381333932"}\n')
    assert good == {"valid": True, "gtin14": "04006381333931", "reason": None}
    assert bad == {"valid": False, "gtin14": None, "reason": "bad_check_digit"}


def test_page_lines_name_the_missing_file() -> None:
    (answer,) = lines("page", '{"url": "https://shop.example/p", "path": "/no/such/page.html"}\n')
    assert answer["error"]["field"] == "path"  # type: ignore[index]


def test_unusable_arguments_exit_with_two() -> None:
    assert CliRunner().invoke(app, ["page"]).exit_code == 2
    assert CliRunner().invoke(app, ["page", "/no/such/page.html", "--url", "https://shop.example/p"]).exit_code == 2
