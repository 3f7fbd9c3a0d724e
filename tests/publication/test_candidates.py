"""What may become the current entry of an offer (SPEC G3)."""

from dataclasses import replace

import pytest

from streams.publication.rows import seeded
from tests.publication.support import (
    DAY,
    HOUR,
    MERCHANT,
    START,
    Partition,
    candidate,
    changes_of,
    content,
    entries,
    fence,
    observed,
    offer,
    policy,
    reasons,
)
from topics.events.policy import Market
from topics.fence import log_position
from topics.specs import LOG_EPOCH


def shop(**changes) -> Partition:
    partition = Partition()
    partition.take(policy(**changes))
    return partition


def test_an_accepted_candidate_becomes_the_entry_with_its_own_evidence_time():
    partition = shop()
    partition.take(candidate(5), now_ms=START + HOUR)
    entry = partition.entry(offer())
    assert entry is not None
    assert (entry.lifecycle, entry.reason, entry.evidence_at_ms) == ("active", "", START + 5)
    assert entry.eligible_until_ms == START + 5 + DAY
    assert entry.revision == log_position(LOG_EPOCH, 1)
    assert entry.content_digest == content().digest


def test_unknown_policy_authorizes_nothing():
    partition = Partition()
    assert reasons(partition.take(candidate(5))) == ["policy_unknown"]
    partition.take(policy())
    assert reasons(partition.take(candidate(6, epoch=2))) == ["policy_unknown"]
    assert partition.catalog() == {}


@pytest.mark.parametrize(
    "changes",
    [{"status": "disabled"}, {"status": "pending"}, {"source_epoch": 2, "disable_epoch": 2}, {"disable_epoch": 1}],
)
def test_nothing_passes_a_disable_fence(changes):
    partition = shop(**changes)
    assert reasons(partition.take(candidate(5))) == ["disabled"]
    assert partition.catalog() == {}


def test_an_observation_of_an_older_source_epoch_is_refused():
    partition = shop(source_epoch=2)
    assert reasons(partition.take(candidate(5))) == ["source_epoch"]
    assert reasons(partition.take(candidate(5, epoch=2))) == []
    assert partition.entry(offer()) is not None


def test_a_candidate_that_was_claimed_before_a_revocation_and_arrives_after_it_is_refused():
    partition = shop()
    partition.take(candidate(5), policy(2, status="disabled", source_epoch=2, disable_epoch=2))
    assert reasons(partition.take(candidate(6))) == ["disabled"]
    partition.take(policy(3, source_epoch=3, disable_epoch=2))
    assert reasons(partition.take(candidate(7))) == ["disabled"]
    assert entries(partition.take(candidate(8, epoch=3)))


def test_epochs_only_grow_even_when_a_restored_database_lowers_them():
    partition = shop(source_epoch=5, disable_epoch=4)
    assert reasons(partition.take(policy(2, source_epoch=3))) == ["epoch_regressed"]
    assert reasons(partition.take(candidate(5, epoch=3))) == ["disabled"]
    assert reasons(partition.take(candidate(6, epoch=4))) == ["disabled"]


def test_an_older_policy_revision_changes_nothing():
    partition = shop(rev=4, status="disabled")
    partition.take(policy(3))
    assert reasons(partition.take(candidate(5))) == ["disabled"]
    assert partition.refusals["stale_policy"] == 1


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"key": offer(market="DE:EUR"), "content": content(currency="EUR")}, "market_not_allowed"),
        ({"content": content(currency="EUR")}, "currency_mismatch"),
        ({"content": content(url="https://evil.example/p/1")}, "url_not_allowed"),
        ({"content": content(url="http://shop.example/p/1")}, "url_not_allowed"),
        ({"content": content(url="not a url")}, "url_not_allowed"),
        ({"content": content(name="")}, "required_field_missing"),
        ({"variant": ""}, "bad_key"),
        ({"identity": "x:1"}, "bad_key"),
    ],
)
def test_what_the_policy_does_not_allow_is_quarantined_with_its_reason(changes, reason):
    partition = shop()
    emits = partition.take(candidate(5, **changes))
    assert reasons(emits) == [reason]
    assert partition.refusals == {reason: 1}
    assert entries(emits) == []


@pytest.mark.parametrize(
    ("field", "changes"),
    [
        ("brand", {}),
        ("gtin14", {}),
        ("image_urls", {}),
        ("availability", {"availability": "Unknown"}),
        ("colour_of_the_sky", {}),
    ],
)
def test_a_required_field_that_is_unknown_quarantines_the_candidate(field, changes):
    partition = shop(required_fields=(field,))
    emits = partition.take(candidate(5, content=content(**changes)))
    assert reasons(emits) == ["required_field_missing"]
    assert emits[0].event.field == field


@pytest.mark.parametrize(
    ("availability", "lifecycle", "reason"),
    [
        ("InStock", "active", ""),
        ("BackOrder", "active", ""),
        ("OutOfStock", "out_of_stock", "out_of_stock"),
        ("Discontinued", "out_of_stock", "discontinued"),
        ("Unknown", "active", "stock_unknown"),
        ("SomethingNew", "active", "stock_unknown"),
    ],
)
def test_unknown_is_not_zero(availability, lifecycle, reason):
    partition = shop()
    partition.take(candidate(5, content=content(availability=availability)))
    entry = partition.entry(offer())
    assert entry is not None
    assert (entry.lifecycle, entry.reason) == (lifecycle, reason)


