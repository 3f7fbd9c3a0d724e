"""Java, Maven, and the cached jars of Kafka."""

import fcntl
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from adcat.broker.errors import DownloadFailed, ToolMissing
from adcat.broker.settings import BrokerSettings

POM = Path(__file__).with_name("pom.xml")
JAVA_MIN = 17
MAVEN_S_MAX = 600
_MARK = "pom.xml"
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_VERSION = re.compile(r'version "(?:1\.)?(\d+)')


def find_java() -> str:
    """Returns the path of Java 17 or later: JAVA_HOME first, then the PATH; raises ToolMissing."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=str(Path(home) / "bin")) if home else None
    java = java or shutil.which("java")
    remedy = f"install Java {JAVA_MIN} or later (Debian: apt-get install openjdk-17-jre-headless) or set JAVA_HOME"
    if java is None:
        raise ToolMissing(f"java is not on the PATH: {remedy}")
    answer = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=30, check=False)
    found = _VERSION.search(answer.stderr + answer.stdout)
    if answer.returncode != 0 or found is None:
        raise ToolMissing(f"{java} -version does not tell a version: {remedy}")
    if int(found[1]) < JAVA_MIN:
        raise ToolMissing(f"{java} is Java {found[1]}: {remedy}")
    return java


def ensure_jars(settings: BrokerSettings) -> Path:
    """Returns the folder of Kafka's jars, fetched by Maven at first use (about 50 MB, 30 s).

    Concurrent callers wait for one download; a folder appears whole or not at all. A changed `pom.xml` fetches anew.
    Raises ToolMissing without Maven, DownloadFailed with Maven's last lines.
    """
    if _is_fresh(settings.jars):
        return settings.jars
    settings.jars.parent.mkdir(parents=True, exist_ok=True)
    with locked(settings.jars.with_name(f"{settings.jars.name}.lock")):
        if not _is_fresh(settings.jars):
            _download(settings.jars)
    return settings.jars


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Holds an exclusive lock on a file; the kernel frees it when the holder dies."""
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _is_fresh(jars: Path) -> bool:
    mark = jars / _MARK
    return mark.is_file() and mark.read_bytes() == POM.read_bytes()


def _download(jars: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise ToolMissing("mvn is not on the PATH: install Maven 3.6 or later (Debian: apt-get install maven)")
    with tempfile.TemporaryDirectory(dir=jars.parent, prefix=f"{jars.name}.") as scratch:
        fetched = Path(scratch) / "jars"
        command = [maven, "-q", "-B", "-f", str(POM), "dependency:copy-dependencies", f"-DoutputDirectory={fetched}"]
        try:
            answer = subprocess.run(command, capture_output=True, text=True, timeout=MAVEN_S_MAX, check=False)
        except subprocess.TimeoutExpired as late:
            raise DownloadFailed(
                f"Maven took longer than {MAVEN_S_MAX} s: check the network or ~/.m2/settings.xml"
            ) from late
        if answer.returncode != 0 or not fetched.is_dir():
            lines = _ANSI.sub("", answer.stdout + answer.stderr).strip().splitlines()[-8:]
            text = "\n".join(lines)
            raise DownloadFailed(
                f"Maven could not fetch Kafka; check the network, a mirror in ~/.m2/settings.xml, then retry:\n{text}"
            )
        shutil.copyfile(POM, fetched / _MARK)
        shutil.rmtree(jars, ignore_errors=True)
        fetched.rename(jars)
