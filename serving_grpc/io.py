"""The replica's reader and its acknowledgements (adapter of confluent-kafka; plain consumer, manual assignment, no group)."""

import hashlib
import logging
from pathlib import Path
from typing import Any, Final, NamedTuple

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicCollection, TopicPartition
from confluent_kafka.admin import AdminClient
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key

from serving_grpc.changes import LogRecord, Place
from serving_grpc.proofs import LIFETIME_MS_MAX, Verify
from topics.errors import Invalid, Retry
from topics.events.policy import RevocationAcked
from topics.specs import MERCHANT_POLICY, OFFER_CATALOG, POLICY_PROOF, REVOCATION_ACK, codec

LOG = logging.getLogger(__name__)
TIMEOUT_S: Final = 10.0
RECORDS_MAX: Final = 2_000
SILENCE_S_MAX: Final = 5.0
FOLLOWED: Final = (OFFER_CATALOG, MERCHANT_POLICY)
KEY_ID_CHARS: Final = 16


class Unreachable(Retry):
    """No broker answers at the address tried, or a topic is missing."""


class OutOfRange(Retry):
    """The log no longer holds the offset we want: rebuild from its start."""


class Polled(NamedTuple):
    """Records in log order per place, and the places whose end was reached with its offset."""

    records: list[LogRecord]
    ends: dict[Place, int]


class CatalogLog:
    """Reads offer-catalog, merchant-policy and policy-proof.

    Args:
        bootstrap: `host:port`.
    """

    def __init__(self, bootstrap: str) -> None:
        self._bootstrap = bootstrap
        self._base = _client(bootstrap)
        self._consumer = Consumer(
            self._base
            | {
                "group.id": "adcat-replica-unused",  # librdkafka wants a name; we assign by hand and commit nothing
                "enable.auto.commit": False,
                "enable.auto.offset.store": False,
                "enable.partition.eof": True,
                "auto.offset.reset": "error",
                "isolation.level": "read_committed",
                "fetch.wait.max.ms": 100,
            }
        )
        self._places: list[Place] = []
        self._silent_s = 0.0

    def close(self) -> None:
        self._consumer.close()

    def describe(self) -> dict[str, tuple[str, int]]:
        """Returns topic → (topic id, partitions); raises Unreachable."""
        names = [*FOLLOWED, POLICY_PROOF]
        client = AdminClient(self._base)  # must outlive its futures
        try:
            futures = client.describe_topics(TopicCollection(names), request_timeout=TIMEOUT_S)
            found = {name: future.result(timeout=TIMEOUT_S) for name, future in futures.items()}
        except (KafkaException, TimeoutError) as error:
            raise Unreachable(f"no answer about {', '.join(names)} from {self._bootstrap}: {_text(error)}") from error
        return {name: (str(one.topic_id), len(one.partitions)) for name, one in found.items()}

    def ranges(self, partitions: int) -> tuple[dict[Place, int], dict[Place, int]]:
        """Returns log start and end (high watermark) per followed place, now; raises Unreachable."""
        starts, ends = {}, {}
        try:
            for topic in FOLLOWED:
                for number in range(partitions):
                    place = TopicPartition(topic, number)
                    low, high = self._consumer.get_watermark_offsets(place, timeout=TIMEOUT_S)
                    starts[topic, number], ends[topic, number] = low, high
        except KafkaException as error:
            raise Unreachable(f"no end offsets from {self._bootstrap}: {_text(error)}") from error
        return starts, ends

    def follow(self, offsets: dict[Place, int], now_ms: int) -> None:
        """Assigns every followed partition at `offsets`, and the proofs that may still be alive; raises Unreachable."""
        since = TopicPartition(POLICY_PROOF, 0, now_ms - LIFETIME_MS_MAX)
        try:
            [proofs] = self._consumer.offsets_for_times([since], timeout=TIMEOUT_S)
        except KafkaException as error:
            raise Unreachable(f"no offsets from {self._bootstrap}: {_text(error)}") from error
        places = [TopicPartition(topic, number, offset) for (topic, number), offset in offsets.items()]
        self._places = list(offsets)
        self._consumer.assign([*places, TopicPartition(POLICY_PROOF, 0, proofs.offset)])

    def poll(self, timeout_s: float = 0.1) -> Polled:
        """Returns what came within the timeout; raises OutOfRange or, for anything fatal, Unreachable."""
        records: list[LogRecord] = []
        ends: dict[Place, int] = {}
        messages = self._consumer.consume(num_messages=RECORDS_MAX, timeout=timeout_s)
        self._probe_when_silent(heard=bool(messages), timeout_s=timeout_s)
        for message in messages:
            error = message.error()
            if error is None:
                records.append(_record(message))
            elif error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001 (its public name)
                if message.topic() in FOLLOWED:
                    ends[message.topic(), message.partition()] = message.offset()
            elif error.code() == KafkaError._AUTO_OFFSET_RESET and message.topic() in FOLLOWED:  # noqa: SLF001
                raise OutOfRange(f"{message.topic()}/{message.partition()}: {error.str()}")
            else:
                raise Unreachable(f"{message.topic()}: {error.str()}")
        return Polled(records, ends)

    def _probe_when_silent(self, *, heard: bool, timeout_s: float) -> None:
        """Proofs come every few seconds; when nothing at all comes, asks the broker whether it is still there."""
        self._silent_s = 0.0 if heard else self._silent_s + timeout_s
        if self._silent_s < SILENCE_S_MAX or not self._places:
            return
        self._silent_s = 0.0
        try:
            self._consumer.get_watermark_offsets(TopicPartition(*self._places[0]), timeout=SILENCE_S_MAX)
        except KafkaException as error:
            raise Unreachable(f"{self._bootstrap} fell silent: {_text(error)}") from error

    def ends_heard(self) -> dict[Place, int]:
        """Returns the logs' ends as of the last fetches, without asking."""
        heard = {}
        for topic, number in self._places:
            _, high = self._consumer.get_watermark_offsets(TopicPartition(topic, number), cached=True)
            if high >= 0:
                heard[topic, number] = high
        return heard


