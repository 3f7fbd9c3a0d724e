"""Which record changes what: only larger revisions count, in whatever order and however often records come."""

import dataclasses
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serving_grpc import rows
from serving_grpc.changes import Alarm
from serving_grpc.eligibility import Scope
from serving_grpc.store import Identity, Store, StoreLocked, open_current, open_fresh, usable
from tests.serving.world import MARKET, NOW, MemoryShelf, World, entry, policy
from topics.errors import Bug, Undecodable

KEY = f"shoes|pid:1|m|{MARKET}"


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 5)), min_size=1, max_size=20), st.data())
def test_any_reordering_or_duplication_ends_in_the_largest_revision(sent, data) -> None:
    order = data.draw(st.permutations(sent + data.draw(st.lists(st.sampled_from(sent)))))
    cuts = data.draw(st.integers(1, 5))
    world = World(memory_rows_max=data.draw(st.sampled_from([0, 1, 1_000])))
    entries = [entry(number=number, revision=revision, price_minor=revision) for number, revision in order]
    for start in range(0, len(entries), cuts):
        world.apply(*entries[start : start + cuts])
    largest = {f"shoes|pid:{number}|m|{MARKET}": 0 for number, _ in sent}
    for number, revision in sent:
        key = f"shoes|pid:{number}|m|{MARKET}"
        largest[key] = max(largest[key], revision)
    assert {key: rows.revision_of(value) for key, value in world.shelf.rows()} == largest
    assert {key: world.replica.find(key).revision for key in largest} == largest
    assert {alarm.kind for alarm in world.alarms} <= {"regress"}


def test_a_lower_entry_after_a_higher_one_is_reported_and_the_higher_stays(world: World) -> None:
    world.apply(entry(revision=5))
    world.apply(entry(revision=4))
    assert world.alarms == [Alarm("regress", "offer-catalog", KEY, 5, 4)]
    assert world.replica.rows[KEY].revision == 5


def test_an_equal_revision_with_other_bytes_is_a_divergence_and_the_first_stays(world: World) -> None:
    world.apply(entry(price_minor=100), entry(price_minor=100))
    assert world.alarms == []
    before = world.shelf.value(KEY)
    world.apply(entry(price_minor=200))
    assert world.alarms == [Alarm("divergence", "offer-catalog", KEY, 1, 1)]
    assert world.shelf.value(KEY) == before


def test_nothing_passes_a_tombstone(world: World) -> None:
    world.apply(entry(revision=9, lifecycle="tombstoned"), entry(revision=8))
    assert world.replica.rows[KEY].tombstoned


def test_a_null_is_a_purge(any_path: World) -> None:
    any_path.apply(entry(lifecycle="tombstoned"), policy())
    any_path.apply_records([any_path.record(entry())._replace(value=None)])
    assert any_path.replica.find(KEY) is None
    assert any_path.shelf.value(KEY) is None


def test_only_a_larger_policy_revision_counts(world: World) -> None:
    world.apply(policy(policy_rev=3, status="disabled"), policy(policy_rev=2))
    assert not world.replica.policies["shoes"].live
    assert [alarm.kind for alarm in world.alarms] == ["regress"]
    world.apply(policy(policy_rev=3))
    assert not world.replica.policies["shoes"].live
    assert [alarm.kind for alarm in world.alarms] == ["regress", "divergence"]


def test_a_record_that_cannot_be_read_stops_the_process(world: World) -> None:
    record = world.record(entry())
    for broken in (
        record._replace(value=b"\x00\x00\x00\xff\xff"),
        record._replace(value=record.value[:-3]),
        record._replace(key=b"hats|pid:1|m|US:USD"),
        record._replace(topic="merchant-policy"),
        record._replace(topic="elsewhere"),
    ):
        with pytest.raises(Undecodable):
            world.replica.plan([broken], {})