def test_generation_orders_clocks_do_not():
    """Generation 81 finishes late, with a later clock, and loses to 82."""
    partition = shop()
    partition.take(candidate(82, evidence_at_ms=START, price_minor=82))
    late = candidate(81, evidence_at_ms=START + HOUR, price_minor=81)
    assert partition.take(late, now_ms=START + 2 * HOUR) == []
    entry = partition.entry(offer())
    assert entry is not None
    assert entry.content is not None
    assert entry.content.price_minor == 82
    assert partition.refusals == {"stale": 1}


def test_a_later_term_wins_over_a_larger_generation():
    partition = shop()
    partition.take(candidate(82), candidate(1, made=fence(1, term=2), price_minor=5))
    entry = partition.entry(offer())
    assert entry is not None
    assert entry.fence.term == 2


def test_the_same_candidate_again_changes_nothing():
    partition = shop()
    partition.take(candidate(5))
    rows = dict(partition.rows)
    assert partition.take(candidate(5)) == []
    assert partition.refusals == {"repeated": 1}
    del rows["merchants", b"acme"]
    assert rows.items() <= partition.rows.items()


def test_an_approved_correction_of_the_same_observation_wins_and_a_roll_back_needs_a_larger_revision():
    partition = shop()
    partition.take(candidate(5, decision_rev=2, price_minor=1))
    assert partition.take(candidate(5, decision_rev=1, price_minor=2)) == []
    corrected = entries(partition.take(candidate(5, decision_rev=3, price_minor=3)))
    assert [one.decision_rev for one in corrected] == [3]
    assert corrected[0].evidence_at_ms == START + 5


def test_a_replay_never_redates_evidence():
    partition = shop()
    partition.take(candidate(5))
    again = candidate(5, decision_rev=2, evidence_at_ms=START + DAY)
    assert reasons(partition.take(again)) == ["evidence_redated"]


def test_evidence_from_the_future_lasts_no_longer_than_evidence_of_now():
    partition = shop()
    partition.take(candidate(5, evidence_at_ms=START + 9 * DAY), now_ms=START + 7)
    entry = partition.entry(offer())
    assert entry is not None
    assert entry.eligible_until_ms == START + 7 + DAY
    assert entry.evidence_at_ms == START + 9 * DAY


def test_two_observations_with_one_fence_are_shown_not_published():
    partition = shop()
    partition.take(candidate(5))
    assert reasons(partition.take(candidate(5, observation_id="another"))) == ["fence_conflict"]


def test_two_contents_of_one_observation_are_shown_not_published():
    partition = shop()
    partition.take(candidate(5))
    assert reasons(partition.take(candidate(5, price_minor=7))) == ["identity_conflict"]


def test_a_sku_shared_by_two_pages_with_different_attributes_does_not_merge_them():
    key = offer("sku:P", "P")
    red, blue = (content(sku="P", attributes={"color": one}) for one in ("red", "blue"))
    partition = shop()
    partition.take(candidate(5, key=key, content=red))
    assert reasons(partition.take(candidate(6, key=key, content=blue, target="t2"))) == ["identity_conflict"]
    assert entries(partition.take(candidate(7, key=key, content=blue)))  # the same page may change its mind


def test_aliases_of_one_offer_share_one_sequence():
    partition = shop()
    partition.take(candidate(5, target="t1"), candidate(7, target="t2"))
    assert partition.take(candidate(6, target="t1", price_minor=1)) == []
    row = partition.get("offers", offer().key)
    assert row.suppliers == ("t1", "t2")


def test_equal_content_with_newer_evidence_is_a_new_entry_but_no_change_for_analysts():
    partition = shop()
    first = partition.take(candidate(5))
    second = partition.take(candidate(6))
    third = partition.take(candidate(7, price_minor=1))
    assert [one.op for one in changes_of(first)] == ["c"]
    assert changes_of(second) == []
    assert entries(second)[0].evidence_at_ms == START + 6
    assert [(one.op, one.before.price_minor, one.after.content.price_minor) for one in changes_of(third)] == [
        ("u", 1999, 1)
    ]


def test_fences_and_revisions_only_grow():
    partition = shop()
    for generation in (3, 9, 5, 9, 12, 1, 13):
        partition.take(candidate(generation, price_minor=generation))
    published = entries(partition.sent)
    assert [one.fence.generation for one in published] == [3, 9, 12, 13]
    assert [one.revision for one in published] == sorted({one.revision for one in published})


def test_a_candidate_older_than_what_its_page_said_since_cannot_bring_the_offer_back():
    partition = shop()
    partition.take(candidate(5, key=offer("pid:2")), observed(5, "live", [offer("pid:2")]), observed(9, "missing"))
    assert partition.take(candidate(7, decision_rev=2)) == []
    assert partition.refusals == {"superseded_absence": 1}
    assert partition.entry(offer()) is None


def test_an_older_candidate_of_a_page_that_still_shows_the_offer_is_taken():
    partition = shop()
    partition.take(observed(9, "live", [offer()]))
    assert entries(partition.take(candidate(7)))


def test_a_seeded_guard_drops_the_rewound_log():
    partition = shop()
    partition.take(candidate(5), candidate(6, price_minor=3))
    entry = partition.entry(offer())
    assert entry is not None
    row = seeded(entry)
    assert (row.applied, row.barrier, row.suppliers) == (2, None, ("t1",))
    partition.rows = {key: raw for key, raw in partition.rows.items() if key[0] == "none"}
    former = seeded(replace(entry, revision=log_position(LOG_EPOCH + 1, 9), lifecycle="inactive"))
    assert (former.applied, former.barrier, former.suppliers) == (-1, entry.fence, ())


def test_markets_that_left_the_policy_get_no_new_entries():
    partition = shop(markets=(Market(country="DE", currency="EUR"),))
    assert reasons(partition.take(candidate(5))) == ["market_not_allowed"]
    assert partition.refusals == {"market_not_allowed": 1}
    assert MERCHANT == "acme"
