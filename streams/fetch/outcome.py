"""What an answer means: outcome words of SPEC E6 from status, headers and errors. Pure; time is an argument."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from streams.fetch.exchange import Answer
from topics.urls import resolve

RETRY_AFTER_MS_MAX = 30 * 86_400_000
_REDIRECTS = (301, 302, 303, 307, 308)
_WORDS = {404: "missing", 410: "gone", 401: "blocked", 403: "blocked", 429: "throttled"}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_TIME = r"(?P<hour>\d{2}):(?P<minute>\d{2}):(?P<second>\d{2})"
# RFC 9110 5.6.7: a recipient reads all three; `email.utils` alone accepts far more than these.
_DATES = (
    re.compile(rf"[A-Z][a-z]{{2}}, (?P<day>\d{{2}}) (?P<month>[A-Z][a-z]{{2}}) (?P<year>\d{{4}}) {_TIME} GMT\Z"),
    re.compile(rf"[A-Z][a-z]{{5,8}}, (?P<day>\d{{2}})-(?P<month>[A-Z][a-z]{{2}})-(?P<year>\d{{2}}) {_TIME} GMT\Z"),
    re.compile(rf"[A-Z][a-z]{{2}} (?P<month>[A-Z][a-z]{{2}}) (?P<day>[ \d]\d) {_TIME} (?P<year>\d{{4}})\Z"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """An answer in the words of SPEC E6.

    Attributes:
        outcome: outcome word; a block page is told later, by parsing.
        reason: short word for operators.
        retry_after_ms: how long the site asked to be left alone, for `throttled` only.
        redirect_to: absolute URL for `redirected` only.
    """

    outcome: str
    reason: str
    retry_after_ms: int | None = None
    redirect_to: str | None = None


def verdict(answer: Answer, url: str, now_ms: int, *, conditional: bool) -> Verdict:
    """Returns what an answer means.

    Args:
        answer: of the one request that was made.
        url: the URL that was requested; `Location` is resolved against it.
        now_ms: wall clock, for a `Retry-After` date.
        conditional: validators were sent, so that 304 means something.
    """
    if answer.error is not None:
        return Verdict(outcome="refused" if answer.refused else "failed", reason=answer.error)
    status = answer.status
    assert status is not None, "an answer has a status or an error"
    if status == 200:
        return Verdict(outcome="page", reason="ok")
    if status == 304:
        return Verdict(outcome="not_modified" if conditional else "failed", reason="status_304")
    if status in _REDIRECTS:
        return _redirected(answer, url)
    wait_ms = retry_after_ms(answer.headers.get("retry-after"), now_ms)
    if status == 503 and wait_ms is not None:
        return Verdict(outcome="throttled", reason="status_503", retry_after_ms=wait_ms)
    word = _WORDS.get(status, "failed")
    return Verdict(outcome=word, reason=f"status_{status}", retry_after_ms=wait_ms if word == "throttled" else None)


def _redirected(answer: Answer, url: str) -> Verdict:
    location = answer.headers.get("location")
    target = resolve(url, location) if location else None
    if target is None:
        return Verdict(outcome="failed", reason="location_missing" if not location else "location_not_followed")
    return Verdict(outcome="redirected", reason=f"status_{answer.status}", redirect_to=target)


def retry_after_ms(value: str | None, now_ms: int) -> int | None:
    """Returns the wait a `Retry-After` asks for in ms (RFC 9110 10.2.3), 0 to 30 days, or None when it says nothing.

    Args:
        value: seconds or an HTTP date.
        now_ms: wall clock that a date is compared with; a past date means 0.
    """
    text = (value or "").strip()
    if text.isascii() and text.isdecimal():
        return min(int(text[:10]) * 1_000, RETRY_AFTER_MS_MAX)
    at_ms = http_date_ms(text)
    return None if at_ms is None else max(0, min(at_ms - now_ms, RETRY_AFTER_MS_MAX))


def http_date_ms(text: str) -> int | None:
    """Returns an HTTP date in any of its three notations as ms since the epoch, or None (RFC 9110 5.6.7)."""
    found = next((match for match in (pattern.match(text) for pattern in _DATES) if match), None)
    if found is None or found["month"].lower() not in _MONTHS:
        return None
    year = int(found["year"])
    if len(found["year"]) == 2:
        year += 2000 if year < 70 else 1900
    month = _MONTHS.index(found["month"].lower()) + 1
    second = min(int(found["second"]), 59)  # a leap second
    try:
        moment = datetime(year, month, int(found["day"]), int(found["hour"]), int(found["minute"]), second, tzinfo=UTC)
    except ValueError:
        return None
    return int(moment.timestamp() * 1_000)
