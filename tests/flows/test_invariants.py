"""Invariants of DESIGN §10 over the whole path; the others have their tests beside their stages (`tests/test_invariants_named.py`)."""

from collections import defaultdict

from control import sources
from tests.flows import laws
from tests.flows.site import product
from tests.flows.test_crash_storm import STORM
from tests.flows.world import DAY, HOUR, MINUTE, STAGES, World, key_of, shop
from topics import specs
from topics.events.base import Event
from topics.events.offer import CandidateProposed, CatalogEntry
from topics.specs import TOPICS

SEED = 11


def disturbed() -> World:
    world = shop(8, faults=STORM, seed=SEED)
    world.authorize()
    world.advance(5 * MINUTE)
    world.driver.calm()
    world.advance(HOUR)
    return world


def test_one_writer_per_compacted_topic_one_per_event_type_elsewhere():
    """Each stage's outputs are recorded by stage; the world's own writes are those of control and of the fetch pool."""
    writers: dict[tuple[str, type[Event]], set[str]] = defaultdict(set)
    world = shop(3, stages=tuple(noted(one, writers) for one in STAGES))
    world.authorize()
    world.advance(MINUTE)
    world.site.gone("/products/stool-0", 410)
    world.advance(2 * DAY)
    assert {topic for topic, _ in writers} >= {specs.OFFER_CATALOG, specs.OFFER_CHANGE, specs.PAGE_OBSERVED}
    assert writers[specs.OFFER_CATALOG, CatalogEntry] == {"publish"}
    assert specs.MERCHANT_POLICY not in {topic for topic, _ in writers}, "only the relay writes policies"
    for (topic, kind), names in writers.items():
        several = {"Quarantined", "PermitReturned"}  # named with several writers in the topic table
        assert len(names) == 1 or kind.__name__ in several, f"{kind.__name__} in {topic} by {names}"
        assert kind in TOPICS[topic].events


def noted(stage, writers):
    from dataclasses import replace

    def handle(view, event, at):
        emits = stage.handle(view, event, at)
        for emit in emits:
            writers[emit.topic, type(emit.event)].add(stage.name)
        return emits

    return replace(stage, handle=handle)


def test_fences_and_revisions_only_grow():
    laws.fences_and_revisions_only_grow(disturbed())


def test_nothing_passes_a_disable_fence():
    """After the policy stands in the decision log, no entry of a fenced epoch follows, whatever was under way."""
    world = shop(8, faults=STORM, seed=SEED)
    world.authorize()
    world.advance(20_000)
    world.control(sources.disable)
    fence = world.source.disable_epoch
    at = len(world.logs.read(specs.OFFER_DECISION, 0))
    world.advance(HOUR)
    world.driver.calm()
    world.advance(HOUR)
    late = [one for one in world.events(specs.OFFER_CATALOG, CatalogEntry) if one.revision & 0xFFFFFFFFFFFF >= at]
    assert all(one.fence.source_epoch > fence for one in late)
    assert set(world.statuses([key_of(number) for number in range(8)]).values()) == {"DISABLED"}


def test_nothing_passes_a_tombstone():
    """Two 410s end an offer; a replay of its old candidate, later in the log, cannot bring it back; a new observation can."""
    world = shop(12)
    world.authorize()
    world.advance(5 * MINUTE)
    key = key_of(0)
    old = next(
        one for one in world.events(specs.OFFER_DECISION, CandidateProposed) if one.offer_key.key.decode() == key
    )
    world.site.gone("/products/stool-0", 410)
    world.advance(3 * DAY)
    assert world.catalog()[key].lifecycle == "tombstoned"
    assert world.statuses([key]) == {key: "MISSING"}
    world.driver.append(specs.OFFER_DECISION, b"shop", old)
    world.advance(MINUTE)
    assert world.catalog()[key].lifecycle == "tombstoned"
    world.site.page("/products/stool-0", product(0))
    world.advance(2 * DAY)
    assert world.catalog()[key].lifecycle == "active"
    laws.all_hold(world)


def test_a_replay_never_redates_evidence():
    """Each entry's evidence is its observation's, however often and however late it was handled."""
    world = disturbed()
    seen = {one.observation_id: one.evidence_at_ms for one in world.observed()}
    entries = world.events(specs.OFFER_CATALOG, CatalogEntry)
    assert entries
    for one in entries:
        assert one.evidence_at_ms == seen[one.observation_id]
        assert one.eligible_until_ms == one.evidence_at_ms + DAY


def test_generation_orders_clocks_do_not():
    """With every worker's clock an hour ahead the same crawl gives the same catalog, and evidence never lies in the future."""
    ahead = shop(6)
    ahead.site.clock_ms = HOUR
    ahead.authorize()
    ahead.advance(10 * MINUTE)
    right = shop(6)
    right.authorize()
    right.advance(10 * MINUTE)
    assert ahead.digests() == right.digests()
    assert all(one.evidence_at_ms <= one.occurred_at_ms for one in ahead.observed())


def test_unknown_policy_authorizes_nothing():
    """Neither stage nor replica does anything for a merchant whose policy it does not know."""
    world = shop(3)
    world.authorize()
    policy = specs.MERCHANT_POLICY
    world.advance(MINUTE)
    candidates = world.events(specs.OFFER_DECISION, CandidateProposed)
    fresh = World()
    fresh.driver.append(specs.OFFER_DECISION, b"shop", candidates[0])
    fresh.advance(MINUTE)
    assert fresh.catalog() == {}
    assert fresh.reasons() == {"policy_unknown"}
    assert fresh.statuses([key_of(0)]) == {key_of(0): "UNAVAILABLE"}
    assert not fresh.logs.events(policy)


def test_unknown_is_not_zero():
    """An unknown price is no offer, an unknown stock is no stock."""
    world = shop(3)
    world.site.page("/products/stool-0", product(0, price=None))
    world.site.page("/products/stool-1", product(1, stock="Whatever"))
    world.authorize()
    world.advance(5 * MINUTE)
    assert key_of(0) not in world.catalog()
    [result] = world.batch_get([key_of(1)]).values()
    assert (result.ad_eligible, result.ineligible_reason) == (False, "stock_unknown")


def test_a_permit_is_spent_at_most_once():
    world = disturbed()
    assert len(world.tasks()) > len({one.observation_id for one in world.tasks()}), "a task was said twice"
    laws.a_permit_is_spent_at_most_once(world)


def test_no_site_sees_more_than_its_budget_whatever_crashes():
    laws.no_site_sees_more_than_its_budget(disturbed())


def test_one_claim_at_most_one_observation():
    laws.one_claim_at_most_one_observation(disturbed())


def test_an_accepted_event_is_never_lost():
    laws.an_accepted_target_is_never_lost(disturbed())
