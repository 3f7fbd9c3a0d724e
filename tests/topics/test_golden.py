"""Golden bytes: a record of every released version, kept for ever, must go on decoding to the same values.

A new version needs new files: `ADCAT_WRITE_GOLDEN=1 python -m pytest tests/topics/test_golden.py` writes those that are
missing, and never touches one that exists.
"""

import io
import json
import os
import zlib
from pathlib import Path
from typing import Any

import fastavro
import msgspec
import pytest

from topics.schemas import Released, released
from topics.specs import codec

GOLDEN = Path(__file__).parent / "golden"
WORDS = {
    "status": "enabled",
    "lifecycle": "active",
    "kind": "page",
    "outcome": "page",
    "presence": "live",
    "command": "crawl",
    "exponent": 2,
    "source_epoch": 3,
    "disable_epoch": 1,
}
"""Field values that event classes insist on."""

VERSIONS = released()


def stem(one: Released) -> str:
    return f"{one.event}.v{one.version}"


def example(schema: Any, path: str, names: dict[str, Any]) -> Any:
    """Returns a value of a schema that depends on nothing but the schema."""
    if isinstance(schema, list):
        return example(schema[-1], path, names)
    if isinstance(schema, str):
        return example(names[schema], path, names) if schema in names else _primitive(schema, path)
    if schema["type"] == "record":
        names[schema["name"]] = schema
        return {one["name"]: _field(one, f"{path}.{one['name']}", names) for one in schema["fields"]}
    if schema["type"] == "array":
        return [example(schema["items"], f"{path}.0", names)]
    return example(schema["type"], path, names)


def _field(field: dict[str, Any], path: str, names: dict[str, Any]) -> Any:
    if field["name"] in WORDS and field["type"] in ("string", "long"):
        return WORDS[field["name"]]
    return example(field["type"], path, names)


def _primitive(kind: str, path: str) -> Any:
    number = zlib.crc32(path.encode())
    return {"string": f"é{path}", "long": number, "boolean": number % 2 == 1, "bytes": path.encode(), "double": 0.5}[
        kind
    ]


@pytest.fixture(scope="module", autouse=True)
def _missing_goldens_are_written_on_request():
    if "ADCAT_WRITE_GOLDEN" not in os.environ:
        return
    for one in VERSIONS:
        binary, text = GOLDEN / f"{stem(one)}.bin", GOLDEN / f"{stem(one)}.json"
        if binary.exists() and text.exists():
            continue
        value = example(one.schema, one.event, {})
        out = io.BytesIO(b"\0" + one.schema_id.to_bytes(4, "big"))
        out.seek(0, io.SEEK_END)
        fastavro.schemaless_writer(out, fastavro.parse_schema(one.schema), value)
        binary.write_bytes(out.getvalue())
        text.write_text(json.dumps(msgspec.to_builtins(value), ensure_ascii=False, indent=1) + "\n")


@pytest.mark.parametrize("one", VERSIONS, ids=stem)
def test_the_golden_bytes_of_every_released_version_decode(one: Released):
    binary = GOLDEN / f"{stem(one)}.bin"
    assert binary.exists(), f"no golden record of {stem(one)}: run ADCAT_WRITE_GOLDEN=1 pytest {__file__}"
    value = binary.read_bytes()
    expected = json.loads((GOLDEN / f"{stem(one)}.json").read_text())
    assert value[:5] == b"\0" + one.schema_id.to_bytes(4, "big")
    written = fastavro.schemaless_reader(io.BytesIO(value[5:]), fastavro.parse_schema(one.schema), None)
    assert msgspec.to_builtins(written) == expected
    event = codec().decode(value)
    assert type(event).__name__ == one.event
    now = json.loads(msgspec.json.encode(event))
    assert {name: now[name] for name in expected if name in now} == {
        name: expected[name] for name in expected if name in now
    }


def test_there_is_no_golden_record_without_a_schema():
    known = {stem(one) for one in VERSIONS}
    assert {path.name.rsplit(".", 1)[0] for path in GOLDEN.iterdir()} <= known
