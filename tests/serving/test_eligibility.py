"""Every status through every path: one judgement at the only exit, whatever tier the row comes from."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serving_grpc.answers import Ask, answer, checked
from serving_grpc.catalog_pb2 import BatchGetResponse, Result
from serving_grpc.eligibility import DISABLED, MISSING, OK, STALE, UNAVAILABLE, KnownPolicy, Row, Scope, judge
from tests.serving.world import ALL, HOUR, MARKET, NOW, World, entry, policy, proof
from topics.access import Access

KEY = "shoes|pid:1|m"
TEXT, IMAGE = 1, 2


def ask(world: World, *keys: str, access: Access = ALL, now_ms: int = NOW, **changes) -> list[Result]:
    fields = {"market": MARKET, "ad_format": TEXT, "purpose": 1, "full": False, "response_bytes": 0} | changes
    answered = answer(checked(Ask(keys=keys, **fields)), world.replica, access, now_ms)
    results = list(BatchGetResponse.FromString(b"".join(answered.elements)).results)
    for result in results:
        answered.counts[result.status] -= 1
    assert not any(answered.counts.values()), "counts agree with the answer"
    return results


def status(world: World, **changes) -> str:
    [result] = ask(world, KEY, **changes)
    name = Result.Status.Name(result.status)
    assert (name == "OK") == result.HasField("card"), "only an OK item has a card"
    assert (name == "OK") == (result.key == ""), "every other item echoes its key"
    return name


def grants(**changes) -> Access:
    fields = {"merchants": frozenset({"shoes"}), "markets": frozenset({MARKET})} | changes
    return Access(subject="x", roles=frozenset(), expires_at_ms=NOW + HOUR, **fields)


CASES = {
    "all is well": ([entry()], [policy()], "OK"),
    "absent": ([], [policy()], "MISSING"),
    "tombstoned": ([entry(lifecycle="tombstoned")], [policy()], "MISSING"),
    "policy unknown": ([entry()], [], "UNAVAILABLE"),
    "row's epoch above the known policy": ([entry(source_epoch=2)], [policy()], "UNAVAILABLE"),
    "row's epoch above a disabled policy": ([entry(source_epoch=3)], [policy(status="disabled")], "UNAVAILABLE"),
    "row's epoch old": ([entry(source_epoch=1)], [policy(source_epoch=2)], "DISABLED"),
    "disabled": ([entry()], [policy(status="disabled")], "DISABLED"),
    "disabled by epoch": ([entry()], [policy(disable_epoch=1)], "DISABLED"),
    "disabled, offer absent": ([], [policy(status="disabled")], "DISABLED"),
    "pending": ([entry()], [policy(status="pending")], "DISABLED"),
    "disabled tombstone": ([entry(lifecycle="tombstoned")], [policy(status="disabled")], "DISABLED"),
    "eligible_until reached": ([entry(eligible_until_ms=NOW)], [policy()], "STALE"),
    "never eligible": ([entry(eligible_until_ms=0)], [policy()], "STALE"),
    "evidence older than the policy allows": ([entry()], [policy(field_age_ms_max=HOUR)], "STALE"),
    "stale and out of stock": ([entry(eligible_until_ms=NOW, lifecycle="out_of_stock")], [policy()], "STALE"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_cache_hit_is_checked_like_a_miss(any_path: World, case: str) -> None:
    entries, policies, expected = CASES[case]
    any_path.apply(*entries, *policies)
    if any_path.restarts:
        any_path.restarted()
    any_path.prove()
    assert status(any_path) == expected
    assert status(any_path, full=True) == expected
    assert status(any_path, access=grants()) == expected
    assert status(any_path, access=grants(merchants=frozenset({"hats"}))) == "MISSING"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"lifecycle": "out_of_stock"}, "out_of_stock"),
        ({"lifecycle": "suspected_missing"}, "suspected_missing"),
        ({"lifecycle": "inactive"}, "inactive"),
        ({"availability": "OutOfStock"}, "out_of_stock"),
        ({"availability": "Unknown"}, "stock_unknown"),
        ({"availability": "InStoreOnly"}, "not_buyable"),
    ],
)
def test_what_cannot_be_bought_is_ok_but_not_eligible_and_says_why(any_path: World, changes: dict, reason: str) -> None:
    any_path.apply(entry(**changes), policy())
    any_path.prove()
    for full in (False, True):
        [result] = ask(any_path, KEY, full=full)
        assert (result.status, result.ad_eligible, result.ineligible_reason) == (Result.OK, False, reason)
        assert result.card.price_minor == 1_999
        assert result.serve_until_ms == NOW + 28_000


def test_a_format_waits_for_its_image(world: World) -> None:
    world.apply(entry(), policy())
    world.prove()
    [text] = ask(world, KEY)
    [image] = ask(world, KEY, ad_format=IMAGE)
    assert (text.ad_eligible, text.ineligible_reason) == (True, "")
    assert (image.status, image.ad_eligible, image.ineligible_reason) == (Result.OK, False, "image_not_ready")


def test_serve_until_is_the_earliest_of_all_bounds(world: World) -> None:
    world.apply(entry(eligible_until_ms=NOW + 20_000), entry(number=2), entry(number=3, evidence_at_ms=NOW), policy())
    world.prove()
    bounds = [one.serve_until_ms for one in ask(world, KEY, "shoes|pid:2|m")]
    assert bounds == [NOW + 20_000, NOW + 30_000 - 2_000], "offer's bound; proof expiry minus the clock allowance"
    world.apply(policy(policy_rev=2, field_age_ms_max=10_000))
    world.prove()
    assert [one.serve_until_ms for one in ask(world, "shoes|pid:3|m")] == [NOW + 10_000], "the policy's maximum age"


def test_unknown_policy_authorizes_nothing(world: World) -> None:
    world.apply(entry())
    world.prove()
    assert status(world) == "UNAVAILABLE"
    world.apply(policy())
    assert status(world) == "OK"
    purge = world.record(policy())._replace(value=None)
    world.apply_records([purge])
    assert status(world) == "UNAVAILABLE"


def test_a_proof_counts_only_when_the_policies_it_covers_are_applied(world: World) -> None:
    world.apply(entry(), policy())
    partition = world.replica.rows[f"{KEY}|{MARKET}"].scope.partition
    world.apply(proof(partition, complete_to=2))
    assert world.fates == ["waiting"]
    assert status(world) == "UNAVAILABLE"
    world.apply(policy(policy_rev=2, status="disabled"))
    assert status(world) == "DISABLED", "the awaited policy was the revocation"


@pytest.mark.parametrize(
    ("changes", "fate"),
    [
        ({"expires_at_ms": NOW + 2_000}, "expired"),
        ({"policy_log": "other"}, "foreign"),
        ({"partition": 99}, "foreign"),
        ({"key_id": "k2"}, "forged"),
        ({"issued_at_ms": NOW + 2_001}, "clock"),
        ({"expires_at_ms": NOW + 600_001}, "clock"),
    ],
)
def test_a_proof_that_is_not_ours_authorizes_nothing(world: World, changes: dict, fate: str) -> None:
    world.apply(entry(), policy())
    partition = changes.pop("partition", world.replica.rows[f"{KEY}|{MARKET}"].scope.partition)
    world.apply(proof(partition, 0, **changes))
    assert (world.fates, status(world)) == ([fate], "UNAVAILABLE")


def test_a_proof_with_a_changed_field_is_forged(world: World) -> None:
    import dataclasses

    world.apply(entry(), policy())
    genuine = proof(world.replica.rows[f"{KEY}|{MARKET}"].scope.partition, 0)
    world.apply(dataclasses.replace(genuine, expires_at_ms=NOW + 60_000))
    assert (world.fates, status(world)) == (["forged"], "UNAVAILABLE")


def test_proofs_stopped_is_unavailable_after_their_lifetime(world: World) -> None:
    world.apply(entry(), policy())
    world.prove()
    assert status(world, now_ms=NOW + 27_999) == "OK"
    assert status(world, now_ms=NOW + 28_000) == "UNAVAILABLE", "expiry minus the clock allowance"


def test_j5_with_frontier_and_publish_stopped_offers_live_until_eligible_until_then_are_stale(world: World) -> None:
    world.apply(entry(eligible_until_ms=NOW + 120_000), policy())
    seen = []
    for second in range(0, 181, 5):
        world.now_ms = NOW + second * 1_000
        world.prove()
        seen.append((second, status(world, now_ms=world.now_ms)))
    assert {word for second, word in seen if second < 120} == {"OK"}
    assert {word for second, word in seen if second >= 120} == {"STALE"}
    assert status(world, now_ms=world.now_ms + 28_000) == "UNAVAILABLE", "and without proofs nothing is known at all"


def test_a_partition_that_is_behind_is_unavailable_never_missing(world: World) -> None:
    world.apply(policy())
    world.prove()
    assert status(world) == "MISSING"
    late = [world.record(entry(number=number)) for number in (1, 2)]
    world.replica.observe(world.followed(), NOW)
    assert status(world) == "MISSING", "a moment behind is normal"
    world.replica.observe(world.followed(), NOW + 61_000)
    assert (status(world), world.replica.ready()) == ("UNAVAILABLE", False)
    world.apply_records(late)
    assert (status(world), world.replica.ready()) == ("OK", True)


def test_before_it_is_caught_up_a_replica_answers_unavailable(any_path: World) -> None:
    any_path.apply(entry(), policy())
    missing = any_path.record(entry(number=2))
    any_path.restarted()
    any_path.prove()
    assert (status(any_path), any_path.replica.ready()) == ("UNAVAILABLE", False)
    any_path.apply_records([missing])
    assert (status(any_path), any_path.replica.ready()) == ("OK", True)


def test_a_hole_at_the_end_of_a_log_does_not_keep_a_replica_from_being_ready(world: World) -> None:
    place = ("offer-catalog", 0)
    world.ends[place] += 3  # records that compaction or retention removed
    world.restarted()
    assert not world.replica.ready()
    world.replica.install(world.replica.plan([], {place: 3}), NOW)
    world.replica.observe(world.followed(), NOW)
    assert world.replica.ready()


def test_no_access_looks_exactly_like_an_absent_offer(world: World) -> None:
    world.apply(entry(), policy(), policy("hats", status="disabled"))
    world.prove()
    keys = (KEY, "shoes|pid:404|m", "hats|pid:1|m", "nobody|pid:1|m")
    nothing = grants(merchants=frozenset())
    other_market = grants(merchants=frozenset({"*"}), markets=frozenset({"DE:EUR"}))
    for access in (nothing, other_market):
        for world_now in (NOW, NOW + HOUR):
            results = ask(world, *keys, access=access, now_ms=world_now)
            assert [one.SerializeToString() for one in results] == [
                Result(status=Result.MISSING, key=f"{key}|{MARKET}").SerializeToString() for key in keys
            ]


POLICIES = st.none() | st.builds(
    KnownPolicy, st.integers(0, 3), st.booleans(), st.integers(0, 3), st.integers(0, 3), st.integers(0, 10)
)
ROWS = st.none() | st.builds(
    Row,
    st.integers(0, 3),
    st.integers(0, 3),
    st.booleans(),
    st.integers(0, 20),
    st.integers(0, 20),
    st.sampled_from(["", "inactive"]),
    st.just(2),
    st.just(Scope("shoes", MARKET, 0)),
    st.just(b""),
)


@given(ROWS, st.booleans(), POLICIES, st.integers(0, 20), st.sampled_from([1, 2, 3]), st.integers(0, 20))
def test_an_ok_answer_is_within_every_bound(  # noqa: PLR0917
    row, may, known, open_until, ad_format, now
) -> None:
    found, reason, until = judge(row, may, known, open_until, ad_format, now)
    assert found in (OK, MISSING, STALE, DISABLED, UNAVAILABLE)
    if found != OK:
        assert (reason, until) == ("", 0)
        return
    assert may
    assert known.live
    assert row.source_epoch == known.source_epoch > known.disable_epoch
    assert now < until <= min(open_until, row.eligible_until_ms, row.evidence_at_ms + known.field_age_ms_max)
    assert bool(reason) == (row.reason == "inactive" or ad_format != 1)
