"""Fences are a total order; log positions grow."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import fences
from topics.fence import LOG_EPOCH_MAX, OFFSET_MAX, OUTPUTS_MAX, Fence, generation, log_position

offsets = st.integers(0, OFFSET_MAX)
epochs = st.integers(1, LOG_EPOCH_MAX)


@given(fences, fences, fences)
def test_supersedes_is_a_strict_total_order(a: Fence, b: Fence, c: Fence):
    assert [a.supersedes(b), b.supersedes(a), a == b].count(True) == 1
    if a.supersedes(b) and b.supersedes(c):
        assert a.supersedes(c)
    assert a.supersedes(None)


def test_epoch_before_term_before_generation():
    ordered = [Fence(source_epoch=e, term=t, generation=g) for e, t, g in itertools.product(range(3), repeat=3)]
    for earlier, later in itertools.combinations(ordered, 2):
        assert later.supersedes(earlier)


@pytest.mark.parametrize("field", ["source_epoch", "term", "generation"])
def test_a_fence_has_no_negative_part(field: str):
    with pytest.raises(ValueError, match=field):
        Fence(**{"source_epoch": 1, "term": 1, "generation": 1, field: -1})


@given(epochs, offsets, epochs, offsets)
def test_log_positions_order_by_epoch_then_offset_and_fit_an_avro_long(e1: int, o1: int, e2: int, o2: int):
    assert (log_position(e1, o1) < log_position(e2, o2)) == ((e1, o1) < (e2, o2))
    assert 0 < log_position(e1, o1) < 1 << 63


@pytest.mark.parametrize(("epoch", "offset"), [(0, 0), (LOG_EPOCH_MAX + 1, 0), (1, -1), (1, OFFSET_MAX + 1)])
def test_a_position_outside_the_log_is_refused(epoch: int, offset: int):
    with pytest.raises(ValueError, match="is outside"):
        log_position(epoch, offset)


@given(offsets, st.integers(0, OUTPUTS_MAX - 1), offsets, st.integers(0, OUTPUTS_MAX - 1))
def test_generations_order_by_cause_then_output(o1: int, i1: int, o2: int, i2: int):
    assert (generation(o1, i1) < generation(o2, i2)) == ((o1, i1) < (o2, i2))


@pytest.mark.parametrize("index", [-1, OUTPUTS_MAX])
def test_an_event_claims_a_bounded_number_of_targets(index: int):
    with pytest.raises(ValueError, match="output_index"):
        generation(1, index)
