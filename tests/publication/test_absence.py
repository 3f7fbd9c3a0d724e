"""What a missing page means: suspicion, inactivity, tombstones, and when not to believe a site (SPEC G5-G7)."""

import pytest

from streams.publication.rows import SUPPLIERS_MAX
from tests.publication.support import (
    HOUR,
    START,
    Partition,
    candidate,
    changes_of,
    entries,
    observed,
    offer,
    policy,
)

GAP = 6 * HOUR


def shop(products: int = 1, **changes) -> Partition:
    """A shop whose products p0, p1, … are each live on a target of the same name."""
    partition = Partition()
    partition.take(policy(**changes))
    for index in range(products):
        live(partition, f"p{index}", 1 + index)
    return partition


def key_of(target: str):
    return offer(f"pid:{target}")


def live(partition: Partition, target: str, generation: int, **changes):
    partition.take(candidate(generation, key=key_of(target), target=target, **changes))
    partition.take(observed(generation, "live", [key_of(target)], target=target))


def miss(partition: Partition, target: str, generation: int, presence: str = "missing", hours: int = 0, **changes):
    at = START + 1000 + hours * HOUR
    return partition.take(observed(generation, presence, target=target, evidence_at_ms=at, **changes))


def states(partition: Partition) -> dict[str, tuple[str, str]]:
    return {key.decode().split("|")[1][4:]: value[:2] for key, value in partition.catalog().items()}


def test_one_404_makes_an_offer_suspected_and_re_dates_nothing():
    partition = shop()
    before = partition.entry(key_of("p0"))
    after = entries(miss(partition, "p0", 50))[0]
    assert before is not None
    assert (after.lifecycle, after.reason) == ("suspected_missing", "missing")
    assert (after.content, after.evidence_at_ms, after.eligible_until_ms, after.fence) == (
        before.content,
        before.evidence_at_ms,
        before.eligible_until_ms,
        before.fence,
    )
    assert after.revision > before.revision


def test_independent_misses_far_enough_apart_make_it_inactive():
    partition = shop(products=12)
    for generation, hours, lifecycle in ((50, 0, "suspected_missing"), (51, 1, None), (52, 6, None), (53, 11, None)):
        assert [one.lifecycle for one in entries(miss(partition, "p0", generation, hours=hours))] == (
            [lifecycle] if lifecycle else []
        )
    assert [one.lifecycle for one in entries(miss(partition, "p0", 54, hours=12))] == ["inactive"]
    assert miss(partition, "p0", 55, hours=30) == []
    assert partition.entry(key_of("p0")).content is not None  # kept for diagnosis


def test_the_same_miss_told_twice_counts_once():
    partition = shop(products=12)
    for hours in (0, 6, 12, 18):
        miss(partition, "p0", 50, hours=hours)
    assert states(partition)["p0"] == ("suspected_missing", "missing")
    assert partition.refusals == {"repeated": 3}


def test_a_live_page_in_between_starts_the_count_again():
    partition = shop(products=12)
    miss(partition, "p0", 50)
    miss(partition, "p0", 51, hours=6)
    live(partition, "p0", 52)
    assert states(partition)["p0"] == ("active", "")
    miss(partition, "p0", 53, hours=12)
    assert states(partition)["p0"] == ("suspected_missing", "missing")


def test_presence_alone_revives_nothing_because_only_a_candidate_knows_the_price():
    partition = shop(products=12)
    miss(partition, "p0", 50)
    assert partition.take(observed(51, "live", [key_of("p0")], target="p0")) == []
    assert states(partition)["p0"] == ("suspected_missing", "missing")
    assert partition.get("offers", key_of("p0").key).misses == 0


def test_a_410_is_confirmed_once_without_waiting_and_leaves_a_tombstone():
    partition = shop(products=12)
    assert [one.lifecycle for one in entries(miss(partition, "p0", 50, "gone"))] == ["suspected_missing"]
    emits = miss(partition, "p0", 51, "gone", hours=1)
    ended = entries(emits)[0]
    assert (ended.lifecycle, ended.reason, ended.content, ended.eligible_until_ms) == ("tombstoned", "gone", None, 0)
    assert ended.fence.generation == 51
    assert [one.op for one in changes_of(emits)] == ["d"]


def test_nothing_passes_a_tombstone_but_a_later_observation():
    partition = shop(products=12)
    miss(partition, "p0", 50, "gone")
    miss(partition, "p0", 60, "gone", hours=1)
    for generation, target in ((55, "p0"), (60, "p0"), (59, "other")):
        assert partition.take(candidate(generation, key=key_of("p0"), target=target, decision_rev=9)) == []
    assert states(partition)["p0"] == ("tombstoned", "gone")
    emits = partition.take(candidate(61, key=key_of("p0"), target="p0"))
    assert [one.op for one in changes_of(emits)] == ["c"]
    assert states(partition)["p0"] == ("active", "")


