"""In-memory logs and rows: what the broker and RocksDB are to the stages, without either."""

import bisect
import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from streams.rows import decode_row, encode_row
from streams.stage import Stage
from topics.events.base import Event
from topics.keys import partition_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Appended:
    """One record of an in-memory log."""

    key: bytes
    event: Event
    append_ms: int


@dataclass(slots=True)
class Logs:
    """Partitioned append-only logs with the production partitioner.

    Attributes:
        partitions: P of every topic.
    """

    partitions: int = 1
    _records: dict[tuple[str, int], list[Appended]] = field(default_factory=lambda: defaultdict(list))

    def append(self, topic: str, key: bytes, event: Event, now_ms: int, *, partition: int | None = None) -> int:
        """Appends and returns the offset."""
        number = partition_of(key, self.partitions) if partition is None else partition
        log = self._records[topic, number]
        log.append(Appended(key=key, event=event, append_ms=now_ms))
        return len(log) - 1

    def read(self, topic: str, partition: int) -> list[Appended]:
        """Returns the whole log of one partition; its list index is the offset."""
        return self._records[topic, partition]

    def all(self, topic: str) -> list[Appended]:
        """Returns the records of all partitions, partition by partition."""
        return [record for number in range(self.partitions) for record in self._records[topic, number]]

    def events(self, topic: str, kind: type | None = None) -> list[Any]:
        """Returns the events of a topic, of one class if given."""
        return [one.event for one in self.all(topic) if kind is None or isinstance(one.event, kind)]

    def total(self) -> int:
        """Returns how many records all logs hold."""
        return sum(len(log) for log in self._records.values())

    def digest(self) -> str:
        """Returns 64 hex digits over every record of every log in order: equal runs have equal histories."""
        found = hashlib.sha256()
        for (topic, partition), log in sorted(self._records.items()):
            for record in log:
                found.update(repr((topic, partition, record)).encode())
        return found.hexdigest()


@dataclass(slots=True)
class MemoryRows:
    """The committed rows of one stage partition; stored encoded, so that row codecs are exercised too."""

    row_types: dict[str, type]
    _values: dict[str, dict[bytes, bytes]] = field(default_factory=lambda: defaultdict(dict))
    _order: dict[str, list[bytes]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def of(cls, stage: Stage) -> "MemoryRows":
        """Returns empty rows for a stage's tables."""
        return cls({table.name: table.row for table in stage.tables})

    def get(self, table: str, key: bytes) -> Any | None:
        raw = self._values[table].get(key)
        return None if raw is None else decode_row(raw, self.row_types[table])

    def scan(self, table: str, prefix: bytes) -> Iterator[tuple[bytes, Any]]:
        """Yields rows whose key starts with `prefix`, in key order, as they were when the scan began."""
        order = self._order[table]
        at = bisect.bisect_left(order, prefix)
        while at < len(order) and order[at].startswith(prefix):
            key = order[at]
            yield key, decode_row(self._values[table][key], self.row_types[table])
            at += 1

    def write(self, table: str, key: bytes, row: Any | None) -> None:
        """Applies one flushed write; None deletes."""
        if row is None:
            if self._values[table].pop(key, None) is not None:
                self._order[table].remove(key)
            return
        if key not in self._values[table]:
            bisect.insort(self._order[table], key)
        self._values[table][key] = encode_row(row)

    def stored(self, tables: Collection[str]) -> dict[tuple[str, bytes], bytes]:
        """Returns the stored bytes of some tables, to compare states."""
        return {(table, key): raw for table in tables for key, raw in self._values[table].items()}

    def wipe(self, table: str) -> None:
        """Empties a private table, as assignment does."""
        self._values[table].clear()
        self._order[table].clear()
