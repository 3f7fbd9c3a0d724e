import socket
import stat
from pathlib import Path

import pytest
from typer.testing import CliRunner

from adcat.broker import BrokerSettings, DownloadFailed, PortTaken, ToolMissing, start, status, stop
from adcat.broker.config import server_properties
from adcat.broker.jars import POM, ensure_jars
from adcat.broker.settings import KAFKA_VERSION
from adcat.broker_cli import app

JAVA_17 = "echo 'openjdk version \"17.0.15\"' >&2"


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An otherwise empty PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    return folder


def install(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def settings_in(folder: Path, port: int = 1) -> BrokerSettings:
    return BrokerSettings(home=folder / "home", cache=folder / "cache", port=port)


def test_without_java_the_error_names_the_package(tools: Path, tmp_path: Path) -> None:
    with pytest.raises(ToolMissing, match="install Java 17"):
        start(settings_in(tmp_path))


def test_an_old_java_is_refused(tools: Path, tmp_path: Path) -> None:
    install(tools, "java", "echo 'java version \"1.8.0_402\"' >&2")
    with pytest.raises(ToolMissing, match="is Java 8: install Java 17"):
        start(settings_in(tmp_path))


def test_without_maven_the_error_names_the_package(tools: Path, tmp_path: Path) -> None:
    install(tools, "java", JAVA_17)
    with pytest.raises(ToolMissing, match="install Maven"):
        start(settings_in(tmp_path))


def test_a_failing_maven_is_quoted_and_leaves_no_half_cache(tools: Path, tmp_path: Path) -> None:
    install(tools, "java", JAVA_17)
    install(tools, "mvn", "echo 'could not resolve repo.example'; exit 1")
    settings = settings_in(tmp_path)
    with pytest.raises(DownloadFailed, match=r"could not resolve repo\.example"):
        start(settings)
    assert not settings.jars.exists()


def test_a_changed_pom_is_fetched_anew(tools: Path, tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    install(tools, "mvn", 'for word; do case $word in -DoutputDirectory=*) /bin/mkdir -p "${word#*=}";; esac; done')
    ensure_jars(settings)
    (settings.jars / "pom.xml").write_text("an older one")
    (settings.jars / "old.jar").write_text("")
    assert ensure_jars(settings) == settings.jars
    assert [path.name for path in settings.jars.iterdir()] == ["pom.xml"]


def test_a_taken_port_is_named(tools: Path, tmp_path: Path) -> None:
    install(tools, "java", JAVA_17)
    install(tools, "mvn", 'for word; do case $word in -DoutputDirectory=*) /bin/mkdir -p "${word#*=}";; esac; done')
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(PortTaken, match=f"port {port} is taken"):
            start(settings_in(tmp_path, port))


def test_the_pom_and_the_cache_folder_name_one_version() -> None:
    assert f"<kafka.version>{KAFKA_VERSION}</kafka.version>" in POM.read_text()


def test_every_listener_is_on_loopback(tmp_path: Path) -> None:
    text = server_properties(settings_in(tmp_path, 19092), 19093)
    listeners = next(line for line in text.splitlines() if line.startswith("listeners="))
    assert listeners == "listeners=PLAINTEXT://127.0.0.1:19092,CONTROLLER://127.0.0.1:19093"


def test_a_home_without_broker_has_nothing_to_stop(tmp_path: Path) -> None:
    assert not status(settings_in(tmp_path)).running
    assert stop(settings_in(tmp_path)) is False


def test_a_pid_that_another_process_took_is_not_killed(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    settings.folder.mkdir(parents=True)
    settings.pid.write_text("1\n")
    assert stop(settings) is False


def test_status_exits_3_when_nothing_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADCAT_HOME", str(tmp_path))
    answer = CliRunner().invoke(app, ["status"])
    assert answer.exit_code == 3
    assert "adcat broker start" in answer.output
