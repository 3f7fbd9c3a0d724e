"""What cannot be handled ends in the DLQ or in a stop with the event not lost; never in a silent skip (issue 3)."""

import time

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from streams.rows import encode_row
from tests.broker.counting import PARTITIONS, Count, Counted
from tests.broker.world import WIRE, World
from topics.keys import partition_of

pytestmark = pytest.mark.broker

A = partition_of(b"a", PARTITIONS)


def counted(number: int, does: str = "count") -> Counted:
    return Counted(name="a", number=number, does=does)


def ends_with(world: World, code: int, **options: object) -> str:
    """Runs a worker until it stops by itself; returns its log."""
    worker = world.start(**options)
    assert worker.wait(40) == code, world.log().read_text()[-3000:]
    world.workers.remove(worker)
    return world.log().read_text()


def test_a_raising_handler_stops_the_worker_and_the_event_stays(world: World) -> None:
    world.send([counted(1), counted(2, "raise"), counted(3)])
    log = ends_with(world, 70)
    assert f"cannot handle {world.inbox}/{A}/1" in log
    assert world.committed() <= 1
    ends_with(world, 70)
    assert world.counts() == {b"a": (1, 1)}
    assert world.letters() == []


@pytest.mark.parametrize("does", ["nowhere", "huge"])
def test_a_failed_send_stops_the_worker_and_the_event_stays(world: World, does: str) -> None:
    world.send([counted(1), counted(2, does), counted(3)])
    assert "send failed" in ends_with(world, 74)
    assert world.committed() <= 1
    assert world.counts() == {b"a": (1, 1)}


def test_what_does_not_decode_goes_to_the_dlq_as_it_came(world: World) -> None:
    world.send([counted(1)])
    world.send_raw(b"\x00 garbage")
    world.send([counted(3), counted(4, "quarantine"), counted(5, "reject")])
    world.send_raw(WIRE.encode(counted(6)), partition=(A + 1) % PARTITIONS)
    worker = world.start()
    world.until_done(worker)
    assert world.counts() == {b"a": (2, 4)}
    garbage, contradiction, misplaced = sorted(
        world.letters(), key=lambda letter: (letter.partition != A, letter.offset)
    )
    assert (garbage.value, garbage.key, garbage.topic, garbage.offset) == (b"\x00 garbage", b"a", world.inbox, 1)
    assert garbage.reason.startswith("Undecodable")
    assert contradiction.reason == "Quarantine: as ordered"
    assert "belongs to partition" in misplaced.reason
    assert world.status(worker)["counts"] == {"handled": 2, "dead_lettered": 3, "rejected": 1}


def test_an_event_whose_outputs_cannot_be_said_goes_to_the_dlq_and_changes_no_row(world: World) -> None:
    world.send([counted(1), counted(2, "unsayable"), counted(3)])
    world.until_done(world.start())
    assert world.counts() == {b"a": (2, 4)}
    (letter,) = world.letters()
    assert (letter.offset, letter.value) == (1, WIRE.encode(counted(2, "unsayable")))
    assert letter.reason == "Unencodable: half a character"


def test_a_later_schema_stops_the_worker(world: World) -> None:
    world.send([counted(1)])
    world.send_raw(b"Tomorrow {}")
    assert "UnknownSchema" in ends_with(world, 70)
    assert world.committed() <= 1


def test_a_retry_is_tried_again_in_place(world: World) -> None:
    world.send([counted(1, "retry"), counted(2)])
    worker = world.start()
    world.until_done(worker)
    assert world.counts() == {b"a": (2, 3)}
    assert world.status(worker)["counts"]["retried"] == 2


def test_a_hole_in_the_inbox_stops_the_worker(world: World) -> None:
    world.send([counted(1)])
    # The commit marker of a transaction takes an offset that no record has.
    producer = Producer(world.quiet | {"transactional.id": world.name})
    producer.init_transactions(20)
    producer.begin_transaction()
    producer.produce(world.inbox, WIRE.encode(counted(2)), b"a", partition=A)
    producer.commit_transaction(20)
    world.until(lambda: world.end(A) == 3, "the marker is written")
    world.send([counted(3)])
    assert "LogHole" in ends_with(world, 70)
    assert world.committed() <= 2
    assert world.counts() == {b"a": (2, 3)}


def test_a_committed_offset_outside_of_the_log_is_never_reset(world: World) -> None:
    world.send([counted(1)])
    consumer = Consumer(world.quiet | {"group.id": world.name})
    consumer.commit(offsets=[TopicPartition(world.inbox, A, 50)], asynchronous=False)
    consumer.close()
    assert f"committed offset 50 of {world.inbox}/{A} is outside of the log 0..1" in ends_with(world, 78)


def test_rows_ahead_of_the_log_stop_the_worker(world: World) -> None:
    late = Count(applied=50, count=1, total=1)
    world.send([counted(1)])
    world.send_raw(encode_row(late), topic=f"{world.name}-counts-changelog")
    assert f"rows of counts/{A} have taken offset 50, but the log" in ends_with(world, 78)


def test_an_unreachable_broker_is_named_with_its_address(world: World) -> None:
    log = ends_with(world, 69, bootstrap="127.0.0.1:9", boot_s=0.5)
    assert "no Kafka broker answers at 127.0.0.1:9" in log


def test_owner_and_ticks_stand_in_the_inbox_and_do_not_pile_up(world: World) -> None:
    worker = world.start(ticks=True)
    world.until(lambda: world.status(worker).get("counts", {}).get("handled", 0) >= 4 * PARTITIONS, "ticks are handled")
    worker.terminate()
    assert worker.wait(20) == 0
    events = [(record.partition(), WIRE.decode(record.value())) for record in world.read(world.inbox)]
    for partition in range(PARTITIONS):
        names = [type(event).__name__ for at, event in events if at == partition]
        assert names[0] == "OwnerStarted"
        assert set(names[1:]) == {"Tick"}
    assert len({event.incarnation for _, event in events}) == 1
    again = world.start(ticks=True)
    world.until_ready(again)
    time.sleep(0.5)
    later = [WIRE.decode(record.value()) for record in world.read(world.inbox)]
    assert len({event.incarnation for event in later}) == 2


def test_a_late_write_of_a_former_owner_does_not_survive_recovery(world: World) -> None:
    world.send([counted(1), counted(2), counted(3)])
    worker = world.start()
    world.until_done(worker)
    worker.kill()
    worker.wait()
    changelog = f"{world.name}-counts-changelog"
    first, *_, last = [record for record in world.read(changelog) if record.key() == b"a"]
    assert first.value() != last.value()
    world.send_raw(first.value(), b"a", topic=changelog)
    world.send([counted(4)])
    worker = world.start("w2")
    world.until_done(worker, "w2")
    assert world.counts() == {b"a": (4, 10)}


def test_a_deleted_row_is_gone_after_recovery(world: World) -> None:
    world.send([counted(1), counted(2, "delete"), counted(7)])
    worker = world.start()
    world.until_done(worker)
    worker.kill()
    worker.wait()
    world.send([counted(8)])
    worker = world.start("w2")
    world.until_done(worker, "w2")
    assert world.counts() == {b"a": (2, 15)}
