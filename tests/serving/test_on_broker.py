"""A replica on a real broker: caught up, acknowledged, revoked, killed, restarted from local state, rebuilt when its topic is new."""

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import grpc
import pytest
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from adcat.broker import BrokerSettings, free_port, start, stop
from control.keys import Signer, ensure_keys, read_signer
from serving_grpc.catalog_pb2 import PURCHASE_AD, TEXT, BatchGetRequest, Result
from serving_grpc.catalog_pb2_grpc import CatalogStub
from serving_grpc.server import Serving
from serving_grpc.settings import ServeSettings
from tests.serving.world import entry, policy
from topics.access import issue
from topics.admin import Sizing, apply
from topics.clock import wall_ms
from topics.errors import Undecodable
from topics.events.base import Event
from topics.events.policy import PolicyProof, RevocationAcked
from topics.keys import partition_of
from topics.specs import MERCHANT_POLICY, OFFER_CATALOG, POLICY_PROOF, REVOCATION_ACK, codec

pytestmark = pytest.mark.broker
PARTITIONS = 4
OFFERS = 3_000
MERCHANT = "replica-shoes"
HOUR = 3_600_000


class Region:
    """Writes as publish and the relay do, and runs one replica."""

    def __init__(self, kafka: BrokerSettings, home: Path) -> None:
        apply(kafka.address, Sizing(partitions=PARTITIONS))
        ensure_keys(home / "keys")
        self.settings = ServeSettings(
            bootstrap=kafka.address,
            home=home,
            keys=home / "keys",
            replica=home.name.replace("_", "-"),
            port=0,
            metrics_port=-1,
            partitions=PARTITIONS,
        )
        self.signer: Signer = read_signer(home / "keys")
        self.producer = Producer({"bootstrap.servers": kafka.address})
        secret = (home / "keys" / "access.secret").read_bytes().strip()
        grants = {"merchants": ["*"], "markets": ["*"], "roles": ["service"], "lifetime_ms": HOUR, "now_ms": wall_ms()}
        self.token = issue(secret=secret, audience="serving", subject="ranker", **grants)

    def write(self, topic: str, key: bytes, event: Event, partition: int | None = None) -> None:
        partition = partition_of(key, PARTITIONS) if partition is None else partition
        self.producer.produce(topic, codec().encode(event), key=key, partition=partition)
        self.producer.poll(0)

    def publish(self, first: int, last: int, revision: int = 1) -> None:
        until = {"evidence_at_ms": wall_ms(), "eligible_until_ms": wall_ms() + HOUR}
        for number in range(first, last):
            one = entry(MERCHANT, number, revision=revision, price_minor=number + revision, **until)
            self.write(OFFER_CATALOG, one.offer_key.key, one)
        self.producer.flush()

    def decide(self, policy_rev: int, **changes) -> None:
        self.write(MERCHANT_POLICY, MERCHANT.encode(), policy(MERCHANT, policy_rev=policy_rev, **changes))
        self.producer.flush()
        self.prove()

    def prove(self) -> None:
        for number in range(PARTITIONS):
            unsigned = PolicyProof(
                event_id="0" * 32,
                occurred_at_ms=wall_ms(),
                policy_log=MERCHANT_POLICY,
                partition=number,
                complete_to=self.end(MERCHANT_POLICY, number),
                issued_at_ms=wall_ms(),
                expires_at_ms=wall_ms() + 30_000,
                key_id=self.signer.key_id,
                signature=b"",
            )
            proof = replace(unsigned, signature=self.signer.sign(unsigned.signed_bytes()))
            self.write(POLICY_PROOF, str(number).encode(), proof, partition=0)
        self.producer.flush()

    def end(self, topic: str, partition: int) -> int:
        consumer = Consumer({"bootstrap.servers": self.settings.bootstrap, "group.id": "tests"})
        until = time.monotonic() + 20
        try:
            while True:  # a topic just created has no leader yet
                try:
                    return consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=10)[1]
                except KafkaException:
                    if time.monotonic() > until:
                        raise
        finally:
            consumer.close()

    def acknowledged(self) -> list[RevocationAcked]:
        consumer = Consumer({"bootstrap.servers": self.settings.bootstrap, "group.id": "tests"})
        high = self.end(REVOCATION_ACK, 0)
        consumer.assign([TopicPartition(REVOCATION_ACK, 0, 0)])
        found = [codec().decode(one.value()) for one in consumer.consume(high, timeout=10)] if high else []
        consumer.close()
        return [one for one in found if one.replica == self.settings.replica]

    def statuses(self, serving: Serving, *numbers: int) -> list[str]:
        keys = [f"{MERCHANT}|pid:{number}|m" for number in numbers]
        asked = BatchGetRequest(keys=keys, market="US:USD", ad_format=TEXT, purpose=PURCHASE_AD)
        with grpc.insecure_channel(f"127.0.0.1:{serving.port}") as channel:
            answer = CatalogStub(channel).BatchGet(asked, metadata=[("authorization", f"Bearer {self.token}")])
        return [Result.Status.Name(one.status) for one in answer.results]

    def await_statuses(self, serving: Serving, numbers: tuple[int, ...], expected: list[str]) -> None:
        until = time.monotonic() + 20
        while (found := self.statuses(serving, *numbers)) != expected:
            assert time.monotonic() < until, f"{found} instead of {expected}"
            serving.wait(0.05)


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerSettings]:
    """A broker of our own: these tests delete topics."""
    cache = Path(os.environ.get("ADCAT_CACHE", Path(__file__).parents[2] / ".cache"))
    settings = BrokerSettings(home=tmp_path_factory.mktemp("kafka"), cache=cache, port=free_port())
    try:
        start(settings)
        yield settings
    finally:
        stop(settings)


