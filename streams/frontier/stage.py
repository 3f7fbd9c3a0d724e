"""The frontier as a value that three drivers run: one inbox, one owner per partition, everything keyed by merchant."""

from collections.abc import Callable, Sequence
from typing import Any

from streams.frontier.accept import on_outcome
from streams.frontier.admit import on_links
from streams.frontier.claim import on_granted, on_tick
from streams.frontier.command import on_command, on_policy
from streams.frontier.owner import on_owner_started
from streams.frontier.rows import (
    DUE,
    PATTERNS,
    READY,
    SITES,
    SOURCES,
    TARGETS,
    IndexRow,
    PatternRow,
    SourceRow,
    TargetRow,
)
from streams.frontier.turn import Turn
from streams.stage import Emit, Position, Stage, TableSpec, View
from topics.events.base import Event
from topics.events.crawl import FetchOutcome, LinksFound, OwnerStarted, PermitsGranted, Tick
from topics.events.policy import MerchantPolicy, SourceCommanded
from topics.specs import FRONTIER_EVENT

_HANDLERS: dict[type[Event], Callable[[Turn, Any], None]] = {
    FetchOutcome: on_outcome,
    LinksFound: on_links,
    MerchantPolicy: on_policy,
    OwnerStarted: on_owner_started,
    PermitsGranted: on_granted,
    SourceCommanded: on_command,
    Tick: on_tick,
}


def handle(view: View, event: Event, at: Position) -> Sequence[Emit]:
    """Handles one event of the inbox; a KeyError means an event class that the inbox does not carry."""
    turn = Turn(view=view, at=at)
    _HANDLERS[type(event)](turn, event)
    return turn.emits


FRONTIER = Stage(
    name="frontier",
    inboxes=(FRONTIER_EVENT,),
    tables=(
        TableSpec(name=TARGETS, row=TargetRow),
        TableSpec(name=SOURCES, row=SourceRow),
        TableSpec(name=PATTERNS, row=PatternRow),
        TableSpec(name=DUE, row=IndexRow, durable=False),
        TableSpec(name=READY, row=IndexRow, durable=False),
        TableSpec(name=SITES, row=IndexRow, durable=False),
    ),
    handle=handle,
    ticks=FRONTIER_EVENT,
)
