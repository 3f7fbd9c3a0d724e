import pytest

from streams.shell.lanes import Lanes
from streams.stage import Position
from topics.errors import LogHole

INBOX = ("inbox", 3)
BEGUN_AT = 10
GENERATION = 7


@pytest.fixture
def lanes() -> Lanes:
    lanes = Lanes()
    lanes.begin(GENERATION, {INBOX: BEGUN_AT})
    return lanes


def take(lanes: Lanes, offset: int, append_ms: int = 1_000, generation: int = GENERATION) -> Position | None:
    return lanes.admit(INBOX, offset, append_ms, generation)


def finish(lanes: Lanes, offset: int, generation: int = GENERATION) -> None:
    position = take(lanes, offset)
    assert position is not None
    lanes.done(position, generation)


def test_events_are_admitted_in_order(lanes: Lanes) -> None:
    finish(lanes, 10)
    finish(lanes, 11)
    assert take(lanes, 12) == Position(topic="inbox", partition=3, offset=12, now_ms=1_000)


def test_a_jump_is_a_hole_even_at_the_first_event(lanes: Lanes) -> None:
    with pytest.raises(LogHole, match="inbox/3 jumped from offset 10 to 11"):
        take(lanes, 11)


def test_an_event_that_was_not_finished_makes_the_next_one_a_hole(lanes: Lanes) -> None:
    assert take(lanes, 10)
    with pytest.raises(LogHole):
        take(lanes, 11)


def test_a_finished_event_read_again_is_left_out(lanes: Lanes) -> None:
    finish(lanes, 10)
    assert take(lanes, 10) is None


def test_records_of_an_earlier_assignment_are_left_out(lanes: Lanes) -> None:
    assert take(lanes, 10, generation=GENERATION - 1) is None
    assert lanes.admit(("inbox", 4), 10, 0, GENERATION) is None


def test_a_new_assignment_counts_anew(lanes: Lanes) -> None:
    finish(lanes, 10)
    lanes.begin(GENERATION + 1, {INBOX: 90})
    assert lanes.admit(INBOX, 90, 0, GENERATION + 1)


def test_an_event_that_ends_after_its_assignment_moves_nothing(lanes: Lanes) -> None:
    position = take(lanes, 10)
    assert position is not None
    lanes.begin(GENERATION + 1, {INBOX: 10})
    lanes.done(position, GENERATION)
    assert list(lanes.next_offsets()) == [(INBOX, 10)]


def test_time_never_goes_back_also_across_assignments(lanes: Lanes) -> None:
    assert take(lanes, 10, append_ms=2_000)
    lanes.begin(GENERATION + 1, {INBOX: 10})
    position = lanes.admit(INBOX, 10, 1_500, GENERATION + 1)
    assert position is not None
    assert position.now_ms == lanes.now_ms(INBOX) == 2_000
    assert lanes.now_ms(("inbox", 4)) == 0


def test_only_what_is_done_is_committed(lanes: Lanes) -> None:
    assert lanes.committable(INBOX, GENERATION) is None
    assert take(lanes, 10)
    assert lanes.committable(INBOX, GENERATION) is None
    finish(lanes, 10)
    assert lanes.committable(INBOX, GENERATION) == 11
    assert lanes.committable(INBOX, GENERATION + 1) is None
    assert lanes.committable(("inbox", 4), GENERATION) is None
