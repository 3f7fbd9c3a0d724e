"""What the budget controller does, one sentence each."""

from itertools import pairwise

import pytest

from streams.budget.pace import (
    CALM_ANSWERS,
    CALM_MS,
    HOLD_OFF_MS,
    HORIZON_MS,
    PERMIT_LIFE_MS,
    REQUEST_MS_MAX,
    WISH_KEPT_MS,
)
from streams.budget.stage import BUDGET
from tests.frontier.machinery import Partition
from tests.frontier.world import START_MS, named
from topics import specs
from topics.events.crawl import PermitReturned, PermitsGranted, PermitsRequested


class Controller:
    """The stage on one partition, with what it sent to the frontier."""

    def __init__(self, since: int = 0) -> None:
        self.now_ms = START_MS
        self.inbox = Partition(stage=BUDGET, send=self._send)
        self.grants: list[PermitsGranted] = []
        self.served = 0
        for _ in range(since):
            self.inbox.tick(self.now_ms)
        self.inbox.committed = since
        self.inbox.start_owner(self.now_ms)
        self.inbox.run()

    def _send(self, emit) -> None:
        if emit.topic == specs.BUDGET_EVENT:
            self.inbox.append(emit.event, self.now_ms)
        else:
            self.grants.append(emit.event)

    @property
    def permits(self):
        return [permit for grant in self.grants for permit in grant.permits]

    def wish(self, merchant="a", wanted=50, interval_ms=1_000, concurrency_max=2, term=1) -> None:
        limits = {"interval_ms": interval_ms, "concurrency_max": concurrency_max}
        self.put(named(PermitsRequested, budget_key="site", merchant=merchant, term=term, wanted=wanted, **limits))

    def give_back(self, permit, outcome="page", **more) -> None:
        self.put(
            named(
                PermitReturned,
                budget_key="site",
                merchant="a",
                permit_id=permit.permit_id,
                outcome=outcome,
                **more,
            )
        )

    def put(self, event) -> None:
        self.inbox.append(event, self.now_ms)
        self.inbox.run()

    def pass_ms(self, ms: int, step_ms: int = 200) -> None:
        end_ms = self.now_ms + ms
        while self.now_ms < end_ms:
            self.now_ms += step_ms
            self.inbox.tick(self.now_ms)
            self.inbox.run()

    def serve(self, ms: int, outcome="page", **more) -> None:
        """Lets time pass while every permit comes back a step after it was granted."""
        end_ms = self.now_ms + ms
        while self.now_ms < end_ms:
            waiting = self.permits[self.served :]
            self.served += len(waiting)
            for permit in waiting:
                self.give_back(permit, outcome, **more)
            self.pass_ms(200)

    @property
    def row(self):
        return self.inbox.rows.get("budgets", b"site")


def test_durable_tables_are_those_of_the_topic_table():
    assert tuple(spec.name for spec in BUDGET.tables if spec.durable) == specs.TABLES["budget"]


def test_slots_are_spaced_by_the_interval_and_near():
    site = Controller()
    site.wish(concurrency_max=9)
    assert [permit.not_before_ms - START_MS for permit in site.permits] == [0, 1_000, 2_000]
    assert all(permit.not_before_ms <= START_MS + HORIZON_MS for permit in site.permits)
    assert all(permit.expires_at_ms == permit.not_before_ms + PERMIT_LIFE_MS for permit in site.permits)


def test_concurrency_counts_what_is_out_and_a_return_frees_it():
    site = Controller()
    site.wish(concurrency_max=2)
    site.pass_ms(10_000)
    assert len(site.permits) == 2
    site.give_back(site.permits[0])
    assert len(site.permits) == 3


def test_a_lost_return_frees_at_expiry_plus_the_longest_request():
    site = Controller()
    site.wish(concurrency_max=1)
    site.pass_ms(PERMIT_LIFE_MS + REQUEST_MS_MAX)
    assert len(site.permits) == 1
    site.pass_ms(5_000)
    assert len(site.permits) == 2


