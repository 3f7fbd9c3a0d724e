"""The table of topics against a real broker: created once, verified by name, written and read to the end."""

import json
import os
import secrets
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from adcat.broker import BrokerSettings
from topics import admin
from topics.admin import Sizing, TopicMismatch, TopicRefused
from topics.errors import Retry
from topics.events.policy import SourceCommanded
from topics.io import LogProducer, LogReader, LogUnreachable, Record, opened
from topics.keys import merchant_key, partition_of
from topics.specs import FRONTIER_EVENT, OFFER_CATALOG, POLICY_PROOF, TOPICS, TopicSpec, codec

pytestmark = pytest.mark.broker

REPOSITORY = Path(__file__).parents[2]
SIZING = Sizing(partitions=2)
"""As other tests of the session make the real names (test_fetch_worker.py)."""
MERCHANTS = tuple(f"shop-{number}" for number in range(12))


@pytest.fixture
def specs() -> list[TopicSpec]:
    """The whole table under names of its own."""
    prefix = f"t{secrets.token_hex(4)}"
    return [replace(spec, name=f"{prefix}-{name}") for name, spec in TOPICS.items()]


@pytest.fixture(scope="module")
def written(kafka: BrokerSettings) -> BrokerSettings:
    """The table under its real names."""
    admin.apply(kafka.address, SIZING, [TOPICS[name] for name in (FRONTIER_EVENT, OFFER_CATALOG)])
    return kafka


def command(merchant: str, number: int = 0) -> SourceCommanded:
    return SourceCommanded(
        event_id=f"{number:032x}", occurred_at_ms=number, merchant=merchant, command="refresh", source_epoch=1
    )


def adcat(kafka: BrokerSettings, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "adcat", "topics", *arguments],
        cwd=REPOSITORY,
        env=os.environ | {"ADCAT_KAFKA": kafka.address, "ADCAT_PARTITIONS": str(SIZING.partitions)} | variables,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_apply_creates_every_topic_and_then_none(kafka: BrokerSettings, specs: list[TopicSpec]) -> None:
    assert admin.verify(kafka.address, SIZING, specs) == [
        f"topic {spec.name} is missing: run `adcat topics apply`" for spec in specs
    ]
    assert admin.apply(kafka.address, SIZING, specs) == [spec.name for spec in specs]
    assert admin.apply(kafka.address, SIZING, specs) == []
    assert admin.verify(kafka.address, SIZING, specs) == []


def test_apply_creates_only_what_is_missing(kafka: BrokerSettings, specs: list[TopicSpec]) -> None:
    admin.apply(kafka.address, SIZING, specs[2:])
    assert admin.apply(kafka.address, SIZING, specs) == [spec.name for spec in specs[:2]]


def test_another_partition_count_is_named_and_never_changed(kafka: BrokerSettings, specs: list[TopicSpec]) -> None:
    admin.apply(kafka.address, SIZING, specs)
    scoped = [spec.name for spec in specs if spec.partitions is None]
    larger = Sizing(partitions=5)
    problems = admin.verify(kafka.address, larger, specs)
    assert [problem.split()[1] for problem in problems] == scoped
    assert all("has 2 partitions, the table says 5" in problem and "new log epoch" in problem for problem in problems)
    with pytest.raises(TopicMismatch, match="the table says 5"):
        admin.apply(kafka.address, larger, specs)
    assert admin.verify(kafka.address, SIZING, specs) == []


def test_another_configuration_is_named_with_both_values(kafka: BrokerSettings, specs: list[TopicSpec]) -> None:
    one = next(spec for spec in specs if spec.name.endswith(FRONTIER_EVENT))
    admin.apply(kafka.address, SIZING, [one])
    changed = replace(one, config=one.config | {"retention.ms": "1000", "message.timestamp.type": "CreateTime"})
    problems = admin.verify(kafka.address, replace(SIZING, min_insync=2), [changed])
    assert sorted(problem.partition(": ")[2] for problem in problems) == [
        "message.timestamp.type is LogAppendTime, the table says CreateTime",
        "min.insync.replicas is 1, the table says 2",
        f"retention.ms is {one.config['retention.ms']}, the table says 1000",
    ]


def test_the_order_of_cleanup_policies_is_no_difference(kafka: BrokerSettings, specs: list[TopicSpec]) -> None:
    one = next(spec for spec in specs if spec.name.endswith(POLICY_PROOF))
    admin.apply(kafka.address, SIZING, [one])
    turned = ",".join(reversed(one.config["cleanup.policy"].split(",")))
    assert admin.verify(kafka.address, SIZING, [replace(one, config=one.config | {"cleanup.policy": turned})]) == []


def test_a_configuration_that_the_broker_refuses_is_an_error_of_ours(kafka: BrokerSettings, specs) -> None:
    odd = replace(specs[0], config={"retention.ms": "many"})
    with pytest.raises(TopicRefused, match=f"{odd.name}.*Not a number"):
        admin.apply(kafka.address, SIZING, [odd])
    with pytest.raises(TopicRefused, match=specs[0].name):
        admin.apply(kafka.address, Sizing(partitions=2, replication=3), specs[:1])


