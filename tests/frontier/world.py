"""A whole crawl in memory: frontier and budget over their logs, a fetch pool, and a site that counts what it sees."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from streams.budget.stage import BUDGET
from streams.frontier.stage import FRONTIER
from streams.stage import Emit
from tests.frontier.machinery import Partition
from topics import specs
from topics.events.base import Event, event_id
from topics.events.crawl import BodyRef, FetchOutcome, FetchTask, FoundLink, LinksFound, PermitReturned
from topics.events.policy import Market, MerchantPolicy, SourceCommanded
from topics.fence import Fence
from topics.urls import UrlPolicy, identity_url, target_id

M = "shop"
ORIGIN = "https://shop.example"
START_MS = 1_800_000_000_000
BODY = BodyRef(sha256="ab" * 32, location="blobs/ab", manifest="manifests/ab", length=10)


def named(event_type: type[Event], /, **fields: Any) -> Any:
    """Builds an event whose id follows from its fields."""
    return event_type(
        event_id=event_id(event_type.__name__, b"", None, repr(sorted(fields)), 0), occurred_at_ms=0, **fields
    )


def policy(**changes: Any) -> MerchantPolicy:
    fields: dict[str, Any] = {
        "merchant": M,
        "policy_rev": 1,
        "status": "enabled",
        "source_epoch": 1,
        "disable_epoch": 0,
        "start_url": f"{ORIGIN}/",
        "proof_url": f"{ORIGIN}/.well-known/adcat-verification.txt",
        "allowed_origins": (ORIGIN,),
        "markets": (Market(country="US", currency="USD"),),
        "budget_key": "shop.example",
        "interval_ms": 100,
        "concurrency_max": 4,
    }
    fields.update(changes)
    event: MerchantPolicy = named(MerchantPolicy, **fields)
    return event


def command(word: str, epoch: int = 1) -> SourceCommanded:
    event: SourceCommanded = named(SourceCommanded, merchant=M, command=word, source_epoch=epoch)
    return event


def link(path: str, hint: str = "product", origin: str = ORIGIN, **more: Any) -> FoundLink:
    identity = identity_url(origin + path, UrlPolicy())
    return FoundLink(
        url=origin + path, identity_url=identity, target_id=target_id(identity), kind="page", hint=hint, **more
    )


def links(*found: FoundLink, epoch: int = 1, depth: int = 0) -> LinksFound:
    fence = Fence(source_epoch=epoch, term=1, generation=1)
    event: LinksFound = named(
        LinksFound, merchant=M, target_id=target_id(f"{ORIGIN}/"), fence=fence, depth=depth, links=tuple(found)
    )
    return event


def outcome_of(task: FetchTask, word: str = "page", **more: Any) -> FetchOutcome:
    fields: dict[str, Any] = {
        "merchant": task.merchant,
        "target_id": task.target_id,
        "kind": task.kind,
        "url": task.url,
        "fence": task.fence,
        "observation_id": task.observation_id,
        "permit_id": task.permit.permit_id,
        "outcome": word,
        "reason": word,
        "fetched_at_ms": task.claimed_at_ms + 5,
        "status": {"page": 200, "missing": 404, "failed": None}.get(word),
    }
    if word == "page":
        fields.update(body=BODY, etag='"v1"')
    fields.update(more)
    event: FetchOutcome = named(FetchOutcome, **fields)
    return event


def answer(task: FetchTask) -> FetchOutcome:
    """A site that allows everything and has every page."""
    return outcome_of(task, extract="User-agent: *\nDisallow: /private\n" if task.kind == "robots" else None)


@dataclass(slots=True)
class World:
    """Frontier, budget, fetch pool, site.

    Attributes:
        site: gives the outcome of a task.
        auto: run the fetch pool after every step; off, tasks wait in `tasks`.
        sent: (time, permit id, url) of each request the site saw.
        observed: page-observed and source-proof records.
    """

    site: Callable[[FetchTask], FetchOutcome] = answer
    auto: bool = True
    now_ms: int = START_MS
    tasks: list[FetchTask] = field(default_factory=list)
    all_tasks: list[FetchTask] = field(default_factory=list)
    sent: list[tuple[int, str, str]] = field(default_factory=list)
    observed: list[Any] = field(default_factory=list)
    quarantined: list[Any] = field(default_factory=list)
    met: set[str] = field(default_factory=set)
    frontier: Partition = field(init=False)
    budget: Partition = field(init=False)

    def __post_init__(self) -> None:
        self.frontier = Partition(stage=FRONTIER, send=self._route)
        self.budget = Partition(stage=BUDGET, send=self._route)

    def _route(self, emit: Emit) -> None:
        topic, event = emit.topic, emit.event
        if topic == specs.FRONTIER_EVENT:
            self.frontier.append(event, self.now_ms)
        elif topic == specs.BUDGET_EVENT:
            self.budget.append(event, self.now_ms)
        elif topic == specs.FETCH_TASK:
            assert isinstance(event, FetchTask)
            self.all_tasks.append(event)
            if event.observation_id not in self.met:  # the pool's own guard: a repeated task is one task
                self.met.add(event.observation_id)
                self.tasks.append(event)
        elif topic == specs.QUARANTINE:
            self.quarantined.append(event)
        else:
            self.observed.append(event)

    def start(self) -> None:
        self.frontier.start_owner(self.now_ms)
        self.budget.start_owner(self.now_ms)
        self.settle()

    def tell(self, *events: Event) -> None:
        for event in events:
            self.frontier.append(event, self.now_ms)
        self.settle()

    def settle(self) -> None:
        """Handles everything that stands in both logs."""
        while self.frontier.committed < len(self.frontier.log) or self.budget.committed < len(self.budget.log):
            self.frontier.run()
            self.budget.run()

    def pass_ms(self, span_ms: int, step_ms: int = 200) -> None:
        """Lets time pass tick by tick, fetching as permits say."""
        end_ms = self.now_ms + span_ms
        while self.now_ms < end_ms:
            self.now_ms += step_ms
            self.frontier.tick(self.now_ms)
            self.budget.tick(self.now_ms)
            self.settle()
            if self.auto:
                self.fetch_ready()
                self.settle()

    def fetch_ready(self) -> None:
        for task in list(self.tasks):
            if task.permit.not_before_ms <= self.now_ms:
                self.tasks.remove(task)
                self.fetch(task)

    def fetch(self, task: FetchTask, result: FetchOutcome | None = None) -> None:
        """Runs one task the way a fetch worker does: inside its permit, outcome and return afterwards."""
        if task.permit.expires_at_ms <= self.now_ms:
            result = outcome_of(task, "refused", reason="permit_expired")
        else:
            self.sent.append((max(self.now_ms, task.permit.not_before_ms), task.permit.permit_id, task.url))
            result = result or self.site(task)
        self.frontier.append(result, self.now_ms)
        self.give_back(task, result)

    def give_back(self, task: FetchTask, result: FetchOutcome) -> None:
        back = named(
            PermitReturned,
            budget_key=task.permit.budget_key,
            merchant=task.merchant,
            permit_id=task.permit.permit_id,
            outcome=result.outcome,
            retry_after_ms=result.retry_after_ms,
        )
        self.budget.append(back, self.now_ms)

    def urls(self) -> list[str]:
        return [url.removeprefix(ORIGIN) for _, _, url in self.sent]


def crawling(**changes: Any) -> World:
    """A world whose merchant is enabled and commanded to crawl."""
    world = World()
    world.start()
    world.tell(policy(**changes), command("crawl"))
    return world
