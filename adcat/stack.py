"""The whole stack on one machine: broker, topics, database, keys, workers (`adcat up`, the demo, `adcat crawl`)."""

import asyncio
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp

from adcat import broker
from adcat.home import HomeLock, HomeTaken
from adcat.settings import Settings
from adcat.supervisor import Supervisor, is_ready, tree_rss_bytes
from topics import admin
from topics.errors import AdcatError

READY_S_MAX = 90.0
PORTS = ("control_port", "grpc_port", "gateway_port", "metrics_port")
Say = Callable[[str], None]


class StackFailed(AdcatError):
    """A part of the local stack did not become ready; the message names its log."""


class PortsTaken(AdcatError):
    """Ports of the stack are in use; the message names the variables that move them."""


@dataclass(slots=True)
class LocalStack:
    """Starts everything that is not running yet and stops what it started.

    One process runs a stack from one home: `start` takes the home's lock, `stop` gives it back.

    Attributes:
        settings: ports, folders, development switches.
        say: receives one line per step.
        may_share: use the stack that runs from this home already, if one does.
        timings_s: seconds per step, for the demo's summary.
        lock: of the home.
    """

    settings: Settings
    say: Say
    may_share: bool = False
    timings_s: dict[str, float] = field(default_factory=dict)
    supervisor: Supervisor | None = None
    lock: HomeLock = field(init=False)
    _broker: "asyncio.Task[broker.BrokerStatus] | None" = None

    def __post_init__(self) -> None:
        self.lock = HomeLock(self.settings)

    async def start(self) -> None:
        """Brings the stack up.

        Raises:
            HomeTaken: another process runs from this home, and may not be shared or does not answer.
            PortsTaken: another process listens where a worker would.
            StackFailed: a worker did not become ready; the message names its log.
        """
        try:
            self.lock.take()
        except HomeTaken:
            if not self.may_share or not await answers(self.settings):
                raise
            self.say(f"using the stack that runs at {control_url(self.settings)}")
            return
        _check_ports(self.settings)
        await self._step("broker", self._start_broker)
        await self._step("topics and database", self._prepare)
        await self._step("workers", self._start_workers)

    async def stop(self) -> None:
        """Stops what `start` started, in reverse order."""
        if self.supervisor is not None:
            await self.supervisor.stop()
        if self._broker is not None:
            await asyncio.wait([self._broker])  # a start that was interrupted goes on in its thread
            await asyncio.to_thread(broker.stop, self.settings.broker)
            self._own.unlink(missing_ok=True)
        self.lock.free()

    @property
    def _own(self) -> Path:
        return self.settings.run / "own-broker.pid"

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
        if self.settings.kafka != self.settings.broker.address:
            return  # a broker elsewhere is not ours to start
        found = await asyncio.to_thread(broker.status, self.settings.broker)
        if found.ready and not self._left_behind(found):
            return  # `adcat broker start` started it
        self._broker = asyncio.create_task(asyncio.to_thread(broker.start, self.settings.broker))
        status = await asyncio.shield(self._broker)
        self._own.parent.mkdir(parents=True, exist_ok=True)
        self._own.write_text(str(status.pid))

    def _left_behind(self, found: broker.BrokerStatus) -> bool:
        """Whether a stack that was killed started this broker: the next one takes it over, and stops it."""
        return self._own.exists() and self._own.read_text() == str(found.pid)

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


def _check_ports(settings: Settings) -> None:
    taken = [name for name in PORTS if _listens(settings.host, getattr(settings, name))]
    if taken:
        ports = ", ".join(f"{getattr(settings, name)} (ADCAT_{name.upper()})" for name in taken)
        raise PortsTaken(f"another process listens at {settings.host}, port {ports}: stop it or set the variable")


def _listens(host: str, port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1.0)
        return probe.connect_ex((host, port)) == 0


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
