"""The relay's loop: take the lease, send what is committed, mend the topic, prove that it is complete (DESIGN §8).

A crash anywhere repeats records with equal event ids and loses none: a row is marked only after every topic acknowledged it.
"""

import asyncio
import logging
from collections.abc import Iterable
from typing import Final, Protocol

from control import relay
from control.errors import Restored
from control.keys import Signer
from control.outbox import Lease, Outbox
from control.relay import ROUTES, Queued
from control.settings import ControlSettings
from topics.errors import Retry
from topics.events.base import Event
from topics.events.policy import MerchantPolicy
from topics.io import Record
from topics.keys import merchant_key
from topics.specs import MERCHANT_POLICY, POLICY_PROOF, codec

LOG = logging.getLogger(__name__)
BATCH: Final = 200
_NAMED_MAX: Final = 5


class Log(Protocol):
    """What the relay needs of the log; `control.app` gives it Kafka, tests a fake with crash points."""

    async def send(self, topic: str, key: bytes, event: Event) -> tuple[int, int]:
        """Returns (partition, offset) once acknowledged; raises Retry when it is not known to be."""

    async def new_policies(self) -> Iterable[Record]:
        """Returns the policy records up to the topic's present end that were not returned before."""

    async def policy_ends(self) -> dict[int, int]:
        """Returns the end offset of each policy partition."""


class PolicyView:
    """The last record of each merchant in the policy topic, which is what compaction keeps."""

    def __init__(self) -> None:
        self._last: dict[str, tuple[int, MerchantPolicy]] = {}
        self.ends: dict[int, int] = {}

    def apply(self, partition: int, offset: int, merchant: str, policy: MerchantPolicy | None) -> None:
        """Takes a record in any order; the one with the largest offset counts. None is a purge."""
        self.ends[partition] = max(self.ends.get(partition, 0), offset + 1)
        if merchant in self._last and self._last[merchant][0] > offset:
            return
        if policy is None:
            self._last.pop(merchant, None)
        else:
            self._last[merchant] = (offset, policy)

    @property
    def revs(self) -> dict[str, int]:
        """Policy revision by merchant."""
        return {merchant: policy.policy_rev for merchant, (_, policy) in self._last.items()}

    @property
    def policies(self) -> list[MerchantPolicy]:
        """The last policies."""
        return [policy for _, policy in self._last.values()]


class Relay:
    """One relay process; many may run, one relays.

    Args:
        outbox: committed events.
        log: where they go.
        signer: signs proofs.
        holder: unique name of this process.
    """

    def __init__(self, outbox: Outbox, log: Log, signer: Signer, settings: ControlSettings, holder: str) -> None:
        self._outbox = outbox
        self._log = log
        self._signer = signer
        self._settings = settings
        self._holder = holder
        self._lease: Lease | None = None
        self._view = PolicyView()
        self._swept_at_ms = 0
        self._proved_at_ms = 0

    async def step(self) -> int:
        """Does what is due and returns how many rows were relayed.

        Raises:
            NotHolder: another relay works; nothing was marked or proven.
            Restored: the topic is ahead of the database; nothing was sent or proven.
            Retry: log or database did not answer; nothing unacknowledged was marked.
        """
        lease = await asyncio.to_thread(self._outbox.acquire, self._holder)
        if self._lease is None or self._lease.term != lease.term:
            await self._take_over()
        self._lease = lease
        if lease.now_ms - self._swept_at_ms >= self._settings.sweep_interval_ms:
            await self._sweep(lease)
            self._swept_at_ms = lease.now_ms
        relayed = await self._relay(lease)
        if lease.now_ms - self._proved_at_ms >= self._settings.proof_interval_ms:
            await self._prove(lease)
            self._proved_at_ms = lease.now_ms
        return relayed

    async def stop(self) -> None:
        """Gives the lease back."""
        if self._lease is not None:
            await asyncio.to_thread(self._outbox.release, self._lease)
            self._lease = None

    async def _take_over(self) -> None:
        """Forgets what an earlier term saw: another holder may have sent since."""
        self._lease = None
        self._swept_at_ms = self._proved_at_ms = 0
        for partition, end in (await self._log.policy_ends()).items():
            self._view.ends[partition] = max(self._view.ends.get(partition, 0), end)

    async def _sweep(self, lease: Lease) -> None:
        """Publishes again what the topic lacks; refuses when the topic knows more than the database."""
        for record in await self._log.new_policies():
            merchant = record.key.decode("ascii")
            policy = None if record.value is None else codec().decode(record.value)
            assert policy is None or isinstance(policy, MerchantPolicy), "the topic table allows nothing else"
            self._view.apply(record.partition, record.offset, merchant, policy)
        found = relay.compare(await asyncio.to_thread(self._outbox.policy_revs), self._view.revs)
        if found.ahead:
            some = ", ".join(found.ahead[:_NAMED_MAX])
            raise Restored(
                f"the policy topic is ahead of the database for {len(found.ahead)} merchants ({some}), as after a restore; "
                "nothing is relayed or proven until their epochs are raised, see docs/operations.md"
            )
        if found.behind:
            await asyncio.to_thread(self._outbox.requeue, lease, found.behind)
        await asyncio.to_thread(self._outbox.prune, lease, lease.now_ms - self._settings.outbox_retention_ms)

    async def _relay(self, lease: Lease) -> int:
        rows = await asyncio.to_thread(self._outbox.unrelayed, BATCH)
        if not rows:
            return 0
        lanes = await asyncio.gather(*map(self._send_lane, relay.in_order(rows)), return_exceptions=True)
        failures = [lane for lane in lanes if isinstance(lane, BaseException)]
        for failure in failures:
            if not isinstance(failure, Retry):
                raise failure
        sent = [row.id for lane in lanes if not isinstance(lane, BaseException) for row in lane]
        await asyncio.to_thread(self._outbox.mark, lease, sent)
        if failures:
            raise failures[0]
        return len(sent)

    async def _send_lane(self, rows: list[Queued]) -> list[Queued]:
        """Sends one merchant's rows in order, each to all its topics before the next."""
        for row in rows:
            key = merchant_key(row.merchant)
            for topic in ROUTES[type(row.event)]:
                partition, offset = await self._log.send(topic, key, row.event)
                if topic == MERCHANT_POLICY:
                    assert isinstance(row.event, MerchantPolicy), "ROUTES sends nothing else there"
                    self._view.apply(partition, offset, row.merchant, row.event)
        return rows

    async def _prove(self, lease: Lease) -> None:
        issued_at_ms = await asyncio.to_thread(self._outbox.now_ms)  # before the backlog: see control.relay
        backlog = await asyncio.to_thread(self._outbox.backlog, lease)
        for partition in relay.provable(backlog, self._settings.partitions):
            signed = relay.proof(
                self._signer,
                partition=partition,
                complete_to=self._view.ends.get(partition, 0),
                issued_at_ms=issued_at_ms,
                lifetime_ms=self._settings.proof_lifetime_ms,
            )
            await self._log.send(POLICY_PROOF, relay.proof_key(partition), signed)