def test_a_return_is_idempotent():
    site = Controller()
    site.wish(concurrency_max=2)
    site.pass_ms(3_000)
    first = site.permits[0]
    for _ in range(5):
        site.give_back(first)
    site.pass_ms(10_000)
    assert len(site.permits) == 3


def test_the_strictest_requester_sets_the_limits():
    site = Controller()
    site.wish("a", interval_ms=100, concurrency_max=9)
    site.wish("b", interval_ms=2_000, concurrency_max=1)
    assert site.row.outstanding
    site.serve(40_000)
    times = sorted(permit.not_before_ms for permit in site.permits if permit.not_before_ms > START_MS + 2_000)
    assert all(later - earlier >= 2_000 for earlier, later in pairwise(times))


def test_merchants_of_one_budget_are_served_in_turn():
    site = Controller()
    for name in ("a", "b", "c"):
        site.wish(name, interval_ms=100, concurrency_max=3)
    site.serve(10_000)
    counts = [sum(len(grant.permits) for grant in site.grants if grant.merchant == name) for name in ("a", "b", "c")]
    assert max(counts) - min(counts) <= 3


def test_a_wish_replaces_the_earlier_one_and_zero_takes_it_back():
    site = Controller()
    site.wish(concurrency_max=1)
    site.wish(wanted=0, concurrency_max=1)
    site.give_back(site.permits[0])
    site.pass_ms(5_000)
    assert len(site.permits) == 1


def test_a_wish_of_an_older_term_changes_nothing():
    site = Controller()
    site.wish(term=2, concurrency_max=1)
    site.wish(term=1, wanted=0, concurrency_max=1)
    site.give_back(site.permits[0])
    site.pass_ms(5_000)
    assert [permit.term for permit in site.permits] == [2, 2]


def test_a_throttle_never_raises_throughput():
    calm, angry = Controller(), Controller()
    for site, word in ((calm, "page"), (angry, "throttled")):
        site.wish(interval_ms=200, concurrency_max=4)
        for _ in range(60):
            site.wish(interval_ms=200, concurrency_max=4)
            site.serve(1_000, word)
    assert len(angry.permits) * 5 < len(calm.permits)


def test_a_burst_in_flight_cuts_the_rate_once():
    site = Controller()
    site.wish(interval_ms=100, concurrency_max=4)
    site.pass_ms(1_000)
    burst = site.permits[:4]
    for permit in burst:
        site.now_ms += 10
        site.give_back(permit, "throttled")
    assert site.row.slow == 1


def test_calm_answers_forgive_a_level():
    site = Controller()
    site.wish(interval_ms=100, concurrency_max=1)
    site.give_back(site.permits[0], "throttled")
    site.served = 1
    assert site.row.slow == 1
    site.serve(60_000)
    assert site.row.slow == 0
    assert len(site.permits) >= CALM_ANSWERS


def test_time_forgives_a_level():
    site = Controller()
    site.wish(interval_ms=100, concurrency_max=1)
    site.give_back(site.permits[0], "throttled")
    site.now_ms += CALM_MS
    site.wish(interval_ms=100, concurrency_max=1)
    assert site.row.slow == 0


def test_no_slot_comes_before_retry_after():
    site = Controller()
    site.wish(concurrency_max=1)
    site.give_back(site.permits[0], "throttled", retry_after_ms=60_000)
    site.served = 1
    asked_ms = site.now_ms
    site.serve(100_000)
    assert site.permits[1].not_before_ms >= asked_ms + 60_000


def test_a_grant_passes_through_its_own_inbox_before_it_leaves():
    site = Controller()
    site.inbox.append(
        named(
            PermitsRequested,
            budget_key="site",
            merchant="a",
            term=1,
            wanted=1,
            interval_ms=1_000,
            concurrency_max=1,
        ),
        site.now_ms,
    )
    site.inbox.step()
    assert site.grants == []
    assert isinstance(site.inbox.log[-1][1], PermitsGranted)
    site.inbox.step()
    assert len(site.permits) == 1


