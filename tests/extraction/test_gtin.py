"""Numbers that name a trade item of the world's, and numbers with a right check digit that do not."""

import pytest
from stdnum import ean, isbn

from streams.extraction.gtin import check_digit, read_gtin


def full(digits: str) -> str:
    return digits + str(check_digit(digits))


@pytest.mark.parametrize(
    ("text", "gtin14"),
    [
        ("4006381333931", "04006381333931"), ("400638 1333931", "04006381333931"), ("4006381-333931", "04006381333931"), ("EAN: 4006381333931", "04006381333931"),
        ("EAN-13 4006381333931", "04006381333931"), ("ean13:4006381333931", "04006381333931"), ("GTIN-13: 4006381333931", "04006381333931"), ("UPC-A 036000291452", "00036000291452"),
        ("UPC/EAN: 4006381333931", "04006381333931"), ("Barcode: 4006381333931", "04006381333931"), ("JAN 4901234567894", "04901234567894"), ("96385074", "00000096385074"),
        ("ISBN-13: 978-0-306-40615-7", "09780306406157"), ("ISBN-10: 0-306-40615-2", "09780306406157"), ("080442957X", "09780804429573"), ("9771234567003", "09771234567003"),
        ("(01)04006381333931", "04006381333931"), ("https://id.example/01/09506000134352", "09506000134352"), ("urn:gtin:04006381333931", "04006381333931"), ("GTIN-14 14006381333938", "14006381333938"),
        ("\u200f4006381333931\u200f", "04006381333931"), ("\uff14006381333931", "04006381333931"),
    ],
)  # fmt: skip
def test_a_number_is_read_with_its_label_and_its_marks(text: str, gtin14: str) -> None:
    assert read_gtin(text).gtin14 == gtin14


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"), ("EAN:", "empty"), ("n/a", "not_digits"), ("does not apply", "not_digits"), ("-4006381333931", "not_digits"), ("4006381333931 5901234123457", "bad_length"), ("MPN-4006381333931", "not_digits"),
        ("5.0123E+12", "float_notation"), ("4006381333931.0", "float_notation"), ("4,006,381,333,931", "not_digits"), ("36000291452", "bad_length"), ("425261", "bad_length"), ("9" * 5_000, "bad_length"),
        ("4006381333932", "bad_check_digit"), ("0306406153", "bad_check_digit"), ("0000000000000", "all_zero"), ("1111111111116", "placeholder"), ("9999999999994", "placeholder"), ("0000000000017", "placeholder"),
        ("1234567890128", "placeholder"), ("0123456789012", "placeholder"), ("12345670", "placeholder"), (full("200123456789"), "restricted_prefix"), (full("291234567890"), "restricted_prefix"),
        (full("020123456789"), "restricted_prefix"), (full("041234567890"), "restricted_prefix"), (full("21234567890"), "restricted_prefix"), (full("0123459"), "restricted_prefix"), (full("2012345"), "restricted_prefix"),
        (full("051234567890"), "coupon_prefix"), (full("980123456789"), "coupon_prefix"), (full("981123456789"), "coupon_prefix"), (full("990123456789"), "coupon_prefix"),
    ],
)  # fmt: skip
def test_what_names_no_trade_item_is_refused(text: str, reason: str) -> None:
    read = read_gtin(text)
    assert (read.valid, read.gtin14, read.reason) == (False, None, reason)


@pytest.mark.parametrize(
    "text", ["7501031311309", "9780471117094", "0471117099", "4006381333932", "750103AAAA309", "73513537"]
)
def test_the_check_digits_are_those_of_another_library(text: str) -> None:
    assert read_gtin(text).valid == (isbn.is_valid(text) if len(text) == 10 else ean.is_valid(text))
