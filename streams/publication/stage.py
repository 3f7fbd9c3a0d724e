"""PUBLISH: the one place that decides what the catalog says (SPEC G).

Everything that can change an offer arrives in one log, and each event is decided in one call over the rows of one
merchant. The stage needs no ticks: eligibility expires by itself, and misses come as observations.
"""

from dataclasses import replace
from typing import Any

from streams.publication.candidates import Decided, propose
from streams.publication.policy import take
from streams.publication.rows import MerchantRow, OfferRow, TargetRow
from streams.publication.targets import observe
from streams.stage import Emit, Position, Stage, TableSpec, View
from topics.errors import Bug
from topics.events.crawl import OwnerStarted, Tick
from topics.events.offer import CandidateProposed, TargetObserved
from topics.events.policy import MerchantPolicy
from topics.keys import merchant_key
from topics.specs import OFFER_DECISION


def handle(view: View, event: Any, position: Position) -> list[Emit]:
    """Decides one event of the decision log.

    Below the merchant's `applied`, an event was decided completely and changes nothing. At it, the stored outcome is
    repeated with equal bytes, because output and changelog may not have been acknowledged.
    """
    if isinstance(event, (Tick, OwnerStarted)):
        return []
    key = merchant_key(event.merchant)
    guard: MerchantRow = view.get("merchants", key) or MerchantRow(applied=-1)
    if position.offset < guard.applied:
        return []
    emits, decided = _decide(view, event, position, guard)
    view.put("merchants", key, replace(decided, applied=position.offset))
    return emits


def _decide(view: View, event: Any, position: Position, guard: MerchantRow) -> Decided:
    if isinstance(event, CandidateProposed):
        return propose(view, event, position, guard)
    if isinstance(event, TargetObserved):
        return observe(view, event, position, guard)
    if isinstance(event, MerchantPolicy):
        return take(event, position, guard)
    raise Bug(f"{type(event).__name__} does not belong into {position.topic}")


PUBLISH = Stage(
    name="publish",
    inboxes=(OFFER_DECISION,),
    tables=(
        TableSpec(name="offers", row=OfferRow),
        TableSpec(name="targets", row=TargetRow),
        TableSpec(name="merchants", row=MerchantRow),
    ),
    handle=handle,
)
