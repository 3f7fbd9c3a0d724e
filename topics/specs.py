"""Every topic adcat uses, declared once: `adcat topics apply|verify` and every worker read this table (DESIGN §3)."""

import functools
from dataclasses import dataclass

from topics.codec import Codec
from topics.events import crawl, offer, policy
from topics.events.base import Event

DAY_MS = 86_400_000
HOUR_MS = 3_600_000
LOG_EPOCH = 1
"""Part of the decision log's name; never reused: re-creation, truncation or a new P means the next one."""

FRONTIER_EVENT = "frontier-event"
BUDGET_EVENT = "budget-event"
FETCH_TASK = "fetch-task"
PAGE_OBSERVED = "page-observed"
SOURCE_PROOF = "source-proof"
OFFER_DECISION = f"offer-decision.e{LOG_EPOCH}"
OFFER_CATALOG = "offer-catalog"
OFFER_CHANGE = "offer-change"
QUARANTINE = "quarantine"
MERCHANT_POLICY = "merchant-policy"
POLICY_PROOF = "policy-proof"
REVOCATION_ACK = "revocation-ack"

_COMPACTED = {
    "cleanup.policy": "compact",
    "min.compaction.lag.ms": str(6 * HOUR_MS),
    "segment.ms": str(6 * HOUR_MS),
    "segment.bytes": str(64 << 20),
    "min.cleanable.dirty.ratio": "0.2",
}
_CHANGELOG = {
    "cleanup.policy": "compact",
    "segment.ms": str(6 * HOUR_MS),
    "segment.bytes": str(64 << 20),
    "min.cleanable.dirty.ratio": "0.2",
    "max.compaction.lag.ms": str(DAY_MS),
}


def _kept(days: int, *, inbox: bool = False) -> dict[str, str]:
    config = {"cleanup.policy": "delete", "retention.ms": str(days * DAY_MS)}
    if inbox:
        config["message.timestamp.type"] = "LogAppendTime"
    return config


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicSpec:
    """One topic.

    Attributes:
        name: topic name.
        config: broker configuration that is created and verified.
        events: event classes that may stand in it; empty for changelogs (raw rows).
        partitions: None for the merchant-scoped count P, else a fixed number.
        key: what the key is, for people.
    """

    name: str
    config: dict[str, str]
    events: tuple[type[Event], ...] = ()
    partitions: int | None = None
    key: str = "merchant"


def changelog(app: str, table: str) -> str:
    """Returns the changelog topic of a stage's table, as Faust names it."""
    return f"{app}-{table}-changelog"


TABLES = {
    "frontier": ("targets", "sources", "patterns"),
    "budget": ("budgets",),
    "parse": ("pages", "templates"),
    "publish": ("offers", "targets", "merchants"),
}
"""Durable tables of each app; a test compares it with the stages' own declarations."""

DLQ_APPS = ("frontier", "budget", "parse", "publish", "fetch")

_TOPICS = (
    TopicSpec(
        name=FRONTIER_EVENT,
        config=_kept(7, inbox=True),
        events=(
            crawl.OwnerStarted,
            crawl.Tick,
            crawl.LinksFound,
            crawl.FetchOutcome,
            crawl.PermitsGranted,
            policy.SourceCommanded,
            policy.MerchantPolicy,
        ),
    ),
    TopicSpec(
        name=BUDGET_EVENT,
        config=_kept(1, inbox=True),
        events=(crawl.OwnerStarted, crawl.Tick, crawl.PermitsRequested, crawl.PermitsGranted, crawl.PermitReturned),
        key="site-budget key",
    ),
    TopicSpec(name=FETCH_TASK, config=_kept(3), events=(crawl.FetchTask,)),
    TopicSpec(name=PAGE_OBSERVED, config=_kept(30, inbox=True), events=(crawl.PageObserved,), key="merchant|target"),
    TopicSpec(name=SOURCE_PROOF, config=_kept(7), events=(crawl.ProofObserved,)),
    TopicSpec(
        name=OFFER_DECISION,
        config=_kept(30, inbox=True),
        events=(
            crawl.OwnerStarted,
            crawl.Tick,
            offer.CandidateProposed,
            offer.TargetObserved,
            policy.MerchantPolicy,
        ),
    ),
    TopicSpec(name=OFFER_CATALOG, config=_COMPACTED, events=(offer.CatalogEntry,), key="offer key"),
    TopicSpec(name=OFFER_CHANGE, config=_kept(90), events=(offer.OfferChanged,), key="offer key"),
    TopicSpec(name=QUARANTINE, config=_kept(30), events=(offer.Quarantined,), key="offer key or target"),
    TopicSpec(name=MERCHANT_POLICY, config=_COMPACTED, events=(policy.MerchantPolicy,)),
    TopicSpec(
        name=POLICY_PROOF,
        config={"cleanup.policy": "compact,delete", "retention.ms": str(DAY_MS)},
        events=(policy.PolicyProof,),
        partitions=1,
        key="policy partition",
    ),
    TopicSpec(
        name=REVOCATION_ACK,
        config={"cleanup.policy": "compact,delete", "retention.ms": str(DAY_MS)},
        events=(policy.RevocationAcked,),
        partitions=1,
        key="replica",
    ),
    *(
        TopicSpec(name=f"dlq-{app}", config=_kept(30), events=(offer.DeadLettered,), key="as the original")
        for app in DLQ_APPS
    ),
    *(
        TopicSpec(name=changelog(app, table), config=_CHANGELOG, key="row key")
        for app, tables in TABLES.items()
        for table in tables
    ),
)

TOPICS: dict[str, TopicSpec] = {spec.name: spec for spec in _TOPICS}
EVENTS: tuple[type[Event], ...] = tuple({event.__name__: event for spec in _TOPICS for event in spec.events}.values())


@functools.cache
def codec() -> Codec:
    """Returns the codec over every released schema; built once a process."""
    return Codec(EVENTS)
