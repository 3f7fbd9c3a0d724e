"""Who runs from an ADCAT_HOME: a lock file that the kernel frees when its holder dies, so that no stale pid is ever believed."""

import fcntl
import os
from pathlib import Path
from typing import IO

from adcat.settings import Settings
from topics.errors import AdcatError


class HomeTaken(AdcatError):
    """Another adcat runs from this ADCAT_HOME."""

    def __init__(self, settings: Settings, pid: int) -> None:
        super().__init__(
            f"another adcat (pid {pid}) runs from {settings.home.absolute()}: stop it with `adcat down`, or set ADCAT_HOME"
        )


class HomeLock:
    """The right to run a stack from one home; at most one process holds it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._file: IO[str] | None = None

    def take(self) -> None:
        """Takes the lock and notes our pid in it; raises HomeTaken. Taking it twice changes nothing."""
        if self._file is not None:
            return
        path = lock_path(self._settings)
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a+")
        if not _lock(file):
            file.close()
            raise HomeTaken(self._settings, _pid_in(path))
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        self._file = file

    def free(self) -> None:
        """Gives the lock back; the file stays, since another process may wait at it."""
        if self._file is not None:
            self._file.close()
            self._file = None


def lock_path(settings: Settings) -> Path:
    """Returns the lock file; it holds the pid of the last holder."""
    return settings.home / "lock"


def holder(settings: Settings) -> int | None:
    """Returns the pid of the process that runs from this home, None when there is none."""
    path = lock_path(settings)
    if not path.exists():
        return None
    with path.open("a+") as file:
        return None if _lock(file) else _pid_in(path)


def _lock(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _pid_in(path: Path) -> int:
    text = path.read_text().strip()
    return int(text) if text.isdecimal() else 0
