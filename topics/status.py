"""The status file of a worker: what the supervisor and `adcat status` read. A shell, like io.py."""

import json
import os
from pathlib import Path

from topics.clock import wall_ms


def write_status(path: Path, *, ready: bool, **details: object) -> None:
    """Replaces the file at once with `{"pid", "ready", "updated_ms", …details}`; a reader never sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_suffix(".tmp")
    scratch.write_text(json.dumps({"pid": os.getpid(), "ready": ready, "updated_ms": wall_ms(), **details}))
    scratch.replace(path)
