"""A real single-node Apache Kafka (KRaft) from Maven artifacts, without Docker (DESIGN §9).

Kafka's own tools run from the same jars; `adcat broker console TOPIC` is its console consumer. Values are Avro in Confluent's
wire format: read them with `adcat topics tail`, or add `--formatter-property print.key=true` there to see the keys.
"""

from adcat.broker.errors import BrokerError, DownloadFailed, PortTaken, StartFailed, ToolMissing
from adcat.broker.jars import find_java
from adcat.broker.server import BrokerStatus, free_port, start, status, stop
from adcat.broker.settings import BrokerSettings

__all__ = [
    "BrokerError",
    "BrokerSettings",
    "BrokerStatus",
    "DownloadFailed",
    "PortTaken",
    "StartFailed",
    "ToolMissing",
    "console_consumer",
    "free_port",
    "start",
    "status",
    "stop",
]


def console_consumer(settings: BrokerSettings, topic: str, *arguments: str) -> list[str]:
    """Returns the command that runs Kafka's own console consumer on `topic`; raises ToolMissing without Java."""
    tool = "org.apache.kafka.tools.consumer.ConsoleConsumer"
    return [
        find_java(),
        "-cp",
        f"{settings.jars}/*",
        tool,
        "--bootstrap-server",
        settings.address,
        "--topic",
        topic,
        *arguments,
    ]
