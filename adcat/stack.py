"""The whole stack on one machine: broker, topics, database, keys, workers (`adcat up`, the demo, `adcat crawl`)."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import aiohttp

from adcat import broker
from adcat.settings import Settings
from adcat.supervisor import Supervisor, is_ready, tree_rss_bytes
from topics import admin
from topics.errors import AdcatError

READY_S_MAX = 90.0
Say = Callable[[str], None]


class StackFailed(AdcatError):
    """A part of the local stack did not become ready; the message names its log."""


@dataclass(slots=True)
class LocalStack:
    """Starts everything that is not running yet and stops what it started.

    Attributes:
        settings: ports, folders, development switches.
        say: receives one line per step.
        timings_s: seconds per step, for the demo's summary.
    """

    settings: Settings
    say: Say
    timings_s: dict[str, float] = field(default_factory=dict)
    supervisor: Supervisor | None = None
    _own_broker: bool = False

    async def start(self) -> None:
        """Brings the stack up; raises StackFailed naming the worker and its log when one does not become ready."""
        if await answers(self.settings):
            self.say(f"using the stack that runs at {control_url(self.settings)}")
            return
        await self._step("broker", self._start_broker)
        await self._step("topics and database", self._prepare)
        await self._step("workers", self._start_workers)

    async def stop(self) -> None:
        """Stops what `start` started, in reverse order."""
        if self.supervisor is not None:
            await self.supervisor.stop()
        if self._own_broker:
            await asyncio.to_thread(broker.stop, self.settings.broker)

    def rss_bytes(self) -> int:
        """Resident memory of the workers and the broker."""
        status = broker.status(self.settings.broker)
        own = self.supervisor.rss_bytes() if self.supervisor is not None else 0
        return own + (tree_rss_bytes(status.pid) if status.pid else 0)

    async def _step(self, name: str, run: Callable[[], object]) -> None:
        started = time.monotonic()
        result = run()
        if asyncio.iscoroutine(result):
            await result
        self.timings_s[name] = time.monotonic() - started
        self.say(f"{name}: {self.timings_s[name]:.1f} s")

    async def _start_broker(self) -> None:
        if await asyncio.to_thread(lambda: broker.status(self.settings.broker).ready):
            return
        await asyncio.to_thread(broker.start, self.settings.broker)
        self._own_broker = True

    async def _prepare(self) -> None:
        await asyncio.to_thread(prepare, self.settings)

    async def _start_workers(self) -> None:
        self.supervisor = Supervisor(self.settings)
        await self.supervisor.start()
        if not await self.supervisor.wait_ready(READY_S_MAX):
            late = [name for name in self.supervisor.names if not is_ready(self.settings, name)]
            logs = ", ".join(str(self.settings.logs / f"{name}.log") for name in late)
            await self.supervisor.stop()
            raise StackFailed(f"not ready after {READY_S_MAX:.0f} s: {', '.join(late)}; read {logs}")


def prepare(settings: Settings) -> None:
    """Creates topics, database schema and keys; everything that is there stays as it is."""
    from control.io import migrate
    from control.keys import ensure_keys

    settings.home.mkdir(parents=True, exist_ok=True)
    ensure_keys(settings.keys)
    admin.apply(settings.kafka, settings.sizing)
    migrate(settings.database_url)


def control_url(settings: Settings) -> str:
    """Base address of the HTTP API."""
    return f"http://{settings.host}:{settings.control_port}"


async def answers(settings: Settings) -> bool:
    """True when a control plane answers at the configured port."""
    timeout = aiohttp.ClientTimeout(total=2)
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.get(control_url(settings) + "/healthz") as answer,
        ):
            return answer.status < 500
    except (aiohttp.ClientError, TimeoutError):
        return False
