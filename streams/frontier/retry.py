"""When a target is fetched again: backoff, confirmations, refresh (SPEC D8, G5). Pure arithmetic over one row.

Jitter is a hash of target and attempt: the same log gives the same schedule, and retries of different targets do not meet.
"""

import hashlib
from dataclasses import dataclass

from topics.events.policy import MerchantPolicy

ATTEMPTS_MAX = 6
BACKOFF_MS = 10_000
BACKOFF_MS_MAX = 3_600_000
SOON_MS = 1_000
RETRY_AFTER_MS_MAX = 7 * 86_400_000
JITTER_PERCENT = 20

NOT_SENT = frozenset({"permit_expired", "lease_lapsed"})
"""Reasons of `refused` that say nothing about the target: no request was made and another permit may serve it."""
_TROUBLE = frozenset({"blocked", "throttled", "failed", "block_page", "refused"})
_ABSENT = frozenset({"missing", "gone"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """What an outcome does to a row's plan.

    Attributes:
        next_fetch_at_ms: when it is due again.
        attempts: failures in a row.
        misses: absences in a row.
        exhausted: the attempts are used up: quarantine it and come back at the normal interval.
    """

    next_fetch_at_ms: int
    attempts: int = 0
    misses: int = 0
    exhausted: bool = False


def jitter_ms(target_id: str, attempt: int, span_ms: int) -> int:
    """Returns 0 to `span_ms - 1`, fixed by target and attempt."""
    if span_ms <= 0:
        return 0
    digest = hashlib.sha256(f"{target_id}\x1f{attempt}".encode()).digest()
    return int.from_bytes(digest[:8], "big") % span_ms


def backoff_ms(target_id: str, attempt: int, retry_after_ms: int | None) -> int:
    """Returns how long to wait after the `attempt`-th failure in a row (1 is the first).

    Doubling from 10 s to 1 h; never earlier than the server said; jitter only adds.
    """
    assert attempt >= 1
    waited = min(BACKOFF_MS << min(attempt - 1, 20), BACKOFF_MS_MAX)
    waited = max(waited, min(retry_after_ms or 0, RETRY_AFTER_MS_MAX))
    return waited + jitter_ms(target_id, attempt, waited * JITTER_PERCENT // 100)


def was_sent(outcome: str, reason: str) -> bool:
    """False when the worker gave the task back without a request, so that nothing was observed."""
    return not (outcome == "refused" and reason in NOT_SENT)


def schedule(
    target_id: str,
    *,
    outcome: str,
    reason: str,
    retry_after_ms: int | None,
    attempts: int,
    misses: int,
    policy: MerchantPolicy,
    now_ms: int,
) -> Schedule:
    """Returns the plan after an accepted outcome.

    Args:
        target_id: for the jitter.
        outcome: outcome word (SPEC E6).
        reason: the worker's short word; some refusals are no attempt.
        retry_after_ms: what the server asked for.
        attempts: failures in a row before this outcome.
        misses: absences in a row before this outcome.
        policy: of the source; gives refresh interval, miss gap and misses.
        now_ms: broker time of the outcome.
    """
    if not was_sent(outcome, reason):
        soon = now_ms + SOON_MS + jitter_ms(target_id, now_ms, SOON_MS)
        return Schedule(next_fetch_at_ms=soon, attempts=attempts, misses=misses)
    if outcome in _TROUBLE:
        return _after_trouble(
            target_id,
            attempts=attempts + 1,
            misses=misses,
            retry_after_ms=retry_after_ms,
            policy=policy,
            now_ms=now_ms,
        )
    if outcome in _ABSENT:
        confirmed = misses + 1 >= policy.misses_min
        wait_ms = policy.refresh_ms if confirmed else policy.miss_gap_ms
        return Schedule(next_fetch_at_ms=now_ms + wait_ms, misses=misses + 1)
    return Schedule(next_fetch_at_ms=now_ms + policy.refresh_ms)


def _after_trouble(
    target_id: str, *, attempts: int, misses: int, retry_after_ms: int | None, policy: MerchantPolicy, now_ms: int
) -> Schedule:
    wait_ms = backoff_ms(target_id, attempts, retry_after_ms)
    if attempts < ATTEMPTS_MAX:
        return Schedule(next_fetch_at_ms=now_ms + wait_ms, attempts=attempts, misses=misses)
    return Schedule(next_fetch_at_ms=now_ms + max(wait_ms, policy.refresh_ms), misses=misses, exhausted=True)
