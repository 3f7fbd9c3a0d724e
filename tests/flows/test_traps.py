"""A site that never ends costs a bounded share, and hides none of its products (SPEC C5)."""

from datetime import date, timedelta

from streams.frontier.growth import PATTERN_URLS_MAX
from tests.flows import laws
from tests.flows.site import ORIGIN, listing, product
from tests.flows.world import MINUTE, World, key_of, shop
from topics.events.offer import Quarantined
from topics.specs import QUARANTINE

LINKED = 20


def with_a_calendar(products: int) -> World:
    """A shop whose start page leads into a calendar: each day links to the next twenty, every tenth one to a product."""
    world = shop(products, interval_ms=10, concurrency_max=16, depth_max=64)
    world.site.page("/", listing("/collections/all", "/whats-on/2026-01-01"))
    world.site.page("/collections/all", listing(*(f"/products/stool-{number}" for number in range(products // 2))))
    days = [f"/whats-on/{date(2026, 1, 1) + timedelta(days=number)}" for number in range(1_200)]
    for number, day in enumerate(days):
        sold = (f"/products/stool-{products // 2 + number // 10 % (products // 2)}",) if number % 10 == 0 else ()
        world.site.page(day, listing(*days[number + 1 : number + 1 + LINKED], *sold))
    return world


def test_an_endless_calendar_stays_under_its_bound_and_every_product_is_found():
    world = with_a_calendar(20)
    world.authorize()
    world.advance(30 * MINUTE)
    met = [url for url in world.targets() if "/whats-on/" in url]
    assert len(met) == PATTERN_URLS_MAX
    assert len(met) > LINKED, "over many pages"
    assert set(world.catalog()) == {key_of(number) for number in range(20)}
    assert set(world.statuses().values()) == {"OK"}
    [shown] = [one for one in world.events(QUARANTINE, Quarantined) if one.reason == "pattern_growth"]
    assert "/whats-on/{date}" in shown.detail
    dropped = world.driver.view("frontier").get("sources", b"shop").links_dropped
    assert dropped >= LINKED, "and counted"
    asked = [path for path in world.site.paths() if path.startswith("/whats-on/")]
    assert len(set(asked)) == len(asked) == PATTERN_URLS_MAX, "each once"
    laws.an_accepted_target_is_never_lost(world)


def test_numbered_pages_that_sell_something_are_no_trap():
    """Addresses that say nothing, more of them than a pattern may have: what was refused comes back by the next refresh."""
    world = shop(0, interval_ms=10, concurrency_max=16, refresh_ms=60 * MINUTE)
    numbers = range(PATTERN_URLS_MAX + 40)
    world.site.page("/", listing(*(f"/list-{page}" for page in "abcd")))
    for index, page in enumerate("abcd"):
        part = numbers[index * 260 : (index + 1) * 260]
        world.site.page(f"/list-{page}", listing(*(f"/view?nr={number}" for number in part)))
    for number in numbers:
        page = product(number) if number % 100 == 7 else listing("/")
        world.site.page(f"/view?nr={number}", page.replace("</main>", '<a href="/">Home</a></main>'))
    world.authorize()
    world.advance(20 * MINUTE)
    assert "pattern_growth" in world.reasons(), "the bound was met before a product was read"
    early = set(world.targets())
    world.advance(80 * MINUTE)
    assert {url for url in world.targets() if "/view" in url} == {f"{ORIGIN}/view?nr={number}" for number in numbers}
    assert len(early) < len(world.targets())
    assert set(world.catalog()) == {key_of(number) for number in numbers if number % 100 == 7}
