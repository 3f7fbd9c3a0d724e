"""RocksDB of one worker: options in one place, rows and private indexes per partition (faust-kafka.md R11, §3)."""

import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import rocksdict
from faust.stores.rocksdb import Store

from streams.rows import applied_of

BLOCK_CACHE_BYTES = 64 << 20
"""Shared by every database of the process."""
MEMTABLES_BYTES = 96 << 20
"""Shared limit of what is not yet flushed; RocksDB flushes the largest memtable when it is reached."""
MEMTABLE_BYTES = 8 << 20
MEMTABLES_MAX = 2
BLOOM_BITS = 10
OPEN_FILES_MAX = 256
PRIVATE_PREFIX = b"__faust"
"""Keys of the store itself, never rows."""
APPLIED_KEY = b"__faust\0applied__"
"""Largest inbox offset that a row of this database took: a log that ends before it was re-created or truncated."""
APPLIED_HEADER = "applied"
"""Header of a null changelog record: the inbox offset whose handling deleted the row, 8 bytes big-endian."""


@cache
def _shared() -> tuple[Any, Any]:
    return rocksdict.Cache(BLOCK_CACHE_BYTES), rocksdict.WriteBufferManager(MEMTABLES_BYTES, allow_stall=False)


def open_database(path: Path) -> Any:
    """Opens (or creates) a RocksDB with our options in raw mode: keys and values are bytes."""
    block_cache, memtables = _shared()
    table = rocksdict.BlockBasedOptions()
    table.set_bloom_filter(BLOOM_BITS, block_based=False)
    table.set_block_cache(block_cache)
    options = rocksdict.Options(raw_mode=True)
    options.create_if_missing(True)
    options.set_block_based_table_factory(table)
    options.set_write_buffer_size(MEMTABLE_BYTES)
    options.set_max_write_buffer_number(MEMTABLES_MAX)
    options.set_write_buffer_manager(memtables)
    options.set_max_open_files(OPEN_FILES_MAX)
    options.set_keep_log_file_num(2)
    path.parent.mkdir(parents=True, exist_ok=True)
    return rocksdict.Rdict(str(path), options=options)


def scan(database: Any, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yields keys that start with `prefix`, in order, with their values; the store's own keys are left out."""
    for key, value in database.items(from_key=prefix):
        if not key.startswith(prefix):
            return
        if not key.startswith(PRIVATE_PREFIX):
            yield key, value


class RowStore(Store):
    """Faust's RocksDB store with our options, closed when a partition leaves, and with a recovery that never goes back."""

    def database(self, partition: int) -> Any:
        """Returns the open database of a partition."""
        return self._db_for_partition(partition)

    def applied(self, partition: int) -> int:
        """Returns the largest inbox offset that any row of a partition took, deleted rows included; -1 for none."""
        raw = self.database(partition).get(APPLIED_KEY)
        return -1 if raw is None else int.from_bytes(raw, "big")

    def set_applied(self, partition: int, offset: int) -> None:
        """Records that rows up to an inbox offset are about to be written."""
        if offset > self.applied(partition):
            self.database(partition).put(APPLIED_KEY, offset.to_bytes(8, "big"))

    def _open_for_partition(self, partition: int) -> Any:
        return open_database(self.partition_path(partition))

    async def stop(self) -> None:
        for database in self._dbs.values():
            database.close()
        await super().stop()

    def revoke_partitions(self, table: Any, tps: set[Any]) -> None:
        for tp in tps:
            if tp.topic in table.changelog_topic.topics and tp.partition in self._dbs:
                self._dbs.pop(tp.partition).close()

    def apply_changelog_batch(self, batch: Iterable[Any], to_key: Any, to_value: Any) -> None:  # noqa: ARG002 (raw bytes)
        """Restores rows; per key the larger `applied` wins, because a frozen former owner may have written late."""
        writes: dict[int, dict[bytes, tuple[int | None, bytes | None]]] = defaultdict(dict)
        offsets: dict[Any, int] = {}
        for event in batch:
            message = event.message
            offsets[message.tp] = max(message.offset, offsets.get(message.tp, -1))
            applied = _applied(message)
            known = self._known(writes[message.partition], message.partition, message.key)
            if applied is None or known is None or applied >= known:
                writes[message.partition][message.key] = (applied, message.value)
        for partition, rows in writes.items():
            self._restore(partition, rows)
        for tp, offset in offsets.items():
            self.set_persisted_offset(tp, offset)

    def _known(self, pending: dict[bytes, tuple[int | None, bytes | None]], partition: int, key: bytes) -> int | None:
        if key in pending:
            return pending[key][0]
        raw = self._db_for_partition(partition).get(key)
        return None if raw is None else applied_of(raw)

    def _restore(self, partition: int, rows: dict[bytes, tuple[int | None, bytes | None]]) -> None:
        self.set_applied(partition, max((applied for applied, _ in rows.values() if applied is not None), default=-1))
        batch = rocksdict.WriteBatch(raw_mode=True)
        for key, (_, value) in rows.items():
            if value is None:
                batch.delete(key)
            else:
                batch.put(key, value)
        self._db_for_partition(partition).write(batch)


def _applied(message: Any) -> int | None:
    """The inbox offset of a changelog record; None for a null without header, which always deletes."""
    if message.value is not None:
        return applied_of(message.value)
    raw = dict(message.headers or ()).get(APPLIED_HEADER)
    return None if raw is None else int.from_bytes(raw, "big")


class IndexStore:
    """Private indexes of a worker: a RocksDB per table and partition without changelog, wiped when ownership starts."""

    def __init__(self, folder: Path, tables: Iterable[str]) -> None:
        self._folder = folder
        self._tables = tuple(tables)
        self._open: dict[tuple[str, int], Any] = {}

    def restart(self, partitions: Iterable[int]) -> None:
        """Closes and deletes everything, then opens an empty index per table for the owned partitions."""
        for database in self._open.values():
            database.close()
        self._open.clear()
        shutil.rmtree(self._folder, ignore_errors=True)
        for table in self._tables:
            for partition in partitions:
                self._open[table, partition] = open_database(self._folder / f"{table}-{partition}.db")

    def database(self, table: str, partition: int) -> Any:
        """Returns the open index of an owned partition."""
        return self._open[table, partition]
