"""The rows of a partition under a stage: Faust's tables for recovery, our own write path for durability.

`table[key] = row` would hand the changelog write to Faust's producer buffer, which a commit may overtake. Here each write is
sent at once and its acknowledgement is awaited before the event counts as done.
"""

import asyncio
from collections.abc import Awaitable, Iterator
from typing import Any

import faust

from streams.rows import decode_row, encode_row
from streams.shell.store import APPLIED_HEADER, IndexStore, RowStore, scan
from streams.stage import Position, TableSpec

Writes = list[tuple[str, bytes, Any | None]]
"""Table, key, row (None deletes), in the order in which they were put."""


class RowTable(faust.Table):
    """A Faust table whose store is a RowStore; recovery only, it is never written as a mapping."""

    def _new_store_by_url(self, url: Any) -> RowStore:
        return RowStore(
            url,
            self.app,
            self,
            table_name=self.name,
            key_type=bytes,
            value_type=bytes,
            key_serializer="raw",
            value_serializer="raw",
            loop=self.loop,
            options={"driver": "rocksdict"},
        )


class PartitionRows:
    """The committed rows of one partition (`streams.stage.Rows`), and how writes reach disk and changelog."""

    def __init__(
        self, app: Any, partition: int, specs: tuple[TableSpec, ...], tables: dict[str, RowTable], index: IndexStore
    ) -> None:
        self._app = app
        self._partition = partition
        self._types = {spec.name: spec.row for spec in specs}
        self._tables = tables
        self._index = index

    def get(self, table: str, key: bytes) -> Any | None:
        raw = self._database(table).get(key)
        return None if raw is None else decode_row(raw, self._types[table])

    def scan(self, table: str, prefix: bytes) -> Iterator[tuple[bytes, Any]]:
        row_type = self._types[table]
        for key, raw in scan(self._database(table), prefix):
            yield key, decode_row(raw, row_type)

    async def flush(self, writes: Writes, position: Position) -> None:
        """Writes rows in put order and returns when every changelog record is acknowledged.

        The changelog of the last table's final writes is sent after all others are acknowledged: the guard row is put
        last, and must not survive without the rows before it (streams/stage.py).
        """
        if not writes:
            return
        for table in {table for table, _, _ in writes} & self._tables.keys():
            self._tables[table].data.set_applied(self._partition, position.offset)
        encoded = [(table, key, None if row is None else encode_row(row)) for table, key, row in writes]
        for table, key, raw in encoded:
            database = self._database(table)
            if raw is None:
                database.delete(key)
            else:
                database.put(key, raw)
        durable = [write for write in encoded if write[0] in self._tables]
        split = len(durable)
        while split and durable[split - 1][0] == durable[-1][0]:
            split -= 1
        for step in (durable[:split], durable[split:]):
            if step:
                await self._send(step, position)

    async def _send(self, writes: list[tuple[str, bytes, bytes | None]], position: Position) -> None:
        sends: list[tuple[str, Awaitable[Any]]] = []
        for table, key, raw in writes:
            topic = self._tables[table].changelog_topic_name
            headers = [(APPLIED_HEADER, position.offset.to_bytes(8, "big"))] if raw is None else None
            sends.append((table, await self._app.producer.send(topic, key, raw, self._partition, None, headers)))
        records = await asyncio.gather(*(sent for _, sent in sends))
        newest = {table: record for (table, _), record in zip(sends, records, strict=True)}
        for table, record in newest.items():
            self._tables[table].data.set_persisted_offset(record.topic_partition, record.offset)

    def _database(self, table: str) -> Any:
        durable = self._tables.get(table)
        if durable is not None:
            return durable.data.database(self._partition)
        return self._index.database(table, self._partition)
