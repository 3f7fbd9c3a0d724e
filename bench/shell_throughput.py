"""Events a second through the Faust shell: one worker, 8 partitions, per event one row, one output, both acknowledged.

    python bench/shell_throughput.py [events]

Starts a broker of its own. The figure per CPU-second is the worker's own and bears other load; events per second do not.
"""

import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import psutil
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from adcat.broker import BrokerSettings, free_port, start, stop
from adcat.settings import Settings
from streams.shell.app import build_app, run_worker
from streams.shell.settings import ShellSettings
from streams.stage import Emit, Position, Stage, TableSpec, View
from topics.keys import partition_of

PARTITIONS = 8
NAMES = 1_000
PADDING = "x" * 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of about half a kilobyte."""

    applied: int
    count: int
    padding: str = PADDING


class Bytes:
    """A codec that passes bytes: the shell is measured, not Avro."""

    def encode(self, event: Any) -> bytes:
        return msgspec.msgpack.encode(event)

    def decode(self, value: bytes) -> Any:
        return msgspec.msgpack.decode(value)


def handle(view: View, event: Any, at: Position) -> list[Emit]:
    key = event["name"].encode()
    row = view.get("rows", key)
    view.put("rows", key, Row(applied=at.offset, count=1 if row is None else row.count + 1))
    return [Emit(topic="bench-out", key=key, event=event)]


def worker(options: dict[str, Any]) -> None:
    stage = Stage(name="bench", inboxes=("bench-in",), tables=(TableSpec(name="rows", row=Row),), handle=handle)
    settings = ShellSettings(**options | {"home": Path(options["home"])})
    run_worker(build_app(stage, settings, Bytes()))


def fill(address: str, events: int) -> None:
    admin = AdminClient({"bootstrap.servers": address})
    names = ("bench-in", "bench-out", "bench-rows-changelog")
    for future in admin.create_topics([NewTopic(name, PARTITIONS, 1) for name in names]).values():
        future.result()
    producer = Producer({"bootstrap.servers": address, "linger.ms": 20})
    for number in range(events):
        key = f"name-{number % NAMES}".encode()
        value = msgspec.msgpack.encode({"name": key.decode(), "padding": PADDING})
        producer.produce("bench-in", value, key, partition=partition_of(key, PARTITIONS))
        producer.poll(0)
    producer.flush()


def measure(address: str, home: Path, events: int) -> str:
    options = {"bootstrap": address, "home": str(home), "worker": "bench"}
    command = [sys.executable, __file__, "--worker", json.dumps(options)]
    with (home / "worker.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    status = home / "run" / "bench.json"
    begun: tuple[float, float, int] | None = None
    try:
        while process.poll() is None:
            time.sleep(0.1)
            seen = json.loads(status.read_text()) if status.exists() else {}
            handled = seen.get("counts", {}).get("handled", 0)
            now = (time.monotonic(), sum(psutil.Process(process.pid).cpu_times()[:2]), handled)
            if begun is None and handled > events // 10:
                begun = now
            if begun is not None and seen.get("lag") == 0:
                wall_s, cpu_s, count = (now[0] - begun[0], now[1] - begun[1], handled - begun[2])
                return f"shell: {count / wall_s:,.0f} events/s, {count / cpu_s:,.0f} events per worker CPU-second"
        return f"the worker ended with {process.returncode}:\n" + (home / "worker.log").read_text()[-2000:]
    finally:
        process.kill()
        process.wait()


def main() -> None:
    events = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        broker = BrokerSettings(home=home, cache=Settings.from_environment().cache, port=free_port())
        try:
            start(broker)
            fill(broker.address, events)
            print(measure(broker.address, home, events))
        finally:
            stop(broker)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        worker(json.loads(sys.argv[2]))
    else:
        main()