@pytest.fixture
def region(kafka: BrokerSettings, tmp_path: Path) -> Iterator[Region]:
    region = Region(kafka, tmp_path)
    yield region
    region.producer.flush(5)


def test_a_replica_catches_up_acknowledges_restarts_from_local_state_and_rebuilds(region: Region) -> None:
    region.publish(0, OFFERS)
    region.decide(1)
    serving = Serving(region.settings)
    serving.start()
    assert region.statuses(serving, 1) == ["UNAVAILABLE"], "before it is caught up"
    assert serving.ready.wait(60)
    region.await_statuses(serving, (0, OFFERS - 1, OFFERS), ["OK", "OK", "MISSING"])

    region.decide(2, status="disabled")
    region.await_statuses(serving, (0, OFFERS), ["DISABLED", "DISABLED"])
    partition = partition_of(MERCHANT.encode(), PARTITIONS)
    until = time.monotonic() + 10
    while not any(one.offsets[partition] == region.end(MERCHANT_POLICY, partition) for one in region.acknowledged()):
        assert time.monotonic() < until, "the revocation is acknowledged"
    region.decide(3)
    region.await_statuses(serving, (0,), ["OK"])
    serving.close()

    region.publish(OFFERS, OFFERS + 10)
    started = time.monotonic()
    serving = Serving(region.settings)
    assert len(serving.follower.replica.rows) >= OFFERS, "from local state, before any record is read"
    serving.start()
    assert serving.ready.wait(10), "ready within 10 s"
    assert time.monotonic() - started < 10
    region.prove()
    region.await_statuses(serving, (0, OFFERS + 9), ["OK", "OK"])
    serving.close()

    admin = AdminClient({"bootstrap.servers": region.settings.bootstrap})
    admin.delete_topics([OFFER_CATALOG], operation_timeout=10)[OFFER_CATALOG].result()
    until = time.monotonic() + 20
    while OFFER_CATALOG in admin.list_topics(timeout=10).topics:
        assert time.monotonic() < until
    apply(region.settings.bootstrap, Sizing(partitions=PARTITIONS))
    region.publish(5, 6, revision=2)
    serving = Serving(region.settings)
    serving.start()
    assert serving.ready.wait(20)
    region.prove()
    region.await_statuses(serving, (5, 6), ["OK", "MISSING"])
    serving.close()


def test_without_a_broker_a_replica_answers_unavailable_and_is_not_ready(region: Region) -> None:
    serving = Serving(replace(region.settings, bootstrap="127.0.0.1:1", replica="alone"))
    serving.start()
    assert region.statuses(serving, 1) == ["UNAVAILABLE"]
    assert not serving.ready.wait(2)
    assert serving.failure is None
    serving.close()


def test_an_unreadable_record_stops_the_process_and_is_not_skipped(region: Region) -> None:
    region.producer.produce(OFFER_CATALOG, b"not avro", key=b"x|pid:1|m|US:USD", partition=0)
    region.producer.flush()
    for _ in range(2):  # the offset did not advance: a restart finds it again
        serving = Serving(region.settings)
        serving.start()
        with pytest.raises(Undecodable):
            serving.wait(20)
        assert not serving.ready.is_set()
        serving.close()
