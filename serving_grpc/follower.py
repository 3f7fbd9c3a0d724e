"""The loop that keeps a replica current: connect, resume or rebuild, poll, write, install, acknowledge."""

import logging
import threading
from collections.abc import Callable

from serving_grpc.changes import Alarm, Change
from serving_grpc.io import FOLLOWED, Acknowledger, CatalogLog, OutOfRange, Unreachable, proof_verifier
from serving_grpc.metrics import Metrics
from serving_grpc.proofs import ProofBook, Verify
from serving_grpc.replica import Replica
from serving_grpc.rows import STATE_VERSION
from serving_grpc.settings import ServeSettings
from serving_grpc.store import Identity, Store, open_current, open_fresh, usable
from topics.errors import Retry
from topics.events.base import event_id
from topics.events.policy import RevocationAcked
from topics.specs import REVOCATION_ACK

LOG = logging.getLogger(__name__)
BACKOFF_S_MIN = 0.5
BACKOFF_S_MAX = 10.0
ACK_REFRESH_MS = 30_000


def log_alarm(alarm: Alarm) -> None:
    """Default hook: a sentence for operators; the decision log takes these reports later."""
    LOG.error("%s in %s: %s keeps revision %d, saw %d", *alarm)


class Follower:
    """Owns the store, the log and the current replica.

    Args:
        wall_ms: the clock.
        on_ready: called when readiness changes.
        on_alarm: hook for regressions and divergences.
    """

    def __init__(
        self,
        settings: ServeSettings,
        wall_ms: Callable[[], int],
        on_ready: Callable[[bool], None],
        on_alarm: Callable[[Alarm], None] = log_alarm,
    ) -> None:
        self._settings = settings
        self._wall_ms = wall_ms
        self._on_ready = on_ready
        self._on_alarm = on_alarm
        self._verify: Verify = proof_verifier(settings.keys / "proof.pub")
        self._store = open_current(settings.state, settings.cache_bytes)
        self._retired: list[Store] = []  # calls in flight may still read them
        self._acked: tuple[int, ...] = ()
        self._acked_ms = 0
        self._ready = False
        self.replica = self._loaded()
        self.metrics = Metrics(lambda: self.replica, wall_ms)

    def run(self, stop: threading.Event) -> None:
        """Follows the logs until `stop`; raises Bug for a record that cannot be read. A lost broker is waited for."""
        pause_s = BACKOFF_S_MIN
        acks = Acknowledger(self._settings.bootstrap, self._settings.replica)
        try:
            while not stop.is_set():
                log = CatalogLog(self._settings.bootstrap)
                try:
                    self._resume(log)
                    pause_s = BACKOFF_S_MIN
                    self._follow(log, acks, stop)
                except OutOfRange as error:
                    self._rebuild(str(error))
                except Retry as error:
                    self._say(ready=False)
                    LOG.warning("%s; next try in %.1f s", error, pause_s)
                    stop.wait(pause_s)
                    pause_s = min(pause_s * 2, BACKOFF_S_MAX)
                finally:
                    log.close()
        finally:
            acks.close()

    def close(self) -> None:
        self._store.close()
        for store in self._retired:
            store.drop()

    def _resume(self, log: CatalogLog) -> None:
        described = log.describe()
        for topic, (_, partitions) in described.items():
            if topic in FOLLOWED and partitions != self._settings.partitions:
                raise Unreachable(
                    f"{topic} has {partitions} partitions, this process expects {self._settings.partitions}: "
                    "set ADCAT_PARTITIONS"
                )
        identity = Identity(version=STATE_VERSION, topics={name: one for name, (one, _) in described.items()})
        starts, ends = log.ranges(self._settings.partitions)
        reason = usable(self._store, identity, starts, ends)
        if reason:
            self._rebuild(reason)
        self._store.identify(identity)
        offsets = {place: self.replica.offsets.get(place, start) for place, start in starts.items()}
        self.replica.offsets = dict(offsets)
        self.replica.expect(ends)
        self.replica.observe(ends, self._wall_ms())
        log.follow(offsets, self._wall_ms())

    def _follow(self, log: CatalogLog, acks: Acknowledger, stop: threading.Event) -> None:
        while not stop.is_set():
            polled = log.poll()
            now_ms = self._wall_ms()
            change = self.replica.plan(polled.records, polled.ends)
            if change.offsets:
                self._apply(change, len(polled.records), now_ms)
            self.replica.observe(log.ends_heard(), now_ms)
            self._say(ready=self.replica.ready())
            while self._ready and self._retired:
                self._retired.pop().drop()
            self._acknowledge(acks, now_ms)

    def _apply(self, change: Change, records: int, now_ms: int) -> None:
        self._store.write(change)
        fates = self.replica.install(change, now_ms)
        self.metrics.applied(records, fates)
        for alarm in change.alarms:
            self.metrics.alarmed(alarm)
            self._on_alarm(alarm)

    def _acknowledge(self, acks: Acknowledger, now_ms: int) -> None:
        """Says what was applied: when it advanced, and now and then so that control sees who is alive."""
        if not self._ready:
            return
        offsets = tuple(self.replica.applied(number) for number in range(self._settings.partitions))
        if offsets == self._acked and now_ms - self._acked_ms < ACK_REFRESH_MS:
            return
        replica = self._settings.replica
        origin = f"{REVOCATION_ACK}/{replica}/{now_ms}"
        acks.send(
            RevocationAcked(
                event_id=event_id("RevocationAcked", replica.encode(), None, origin, 0),
                occurred_at_ms=now_ms,
                replica=replica,
                offsets=offsets,
                proof_until_ms=tuple(self.replica.proofs.until_ms),
            )
        )
        self._acked, self._acked_ms = offsets, now_ms

    def _say(self, *, ready: bool) -> None:
        """Publishes readiness; an unreachable broker ends it at once, while answers go on until the proofs lapse."""
        if ready != self._ready:
            self._ready = ready
            LOG.info("replica %s is %s", self._settings.replica, "ready" if ready else "behind")
            self._on_ready(ready)

    def _loaded(self) -> Replica:
        settings = self._settings
        proofs = ProofBook(settings.partitions, settings.clock_allowance_ms, self._verify)
        replica = Replica(
            self._store,
            proofs,
            partitions=settings.partitions,
            memory_rows_max=settings.memory_rows_max,
            lag_ms_max=settings.lag_ms_max,
        )
        replica.load(self._store.rows(), self._store.policies(), self._store.offsets())
        return replica

    def _rebuild(self, reason: str) -> None:
        """Starts again from the log's beginning in a new folder; until caught up everything is UNAVAILABLE."""
        LOG.warning("local state is given up: %s", reason)
        self.metrics.rebuilt()
        self._retired.append(self._store)
        self._store = open_fresh(self._settings.state, self._settings.cache_bytes)
        self.replica = self._loaded()
        self._say(ready=False)
