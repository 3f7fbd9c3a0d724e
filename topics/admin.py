"""Creates and checks the topics of the table against a broker (`adcat topics apply|verify`); a shell, like io.py."""

import time
from collections.abc import Iterable
from dataclasses import dataclass

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient, ConfigResource, NewTopic, ResourceType

from topics.errors import Bug
from topics.io import LogUnreachable
from topics.specs import TOPICS, TopicSpec

TIMEOUT_S = 20.0
POLL_S = 0.05
CONNECT_S = 8.0


class TopicMismatch(Bug):
    """A topic of the broker differs from the table; a worker refuses to start."""


class TopicRefused(Bug):
    """The broker refuses to create a topic of the table, for example for more replicas than it has brokers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizing:
    """What differs between environments: partitions, replication, least in-sync replicas."""

    partitions: int
    replication: int = 1
    min_insync: int = 1


def _client(bootstrap: str) -> AdminClient:
    return AdminClient({"bootstrap.servers": bootstrap, "log_level": 0, "logger": None} | {"socket.timeout.ms": 10_000})


def _existing(client: AdminClient, bootstrap: str) -> dict[str, int]:
    try:
        listed = client.list_topics(timeout=CONNECT_S)
    except KafkaException as error:
        raise LogUnreachable(f"no Kafka broker answers at {bootstrap}; start one with `adcat broker start`") from error
    return {name: len(topic.partitions) for name, topic in listed.topics.items()}


def apply(bootstrap: str, sizing: Sizing, specs: Iterable[TopicSpec] = tuple(TOPICS.values())) -> list[str]:
    """Creates the topics that are missing and returns their names; raises TopicMismatch when an existing one differs."""
    client = _client(bootstrap)
    wanted = list(specs)
    have = _existing(client, bootstrap)
    missing = [spec for spec in wanted if spec.name not in have]
    new = [
        NewTopic(
            spec.name,
            num_partitions=spec.partitions or sizing.partitions,
            replication_factor=sizing.replication,
            config=spec.config | {"min.insync.replicas": str(sizing.min_insync)},
        )
        for spec in missing
    ]
    if new:
        _create(client, bootstrap, new)
    problems = verify(bootstrap, sizing, wanted)
    if problems:
        raise TopicMismatch("; ".join(problems))
    return [spec.name for spec in missing]


def _create(client: AdminClient, bootstrap: str, new: list[NewTopic]) -> None:
    for name, future in client.create_topics(new, operation_timeout=TIMEOUT_S).items():
        try:
            future.result(timeout=TIMEOUT_S)
        except KafkaException as error:
            if (
                error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS
            ):  # another process was faster; it is compared below
                raise TopicRefused(f"the broker does not create topic {name}: {error.args[0].str()}") from error
    # The controller has acknowledged; a broker's own view, which is compared below, follows some milliseconds later.
    deadline = time.monotonic() + TIMEOUT_S
    while not {topic.topic for topic in new} <= _existing(client, bootstrap).keys() and time.monotonic() < deadline:
        time.sleep(POLL_S)


def verify(bootstrap: str, sizing: Sizing, specs: Iterable[TopicSpec] = tuple(TOPICS.values())) -> list[str]:
    """Returns one sentence per difference between the table and the broker; empty when all agree."""
    client = _client(bootstrap)
    have = _existing(client, bootstrap)
    problems, present = [], []
    for spec in specs:
        partitions = spec.partitions or sizing.partitions
        if spec.name not in have:
            problems.append(f"topic {spec.name} is missing: run `adcat topics apply`")
        elif have[spec.name] != partitions:
            problems.append(
                f"topic {spec.name} has {have[spec.name]} partitions, the table says {partitions}: "
                "a new partition count is a new log epoch, see docs/operations.md"
            )
        else:
            present.append(spec)
    return problems + _config_problems(client, present, sizing)


def _config_problems(client: AdminClient, specs: list[TopicSpec], sizing: Sizing) -> list[str]:
    if not specs:
        return []
    resources = {ConfigResource(ResourceType.TOPIC, spec.name): spec for spec in specs}
    futures = client.describe_configs(list(resources), request_timeout=TIMEOUT_S)
    problems = []
    for resource, future in futures.items():
        spec = next(spec for known, spec in resources.items() if known.name == resource.name)
        actual = {name: entry.value for name, entry in future.result(timeout=TIMEOUT_S).items()}
        for name, value in (spec.config | {"min.insync.replicas": str(sizing.min_insync)}).items():
            if set(str(actual.get(name)).split(",")) != set(value.split(",")):
                problems.append(f"topic {spec.name}: {name} is {actual.get(name)}, the table says {value}")
    return problems