def test_inactive_is_a_fence_too():
    partition = shop(products=12, misses_min=1)
    miss(partition, "p0", 50)
    assert states(partition)["p0"] == ("inactive", "missing")
    assert partition.take(candidate(49, key=key_of("p0"), target="other")) == []
    assert entries(partition.take(candidate(51, key=key_of("p0"), target="other")))


@pytest.mark.parametrize("reason", ["blocked", "failed", "throttled", "block_page"])
def test_a_page_that_cannot_be_read_is_never_absence(reason):
    partition = shop()
    before = dict(partition.rows)
    assert partition.take(observed(50, "unclear", target="p0", reason=reason)) == []
    del before["merchants", b"acme"]
    assert before.items() <= partition.rows.items()
    assert entries(partition.take(candidate(40, key=key_of("p0"), target="p0")))


def test_a_soft_404_is_at_most_suspected_missing():
    partition = shop(products=12, misses_min=1)
    for step in range(5):
        miss(partition, "p0", 50 + step, hours=step * 24, reason="soft_404")
    assert states(partition)["p0"] == ("suspected_missing", "soft_404")


def test_a_variant_that_left_its_page_is_missed_and_its_siblings_are_not():
    partition = Partition()
    partition.take(policy())
    small, large = offer(variant="s"), offer(variant="l")
    partition.take(candidate(5, key=small), candidate(5, key=large), observed(5, "live", [small, large]))
    partition.take(candidate(6, key=small), observed(6, "live", [small]))
    assert partition.entry(large).reason == "not_on_page"
    assert partition.entry(small).lifecycle == "active"
    for generation, hours in ((7, 6), (8, 12)):
        at = START + 6 + hours * HOUR
        partition.take(observed(generation, "live", [small], evidence_at_ms=at))
    assert partition.entry(large).lifecycle == "inactive"


def test_an_offer_is_missed_only_when_none_of_its_targets_is_live():
    partition = shop(products=12)
    partition.take(candidate(20, key=key_of("p0"), target="alias"))
    partition.take(observed(20, "live", [key_of("p0")], target="alias"))
    assert miss(partition, "p0", 50) == []
    assert states(partition)["p0"] == ("active", "")
    miss(partition, "alias", 51)
    assert states(partition)["p0"] == ("suspected_missing", "missing")


def test_a_page_forgets_an_offer_that_moved_to_another_page():
    partition = shop(products=12)
    miss(partition, "p0", 50)
    partition.take(candidate(52, key=key_of("p0"), target="new"), observed(52, "live", [key_of("p0")], target="new"))
    assert partition.get("targets", b"acme|p0").absent == (key_of("p0").key.decode(),)
    miss(partition, "p0", 53)
    miss(partition, "p0", 54)
    assert partition.get("targets", b"acme|p0").absent == ()
    assert states(partition)["p0"] == ("active", "")


def test_a_supplier_that_is_only_observed_counts_as_one():
    partition = shop(products=12)
    partition.take(observed(20, "live", [key_of("p0")], target="alias"))
    assert miss(partition, "p0", 50) == []


def test_a_miss_older_than_the_offers_last_acceptance_says_nothing():
    partition = shop()
    partition.take(candidate(40, key=key_of("p0"), target="alias"))
    assert miss(partition, "p0", 30) == []
    assert states(partition)["p0"] == ("active", "")


def test_a_late_miss_of_the_same_page_says_nothing_about_a_newer_candidate_of_it():
    partition = shop()
    partition.take(candidate(40, key=key_of("p0"), target="p0"))
    assert miss(partition, "p0", 30) == []
    assert states(partition)["p0"] == ("active", "")


def test_an_observation_of_a_revoked_source_deletes_nothing():
    partition = shop(products=12)
    partition.take(policy(2, source_epoch=2, disable_epoch=1))
    assert miss(partition, "p0", 50) == []
    assert partition.refusals == {"disabled": 1}
    assert miss(partition, "p0", 50, epoch=3) == []
    assert partition.refusals == {"disabled": 1, "policy_unknown": 1}


def test_an_older_observation_of_a_target_changes_nothing():
    partition = shop(products=12)
    live(partition, "p0", 40)
    assert miss(partition, "p0", 39) == []
    assert partition.refusals == {"stale": 1}


@pytest.mark.parametrize("presence", ["missing", "gone"])
@pytest.mark.parametrize("products", [10, 40, 250])
def test_site_wide_absence_deletes_nothing(products, presence):
    partition = shop(products)
    for day in range(4):
        for index in range(products):
            miss(partition, f"p{index}", 1000 * (day + 1) + index, presence, hours=24 * day)
    final = states(partition)
    assert {lifecycle for lifecycle, _ in final.values()} == {"suspected_missing"}
    assert [reason for _, reason in final.values()].count("deletion_paused") == products


