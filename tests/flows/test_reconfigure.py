"""What a changed policy changes in a running crawl, and when (SPEC B5)."""

from typing import Any

import pytest
from msgspec import structs

from control import sources
from tests.flows import laws
from tests.flows.site import listing, product
from tests.flows.world import MINUTE, TOKEN, World, key_of, shop
from topics.events.crawl import LinksFound
from topics.specs import FRONTIER_EVENT


def reconfigure(world: World, **changes: Any) -> None:
    world.request = structs.replace(world.request, **changes)
    world.control(lambda source, now_ms: sources.reconfigure(source, world.request, TOKEN, now_ms))


def two_prices(number: int) -> str:
    """A page whose markup and first price are the base price; what a visitor pays stands below it."""
    shown = f'<p>$29.99</p><p id="now">$24.{number:02}</p><form action="/cart/add"'
    return product(number, "29.99").replace('<form action="/cart/add"', shown, 1)


@pytest.mark.parametrize(("headers", "outcome"), [({}, "page"), ({"etag": '"v1"'}, "not_modified")])
def test_new_selectors_change_the_published_price_at_the_next_read_which_is_now(headers, outcome):
    """As for a changed market: a new source epoch hides what was read without them and makes every page due at once.

    A page that answers 304 is read again from the body that we keep.
    """
    world = shop(3)
    for number in range(3):
        world.site.page(f"/products/stool-{number}", two_prices(number), **headers)
    world.authorize()
    world.advance(5 * MINUTE)
    before = world.catalog()
    assert {one.content.price_minor for one in before.values()} == {2999}

    reconfigure(world, selectors={"price": "#now"})
    world.driver.settle()
    assert set(world.statuses().values()) == {"DISABLED"}, "no price of the former reading is shown meanwhile"
    world.advance(10 * MINUTE)
    after = world.catalog()
    assert [after[key_of(number)].content.price_minor for number in range(3)] == [2400, 2401, 2402]
    assert set(world.statuses().values()) == {"OK"}
    assert all(one.parser_rev != before[key].parser_rev for key, one in after.items())
    last = {one.url: one.outcome for one in world.observed() if "/products/" in one.url}
    assert set(last.values()) == {outcome}

    reconfigure(world, selectors={})
    world.advance(10 * MINUTE)
    assert {key: one.content for key, one in world.catalog().items()} == {
        key: one.content for key, one in before.items()
    }
    laws.all_hold(world)


@pytest.mark.parametrize(
    ("narrow", "wide", "reason"),
    [({"urls_max": 5}, {"urls_max": 100}, "urls_max"), ({"depth_max": 1}, {"depth_max": 2}, "depth_max")],
)
@pytest.mark.parametrize("headers", [{}, {"etag": '"v1"'}])
def test_links_that_a_bound_refused_come_back_when_it_is_raised_and_their_page_is_read_again(
    narrow, wide, reason, headers
):
    """The page itself never changes: it says its links again because the bounds did."""
    world = shop(12, refresh_ms=60 * MINUTE, **narrow)
    world.site.page("/collections/all", listing(*(f"/products/stool-{number}" for number in range(12))), **headers)
    world.authorize()
    world.advance(100 * MINUTE)
    few = len(world.catalog())
    assert few == (3 if reason == "urls_max" else 0)
    assert reason in world.reasons()

    reconfigure(world, **wide)
    world.driver.settle()
    assert world.source.source_epoch == 1, "nothing that was read is wrong"
    asked = world.site.paths().count("/collections/all")
    world.advance(90 * MINUTE)
    assert 1 <= world.site.paths().count("/collections/all") - asked <= 2, "at its ordinary refresh"
    assert set(world.catalog()) == {key_of(number) for number in range(12)}
    said = [one for one in world.events(FRONTIER_EVENT, LinksFound) if len(one.links) == 12]
    assert len(said) == 2, "once before, once after, and never again"
    laws.all_hold(world)