class Acknowledger:
    """Sends RevocationAcked; a lost one is sent again with the next offset or refresh.

    Args:
        replica: name of this replica, the record's key.
    """

    def __init__(self, bootstrap: str, replica: str) -> None:
        self._key = replica.encode()
        self._producer = Producer(
            _client(bootstrap)
            | {"acks": "all", "linger.ms": 0, "message.timeout.ms": 10_000, "queue.buffering.max.messages": 100}
        )

    def send(self, event: RevocationAcked) -> None:
        self._producer.poll(0)
        try:
            self._producer.produce(REVOCATION_ACK, codec().encode(event), key=self._key, partition=0)
        except BufferError:
            LOG.warning("acknowledgement dropped: the broker takes none; the next one covers it")

    def close(self) -> None:
        self._producer.flush(2.0)


def proof_verifier(pem: Path) -> Verify:
    """Returns the judge of proof signatures by the public key in `pem`; raises Invalid when there is none.

    The key id is the first 16 hex digits of SHA-256 of the raw public key.
    """
    try:
        key = load_pem_public_key(pem.read_bytes())
    except (OSError, ValueError) as error:
        raise Invalid("keys", pem, f"no public key could be read ({error}); control creates it at start") from error
    if not isinstance(key, Ed25519PublicKey):
        raise Invalid("keys", pem, "it must be an Ed25519 public key")
    expected = key_id(key)

    def verify(named: str, signature: bytes, signed: bytes) -> bool:
        if named != expected:
            return False
        try:
            key.verify(signature, signed)
        except InvalidSignature:
            return False
        return True

    return verify


def read_secret(path: Path) -> bytes:
    """Returns the secret that verifies bearer tokens; raises Invalid when the file is missing."""
    try:
        return path.read_bytes().strip()
    except OSError as error:
        raise Invalid("keys", path, f"no token secret could be read ({error.strerror}); control creates it") from error


def key_id(public: Ed25519PublicKey) -> str:
    """Returns the name under which a proof refers to a public key."""
    return hashlib.sha256(public.public_bytes(Encoding.Raw, PublicFormat.Raw)).hexdigest()[:KEY_ID_CHARS]


def _client(bootstrap: str) -> dict[str, Any]:
    return {
        "bootstrap.servers": bootstrap,
        "logger": LOG,
        "error_cb": _logged,
        "socket.timeout.ms": 10_000,
        "reconnect.backoff.ms": 500,
        "reconnect.backoff.max.ms": 10_000,
    }


def _record(message: Message) -> LogRecord:
    _, append_ms = message.timestamp()
    topic, partition, offset = message.topic(), message.partition(), message.offset()
    assert topic is not None and partition is not None and offset is not None, "a record without an error has a place"  # noqa: PT018
    key = message.key() or b""
    return LogRecord(
        topic, partition, offset, key if isinstance(key, bytes) else key.encode(), message.value(), append_ms
    )


def _logged(error: Any) -> None:
    LOG.warning("kafka: %s", error.str())


def _text(error: BaseException) -> str:
    first = error.args[0] if error.args else error
    return first.str() if isinstance(first, KafkaError) else str(first) or type(error).__name__
