"""The wire: Confluent format (magic 0, 4-byte schema id, Avro body), without a registry call (DESIGN §4)."""

import io
import struct
from collections.abc import Iterable
from typing import Any

import fastavro
import msgspec

from topics.errors import Quarantine, Undecodable
from topics.events.base import Event
from topics.schemas import Released, newest, released

_HEADER = struct.Struct(">bI")
MESSAGE_BYTES_MAX = 1_000_000


class UnknownSchema(Undecodable):
    """A record names a schema id that this release does not know: deploy readers before writers."""


class Unencodable(Quarantine):
    """An event does not fit on the wire: too large, or text that is not Unicode. What caused it is set aside, not retried."""


class Codec:
    """Encodes with the newest version of each event and decodes every released version into the current class.

    Args:
        events: all event classes, see `topics.specs.EVENTS`.
        versions: released schemas; those of the package by default.
    """

    def __init__(self, events: Iterable[type[Event]], versions: list[Released] | None = None) -> None:
        self._classes = {event.__name__: event for event in events}
        versions = released() if versions is None else versions
        self._writers: dict[int, tuple[str, Any]] = {
            one.schema_id: (one.event, fastavro.parse_schema(one.schema)) for one in versions
        }
        self._newest = {
            name: (one.schema_id, self._writers[one.schema_id][1]) for name, one in newest(versions).items()
        }

    def encode(self, event: Event) -> bytes:
        """Returns the record value; raises Unencodable when it would not fit into a message or holds half a character."""
        schema_id, schema = self._newest[type(event).__name__]
        out = io.BytesIO()
        out.write(_HEADER.pack(0, schema_id))
        try:
            fastavro.schemaless_writer(out, schema, msgspec.to_builtins(event, builtin_types=(bytes,)))
        except UnicodeEncodeError as error:
            raise Unencodable(f"{type(event).__name__} holds text that is not Unicode: {error.reason}") from error
        value = out.getvalue()
        if len(value) > MESSAGE_BYTES_MAX:
            raise Unencodable(
                f"{type(event).__name__} of {len(value)} bytes exceeds {MESSAGE_BYTES_MAX}; bodies go by reference"
            )
        return value

    def decode(self, value: bytes) -> Event:
        """Returns the event; raises UnknownSchema or Undecodable, naming what is wrong."""
        if len(value) < _HEADER.size:
            raise Undecodable(f"{len(value)} bytes are too short for the wire format's 5-byte header")
        magic, schema_id = _HEADER.unpack_from(value)
        if magic != 0:
            raise Undecodable(f"magic byte is {magic}, not 0: not Confluent wire format")
        known = self._writers.get(schema_id)
        if known is None or known[0] not in self._classes:
            raise UnknownSchema(f"schema id {schema_id} is not in avro/registry.lock.json")
        name, writer = known
        try:
            fields = fastavro.schemaless_reader(io.BytesIO(value[_HEADER.size :]), writer, self._newest[name][1])
            event: Event = msgspec.convert(fields, type=self._classes[name])
        except (
            EOFError,
            ValueError,
            IndexError,
            TypeError,
            struct.error,
            fastavro.read.SchemaResolutionError,
            UnicodeDecodeError,
        ) as error:
            raise Undecodable(f"{name} does not decode: {error}") from error
        return event
