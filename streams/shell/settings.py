"""What a worker is told when it starts, and the exit codes by which it says why it stopped."""

from dataclasses import dataclass
from pathlib import Path

EXIT_UNREACHABLE = 69
"""Kafka did not answer in time: start again later."""
EXIT_BUG = 70
"""A handler raised, a record of ours does not decode, an inbox has a hole: a person must look."""
EXIT_SEND_FAILED = 74
"""A send or a changelog write was not acknowledged: start again."""
EXIT_STALLED = 75
"""Recovery, heartbeat or the process itself stood still too long: start again."""
EXIT_RANGE = 78
"""The log and the committed offsets do not fit together: a person must decide (adcat topics new-epoch, adcat reset)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellSettings:
    """Settings of one worker process.

    Attributes:
        bootstrap: Kafka's address, `host:port[,host:port]`.
        home: ADCAT_HOME; local state goes to `state/<worker>`, the status file to `run/<worker>.json`.
        worker: stable name of this worker: static group member, state folder, status file.
        session_s: seconds without heartbeat after which the group gives the partitions away, and this process stops itself.
        heartbeat_s: seconds between heartbeats.
        request_s: seconds until an unacknowledged send stops the process.
        commit_s: seconds between offset commits; a crash repeats at most the events of that time.
        linger_s: seconds the producer waits to fill a batch. 0: the eight partitions of a worker already fill batches, and
            each event waits for two round trips, so that lingering would be paid twice (bench/shell_throughput.py).
        compression: producer compression; None needs no codec library.
        tick_s: seconds between two ticks of an owned partition.
        recovery_stall_s: seconds without progress of table recovery until the process stops.
        boot_s: seconds to wait for Kafka at start.
        skew_ms_max: largest accepted difference between this clock and the broker's append time.
        standby_replicas: copies of the tables that other workers keep warm.
    """

    bootstrap: str
    home: Path
    worker: str
    session_s: float = 30.0
    heartbeat_s: float = 3.0
    request_s: float = 60.0
    commit_s: float = 1.0
    linger_s: float = 0.0
    compression: str | None = None
    tick_s: float = 0.2
    recovery_stall_s: float = 120.0
    boot_s: float = 60.0
    skew_ms_max: int = 2_000
    standby_replicas: int = 0

    def __post_init__(self) -> None:
        assert self.heartbeat_s * 3 <= self.session_s, "a session must survive two lost heartbeats"
        assert self.session_s <= self.request_s, "a request must not end before the session"

    @property
    def state(self) -> Path:
        """Folder of this worker's RocksDB files; one worker process, one folder (faust-kafka.md R13)."""
        return (self.home / "state" / self.worker).absolute()

    @property
    def status(self) -> Path:
        """Status file that the supervisor polls."""
        return (self.home / "run" / f"{self.worker}.json").absolute()
