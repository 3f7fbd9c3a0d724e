import subprocess

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from adcat.broker import BrokerSettings, console_consumer, start, status

pytestmark = pytest.mark.broker


def test_a_second_start_finds_the_running_broker(kafka: BrokerSettings) -> None:
    before = status(kafka)
    assert start(kafka) == before
    assert before.ready


def test_the_console_consumer_reads_what_was_produced(kafka: BrokerSettings) -> None:
    admin = AdminClient({"bootstrap.servers": kafka.address})
    admin.create_topics([NewTopic("console", 1, 1)])["console"].result()
    producer = Producer({"bootstrap.servers": kafka.address})
    producer.produce("console", b"seen")
    assert producer.flush(20) == 0
    command = console_consumer(kafka, "console", "--from-beginning", "--max-messages", "1", "--timeout-ms", "20000")
    answer = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert "seen" in answer.stdout
