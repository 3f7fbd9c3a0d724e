"""`adcat up` as a process: killed, interrupted and stopped, it leaves nothing running that nobody looks after."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from adcat import broker
from adcat.broker import free_port
from adcat.home import holder
from adcat.settings import Settings
from adcat.supervisor import WORKERS, is_ready, read_status

REPOSITORY = Path(__file__).parents[2]
PATIENCE_S = 150.0
pytestmark = [pytest.mark.broker, pytest.mark.timeout(600)]


@pytest.fixture
def settings(tmp_path: Path) -> Iterator[Settings]:
    chosen = Settings(
        home=tmp_path / "home",
        cache=Path(os.environ.get("ADCAT_CACHE", REPOSITORY / ".cache")),
        kafka=f"127.0.0.1:{free_port()}",
        control_port=free_port(),
        grpc_port=free_port(),
        gateway_port=free_port(),
        metrics_port=free_port(),
    )
    yield chosen
    for pid in running(chosen):
        psutil.Process(pid).kill()
    broker.stop(chosen.broker)


def adcat(settings: Settings, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "adcat", *arguments],
        cwd=REPOSITORY,
        env=os.environ | settings.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def said(settings: Settings, *arguments: str) -> tuple[int, str]:
    with adcat(settings, *arguments) as process:
        text, _ = process.communicate(timeout=PATIENCE_S)
        return process.returncode, text


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


def until_line(process: "subprocess.Popen[str]", word: str) -> None:
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line)
        if word in line:
            return
    raise AssertionError("".join(lines))


def running(settings: Settings) -> set[int]:
    """Processes of this home, the broker apart."""
    found = set()
    for process in psutil.process_iter():
        try:
            if process.environ().get("ADCAT_HOME") == str(settings.home) and "kafka.Kafka" not in process.cmdline():
                found.add(process.pid)
        except psutil.Error:
            continue
    return found


def test_a_killed_stack_leaves_no_worker_and_the_next_one_takes_its_broker_over(settings: Settings) -> None:
    with adcat(settings, "up") as killed:
        until_line(killed, "gateway port")
        code, text = said(settings, "up")
        assert (code, text.count("\n")) == (1, 1), text
        assert f"another adcat (pid {killed.pid}) runs from {settings.home}" in text
        workers = {read_status(settings, name)["pid"] for name in WORKERS}
        assert workers < running(settings)
        killed.kill()
    until(lambda: not running(settings))
    assert broker.status(settings.broker).ready, "nobody could stop it"
    code, text = said(settings, "status")
    assert code == 0
    assert [line.split()[:2] for line in text.splitlines()] == [
        ["broker", "ready"],
        *([one, "down"] for one in WORKERS),
    ]
    with adcat(settings, "up") as second:
        until_line(second, "gateway port")
        assert all(is_ready(settings, name) for name in WORKERS)
        code, text = said(settings, "down")
        assert (code, text) == (0, f"stopping pid {second.pid}\n")
        assert second.wait(timeout=PATIENCE_S) == 0
    assert not running(settings)
    assert not broker.status(settings.broker).running
    assert said(settings, "down") == (0, f"nothing runs from {settings.home}\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_the_broker_starts_leaves_nothing_running(settings: Settings, number: signal.Signals) -> None:
    with adcat(settings, "up") as interrupted:
        until(settings.broker.pid.exists)
        interrupted.send_signal(number)
        text, _ = interrupted.communicate(timeout=PATIENCE_S)
    assert "Traceback" not in text
    assert not running(settings)
    assert not broker.status(settings.broker).running
    assert holder(settings) is None


def test_a_signal_while_workers_start_leaves_nothing_running(settings: Settings) -> None:
    with adcat(settings, "up") as interrupted:
        until_line(interrupted, "topics and database")
        interrupted.send_signal(signal.SIGINT)
        text, _ = interrupted.communicate(timeout=PATIENCE_S)
    assert "Traceback" not in text
    assert not running(settings)
    assert not broker.status(settings.broker).running


def test_a_broker_that_was_started_by_hand_outlives_the_stack(settings: Settings) -> None:
    broker.start(settings.broker)
    with adcat(settings, "up") as stack:
        until_line(stack, "topics and database")
        stack.send_signal(signal.SIGTERM)
        stack.communicate(timeout=PATIENCE_S)
    assert not running(settings)
    assert broker.status(settings.broker).ready
