"""Control and relay as they run, on a real broker: a source from registration to revocation, and a broker that goes away."""

import asyncio
import os
from pathlib import Path

import aiohttp
import pytest

from adcat.broker import BrokerSettings, free_port, start, stop
from control.app import run_control, run_relay
from control.io import migrate
from control.keys import ensure_keys, read_secret
from control.settings import ControlSettings
from topics import admin
from topics.access import issue
from topics.admin import Sizing
from topics.clock import wall_ms
from topics.events.crawl import ProofObserved
from topics.events.policy import MerchantPolicy
from topics.io import LogProducer, LogReader, opened
from topics.specs import FRONTIER_EVENT, MERCHANT_POLICY, OFFER_DECISION, POLICY_PROOF, SOURCE_PROOF, codec

pytestmark = pytest.mark.broker
REPOSITORY = Path(__file__).parents[2]
PARTITIONS = 4


class Running:
    """Both processes as tasks, and a caller of the API."""

    def __init__(self, settings, session, base, tasks):
        self.settings, self.session, self.base, self.tasks = settings, session, base, tasks

    async def __call__(self, method, path, body=None):
        async with self.session.request(method, self.base + path, json=body) as answer:
            return answer.status, await answer.json()

    async def until(self, path, condition):
        async with asyncio.timeout(120):
            while True:
                for task in self.tasks:
                    assert not task.done(), task.exception()
                status, body = await self("GET", path)
                if condition(status, body):
                    return body
                await asyncio.sleep(0.05)

    async def log(self, topic):
        reader = LogReader(self.settings.bootstrap, [topic])
        async with opened(reader):
            return [codec().decode(record.value) async for record in reader.read_to_end()]


@pytest.fixture
def broker(tmp_path):
    settings = BrokerSettings(
        home=tmp_path, cache=Path(os.environ.get("ADCAT_CACHE", REPOSITORY / ".cache")), port=free_port()
    )
    yield settings
    stop(settings)


@pytest.fixture
async def running(broker, tmp_path):
    settings = ControlSettings(
        database_url=f"sqlite:///{tmp_path}/control.db",
        bootstrap=broker.address,
        home=tmp_path,
        port=0,
        partitions=PARTITIONS,
        proof_interval_ms=500,
    )
    ensure_keys(tmp_path / "keys")
    migrate(settings.database_url)
    address = asyncio.get_running_loop().create_future()
    tasks = [asyncio.create_task(run_control(settings, address.set_result)), asyncio.create_task(run_relay(settings))]
    token = issue(
        secret=read_secret(tmp_path / "keys"),
        audience="adcat",
        subject="test",
        roles=["operator"],
        merchants=["*"],
        now_ms=wall_ms(),
        lifetime_ms=600_000,
    )
    async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {token}"}) as session:
        yield Running(settings, session, await address, tasks)
    for task in tasks:
        task.cancel()
    ended = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(isinstance(one, asyncio.CancelledError) for one in ended)


async def test_a_source_goes_from_registration_to_revocation_and_a_lost_broker_is_reported_and_found_again(
    broker, running, shop
):
    status, body = await running("GET", "/healthz")
    assert (status, body["ready"]) == (503, False)
    await asyncio.to_thread(start, broker)
    await asyncio.to_thread(admin.apply, broker.address, Sizing(partitions=PARTITIONS))
    await running.until("/healthz", lambda status, _: status == 200)

    _, registered = await running("POST", "/v1/merchants/shop/sources", shop)
    observed = ProofObserved(
        event_id="0" * 32,
        occurred_at_ms=1,
        merchant="shop",
        source_epoch=1,
        outcome="page",
        status=200,
        extract=registered["proof"]["token"],
        evidence_at_ms=1,
    )
    producer = LogProducer(broker.address, PARTITIONS)
    async with opened(producer):
        await producer.send(SOURCE_PROOF, b"shop", observed)
    await running.until("/v1/merchants/shop", lambda _, body: body["status"] == "enabled" and body["published"])
    await running("POST", "/v1/merchants/shop/disable")
    await running.until("/v1/merchants/shop", lambda _, body: body["published"])
    words = [getattr(event, "status", None) or event.command for event in await running.log(FRONTIER_EVENT)]
    assert words == ["pending", "verify", "enabled", "crawl", "disabled"]
    policies = await running.log(MERCHANT_POLICY)
    assert [policy.status for policy in policies] == ["pending", "enabled", "disabled"]
    assert await running.log(OFFER_DECISION) == policies
    assert all(isinstance(policy, MerchantPolicy) for policy in policies)
    proofs = await running.log(POLICY_PROOF)
    assert {proof.partition for proof in proofs} == set(range(PARTITIONS))

    await asyncio.to_thread(stop, broker)
    body = await running.until("/healthz", lambda status, _: status == 503)
    assert broker.address in body["log"]
    assert (await running("POST", "/v1/merchants/shop/enable"))[0] == 200
    await asyncio.to_thread(start, broker)
    await running.until("/healthz", lambda status, _: status == 200)
    await running.until("/v1/merchants/shop", lambda _, body: body["published"])
    assert (await running.log(MERCHANT_POLICY))[-1].status == "enabled"
