"""The schema gate: whether a new version of an event may be released beside the old ones (DESIGN §4).

BACKWARD_TRANSITIVE everywhere: the newest version reads everything ever written. FULL for the topics that outsiders read:
their old readers read the newest version too. This is Avro schema resolution (specification 1.12, "Schema Resolution")
on parsed JSON, and one rule more that stock checkers lack: a logical type and its parameters never change, because a
decimal with another scale and millis read as micros resolve without an error and mean something else.
"""

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from topics.schemas import AVRO_DIR, released

FULL = frozenset({"CatalogEntry", "OfferChanged"})
"""Events of offer-catalog and offer-change."""

_PROMOTIONS = {
    "int": {"long", "float", "double"},
    "long": {"float", "double"},
    "float": {"double"},
    "string": {"bytes"},
    "bytes": {"string"},
}
_PYTHON = {"string": str, "bytes": str, "int": int, "long": int, "boolean": bool, "array": list, "map": dict}
_FROZEN = ("logicalType", "precision", "scale")


def check(folder: Path = AVRO_DIR) -> list[str]:
    """Returns every problem among the released versions of a folder; none means that they may live together.

    Raises Bug when a file is missing or differs from its fingerprint.
    """
    found = []
    versions = sorted(released(folder), key=lambda one: (one.event, one.version))
    for event, group in itertools.groupby(versions, key=lambda one: one.event):
        known = list(group)
        for one in known:
            found += [f"{event}.v{one.version}: {text}" for text in bad_defaults(one.schema)]
        for old, new in itertools.combinations(known, 2):
            label = f"{event}.v{old.version} → v{new.version}"
            found += [f"{label}: {text}" for text in problems(old.schema, new.schema, full=event in FULL)]
    return found


def problems(old: Any, new: Any, *, full: bool) -> list[str]:
    """Returns why `new` cannot follow `old`, one sentence each; empty when it can.

    Args:
        old: parsed JSON of a released schema.
        new: parsed JSON of its successor.
        full: old readers must read new records too.
    """
    found = _Resolution.of(writer=old, reader=new).problems()
    if full:
        found += [f"old readers: {text}" for text in _Resolution.of(writer=new, reader=old).problems()]
    return list(dict.fromkeys(found))


def bad_defaults(schema: Any) -> list[str]:
    """Returns the fields whose default is no value of their type (of a union's first branch)."""
    names: dict[str, Any] = {}
    _collect(schema, names)
    return [
        f"{name}.{one['name']}: default {json.dumps(one['default'])} does not fit its type"
        for name, record in names.items()
        for one in record.get("fields", ())
        if "default" in one and not _fits(one["default"], one["type"])
    ]


def _fits(value: Any, schema: Any) -> bool:
    kind = _kind(schema[0] if isinstance(schema, list) else schema)
    if kind == "null":
        return value is None
    if kind in ("float", "double"):
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    expected = _PYTHON.get(kind)
    if expected is None:
        return isinstance(value, (dict, str))  # a record, an enum symbol, a fixed
    return isinstance(value, expected) and (expected is bool or not isinstance(value, bool))


def _kind(schema: Any) -> str:
    if isinstance(schema, dict):
        inner = schema["type"]
        return inner if isinstance(inner, str) else _kind(inner)
    return str(schema)


def _collect(schema: Any, names: dict[str, Any]) -> None:
    """Gathers the named types of a schema, by name without namespace."""
    if isinstance(schema, list):
        for branch in schema:
            _collect(branch, names)
    elif isinstance(schema, dict):
        if schema.get("type") in ("record", "enum", "fixed"):
            names[_short(schema["name"])] = schema
        for one in schema.get("fields", ()):
            _collect(one["type"], names)
        for part in ("items", "values"):
            if part in schema:
                _collect(schema[part], names)
        if isinstance(schema.get("type"), (dict, list)):
            _collect(schema["type"], names)


