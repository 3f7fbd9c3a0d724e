import inspect
from hashlib import sha256
from importlib.metadata import version

import pytest
from faust.tables.manager import TableManager
from faust.tables.recovery import Recovery
from faust.transport.consumer import Consumer

from streams.shell.mend import FAUST_VERSION


def test_the_mend_was_written_for_the_installed_version() -> None:
    assert version("faust-streaming") == FAUST_VERSION


@pytest.mark.parametrize(
    ("method", "digest"),
    [
        (Recovery._resume_streams, "d986a6710c1aca98"),
        (Recovery.on_recovery_completed, "6ef567acf072e46d"),
        (Consumer._wait_next_records, "6218e1969a636b3f"),
        (Consumer._new_offset, "1d2c7ea89a7ad4f1"),
        (Consumer.perform_seek, "0e8c130ff4b0afd8"),
        (TableManager.on_start, "365dd25fbc0e0684"),
    ],
)
def test_the_methods_it_replaces_read_as_they_did(method: object, digest: str) -> None:
    assert sha256(inspect.getsource(method).encode()).hexdigest()[:16] == digest  # type: ignore[arg-type]
