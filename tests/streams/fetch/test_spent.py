"""A permit is spent at most once, although the frontier may say a task twice."""

from dataclasses import replace

from streams.fetch.spent import SpentPermits
from tests.streams.fetch.support import START_MS, task

PERMIT = task().permit


def test_a_permit_is_spent_at_most_once():
    spent = SpentPermits()
    assert spent.spend(PERMIT, START_MS)
    assert not spent.spend(PERMIT, START_MS)
    assert spent.spend(replace(PERMIT, permit_id="p2"), START_MS)


def test_a_permit_is_forgotten_when_it_has_expired():
    spent = SpentPermits()
    assert spent.spend(PERMIT, START_MS)
    assert not spent.spend(PERMIT, PERMIT.expires_at_ms - 1)
    assert spent.spend(replace(PERMIT, permit_id="p2"), PERMIT.expires_at_ms)
    assert len(spent._until_ms) == 1


def test_memory_is_bounded_and_the_oldest_goes_first():
    spent = SpentPermits(permits_max=2)
    for name in ("a", "b", "c"):
        assert spent.spend(replace(PERMIT, permit_id=name), START_MS)
    assert not spent.spend(replace(PERMIT, permit_id="c"), START_MS)
    assert spent.spend(replace(PERMIT, permit_id="a"), START_MS)
