"""Answers become the words of SPEC E6, and `Retry-After` is read in all its notations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.fetch.exchange import Answer
from streams.fetch.limits import BodyReader, BodyRefused, FetchLimits
from streams.fetch.outcome import RETRY_AFTER_MS_MAX, http_date_ms, retry_after_ms, verdict

URL = "https://shop.example/a/b"
NOW_MS = 1_767_225_600_000  # 2026-01-01T00:00:00Z


@pytest.mark.parametrize(
    ("status", "headers", "outcome", "reason"),
    [
        (200, {}, "page", "ok"),
        (204, {}, "failed", "status_204"),
        (206, {}, "failed", "status_206"),
        (300, {"location": "/x"}, "failed", "status_300"),
        (301, {"location": "/x"}, "redirected", "status_301"),
        (302, {}, "failed", "location_missing"),
        (307, {"location": "ftp://shop.example/"}, "failed", "location_not_followed"),
        (308, {"location": "http://user@h.example/"}, "failed", "location_not_followed"),
        (304, {}, "failed", "status_304"),
        (400, {}, "failed", "status_400"),
        (401, {}, "blocked", "status_401"),
        (403, {}, "blocked", "status_403"),
        (404, {}, "missing", "status_404"),
        (410, {}, "gone", "status_410"),
        (418, {}, "failed", "status_418"),
        (429, {}, "throttled", "status_429"),
        (500, {"retry-after": "9"}, "failed", "status_500"),
        (503, {}, "failed", "status_503"),
        (503, {"retry-after": "soon"}, "failed", "status_503"),
        (503, {"retry-after": "9"}, "throttled", "status_503"),
    ],
)
def test_every_status_has_its_word(status: int, headers: dict[str, str], outcome: str, reason: str) -> None:
    found = verdict(Answer(status=status, headers=headers), URL, NOW_MS, conditional=False)
    assert (found.outcome, found.reason) == (outcome, reason)


def test_not_modified_means_something_only_when_validators_were_sent() -> None:
    assert verdict(Answer(status=304), URL, NOW_MS, conditional=True).outcome == "not_modified"


def test_an_error_wins_over_the_status() -> None:
    assert verdict(Answer(status=200, error="ratio"), URL, NOW_MS, conditional=False).outcome == "failed"
    refused = verdict(Answer(error="address_private", refused=True), URL, NOW_MS, conditional=False)
    assert (refused.outcome, refused.reason) == ("refused", "address_private")


def test_a_redirect_is_resolved_against_the_request() -> None:
    found = verdict(Answer(status=302, headers={"location": "../x#y"}), URL, NOW_MS, conditional=False)
    assert found.redirect_to == "https://shop.example/x"


def test_a_throttled_answer_says_how_long() -> None:
    found = verdict(Answer(status=429, headers={"retry-after": "120"}), URL, NOW_MS, conditional=False)
    assert found.retry_after_ms == 120_000
    found = verdict(Answer(status=404, headers={"retry-after": "120"}), URL, NOW_MS, conditional=False)
    assert found.retry_after_ms is None


@pytest.mark.parametrize(
    ("value", "wait_ms"),
    [
        (None, None),
        ("", None),
        ("0", 0),
        (" 120 ", 120_000),
        ("99999999999999999999", RETRY_AFTER_MS_MAX),
        ("-1", None),
        ("1.5", None),
        ("1e3", None),
        ("\u0661\u0662", None),
        ("Thu, 01 Jan 2026 00:01:00 GMT", 60_000),
        ("Thursday, 01-Jan-26 00:01:00 GMT", 60_000),
        ("Thu Jan  1 00:01:00 2026", 60_000),
        ("Thu, 01 Jan 2026 00:00:60 GMT", 59_000),
        ("Wed, 31 Dec 2025 00:00:00 GMT", 0),
        ("Fri, 01 Jan 2100 00:00:00 GMT", RETRY_AFTER_MS_MAX),
        ("Monday, 01-Jan-99 00:00:00 GMT", 0),
        ("Thu, 31 Feb 2026 00:00:00 GMT", None),
        ("Thu, 01 Foo 2026 00:00:00 GMT", None),
        ("Thu, 01 Jan 2026 00:01:00 PST", None),
        ("Thu, 01 Jan 2026 00:01:00 +0000", None),
        ("tomorrow", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(value: str | None, wait_ms: int | None) -> None:
    assert retry_after_ms(value, NOW_MS) == wait_ms


@given(st.text(max_size=40))
def test_retry_after_never_raises_and_is_bounded(value: str) -> None:
    wait_ms = retry_after_ms(value, NOW_MS)
    assert wait_ms is None or 0 <= wait_ms <= RETRY_AFTER_MS_MAX
    assert http_date_ms(value) is None or isinstance(http_date_ms(value), int)


def test_a_body_is_cut_only_where_the_limits_say_so() -> None:
    reader = BodyReader(None, FetchLimits(decoded_bytes_max=10, cut=True))
    reader.feed(b"0123456789")
    assert not reader.full
    reader.feed(b"x")
    assert reader.full
    assert reader.finish() == b"0123456789"
    with pytest.raises(BodyRefused, match="too_many_bytes"):
        BodyReader(None, FetchLimits(decoded_bytes_max=10)).feed(b"0123456789x")


@pytest.mark.parametrize("coding", ["br", "gzip, gzip", "compress", "zstd"])
def test_a_coding_we_did_not_ask_for_is_refused(coding: str) -> None:
    with pytest.raises(BodyRefused, match="unsupported_coding"):
        BodyReader(coding, FetchLimits())


def test_an_empty_body_needs_no_coding() -> None:
    assert BodyReader("gzip", FetchLimits()).finish() == b""
    assert BodyReader("identity", FetchLimits()).finish() == b""
