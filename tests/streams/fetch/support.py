"""Tasks and fakes for the tests of the fetch worker."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from streams.blobs.manifest import Manifest
from streams.fetch.exchange import Answer, Request
from topics.errors import Retry
from topics.events.crawl import FetchTask, Permit
from topics.fence import Fence

START_MS = 1_767_225_600_000
URL = "https://shop.example/a"


def task(**changes) -> FetchTask:
    permit = Permit(
        permit_id=changes.pop("permit_id", "p1"),
        budget_key="https://shop.example",
        term=2,
        not_before_ms=changes.pop("not_before_ms", START_MS),
        expires_at_ms=changes.pop("expires_at_ms", START_MS + 30_000),
    )
    plain = FetchTask(
        event_id="e" * 32,
        occurred_at_ms=START_MS,
        merchant="shoes",
        target_id="ab" * 16,
        kind="page",
        url=URL,
        fence=Fence(source_epoch=1, term=2, generation=3),
        observation_id="cd" * 16,
        permit=permit,
        claimed_at_ms=START_MS,
        lease_until_ms=START_MS + 120_000,
        allowed_origins=("https://shop.example",),
    )
    return replace(plain, **changes)


@dataclass
class FakeTime:
    """Virtual wall clock; sleeping is what moves it."""

    now: int = START_MS
    slept: list[float] = field(default_factory=list)

    def now_ms(self) -> int:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += round(seconds * 1_000)


@dataclass
class FakeSite:
    """Answers from a script and remembers what was asked, and when."""

    time: FakeTime
    answers: Sequence[Answer]
    asked: list[tuple[int, Request]] = field(default_factory=list)

    async def fetch(self, request: Request) -> Answer:
        self.asked.append((self.time.now, request))
        return self.answers[len(self.asked) - 1]


@dataclass
class FakeBodies:
    """Remembers what was stored, in order; fails the first `failures` calls."""

    failures: int = 0
    stored: list[object] = field(default_factory=list)

    async def put_body(self, body: bytes) -> tuple[str, str]:
        self._fail()
        self.stored.append(body)
        return "0" * 64, "bodies/0"

    async def put_manifest(self, location: str, manifest: Manifest) -> None:
        self._fail()
        self.stored.append((location, manifest))

    def _fail(self) -> None:
        if self.failures:
            self.failures -= 1
            raise Retry("the store is away")


class FakeSlots:
    """Room for one request; entering it may take time."""

    def __init__(self, time: FakeTime, wait_s: float = 0.0) -> None:
        self._time = time
        self._wait_s = wait_s

    async def __aenter__(self) -> None:
        await self._time.sleep(self._wait_s)

    async def __aexit__(self, *_: object) -> None:
        return None
