"""A small log, its rows, and a driver that can stop between any two steps of a stage."""

from bisect import insort
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from streams.rows import decode_row, encode_row
from streams.stage import Emit, Overlay, Position, Stage
from topics.events.base import Event, event_id
from topics.events.crawl import OwnerStarted, Tick


class DictRows:
    """Committed rows of one partition; values are stored encoded, so what a test sees is what a disk holds."""

    def __init__(self, stage: Stage) -> None:
        self.types = {spec.name: spec.row for spec in stage.tables}
        self.durable = {spec.name for spec in stage.tables if spec.durable}
        self.values: dict[tuple[str, bytes], bytes] = {}
        self.keys: dict[str, list[bytes]] = {name: [] for name in self.types}

    def get(self, table: str, key: bytes) -> Any | None:
        raw = self.values.get((table, key))
        return None if raw is None else decode_row(raw, self.types[table])

    def scan(self, table: str, prefix: bytes) -> Iterator[tuple[bytes, Any]]:
        for key in [key for key in self.keys[table] if key.startswith(prefix)]:
            yield key, self.get(table, key)

    def write(self, table: str, key: bytes, row: Any | None) -> None:
        known = (table, key) in self.values
        if row is None:
            if known:
                del self.values[table, key]
                self.keys[table].remove(key)
            return
        if not known:
            insort(self.keys[table], key)
        self.values[table, key] = encode_row(row)

    def lose_private(self) -> None:
        """A new machine: only durable rows are recovered."""
        for table, key in list(self.values):
            if table not in self.durable:
                self.write(table, key, None)


@dataclass(slots=True, kw_only=True)
class Partition:
    """One inbox partition of a stage with its log, its rows and its committed offset.

    Attributes:
        send: what happens to an output; called while the event is handled, before the writes.
        log: (append time, event), offset = place.
        committed: next offset to handle.
    """

    stage: Stage
    send: Callable[[Emit], None]
    rows: DictRows = field(init=False)
    log: list[tuple[int, Event]] = field(default_factory=list)
    committed: int = 0
    latest_ms: int = 0
    owners: int = 0

    def __post_init__(self) -> None:
        self.rows = DictRows(self.stage)

    @property
    def incarnation(self) -> str:
        return f"owner-{self.owners}"

    def append(self, event: Event, now_ms: int) -> None:
        self.log.append((now_ms, event))

    def start_owner(self, now_ms: int) -> None:
        self.owners += 1
        name = event_id("OwnerStarted", b"", None, self.incarnation, 0)
        event = OwnerStarted(event_id=name, occurred_at_ms=now_ms, incarnation=self.incarnation, partition=0)
        self.append(event, now_ms)

    def tick(self, now_ms: int) -> None:
        name = event_id("Tick", b"", None, str(len(self.log)), 0)
        self.append(Tick(event_id=name, occurred_at_ms=now_ms, incarnation=self.incarnation, partition=0), now_ms)

    def handle_at(self, offset: int) -> tuple[list[Emit], list[tuple[tuple[str, bytes], Any]]]:
        """Handles the event at an offset; returns outputs and writes without doing either."""
        appended_ms, event = self.log[offset]
        self.latest_ms = max(self.latest_ms, appended_ms)
        at = Position(topic=self.stage.inboxes[0], partition=0, offset=offset, now_ms=self.latest_ms)
        overlay = Overlay(self.rows)
        emits = list(self.stage.handle(overlay, event, at))
        return emits, list(overlay.writes.items())

    def step(self) -> None:
        """Handles one event wholly: send, flush, commit."""
        emits, writes = self.handle_at(self.committed)
        for emit in emits:
            self.send(emit)
        for (table, key), row in writes:
            self.rows.write(table, key, row)
        self.committed += 1

    def crash_in_step(self, sends: int, flushed: int) -> None:
        """Handles one event and dies: after `sends` outputs, or after all of them and `flushed` writes. Nothing is committed."""
        emits, writes = self.handle_at(self.committed)
        for emit in emits[:sends]:
            self.send(emit)
        if sends >= len(emits):
            for (table, key), row in writes[:flushed]:
                self.rows.write(table, key, row)

    def run(self) -> None:
        while self.committed < len(self.log):
            self.step()
