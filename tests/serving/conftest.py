"""Worlds for serving tests: rows in memory, rows only on disk, rows reloaded after a restart."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from serving_grpc.store import Store
from tests.serving.world import World


@pytest.fixture
def world() -> World:
    """Rows in memory over a dict."""
    return World()


@pytest.fixture(params=["memory", "disk", "restart"])
def any_path(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    """The same world answered from memory, from RocksDB alone, and from memory reloaded out of RocksDB after a restart."""
    store = Store(tmp_path / "state", cache_bytes=8 << 20)
    found = World(shelf=store, memory_rows_max=0 if request.param == "disk" else 1_000)
    found.restarts = request.param == "restart"
    yield found
    store.close()
