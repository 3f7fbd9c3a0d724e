"""One counting stage on the broker: its topics, its workers as processes, what came out of it."""

import json
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import psutil
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from adcat.broker import BrokerSettings
from streams.rows import decode_row
from tests.broker.counting import PARTITIONS, Count, Counted, ToyCodec
from topics.keys import partition_of

WIRE = ToyCodec()
PATIENCE_S = 60.0


class World:
    """A stage called `name` with its four topics."""

    def __init__(self, kafka: BrokerSettings, home: Path, name: str) -> None:
        self.bootstrap = kafka.address
        self.home = home
        self.name = name
        self.inbox = f"{name}-event"
        self.workers: list[subprocess.Popen[bytes]] = []
        self.quiet = {"bootstrap.servers": self.bootstrap, "log_level": 0}
        self.admin = AdminClient(self.quiet)
        appended = {"message.timestamp.type": "LogAppendTime"}
        topics = {
            self.inbox: appended,
            f"{name}-counted": {},
            f"dlq-{name}": {},
            f"{name}-counts-changelog": {"cleanup.policy": "compact"},
        }
        new = [NewTopic(topic, PARTITIONS, 1, config=config) for topic, config in topics.items()]
        for future in self.admin.create_topics(new).values():
            future.result()

    def close(self) -> None:
        for worker in self.workers:
            if worker.poll() is None:
                psutil.Process(worker.pid).resume()
                worker.kill()
                worker.wait()

    def send(self, events: Iterable[Counted]) -> dict[bytes, tuple[int, int]]:
        """Appends events and returns the count and the sum that each name must end with."""
        expected: dict[bytes, tuple[int, int]] = defaultdict(lambda: (0, 0))
        producer = Producer(self.quiet | {"linger.ms": 5})
        for index, event in enumerate(events):
            key = event.name.encode()
            count, total = expected[key]
            expected[key] = (count + 1, total + event.number)
            producer.produce(self.inbox, WIRE.encode(event), key, partition=partition_of(key, PARTITIONS))
            if index % 1000 == 0:
                producer.poll(0)
        assert producer.flush(30) == 0
        return dict(expected)

    def send_raw(self, value: bytes, key: bytes = b"a", partition: int | None = None, topic: str | None = None) -> None:
        producer = Producer(self.quiet)
        where = partition_of(key, PARTITIONS) if partition is None else partition
        producer.produce(topic or self.inbox, value, key, partition=where)
        assert producer.flush(30) == 0

    def start(self, worker: str = "w1", **options: Any) -> subprocess.Popen[bytes]:
        settings = {"session_s": 6, "heartbeat_s": 1, "request_s": 8, "boot_s": 20} | options
        arguments = {
            "name": self.name,
            "bootstrap": self.bootstrap,
            "home": str(self.home),
            "worker": worker,
        } | settings
        with self.log(worker).open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "tests.broker.counting", json.dumps(arguments)],
                cwd=Path(__file__).parents[2],
                stdout=log,
                stderr=log,
            )
        self.workers.append(process)
        return process

    def log(self, worker: str = "w1") -> Path:
        return self.home / f"{worker}.log"

    def status(self, process: subprocess.Popen[bytes], worker: str = "w1") -> dict[str, Any]:
        """The worker's status file; empty while it is that of an earlier process."""
        path = self.home / "run" / f"{worker}.json"
        status = json.loads(path.read_text()) if path.exists() else {}
        return status if status.get("pid") == process.pid else {}

    def until(self, true: Callable[[], object], what: str, patience_s: float = PATIENCE_S) -> None:
        deadline = time.monotonic() + patience_s
        while not true():
            dead = [worker.poll() for worker in self.workers if worker.poll() not in (None, -9, 0)]
            assert not dead, f"a worker ended with {dead} before {what}: {self.log().read_text()[-3000:]}"
            assert time.monotonic() < deadline, f"not within {patience_s} s: {what}"
            time.sleep(0.05)

    def until_ready(self, process: subprocess.Popen[bytes], worker: str = "w1") -> None:
        self.until(lambda: self.status(process, worker).get("ready"), "ready")

    def until_done(self, process: subprocess.Popen[bytes], worker: str = "w1") -> None:
        self.until(lambda: self.status(process, worker).get("lag") == 0, "no lag")

    def read(self, topic: str) -> list[Any]:
        """All records of a topic, per partition in order."""
        consumer = Consumer(self.quiet | {"group.id": "reader", "enable.auto.commit": False})
        try:
            ends = {}
            for partition in range(PARTITIONS):
                low, high = consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=10)
                if high > low:
                    ends[partition] = high
            consumer.assign([TopicPartition(topic, partition, 0) for partition in ends])
            records: list[Any] = []
            while any(_position(consumer, topic, partition) < end for partition, end in ends.items()):
                records.extend(consumer.consume(5000, timeout=1.0))
            return [record for record in records if record.error() is None]
        finally:
            consumer.close()

    def counts(self) -> dict[bytes, tuple[int, int]]:
        """Count and sum per name, as the changelog has them last."""
        rows: dict[bytes, tuple[int, int]] = {}
        for record in self.read(f"{self.name}-counts-changelog"):
            if record.value() is None:
                rows.pop(record.key(), None)
            else:
                row: Count = decode_row(record.value(), Count)
                rows[record.key()] = (row.count, row.total)
        return rows

    def committed(self) -> int:
        """Events committed so far, all partitions together."""
        consumer = Consumer(self.quiet | {"group.id": self.name, "enable.auto.commit": False})
        try:
            places = [TopicPartition(self.inbox, partition) for partition in range(PARTITIONS)]
            return sum(max(0, place.offset) for place in consumer.committed(places, timeout=10))
        finally:
            consumer.close()

    def end(self, partition: int) -> int:
        """Next offset of an inbox partition."""
        consumer = Consumer(self.quiet | {"group.id": "reader"})
        try:
            high: int = consumer.get_watermark_offsets(TopicPartition(self.inbox, partition), timeout=10)[1]
            return high
        finally:
            consumer.close()

    def letters(self) -> list[Any]:
        return [WIRE.decode(record.value()) for record in self.read(f"dlq-{self.name}")]


def _position(consumer: Consumer, topic: str, partition: int) -> int:
    offset: int = consumer.position([TopicPartition(topic, partition)])[0].offset
    return offset
