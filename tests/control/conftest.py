"""A real SQLite database with a clock that tests set, and the request of an ordinary shop."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from control.io import Database, migrate

NOW_MS = 1_800_000_000_000


@dataclass
class Clock:
    """Virtual time in ms."""

    now_ms: int = NOW_MS

    def __call__(self) -> int:
        return self.now_ms


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def shop() -> dict[str, object]:
    """The body of a registration."""
    return {
        "start_url": "https://shop.example/",
        "markets": ["US:USD"],
        "crawl_permission": True,
        "legal_review": "reviewed by ann, ticket 7",
    }


@pytest.fixture
def database(tmp_path: Path, clock: Clock) -> Iterator[Database]:
    url = f"sqlite:///{tmp_path}/control.db"
    migrate(url)
    opened = Database(url, clock=clock)
    yield opened
    opened.close()
