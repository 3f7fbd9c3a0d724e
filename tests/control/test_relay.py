"""The outbox relay over real SQLite and a fake log with crash points: nothing lost, nothing invented, no proof too early (SPEC B4, I8)."""

import asyncio
import itertools

import pytest
from cryptography.exceptions import InvalidSignature
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from control import sources
from control.errors import NotHolder, Restored
from control.io import Database, migrate
from control.keys import ensure_keys, read_signer
from control.outbox import Outbox
from control.relaying import Relay
from control.request import read_request
from control.settings import ControlSettings
from control.store import Store
from topics.errors import Retry
from topics.events.policy import MerchantPolicy, PolicyProof, SourceCommanded
from topics.io import Record
from topics.keys import merchant_key, partition_of
from topics.specs import FRONTIER_EVENT, MERCHANT_POLICY, OFFER_DECISION, POLICY_PROOF, codec

PARTITIONS = 4
SHOP = {
    "start_url": "https://shop.example/",
    "markets": ["US:USD"],
    "crawl_permission": True,
    "legal_review": "reviewed by ann",
}
REQUEST = read_request(SHOP, allow_loopback=False)


class Crash(BaseException):
    """The process dies here; nothing of it runs on."""


class FakeLog:
    """Topics as lists. `fail_at` numbers sends: the send fails before (lost) or after (acknowledgement lost) the append."""

    def __init__(self):
        self.topics = {}
        self.sends = 0
        self.fail_at = {}
        self.before_send = None

    async def send(self, topic, key, event):
        self.sends += 1
        if self.before_send is not None:
            await self.before_send(topic)
        failure = self.fail_at.get(self.sends)
        if failure == "lost":
            raise Retry("not sent")
        partition = 0 if topic == POLICY_PROOF else partition_of(key, PARTITIONS)
        records = self.topics.setdefault((topic, partition), [])
        records.append((key, event))
        if failure == "unacknowledged":
            raise Retry("sent, but nobody knows")
        if failure == "crash":
            raise Crash
        return partition, len(records) - 1

    def events(self, topic):
        """Events of a topic, by partition and offset."""
        found = sorted((key for key in self.topics if key[0] == topic), key=lambda one: one[1])
        return [event for key in found for _, event in self.topics[key]]

    def reader(self):
        return FakeReader(self)


class FakeReader:
    """What one relay process sees of the log."""

    def __init__(self, log):
        self.log = log
        self.read = {}

    async def send(self, topic, key, event):
        return await self.log.send(topic, key, event)

    async def new_policies(self):
        fresh = []
        for partition in range(PARTITIONS):
            records = self.log.topics.get((MERCHANT_POLICY, partition), [])
            for offset in range(self.read.get(partition, 0), len(records)):
                key, event = records[offset]
                value = None if event is None else codec().encode(event)
                fresh.append(
                    Record(topic=MERCHANT_POLICY, partition=partition, offset=offset, key=key, value=value, append_ms=0)
                )
            self.read[partition] = len(records)
        return fresh

    async def policy_ends(self):
        return {one: len(self.log.topics.get((MERCHANT_POLICY, one), [])) for one in range(PARTITIONS)}


class World:
    """A database, a log, and relays that come and go."""

    def __init__(self, folder, clock):
        self.clock = clock
        url = f"sqlite:///{folder}/control.db"
        migrate(url)
        self.database = Database(url, clock=clock)
        self.store = Store(self.database)
        self.settings = ControlSettings(database_url=url, bootstrap="", home=folder, partitions=PARTITIONS)
        ensure_keys(folder / "keys")
        self.signer = read_signer(folder / "keys")
        self.log = FakeLog()
        self.tokens = itertools.count()

    def register(self, merchant):
        return self.store.register(merchant, REQUEST, f"token-{next(self.tokens)}")[0].source

    def relay(self, holder="one"):
        outbox = Outbox(self.database, self.settings.lease_ms)
        return Relay(outbox, self.log.reader(), self.signer, self.settings, holder)

    def committed(self):
        """Event ids of every outbox row ever written, by merchant and in order."""
        with self.database.reading() as session:
            import sqlalchemy as sa

            from control.schema import OutboxRow

            rows = session.execute(sa.select(OutboxRow.merchant, OutboxRow.event_id).order_by(OutboxRow.id)).all()
        lanes = {}
        for merchant, event_id in rows:
            lanes.setdefault(merchant, []).append(event_id)
        return lanes

    def proofs(self):
        return self.log.events(POLICY_PROOF)