def test_a_card_stays_small_and_never_cuts_an_address() -> None:
    from serving_grpc.catalog_pb2 import Result
    from serving_grpc.wire import unframed
    from topics.events.offer import Attribute

    content = dataclasses.replace(
        entry().content,
        name="ü" * 300,
        url="https://shoes.example/" + "p" * 100,
        attributes=tuple(Attribute(name=f"a{number}", value="v" * 20) for number in range(20)),
    )
    row = rows.loaded(rows.stored(dataclasses.replace(entry(), content=content)), Scope("shoes", MARKET, 0))
    card = Result.FromString(unframed(row.element)).card
    assert card.ByteSize() <= rows.CARD_BYTES_MAX
    assert card.name == "ü" * 40
    assert card.url == content.url
    assert not card.attributes


def test_a_torn_row_is_a_bug() -> None:
    value = rows.stored(entry())
    for torn in (value[:10], value[:-1]):
        with pytest.raises(Bug, match="delete the replica's folder"):
            rows.loaded(torn, Scope("shoes", MARKET, 0))


def test_rows_policies_and_offsets_are_one_unit_on_disk(tmp_path: Path) -> None:
    store = open_current(tmp_path, 8 << 20)
    world = World(shelf=store)
    world.apply(entry(), entry(number=2, lifecycle="tombstoned"), policy())
    expected = world.replica.offsets, world.replica.policies, world.replica.rows
    store.close()
    store = open_current(tmp_path, 8 << 20)
    again = World(shelf=store, ends=world.ends).replica
    assert (again.offsets, again.policies) == expected[:2]
    assert {key: row._replace(scope=None) for key, row in again.rows.items()} == {
        key: row._replace(scope=None) for key, row in expected[2].items()
    }
    store.close()


def test_a_second_process_cannot_open_the_folder(tmp_path: Path) -> None:
    store = Store(tmp_path / "one", 8 << 20)
    with pytest.raises(StoreLocked, match="another serve process"):
        Store(tmp_path / "one", 8 << 20)
    store.close()


def test_a_rebuild_starts_in_a_new_folder_and_swaps(tmp_path: Path) -> None:
    old = open_current(tmp_path, 8 << 20)
    World(shelf=old).apply(entry())
    new = open_fresh(tmp_path, 8 << 20)
    assert list(new.rows()) == []
    assert len(list(old.rows())) == 1, "calls in flight may still read it"
    new.close()
    old.drop()
    again = open_current(tmp_path, 8 << 20)
    assert list(again.rows()) == []
    assert [one.name for one in tmp_path.iterdir() if one.is_dir()] == ["state-000002"]
    again.close()


@pytest.mark.parametrize(
    ("identity", "starts", "ends", "reason"),
    [
        (Identity(version=1, topics={"offer-catalog": "a"}), 0, 1, ""),
        (Identity(version=1, topics={"offer-catalog": "b"}), 0, 1, "created anew"),
        (Identity(version=1, topics={"offer-catalog": "a"}), 2, 9, "its log holds 2 to 9"),
        (Identity(version=1, topics={"offer-catalog": "a"}), 0, 0, "its log holds 0 to 0"),
    ],
)
def test_local_state_is_used_only_when_the_log_can_continue_it(
    tmp_path: Path, identity: Identity, starts: int, ends: int, reason: str
) -> None:
    store = Store(tmp_path / "state", 8 << 20)
    assert usable(store, identity, {}, {}) == "", "a new folder fits any log"
    store.identify(Identity(version=1, topics={"offer-catalog": "a"}))
    place = next(iter(World(shelf=store).apply(entry()).offsets))
    found = usable(store, identity, {place: starts}, {place: ends})
    assert reason in found
    assert bool(found) == bool(reason)
    store.identify(Identity(version=0, topics={"offer-catalog": "a"}))
    assert "this release writes" in usable(store, identity, {place: 0}, {place: 1})
    store.close()


def test_a_full_memory_answers_the_rest_from_disk() -> None:
    world = World(shelf=MemoryShelf(), memory_rows_max=2)
    world.apply(*(entry(number=number) for number in range(5)))
    assert len(world.replica.rows) == 2
    assert [world.replica.find(f"shoes|pid:{number}|m|{MARKET}").revision for number in range(5)] == [1] * 5
    world.apply(entry(number=4, revision=7))
    assert world.replica.find(f"shoes|pid:4|m|{MARKET}").revision == 7
    assert world.now_ms == NOW
