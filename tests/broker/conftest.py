"""One real Kafka for all broker tests of a session, on free ports, in a temporary home, with the shared jar cache."""

import os
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from adcat.broker import BrokerSettings, free_port, start, stop
from tests.broker.world import World

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerSettings]:
    """A running broker; `kafka.address` is its bootstrap address."""
    settings = BrokerSettings(
        home=tmp_path_factory.mktemp("kafka"),
        cache=Path(os.environ.get("ADCAT_CACHE", REPOSITORY / ".cache")),
        port=free_port(),
    )
    try:
        start(settings)
        yield settings
    finally:
        stop(settings)


@pytest.fixture
def world(kafka: BrokerSettings, tmp_path: Path) -> Iterator[World]:
    """A counting stage with topics of its own."""
    world = World(kafka, tmp_path, f"c{secrets.token_hex(4)}")
    yield world
    world.close()
