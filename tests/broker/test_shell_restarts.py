"""A worker may die at any moment: every event is counted, none is skipped (faust-kafka.md §0)."""

import shutil
import time

import pytest

from tests.broker.counting import Counted
from tests.broker.world import World

pytestmark = pytest.mark.broker

NAMES = 200
EVENTS = 6_000


def numbered(first: int, past: int) -> list[Counted]:
    return [Counted(name=f"name-{number % NAMES}", number=number) for number in range(first, past)]


def test_ten_kills_under_backlog_lose_nothing(world: World) -> None:
    expected = world.send(numbered(0, EVENTS))
    for kill in range(10):
        worker = world.start(commit_s=0.2)
        world.until_ready(worker)
        time.sleep(0.1 * (1 + kill % 3))
        worker.kill()
        worker.wait()
        if kill % 3 == 2:
            shutil.rmtree(world.home / "state")
    assert world.committed() < EVENTS, "the backlog must last for all kills"
    worker = world.start()
    world.until_done(worker)
    assert world.counts() == expected
    worker.terminate()
    assert worker.wait(20) == 0
    assert world.committed() == EVENTS


def test_the_output_of_every_event_is_sent(world: World) -> None:
    expected = world.send(numbered(0, 2_000))
    for _ in range(2):
        worker = world.start()
        world.until(lambda: world.status(worker).get("counts", {}).get("handled", 0) > 100, "some are handled")  # noqa: B023
        worker.kill()
        worker.wait()
    worker = world.start()
    world.until_done(worker)
    seen = {(record.key(), record.value()) for record in world.read(f"{world.name}-counted")}
    assert len(seen) == sum(count for count, _ in expected.values())


def test_joining_leaving_and_dying_workers_lose_nothing(world: World) -> None:
    expected = world.send(numbered(0, 3_000))
    first = world.start("w1")
    world.until_ready(first)
    second = world.start("w2")
    world.until(lambda: world.status(second, "w2").get("partitions"), "the second owns partitions")
    second.kill()
    second.wait()
    expected_more = world.send(numbered(3_000, 4_000))
    second = world.start("w2")
    world.until_ready(second, "w2")
    first.terminate()
    first.wait(20)
    world.until(lambda: len(world.status(second, "w2").get("partitions", [])) == 4, "the second owns all")
    world.until_done(second, "w2")
    total = {name: (expected[name][0] + n, expected[name][1] + s) for name, (n, s) in expected_more.items()}
    assert world.counts() == expected | total


def test_a_worker_that_was_frozen_past_its_session_stops(world: World) -> None:
    expected = world.send(numbered(0, 2_000))
    worker = world.start(session_s=3, heartbeat_s=1)
    world.until_ready(worker)
    worker.send_signal(19)
    time.sleep(4)
    worker.send_signal(18)
    assert worker.wait(20) == 75
    world.workers.remove(worker)
    worker = world.start()
    world.until_done(worker)
    assert world.counts() == expected
