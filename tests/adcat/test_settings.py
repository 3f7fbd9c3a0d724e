"""Settings: read once, each bad variable named; and the home's lock."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from adcat.home import HomeLock, HomeTaken, holder, lock_path
from adcat.settings import Settings
from topics.errors import Invalid


@pytest.mark.parametrize(
    ("field", "text", "remedy"),
    [
        ("PARTITIONS", "eight", "whole number"),
        ("PARTITIONS", "-8", "whole number"),
        ("PARTITIONS", "", "whole number"),
        ("PARTITIONS", "0", "1 or more"),
        ("REPLICATION", "0", "1 or more"),
        ("MIN_INSYNC", "0", "1 or more"),
        ("CONTROL_PORT", "0", "1 to 65535"),
        ("GRPC_PORT", "65536", "1 to 65535"),
        ("GATEWAY_PORT", "8080x", "whole number"),
        ("METRICS_PORT", "99999", "1 to 65535"),
        ("ALLOW_LOOPBACK", "yes", "true or false"),
        ("SESSION_TIMEOUT_MS", "10", "6000 or more"),
        ("KAFKA", "broker", "host:port"),
        ("KAFKA", ":9092", "host:port"),
        ("KAFKA", "broker:http", "host:port"),
        ("KAFKA", "broker:70000", "host:port"),
        ("KAFKA", "one:9092,two", "host:port"),
    ],
)
def test_a_bad_variable_is_named_with_its_value_and_the_remedy(field: str, text: str, remedy: str) -> None:
    with pytest.raises(Invalid) as refused:
        Settings.from_environment({f"ADCAT_{field}": text})
    assert (refused.value.field, refused.value.value) == (f"ADCAT_{field}", text)
    assert remedy in refused.value.remedy


def test_without_variables_the_defaults_hold_and_other_variables_are_ignored() -> None:
    assert Settings.from_environment({"ADCAT_UNKNOWN": "x", "PATH": "/bin"}) == Settings()


def test_a_child_process_gets_the_same_settings(tmp_path: Path) -> None:
    given = Settings(
        home=tmp_path / "home", cache=tmp_path / "cache", kafka="one:1,two:2", allow_loopback=True, partitions=3
    )
    assert Settings.from_environment(given.environment()) == given


def test_relative_folders_mean_the_same_for_a_child_in_another_folder() -> None:
    assert Path(Settings(home=Path("here")).environment()["ADCAT_HOME"]).is_absolute()


def test_overrides_beat_the_environment_and_none_does_not() -> None:
    read = Settings.from_environment({"ADCAT_PARTITIONS": "3", "ADCAT_HOST": "::1"}, partitions=5, host=None)
    assert (read.partitions, read.host) == (5, "::1")


def test_database_and_blobs_stand_in_the_home_unless_they_are_given(tmp_path: Path) -> None:
    inside = Settings(home=tmp_path)
    assert inside.database_url == f"sqlite:///{tmp_path}/control.db"
    assert inside.blobs_url == f"file://{tmp_path}/blobs"
    outside = Settings(home=tmp_path, database="postgresql://db/adcat", blobs="s3://bucket")
    assert (outside.database_url, outside.blobs_url) == ("postgresql://db/adcat", "s3://bucket")


def test_a_home_has_one_holder_who_can_be_asked_for(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "home")
    assert holder(settings) is None
    lock, other = HomeLock(settings), HomeLock(settings)
    lock.take()
    lock.take()
    assert holder(settings) == os.getpid()
    with pytest.raises(HomeTaken, match=rf"pid {os.getpid()}.*{settings.home}.*adcat down"):
        other.take()
    lock.free()
    lock.free()
    assert holder(settings) is None
    other.take()
    other.free()


def test_a_killed_holder_holds_nothing_though_its_pid_stays_in_the_file(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    code = (
        "import sys; from pathlib import Path; from adcat.home import HomeLock; from adcat.settings import Settings\n"
        "lock = HomeLock(Settings(home=Path(sys.argv[1]))); lock.take(); print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"held\n"
        assert holder(settings) == child.pid
        child.kill()
        child.wait()
    assert lock_path(settings).read_text().strip() == str(child.pid)
    assert holder(settings) is None
