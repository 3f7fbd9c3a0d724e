"""Supervises the workers of one machine: starts them, restarts what stops, and tells what is ready.

A worker that meets a hole in its log, a failed send or a lost session stops on purpose (DESIGN §5); starting it again is
the remedy, so restarts are part of the design. They are bounded: a worker that keeps stopping is left down and shown.
"""

import asyncio
import json
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from adcat.settings import Settings
from topics.clock import wall_ms

WORKERS = ("control", "relay", "frontier", "budget", "fetch", "parse", "publish", "serve", "gateway")
RESTARTS_MAX = 8
RESTART_WINDOW_MS = 120_000
BACKOFF_S = (0.0, 0.5, 1.0, 2.0, 5.0)
STOP_GRACE_S = 15.0
SUPERVISOR = "ADCAT_SUPERVISOR"
"""Variable that tells a worker the pid of its supervisor: when that dies, the worker stops (adcat/worker.py)."""

POLL_S = 0.2


def worker_command(name: str) -> Sequence[str]:
    """Returns the command line of a worker."""
    return (sys.executable, "-m", "adcat", "worker", name)


@dataclass(slots=True)
class Worker:
    """One supervised process.

    Attributes:
        stops_ms: when it stopped by itself lately; too many inside the window give it up.
        given_up: it kept stopping and is left down.
    """

    name: str
    process: asyncio.subprocess.Process | None = None
    stops_ms: deque[int] = field(default_factory=deque)
    starts: int = 0
    given_up: bool = False
    task: "asyncio.Task[None] | None" = None


@dataclass(slots=True)
class Supervisor:
    """Starts workers as children and keeps them running until `stop`.

    Attributes:
        settings: passed to each child by environment.
        names: which workers; all by default.
        command: what to run for a name.
        stop_grace_s: how long a worker may drain before it is killed.
    """

    settings: Settings
    names: tuple[str, ...] = WORKERS
    command: Callable[[str], Sequence[str]] = worker_command
    stop_grace_s: float = STOP_GRACE_S
    workers: dict[str, Worker] = field(init=False, default_factory=dict)
    _stopping: bool = field(init=False, default=False)

    async def start(self) -> None:
        """Starts every worker; returns at once, see `wait_ready`."""
        for folder in (self.settings.run, self.settings.logs):
            folder.mkdir(parents=True, exist_ok=True)
        for name in self.names:
            status_path(self.settings, name).unlink(missing_ok=True)
            worker = self.workers[name] = Worker(name)
            worker.task = asyncio.create_task(self._keep(worker), name=f"keep {name}")

    async def stop(self) -> None:
        """Asks every worker to drain, waits, and kills what does not stop in time."""
        self._stopping = True
        for worker in self.workers.values():
            self._signal(worker, signal.SIGTERM)
        tasks = [one.task for one in self.workers.values() if one.task is not None]
        if tasks:
            await asyncio.wait(tasks, timeout=self.stop_grace_s)
            for worker in self.workers.values():
                self._signal(worker, signal.SIGKILL)
            await asyncio.gather(*tasks)

    def kill(self, name: str) -> None:
        """Kills one worker as a crash would (SIGKILL to its process group); it is started again."""
        self._signal(self.workers[name], signal.SIGKILL)

    async def wait_ready(self, timeout_s: float, on_change: Callable[[dict[str, bool]], None] | None = None) -> bool:
        """Returns True once every worker is ready, False at the timeout or when one was given up."""
        deadline = wall_ms() + int(timeout_s * 1000)
        before: dict[str, bool] = {}
        while wall_ms() < deadline and not any(one.given_up for one in self.workers.values()):
            now = {name: is_ready(self.settings, name) for name in self.names}
            if now != before and on_change is not None:
                on_change(now)
            if all(now.values()):
                return True
            before = now
            await asyncio.sleep(POLL_S)
        return False

    def rss_bytes(self) -> int:
        """Resident memory of all workers and their children."""
        pids = [one.process.pid for one in self.workers.values() if one.process and one.process.returncode is None]
        return sum(tree_rss_bytes(pid) for pid in pids)

    async def _keep(self, worker: Worker) -> None:
        while not self._stopping:
            worker.process = await self._spawn(worker)
            if self._stopping:  # `stop` came while it started, and signalled nobody
                self._signal(worker, signal.SIGTERM)
            await worker.process.wait()
            with suppress(ProcessLookupError):
                os.killpg(worker.process.pid, signal.SIGKILL)  # what a killed worker left behind
            if self._stopping:
                return
            if self._stops_too_often(worker):
                worker.given_up = True
                return
            await asyncio.sleep(BACKOFF_S[min(len(worker.stops_ms) - 1, len(BACKOFF_S) - 1)])

    def _stops_too_often(self, worker: Worker) -> bool:
        now = wall_ms()
        worker.stops_ms.append(now)
        while worker.stops_ms[0] < now - RESTART_WINDOW_MS:
            worker.stops_ms.popleft()
        return len(worker.stops_ms) > RESTARTS_MAX

    async def _spawn(self, worker: Worker) -> asyncio.subprocess.Process:
        worker.starts += 1
        log = (self.settings.logs / f"{worker.name}.log").open("ab")
        try:
            return await asyncio.create_subprocess_exec(
                *self.command(worker.name),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=os.environ | self.settings.environment() | {SUPERVISOR: str(os.getpid())},
                start_new_session=True,
            )
        finally:
            log.close()

    @staticmethod
    def _signal(worker: Worker, number: signal.Signals) -> None:
        process = worker.process
        if process is None or process.returncode is not None:
            return
        if number == signal.SIGKILL:
            os.killpg(process.pid, number)  # the children of parse and fetch go with their parent
        else:
            process.send_signal(number)


def status_path(settings: Settings, name: str) -> Path:
    """Returns where a worker writes `{"pid", "ready", ...}`."""
    return settings.run / f"{name}.json"


def read_status(settings: Settings, name: str) -> dict[str, object]:
    """Returns a worker's last status; empty when it wrote none."""
    try:
        status = json.loads(status_path(settings, name).read_text())
    except (FileNotFoundError, json.JSONDecodeError):
        return {}
    return status if isinstance(status, dict) else {}


def is_ready(settings: Settings, name: str) -> bool:
    """True when the worker says ready and that very process is alive."""
    status = read_status(settings, name)
    pid = status.get("pid")
    return bool(status.get("ready")) and isinstance(pid, int) and _runs(pid)


def tree_rss_bytes(pid: int) -> int:
    """Resident memory of a process and its descendants; 0 when it is gone."""
    try:
        process = psutil.Process(pid)
        return sum(one.memory_info().rss for one in [process, *process.children(recursive=True)])
    except psutil.Error:
        return 0


def _runs(pid: int) -> bool:
    """True while the process runs; one that ended and was not yet reaped by its parent does not."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False