@pytest.fixture
def world(tmp_path, clock):
    made = World(tmp_path, clock)
    yield made
    made.database.close()


async def test_a_policy_goes_to_its_three_topics_and_a_command_to_the_frontier_only(world):
    world.register("shop")
    assert await world.relay().step() == 2
    policy = world.log.events(MERCHANT_POLICY)
    assert [(type(one), one.status) for one in policy] == [(MerchantPolicy, "pending")]
    assert world.log.events(OFFER_DECISION) == policy
    assert [type(one) for one in world.log.events(FRONTIER_EVENT)] == [MerchantPolicy, SourceCommanded]
    assert world.log.events(FRONTIER_EVENT)[1].command == "verify"


async def test_a_relayed_row_is_not_sent_again(world):
    world.register("shop")
    relay = world.relay()
    await relay.step()
    assert await relay.step() == 0
    assert len(world.log.events(MERCHANT_POLICY)) == 1
    assert world.store.get("shop").published


async def test_a_proof_states_the_end_of_its_partition_and_verifies_with_the_public_key(world):
    world.register("shop")
    await world.relay().step()
    partition = partition_of(merchant_key("shop"), PARTITIONS)
    proofs = {one.partition: one for one in world.proofs()}
    assert sorted(proofs) == list(range(PARTITIONS))
    assert [proofs[one].complete_to for one in range(PARTITIONS)] == [
        int(one == partition) for one in range(PARTITIONS)
    ]
    proof = proofs[partition]
    assert (proof.issued_at_ms, proof.expires_at_ms) == (world.clock(), world.clock() + 30_000)
    public = world.signer.private.public_key()
    public.verify(proof.signature, proof.signed_bytes())
    with pytest.raises(InvalidSignature):
        public.verify(proof.signature, proof.signed_bytes() + b"0")


async def test_proofs_are_renewed_by_the_database_clock_and_a_dead_relay_issues_none(world):
    relay = world.relay()
    await relay.step()
    await relay.step()
    assert len(world.proofs()) == PARTITIONS
    world.clock.now_ms += 5_000
    await relay.step()
    assert len(world.proofs()) == 2 * PARTITIONS
    world.clock.now_ms += 60_000  # nobody steps
    assert all(proof.expires_at_ms < world.clock() for proof in world.proofs())


async def test_a_partition_with_an_unrelayed_row_gets_no_proof_while_others_do(world):
    relay = world.relay()
    await relay.step()
    world.clock.now_ms += 5_000
    before = len(world.proofs())

    async def commit_during_relaying(topic):
        if topic == POLICY_PROOF:
            return
        world.log.before_send = None
        await asyncio.to_thread(world.register, "late")

    world.register("shop")
    world.log.before_send = commit_during_relaying
    await relay.step()
    late = partition_of(merchant_key("late"), PARTITIONS)
    assert late not in {proof.partition for proof in world.proofs()[before:]}
    assert len(world.proofs()[before:]) == PARTITIONS - 1


async def test_only_the_lease_holder_relays_and_the_next_takes_over_when_it_falls_silent(world):
    world.register("shop")
    first, second = world.relay("one"), world.relay("two")
    await first.step()
    with pytest.raises(NotHolder):
        await second.step()
    world.clock.now_ms += 15_000
    world.register("hats")
    assert await second.step() == 2
    with pytest.raises(NotHolder):
        await first.step()
    await second.stop()
    assert await first.step() == 0


async def test_a_relay_that_lost_the_lease_while_sending_neither_marks_nor_proves(world):
    """Else the new holder would prove a partition complete below the offset of the old one's record."""
    first, second = world.relay("one"), world.relay("two")
    await first.step()
    world.register("shop")
    before = len(world.proofs())

    async def freeze(_topic):
        world.log.before_send = None
        world.clock.now_ms += 15_000
        await second.step()

    world.log.before_send = freeze
    with pytest.raises(NotHolder):
        await first.step()
    assert {proof.issued_at_ms for proof in world.proofs()[before:]} == {world.clock()}
    sent = world.log.events(MERCHANT_POLICY)
    assert len({one.event_id for one in sent}) == 1  # twice in the log, one event
    assert len(sent) == 2


