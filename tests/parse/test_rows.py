"""How rows are stored and read through an overlay: what every driver of a stage relies on."""

from dataclasses import dataclass
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.rows import applied_of, decode_row, encode_row
from streams.stage import Overlay, Position


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    applied: int
    total: int = 0


@dataclass
class Committed:
    rows: dict[bytes, Any]

    def get(self, table: str, key: bytes) -> Any | None:
        return self.rows.get(key) if table == "counts" else None

    def scan(self, table: str, prefix: bytes):
        if table == "counts":
            yield from ((key, row) for key, row in sorted(self.rows.items()) if key.startswith(prefix))


@given(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1))
def test_a_row_comes_back_and_its_offset_is_read_without_decoding(applied: int, total: int) -> None:
    raw = encode_row(Count(applied=applied, total=total))
    assert decode_row(raw, Count) == Count(applied=applied, total=total)
    assert applied_of(raw) == applied


def test_a_row_of_another_shape_is_an_error() -> None:
    with pytest.raises(msgspec.ValidationError):
        decode_row(encode_row(Count(applied=1)), Position)


def test_an_origin_names_the_place_in_the_log() -> None:
    assert Position(topic="page-observed", partition=3, offset=41, now_ms=0).origin == "page-observed/3/41"


keys = st.sampled_from([b"a", b"aa", b"ab", b"b", b"c"])
steps = st.lists(st.tuples(keys, st.none() | st.integers(0, 3)), max_size=12)


@given(st.dictionaries(keys, st.integers(0, 3)), steps, st.sampled_from([b"", b"a", b"ab", b"x"]))
def test_an_overlay_reads_as_if_its_writes_were_committed(committed, written, prefix: bytes) -> None:
    overlay = Overlay(Committed(dict(committed)))
    expected = dict(committed)
    for key, value in written:
        if value is None:
            overlay.delete("counts", key)
            expected.pop(key, None)
        else:
            overlay.put("counts", key, value)
            expected[key] = value
    assert list(overlay.scan("counts", prefix)) == [
        (key, value) for key, value in sorted(expected.items()) if key.startswith(prefix)
    ]
    assert {key: overlay.get("counts", key) for key in (b"a", b"aa", b"ab", b"b", b"c")} == {
        key: expected.get(key) for key in (b"a", b"aa", b"ab", b"b", b"c")
    }


def test_tables_of_one_overlay_are_apart() -> None:
    overlay = Overlay(Committed({b"a": 1}))
    overlay.put("other", b"a", 2)
    assert (overlay.get("counts", b"a"), overlay.get("other", b"a")) == (1, 2)
    assert list(overlay.scan("other")) == [(b"a", 2)]


def test_the_row_put_last_is_flushed_last_even_when_it_was_put_before() -> None:
    overlay = Overlay(Committed({}))
    for key in (b"guard", b"a", b"guard"):
        overlay.put("counts", key, 1)
    assert [key for _, key in overlay.writes] == [b"a", b"guard"]


def test_none_is_no_row() -> None:
    with pytest.raises(AssertionError, match="delete"):
        Overlay(Committed({})).put("counts", b"a", None)
