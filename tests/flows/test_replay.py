"""The log is the truth: from zero it gives the same catalog, and handling a part of it again changes nothing."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from replay.driver import Driver
from replay.faults import Faults
from streams.publication.stage import PUBLISH
from streams.stage import Emit, Handle, Overlay, Position
from tests.flows.site import product
from tests.flows.world import DAY, HOUR, MINUTE, STAGES, World, shop
from topics import specs
from topics.events.offer import CatalogEntry

STORM = Faults(crash_in_send=0.02, crash_before_flush=0.02, crash_in_flush=0.02, repeat=0.1, late_answer=0.1)


def lived(**options) -> World:
    """A world that saw products, a change, a removal and a day of refreshes."""
    world = shop(8, **options)
    world.authorize()
    world.advance(10 * MINUTE)
    world.site.page("/products/stool-1", product(1, "99.00"))
    world.site.page("/products/stool-2", product(2, "12.99", stock="OutOfStock"))
    world.site.gone("/products/stool-3", 410)
    world.advance(DAY + HOUR)
    assert {one.lifecycle for one in world.catalog().values()} >= {"active", "out_of_stock"}
    return world


@cache
def calm() -> World:
    return lived()


def current(events: list[CatalogEntry]) -> dict[bytes, tuple[str, str, str]]:
    entries: dict[bytes, CatalogEntry] = {}
    for entry in events:
        known = entries.get(entry.offer_key.key)
        if known is None or known.revision < entry.revision:
            entries[entry.offer_key.key] = entry
    return {key: (one.lifecycle, one.reason, one.content_digest) for key, one in entries.items()}


@pytest.mark.parametrize("faults", [None, STORM], ids=["calm", "storm"])
def test_the_same_log_gives_the_same_catalog(faults):
    world = lived(faults=faults, seed=7)
    again = Driver(stages=(PUBLISH,))
    for record in world.logs.read(specs.OFFER_DECISION, 0):
        again.logs.append(specs.OFFER_DECISION, record.key, record.event, record.append_ms)
    again.settle()
    rebuilt = again.logs.events(specs.OFFER_CATALOG, CatalogEntry)
    assert current(rebuilt) == current(world.events(specs.OFFER_CATALOG, CatalogEntry))
    tables = [table.name for table in PUBLISH.tables]
    assert again.view("publish").stored(tables) == world.driver.view("publish").stored(tables)


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_any_record_of_an_inbox_handled_once_more_changes_nothing(stage):
    """After the run: the rows are ahead of the record, so nothing durable moves and nothing unheard-of is said."""
    world = calm()
    driver, durable = world.driver, [table.name for table in stage.tables if table.durable]
    for topic in stage.inboxes:
        for offset in range(len(world.logs.read(topic, 0))):
            emits, writes = driver.handle_again(stage.name, topic, 0, offset)
            for (table, key), row in writes:
                if table in durable:
                    assert row == driver.view(stage.name).get(table, key), f"{topic}/{offset} moved {key!r}"
            assert {one.event.event_id for one in emits} <= said(world, {one.topic for one in emits})


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_any_record_handled_twice_in_place_changes_nothing(stage):
    """At once: the rows stand exactly at the record, which is what a crash after the last write leaves."""
    twice = Twice(stage.handle, sparing=stage.name in ("frontier", "budget"))
    world = lived(stages=tuple(replace(one, handle=twice) if one is stage else one for one in STAGES))
    assert twice.times >= 20
    once = calm()
    assert world.digests() == once.digests()
    assert sorted(world.site.paths()) == sorted(once.site.paths())


class Twice:
    """Handles every event twice over the same rows; the second time must write the same and say nothing new.

    Attributes:
        sparing: the stage may leave out the second time what its rows already lead to (a wish, a claim on its way).
    """

    def __init__(self, handle: Handle, *, sparing: bool) -> None:
        self.handle = handle
        self.sparing = sparing
        self.times = 0

    def __call__(self, view: Overlay, event: Any, at: Position) -> Sequence[Emit]:
        emits = self.handle(view, event, at)
        self.times += 1
        second = Overlay(view)
        again = self.handle(second, event, at)
        assert all(one in emits for one in again), f"{type(event).__name__} at {at.offset} says something new"
        assert self.sparing or again == emits, f"{type(event).__name__} at {at.offset} does not say it again"
        for (table, key), row in second.writes.items():
            assert row == view.get(table, key), f"{type(event).__name__} at {at.offset} moves {key!r} in {table}"
        return emits


def said(world: World, topics: set[str]) -> set[str]:
    return {one.event_id for topic in topics for one in world.logs.events(topic)}
