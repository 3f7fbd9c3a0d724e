"""What `adcat topics tail` prints of a record: everything that stands in it, whatever stands in it."""

import base64
import json

from hypothesis import given

from adcat.topics_cli import decoded
from tests.strategies import events
from topics.events.offer import DeadLettered
from topics.events.policy import SourceCommanded
from topics.io import Record
from topics.specs import EVENTS, codec

COMMAND = SourceCommanded(event_id="e" * 32, occurred_at_ms=5, merchant="acme", command="refresh", source_epoch=2)


def record(value: bytes | None, key: bytes = b"acme") -> Record:
    return Record(topic="frontier-event", partition=3, offset=41, key=key, value=value, append_ms=1_800_000_000_000)


def test_an_event_is_shown_by_type_and_field_with_its_place() -> None:
    assert decoded(record(codec().encode(COMMAND))) == {
        "partition": 3,
        "offset": 41,
        "timestamp_ms": 1_800_000_000_000,
        "key": "acme",
        "type": "SourceCommanded",
        "event": {
            "event_id": "e" * 32,
            "occurred_at_ms": 5,
            "merchant": "acme",
            "command": "refresh",
            "source_epoch": 2,
        },
    }


def test_a_purge_has_no_event() -> None:
    line = decoded(record(None))
    assert (line["type"], line["event"], line["offset"]) == (None, None, 41)


def test_what_cannot_be_decoded_is_shown_raw_with_its_reason() -> None:
    for value in (b"", b"\x00", b"\x00\x00\x00\x00\x00", b"\x01" * 40, codec().encode(COMMAND)[:-3]):
        line = decoded(record(value))
        assert line["type"] == "undecodable"
        assert base64.b64decode(line["raw"]) == value
        assert line["reason"]
        json.dumps(line)


def test_bytes_are_shown_as_base64_and_odd_keys_as_text() -> None:
    dead = DeadLettered(
        event_id="e" * 32,
        occurred_at_ms=5,
        app="parse",
        topic="page-observed",
        partition=0,
        offset=1,
        key=b"\xff",
        value=b"\x00\xff",
        reason="undecodable",
    )
    line = decoded(record(codec().encode(dead), key=b"\xffacme"))
    assert line["key"] == "\ufffdacme"
    assert line["event"]["value"] == base64.b64encode(b"\x00\xff").decode()


@given(events(*EVENTS))
def test_every_event_of_the_published_language_is_one_line_of_json(event) -> None:
    line = json.dumps(decoded(record(codec().encode(event))), ensure_ascii=False)
    assert json.loads(line)["type"] == type(event).__name__
    assert "\n" not in line
