"""Admission control: what a site permits a day against what its refresh commitments need (SPEC B6). Integers throughout."""

from dataclasses import dataclass
from typing import Final

from control.request import SourceRequest
from topics.events.policy import DAY_MS

# Requests beside the refreshes themselves, per thousand of them. Planning figures until measured ones replace them.
DISCOVERY_PER_MILLE: Final = 100  # sitemaps, listings, robots.txt, confirmations
RETRY_PER_MILLE: Final = 50
MEDIA_PER_MILLE: Final = 100  # only with media origins: images change far less often than prices
WAYS_OUT: Final = (
    "negotiate capacity: a shorter interval_ms agreed with the site",
    "take a prioritized subset: a smaller urls_expected",
    "lower the commitment: a longer refresh_ms, and the field_age_ms_max that allows it",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity:
    """Admission figures of one source, in requests a day.

    Attributes:
        permitted_per_day: what the site budget lets through.
        committed_per_day: what this source's refreshes need, discovery, retries and media included.
        others_per_day: what other sources under the same budget key need.
        refresh_ms: how often each expected URL is observed again, as asked for or derived from the maximum age.
        shortfall_per_day: what is missing; 0 when all commitments fit.
        cycle_ms: how long one pass over the expected URLs takes when this source has the whole budget.
        ways_out: what to do about a shortfall; empty without one.
    """

    permitted_per_day: int
    committed_per_day: int
    others_per_day: int
    refresh_ms: int
    shortfall_per_day: int
    cycle_ms: int
    ways_out: tuple[str, ...]


def committed_per_day(request: SourceRequest) -> int:
    """Returns the requests a day that the refresh commitment costs, rounded up."""
    urls = request.urls_max if request.urls_expected is None else request.urls_expected
    overhead = DISCOVERY_PER_MILLE + RETRY_PER_MILLE + (MEDIA_PER_MILLE if request.media_origins else 0)
    return -(-urls * DAY_MS * (1_000 + overhead) // (request.refreshed_every_ms * 1_000))


def admission(request: SourceRequest, others_per_day: int) -> Capacity:
    """Returns the figures; a shortfall is reported, with the three ways out, before the commitment is accepted."""
    permitted = DAY_MS // request.interval_ms
    committed = committed_per_day(request)
    shortfall = max(0, committed + others_per_day - permitted)
    urls = request.urls_max if request.urls_expected is None else request.urls_expected
    return Capacity(
        permitted_per_day=permitted,
        committed_per_day=committed,
        others_per_day=others_per_day,
        refresh_ms=request.refreshed_every_ms,
        shortfall_per_day=shortfall,
        cycle_ms=urls * request.interval_ms,
        ways_out=WAYS_OUT if shortfall else (),
    )
