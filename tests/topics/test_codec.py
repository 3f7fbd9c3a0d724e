"""The wire format: what we wrote is what we read, and what we cannot read says why."""

import msgspec
import pytest
from hypothesis import given, settings

from tests.strategies import events
from topics.codec import MESSAGE_BYTES_MAX, Codec, Unencodable, UnknownSchema
from topics.errors import Bug, Undecodable
from topics.events.base import Event, event_id
from topics.events.crawl import Tick
from topics.fence import Fence
from topics.schemas import newest, released
from topics.specs import EVENTS, codec

TICK = Tick(event_id="0" * 32, occurred_at_ms=1, incarnation="i", partition=0)


@settings(max_examples=150, deadline=None)
@given(events(*EVENTS))
def test_every_event_survives_the_wire(event: Event):
    assert codec().decode(codec().encode(event)) == event


def test_a_value_starts_with_magic_0_and_the_schema_id():
    value = codec().encode(TICK)
    assert value[0] == 0
    assert int.from_bytes(value[1:5], "big") == newest(released())["Tick"].schema_id


@pytest.mark.parametrize("value", [b"", b"\0\0\0", b"\x01" + codec().encode(TICK)[1:]])
def test_what_is_not_confluent_wire_format_says_so(value: bytes):
    with pytest.raises(Undecodable, match="wire format"):
        codec().decode(value)


def test_an_unknown_schema_id_stops_the_reader():
    with pytest.raises(UnknownSchema, match="99999"):
        codec().decode(b"\0" + (99_999).to_bytes(4, "big") + b"x")
    assert issubclass(UnknownSchema, Bug)


def test_a_known_schema_of_an_event_that_the_process_does_not_read_is_unknown_too():
    with pytest.raises(UnknownSchema):
        Codec([]).decode(codec().encode(TICK))


@settings(max_examples=60, deadline=None)
@given(events(*EVENTS))
def test_a_truncated_or_damaged_value_is_undecodable_or_another_valid_event_but_never_another_error(event: Event):
    value = codec().encode(event)
    for damaged in (value[:-1], value[:6], value[:5] + bytes([value[5] ^ 0xFF]) + value[6:]):
        try:
            codec().decode(damaged)
        except Undecodable:
            continue


def test_a_value_that_its_class_refuses_is_undecodable():
    """Enumerations travel as strings; the typed decoder refuses an unknown word by name."""
    good = codec().encode(
        msgspec.convert(
            {
                "event_id": "0" * 32,
                "occurred_at_ms": 1,
                "merchant": "acme",
                "command": "crawl",
                "source_epoch": 1,
            },
            type=next(one for one in EVENTS if one.__name__ == "SourceCommanded"),
        )
    )
    with pytest.raises(Undecodable, match="command"):
        codec().decode(good.replace(b"crawl", b"crowl"))


def test_a_message_larger_than_the_broker_takes_is_refused_before_it_is_sent():
    big = Tick(event_id="0" * 32, occurred_at_ms=1, incarnation="x" * MESSAGE_BYTES_MAX, partition=0)
    with pytest.raises(Unencodable, match="by reference"):
        codec().encode(big)


def test_half_a_character_is_refused_before_it_is_sent():
    """A page can hold a lone surrogate; UTF-8 cannot."""
    half = Tick(event_id="0" * 32, occurred_at_ms=1, incarnation="half \ud83d", partition=0)
    with pytest.raises(Unencodable, match="not Unicode"):
        codec().encode(half)


def test_the_same_input_gives_the_same_event_id_and_any_other_input_another():
    made = Fence(source_epoch=1, term=2, generation=3)
    base = ("Tick", b"acme", made, "inbox/0/1", 0)
    assert event_id(*base) == event_id(*base)
    assert len(event_id(*base)) == 32
    variants = [
        ("Tock", *base[1:]),
        (base[0], b"acme2", *base[2:]),
        (*base[:2], None, *base[3:]),
        (*base[:2], Fence(source_epoch=1, term=2, generation=4), *base[3:]),
        (*base[:3], "inbox/0/2", 0),
        (*base[:4], 1),
    ]
    assert len({event_id(*one) for one in [base, *variants]}) == 1 + len(variants)
