"""The two configuration files of the embedded broker."""

from adcat.broker.settings import BrokerSettings

_SERVER = {
    "process.roles": "broker,controller",
    "node.id": 1,
    "controller.listener.names": "CONTROLLER",
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
    "inter.broker.listener.name": "PLAINTEXT",
    # Topics are created by `adcat topics apply` only (faust-kafka.md R9).
    "auto.create.topics.enable": "false",
    # One node: nothing can have more than one replica.
    "default.replication.factor": 1,
    "offsets.topic.replication.factor": 1,
    "transaction.state.log.replication.factor": 1,
    "transaction.state.log.min.isr": 1,
    "share.coordinator.state.topic.replication.factor": 1,
    "share.coordinator.state.topic.min.isr": 1,
    # Few internal partitions and no waiting for members that will not come: start and rebalance faster.
    "offsets.topic.num.partitions": 4,
    "transaction.state.log.num.partitions": 1,
    "share.coordinator.state.topic.num.partitions": 1,
    "group.initial.rebalance.delay.ms": 0,
    # Tests kill workers and must not wait 6 s for a session.
    "group.min.session.timeout.ms": 1000,
    # The default of 128 MiB is a quarter of our heap.
    "log.cleaner.dedupe.buffer.size": 16 * 1024 * 1024,
    "log.cleaner.backoff.ms": 1000,
    "num.network.threads": 2,
    "num.io.threads": 4,
}

_LOG = """\
status = error
appender.file.type = RollingFile
appender.file.name = file
appender.file.fileName = {log}
appender.file.filePattern = {log}.%i
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d{{ISO8601}} %-5p %c{{1}} %m%n
appender.file.policies.type = Policies
appender.file.policies.size.type = SizeBasedTriggeringPolicy
appender.file.policies.size.size = 16MB
appender.file.strategy.type = DefaultRolloverStrategy
appender.file.strategy.max = 3
rootLogger.level = info
rootLogger.appenderRef.file.ref = file
"""


def server_properties(settings: BrokerSettings, controller_port: int) -> str:
    """Returns the text of `server.properties`; every listener is on 127.0.0.1."""
    values = _SERVER | {
        "listeners": f"PLAINTEXT://{settings.address},CONTROLLER://127.0.0.1:{controller_port}",
        "advertised.listeners": f"PLAINTEXT://{settings.address}",
        "controller.quorum.voters": f"1@127.0.0.1:{controller_port}",
        "log.dirs": str(settings.data),
    }
    return "".join(f"{name}={value}\n" for name, value in values.items())


def log_properties(settings: BrokerSettings) -> str:
    """Returns the text of `log4j2.properties`: one file of at most 16 MB and three older ones."""
    return _LOG.format(log=settings.log)
