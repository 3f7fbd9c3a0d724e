"""From authorization to OK, what revocation stops, and bad pages that stop nothing."""

import pytest
from msgspec import structs

from control import sources
from tests.flows import laws
from tests.flows.site import ORIGIN, listing, product, sitemap
from tests.flows.world import DAY, HOUR, MINUTE, SECOND, TOKEN, World, key_of, shop
from topics.events.policy import SourceCommanded
from topics.specs import FRONTIER_EVENT


def crawled(products: int = 6) -> World:
    world = shop(products)
    world.authorize()
    world.advance(5 * MINUTE)
    return world


def test_from_authorization_to_ok():
    world = shop(6)
    world.authorize()
    world.advance(MINUTE)
    assert world.source.status == "enabled", "the proof came back through the log"
    assert world.site.paths()[:2] == ["/robots.txt", "/.well-known/adcat-verification.txt"]
    answers = world.batch_get([key_of(number) for number in range(6)])
    for number in range(6):
        result = answers[key_of(number)]
        assert (result.status, result.ad_eligible) == (1, True)
        assert result.card.price_minor == 1000 + 100 * number + 99
        assert result.serve_until_ms > world.now_ms
    assert world.statuses([key_of(99)]) == {key_of(99): "MISSING"}
    assert world.reasons() == set()
    laws.all_hold(world)


def test_a_pending_source_is_asked_for_its_proof_and_robots_and_nothing_else():
    world = shop()
    world.register()
    stray = SourceCommanded(event_id="0" * 32, occurred_at_ms=0, merchant="shop", command="crawl", source_epoch=1)
    world.driver.append(FRONTIER_EVENT, b"shop", stray)
    world.advance(2 * DAY)
    assert f"{ORIGIN}/" in world.targets(), "admitted, and not fetched"
    assert world.source.status == "pending"
    assert set(world.site.paths()) == {"/robots.txt", "/.well-known/adcat-verification.txt"}
    assert world.catalog() == {}
    assert world.statuses([key_of(0)]) == {key_of(0): "DISABLED"}


def test_a_disallowed_page_is_never_asked_for_and_shown():
    world = shop(2)
    world.site.page("/collections/all", listing("/products/stool-0", "/private/products/stool-1"))
    world.authorize()
    world.advance(HOUR)
    assert "/private/products/stool-1" not in world.site.paths()
    assert "robots_disallowed" in world.reasons()
    laws.all_hold(world)


def test_revocation_in_the_middle_of_a_crawl():
    """Nothing is claimed afterwards, what is under way is dropped, replicas say DISABLED; enabled again, all comes back."""
    world = shop(12)
    slow = f"{ORIGIN}/products/stool-7"
    world.site.slow_ms[slow] = [5 * SECOND]
    world.authorize()
    world.advance(2 * MINUTE, until=lambda: slow in {one.url for one in world.site.seen})
    assert world.driver.waiting()
    shown, epoch = set(world.catalog()), world.source.source_epoch
    claimed, asked = len(world.tasks()), len(world.site.seen)

    world.control(sources.disable)
    world.advance(2 * DAY)
    assert len(world.tasks()) == claimed
    assert len(world.site.seen) == asked
    assert slow not in {one.url for one in world.observed()}
    assert world.driver.view("frontier").get("sources", b"shop").outcomes_late > 0
    assert set(world.catalog()) == shown, "revocation writes no offer"
    keys = [key_of(number) for number in range(12)]
    assert set(world.statuses(keys).values()) == {"DISABLED"}

    world.control(sources.enable)
    world.advance(10 * MINUTE)
    assert set(world.statuses(keys).values()) == {"OK"}
    assert {one.fence.source_epoch for one in world.catalog().values()} == {world.source.source_epoch}
    assert world.source.source_epoch > epoch
    laws.all_hold(world)


def test_a_source_that_is_disabled_for_a_minute_comes_back_without_waiting_for_its_refresh():
    world = crawled()
    world.control(sources.disable)
    world.advance(MINUTE)
    assert set(world.statuses().values()) == {"DISABLED"}
    world.control(sources.enable)
    world.advance(10 * MINUTE)
    assert set(world.statuses().values()) == {"OK"}


@pytest.mark.parametrize("reason", ["disabled", "source_epoch"])
def test_what_was_observed_before_a_revocation_and_is_read_after_it_is_refused(reason):
    """The candidate stands behind the policy in the decision log: a revocation, or another way to name variants."""
    world = crawled()
    before = world.catalog()
    world.driver.stopped.add("parse")
    for number in range(6):
        world.site.page(f"/products/stool-{number}", product(number, "1.00"))
    world.control(sources.refresh)
    world.advance(5 * MINUTE)
    world.driver.stopped.add("frontier")
    if reason == "disabled":
        world.control(sources.disable)
    else:
        other = structs.replace(world.request, variant_params=("color",))
        world.control(lambda source, now_ms: sources.reconfigure(source, other, TOKEN, now_ms))
    world.driver.stopped.discard("parse")
    world.advance(5 * MINUTE)
    assert reason in world.reasons()
    assert world.catalog() == before
    assert set(world.statuses().values()) == {"DISABLED"}


