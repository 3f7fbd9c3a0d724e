"""Offers are read again before they are too old to be shown (SPEC A5): at 80 % of their maximum age, so that a retry has time."""

import pytest

from tests.flows import laws
from tests.flows.world import DAY, HOUR, MINUTE, World, key_of, shop
from topics.events.offer import CatalogEntry
from topics.specs import OFFER_CATALOG


def never_stale(world: World, until_ms: int) -> None:
    """Each entry is replaced before it may no longer be shown: at every instant, not only at those that a test looks at."""
    current: dict[str, CatalogEntry] = {}
    for record in world.logs.all(OFFER_CATALOG):
        entry = record.event
        key = entry.offer_key.key.decode()
        if key in current:
            assert record.append_ms < current[key].eligible_until_ms, f"{key} was STALE at {record.append_ms}"
        current[key] = entry
    assert current
    assert all(until_ms < one.eligible_until_ms for one in current.values())


@pytest.mark.parametrize("age_ms", [DAY, 5 * HOUR])
def test_for_three_days_no_offer_of_a_well_behaved_store_is_ever_stale(age_ms):
    world = shop(6, field_age_ms_max=age_ms)
    world.authorize()
    world.advance(5 * MINUTE)
    keys = [key_of(number) for number in range(6)]
    end_ms = world.now_ms + 3 * DAY
    while world.now_ms < end_ms:
        assert set(world.statuses(keys).values()) == {"OK"}, f"at {world.now_ms}"
        world.advance(20 * MINUTE)
    never_stale(world, world.now_ms)
    reads = world.site.paths().count("/products/stool-0")
    assert 3 * DAY // age_ms < reads <= 3 * DAY // (age_ms * 4 // 5) + 1, "in time, and not much more often"
    laws.all_hold(world)


def test_a_refresh_at_the_maximum_age_itself_would_be_too_late():
    world = shop(1, refresh_ms=DAY, field_age_ms_max=DAY)
    world.authorize()
    world.advance(2 * DAY)
    with pytest.raises(AssertionError, match="was STALE"):
        never_stale(world, world.now_ms)
