"""The committed protobuf modules are those of catalog.proto, and the bytes we put together by hand are what protobuf reads."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from serving_grpc import wire
from serving_grpc.catalog_pb2 import BatchGetResponse, Card, Record, Result
from serving_grpc.generate import HERE, OUTPUTS, generate


def test_the_generated_code_is_fresh(tmp_path: Path) -> None:
    generate(tmp_path)
    for name in OUTPUTS:
        assert (tmp_path / name).read_text() == (HERE / name).read_text(), "run python -m serving_grpc.generate"


@given(st.integers(0, 1 << 63), st.text(max_size=200), st.integers(0, 1 << 62), st.sampled_from(["", "out_of_stock"]))
def test_bytes_joined_by_hand_read_as_the_message(revision: int, name: str, until_ms: int, reason: str) -> None:
    fixed = Result(status=Result.OK, revision=revision, card=Card(name=name)).SerializeToString()
    element = wire.framed_for_suffix(fixed)
    record = Record(key=name)
    if reason:
        whole = wire.framed(
            wire.unframed(element)
            + wire.ineligible_suffix(reason, until_ms)
            + wire.record_suffix(record.SerializeToString())
        )
        expected = Result(status=Result.OK, revision=revision, card=Card(name=name), record=record)
        expected.ineligible_reason = reason
    else:
        whole = element + wire.eligible_suffix(until_ms)
        expected = Result(status=Result.OK, revision=revision, card=Card(name=name), ad_eligible=True)
    expected.serve_until_ms = until_ms
    refused = wire.framed(wire.refused(Result.MISSING, name))
    read = BatchGetResponse.FromString(whole + refused)
    assert list(read.results) == [expected, Result(status=Result.MISSING, key=name)]
