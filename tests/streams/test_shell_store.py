from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from streams.rows import decode_row, encode_row
from streams.shell.app import build_app
from streams.shell.settings import ShellSettings
from streams.shell.store import IndexStore, RowStore, scan
from streams.stage import Stage, TableSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    applied: int
    name: str = ""


@pytest.fixture
def app(tmp_path: Path) -> Any:
    stage = Stage(
        name="rows",
        inboxes=("rows-event",),
        tables=(TableSpec(name="rows", row=Row), TableSpec(name="due", row=Row, durable=False)),
        handle=lambda _view, _event, _at: (),
    )
    settings = ShellSettings(bootstrap="127.0.0.1:9", home=tmp_path, worker="w1")
    return build_app(stage, settings, codec=None)  # type: ignore[arg-type]


@pytest.fixture
def store(app: Any) -> Iterator[RowStore]:
    app.conf.tabledir.mkdir(parents=True)
    store = app.shell.tables["rows"].data
    yield store
    store.database(0).close()


def change(offset: int, key: bytes, row: Row | None, deleted_at: int | None = None) -> Any:
    headers = [] if deleted_at is None else [("applied", deleted_at.to_bytes(8, "big"))]
    value = None if row is None else encode_row(row)
    message = SimpleNamespace(tp=("log", 0), partition=0, offset=offset, key=key, value=value, headers=headers)
    return SimpleNamespace(message=message)


def restore(store: RowStore, *changes: Any) -> None:
    persisted = {}
    store.set_persisted_offset = lambda tp, offset: persisted.update({tp: offset})  # type: ignore[method-assign]
    store.apply_changelog_batch(changes, None, None)
    assert persisted == {("log", 0): changes[-1].message.offset}


def stored(store: RowStore) -> dict[bytes, Row]:
    return {key: decode_row(raw, Row) for key, raw in scan(store.database(0), b"")}


@pytest.mark.parametrize("batches", [1, 2])
def test_recovery_keeps_the_larger_applied(store: RowStore, batches: int) -> None:
    new, late = change(5, b"a", Row(applied=9, name="new")), change(6, b"a", Row(applied=4, name="late"))
    if batches == 1:
        restore(store, new, late)
    else:
        restore(store, new)
        restore(store, late)
    assert stored(store) == {b"a": Row(applied=9, name="new")}


def test_recovery_takes_the_later_of_two_with_the_same_applied(store: RowStore) -> None:
    restore(store, change(5, b"a", Row(applied=9, name="first")), change(6, b"a", Row(applied=9, name="again")))
    assert stored(store) == {b"a": Row(applied=9, name="again")}


def test_a_late_deletion_does_not_delete_a_newer_row(store: RowStore) -> None:
    restore(store, change(5, b"a", Row(applied=9)), change(6, b"a", None, deleted_at=4))
    assert stored(store) == {b"a": Row(applied=9)}
    restore(store, change(7, b"a", None, deleted_at=9))
    assert stored(store) == {}


def test_a_row_written_after_its_deletion_is_restored(store: RowStore) -> None:
    restore(store, change(5, b"a", None, deleted_at=4), change(6, b"a", Row(applied=5)))
    assert stored(store) == {b"a": Row(applied=5)}


def test_a_null_without_header_purges(store: RowStore) -> None:
    restore(store, change(5, b"a", Row(applied=9)), change(6, b"a", None))
    assert stored(store) == {}


def test_the_largest_applied_of_a_partition_is_known_also_after_deletions(store: RowStore) -> None:
    assert store.applied(0) == -1
    restore(
        store, change(5, b"a", Row(applied=9)), change(6, b"a", None, deleted_at=11), change(7, b"b", Row(applied=3))
    )
    assert store.applied(0) == 11
    store.set_applied(0, 4)
    assert store.applied(0) == 11


def test_scans_are_ordered_and_hide_the_stores_own_keys(store: RowStore) -> None:
    database = store.database(0)
    database.put(store.offset_key, b"17")
    for key in (b"b|2", b"a|1", b"b|1", b"c|1"):
        database.put(key, encode_row(Row(applied=1)))
    assert [key for key, _ in scan(database, b"b|")] == [b"b|1", b"b|2"]
    assert [key for key, _ in scan(database, b"")] == [b"a|1", b"b|1", b"b|2", b"c|1"]


def test_a_private_index_is_wiped_when_ownership_starts(tmp_path: Path) -> None:
    index = IndexStore(tmp_path / "index", ["due"])
    index.restart([0, 1])
    index.database("due", 1).put(b"k", b"v")
    index.restart([1])
    assert list(scan(index.database("due", 1), b"")) == []
    with pytest.raises(KeyError):
        index.database("due", 0)
    index.restart([])


def test_the_rules_of_faust_kafka_md_are_settings(app: Any) -> None:
    conf = app.conf
    assert conf.topic_allow_declare is False
    assert conf.web_enabled is False
    assert conf.producer_request_timeout == 60.0
    assert conf.table_standby_replicas == 0
    assert conf.consumer_group_instance_id == "w1"
    assert conf.producer_threaded is False
    assert conf.processing_guarantee.name == "AT_LEAST_ONCE"
    assert [agent.concurrency for agent in app.agents.values()] == [1]
    assert [agent.isolated_partitions for agent in app.agents.values()] == [True]
    assert app.shell.tables["rows"].changelog_topic_name == "rows-rows-changelog"