async def test_an_old_holder_cannot_mark_a_record_that_the_new_holders_end_offsets_miss(world):
    """The narrow case: the new holder reads end offsets, then the old one's record is acknowledged."""
    first = world.relay("one")
    await first.step()
    world.register("shop")
    before = len(world.proofs())
    ends_read, old_is_done = asyncio.Event(), asyncio.Event()

    class Slow(FakeReader):
        async def policy_ends(self):
            ends = await super().policy_ends()
            ends_read.set()
            await old_is_done.wait()
            return ends

    second = Relay(Outbox(world.database, 15_000), Slow(world.log), world.signer, world.settings, "two")
    started = []

    async def take_over(_topic):
        world.log.before_send = None
        world.clock.now_ms += 15_000
        started.append(asyncio.create_task(second.step()))
        await ends_read.wait()

    world.log.before_send = take_over
    with pytest.raises(NotHolder):
        await first.step()
    old_is_done.set()
    await started[0]
    partition = partition_of(merchant_key("shop"), PARTITIONS)
    records = world.log.topics[MERCHANT_POLICY, partition]
    assert [proof.complete_to for proof in world.proofs()[before:] if proof.partition == partition] == [len(records)]


class HookedOutbox(Outbox):
    """Lets something happen around the two reads that a proof rests on."""

    before_backlog = after_backlog = None

    def backlog(self, lease):
        if self.before_backlog is not None:
            self.before_backlog()
        found = super().backlog(lease)
        if self.after_backlog is not None:
            self.after_backlog()
        return found


async def test_a_change_committed_after_the_backlog_was_read_is_later_than_the_proof(world):
    """So a proof never claims an instant at which a committed change was missing."""
    outbox = HookedOutbox(world.database, 15_000)
    committed_at_ms = []

    def commit():
        world.clock.now_ms += 1
        world.register("late")
        committed_at_ms.append(world.clock())

    outbox.after_backlog = commit
    await Relay(outbox, world.log.reader(), world.signer, world.settings, "one").step()
    assert {proof.issued_at_ms for proof in world.proofs()} == {committed_at_ms[0] - 1}


async def test_a_holder_that_was_replaced_before_it_read_the_backlog_proves_nothing(world):
    """The backlog looks empty to it because the new holder relayed rows to offsets that it never saw."""
    outbox = HookedOutbox(world.database, 15_000)
    second, loop = world.relay("two"), asyncio.get_running_loop()

    def replace():
        outbox.before_backlog = None
        world.register("shop")
        world.clock.now_ms += 15_000
        asyncio.run_coroutine_threadsafe(second.step(), loop).result(timeout=30)

    outbox.before_backlog = replace
    with pytest.raises(NotHolder):
        await Relay(outbox, world.log.reader(), world.signer, world.settings, "one").step()
    assert {proof.issued_at_ms for proof in world.proofs()} == {world.clock()}


async def test_a_send_that_fails_is_reported_so_that_the_process_waits(world):
    world.register("shop")
    world.log.fail_at = {1: "lost"}
    with pytest.raises(Retry, match="not sent"):
        await world.relay().step()
    assert world.proofs() == []


async def test_an_old_holders_late_record_with_a_lower_revision_is_followed_by_the_current_one(world):
    source = world.register("shop")
    relay = world.relay()
    await relay.step()
    world.store.change("shop", sources.disable)
    await relay.step()
    old = sources.snapshot(source, world.clock())
    await world.log.send(MERCHANT_POLICY, b"shop", old)
    world.clock.now_ms += 60_000
    await relay.step()
    sent = world.log.events(MERCHANT_POLICY)
    assert [one.policy_rev for one in sent] == [1, 2, 1, 2]
    assert sent[3] == sent[1]


async def test_a_wiped_topic_is_filled_again_with_equal_events(world):
    for merchant in ("a", "b", "c"):
        world.register(merchant)
    await world.relay().step()
    before = world.log.events(MERCHANT_POLICY)
    world.log.topics.clear()
    assert await world.relay().step() == 3
    assert world.log.events(MERCHANT_POLICY) == before
    assert len(world.proofs()) == PARTITIONS