def test_a_permit_is_granted_once_however_often_its_proposal_is_repeated():
    site = Controller()
    site.wish(concurrency_max=9)
    proposal = next(event for _, event in site.inbox.log if isinstance(event, PermitsGranted))
    before = len(site.permits)
    for _ in range(3):
        site.put(proposal)
    assert len(site.permits) == before


@pytest.mark.parametrize("flushed", [0, 1])
def test_a_crash_between_send_and_write_sends_the_same_grant_again(flushed):
    site = Controller()
    limits = {"interval_ms": 1_000, "concurrency_max": 1}
    wish = named(PermitsRequested, budget_key="site", merchant="a", term=1, wanted=5, **limits)
    site.inbox.append(wish, site.now_ms)
    site.inbox.step()
    site.inbox.crash_in_step(sends=1, flushed=flushed)
    site.inbox.start_owner(site.now_ms)
    site.inbox.run()
    assert len(site.permits) == 2
    assert len({permit.permit_id for permit in site.permits}) == 1
    assert len(site.row.outstanding) == 1


def test_a_restart_with_recovered_rows_needs_no_hold_off():
    site = Controller()
    site.wish(concurrency_max=1)
    site.inbox.rows.lose_private()
    site.inbox.start_owner(site.now_ms)
    site.inbox.run()
    site.give_back(site.permits[0])
    site.pass_ms(1_500)
    assert len(site.permits) == 2


def test_a_restart_still_counts_what_was_out():
    site = Controller()
    site.wish(concurrency_max=1)
    site.inbox.start_owner(site.now_ms)
    site.pass_ms(PERMIT_LIFE_MS + REQUEST_MS_MAX)
    assert len(site.permits) == 1


def test_a_state_that_does_not_reach_back_to_the_beginning_holds_off():
    site = Controller(since=5)
    site.wish(concurrency_max=9)
    site.pass_ms(HOLD_OFF_MS - 3_000, step_ms=1_000)
    assert site.permits == []
    site.pass_ms(6_000, step_ms=1_000)
    assert site.permits
    assert min(permit.not_before_ms for permit in site.permits) >= START_MS + HOLD_OFF_MS


def test_ticks_of_anyone_but_the_owner_and_a_controller_without_owner_grant_nothing():
    site = Controller()
    site.wish(concurrency_max=9, interval_ms=10_000)
    site.inbox.owners += 1
    site.pass_ms(15_000)
    assert len(site.permits) == 1
    site.inbox.start_owner(site.now_ms)
    site.pass_ms(1_000)
    assert len(site.permits) == 2


def test_a_repeated_proposal_does_not_forget_the_one_under_way():
    site = Controller()
    site.wish(concurrency_max=2, interval_ms=5_000)
    old = next(event for _, event in site.inbox.log if isinstance(event, PermitsGranted))
    site.now_ms += 5_000
    site.inbox.append(old, site.now_ms)
    site.inbox.tick(site.now_ms)
    site.inbox.log[-1], site.inbox.log[-2] = site.inbox.log[-2], site.inbox.log[-1]
    site.inbox.step()
    under_way = site.row.proposed
    site.inbox.step()
    assert under_way
    assert site.row.proposed == under_way
    site.inbox.run()
    assert len(site.permits) == 2


def test_a_throttle_that_outlives_its_wish_still_slows_the_site():
    site = Controller()
    site.wish(concurrency_max=1)
    site.give_back(site.permits[0])
    site.now_ms += WISH_KEPT_MS - 1_000
    site.inbox.tick(site.now_ms)
    site.inbox.run()
    late = site.permits[-1]
    site.give_back(site.permits[1])
    site.pass_ms(400)
    late = site.permits[-1]
    site.now_ms += 1_000
    site.give_back(late, "throttled")
    assert site.row.wishes == ()
    assert site.row.slow == 1
