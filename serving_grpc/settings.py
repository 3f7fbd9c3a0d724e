"""Settings of the serving processes: frozen, built by the composition root of the front door."""

from dataclasses import dataclass
from pathlib import Path

from topics.errors import Invalid


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeSettings:
    """One replica and its gRPC server.

    Attributes:
        bootstrap: Kafka address, `host:port`.
        home: ADCAT_HOME; state goes to `home/replica/<replica>`.
        keys: folder with `access.secret` (HS256 secret of bearer tokens) and `proof.pub` (the relay's Ed25519 key, PEM).
        replica: name of this replica; one per region and instance, stable across restarts.
        port: gRPC port, 0 for a free one.
        metrics_port: Prometheus port, 0 for a free one, negative for none.
        partitions: P of the merchant-scoped topics.
        clock_allowance_ms: how far clocks may be apart; taken off every proof.
        lag_ms_max: a partition that lags further answers UNAVAILABLE.
        memory_rows_max: rows kept in memory; the others are read from local disk.
        cache_bytes: RocksDB block cache.
        workers: threads that answer.
        calls_max: calls in flight; further ones get RESOURCE_EXHAUSTED.
    """

    bootstrap: str
    home: Path
    keys: Path
    replica: str = "replica-1"
    host: str = "127.0.0.1"
    port: int = 50051
    metrics_port: int = 9100
    partitions: int = 8
    clock_allowance_ms: int = 2_000
    lag_ms_max: int = 60_000
    memory_rows_max: int = 2_000_000
    cache_bytes: int = 64 << 20
    workers: int = 4
    calls_max: int = 64

    def __post_init__(self) -> None:
        if self.workers <= 0 or self.calls_max < self.workers:
            raise Invalid("calls_max", self.calls_max, f"allow at least as many calls as workers ({self.workers})")
        if not self.replica.replace("-", "").isalnum():
            raise Invalid("replica", self.replica, "use letters, digits and '-'")

    @property
    def state(self) -> Path:
        """Folder of the durable rows."""
        return self.home / "replica" / self.replica


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewaySettings:
    """The HTTP/JSON gateway.

    Attributes:
        target: address of the gRPC server.
        port: HTTP port, 0 for a free one.
        deadline_ms: how long a call may take.
    """

    target: str
    host: str = "127.0.0.1"
    port: int = 8080
    deadline_ms: int = 2_000
