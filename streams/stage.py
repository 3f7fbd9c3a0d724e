"""A stage as a value: its inboxes, its tables, and one pure function that three drivers run (DESIGN §1).

The drivers are Faust (`streams/shell`), the in-memory driver and replay (`replay/`). For each event a driver
 1. hands `handle` an `Overlay` over the partition's rows,
 2. sends the returned outputs and awaits their acknowledgement,
 3. flushes the overlay's writes in the order they were put.
A crash between 2 and 3 repeats the event, a crash inside 3 repeats it over a part of its writes. Therefore a handler puts
the row that guards its decision **last**, and writes that come before the guard are safe to repeat (faust-kafka.md R6).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from topics.events.base import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """Where and when an event stands in its log.

    Attributes:
        topic: name of the inbox.
        partition: its partition.
        offset: its offset; re-handling is told by it.
        now_ms: append time of the event raised to the partition's maximum so far: the only time a stage knows (DESIGN §5).
    """

    topic: str
    partition: int
    offset: int
    now_ms: int

    @property
    def origin(self) -> str:
        """The input coordinates that event ids are derived from."""
        return f"{self.topic}/{self.partition}/{self.offset}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Emit:
    """One output: a record for a topic. The partition follows from the key (murmur2 of its first component)."""

    topic: str
    key: bytes
    event: Event


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSpec:
    """One keyed table of a stage.

    Attributes:
        name: short name, unique in the stage; the changelog topic is `<app>-<name>-changelog`.
        row: frozen dataclass of the values; every row has `applied`, the inbox offset it last took.
        durable: False for a private index without changelog, rebuilt from the durable rows when ownership starts.
    """

    name: str
    row: type
    durable: bool = True


class Rows(Protocol):
    """What a driver must offer under an overlay: the committed rows of one partition."""

    def get(self, table: str, key: bytes) -> Any | None: ...

    def scan(self, table: str, prefix: bytes) -> Iterator[tuple[bytes, Any]]:
        """Yields rows whose key starts with `prefix`, in key order."""
        ...


class View(Protocol):
    """What a handler sees: rows it can read, put and delete. Reads see the handler's own writes."""

    def get(self, table: str, key: bytes) -> Any | None: ...

    def put(self, table: str, key: bytes, row: Any) -> None: ...

    def delete(self, table: str, key: bytes) -> None: ...

    def scan(self, table: str, prefix: bytes = b"") -> Iterator[tuple[bytes, Any]]: ...


Handle = Callable[[View, Any, Position], Sequence[Emit]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A stage as drivers run it.

    Attributes:
        name: consumer group and app name.
        inboxes: topics it reads; each partition of an inbox is handled in order by one owner.
        tables: its rows.
        handle: the pure function. Same view, event and position give the same outputs and writes.
        ticks: inbox that wants a `Tick` every 200 ms per owned partition and an `OwnerStarted` at assignment; None for neither.
    """

    name: str
    inboxes: tuple[str, ...]
    tables: tuple[TableSpec, ...]
    handle: Handle
    ticks: str | None = None


@dataclass(slots=True)
class Overlay:
    """Writes of one event over the committed rows; the driver flushes them after the outputs are acknowledged."""

    rows: Rows
    writes: dict[tuple[str, bytes], Any | None] = field(default_factory=dict)

    def get(self, table: str, key: bytes) -> Any | None:
        if (table, key) in self.writes:
            return self.writes[table, key]
        return self.rows.get(table, key)

    def put(self, table: str, key: bytes, row: Any) -> None:
        assert row is not None, "delete a row with delete()"
        self._write(table, key, row)

    def delete(self, table: str, key: bytes) -> None:
        self._write(table, key, None)

    def scan(self, table: str, prefix: bytes = b"") -> Iterator[tuple[bytes, Any]]:
        """Yields committed and own rows merged in key order; rows put while scanning may be missed."""
        own = {key: row for (name, key), row in self.writes.items() if name == table and key.startswith(prefix)}
        pending = sorted(own, reverse=True)
        for key, row in self.rows.scan(table, prefix):
            while pending and pending[-1] < key:
                mine = pending.pop()
                if own[mine] is not None:
                    yield mine, own[mine]
            if key not in own:
                yield key, row
            else:
                pending.pop()
                if own[key] is not None:
                    yield key, own[key]
        for key in reversed(pending):
            if own[key] is not None:
                yield key, own[key]

    def _write(self, table: str, key: bytes, row: Any | None) -> None:
        # A row put twice keeps its last place, so that "guard row last" holds for the last put of the guard.
        self.writes.pop((table, key), None)
        self.writes[table, key] = row
