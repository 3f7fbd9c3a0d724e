"""Before a worker starts: Kafka answers, and the committed offsets lie inside the log (faust-kafka.md R14, DESIGN §5)."""

import logging
import time
from collections.abc import Iterable

from confluent_kafka import OFFSET_INVALID, Consumer, KafkaException, TopicPartition

from streams.shell.failstop import stop
from streams.shell.settings import EXIT_RANGE, EXIT_UNREACHABLE, ShellSettings

log = logging.getLogger("adcat.shell")

ANSWER_S = 5.0
PAUSE_S_MIN = 0.2
PAUSE_S_MAX = 5.0


def check(group: str, inboxes: Iterable[str], settings: ShellSettings) -> None:
    """Ends the process when Kafka stays unreachable, an inbox is missing, or a committed offset is outside of its log.

    Args:
        group: consumer group of the stage.
        inboxes: its inboxes.
        settings: address, and how long to wait for it.
    """
    deadline = time.monotonic() + settings.boot_s
    pause_s = PAUSE_S_MIN
    wanted = tuple(inboxes)
    while True:
        try:
            problem = _problem(group, wanted, settings)
            break
        except KafkaException as error:
            if time.monotonic() > deadline:
                stop(EXIT_UNREACHABLE, f"no Kafka broker answers at {settings.bootstrap}: {error}")
            log.warning("no Kafka broker answers at %s; next try in %.1f s (%s)", settings.bootstrap, pause_s, error)
            time.sleep(pause_s)
            pause_s = min(pause_s * 2, PAUSE_S_MAX)
    if problem is not None:
        stop(EXIT_RANGE, problem)


def _problem(group: str, inboxes: tuple[str, ...], settings: ShellSettings) -> str | None:
    consumer = Consumer(
        {"bootstrap.servers": settings.bootstrap, "group.id": group, "enable.auto.commit": False, "log_level": 0}
    )
    try:
        known = consumer.list_topics(timeout=ANSWER_S).topics
        missing = [inbox for inbox in inboxes if inbox not in known]
        if missing:
            return f"topics {', '.join(missing)} do not exist: run `adcat topics apply`"
        places = [TopicPartition(inbox, partition) for inbox in inboxes for partition in known[inbox].partitions]
        committed = consumer.committed(places, timeout=ANSWER_S)
        problems = [_outside(consumer, place) for place in committed if place.offset != OFFSET_INVALID]
        return next((problem for problem in problems if problem is not None), None)
    finally:
        consumer.close()


def _outside(consumer: Consumer, place: TopicPartition) -> str | None:
    low, high = consumer.get_watermark_offsets(TopicPartition(place.topic, place.partition), timeout=ANSWER_S)
    if low <= place.offset <= high:
        return None
    return (
        f"committed offset {place.offset} of {place.topic}/{place.partition} is outside of the log {low}..{high}: the log "
        "was re-created, truncated or expired; see `adcat topics new-epoch` and `adcat reset`"
    )
