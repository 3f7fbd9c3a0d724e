"""Fail-stop: a worker that cannot go on safely ends at once, before anything commits (faust-kafka.md R1, R3)."""

import logging
import os
import sys
from typing import Any, NoReturn

from faust.sensors.monitor import Monitor

from streams.shell.settings import EXIT_SEND_FAILED

log = logging.getLogger("adcat.shell")


def stop(code: int, reason: str, error: BaseException | None = None) -> NoReturn:
    """Logs why and ends the process without running any exit handler, so that no offset is committed on the way out."""
    log.critical("stopping with exit code %d: %s", code, reason, exc_info=error)
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


class FailStopMonitor(Monitor):
    """Stops the process when a send fails; Faust itself only logs and would commit past it."""

    def on_send_error(self, producer: Any, exc: BaseException, state: Any) -> None:  # noqa: ARG002 (Faust's signature)
        stop(EXIT_SEND_FAILED, f"a record was not acknowledged: {exc!r}", exc)
