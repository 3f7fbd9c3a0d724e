"""The stage as drivers see it: tables, re-handling, crashes in every place, a rewound and a lost state."""

import contextlib

import pytest

from streams.publication.rows import seeded
from streams.publication.stage import PUBLISH
from streams.rows import applied_of, encode_row
from tests.publication.support import Crash, Partition, candidate, entries, observed, offer, policy, reasons
from topics.errors import Bug, Invalid
from topics.events.crawl import OwnerStarted, Tick
from topics.keys import partition_of
from topics.specs import OFFER_DECISION, TABLES, TOPICS

SMALL, LARGE, OLD = offer(variant="s"), offer(variant="l"), offer("url:a", variant="s")
STORY = (
    candidate(1),
    policy(),
    candidate(2, key=OLD),
    observed(2, "live", [OLD]),
    candidate(3, key=SMALL),
    candidate(3, key=LARGE),
    observed(3, "live", [SMALL, LARGE]),
    candidate(4, key=SMALL),
    observed(4, "live", [SMALL]),
    observed(5, "gone"),
    observed(6, "gone"),
    candidate(7, key=SMALL, price_minor=7),
    observed(7, "live", [SMALL]),
    policy(2, source_epoch=2, disable_epoch=2, status="disabled"),
    candidate(8, key=SMALL),
)


def told() -> Partition:
    partition = Partition()
    partition.take(*STORY)
    return partition


def test_the_stage_declares_the_tables_and_the_inbox_of_the_topic_table():
    assert tuple(table.name for table in PUBLISH.tables) == TABLES[PUBLISH.name]
    assert PUBLISH.inboxes == (OFFER_DECISION,)
    assert PUBLISH.ticks is None


def test_it_emits_what_its_topics_may_carry_and_keeps_a_merchant_in_one_partition():
    partition = told()
    assert {emit.topic for emit in partition.sent} == {"offer-catalog", "offer-change", "quarantine"}
    for emit in partition.sent:
        assert isinstance(emit.event, TOPICS[emit.topic].events)
        assert partition_of(emit.key, 8) == partition_of(b"acme", 8)
    assert {partition_of(key, 8) for _, key in partition.rows} == {partition_of(b"acme", 8)}


def test_ticks_and_owners_are_not_its_business_and_other_events_are_a_bug():
    partition = Partition()
    common = {"event_id": "0" * 32, "occurred_at_ms": 1, "incarnation": "i", "partition": 0}
    assert partition.take(Tick(**common), OwnerStarted(**common)) == []
    assert partition.rows == {}
    with pytest.raises(Bug, match="does not belong"):
        partition.take(_Foreign())


class _Foreign:
    merchant = "acme"


def test_an_event_of_a_malformed_merchant_is_refused_whole():
    with pytest.raises(Invalid):
        Partition().take(policy(merchant="A B"))


@pytest.mark.parametrize("at", range(len(STORY)))
@pytest.mark.parametrize("flushes", range(5))
def test_the_same_log_gives_the_same_catalog_wherever_the_process_dies(at: int, flushes: int):
    calm, shaken = told(), Partition()
    for offset, event in enumerate(STORY):
        shaken.append(event)
        if offset == at:
            with contextlib.suppress(Crash):
                shaken.run(offset, flushes)
        shaken.run(offset)
    assert shaken.rows == calm.rows
    assert shaken.catalog() == calm.catalog()
    assert {emit.event.event_id: emit for emit in shaken.sent} == {emit.event.event_id: emit for emit in calm.sent}


def test_a_log_rewound_over_the_kept_state_changes_nothing():
    partition = told()
    rows, sent = dict(partition.rows), len(partition.sent)
    for offset in range(len(STORY) - 1):
        assert partition.run(offset) == []
    assert (partition.rows, len(partition.sent)) == (rows, sent)


def test_handling_the_last_event_again_repeats_its_bytes():
    partition = Partition()
    for event in STORY:
        offset = partition.append(event)
        first, rows = partition.run(offset), dict(partition.rows)
        assert partition.run(offset) == first
        assert partition.rows == rows


def test_a_log_rewound_after_the_tables_were_lost_cannot_undo_what_the_catalog_says():
    partition = told()
    catalog = partition.catalog()
    current = {key: partition.entry(key) for key in (SMALL, LARGE, OLD)}
    partition.rows = {("offers", key.key): encode_row(seeded(entry)) for key, entry in current.items()}
    for offset in range(len(STORY)):
        emits = partition.run(offset)
        assert [one for one in entries(emits) if one not in current.values()] == []
    assert partition.catalog() == catalog


def test_a_row_that_is_further_ahead_is_left_alone():
    partition = told()
    entry = partition.entry(SMALL)
    partition.rows = {("offers", SMALL.key): encode_row(seeded(entry))}
    partition.log = []
    kept = partition.get("offers", SMALL.key)
    partition.take(policy(), observed(9, "live", [SMALL], target="t2"), observed(10, "missing", target="t2"))
    assert partition.take(candidate(11, key=SMALL, target="t2")) == []
    assert partition.get("offers", SMALL.key) == kept


def test_every_row_carries_the_offset_of_the_event_that_it_last_took():
    partition = told()
    assert applied_of(partition.rows["merchants", b"acme"]) == len(STORY) - 1
    assert reasons(partition.sent[:1]) == ["policy_unknown"]


def test_an_identity_may_rise_twice():
    url, sku, pid = offer("url:a"), offer("sku:a"), offer("pid:a")
    partition = Partition()
    partition.take(policy())
    for generation, key in enumerate((url, sku, pid), start=1):
        partition.take(candidate(generation, key=key), observed(generation, "live", [key]))
    assert [one.offer_key for one in entries(partition.take(candidate(9, key=url, target="t2")))] == [pid]
