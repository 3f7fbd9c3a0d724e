"""Style as a unit test: budgets, words, and what the documents promise (STYLE.md, DESIGN §10)."""

import ast
import functools
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest
import typer

from adcat import cli
from adcat.settings import Settings
from adcat.supervisor import WORKERS
from streams.app import STAGES
from streams.shell import settings as shell_settings
from topics.specs import DLQ_APPS, LOG_EPOCH, TABLES, TOPICS, changelog

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("adcat", "topics", "streams", "control", "serving_grpc", "replay")
GENERATED = re.compile(r"_pb2(_grpc)?\.pyi?$|control/migrations/")
SKIPPED = {"__pycache__", "node_modules", "htmlcov", "dist", "build"}
TEXT = {".py", ".md", ".toml", ".yml", ".yaml", ".txt", ".lock", ".proto", ".xml", ".conf", ".ini", ".svg", ".mako", ""}

MODULE_LINES_MAX = 300
TEST_LINES_MAX = 450
FUNCTION_LINES_MAX = 50
DOCUMENT_LINES_MAX = {"README.md": 150, "docs/ARCHITECTURE.md": 300}
LONGER = {
    "tests/control/test_relay.py": "one table of relay crashes over one fake log",
    "tests/frontier/test_frontier.py": "the frontier's sentences share one world; its edges stand in test_edges.py",
}
"""Modules above their budget, each with its reason; an entry that is no longer needed fails."""

FORBIDDEN_WORDS = {"data", "info", "manager", "helper", "helpers", "util", "utils"}
KEPT_NAMES = {"adcat/broker/settings.py: data": "the folder that Kafka itself calls data"}

NOT_YET = {"adcat reset", "adcat topics new-epoch"}
"""Named in messages and documents as coming; a test fails when one exists, so that the documents follow."""

# Spelled in parts, so that this file does not name them itself.
REGISTRIES = (
    "pypi." + "org",
    "python" + "hosted.org",
    "repo.maven." + "apache.org",
    "registry.npm" + "js.org",
    "ghcr." + "io",
    "quay." + "io",
)
MACHINE_PATH = re.compile(r"(?<![\w.$}\-])/(?:work|root|home|Users)/\w")

WRITERS = {
    "offer-catalog": "streams/publication/",
    "merchant-policy": "control/",
    "policy-proof": "control/",
    "revocation-ack": "serving_grpc/",
}
"""Who builds the records of each compacted topic (DESIGN §10: one writer per compacted topic)."""


def files() -> Iterator[Path]:
    """Yields our text files, without saved pages and folders that tools make."""
    for folder, below, names in os.walk(ROOT):
        below[:] = [one for one in below if one not in SKIPPED and (not one.startswith(".") or one == ".ci")]
        if Path(folder) == ROOT / "tests":
            below.remove("pages")
        for name in names:
            path = Path(folder) / name
            if path.suffix in TEXT and not name.startswith(".coverage"):
                yield path


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def modules(*, generated: bool = False) -> list[tuple[str, str]]:
    """Returns (path, source) of our Python files."""
    found = [(shown(path), path.read_text()) for path in files() if path.suffix == ".py"]
    return [(path, source) for path, source in found if generated or not GENERATED.search(path)]


@functools.cache
def nodes(source: str) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(source)))


def document(name: str) -> str:
    path = ROOT / name
    if not path.exists():
        pytest.skip(f"{name} is not written yet")
    return path.read_text()


def test_no_module_is_longer_than_its_budget() -> None:
    found = {path: source.count("\n") for path, source in modules()}
    budget = {path: TEST_LINES_MAX if path.startswith("tests/") else MODULE_LINES_MAX for path in found}
    assert {path for path in found if found[path] > budget[path]} == set(LONGER)


def test_no_function_is_longer_than_its_budget() -> None:
    long = [
        f"{path}:{node.lineno} {node.name}"
        for path, source in modules()
        for node in nodes(source)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= FUNCTION_LINES_MAX
    ]
    assert long == []


def test_names_say_what_a_thing_is() -> None:
    found = {
        f"{path}: {name}" for path, source in modules() for name in names(path, source) if words(name) & FORBIDDEN_WORDS
    }
    assert found == set(KEPT_NAMES)


def names(path: str, source: str) -> Iterator[str]:
    yield from Path(path).with_suffix("").parts
    for node in nodes(source):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name


def words(name: str) -> set[str]:
    return set(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().split("_"))


def test_no_handler_catches_what_it_does_not_name() -> None:
    bare = [
        f"{path}:{node.lineno}"
        for path, source in modules()
        for node in nodes(source)
        if isinstance(node, ast.ExceptHandler) and node.type is None
    ]
    assert bare == []


def test_no_file_names_a_registry_or_a_path_of_one_machine() -> None:
    found = [
        f"{shown(path)}:{number}: {line.strip()[:100]}"
        for path in files()
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1)
        if MACHINE_PATH.search(line) or any(host in line for host in REGISTRIES)
    ]
    assert found == []


