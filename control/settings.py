"""What the control plane is told at start; one frozen value a process."""

from dataclasses import dataclass
from pathlib import Path

from topics.errors import Invalid


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlSettings:
    """Settings of `adcat worker control` and `adcat worker relay`.

    Attributes:
        database_url: SQLAlchemy URL, `sqlite:///<path>` or `postgresql+psycopg://…`.
        bootstrap: Kafka address, `host:port`.
        home: ADCAT_HOME; key files stand in `home/keys`.
        host: address the API listens on.
        port: its port; 0 takes a free one.
        partitions: P of the merchant-scoped topics.
        allow_loopback: development only: sources on localhost may be registered.
        audience: the `aud` that a bearer token must name.
        proof_lifetime_ms: how long an enablement proof authorizes (SPEC I8).
        proof_interval_ms: how often proofs are renewed; well below the lifetime.
        clock_allowance_ms: what the clocks of database and replicas may differ by.
        lease_ms: how long a silent relay keeps its lease.
        poll_ms: pause between two looks at an empty outbox.
        sweep_interval_ms: how often the policy topic is compared with the database.
        outbox_retention_ms: how long relayed outbox rows are kept for diagnosis.
    """

    database_url: str
    bootstrap: str
    home: Path
    host: str = "127.0.0.1"
    port: int = 8081
    partitions: int = 8
    allow_loopback: bool = False
    audience: str = "adcat"
    proof_lifetime_ms: int = 30_000
    proof_interval_ms: int = 5_000
    clock_allowance_ms: int = 2_000
    lease_ms: int = 15_000
    poll_ms: int = 200
    sweep_interval_ms: int = 60_000
    outbox_retention_ms: int = 7 * 86_400_000

    def __post_init__(self) -> None:
        if not 0 < self.proof_interval_ms * 2 <= self.proof_lifetime_ms:
            raise Invalid("proof_interval_ms", self.proof_interval_ms, "renew at least twice in a proof's lifetime")
        if self.partitions <= 0:
            raise Invalid("partitions", self.partitions, "use the P of the topics, 8 in development")
