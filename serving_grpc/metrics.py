"""What operators see of a replica (Prometheus); collected from the live replica at scrape time, counted per batch."""

from collections import Counter as Counts
from collections.abc import Callable, Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from serving_grpc.answers import counted
from serving_grpc.changes import Alarm
from serving_grpc.replica import Replica

_BUCKETS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)


class Metrics:
    """Counters of one serving process.

    Args:
        replica: returns the replica that answers now.
        wall_ms: the clock at scrape time.
    """

    def __init__(self, replica: Callable[[], Replica], wall_ms: Callable[[], int]) -> None:
        self.registry = CollectorRegistry()
        self._items = Counter("adcat_serving_items", "Items answered", ["status"], registry=self.registry)
        self._calls = Counter(
            "adcat_serving_calls", "Calls by method and code", ["method", "code"], registry=self.registry
        )
        self._seconds = Histogram(
            "adcat_serving_seconds", "Time to answer a call", registry=self.registry, buckets=_BUCKETS
        )
        self._alarms = Counter(
            "adcat_replica_alarms", "Regressions and divergences", ["kind", "topic"], registry=self.registry
        )
        self._proofs = Counter("adcat_replica_proofs", "Proofs by fate", ["fate"], registry=self.registry)
        self._records = Counter("adcat_replica_records", "Records applied", registry=self.registry)
        self._rebuilds = Counter("adcat_replica_rebuilds", "Rebuilds from the topics", registry=self.registry)
        self.registry.register(_ReplicaCollector(replica, wall_ms))

    def answered(self, counts: Counts[int], seconds: float) -> None:
        for name, number in counted(counts).items():
            self._items.labels(name).inc(number)
        self._seconds.observe(seconds)

    def called(self, method: str, code: str) -> None:
        self._calls.labels(method, code).inc()

    def alarmed(self, alarm: Alarm) -> None:
        self._alarms.labels(alarm.kind, alarm.topic).inc()

    def applied(self, records: int, fates: list[str]) -> None:
        self._records.inc(records)
        for fate in fates:
            self._proofs.labels(fate).inc()

    def rebuilt(self) -> None:
        self._rebuilds.inc()


class _ReplicaCollector(Collector):
    """Gauges read from the replica."""

    def __init__(self, replica: Callable[[], Replica], wall_ms: Callable[[], int]) -> None:
        self._replica = replica
        self._wall_ms = wall_ms

    def collect(self) -> Iterator[Metric]:
        replica, now_ms = self._replica(), self._wall_ms()
        yield GaugeMetricFamily("adcat_replica_ready", "1 when caught up", value=int(replica.ready()))
        yield GaugeMetricFamily("adcat_replica_rows", "Rows in memory", value=len(replica.rows))
        yield GaugeMetricFamily("adcat_replica_merchants", "Policies known", value=len(replica.policies))
        events = GaugeMetricFamily("adcat_replica_lag_events", "Records behind", labels=["topic", "partition"])
        seconds = GaugeMetricFamily(
            "adcat_replica_lag_seconds", "Age of what is missing", labels=["topic", "partition"]
        )
        for (topic, number), lag in list(replica.lag_events.items()):
            events.add_metric([topic, str(number)], lag)
            seconds.add_metric([topic, str(number)], replica.lag_ms.get((topic, number), 0) / 1_000)
        proofs = GaugeMetricFamily("adcat_replica_proof_seconds", "Time until the proof lapses", labels=["partition"])
        for number, until_ms in enumerate(replica.proofs.until_ms):
            proofs.add_metric([str(number)], max(until_ms - now_ms, 0) / 1_000)
        yield from (events, seconds, proofs)
