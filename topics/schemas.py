"""Avro schemas: derived from the event classes when drafted, frozen as files when released (DESIGN §4).

`avro/<Event>.v<N>.avsc` is what readers of our topics get; `draft()` writes the next version when a class changed, and a
test fails while class and newest file differ. Enumerations travel as strings: an added symbol must reach our typed
decoder, which refuses it by name, instead of failing or defaulting inside an older Avro reader.
"""

import dataclasses
import hashlib
import json
import types
import typing
from pathlib import Path
from typing import Any

from topics.errors import Bug
from topics.events.base import Event

AVRO_DIR = Path(__file__).resolve().parent.parent / "avro"
LOCK_NAME = "registry.lock.json"
NAMESPACE = "adcat"
_PRIMITIVES = {str: "string", int: "long", bool: "boolean", float: "double", bytes: "bytes"}


def schema_of(event: type) -> dict[str, Any]:
    """Returns the Avro schema (as JSON objects) of an event class; raises Bug for a type Avro cannot say."""
    record = _record(event, set())
    assert isinstance(record, dict)
    return record


def _record(cls: type, seen: set[str]) -> dict[str, Any] | str:
    if cls.__name__ in seen:
        return cls.__name__
    seen.add(cls.__name__)
    hints = typing.get_type_hints(cls)
    fields = [_field(spec, hints[spec.name], seen) for spec in dataclasses.fields(cls)]
    return {"type": "record", "name": cls.__name__, "namespace": NAMESPACE, "fields": fields}


def _field(spec: "dataclasses.Field[Any]", hint: Any, seen: set[str]) -> dict[str, Any]:
    field: dict[str, Any] = {"name": spec.name, "type": _type(hint, seen)}
    if spec.default is not dataclasses.MISSING:
        field["default"] = list(spec.default) if isinstance(spec.default, tuple) else spec.default
    return field


def _type(hint: Any, seen: set[str]) -> Any:
    if hint in _PRIMITIVES:
        return _PRIMITIVES[hint]
    if dataclasses.is_dataclass(hint):
        return _record(typing.cast("type", hint), seen)
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is tuple and len(args) == 2 and args[1] is Ellipsis:
        return {"type": "array", "items": _type(args[0], seen)}
    if origin in (types.UnionType, typing.Union) and len(args) == 2 and args[1] is type(None):
        return ["null", _type(args[0], seen)]
    raise Bug(f"no Avro type for {hint!r}; use str, int, bool, float, bytes, a record, tuple[T, ...] or T | None")


def subject(event: str, version: int) -> str:
    """Returns the file stem and lock key of one released version."""
    return f"{event}.v{version}"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """One released schema version.

    Attributes:
        schema_id: id in the wire format (and in a Confluent registry that we seeded).
        event: class name.
        version: 1, 2, …
        schema: parsed JSON.
    """

    schema_id: int
    event: str
    version: int
    schema: dict[str, Any]


def fingerprint(schema: Any) -> str:
    """Returns the hex SHA-256 of a schema's JSON with sorted keys: defaults and logical types included."""
    return hashlib.sha256(json.dumps(schema, sort_keys=True).encode()).hexdigest()


def released(folder: Path = AVRO_DIR) -> list[Released]:
    """Returns all released versions named by the lock file; raises Bug when a file is missing or was changed."""
    lock = json.loads((folder / LOCK_NAME).read_text())
    versions = []
    for stem, entry in lock["schemas"].items():
        path = folder / f"{stem}.avsc"
        if not path.exists():
            raise Bug(f"{path.name} is in {LOCK_NAME} but not in {folder.name}/; restore it, released schemas never go")
        schema = json.loads(path.read_text())
        if fingerprint(schema) != entry["sha256"]:
            raise Bug(
                f"{path.name} differs from its fingerprint in {LOCK_NAME}; released schemas never change, draft a new version"
            )
        event, _, version = stem.rpartition(".v")
        versions.append(Released(schema_id=entry["id"], event=event, version=int(version), schema=schema))
    return versions


def newest(versions: list[Released]) -> dict[str, Released]:
    """Returns the newest version of each event."""
    return {version.event: version for version in sorted(versions, key=lambda one: one.version)}


def draft(events: typing.Iterable[type[Event]], folder: Path = AVRO_DIR) -> list[str]:
    """Writes the next version of every event class that differs from its newest file; returns the stems written."""
    lock_path = folder / LOCK_NAME
    lock = json.loads(lock_path.read_text()) if lock_path.exists() else {"schemas": {}}
    have = newest(released(folder)) if lock["schemas"] else {}
    written = []
    for event in events:
        schema = schema_of(event)
        last = have.get(event.__name__)
        if last is not None and last.schema == schema:
            continue
        stem = subject(event.__name__, 1 if last is None else last.version + 1)
        (folder / f"{stem}.avsc").write_text(json.dumps(schema, indent=1) + "\n")
        next_id = 1 + max((entry["id"] for entry in lock["schemas"].values()), default=0)
        lock["schemas"][stem] = {"id": next_id, "sha256": fingerprint(schema)}
        written.append(stem)
    lock_path.write_text(json.dumps(lock, indent=1) + "\n")
    return written
