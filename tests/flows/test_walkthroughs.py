"""The three walkthroughs of SPEC J5: which record is authoritative, which work may repeat, until when the offer may be shown."""

from dataclasses import replace

from streams.frontier.rows import LEASE_MS
from tests.flows import laws
from tests.flows.region import ALLOWANCE_MS, PROOF_MS
from tests.flows.site import ELAPSED_MS, ORIGIN, listing, product
from tests.flows.world import DAY, HOUR, MINUTE, SECOND, World, key_of, shop
from topics.events.crawl import FetchOutcome
from topics.specs import FRONTIER_EVENT

STOOL = f"{ORIGIN}/products/stool-0"
KEY = key_of(0)


def claims(world: World, url: str = STOOL) -> list:
    """Claims of a URL in order, each once."""
    return list({one.fence: one for one in world.tasks() if one.url == url}.values())


def outcomes(world: World, url: str = STOOL) -> list[FetchOutcome]:
    return [one for one in world.events(FRONTIER_EVENT, FetchOutcome) if one.url == url]


def shown_until(world: World, key: str, last_ms: int) -> None:
    """The offer may be shown just before `last_ms`, and not at it, while proofs are alive."""
    assert world.statuses([key], last_ms - 1) == {key: "OK"}
    assert world.statuses([key], last_ms) == {key: "STALE"}


def test_a_lease_expires_during_a_fetch():
    """The worker of generation 81 sleeps through its lease; generation 82 fetches; 81 finishes last and loses."""
    world = shop(1)
    world.site.slow_ms[STOOL] = [LEASE_MS + 40 * SECOND]
    world.site.page("/products/stool-0", product(0, "81.00"))
    world.authorize()
    world.advance(30 * SECOND)
    assert len(claims(world)) == 1
    world.site.page("/products/stool-0", product(0, "82.00"))
    world.advance(LEASE_MS)
    first, second = claims(world)
    published = world.catalog()[KEY]
    assert published.content.price_minor == 8200
    world.advance(10 * MINUTE)

    late = next(one for one in outcomes(world) if one.fence == first.fence)
    intime = next(one for one in outcomes(world) if one.fence == second.fence)
    assert late.fetched_at_ms > intime.fetched_at_ms, "81 has the later clock"
    assert late.outcome == "page", "and it did not fail"
    # Authoritative: the row's last claim, the entry that it led to.
    assert second.fence.supersedes(first.fence)
    assert world.targets()[STOOL].fence == second.fence
    assert world.catalog()[KEY] == published
    assert published.fence == second.fence
    # May repeat: the request. Did not repeat: the observation.
    assert world.site.paths().count("/products/stool-0") == 2
    assert [one.fence for one in world.observed() if one.url == STOOL] == [second.fence]
    laws.all_hold(world)
    # Latest instant: the evidence of 82 and the maximum age of its price.
    assert published.evidence_at_ms == intime.fetched_at_ms
    world.driver.stopped |= {"frontier", "publish"}
    shown_until(world, KEY, published.evidence_at_ms + DAY)


def test_a_replaced_claim_loses_although_the_new_one_is_not_back_yet():
    """81 comes back while 82 is under way: its lease was replaced, so it is dropped and 82 is waited for."""
    world = shop(1)
    world.site.slow_ms[STOOL] = [LEASE_MS + 20 * SECOND, 60 * SECOND]
    world.site.page("/products/stool-0", product(0, "81.00"))
    world.authorize()
    world.advance(30 * SECOND)
    world.site.page("/products/stool-0", product(0, "82.00"))
    world.advance(10 * MINUTE)
    first, second = claims(world)
    back = [one.fence for one in outcomes(world)]
    assert back == [first.fence, second.fence]
    assert [one.fence for one in world.observed() if one.url == STOOL] == [second.fence]
    assert world.catalog()[KEY].content.price_minor == 8200
    laws.all_hold(world)


def test_generation_81_of_an_alias_finishes_late_with_a_later_clock_and_loses_to_82():
    """Two addresses of one offer, both leases open: nothing lapses, so the merchant's one sequence decides in publication."""
    probe = two_addresses(slow="")
    probe.advance(MINUTE)
    early, later = (one.url for one in probe.tasks() if one.url.startswith(STOOL))
    world = two_addresses(slow=early)
    world.advance(LEASE_MS + MINUTE)
    slow, quick = claims(world, early)[0], claims(world, later)[0]
    assert quick.fence.supersedes(slow.fence)
    [late], [intime] = outcomes(world, early), outcomes(world, later)
    assert late.fetched_at_ms > intime.fetched_at_ms
    entry = world.catalog()[KEY]
    assert entry.fence == quick.fence
    assert entry.content.price_minor == 8200
    assert len({one.fence for one in world.observed() if one.url in (early, later)}) == 2, "both were observed"
    merchant = world.driver.view("publish").get("merchants", b"shop")
    assert merchant.refusals["stale"] == 1
    world.driver.stopped |= {"frontier", "publish"}
    shown_until(world, KEY, intime.fetched_at_ms + DAY)