async def test_a_topic_ahead_of_the_database_stops_relaying_and_proving_until_epochs_are_raised(world):
    source = world.register("shop")
    await world.relay().step()
    revoked = sources.disable(sources.disable(source, 0).source, 0).source
    later = sources.snapshot(sources.enable(revoked, 0).source, 0)
    await world.log.send(MERCHANT_POLICY, b"shop", later)
    lost = sources.register("lost", REQUEST, "t", 0).events[0]
    await world.log.send(MERCHANT_POLICY, b"lost", lost)
    world.register("hats")
    sends = world.log.sends
    with pytest.raises(Restored, match="2 merchants"):
        await world.relay("one").step()
    world.clock.now_ms += 15_000
    with pytest.raises(Restored, match="lost, shop"):
        await world.relay("one").step()
    assert world.log.sends == sends

    assert world.store.recover([later, lost], lambda: "fresh") == ["shop", "lost"]
    assert world.store.recover([later, lost], lambda: "fresh") == []
    world.clock.now_ms += 15_000
    await world.relay("one").step()
    last = {one.merchant: one for one in world.log.events(MERCHANT_POLICY)}
    assert last["shop"].policy_rev > later.policy_rev
    assert last["shop"].disable_epoch > later.source_epoch
    assert (last["lost"].status, last["lost"].live) == ("disabled", False)


async def test_old_rows_are_pruned_but_never_the_current_policy(world):
    world.register("shop")
    relay = world.relay()
    await relay.step()
    world.clock.now_ms += 8 * 86_400_000
    await relay.step()
    assert [len(lane) for lane in world.committed().values()] == [1]
    world.log.topics.clear()
    assert await world.relay().step() == 1


OPERATIONS = ("register", "disable", "enable", "verify", "refresh", "reconfigure")


def _operate(world, operation, merchant, turn):
    if operation == "register":
        world.register(merchant)
    elif operation == "reconfigure":
        changed = read_request(SHOP | {"depth_max": turn % 60}, allow_loopback=False)
        world.store.reconfigure(merchant, lambda _: changed, "t")
    else:
        world.store.change(merchant, getattr(sources, operation))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    actions=st.lists(st.tuples(st.sampled_from(OPERATIONS), st.sampled_from(["a", "b", "c"])), min_size=1, max_size=12),
    failures=st.dictionaries(st.integers(1, 40), st.sampled_from(["lost", "unacknowledged", "crash"]), max_size=8),
)
async def test_no_event_is_lost_or_invented_by_a_crash_at_any_point(tmp_path_factory, clock, actions, failures):
    world = World(tmp_path_factory.mktemp("world"), clock)
    world.log.fail_at = failures
    relay, names = None, itertools.count()
    for turn, (operation, merchant) in enumerate(actions):
        try:
            _operate(world, operation, merchant, turn)
        except ValueError:  # Invalid: unknown merchant, conflict, a repeated registration
            continue
        relay = await _step(world, relay, names)
    world.log.fail_at = {}
    for _ in range(3):
        relay = await _step(world, relay, names)
    _check_log(world)
    world.database.close()


async def _step(world, relay, names):
    """One step; a relay that crashed or failed is replaced by a new process after its lease lapsed."""
    relay = relay or world.relay(f"relay-{next(names)}")
    try:
        await relay.step()
    except (Crash, Retry):
        world.clock.now_ms += 15_000
        return None
    world.clock.now_ms += 1_000
    return relay


def _check_log(world):
    committed = world.committed()
    firsts = {}
    for event in world.log.events(FRONTIER_EVENT):
        lane = firsts.setdefault(event.merchant, [])
        if event.event_id not in lane:
            lane.append(event.event_id)
    assert firsts == committed  # every committed event, in order, and nothing else
    for topic in (MERCHANT_POLICY, OFFER_DECISION):
        ids = {one.event_id for one in world.log.events(topic)}
        assert ids <= {one for lane in committed.values() for one in lane}
    for merchant in committed:
        last = [one for one in world.log.events(MERCHANT_POLICY) if one.merchant == merchant][-1]
        assert last.policy_rev == world.store.get(merchant).source.policy_rev
    for proof in world.proofs():
        assert isinstance(proof, PolicyProof)
        assert proof.complete_to <= len(world.log.topics.get((MERCHANT_POLICY, proof.partition), []))
