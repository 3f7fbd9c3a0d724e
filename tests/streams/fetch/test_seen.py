"""A task that stands twice in the log is run once (DESIGN §10: a permit is spent at most once)."""

from streams.fetch.seen import SeenTasks
from tests.streams.fetch.support import START_MS, task


def test_a_permit_is_spent_at_most_once_though_its_task_stands_twice_in_the_log() -> None:
    seen = SeenTasks()
    assert seen.first(task(observation_id="a" * 32), START_MS)
    assert not seen.first(task(observation_id="a" * 32), START_MS + 29_999)


def test_another_claim_of_the_same_target_is_another_task() -> None:
    seen = SeenTasks()
    assert seen.first(task(observation_id="a" * 32), START_MS)
    assert seen.first(task(observation_id="b" * 32), START_MS)


def test_an_id_is_forgotten_once_its_permit_has_expired() -> None:
    seen = SeenTasks()
    seen.first(task(observation_id="a" * 32, expires_at_ms=START_MS + 10), START_MS)
    assert seen.first(task(observation_id="b" * 32, expires_at_ms=START_MS + 99), START_MS + 10)
    assert seen.first(task(observation_id="a" * 32, expires_at_ms=START_MS + 99), START_MS + 10)


def test_memory_is_bounded_and_the_oldest_goes_first() -> None:
    seen = SeenTasks(ids_max=2)
    for name in "abc":
        assert seen.first(task(observation_id=name * 32), START_MS)
    assert not seen.first(task(observation_id="c" * 32), START_MS)
    assert seen.first(task(observation_id="a" * 32), START_MS)