def two_addresses(slow: str) -> World:
    """One offer on two pages; the worker of the slow one takes long, but less than its lease, and reads the price 81."""
    world = shop(1)
    paths = ("/products/stool-0", "/products/stool-00")
    world.site.page("/collections/all", listing(*paths))
    for path in paths:
        world.site.page(path, product(0, "81.00" if slow == ORIGIN + path else "82.00"))
    world.site.slow_ms[slow] = [LEASE_MS - MINUTE]
    world.authorize()
    return world


def test_a_merchant_returns_site_wide_404s():
    """Nothing is deleted; what was known expires by itself; confirmations repeat; the shop comes back."""
    world = shop(12, refresh_ms=6 * HOUR)
    world.authorize()
    world.advance(10 * MINUTE)
    before = world.catalog()
    assert len(before) == 12
    world.site.down = lambda url: replace(world.site.answers[url], status=404, body=None, headers={})
    world.advance(20 * HOUR)

    # May repeat: confirmation crawls, miss after miss.
    assert world.site.paths().count("/products/stool-0") >= 3
    # Authoritative: the last live observation; the misses changed the lifecycle at most to suspicion.
    after = world.catalog()
    assert after.keys() == before.keys()
    for key, entry in after.items():
        assert entry.lifecycle in ("active", "suspected_missing")
        assert (entry.content, entry.fence) == (before[key].content, before[key].fence)
        assert (entry.evidence_at_ms, entry.eligible_until_ms) == (
            before[key].evidence_at_ms,
            before[key].eligible_until_ms,
        )
    assert "suspected_missing" in {one.lifecycle for one in after.values()}
    suspected = [key for key, one in after.items() if one.lifecycle == "suspected_missing"]
    assert not any(one.ad_eligible for one in world.batch_get(suspected).values())
    # Latest instant: the bound of the last live observation, not moved by any miss.
    for key, entry in before.items():
        shown_until(world, key, entry.evidence_at_ms + DAY)
    world.advance(2 * DAY)
    assert set(world.statuses().values()) == {"STALE"}
    assert not {"inactive", "tombstoned"} & {one.lifecycle for one in world.catalog().values()}

    world.site.down = None
    world.advance(DAY)
    assert world.digests() == {key: ("active", one.content_digest) for key, one in before.items()}
    assert all(one.ad_eligible for one in world.batch_get().values())
    laws.all_hold(world)


def test_the_catalogs_source_is_down_while_replicas_stay_populated():
    """Frontier and publish stand still, proofs live: OK until `eligible_until`, then STALE. Proofs stop: UNAVAILABLE."""
    world = shop(3)
    world.authorize()
    world.advance(5 * MINUTE)
    known = world.catalog()
    world.driver.stopped |= {"frontier", "publish"}
    requests = len(world.site.seen)
    for key, entry in known.items():
        assert entry.eligible_until_ms == entry.evidence_at_ms + DAY
        shown_until(world, key, entry.eligible_until_ms)
    world.advance(2 * DAY)
    # Authoritative: the entries as they were. Repeated: nothing at all.
    assert world.catalog() == known
    assert len(world.site.seen) == requests
    assert set(world.statuses().values()) == {"STALE"}

    world.driver.stopped.clear()
    world.advance(HOUR)
    assert set(world.statuses().values()) == {"OK"}, "back, everything is observed anew"
    assert all(one.revision > known[key].revision for key, one in world.catalog().items())
    world.region.relay_alive = False
    asked_ms = world.now_ms
    last_ms = asked_ms + PROOF_MS - ALLOWANCE_MS
    answers = world.batch_get(now_ms=asked_ms)
    assert {one.serve_until_ms for one in answers.values()} == {last_ms}
    assert set(world.statuses(now_ms=last_ms - 1).values()) == {"OK"}
    assert set(world.statuses(now_ms=last_ms).values()) == {"UNAVAILABLE"}, "though prices are fresh"
    laws.all_hold(world)


def test_the_site_answers_in_the_time_that_these_stories_assume():
    assert ELAPSED_MS < SECOND < LEASE_MS