def test_two_that_apply_at_once_both_succeed(kafka: BrokerSettings, specs: list[TopicSpec]) -> None:
    with ThreadPoolExecutor(4) as threads:
        made = list(threads.map(lambda _: admin.apply(kafka.address, SIZING, specs), range(4)))
    assert {name for names in made for name in names} == {spec.name for spec in specs}


async def test_a_record_goes_to_the_partition_of_its_key_and_is_read_back(written: BrokerSettings) -> None:
    reader = LogReader(written.address, [FRONTIER_EVENT])
    async with opened(reader):
        before = await reader.end_offsets()
    sent: dict[tuple[int, int], SourceCommanded] = {}
    producer = LogProducer(written.address, SIZING.partitions)
    async with opened(producer):
        for number, merchant in enumerate(MERCHANTS):
            event = command(merchant, number)
            partition, offset = await producer.send(FRONTIER_EVENT, merchant_key(merchant), event)
            assert partition == partition_of(merchant_key(merchant), SIZING.partitions)
            sent[partition, offset] = event
    assert len({partition for partition, _ in sent}) > 1
    async with opened(reader := LogReader(written.address, [FRONTIER_EVENT], before)):
        found = [record async for record in reader.read_to_end()]
        assert await reader.positions() == await reader.end_offsets()
    assert {(one.partition, one.offset): codec().decode(one.value) for one in found if one.value} == sent
    assert all(one.append_ms > 1_000_000_000_000 for one in found), "the broker's time"


async def test_reading_to_the_end_of_an_empty_log_ends(written: BrokerSettings) -> None:
    async with opened(reader := LogReader(written.address, [OFFER_CATALOG])):
        assert [record async for record in reader.read_to_end() if record.offset < 0] == []


async def test_what_is_appended_while_reading_is_behind_the_end(written: BrokerSettings) -> None:
    producer = LogProducer(written.address, SIZING.partitions)
    async with opened(producer), opened(reader := LogReader(written.address, [FRONTIER_EVENT])):
        await producer.send(FRONTIER_EVENT, b"late", command("late"))
        ends = await reader.end_offsets()
        read: list[Record] = []
        async for record in reader.read_to_end():
            read.append(record)
            if len(read) == 1:
                await producer.send(FRONTIER_EVENT, b"late", command("late"))
        counts = {partition: sum(1 for one in read if one.partition == partition) for _, partition in ends}
    assert all(counts[partition] >= end for (_, partition), end in ends.items())


async def test_a_topic_that_does_not_exist_is_named_with_the_remedy(kafka: BrokerSettings) -> None:
    reader = LogReader(kafka.address, ["no-such-topic"])
    with pytest.raises(Retry, match=r"no-such-topic do not exist.*adcat topics apply"):
        await reader.start()


async def test_nobody_at_the_address_is_named() -> None:
    for resource in (LogProducer("127.0.0.1:9", 4), LogReader("127.0.0.1:9", [FRONTIER_EVENT])):
        with pytest.raises(LogUnreachable, match=r"127\.0\.0\.1:9"):
            await resource.start()
        await resource.stop()


async def test_an_event_that_does_not_belong_in_a_topic_is_a_fault_of_ours(written: BrokerSettings) -> None:
    producer = LogProducer(written.address, SIZING.partitions)
    async with opened(producer):
        with pytest.raises(AssertionError, match="does not belong"):
            await producer.send(OFFER_CATALOG, b"acme", command("acme"))


async def test_tail_prints_one_merchants_records_as_json_lines(written: BrokerSettings) -> None:
    merchant = f"shop-{secrets.token_hex(4)}"
    producer = LogProducer(written.address, SIZING.partitions)
    async with opened(producer):
        for number in range(3):
            await producer.send(FRONTIER_EVENT, merchant_key(merchant), command(merchant, number))
    said = adcat(written, "tail", FRONTIER_EVENT, "--merchant", merchant)
    lines = [json.loads(line) for line in said.stdout.splitlines()]
    assert (said.returncode, said.stderr) == (0, "")
    assert [(line["type"], line["key"], line["event"]["occurred_at_ms"]) for line in lines] == [
        ("SourceCommanded", merchant, number) for number in range(3)
    ]
    limited = adcat(written, "tail", FRONTIER_EVENT, "--limit", "1")
    assert limited.stdout.count("\n") == 1


def test_the_command_creates_verifies_and_names_a_difference(kafka: BrokerSettings) -> None:
    first = adcat(kafka, "apply")
    assert (first.returncode, first.stderr) == (0, "")
    again = adcat(kafka, "apply")
    assert again.stdout == f"0 topics created, {len(TOPICS)} were there and agree with the table\n"
    assert adcat(kafka, "verify").stdout == f"all {len(TOPICS)} topics agree with the table\n"
    other = adcat(kafka, "verify", ADCAT_PARTITIONS="5")
    assert (other.returncode, other.stderr) == (1, "")
    assert "has 2 partitions, the table says 5" in other.stdout
    refused = adcat(kafka, "apply", ADCAT_PARTITIONS="5")
    assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (1, "", 1)
    assert refused.stderr.startswith("adcat: topic ")
