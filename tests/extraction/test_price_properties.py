"""A formatted amount is read back or refused, never read as another; what a reader cannot see changes nothing; any text ends."""

import time
from decimal import Decimal

import pytest
from babel import Locale, UnknownLocaleError
from babel.localedata import locale_identifiers
from babel.numbers import format_currency, format_decimal
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from streams.extraction.numerals import TEXT_CHARS_MAX
from streams.extraction.price_text import parse_amounts, parse_price
from streams.extraction.signs import MARKETS
from topics.money import EXPONENTS

RELAXED = settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
SECONDS_MAX = 0.25


def _locales() -> list[Locale]:
    out = []
    for name in locale_identifiers():
        try:
            locale = Locale.parse(name)
        except (ValueError, UnknownLocaleError):
            continue
        if locale.territory in MARKETS:
            out.append(locale)
    return out


LOCALES = _locales()
UNSEEN = st.sampled_from(["\u200e", "\u200f", "\u200b", "\ufeff", "\u2066", "\u2069", "\u202a", "\u202c", "\u00ad"])
SHAPES = st.sampled_from(["standard", "accounting", "name"])
PARTS = st.sampled_from([
    *"0123456789.,'-/:()%+x ", "\u202f", "$", "€", "£", "kr", "円", "zł", "EUR", "USD", "TRY", "Rs.", "was ", "from ", "ab ", "statt ", "ex VAT", "inc VAT",
    "per ", "/kg", " to ", "税込", "от ", "&euro;", "½", "k", "*",
])  # fmt: skip


@st.composite
def amounts(draw: st.DrawFn) -> tuple[Decimal, str]:
    """An amount above zero with decimals that its currency has."""
    currency = draw(st.sampled_from(sorted({*MARKETS.values()})))
    places = 0 if currency == "IQD" else EXPONENTS[currency]  # its fils went out of use: 25.000 IQD are 25,000
    whole = draw(st.integers(0, 9_999) | st.integers(0, 99_999_999))
    minor = draw(st.sampled_from([0, 10**places // 2, 10**places - 1]) | st.integers(0, 10**places - 1))
    return Decimal(max(whole * 10**places + minor, 1)).scaleb(-places), currency


@RELAXED
@given(amounts(), st.sampled_from(LOCALES), SHAPES, st.booleans())
def test_a_formatted_price_is_read_back_or_refused(
    money: tuple[Decimal, str], locale: Locale, shape: str, hinted: bool
) -> None:
    amount, currency = money
    text = format_currency(
        amount, currency, locale=locale, format_type=shape, currency_digits=False, decimal_quantization=False
    )  # type: ignore[arg-type]
    read = parse_price(text, market=locale.territory, currency_hint=currency if hinted else None)
    assert read.amount in (None, amount), text
    if read.currency is not None and read.amount is not None and shape != "name":
        assert read.currency == currency or "$" in text or "£" in text or "¥" in text or "kr" in text or hinted, text


@RELAXED
@given(amounts(), st.sampled_from(LOCALES))
def test_a_formatted_number_is_read_back_or_refused(money: tuple[Decimal, str], locale: Locale) -> None:
    amount, currency = money
    text = format_decimal(amount, locale=locale, decimal_quantization=False)
    assert parse_price(text, market=locale.territory, currency_hint=currency).amount in (None, amount), text


@RELAXED
@given(amounts(), st.sampled_from(LOCALES), st.lists(UNSEEN, max_size=3), st.data())
def test_marks_that_nobody_sees_change_nothing(
    money: tuple[Decimal, str], locale: Locale, marks: list[str], data: st.DataObject
) -> None:
    text = format_currency(money[0], money[1], locale=locale)
    marked = text
    for mark in marks:
        at = data.draw(st.integers(0, len(marked)))
        marked = marked[:at] + mark + marked[at:]
    assert parse_price(marked, market=locale.territory) == parse_price(text, market=locale.territory)


@RELAXED
@given(st.lists(PARTS, max_size=30).map("".join), st.sampled_from([None, "US", "DE", "JP", "KW", "SE", "IN"]))
def test_space_around_a_text_changes_nothing(text: str, market: str | None) -> None:
    assert parse_price(f" \t{text}\u00a0\n", market=market) == parse_price(text.strip(), market=market)


@RELAXED
@given(st.text(max_size=300) | st.lists(PARTS, max_size=60).map("".join), st.sampled_from([None, "EUR", "JPY", "TND"]))
def test_every_text_is_read_or_refused_with_a_reason(text: str, hint: str | None) -> None:
    read = parse_price(text, currency_hint=hint, market="DE")
    assert (read.amount is None) <= (read.reason is not None)
    assert read.amount is None or read.amount > 0
    assert all(one.amount is None or one.amount > 0 for one in parse_amounts(text, currency_hint=hint))


@pytest.mark.parametrize(
    "unit", ["1", "1 ", "1.", "1,", "$", "$1 ", "1 € ", "- ", "(", "&euro;", "from ", "a 1 ", "\uff11", "円", "1 x ", "% ", "\u200f", "11 € 11 "]
)  # fmt: skip
def test_a_long_text_costs_no_time(unit: str) -> None:
    begun = time.process_time()
    for text in (unit * 10_000, unit * (TEXT_CHARS_MAX // len(unit)), "9" * 10_000 + unit):
        parse_price(text, market="FR")
        parse_amounts(text, currency_hint="EUR")
    assert time.process_time() - begun < SECONDS_MAX


def test_a_number_cut_by_the_limit_is_no_price() -> None:
    text = "a" * (TEXT_CHARS_MAX - 3) + " $123456"
    assert parse_price(text, market="US").amount is None