def test_after_the_anomaly_ordinary_misses_count_again():
    partition = shop(20)
    for index in range(20):
        miss(partition, f"p{index}", 100 + index)
    for index in range(1, 20):
        live(partition, f"p{index}", 200 + index)
    assert states(partition)["p1"] == ("active", "")
    for step in range(1, 4):
        miss(partition, "p0", 300 + step, hours=24 * step)
    assert states(partition)["p0"] == ("inactive", "missing")


def test_a_redesign_that_shows_no_offers_any_more_is_an_anomaly_too():
    partition = shop(12)
    for day in range(4):
        for index in range(12):
            at = START + 1000 + day * 24 * HOUR
            partition.take(observed(100 * (day + 1) + index, "live", target=f"p{index}", evidence_at_ms=at))
    assert {lifecycle for lifecycle, _ in states(partition).values()} == {"suspected_missing"}


def test_pages_that_never_had_offers_do_not_weigh_in_the_miss_rate():
    partition = shop(12)
    for index in range(60):
        partition.take(observed(100 + index, "missing", target=f"dead{index}"))
    assert not partition.get("merchants", b"acme").deletion_paused


def test_an_identity_that_rises_keeps_one_offer_and_an_alias():
    old, new = offer("url:" + "a" * 32), offer("pid:7")
    partition = Partition()
    partition.take(policy())
    partition.take(candidate(5, key=old), observed(5, "live", [old]))
    partition.take(candidate(6, key=new), observed(6, "live", [new]))
    assert (partition.entry(old).lifecycle, partition.entry(old).reason) == ("tombstoned", "identity_upgraded")
    assert partition.entry(new).lifecycle == "active"
    # Another page that still reads the old identity supplies the same offer.
    emits = partition.take(candidate(7, key=old, target="t2", price_minor=5))
    assert [one.offer_key for one in entries(emits)] == [new]
    partition.take(observed(7, "live", [old], target="t2"))
    assert partition.get("offers", new.key).suppliers == ("t1", "t2")
    assert partition.take(observed(8, "missing")) == []


@pytest.mark.parametrize(
    ("lost", "fresh", "upgraded"),
    [
        ([("url:a", "-")], [("sku:1", "-")], True),
        ([("url:a", "x")], [("pid:1", "y")], True),  # the only one
        ([("url:a", "x"), ("url:a", "y")], [("pid:1", "x"), ("pid:1", "y")], True),
        ([("url:a", "x")], [("pid:1", "p"), ("pid:1", "q")], False),  # ambiguous
        ([("url:a", "x"), ("url:a", "y")], [("pid:1", "z")], False),  # ambiguous
        ([("url:a", "x"), ("sku:s", "x")], [("pid:1", "x")], False),  # two offers never become one
        ([("pid:1", "-")], [("url:a", "-")], False),  # an identity never falls
    ],
)
def test_only_an_unambiguous_rise_is_an_upgrade(lost, fresh, upgraded):
    olds = [offer(*one) for one in lost]
    news = [offer(*one) for one in fresh]
    partition = Partition()
    partition.take(policy())
    partition.take(*(candidate(5, key=key) for key in olds), observed(5, "live", olds))
    partition.take(*(candidate(6, key=key) for key in news), observed(6, "live", news))
    expected = ("tombstoned", "identity_upgraded") if upgraded else ("suspected_missing", "not_on_page")
    assert {(partition.entry(key).lifecycle, partition.entry(key).reason) for key in olds} == {expected}


def test_an_upgrade_waits_until_the_new_offer_is_published():
    old, new = offer("url:a"), offer("pid:7")
    partition = Partition()
    partition.take(policy())
    partition.take(candidate(5, key=old), observed(5, "live", [old]), observed(6, "live", [new]))
    assert partition.entry(old).lifecycle == "suspected_missing"


@pytest.mark.parametrize("text", ["acme|pid:1|-", "other|pid:1|-|US:USD", "acme|pid:ü|-|US:USD"])
def test_an_observation_that_names_a_key_that_is_not_the_merchants_changes_nothing(text):
    partition = shop()
    assert partition.take(observed(50, "live", target="p0", offer_keys=(text,))) == []
    assert partition.refusals == {"bad_key": 1}


def test_suppliers_are_bounded():
    partition = shop()
    for index in range(SUPPLIERS_MAX + 5):
        partition.take(observed(20 + index, "live", [key_of("p0")], target=f"alias{index}"))
    assert len(partition.get("offers", key_of("p0").key).suppliers) == SUPPLIERS_MAX
