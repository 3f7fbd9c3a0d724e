"""`adcat topics apply|verify|tail`."""

import asyncio
import base64
import json
from typing import Annotated, Any

import typer

from adcat.settings import Settings
from topics.errors import Invalid, Undecodable
from topics.specs import TOPICS, codec

app = typer.Typer(help="Create, check and read the topics.", no_args_is_help=True)


@app.command()
def apply() -> None:
    """Create every topic of the table that is missing; fail when an existing one differs."""
    from topics import admin

    settings = Settings.from_environment()
    created = admin.apply(settings.kafka, settings.sizing)
    print(f"{len(created)} topics created, {len(TOPICS) - len(created)} were there and agree with the table")


@app.command()
def verify() -> None:
    """Compare the broker's topics with the table; exit code 1 when they differ."""
    from topics import admin

    settings = Settings.from_environment()
    problems = admin.verify(settings.kafka, settings.sizing)
    for problem in problems:
        print(problem)
    if problems:
        raise typer.Exit(1)
    print(f"all {len(TOPICS)} topics agree with the table")


@app.command()
def tail(
    topic: Annotated[str, typer.Argument(help="topic name, see `adcat topics verify`")],
    *,
    merchant: Annotated[str | None, typer.Option(help="only this merchant's records")] = None,
    limit: Annotated[int, typer.Option(help="stop after this many records; 0 for no limit")] = 0,
    follow: Annotated[bool, typer.Option(help="wait for new records instead of stopping at the end")] = False,
) -> None:
    """Print a topic's records, oldest first, decoded, one JSON object a line."""
    if topic not in TOPICS or not TOPICS[topic].events:
        names = ", ".join(name for name, spec in TOPICS.items() if spec.events)
        raise Invalid("topic", topic, f"use one of {names}")
    asyncio.run(_tail(Settings.from_environment().kafka, topic, merchant, limit, follow=follow))


async def _tail(bootstrap: str, topic: str, merchant: str | None, limit: int, *, follow: bool) -> None:
    from topics.io import LogReader, Record, opened

    reader = LogReader(bootstrap, [topic])
    shown = 0

    def show(record: Record) -> bool:
        nonlocal shown
        line = decoded(record)
        if merchant is None or (line.get("event") or {}).get("merchant") == merchant:
            print(json.dumps(line, ensure_ascii=False), flush=True)
            shown += 1
        return 0 < limit <= shown

    async with opened(reader):
        async for record in reader.read_to_end():
            if show(record):
                return
        while follow:
            for record in await reader.poll():
                if show(record):
                    return


def decoded(record: Any) -> dict[str, Any]:
    """Returns a record as JSON-ready values; an undecodable one carries its reason and raw bytes."""
    import msgspec

    line: dict[str, Any] = {
        "partition": record.partition,
        "offset": record.offset,
        "timestamp_ms": record.append_ms,
        "key": record.key.decode("utf-8", "replace"),
    }
    if record.value is None:
        return line | {"type": None, "event": None}
    try:
        event = codec().decode(record.value)
    except Undecodable as error:
        return line | {"type": "undecodable", "reason": str(error), "raw": base64.b64encode(record.value).decode()}
    return line | {"type": type(event).__name__, "event": msgspec.to_builtins(event)}
