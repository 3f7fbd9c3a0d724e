"""The worker without a broker: it says so, keeps trying for a bounded time, and is not ready meanwhile."""

import asyncio
import json
import socket
from pathlib import Path

import pytest

from streams.fetch.agent import FetchSettings, Worker
from topics.io import LogUnreachable


async def test_without_a_broker_the_worker_is_not_ready_and_gives_up_with_the_address(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, not listening: every connection is refused
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        settings = FetchSettings(
            bootstrap=address, partitions=1, blobs="memory:///", status=tmp_path / "run" / "fetch.json", boot_attempts=2
        )
        with pytest.raises(LogUnreachable, match=address):
            await Worker(settings).run()
    status = json.loads((tmp_path / "run" / "fetch.json").read_text())
    assert (status["ready"], status["partitions"], status["worker"]) == (False, [], "fetch")
    assert asyncio.all_tasks() == {asyncio.current_task()}
