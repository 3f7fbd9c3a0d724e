"""Whatever crashes, repeats, is lost or late: the catalog of an undisturbed run, and no law broken on the way."""

import random
from collections import Counter
from dataclasses import fields, replace
from functools import cache

import pytest

from replay.faults import Faults
from tests.flows import laws
from tests.flows.world import HOUR, MINUTE, World, shop

SEEDS = 24
PRODUCTS = 12
STORM = Faults(
    crash_in_send=0.02,
    crash_before_flush=0.02,
    crash_in_flush=0.02,
    repeat=0.05,
    lose_answer=0.1,
    late_answer=0.1,
)
FAMILIES = [one.name for one in fields(Faults) if one.name != "late_ms"]
met: Counter[str] = Counter()


def swarm(seed: int) -> Faults:
    """Some families off and the rest stronger, so that deep states are reached; the first seeds have them all."""
    chance = random.Random(f"swarm {seed}")
    if seed < 4:
        return STORM
    off = {name: 0.0 for name in FAMILIES if chance.random() < 0.4}
    return replace(STORM, **{name: min(0.3, 2 * getattr(STORM, name)) for name in FAMILIES} | off)


def quick_shop(**options) -> World:
    """The interval bounds the rate."""
    return shop(PRODUCTS, **options)


def slow_shop(**options) -> World:
    """Answers take so long that the concurrency bounds the rate, not the interval."""
    world = shop(PRODUCTS, **options)
    world.site.elapsed_ms = 7 * world.request.interval_ms
    return world


@cache
def undisturbed() -> World:
    world = quick_shop()
    world.authorize()
    world.advance(HOUR)
    laws.all_hold(world)
    assert len(world.catalog()) == PRODUCTS
    return world


@pytest.mark.parametrize("seed", range(SEEDS))
def test_whatever_crashes_the_catalog_is_that_of_an_undisturbed_run(seed):
    world = (slow_shop if seed % 2 else quick_shop)(faults=swarm(seed), seed=seed)
    world.authorize()
    world.advance(6 * MINUTE)
    world.driver.calm()
    world.advance(HOUR)
    laws.all_hold(world)
    assert world.digests() == undisturbed().digests()
    assert set(world.statuses().values()) == {"OK"}
    met.update(world.driver.dice.counts)
    met["late outcomes"] += world.driver.view("frontier").get("sources", b"shop").outcomes_late
    met["repeated tasks"] += len(world.tasks()) - len({one.observation_id for one in world.tasks()})
    met["second claims"] += len({one.fence for one in world.tasks()}) - len(world.targets())
    met["runs"] += 1


def test_the_storms_have_met_what_they_are_for():
    if met["runs"] < SEEDS:
        pytest.skip("needs all seeds of this file")
    for name in (*FAMILIES, "late outcomes", "repeated tasks", "second claims"):
        assert met[name] >= 10, f"{name}: {met[name]} in {SEEDS} runs"


@pytest.mark.parametrize("seed", range(3))
def test_a_restart_of_every_stage_at_once_loses_nothing(seed):
    world = quick_shop()
    world.authorize()
    for _ in range(8):
        world.advance(500 + 100 * seed)
        for stage in world.driver.stages:
            world.driver.restart(stage.name)
    world.advance(HOUR)
    laws.all_hold(world)
    assert world.digests() == undisturbed().digests()
