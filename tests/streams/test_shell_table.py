"""The order in which a partition's writes reach disk and changelog."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from streams.shell.store import IndexStore
from streams.shell.table import PartitionRows
from streams.stage import Position, TableSpec

AT = Position(topic="inbox", partition=0, offset=7, now_ms=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    applied: int


class FakeTable:
    """Stands for a RowTable whose database is a dictionary."""

    def __init__(self, name: str) -> None:
        self.changelog_topic_name = name
        self.data = self
        self.rows: dict[bytes, bytes] = {}
        self.persisted: list[int] = []

    def database(self, _partition: int) -> Any:
        return SimpleNamespace(
            put=self.rows.__setitem__, delete=lambda key: self.rows.pop(key, None), get=self.rows.get
        )

    def set_applied(self, _partition: int, offset: int) -> None:
        assert offset == AT.offset

    def set_persisted_offset(self, _tp: object, offset: int) -> None:
        self.persisted.append(offset)


class FakeProducer:
    """Acknowledges when told."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, bytes, bytes | None, Any]] = []
        self.waiting: list[asyncio.Future[Any]] = []

    async def send(
        self, topic: str, key: bytes, value: bytes | None, _partition: int, _time: None, headers: Any
    ) -> Any:
        self.sent.append((topic, key, value, headers))
        self.waiting.append(asyncio.get_running_loop().create_future())
        return self.waiting[-1]

    def acknowledge(self) -> None:
        for offset, future in enumerate(self.waiting):
            future.set_result(SimpleNamespace(topic_partition=("log", 0), offset=offset))
        self.waiting.clear()


@pytest.fixture
def producer() -> FakeProducer:
    return FakeProducer()


@pytest.fixture
def rows(producer: FakeProducer, tmp_path: Path) -> PartitionRows:
    specs = tuple(TableSpec(name=name, row=Row) for name in ("first", "guard"))
    tables: Any = {spec.name: FakeTable(spec.name) for spec in specs}
    return PartitionRows(SimpleNamespace(producer=producer), 0, specs, tables, IndexStore(tmp_path, []))


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_the_guard_is_sent_after_the_rows_before_it_are_acknowledged(
    rows: PartitionRows, producer: FakeProducer
) -> None:
    row = Row(applied=7)
    flush = asyncio.ensure_future(rows.flush([("first", b"a", row), ("guard", b"g", row)], AT))
    await settle()
    assert [topic for topic, *_ in producer.sent] == ["first"]
    producer.acknowledge()
    await settle()
    assert [topic for topic, *_ in producer.sent] == ["first", "guard"]
    assert not flush.done()
    producer.acknowledge()
    await flush
    assert rows.get("guard", b"g") == row


async def test_rows_of_one_table_go_together_in_put_order(rows: PartitionRows, producer: FakeProducer) -> None:
    row = Row(applied=7)
    flush = asyncio.ensure_future(rows.flush([("guard", b"a", row), ("guard", b"b", None)], AT))
    await settle()
    assert [(key, headers) for _, key, _, headers in producer.sent] == [
        (b"a", None),
        (b"b", [("applied", (7).to_bytes(8, "big"))]),
    ]
    producer.acknowledge()
    await flush


async def test_nothing_to_write_waits_for_nothing(rows: PartitionRows, producer: FakeProducer) -> None:
    await rows.flush([], AT)
    assert producer.sent == []
