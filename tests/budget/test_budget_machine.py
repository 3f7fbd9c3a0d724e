"""The budget under crashes, repeats and lost returns, against a model that only counts (DESIGN §10, invariant I4)."""

from itertools import pairwise

import hypothesis.strategies as st
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from streams.budget.stage import BUDGET
from tests.frontier.machinery import Partition
from tests.frontier.world import START_MS, named
from topics import specs
from topics.events.crawl import Permit, PermitReturned, PermitsGranted, PermitsRequested

KEY = "site"
INTERVAL_MS = 500
CONCURRENCY = 3
REQUEST_MS = 60_000


class Budget(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.now_ms = START_MS
        self.inbox = Partition(stage=BUDGET, send=self.sent)
        self.granted: dict[str, Permit] = {}
        self.in_flight: dict[str, Permit] = {}
        self.returns: list[PermitReturned] = []
        self.quiet_until_ms = 0

    def sent(self, emit):
        if emit.topic == specs.BUDGET_EVENT:
            self.inbox.append(emit.event, self.now_ms)
            return
        for permit in emit.event.permits:
            if permit.permit_id in self.granted:
                assert self.granted[permit.permit_id] == permit
                continue
            self.granted[permit.permit_id] = permit
            self.in_flight[permit.permit_id] = permit
            assert permit.not_before_ms >= self.quiet_until_ms, "a slot before the site's Retry-After"

    @initialize()
    def own(self):
        self.inbox.start_owner(self.now_ms)
        self.inbox.run()

    @rule(merchant=st.sampled_from(["a", "b", "c"]), wanted=st.integers(0, 20), term=st.integers(1, 3))
    def a_frontier_wishes(self, merchant, wanted, term):
        limits = {"interval_ms": INTERVAL_MS, "concurrency_max": CONCURRENCY}
        self.put(named(PermitsRequested, budget_key=KEY, merchant=merchant, term=term, wanted=wanted, **limits))

    @rule(ms=st.sampled_from([200, 1_000, 5_000, 40_000, 93_000]))
    def time_passes(self, ms):
        for _ in range(5):
            self.now_ms += ms // 5
            self._lapse()
            self.inbox.tick(self.now_ms)
            self.inbox.run()

    @rule(
        data=st.data(),
        word=st.sampled_from(["page", "failed", "unused", "throttled"]),
        after=st.sampled_from([None, 3_000]),
    )
    def a_permit_comes_back(self, data, word, after):
        if self.in_flight:
            permit = self.in_flight.pop(data.draw(st.sampled_from(sorted(self.in_flight))))
            retry_after_ms = after if word == "throttled" else None
            event = named(
                PermitReturned,
                budget_key=KEY,
                merchant="a",
                permit_id=permit.permit_id,
                outcome=word,
                retry_after_ms=retry_after_ms,
            )
            self.returns.append(event)
            if retry_after_ms:
                self.quiet_until_ms = max(self.quiet_until_ms, self.now_ms + retry_after_ms)
            self.put(event)

    @rule(data=st.data())
    def a_return_is_repeated(self, data):
        if self.returns:
            self.put(data.draw(st.sampled_from(self.returns)))

    @rule(data=st.data())
    def a_frozen_former_owner_repeats_a_proposal(self, data):
        proposals = [event for _, event in self.inbox.log if isinstance(event, PermitsGranted)]
        if proposals:
            self.put(data.draw(st.sampled_from(proposals)))

    @rule(
        sends=st.integers(0, 3),
        flushed=st.integers(0, 3),
        new_machine=st.booleans(),
        rewound=st.integers(0, 4),
        wanted=st.integers(1, 9),
    )
    def the_controller_crashes(self, sends, flushed, new_machine, rewound, wanted):
        self.now_ms += 100
        self._lapse()
        limits = {"interval_ms": INTERVAL_MS, "concurrency_max": CONCURRENCY}
        wish = named(PermitsRequested, budget_key=KEY, merchant="a", term=3, wanted=wanted, **limits)
        self.inbox.append(wish, self.now_ms)
        self.inbox.crash_in_step(9, 9)  # the wish itself is handled; its proposal stands in the log
        self.inbox.committed += 1
        if self.inbox.committed < len(self.inbox.log):
            self.inbox.crash_in_step(sends, flushed)
        self.inbox.committed = max(0, self.inbox.committed - rewound)
        if new_machine:
            self.inbox.rows.lose_private()
        self.inbox.start_owner(self.now_ms)
        self.inbox.run()

    @invariant()
    def no_site_sees_more_than_its_concurrency(self):
        assert len(self.in_flight) <= CONCURRENCY

    @invariant()
    def no_site_sees_more_than_its_rate(self):
        times = sorted(permit.not_before_ms for permit in self.granted.values())
        assert all(later - earlier >= INTERVAL_MS for earlier, later in pairwise(times))

    def teardown(self):
        """When faults stop, a wish is granted again: a crash or a lost return never stops a site for good."""
        if not self.inbox.owners:
            return
        before = len(self.granted)
        self.now_ms += 1_000_000
        self._lapse()
        limits = {"interval_ms": INTERVAL_MS, "concurrency_max": CONCURRENCY}
        self.put(named(PermitsRequested, budget_key=KEY, merchant="a", term=9, wanted=1, **limits))
        for _ in range(40):
            self.now_ms += 1_000
            self._lapse()
            self.inbox.tick(self.now_ms)
            self.inbox.run()
        assert len(self.granted) > before

    def put(self, event):
        self.inbox.append(event, self.now_ms)
        self.inbox.run()

    def _lapse(self):
        for name, permit in list(self.in_flight.items()):
            if permit.expires_at_ms + REQUEST_MS <= self.now_ms:
                del self.in_flight[name]


TestBudget = Budget.TestCase
TestBudget.settings = settings(max_examples=60, stateful_step_count=30, deadline=None, derandomize=True)
