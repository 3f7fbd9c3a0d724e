"""The command as people and scripts meet it: one line and exit code 2 for bad input, 1 for a world that does not answer."""

import asyncio
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from adcat.home import HomeLock, HomeTaken, holder, lock_path
from adcat.settings import Settings
from adcat.stack import LocalStack

REPOSITORY = Path(__file__).parents[2]
CLOSED = "127.0.0.1:9"
CRAWL = ("crawl", "https://shop.example/", "--merchant", "acme", "--market", "US", "--currency", "USD")


def adcat(home: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ADCAT_")}
    return subprocess.run(
        [sys.executable, "-m", "adcat", *arguments],
        cwd=REPOSITORY,
        env=environment | {"ADCAT_HOME": str(home), "ADCAT_KAFKA": CLOSED} | variables,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def swapped(option: str, value: str) -> tuple[str, ...]:
    """Returns the crawl command with one value replaced."""
    at = 1 if option == "url" else CRAWL.index(f"--{option}") + 1
    return (*CRAWL[:at], value, *CRAWL[at + 1 :])


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (swapped("url", "shop.example"), "url is 'shop.example'"),
        (swapped("url", "https://user:secret@shop.example/"), "url is"),
        (swapped("url", "https://10.0.0.7/"), "start_url is"),
        (swapped("url", "http://localhost:8701/"), "allow_loopback"),
        (swapped("merchant", "A_B"), "merchant is 'A_B'"),
        (swapped("market", "USA"), "country is 'USA'"),
        (swapped("currency", "EURO"), "currency is 'EURO'"),
        ((*CRAWL, "--rate", "0"), "rate is"),
        ((*CRAWL, "--wait", "soon"), "wait is 'soon'"),
        (("worker", "baker"), "worker is 'baker'"),
        (("token", "--audience", "all"), "audience is 'all'"),
        (("topics", "tail", "no-such-topic"), "topic is 'no-such-topic'"),
    ],
)
def test_bad_input_is_named_before_anything_starts(home: Path, arguments: tuple[str, ...], field: str) -> None:
    said = adcat(home, *arguments)
    assert (said.returncode, said.stdout) == (2, "")
    assert said.stderr.count("\n") == 1
    assert said.stderr.startswith("adcat: ")
    assert field in said.stderr
    assert not home.exists(), "nothing was started"


def test_a_bad_variable_is_named(home: Path) -> None:
    said = adcat(home, "up", ADCAT_PARTITIONS="many")
    assert (said.returncode, said.stderr) == (2, "adcat: ADCAT_PARTITIONS is 'many': write a whole number\n")


@pytest.mark.parametrize("arguments", [("topics", "apply"), ("topics", "verify"), ("topics", "tail", "offer-catalog")])
def test_a_kafka_that_does_not_answer_is_one_line_with_its_address(home: Path, arguments: tuple[str, ...]) -> None:
    said = adcat(home, *arguments)
    assert (said.returncode, said.stdout) == (1, "")
    assert said.stderr == f"adcat: no Kafka broker answers at {CLOSED}; start one with `adcat broker start`\n"


def test_status_with_nothing_running_says_so_of_each_worker(home: Path) -> None:
    said = adcat(home, "status")
    assert (said.returncode, said.stderr) == (0, "")
    lines = said.stdout.splitlines()
    assert [line.split()[0] for line in lines[:3]] == ["broker", "control", "relay"]
    assert all(line.split()[1] == "down" for line in lines)
    assert CLOSED in lines[0]
    assert not home.exists(), "looking changes nothing"


def test_down_with_nothing_running_says_so(home: Path) -> None:
    said = adcat(home, "down")
    assert (said.returncode, said.stdout) == (0, f"nothing runs from {home}\n")


def test_without_a_command_the_help_is_shown(home: Path) -> None:
    said = adcat(home)
    assert said.returncode in (0, 2)
    assert all(
        name in said.stdout for name in ("broker", "topics", "schema", "inspect", "up", "crawl", "demo", "status")
    )


def test_schemas_are_checked(home: Path) -> None:
    said = adcat(home, "schema", "check")
    assert (said.returncode, said.stderr) == (0, "")


def test_a_second_stack_in_one_home_is_refused_in_one_line(home: Path) -> None:
    lock = HomeLock(Settings(home=home))
    lock.take()
    said = adcat(home, "up")
    assert (said.returncode, said.stdout) == (1, "")
    assert said.stderr.count("\n") == 1
    assert f"pid {os.getpid()}" in said.stderr
    assert str(home) in said.stderr
    lock.free()


def test_a_taken_port_is_named_with_its_variable_before_anything_starts(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        said = adcat(home, "up", ADCAT_GRPC_PORT=port)
    assert (said.returncode, said.stdout) == (1, "")
    assert said.stderr.count("\n") == 1
    assert f"{port} (ADCAT_GRPC_PORT)" in said.stderr
    assert holder(Settings(home=home)) is None


async def test_a_stack_does_not_share_a_home_whose_holder_does_not_answer(home: Path) -> None:
    settings = Settings(home=home, control_port=9)
    lock = HomeLock(settings)
    lock.take()
    for may_share in (False, True):
        with pytest.raises(HomeTaken, match="adcat down"):
            await LocalStack(settings, print, may_share=may_share).start()
    lock.free()


async def test_an_unready_lock_file_names_no_process(home: Path) -> None:
    settings = Settings(home=home)
    lock = HomeLock(settings)
    lock.take()
    lock_path(settings).write_text("")
    assert await asyncio.to_thread(holder, settings) == 0
    lock.free()
