"""Composition roots of the two control processes: the API with its proof consumer, and the relay."""

import asyncio
import logging
import os
import secrets
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Final

from aiohttp import web
from aiokafka.errors import KafkaError

from control.api import Api, Health, application
from control.errors import NotHolder
from control.io import Database
from control.keys import read_secret, read_signer
from control.outbox import Outbox
from control.relaying import Relay
from control.settings import ControlSettings
from control.store import Store
from topics.clock import wall_ms
from topics.errors import Retry
from topics.events.base import Event
from topics.events.crawl import ProofObserved
from topics.events.policy import MerchantPolicy
from topics.io import BACKOFF_S_MAX, LogProducer, LogReader, LogUnreachable, Record, opened
from topics.specs import MERCHANT_POLICY, SOURCE_PROOF, codec

LOG = logging.getLogger(__name__)
BACKOFF_S_MIN: Final = 0.5
LIVENESS_MS: Final = 5_000


def proof_token() -> str:
    """Returns a fresh token for a merchant's well-known file."""
    return f"adcat-{secrets.token_hex(16)}"


class KafkaLog:
    """The relay's log on Kafka."""

    def __init__(self, producer: LogProducer, reader: LogReader) -> None:
        self._producer = producer
        self._reader = reader

    async def send(self, topic: str, key: bytes, event: Event) -> tuple[int, int]:
        """Returns (partition, offset) once acknowledged."""
        return await self._producer.send(topic, key, event)

    async def new_policies(self) -> Iterable[Record]:
        """Returns the policy records up to the topic's present end that were not returned before."""
        return [record async for record in self._reader.read_to_end()]

    async def policy_ends(self) -> dict[int, int]:
        """Returns the end offset of each policy partition."""
        return {partition: end for (_, partition), end in (await self._reader.end_offsets()).items()}


@asynccontextmanager
async def _kafka_log(settings: ControlSettings) -> AsyncIterator[KafkaLog]:
    async with AsyncExitStack() as stack:
        reader = LogReader(settings.bootstrap, [MERCHANT_POLICY])
        producer = LogProducer(settings.bootstrap, settings.partitions)
        await stack.enter_async_context(opened(reader))
        await stack.enter_async_context(opened(producer))
        yield KafkaLog(producer, reader)


async def run_control(settings: ControlSettings, on_ready: Callable[[str], None] | None = None) -> None:
    """Serves the API and takes proofs of control until cancelled.

    Args:
        on_ready: called with the address once the API listens.
    """
    database = Database(settings.database_url)
    store = Store(database)
    health = Health()
    api = Api(
        store=store,
        settings=settings,
        secret=read_secret(settings.home / "keys"),
        token=proof_token,
        clock=wall_ms,
        health=health,
    )
    runner = web.AppRunner(application(api), access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, settings.host, settings.port)
        await site.start()
        if on_ready is not None:
            host, port = runner.addresses[0][:2]
            on_ready(f"http://{host}:{port}")
        await _again(lambda: take_proofs(settings, store, health), health.say)
    finally:
        await runner.cleanup()
        database.close()


async def take_proofs(settings: ControlSettings, store: Store, health: Health) -> None:
    """Applies every outcome of `source-proof`; raises Retry when the log does not answer."""
    stored = {(SOURCE_PROOF, one): at for one, at in (await asyncio.to_thread(store.positions, SOURCE_PROOF)).items()}
    async with opened(probe := LogReader(settings.bootstrap, [SOURCE_PROOF])):
        ends = await probe.end_offsets()
    if any(ends.get(one, 0) < at for one, at in stored.items()):
        LOG.warning("%s was created anew; reading it from its start (repeated proofs change nothing)", SOURCE_PROOF)
        stored = {}
    async with opened(reader := LogReader(settings.bootstrap, [SOURCE_PROOF], stored)):
        health.say("")
        asked_ms = wall_ms()
        while True:
            for record in await reader.poll():
                await asyncio.to_thread(_take, store, record)
            if wall_ms() - asked_ms > LIVENESS_MS:
                await _alive(reader, settings.bootstrap)
                asked_ms = wall_ms()


async def _alive(reader: LogReader, bootstrap: str) -> None:
    """An idle consumer does not notice a dead broker, so it is asked now and then."""
    try:
        await asyncio.wait_for(reader.end_offsets(), LIVENESS_MS / 1_000)
    except (TimeoutError, KafkaError) as error:
        raise LogUnreachable(f"no Kafka broker answers at {bootstrap}") from error


def _take(store: Store, record: Record) -> None:
    if record.value is not None:
        observed = codec().decode(record.value)
        assert isinstance(observed, ProofObserved), "the topic table allows nothing else"
        store.take_proof(record.partition, record.offset, observed)


async def run_relay(settings: ControlSettings, on_ready: Callable[[str], None] | None = None) -> None:
    """Relays and proves until cancelled; waits as a stand-by while another relay holds the lease.

    Args:
        on_ready: called once with the holder's name after the first completed step.
    """
    database = Database(settings.database_url)
    outbox = Outbox(database, settings.lease_ms)
    signer = read_signer(settings.home / "keys")
    holder = f"{socket.gethostname()[:32]}-{os.getpid()}-{secrets.token_hex(4)}"

    ready = asyncio.Event()

    async def announce() -> None:
        await ready.wait()
        if on_ready is not None:
            on_ready(holder)

    async def work() -> None:
        async with _kafka_log(settings) as log:
            relay = Relay(outbox, log, signer, settings, holder)
            try:
                await _steps(relay, settings, ready.set)
            finally:
                with suppress(Retry):  # the lease lapses on its own
                    await relay.stop()

    announcing = asyncio.create_task(announce())
    try:
        await _again(work, lambda _: None)
    finally:
        announcing.cancel()
        database.close()


async def _steps(relay: Relay, settings: ControlSettings, on_step: Callable[[], None]) -> None:
    waiting = False
    while True:
        try:
            relayed = await relay.step()
        except NotHolder as error:
            if not waiting:
                LOG.info("standing by: %s", error)
            waiting, relayed = True, 0
        else:
            waiting = False
        on_step()
        if relayed == 0:
            await asyncio.sleep(settings.poll_ms / 1_000)


async def _again(work: Callable[[], Awaitable[None]], on_wait: Callable[[str], None]) -> None:
    """Runs `work` for ever; after a Retry one clear line and a pause, doubling from 0.5 s to 10 s while failures follow closely."""
    pause = BACKOFF_S_MIN
    while True:
        started_ms = wall_ms()
        try:
            await work()
        except Retry as error:
            on_wait(str(error))
            if wall_ms() - started_ms > BACKOFF_S_MAX * 2_000:
                pause = BACKOFF_S_MIN
            LOG.warning("%s; next try in %.1f s", error, pause)
            await asyncio.sleep(pause)
            pause = min(pause * 2, BACKOFF_S_MAX)


async def recover(settings: ControlSettings) -> list[str]:
    """After an SQL restore: raises every source above the policy topic and returns the merchants, now disabled (DESIGN §8)."""
    last: dict[str, MerchantPolicy] = {}
    reader = LogReader(settings.bootstrap, [MERCHANT_POLICY])
    async with opened(reader):
        async for record in reader.read_to_end():
            policy = None if record.value is None else codec().decode(record.value)
            if isinstance(policy, MerchantPolicy):
                last[policy.merchant] = policy
    database = Database(settings.database_url)
    try:
        return await asyncio.to_thread(Store(database).recover, last.values(), proof_token)
    finally:
        database.close()