BROKEN = {
    "binary": (b"\x00\xff" * 500, "text/html"),
    "cut off": ('<html><body><script type=\'application/ld+json\'>{"@type": "Product', "text/html"),
    "a sitemap that is no gzip": (b"\x1f\x8b\x08broken", "application/gzip"),
    "empty": (b"", "text/html"),
    "deep": ("<div>" * 5_000, "text/html"),
    "a block page": ("<title>Access denied</title><h1>Verify you are a human</h1>", "text/html"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_page_is_one_page_and_the_crawl_goes_on(case):
    body, content_type = BROKEN[case]
    world = shop(6)
    world.site.page("/products/stool-3", body, content_type=content_type)
    world.authorize()
    world.advance(5 * MINUTE)
    assert set(world.catalog()) == {key_of(number) for number in (0, 1, 2, 4, 5)}
    assert "/products/stool-3" in world.site.paths()
    laws.all_hold(world)


def test_a_page_that_breaks_after_it_was_published_is_never_taken_for_absence():
    world = crawled()
    world.site.page("/products/stool-3", b"\x00\xff" * 500)
    world.advance(3 * DAY)
    entry = world.catalog()[key_of(3)]
    assert entry.lifecycle == "active"
    assert world.statuses([key_of(3)]) == {key_of(3): "STALE"}
    assert set(world.statuses([key_of(number) for number in (0, 1, 2)]).values()) == {"OK"}


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        (product(3, currency=None), "currency_unknown"),
        (product(3, currency="EUR"), "currency_not_in_markets"),
        (product(3, price=None), "price_unknown"),
    ],
)
def test_an_offer_without_price_or_currency_is_shown_in_quarantine_not_published(page, reason):
    world = shop(6)
    world.site.page("/products/stool-3", page)
    world.authorize()
    world.advance(5 * MINUTE)
    assert reason in world.reasons()
    assert set(world.catalog()) == {key_of(number) for number in (0, 1, 2, 4, 5)}
    laws.all_hold(world)


def test_a_gzipped_sitemap_is_followed_and_a_broken_one_is_shown_and_stops_nothing():
    world = shop(2)
    for number in (7, 8):
        world.site.page(f"/products/stool-{number}", product(number))
    robots = f"User-agent: *\nDisallow:\nSitemap: {ORIGIN}/good.xml.gz\nSitemap: {ORIGIN}/bad.xml.gz\n"
    world.site.page("/robots.txt", robots, content_type="text/plain")
    good = sitemap("/products/stool-7", "/products/stool-8")
    world.site.page("/good.xml.gz", good, content_type="application/gzip")
    world.site.page("/bad.xml.gz", good[: len(good) // 2], content_type="application/gzip")
    world.authorize()
    world.advance(5 * MINUTE)
    assert set(world.catalog()) == {key_of(number) for number in (0, 1, 7, 8)}
    assert {row.outcome for url, row in world.targets().items() if url.endswith(".gz")} == {"page"}
    assert world.reasons(), "the broken one is shown"
    laws.all_hold(world)


def test_a_redirect_costs_a_permit_of_its_own_and_leads_to_the_offer():
    world = shop(2)
    world.site.page("/collections/all", listing("/products/stool-0", "/products/old-stool"))
    world.site.page("/products/old-stool", "", status=301, location="/products/stool-1")
    world.authorize()
    world.advance(5 * MINUTE)
    assert set(world.catalog()) == {key_of(0), key_of(1)}
    laws.all_hold(world)


def test_a_site_that_throttles_is_left_alone_as_long_as_it_asks():
    world = shop(4)
    world.site.page("/products/stool-2", "", status=429, retry_after="600")
    world.authorize()
    world.advance(MINUTE)
    throttled = next(one for one in world.site.seen if one.url.endswith("stool-2"))
    world.site.page("/products/stool-2", product(2))
    world.advance(DAY)
    after = [one.at_ms for one in world.site.seen if one.at_ms > throttled.until_ms + 2 * SECOND]
    assert min(after) >= throttled.until_ms + 600 * SECOND
    assert set(world.catalog()) == {key_of(number) for number in range(4)}


def test_an_unchanged_page_is_confirmed_by_304_and_its_offer_stays_fresh():
    world = shop(2)
    world.site.page("/products/stool-0", product(0), etag='"v1"')
    world.authorize()
    world.advance(MINUTE)
    before = world.catalog()[key_of(0)]
    world.advance(DAY + HOUR)
    after = world.catalog()[key_of(0)]
    assert "not_modified" in {one.outcome for one in world.observed()}
    assert after.evidence_at_ms > before.evidence_at_ms
    assert after.content == before.content
    assert world.statuses([key_of(0)]) == {key_of(0): "OK"}
