"""Released schemas: files, lock and classes agree, and nothing released ever changes."""

import dataclasses
import importlib.metadata
import json
import shutil
import tomllib
from pathlib import Path

import pytest

from topics.errors import Bug
from topics.events import crawl, offer, policy
from topics.events.base import Event
from topics.events.crawl import Tick
from topics.schemas import AVRO_DIR, LOCK_NAME, draft, fingerprint, newest, released, schema_of
from topics.specs import EVENTS, TOPICS

ROOT = AVRO_DIR.parent


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    copy = tmp_path / "avro"
    shutil.copytree(AVRO_DIR, copy)
    return copy


@pytest.mark.parametrize("event", EVENTS, ids=lambda one: one.__name__)
def test_each_class_is_its_newest_schema_file(event: type[Event]):
    have = newest(released())
    assert event.__name__ in have, "draft it: python -c 'from topics.schemas import draft; …'"
    assert have[event.__name__].schema == schema_of(event)


def test_every_file_is_locked_and_every_locked_schema_is_a_file():
    lock = json.loads((AVRO_DIR / LOCK_NAME).read_text())["schemas"]
    assert set(lock) == {path.stem for path in AVRO_DIR.glob("*.avsc")}
    for stem, entry in lock.items():
        assert fingerprint(json.loads((AVRO_DIR / f"{stem}.avsc").read_text())) == entry["sha256"]


def test_ids_are_unique_and_versions_follow_each_other():
    versions = released()
    assert len({one.schema_id for one in versions}) == len(versions)
    for event in {one.event for one in versions}:
        mine = sorted(one.version for one in versions if one.event == event)
        assert mine == list(range(1, len(mine) + 1))


def test_a_changed_or_missing_released_file_stops_with_the_remedy(folder: Path):
    path = folder / "Tick.v1.avsc"
    path.write_text(path.read_text().replace('"long"', '"int"'))
    with pytest.raises(Bug, match="never change"):
        released(folder)
    path.unlink()
    with pytest.raises(Bug, match="restore it"):
        released(folder)


def test_drafting_writes_the_next_version_of_a_changed_class_only(folder: Path):
    assert draft(EVENTS, folder) == []
    fields = [(one.name, one.type) for one in dataclasses.fields(Tick)]
    changed = dataclasses.make_dataclass(
        "Tick", [*fields, ("lag_ms", int, dataclasses.field(default=0))], frozen=True, kw_only=True
    )
    assert draft([changed], folder) == ["Tick.v2"]
    assert newest(released(folder))["Tick"].version == 2


def test_drafting_starts_an_empty_folder(tmp_path: Path):
    assert draft([Tick], tmp_path) == ["Tick.v1"]
    assert released(tmp_path)[0].schema_id == 1


def test_a_type_that_avro_cannot_say_is_refused():
    bad = dataclasses.make_dataclass("Bad", [("at", dict[str, int])])
    with pytest.raises(Bug, match="no Avro type"):
        schema_of(bad)


def test_every_event_class_of_the_language_stands_in_a_topic():
    modules = (crawl, offer, policy)
    classes = {one for module in modules for one in vars(module).values() if isinstance(one, type)}
    assert set(EVENTS) == {one for one in classes if issubclass(one, Event) and one is not Event}
    assert {event for spec in TOPICS.values() for event in spec.events} == set(EVENTS)


def test_the_wheel_contains_the_schemas():
    """They are data without `__init__.py`, found by path beside `topics/`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert {"avro", "topics"} <= set(packages)
    assert not (AVRO_DIR / "__init__.py").exists()
    assert importlib.metadata.version("adcat") == project["project"]["version"]
