"""One frozen settings object for every process of the local stack, read from ADCAT_* once."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from adcat.broker import BrokerSettings
from topics.admin import Sizing
from topics.errors import Invalid

SESSION_MS_MIN = 6_000
"""Kafka's `group.min.session.timeout.ms`: a broker refuses members with less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Settings of the stack; each field is read from `ADCAT_<FIELD>`, see docs/operations.md.

    Attributes:
        home: everything adcat writes on this machine.
        cache: downloaded jars.
        kafka: bootstrap address; a broker elsewhere, or the embedded one on 127.0.0.1.
        partitions: P of the merchant-scoped topics.
        replication: replication factor of new topics.
        min_insync: least in-sync replicas of new topics.
        database: SQLAlchemy URL; SQLite in `home` by default.
        blobs: object store URL, a local folder in `home` by default.
        host: address that the servers bind.
        control_port: HTTP API.
        grpc_port: BatchGet.
        gateway_port: HTTP/JSON gateway.
        metrics_port: Prometheus metrics of the serving process.
        allow_loopback: development only: storefronts on this machine may be crawled.
        contact: where a site's operator reaches us; part of the User-Agent.
        session_timeout_ms: how long a dead member keeps its partitions.
    """

    home: Path = Path(".adcat")
    cache: Path = Path(".cache")
    kafka: str = "127.0.0.1:19092"
    partitions: int = 8
    replication: int = 1
    min_insync: int = 1
    database: str = ""
    blobs: str = ""
    host: str = "127.0.0.1"
    control_port: int = 8081
    grpc_port: int = 50051
    gateway_port: int = 8080
    metrics_port: int = 9100
    allow_loopback: bool = False
    contact: str = "crawler@adcat.invalid"
    session_timeout_ms: int = 10_000

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ, **overrides: Any) -> "Settings":
        """Returns the settings; raises Invalid naming the variable when a value does not fit."""
        values: dict[str, Any] = {}
        for field in fields(cls):
            text = environment.get(f"ADCAT_{field.name.upper()}")
            if text is not None:
                values[field.name] = _parsed(field.name, field.default, text)
        settings = cls(**values | {name: value for name, value in overrides.items() if value is not None})
        _check(settings)
        return settings

    def environment(self) -> dict[str, str]:
        """Returns the variables that give a child process the same settings."""
        return {f"ADCAT_{field.name.upper()}": _text(getattr(self, field.name)) for field in fields(self)}

    @property
    def database_url(self) -> str:
        """SQLAlchemy URL."""
        return self.database or f"sqlite:///{(self.home / 'control.db').absolute()}"

    @property
    def blobs_url(self) -> str:
        """Object store URL."""
        return self.blobs or f"file://{(self.home / 'blobs').absolute()}"

    @property
    def keys(self) -> Path:
        """Folder of the signing keys and the token secret."""
        return self.home / "keys"

    @property
    def run(self) -> Path:
        """Folder of pid and readiness files."""
        return self.home / "run"

    @property
    def logs(self) -> Path:
        """Folder of the workers' logs."""
        return self.home / "logs"

    @property
    def sizing(self) -> Sizing:
        """Partitions and replication of the topics."""
        return Sizing(partitions=self.partitions, replication=self.replication, min_insync=self.min_insync)

    @property
    def broker(self) -> BrokerSettings:
        """Settings of the embedded broker at `kafka`'s port."""
        return BrokerSettings(home=self.home, cache=self.cache, port=int(self.kafka.rpartition(":")[2]))


def _parsed(name: str, default: object, text: str) -> object:
    if isinstance(default, bool):
        if text.lower() not in ("1", "0", "true", "false"):
            raise Invalid(f"ADCAT_{name.upper()}", text, "write true or false")
        return text.lower() in ("1", "true")
    if isinstance(default, int):
        if not text.isdecimal():
            raise Invalid(f"ADCAT_{name.upper()}", text, "write a whole number")
        return int(text)
    return Path(text) if isinstance(default, Path) else text


def _check(settings: Settings) -> None:
    addresses = [address.rpartition(":") for address in settings.kafka.split(",")]
    if not all(host and port.isdecimal() and 0 < int(port) < 65_536 for host, _, port in addresses):
        raise Invalid("ADCAT_KAFKA", settings.kafka, "write host:port, several separated by commas")
    for name in ("control_port", "grpc_port", "gateway_port", "metrics_port"):
        if not 0 < getattr(settings, name) < 65_536:
            raise Invalid(f"ADCAT_{name.upper()}", getattr(settings, name), "write a port, 1 to 65535")
    for name in ("partitions", "replication", "min_insync"):
        if getattr(settings, name) < 1:
            raise Invalid(f"ADCAT_{name.upper()}", getattr(settings, name), "write 1 or more")
    if settings.session_timeout_ms < SESSION_MS_MIN:
        raise Invalid("ADCAT_SESSION_TIMEOUT_MS", settings.session_timeout_ms, f"write {SESSION_MS_MIN} or more")


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value.absolute()) if isinstance(value, Path) else str(value)
