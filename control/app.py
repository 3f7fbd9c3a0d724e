"""Composition roots of the two control processes: the API with its proof consumer, and the relay."""

import asyncio
import logging
import os
import secrets
import socket
from collections.abc import Awaitable, Callable
from contextlib import aclosing, suppress
from typing import Final

from aiohttp import web

from control.api import Api, Health, application
from control.errors import NotHolder
from control.io import Database
from control.kafka import kafka_log, proof_records
from control.keys import read_secret, read_signer
from control.outbox import Outbox
from control.relaying import Relay
from control.settings import ControlSettings
from control.store import Store
from topics.clock import wall_ms
from topics.errors import Retry
from topics.events.crawl import ProofObserved
from topics.events.policy import MerchantPolicy
from topics.io import BACKOFF_S_MAX, LogReader, Record, opened
from topics.specs import MERCHANT_POLICY, SOURCE_PROOF, codec

LOG = logging.getLogger(__name__)
BACKOFF_S_MIN: Final = 0.5
Said = Callable[[str], None]
"""Takes a sentence for people or for a status file."""


def proof_token() -> str:
    """Returns a fresh token for a merchant's well-known file."""
    return f"adcat-{secrets.token_hex(16)}"


async def run_control(settings: ControlSettings, on_ready: Said | None = None, on_wait: Said | None = None) -> None:
    """Serves the API and takes proofs until cancelled.

    Args:
        on_ready: called with the address once the API listens.
        on_wait: called with the problem when the log or the database does not answer; `/healthz` then says 503, the API goes on.
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

    def wait(problem: str) -> None:
        health.say(problem)
        (on_wait or _nobody)(problem)

    runner = web.AppRunner(application(api), access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, settings.host, settings.port)
        await site.start()
        host, port = runner.addresses[0][:2]
        (on_ready or _nobody)(f"http://{host}:{port}")
        await _again(lambda: take_proofs(settings, store, health), wait)
    finally:
        await runner.cleanup()
        database.close()


def _nobody(_said: str) -> None:
    """Nobody listens."""


async def take_proofs(settings: ControlSettings, store: Store, health: Health) -> None:
    """Applies every outcome of `source-proof` for ever; raises Retry when the log does not answer."""
    positions = await asyncio.to_thread(store.positions, SOURCE_PROOF)
    async with aclosing(proof_records(settings, positions, lambda: health.say(""))) as records:
        async for record in records:
            await asyncio.to_thread(_take, store, record)


def _take(store: Store, record: Record) -> None:
    if record.value is not None:
        observed = codec().decode(record.value)
        assert isinstance(observed, ProofObserved), "the topic table allows nothing else"
        store.take_proof(record.partition, record.offset, observed)


async def run_relay(settings: ControlSettings, on_ready: Said | None = None, on_wait: Said | None = None) -> None:
    """Relays and proves until cancelled; waits as a stand-by while another relay holds the lease.

    Args:
        on_ready: called with the holder's name after the first step of each connection (as holder or as stand-by).
        on_wait: called with the problem when the log or the database does not answer, or the database was restored.
    """
    database = Database(settings.database_url)
    outbox = Outbox(database, settings.lease_ms)
    signer = read_signer(settings.home / "keys")
    holder = f"{socket.gethostname()[:32]}-{os.getpid()}-{secrets.token_hex(4)}"

    async def work() -> None:
        async with kafka_log(settings) as log:
            relay = Relay(outbox, log, signer, settings, holder)
            try:
                await _step(relay)
                (on_ready or _nobody)(holder)
                while True:
                    if not await _step(relay):
                        await asyncio.sleep(settings.poll_ms / 1_000)
            finally:
                with suppress(Retry):  # the lease lapses on its own
                    await relay.stop()

    try:
        await _again(work, on_wait or _nobody)
    finally:
        database.close()


async def _step(relay: Relay) -> int:
    """One step; a stand-by relays nothing."""
    try:
        return await relay.step()
    except NotHolder as error:
        LOG.debug("standing by: %s", error)
        return 0


async def _again(work: Callable[[], Awaitable[None]], on_wait: Said) -> None:
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
