"""The whole of adcat in memory: real stages, real control rules, a real replica; a scripted site and virtual time."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from control import sources
from control.request import SourceRequest
from replay.driver import Driver, Effect
from replay.faults import Faults
from serving_grpc.catalog_pb2 import Result
from streams.budget.stage import BUDGET
from streams.frontier.stage import FRONTIER
from streams.parse.io import READ_OUTCOMES
from streams.parse.read import PageRead, read
from streams.parse.stage import PARSE
from streams.publication.stage import PUBLISH
from streams.stage import Stage
from tests.flows.region import Region
from tests.flows.site import ORIGIN, Site, listing, product
from topics import specs
from topics.events.crawl import FetchTask, PageObserved, ProofObserved
from topics.events.offer import CatalogEntry, Quarantined
from topics.events.policy import Market, MerchantPolicy
from topics.keys import merchant_key

M = "shop"
TOKEN = "adcat-proof-1"
START_MS = 1_800_000_000_000
SECOND, MINUTE, HOUR = 1_000, 60_000, 3_600_000
DAY = 24 * HOUR
IDLE_STEP_MS = 20_000
STAGES = (FRONTIER, BUDGET, PARSE, PUBLISH)


class World:
    """One merchant from authorization to BatchGet.

    Args:
        faults: what may happen by chance.
        seed: of that chance.
        stages: the real ones by default.
        request: changes of the merchant's source request.
    """

    def __init__(
        self, faults: Faults | None = None, seed: int = 0, stages: Sequence[Stage] = STAGES, **request: Any
    ) -> None:
        self.site = Site()
        self.read: dict[tuple[Any, ...], PageRead] = {}
        self.driver = Driver(
            stages=stages,
            effects=(Effect(topic=specs.FETCH_TASK, answer=self.site.serve),),
            prepare={PARSE.name: self._prepare},
            faults=faults or Faults(),
            chance=random.Random(seed),
            now_ms=START_MS,
        )
        self.logs = self.driver.logs
        self.region = Region(self.logs)
        self.source: sources.Source | None = None
        self._proofs_read = 0
        self.request = SourceRequest(
            **{
                "start_url": f"{ORIGIN}/",
                "crawl_permission": True,
                "legal_review": "reviewed by a test",
                "markets": (Market(country="US", currency="USD"),),
                "allowed_origins": (ORIGIN,),
                "budget_key": "shop.example",
                "interval_ms": 100,
                "concurrency_max": 4,
                **request,
            }
        )

    @property
    def now_ms(self) -> int:
        return self.driver.now_ms

    # -- control ----------------------------------------------------------------------------------------------------

    def register(self) -> None:
        """Onboarding: the source is pending, its proof is fetched."""
        self._commit(sources.register(M, self.request, TOKEN, self.now_ms))

    def authorize(self) -> None:
        """Onboarding of a merchant that shows the token."""
        self.site.page(self.request.proof_url, f"{TOKEN}\n", content_type="text/plain")
        self.register()

    def control(self, rule: Callable[[sources.Source, int], sources.Change]) -> None:
        """An operator's order: `sources.disable`, `sources.enable`, `sources.refresh`."""
        assert self.source is not None
        self._commit(rule(self.source, self.now_ms))

    def _commit(self, change: sources.Change) -> None:
        """What the relay does: a policy to its three topics, a command to the frontier."""
        self.source = change.source
        for event in change.events:
            topics: tuple[str, ...] = (specs.FRONTIER_EVENT,)
            if isinstance(event, MerchantPolicy):
                topics = (specs.OFFER_DECISION, specs.MERCHANT_POLICY, specs.FRONTIER_EVENT)
            for topic in topics:
                self.driver.append(topic, merchant_key(event.merchant), event)

    def _hear_proofs(self) -> None:
        proofs = self.events(specs.SOURCE_PROOF, ProofObserved)
        for proof in proofs[self._proofs_read :]:
            assert self.source is not None
            self._commit(sources.prove(self.source, proof, self.now_ms))
        self._proofs_read = len(proofs)

    # -- time -------------------------------------------------------------------------------------------------------

    def advance(self, duration_ms: int, *, until: Callable[[], bool] | None = None) -> None:
        """Lets time pass: in ticks of 200 ms while anything happens, in long steps while nothing does."""
        end_ms = self.now_ms + duration_ms
        self.driver.settle()
        quiet_steps = 0
        while self.now_ms < end_ms and not (until is not None and until()):
            before = self._facts()
            step_ms = 200 if quiet_steps < 10 or self._busy() else IDLE_STEP_MS
            self.driver.advance(min(step_ms, end_ms - self.now_ms), step_ms=step_ms)
            self._hear_proofs()
            quiet_steps = quiet_steps + 1 if self._facts() == before else 0

    def _busy(self) -> bool:
        """True while an answer is on its way or a sweep advances, slice by slice, on ticks alone."""
        row = self.driver.view("frontier").get("sources", merchant_key(M))
        return self.driver.waiting() or (row is not None and row.sweep is not None)

    def _facts(self) -> int:
        return self.logs.total() - self.driver.ticked

    # -- what there is to see ---------------------------------------------------------------------------------------

    def batch_get(self, keys: list[str] | None = None, now_ms: int | None = None) -> dict[str, Result]:
        """Asks the region for keys, all known ones by default."""
        keys = sorted(self.catalog()) if keys is None else keys
        return self.region.batch_get(keys, self.now_ms if now_ms is None else now_ms)

    def statuses(self, keys: list[str] | None = None, now_ms: int | None = None) -> dict[str, str]:
        return {key: Result.Status.Name(one.status) for key, one in self.batch_get(keys, now_ms).items()}

    def catalog(self) -> dict[str, CatalogEntry]:
        """The current entries: the largest revision per key."""
        current: dict[str, CatalogEntry] = {}
        for entry in self.events(specs.OFFER_CATALOG, CatalogEntry):
            key = entry.offer_key.key.decode()
            if key not in current or current[key].revision < entry.revision:
                current[key] = entry
        return current

    def digests(self) -> dict[str, tuple[str, str]]:
        """What 'the same catalog' compares (DESIGN §10)."""
        return {key: (one.lifecycle, one.content_digest) for key, one in self.catalog().items()}

    def events(self, topic: str, kind: type) -> list[Any]:
        return self.logs.events(topic, kind)

    def tasks(self) -> list[FetchTask]:
        return self.events(specs.FETCH_TASK, FetchTask)

    def observed(self) -> list[PageObserved]:
        return self.events(specs.PAGE_OBSERVED, PageObserved)

    def reasons(self) -> set[str]:
        """Why something is in quarantine."""
        return {one.reason for one in self.events(specs.QUARANTINE, Quarantined)}

    def targets(self) -> dict[str, Any]:
        """The frontier's rows by URL."""
        return {row.url: row for _, row in self.driver.view("frontier").scan("targets", b"")}

    def _prepare(self, observed: PageObserved) -> PageRead:
        """As `streams.parse.io.Reader`, without a child process; equal bytes are parsed once."""
        if observed.body is None or observed.outcome not in READ_OUTCOMES:
            return PageRead(observed=observed)
        known = (observed.body.sha256, observed.url, observed.kind, observed.depth, observed.selectors)
        if known not in self.read:
            self.read[known] = read(observed, self.site.bodies[observed.body.sha256])
        return replace(self.read[known], observed=observed)


def shop(products: int = 6, **options: Any) -> World:
    """A world whose site has a robots.txt, a start page, a listing and some products; nothing is authorized yet."""
    world = World(**options)
    world.site.page("/robots.txt", "User-agent: *\nDisallow: /private\n", content_type="text/plain")
    world.site.page("/", listing("/collections/all"))
    world.site.page("/collections/all", listing(*(f"/products/stool-{number}" for number in range(products))))
    for number in range(products):
        world.site.page(f"/products/stool-{number}", product(number, f"{10 + number}.99"))
    return world


def key_of(number: int) -> str:
    return f"{M}|sku:OS-{number}|OS-{number}|US:USD"
