"""The supervisor with real children: tiny programs in the workers' place."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest

from adcat import supervisor as supervising
from adcat.settings import Settings
from adcat.supervisor import Supervisor, is_ready, read_status, status_path, tree_rss_bytes
from topics.status import write_status

REPOSITORY = Path(__file__).parents[2]
READY = """
import json, os, pathlib, signal, subprocess, sys, time
path = pathlib.Path(sys.argv[1])
def say(**more):
    scratch = path.with_suffix(".new")
    scratch.write_text(json.dumps({"pid": os.getpid(), "ready": True, **more}))
    scratch.replace(path)
"""
OBEYS = READY + "say()\nsignal.pause()"
DRAINS = (
    READY
    + "signal.signal(signal.SIGTERM, lambda *_: (path.with_name('drained').touch(), sys.exit(0)))\nsay()\nsignal.pause()"
)
IGNORES = READY + "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nsay()\nwhile True: signal.pause()"
PARENT = (
    READY + "child = subprocess.Popen([sys.executable, '-c', 'import signal; signal.pause()'])\n"
    "say(child=child.pid)\nsignal.pause()"
)
ENDS = READY + "sys.exit(7)"
FOLLOWS_DEAF = (
    READY + "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nimport adcat.worker as worker\nworker.STOP_GRACE_S = 0.2\n"
    "child = subprocess.Popen([sys.executable, '-c', 'import signal; signal.pause()'])\n"
    "worker.follow_supervisor()\nsay(child=child.pid)\nwhile True: signal.pause()"
)


async def until(condition: Callable[[], object]) -> None:
    """Looks until the condition holds, at most 20 s; fails when it does not."""
    for _ in range(1_000):
        if condition():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("it did not happen")


def gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@asynccontextmanager
async def supervised(home: Path, program: str, **options: object) -> AsyncIterator[Supervisor]:
    settings = Settings(home=home)

    def command(name: str) -> Sequence[str]:
        return (sys.executable, "-c", program, str(status_path(settings, name)))

    one = Supervisor(settings, names=("toy",), command=command, **options)
    await one.start()
    try:
        yield one
    finally:
        await one.stop()


def process(one: Supervisor) -> asyncio.subprocess.Process:
    found = one.workers["toy"].process
    assert found is not None
    return found


async def test_a_killed_worker_is_started_again(tmp_path: Path) -> None:
    async with supervised(tmp_path, OBEYS) as one:
        assert await one.wait_ready(20)
        first = process(one).pid
        one.kill("toy")
        await until(lambda: read_status(one.settings, "toy").get("pid") not in (None, first))
        assert await one.wait_ready(20)
        assert one.workers["toy"].starts == 2
        assert one.rss_bytes() > 1_000_000
    assert gone(process(one).pid)
    assert one.rss_bytes() == 0


async def test_what_keeps_stopping_is_given_up_after_eight_restarts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervising, "BACKOFF_S", (0.0,))
    async with supervised(tmp_path, ENDS) as one:
        assert not await one.wait_ready(60), "it says so at once, not at the timeout"
        assert one.workers["toy"].given_up
        assert one.workers["toy"].starts == supervising.RESTARTS_MAX + 1


async def test_a_stop_lets_workers_drain_and_starts_nothing_again(tmp_path: Path) -> None:
    async with supervised(tmp_path, DRAINS) as one:
        assert await one.wait_ready(20)
    assert process(one).returncode == 0
    assert (one.settings.run / "drained").exists()
    assert one.workers["toy"].starts == 1


async def test_what_does_not_drain_in_time_is_killed(tmp_path: Path) -> None:
    async with supervised(tmp_path, IGNORES, stop_grace_s=0.3) as one:
        assert await one.wait_ready(20)
    assert process(one).returncode == -signal.SIGKILL


async def test_a_stop_while_a_worker_is_being_started_stops_that_one_too(tmp_path: Path) -> None:
    async with supervised(tmp_path, IGNORES, stop_grace_s=0.3) as one:
        await asyncio.sleep(0)  # its task has begun, its process is not there yet
    assert process(one).returncode is not None


async def test_a_stop_before_anything_started_is_nothing(tmp_path: Path) -> None:
    await Supervisor(Settings(home=tmp_path)).stop()


@pytest.mark.parametrize("how", ["killed with its group", "killed alone"])
async def test_children_of_a_killed_worker_go_with_it(tmp_path: Path, how: str) -> None:
    async with supervised(tmp_path, PARENT) as one:
        assert await one.wait_ready(20)
        child = read_status(one.settings, "toy")["child"]
        assert isinstance(child, int)
        if how == "killed alone":
            process(one).kill()
        else:
            one.kill("toy")
        await until(lambda: gone(child))


async def test_readiness_is_told_as_it_changes_and_ends_with_the_timeout(tmp_path: Path) -> None:
    told: list[dict[str, bool]] = []
    async with supervised(tmp_path, "import signal; signal.pause()") as one:
        assert not await one.wait_ready(0.3, told.append)
        write_status(status_path(one.settings, "toy"), ready=True)
        assert await one.wait_ready(5, told.append)
    assert told == [{"toy": False}, {"toy": True}]


def test_ready_means_that_the_very_process_lives(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    assert not is_ready(settings, "toy")
    write_status(status_path(settings, "toy"), ready=True)
    assert is_ready(settings, "toy")
    write_status(status_path(settings, "toy"), ready=False)
    assert not is_ready(settings, "toy")
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    status_path(settings, "toy").write_text(f'{{"pid": {ended.pid}, "ready": true}}')
    assert not is_ready(settings, "toy")
    for broken in ("", "{", "[]", '{"ready": true}', '{"pid": "1", "ready": true}'):
        status_path(settings, "toy").write_text(broken)
        assert not is_ready(settings, "toy"), broken
    assert tree_rss_bytes(ended.pid) == 0


SUPERVISES = """
import asyncio, pathlib, sys
from adcat.settings import Settings
from adcat.supervisor import Supervisor, status_path
async def main():
    settings = Settings(home=pathlib.Path(sys.argv[1]))
    one = Supervisor(settings, names=("toy",), command=lambda name: (sys.executable, "-c", sys.argv[2], str(status_path(settings, name))))
    await one.start()
    await asyncio.Event().wait()
asyncio.run(main())
"""


async def test_what_is_deaf_to_sigterm_is_killed_with_its_children_once_its_supervisor_was(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    killed = await asyncio.create_subprocess_exec(
        sys.executable, "-c", SUPERVISES, str(tmp_path), FOLLOWS_DEAF, cwd=REPOSITORY
    )
    try:
        await until(lambda: is_ready(settings, "toy"))
        status = read_status(settings, "toy")
    finally:
        killed.kill()
        await killed.wait()
    pids = [pid for name in ("pid", "child") if isinstance(pid := status[name], int)]
    assert len(pids) == 2
    await until(lambda: all(gone(pid) for pid in pids))
