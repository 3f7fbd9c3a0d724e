"""The schema gate: what may follow a released schema, and what stock checkers would let pass."""

import copy
import json
import shutil
from pathlib import Path
from typing import Any

import fastavro
import pytest

from topics.compat import FULL, bad_defaults, check, problems
from topics.schemas import AVRO_DIR, LOCK_NAME, fingerprint
from topics.specs import OFFER_CATALOG, OFFER_CHANGE, TOPICS

STRING = {"name": "a", "type": "string"}
OPTIONAL = {"name": "b", "type": ["null", "long"], "default": None}


def record(*fields: dict[str, Any], name: str = "R", **more: Any) -> dict[str, Any]:
    return {"type": "record", "name": name, "namespace": "adcat", "fields": list(fields), **more}


def of(kind: Any) -> dict[str, Any]:
    return record({"name": "x", "type": kind})


def decimal(scale: int) -> dict[str, Any]:
    return {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": scale}


def test_the_released_schemas_live_together():
    assert check() == []


def test_full_covers_the_topics_that_outsiders_read():
    assert {event.__name__ for topic in (OFFER_CATALOG, OFFER_CHANGE) for event in TOPICS[topic].events} == FULL


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (record(STRING), record(STRING)),
        (record(STRING), record(STRING, OPTIONAL)),
        (record(STRING, OPTIONAL), record(STRING)),
        (record(STRING), record(STRING | {"default": "x"})),
        (of({"type": "string"}), of("string")),
        (of("string"), of("bytes")),
    ],
)
def test_what_may_change_in_both_directions(old, new):
    assert problems(old, new, full=True) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (record(STRING, {"name": "c", "type": "long"}), record(STRING)),  # removed without a default
        (of("int"), of("long")),
        (of("long"), of("double")),
        (of("long"), of(["null", "long"])),
        (of(["null", "long"]), of(["null", "long", "string"])),
        (record(STRING), record({"name": "z", "type": "string", "aliases": ["a"]})),
        (of({"type": "enum", "name": "E", "symbols": ["A"]}), of({"type": "enum", "name": "E", "symbols": ["A", "B"]})),
    ],
)
def test_what_new_readers_understand_and_old_ones_do_not(old, new):
    assert problems(old, new, full=False) == []
    assert all(one.startswith("old readers: ") for one in problems(old, new, full=True))
    assert problems(old, new, full=True)


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        (record(STRING), record(STRING, {"name": "c", "type": "long"}), "no default"),
        (record(STRING), record({"name": "z", "type": "string"}), "no default"),
        (of("long"), of("int"), "cannot be read as"),
        (of("string"), of("long"), "cannot be read as"),
        (of(["null", "long"]), of("long"), "cannot be read as"),
        (of(["null", "string"]), of(["null", "long"]), "no branch"),
        (of({"type": "array", "items": "long"}), of({"type": "array", "items": "int"}), "R.x[]"),
        (of({"type": "map", "values": "long"}), of({"type": "map", "values": "int"}), "R.x{}"),
        (of({"type": "array", "items": "long"}), of({"type": "map", "values": "long"}), "cannot be read as"),
        (of({"type": "fixed", "name": "F", "size": 4}), of({"type": "fixed", "name": "F", "size": 8}), "sizes"),
        (of({"type": "enum", "name": "E", "symbols": ["A"]}), of({"type": "enum", "name": "E", "symbols": ["B"]}), "A"),
        (of(record(STRING, name="In")), of(record(STRING, name="Out")), "renamed"),
        (record(STRING), record(STRING, name="S"), "renamed"),
        (of(record(STRING, name="In")), of(["null", record(STRING, STRING | {"name": "q"}, name="In")]), "x.q"),
    ],
)
def test_what_would_leave_old_records_unreadable(old, new, word):
    found = problems(old, new, full=False)
    assert found
    assert word in found[0]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (decimal(2), decimal(3)),
        ({"type": "long", "logicalType": "timestamp-millis"}, {"type": "long", "logicalType": "timestamp-micros"}),
        ({"type": "long", "logicalType": "timestamp-millis"}, "long"),
        ("long", {"type": "long", "logicalType": "timestamp-millis"}),
        (["null", decimal(2)], ["null", decimal(3)]),
    ],
)
def test_logical_types_are_frozen_although_avro_reads_them_without_an_error(old, new):
    found = problems(of(old), of(new), full=False)
    assert any("frozen" in one for one in found)


