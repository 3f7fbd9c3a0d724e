"""A worker follows its supervisor: nobody else would stop it, since it runs in a session of its own."""

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from adcat.supervisor import SUPERVISOR, WORKERS
from adcat.worker import FAUST, PLAIN, run_worker
from topics.errors import Invalid

REPOSITORY = Path(__file__).parents[2]
POLLS_MAX = 1_000
WORKER = """
import os, signal, sys, time
from pathlib import Path
from adcat.worker import follow_supervisor
if sys.argv[2] == "drains":
    signal.signal(signal.SIGTERM, lambda *_: (Path(sys.argv[1]).with_suffix(".drained").touch(), sys.exit(0)))
follow_supervisor()
Path(sys.argv[1]).write_text(str(os.getpid()))
time.sleep(600)
"""
SUPERVISING = """
import asyncio, sys
from pathlib import Path
from adcat.settings import Settings
from adcat.supervisor import Supervisor
async def main():
    command = lambda name: (sys.executable, "-c", sys.argv[1], sys.argv[2], name)
    supervisor = Supervisor(Settings(home=Path(sys.argv[3])), names=(sys.argv[4],), command=command)
    await supervisor.start()
    await asyncio.sleep(600)
asyncio.run(main())
"""


def pid_in(path: Path) -> int:
    for _ in range(POLLS_MAX):
        if path.exists() and path.read_text():
            return int(path.read_text())
        time.sleep(0.02)
    raise AssertionError("the worker did not start in time")


def ended(pid: int) -> bool:
    for _ in range(POLLS_MAX):
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize("name", ["drains", "plain"])
def test_a_worker_stops_when_its_supervisor_is_killed(tmp_path: Path, name: str) -> None:
    arguments = (WORKER, str(tmp_path / "worker.pid"), str(tmp_path / "home"), name)
    with subprocess.Popen([sys.executable, "-c", SUPERVISING, *arguments], cwd=REPOSITORY) as supervisor:
        worker = pid_in(tmp_path / "worker.pid")
        assert os.getsid(worker) != os.getsid(supervisor.pid), "a signal to the supervisor's group would not reach it"
        supervisor.kill()
    assert ended(worker)
    assert (tmp_path / "worker.drained").exists() is (name == "drains")
    assert "is gone" in (tmp_path / "home" / "logs" / f"{name}.log").read_text()


def test_a_worker_whose_supervisor_died_before_it_looked_stops_at_once(tmp_path: Path) -> None:
    gone = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    variables = os.environ | {SUPERVISOR: gone.stdout.decode().strip()}
    with subprocess.Popen(
        [sys.executable, "-c", WORKER, str(tmp_path / "worker.pid"), "plain"],
        cwd=REPOSITORY,
        env=variables,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as worker:
        assert worker.wait(timeout=60) == -15


def test_a_worker_that_a_person_started_follows_nobody() -> None:
    variables = {name: value for name, value in os.environ.items() if name != SUPERVISOR}
    script = "import threading; from adcat.worker import follow_supervisor as f; f(); print(threading.active_count())"
    said = subprocess.run(
        [sys.executable, "-c", script], cwd=REPOSITORY, env=variables, capture_output=True, check=True, text=True
    )
    assert said.stdout == "1\n"


def test_every_worker_has_one_way_to_run() -> None:
    assert sorted((*FAUST, *PLAIN)) == sorted(WORKERS)


def test_an_unknown_worker_is_refused_by_name() -> None:
    from adcat.settings import Settings

    with pytest.raises(Invalid, match="use one of control, relay"):
        run_worker("baker", Settings())
