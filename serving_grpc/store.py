"""The durable copy of a replica: rows, policies and offsets in one RocksDB, written in one batch (adapter of rocksdict)."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec
from rocksdict import BlockBasedOptions, Cache, Options, Rdict, WriteBatch

from serving_grpc.changes import Change, Place, policy_bytes
from serving_grpc.rows import STATE_VERSION
from topics.errors import Bug

CACHE_BYTES: Final = 64 << 20
_FAMILIES: Final = ("rows", "policies", "meta")
_CURRENT: Final = "CURRENT"
_IDENTITY: Final = b"identity"


class StoreLocked(Bug):
    """Another process holds the folder, or it cannot be opened."""


class Identity(msgspec.Struct, frozen=True):
    """Whose copy it is; a difference means: rebuild from the topics.

    Attributes:
        version: stored form of the rows.
        topics: topic name → topic id of the broker.
    """

    version: int
    topics: dict[str, str]


class Store:
    """One open RocksDB folder.

    Args:
        folder: created when missing.
        cache_bytes: block cache; re-opening without `column_families=` would silently fall back to 8 MB (reference/serving.md).
    """

    def __init__(self, folder: Path, cache_bytes: int = CACHE_BYTES) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        cache = Cache(cache_bytes)
        families = {name: _options(cache) for name in _FAMILIES}
        try:
            self._db = Rdict(str(folder), options=_options(cache), column_families=families)
        except Exception as error:
            raise StoreLocked(f"{folder} cannot be opened: {error}; is another serve process running?") from error
        self._rows, self._policies, self._meta = (self._db.get_column_family(name) for name in _FAMILIES)
        self._handles = {name: self._db.get_column_family_handle(name) for name in _FAMILIES}
        applied = self._rows.property_int_value("rocksdb.block-cache-capacity")
        if applied != cache_bytes:
            raise Bug(f"the block cache of {folder} has {applied} bytes instead of {cache_bytes}")

    def close(self) -> None:
        """Closes the folder; RocksDB lets go of its lock only when no handle is left."""
        self._handles.clear()
        for family in (self._rows, self._policies, self._meta, self._db):
            family.close()

    def drop(self) -> None:
        """Closes the folder and removes it."""
        self.close()
        shutil.rmtree(self._folder)

    def value(self, key: str) -> bytes | None:
        """Returns the stored bytes of an offer key."""
        found: bytes | None = self._rows.get(key.encode("ascii"))
        return found

    def rows(self) -> Iterator[tuple[str, bytes]]:
        """Yields every stored row."""
        for key, value in self._rows.items():
            yield key.decode("ascii"), value

    def policies(self) -> dict[str, bytes]:
        """Returns the stored policies by merchant."""
        return {key.decode("ascii"): value for key, value in self._policies.items()}

    def offsets(self) -> dict[Place, int]:
        """Returns the next offset to read per place."""
        found = {}
        for key, value in self._meta.items():
            if key != _IDENTITY:
                topic, _, partition = key.decode("ascii").rpartition("/")
                found[topic, int(partition)] = int(value)
        return found

    def identity(self) -> Identity | None:
        """Returns whose copy it is, None for a new folder."""
        value = self._meta.get(_IDENTITY)
        return None if value is None else msgspec.json.decode(value, type=Identity)

    def identify(self, identity: Identity) -> None:
        """Says whose copy it is."""
        self._meta[_IDENTITY] = msgspec.json.encode(identity)

    def write(self, change: Change) -> None:
        """Writes rows, policies and offsets as one unit: a crash leaves all of them or none."""
        batch = WriteBatch(raw_mode=True)
        rows, policies, meta = (self._handles[name] for name in _FAMILIES)
        for key, value in change.rows.items():
            if value is None:
                batch.delete(key.encode("ascii"), rows)
            else:
                batch.put(key.encode("ascii"), value, rows)
        for merchant, policy in change.policies.items():
            if policy is None:
                batch.delete(merchant.encode("ascii"), policies)
            else:
                batch.put(merchant.encode("ascii"), policy_bytes(policy), policies)
        for (topic, partition), offset in change.offsets.items():
            batch.put(f"{topic}/{partition}".encode("ascii"), str(offset).encode("ascii"), meta)
        self._db.write(batch)


def open_current(root: Path, cache_bytes: int = CACHE_BYTES) -> Store:
    """Opens the folder that `root/CURRENT` names, a new one when there is none, and removes what earlier rebuilds left."""
    pointer = root / _CURRENT
    if not pointer.exists():
        return open_fresh(root, cache_bytes)
    folder = root / pointer.read_text().strip()
    store = Store(folder, cache_bytes)
    for other in _folders(root):
        if other != folder:
            shutil.rmtree(other)
    return store


def open_fresh(root: Path, cache_bytes: int = CACHE_BYTES) -> Store:
    """Opens a new empty folder and points CURRENT at it: what was there cannot be continued."""
    root.mkdir(parents=True, exist_ok=True)
    old = _folders(root)
    folder = root / f"state-{int(old[-1].name.rpartition('-')[2]) + 1 if old else 1:06d}"
    store = Store(folder, cache_bytes)
    staged = root / f"{_CURRENT}.new"
    staged.write_text(folder.name)
    staged.replace(root / _CURRENT)
    return store


def _folders(root: Path) -> list[Path]:
    return sorted(one for one in root.iterdir() if one.is_dir())


def usable(store: Store, wanted: Identity, starts: dict[Place, int], ends: dict[Place, int]) -> str:
    """Returns why the copy cannot be continued from its offsets; empty when it can."""
    identity, offsets = store.identity(), store.offsets()
    if identity is None:
        return "" if not offsets else "it does not say whose copy it is"
    if identity.version != STATE_VERSION:
        return f"it has form {identity.version}, this release writes {STATE_VERSION}"
    if identity.topics != wanted.topics:
        return "the topics were created anew"
    for place, offset in offsets.items():
        if place in ends and not starts[place] <= offset <= ends[place]:
            return f"{place[0]}/{place[1]} stands at {offset}, its log holds {starts[place]} to {ends[place]}"
    return ""


def _options(cache: Cache) -> Options:
    table = BlockBasedOptions()
    table.set_block_cache(cache)
    table.set_bloom_filter(10, block_based=False)
    options = Options(raw_mode=True)
    options.create_if_missing(create_if_missing=True)
    options.create_missing_column_families(create_missing_cfs=True)
    options.set_block_based_table_factory(table)
    options.set_write_buffer_size(16 << 20)
    options.set_max_write_buffer_number(2)
    return options
