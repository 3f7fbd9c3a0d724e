"""A stage that counts, run as a worker process by the shell's broker tests: `python counting.py '<json>'`."""

import json
import sys
from pathlib import Path
from typing import Any

import msgspec

from streams.shell.app import build_app, run_worker
from streams.shell.settings import ShellSettings
from streams.stage import Emit, Position, Stage, TableSpec, View
from topics.codec import Unencodable, UnknownSchema
from topics.errors import Quarantine, Reject, Retry, Undecodable
from topics.events.base import Event
from topics.events.crawl import OwnerStarted, Tick
from topics.events.offer import DeadLettered

PARTITIONS = 4


class Counted(msgspec.Struct, frozen=True, kw_only=True):
    """One event of the tests; `does` is what the handler shall do with it."""

    name: str
    number: int
    does: str = "count"


class Count(msgspec.Struct, frozen=True, kw_only=True):
    """Row of a name: how many events, and the numbers' sum, so that a skip and a repetition both show."""

    applied: int
    count: int
    total: int


CLASSES = {cls.__name__: cls for cls in (Counted, Count, OwnerStarted, Tick, DeadLettered)}


class ToyCodec:
    """JSON with the class name in front."""

    def encode(self, event: Any) -> bytes:
        try:
            return type(event).__name__.encode() + b" " + msgspec.json.encode(event)
        except UnicodeEncodeError as error:
            raise Unencodable("half a character") from error

    def decode(self, value: bytes) -> Any:
        name, _, body = value.partition(b" ")
        if name == b"Tomorrow":
            raise UnknownSchema("written by a later release")
        try:
            return msgspec.json.decode(body, type=CLASSES[name.decode()])
        except (KeyError, UnicodeDecodeError, msgspec.DecodeError) as error:
            raise Undecodable(f"not a toy event: {error!r}") from error


def handle(view: View, event: Any, at: Position) -> list[Emit]:
    """Counts per name; the row is the guard, so it is put last and an equal offset re-emits."""
    if isinstance(event, (OwnerStarted, Tick)):
        return []
    if event.does == "raise":
        raise ZeroDivisionError("as ordered")
    if event.does == "reject":
        raise Reject("as ordered")
    if event.does == "quarantine":
        raise Quarantine("as ordered")
    key = event.name.encode()
    if event.does == "delete":
        view.delete("counts", key)
        return []
    row = view.get("counts", key)
    if row is None or at.offset > row.applied:
        before = (0, 0) if row is None else (row.count, row.total)
        row = Count(applied=at.offset, count=before[0] + 1, total=before[1] + event.number)
    elif at.offset < row.applied:
        return []
    said = {"huge": "x" * 3_000_000, "unsayable": "\ud83d"}.get(event.does, event.name)
    value = Counted(name=said, number=row.count)
    view.put("names", key, row)
    view.put("counts", key, row)
    topic = "topic-that-does-not-exist" if event.does == "nowhere" else at.topic.replace("-event", "-counted")
    return [Emit(topic=topic, key=key, event=value)]  # type: ignore[arg-type]


def stage(name: str, *, ticks: bool = False) -> Stage:
    """The counting stage: one durable table and one private index."""
    inbox = f"{name}-event"
    return Stage(
        name=name,
        inboxes=(inbox,),
        tables=(TableSpec(name="counts", row=Count), TableSpec(name="names", row=Count, durable=False)),
        handle=handle,
        ticks=inbox if ticks else None,
    )


tries = 0


async def prepare(event: Event) -> Event:
    """Fails twice for the events that ask for it."""
    global tries  # noqa: PLW0603
    if getattr(event, "does", "") == "retry" and tries < 2:
        tries += 1
        raise Retry("as ordered")
    return event


if __name__ == "__main__":
    options = json.loads(sys.argv[1])
    stage_ = stage(options.pop("name"), ticks=options.pop("ticks", False))
    settings = ShellSettings(**{**options, "home": Path(options["home"])})
    run_worker(build_app(stage_, settings, ToyCodec(), prepare))
