"""The lease under drops, repeats, reordering, lapses and crashes: hypothesis against the invariants of DESIGN §10."""

from collections import Counter

import hypothesis.strategies as st
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from streams.frontier.index import due_key, read_ready_key
from tests.frontier.world import World, command, link, links, outcome_of, policy
from topics.events.crawl import FetchOutcome, FetchTask, PageObserved, PermitReturned, PermitsGranted
from topics.fence import Fence

WORDS = ("page", "not_modified", "missing", "gone", "blocked", "throttled", "failed", "block_page")


met: Counter[str] = Counter()


class Lease(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.world = World(auto=False)
        self.held: list[tuple[FetchTask, FetchOutcome]] = []
        self.past: list[FetchOutcome] = []
        self.admitted: set[str] = set()

    @initialize()
    def crawl(self):
        self.world.start()
        self.world.tell(policy(refresh_ms=600_000, miss_gap_ms=60_000, interval_ms=50), command("crawl"))
        self.world.auto = True
        self.world.pass_ms(2_000)
        self.world.auto = False
        self.links_are_found(numbers=[0, 1, 2, 3], hint="product")
        self.world.pass_ms(1_000)
        met["runs"] += 1

    @rule(ms=st.sampled_from([200, 1_000, 31_000, 121_000]))
    def time_passes(self, ms):
        self.world.pass_ms(ms, step_ms=max(200, ms // 3))

    @rule(numbers=st.lists(st.integers(0, 8), min_size=1, max_size=4), hint=st.sampled_from(["product", "other"]))
    def links_are_found(self, numbers, hint):
        found = [link(f"/p/{number}", hint) for number in numbers]
        self.admitted |= {item.target_id for item in found}
        self.world.tell(links(*found))

    @rule(data=st.data(), word=st.sampled_from(WORDS))
    def a_worker_fetches_and_holds_its_answer(self, data, word):
        task = self._take(data)
        if task is not None:
            before = len(self.world.frontier.log)
            self.world.fetch(task, None if task.kind == "robots" else outcome_of(task, word))
            outcome = self.world.frontier.log.pop(before)[1]
            self.held.append((task, outcome))

    @rule(data=st.data())
    def a_worker_dies_with_its_task(self, data):
        met["dead"] += self._take(data) is not None

    @rule(data=st.data())
    def an_answer_arrives(self, data):
        if self.held:
            _, outcome = self.held.pop(data.draw(st.integers(0, len(self.held) - 1)))
            self.past.append(outcome)
            self._tell(outcome)

    @rule(data=st.data())
    def an_answer_is_repeated(self, data):
        if self.past:
            self._tell(data.draw(st.sampled_from(self.past)))

    @rule(data=st.data())
    def a_grant_is_repeated(self, data):
        grants = [event for _, event in self.world.frontier.log if isinstance(event, PermitsGranted)]
        if grants:
            self.world.tell(data.draw(st.sampled_from(grants)))

    def _tell(self, outcome: FetchOutcome) -> None:
        """Delivers an outcome: it is observed exactly when its claim is the open one."""
        rows = self.world.frontier.rows
        row = rows.get("targets", f"shop|{outcome.target_id}".encode())
        stands = row.leased and row.fence == outcome.fence
        before = len(self.world.observed)
        self.world.tell(outcome)
        assert len(self.world.observed) - before == (stands and row.kind == "page")
        met["accepted" if stands else "late"] += 1

    @rule(
        data=st.data(),
        kind=st.sampled_from(["tick", "links", "outcome"]),
        sends=st.integers(0, 6),
        flushed=st.integers(0, 12),
        new_machine=st.booleans(),
        rewound=st.integers(0, 6),
    )
    def the_frontier_crashes(self, *, data, kind, sends, flushed, new_machine, rewound):
        world = self.world
        world.now_ms += 200
        if kind == "links":
            found = link(f"/p/{data.draw(st.integers(9, 12))}")
            self.admitted.add(found.target_id)
            world.frontier.append(links(found), world.now_ms)
        elif kind == "outcome" and self.held:
            _, outcome = self.held.pop()
            self.past.append(outcome)
            world.frontier.append(outcome, world.now_ms)
        else:
            world.frontier.tick(world.now_ms)
        world.frontier.crash_in_step(sends, flushed)
        world.frontier.committed = max(0, world.frontier.committed - rewound)
        if new_machine:
            world.frontier.rows.lose_private()
        world.frontier.start_owner(world.now_ms)
        world.settle()

    @invariant()
    def a_permit_is_spent_at_most_once(self):
        spent = [permit for _, permit, _ in self.world.sent]
        assert len(spent) == len(set(spent))
        claims: dict[str, str] = {}
        for task in self.world.all_tasks:
            assert claims.setdefault(task.permit.permit_id, task.observation_id) == task.observation_id

    @invariant()
    def a_permit_returned_as_unused_was_never_sent(self):
        sent = {task.permit.permit_id for task in self.world.all_tasks}
        for _, event in self.world.budget.log:
            if isinstance(event, PermitReturned) and event.outcome == "unused":
                assert event.permit_id not in sent

    @invariant()
    def one_claim_at_most_one_observation(self):
        seen: dict[str, str] = {}
        for event in self.world.observed:
            if isinstance(event, PageObserved):
                assert seen.setdefault(event.observation_id, event.event_id) == event.event_id

    @invariant()
    def fences_only_grow(self):
        last: dict[str, Fence] = {}
        claims: set[str] = set()
        for task in self.world.all_tasks:
            if task.observation_id not in claims:
                claims.add(task.observation_id)
                assert task.fence.supersedes(last.get(task.target_id))
                met["claimed again"] += task.target_id in last
                last[task.target_id] = task.fence

    @invariant()
    def an_accepted_link_has_a_row(self):
        rows = {key.split(b"|")[1].decode() for key in self.world.frontier.rows.keys["targets"]}
        assert self.admitted <= rows

    @invariant()
    def urls_are_counted_exactly(self):
        rows = self.world.frontier.rows
        source = rows.get("sources", b"shop")
        counted = [row for _, row in rows.scan("targets", b"shop|") if row.kind in ("page", "sitemap")]
        assert source is None or source.urls == len(counted)

    @invariant()
    def every_row_is_in_an_index(self):
        rows = self.world.frontier.rows
        ready = {read_ready_key(key) for key in rows.keys["ready"]}
        due = set(rows.keys["due"])
        for key, row in rows.scan("targets", b""):
            name = key.split(b"|")[1].decode()
            assert due_key(row.due_at_ms, key) in due or (row.due_at_ms, name) in ready

    @invariant()
    def a_site_with_claims_to_send_is_attended_to(self):
        source = self.world.frontier.rows.get("sources", b"shop")
        if source is not None and source.sending:
            assert self.world.frontier.rows.keys["sites"]

    def teardown(self):
        """When the faults stop, everything that was admitted is observed: an accepted event is never lost."""
        world = self.world
        if not world.frontier.owners:
            return
        world.auto = True
        before = len(world.observed)
        world.pass_ms(4_000_000, step_ms=10_000)
        seen = {event.target_id for event in world.observed[before:] if event.outcome == "page"}
        assert self.admitted <= seen
        self.a_permit_is_spent_at_most_once()
        self.fences_only_grow()

    def _take(self, data) -> FetchTask | None:
        tasks = self.world.tasks
        return tasks.pop(data.draw(st.integers(0, len(tasks) - 1))) if tasks else None


TestLease = Lease.TestCase
TestLease.settings = settings(max_examples=40, stateful_step_count=30, deadline=None, derandomize=True)


def test_the_machine_has_met_what_it_is_for():
    """A green run that never met a late outcome or a lapsed lease is a red run; this test follows the machine."""
    if met["runs"]:
        assert met["late"]
        assert met["dead"]
        assert met["claimed again"]
