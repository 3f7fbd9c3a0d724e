"""Why the embedded broker does not run; each message ends with the remedy.

BrokerError
├── ToolMissing       Java 17+ or Maven is not on the PATH
├── DownloadFailed    Maven could not fetch the jars (its last lines are in the message)
├── PortTaken         another process listens on the broker's port
└── StartFailed       Kafka ended or did not answer in time (its last log lines are in the message)
"""

from topics.errors import AdcatError


class BrokerError(AdcatError):
    """The embedded broker cannot be started or stopped."""


class ToolMissing(BrokerError):
    """Java 17+ or Maven is missing."""


class DownloadFailed(BrokerError):
    """Maven could not fetch Kafka."""


class PortTaken(BrokerError):
    """Another process listens on the port."""


class StartFailed(BrokerError):
    """Kafka ended at start, or was not ready before the deadline."""