def test_a_renamed_record_may_keep_its_old_name_as_an_alias():
    assert problems(record(STRING), record(STRING, name="S", aliases=["R"]), full=False) == []


def test_a_recursive_type_ends():
    tree = record({"name": "kids", "type": {"type": "array", "items": "R"}})
    assert problems(tree, copy.deepcopy(tree), full=True) == []


@pytest.mark.parametrize(
    ("kind", "default"),
    [
        ("string", 1),
        ("long", "1"),
        ("long", True),
        ("boolean", 0),
        ("double", "1"),
        ("double", False),
        (["null", "long"], 1),
        (["long", "null"], None),
        ({"type": "array", "items": "long"}, {}),
        (record(STRING, name="In"), 1),
    ],
)
def test_a_default_that_is_no_value_of_its_type_is_found(kind, default):
    assert bad_defaults(record({"name": "x", "type": kind, "default": default}))


@pytest.mark.parametrize(
    ("kind", "default"),
    [
        ("string", ""),
        ("long", 0),
        ("boolean", False),
        ("double", 1),
        (["null", "long"], None),
        ({"type": "array", "items": "long"}, []),
        ({"type": {"type": "string"}}, "x"),
    ],
)
def test_a_default_of_its_type_is_no_problem(kind, default):
    assert bad_defaults(record({"name": "x", "type": kind, "default": default})) == []


@pytest.mark.parametrize("seed", range(40))
def test_the_gate_agrees_with_fastavro_on_random_evolutions(seed):
    """What the gate lets pass, fastavro resolves; logical types aside, what it stops fails there for some record."""
    kinds = ["int", "long", "string", ["null", "long"], {"type": "array", "items": "int"}, "bytes", "double"]
    values = {"int": 1, "long": 1 << 40, "string": "s", "bytes": b"b", "double": 0.5}
    old_kind, new_kind = kinds[seed % 7], kinds[seed * 3 % 7 - seed // 7]
    sample = values.get(old_kind, 5) if isinstance(old_kind, str) else ([7] if isinstance(old_kind, dict) else 5)
    samples = [sample, None] if isinstance(old_kind, list) else [sample]
    failed = False
    for one in samples:
        try:
            _resolve(of(old_kind), of(new_kind), {"x": one})
        except (fastavro.read.SchemaResolutionError, TypeError):
            failed = True
    assert failed == bool(problems(of(old_kind), of(new_kind), full=False))


def _resolve(old: dict[str, Any], new: dict[str, Any], value: dict[str, Any]) -> None:
    import io

    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(old), value)
    out.seek(0)
    fastavro.schemaless_reader(out, fastavro.parse_schema(old), fastavro.parse_schema(new))


def test_a_folder_is_checked_over_all_its_versions(tmp_path: Path):
    folder = tmp_path / "avro"
    shutil.copytree(AVRO_DIR, folder)
    for version, kind in ((2, ["null", "string"]), (3, ["null", "long"])):
        schema = json.loads((AVRO_DIR / "Tick.v1.avsc").read_text())
        schema["fields"].append({"name": "note", "type": kind, "default": None})
        _release(folder, f"Tick.v{version}", 900 + version, schema)
    assert check(folder) == ["Tick.v2 → v3: Tick.note: no branch of the union reads string"]
    schema = json.loads((AVRO_DIR / "CatalogEntry.v1.avsc").read_text())
    schema["fields"] = [one for one in schema["fields"] if one["name"] != "revision"]
    schema["fields"][0]["default"] = 3
    _release(folder, "CatalogEntry.v2", 950, schema)
    assert check(folder)[:2] == [
        "CatalogEntry.v2: CatalogEntry.event_id: default 3 does not fit its type",
        "CatalogEntry.v1 → v2: old readers: CatalogEntry.revision: was not written and has no default",
    ]


def _release(folder: Path, stem: str, schema_id: int, schema: dict[str, Any]) -> None:
    (folder / f"{stem}.avsc").write_text(json.dumps(schema))
    lock = json.loads((folder / LOCK_NAME).read_text())
    lock["schemas"][stem] = {"id": schema_id, "sha256": fingerprint(schema)}
    (folder / LOCK_NAME).write_text(json.dumps(lock))