@pytest.mark.parametrize(("name", "lines_max"), DOCUMENT_LINES_MAX.items())
def test_documents_stay_short(name: str, lines_max: int) -> None:
    assert document(name).count("\n") <= lines_max


DOCUMENTS = (
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "docs/ARCHITECTURE.md",
    "docs/operations.md",
    "docs/client.md",
)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_command_in_a_document_exists(name: str) -> None:
    text = document(name)
    said = set(re.findall(r"(?:`|^|\s|/)adcat ((?:[a-z]+)(?: [a-z][a-z-]+)?)", code_of(text)))
    missing = {f"adcat {one}" for one in said if not exists(one.split())}
    assert missing <= NOT_YET
    if missing:
        assert "not yet" in text.lower()
    assert set(re.findall(r"(?:`|^|\s)make ([a-z-]+)", code_of(text))) <= makefile_targets()


@pytest.mark.parametrize("command", sorted(NOT_YET))
def test_what_is_said_to_be_coming_is_not_there_yet(command: str) -> None:
    assert not exists(command.split()[1:])


def code_of(text: str) -> str:
    """Returns fenced blocks and inline code of Markdown, one per line."""
    fenced = re.findall(r"^```(?:sh|console|bash)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    inline = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE))
    return "\n".join((*fenced, *inline))


def exists(said: list[str]) -> bool:
    """True for a subcommand, or a group with one of its subcommands; a second word after a plain command is its argument."""
    found = commands().get(said[0])
    if found is None:
        return False
    return len(said) == 1 or not found or said[1] in found


def commands() -> dict[str, set[str]]:
    """Returns each subcommand with the subcommands below it."""
    if not cli.app.registered_commands:
        cli._wire([])
    root = typer.main.get_command(cli.app)
    return {name: set(getattr(command, "commands", {})) for name, command in root.commands.items()}


def makefile_targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", document("Makefile"), re.MULTILINE))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_file_named_in_a_document_exists(name: str) -> None:
    text, folder = document(name), (ROOT / name).parent
    links = {one.partition("#")[0] for one in re.findall(r"\]\(([^)]+)\)", text) if "://" not in one} - {""}
    paths = re.findall(
        r"`((?:adcat|topics|avro|streams|control|serving_grpc|replay|tests|bench|docs|deploy)/[\w./-]*)`", text
    )
    assert [one for one in links if not (folder / one).exists()] == []
    assert [one for one in paths if not (ROOT / one).exists()] == []


def test_the_operations_manual_names_every_setting_exit_code_and_worker() -> None:
    manual = document("docs/operations.md")
    settings = {f"ADCAT_{field.name.upper()}" for field in fields(Settings)}
    codes = {str(code) for name, code in vars(shell_settings).items() if name.startswith("EXIT_")}
    assert {one for one in settings if f"`{one}`" not in manual} == set()
    assert {one for one in codes if f"| {one} |" not in manual} == set()
    assert {one for one in WORKERS if f"`{one}`" not in manual} == set()


def test_import_contracts_hold() -> None:
    lint = Path(sys.executable).parent / "lint-imports"
    done = subprocess.run([lint, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-2_000:]


def test_the_topic_table_knows_the_tables_that_the_stages_declare() -> None:
    declared = {name: tuple(table.name for table in stage.tables if table.durable) for name, stage in STAGES.items()}
    assert declared == TABLES
    assert {changelog(app, table) for app, tables in TABLES.items() for table in tables} <= TOPICS.keys()


def test_every_inbox_is_a_topic_with_broker_time_that_keeps_its_records() -> None:
    for stage in STAGES.values():
        assert stage.inboxes
        for inbox in stage.inboxes:
            assert TOPICS[inbox].config["message.timestamp.type"] == "LogAppendTime"
            assert TOPICS[inbox].config["cleanup.policy"] == "delete"
        assert stage.ticks is None or stage.ticks in stage.inboxes


def test_every_stage_and_the_fetch_pool_have_a_dead_letter_topic() -> None:
    assert set(DLQ_APPS) == {*STAGES, "fetch"}
    assert {f"dlq-{app}" for app in DLQ_APPS} <= TOPICS.keys()


def test_the_decision_log_carries_its_epoch_in_its_name() -> None:
    assert [name for name in TOPICS if name.startswith("offer-decision")] == [f"offer-decision.e{LOG_EPOCH}"]


def test_one_writer_per_compacted_topic() -> None:
    compacted = {
        name: spec for name, spec in TOPICS.items() if "compact" in spec.config["cleanup.policy"] and spec.events
    }
    assert compacted.keys() == WRITERS.keys()
    callers = {path: set(calls(source)) for path, source in modules() if path.startswith(PACKAGES)}
    for name, spec in compacted.items():
        built = {event.__name__ for event in spec.events}
        makers = {path for path, called in callers.items() if built & called}
        assert makers, f"nobody writes {name}"
        assert {path for path in makers if not path.startswith(WRITERS[name])} == set(), name


def calls(source: str) -> Iterator[str]:
    for node in nodes(source):
        if isinstance(node, ast.Call):
            yield getattr(node.func, "attr", getattr(node.func, "id", ""))
