"""What the embedded broker needs to know, and where it keeps its files."""

from dataclasses import dataclass, field
from pathlib import Path

KAFKA_VERSION = "4.4.0"
DEFAULT_PORT = 19092


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerSettings:
    """Settings of one embedded broker.

    Attributes:
        home: ADCAT_HOME; data, log, configuration and pid go to its `kafka` folder.
        cache: ADCAT_CACHE; jars go to its folder `kafka-<version>`, shared by all brokers of the machine.
        port: client port on 127.0.0.1.
        controller_port: port of the KRaft controller on 127.0.0.1; None takes a free one at each start.
        heap: Java heap, as `-Xmx` takes it.
        ready_s_max: seconds from launch until a metadata request must be answered.
    """

    home: Path = field(default_factory=lambda: Path(".adcat"))
    cache: Path = field(default_factory=lambda: Path(".cache"))
    port: int = DEFAULT_PORT
    controller_port: int | None = None
    heap: str = "512m"
    ready_s_max: float = 90.0

    @property
    def address(self) -> str:
        """Bootstrap address, `127.0.0.1:<port>`."""
        return f"127.0.0.1:{self.port}"

    @property
    def folder(self) -> Path:
        """Absolute folder of everything this broker writes."""
        return (self.home / "kafka").absolute()

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def log(self) -> Path:
        return self.folder / "broker.log"

    @property
    def output(self) -> Path:
        """What the Java process prints itself: start-up failures before logging works."""
        return self.folder / "broker.out"

    @property
    def pid(self) -> Path:
        return self.folder / "broker.pid"

    @property
    def config(self) -> Path:
        return self.folder / "server.properties"

    @property
    def log_config(self) -> Path:
        return self.folder / "log4j2.properties"

    @property
    def jars(self) -> Path:
        return (self.cache / f"kafka-{KAFKA_VERSION}").absolute()