def _short(name: str) -> str:
    return name.rpartition(".")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Resolution:
    """One reader over one writer.

    Attributes:
        seen: pairs of record names under comparison, so that a recursive type ends.
    """

    writer: Any
    reader: Any
    writer_names: dict[str, Any]
    reader_names: dict[str, Any]
    seen: set[tuple[str, str]] = field(default_factory=set)

    @classmethod
    def of(cls, *, writer: Any, reader: Any) -> "_Resolution":
        writer_names: dict[str, Any] = {}
        reader_names: dict[str, Any] = {}
        _collect(writer, writer_names)
        _collect(reader, reader_names)
        return cls(writer=writer, reader=reader, writer_names=writer_names, reader_names=reader_names)

    def problems(self) -> list[str]:
        path = _short(self.reader.get("name", "schema")) if isinstance(self.reader, dict) else "schema"
        return list(self._types(path, self.writer, self.reader))

    def _types(self, path: str, writer: Any, reader: Any) -> Iterator[str]:
        writer, reader = self._named(writer, self.writer_names), self._named(reader, self.reader_names)
        if isinstance(writer, list):
            for branch in writer:
                yield from self._types(path, branch, reader)
        elif isinstance(reader, list):
            yield from self._into_union(path, writer, reader)
        else:
            yield from self._frozen(path, writer, reader)
            yield from self._shapes(path, writer, reader)

    @staticmethod
    def _named(schema: Any, names: dict[str, Any]) -> Any:
        return names.get(_short(schema), schema) if isinstance(schema, str) else schema

    def _into_union(self, path: str, writer: Any, reader: list[Any]) -> Iterator[str]:
        """A branch must read the writer; Avro takes the first of the same kind, so its problems are the ones to tell."""
        attempts = [(branch, list(self._types(path, writer, branch))) for branch in reader]
        if any(not found for _, found in attempts):
            return
        same = [found for branch, found in attempts if self._alike(writer, branch)]
        if same:
            yield from same[0]
        else:
            yield f"{path}: no branch of the union reads {_kind(writer)}"

    def _alike(self, writer: Any, branch: Any) -> bool:
        return _kind(self._named(branch, self.reader_names)) == _kind(writer)

    @staticmethod
    def _frozen(path: str, writer: Any, reader: Any) -> Iterator[str]:
        for name in _FROZEN:
            was = writer.get(name) if isinstance(writer, dict) else None
            now = reader.get(name) if isinstance(reader, dict) else None
            if was != now:
                yield f"{path}: {name} {was} and {now} differ; logical types are frozen, add a new field"

    def _shapes(self, path: str, writer: Any, reader: Any) -> Iterator[str]:
        was, now = _kind(writer), _kind(reader)
        if was != now:
            if now not in _PROMOTIONS.get(was, ()):
                yield f"{path}: {was} cannot be read as {now}"
        elif was == "record":
            yield from self._records(path, writer, reader)
        elif was == "array":
            yield from self._types(f"{path}[]", writer["items"], reader["items"])
        elif was == "map":
            yield from self._types(f"{path}{{}}", writer["values"], reader["values"])
        elif was in ("enum", "fixed"):
            yield from self._symbols_or_size(path, writer, reader)

    def _symbols_or_size(self, path: str, writer: Any, reader: Any) -> Iterator[str]:
        yield from self._same_name(path, writer, reader)
        if writer.get("size") != reader.get("size"):
            yield f"{path}: fixed sizes {writer.get('size')} and {reader.get('size')} differ"
        unknown = [one for one in writer.get("symbols", ()) if one not in reader.get("symbols", ())]
        if unknown and "default" not in reader:
            yield f"{path}: symbols {', '.join(unknown)} are unknown to the reader and its enum has no default"

    @staticmethod
    def _same_name(path: str, writer: Any, reader: Any) -> Iterator[str]:
        was, now = _short(writer["name"]), _short(reader["name"])
        if was != now and was not in map(_short, reader.get("aliases", ())):
            yield f"{path}: {was} was renamed to {now}"

    def _records(self, path: str, writer: Any, reader: Any) -> Iterator[str]:
        yield from self._same_name(path, writer, reader)
        pair = (_short(writer["name"]), _short(reader["name"]))
        if pair in self.seen:
            return
        self.seen.add(pair)
        written = {one["name"]: one for one in writer["fields"]}
        for one in reader["fields"]:
            names = (one["name"], *one.get("aliases", ()))
            source = next((written[name] for name in names if name in written), None)
            if source is not None:
                yield from self._types(f"{path}.{one['name']}", source["type"], one["type"])
            elif "default" not in one:
                yield f"{path}.{one['name']}: was not written and has no default"
        self.seen.discard(pair)
