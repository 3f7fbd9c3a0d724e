"""Every error adcat raises on purpose; the class says what the caller will do.

AdcatError
├── Reject        drop the input and count it (a stale or repeated fact)
├── Quarantine    keep the input and show it (a contradiction, a hostile page)
├── Retry         try again later, bounded (a broker or a site that does not answer)
├── Invalid       the caller's input is wrong: names the field, the value and the remedy
└── Bug           crash: the program or the log is not what it must be
    ├── LogHole       an inbox jumped over an offset
    └── Undecodable   a record of a topic that only we write cannot be read
"""


class AdcatError(Exception):
    """Root of the tree; never raised itself."""


class Reject(AdcatError):
    """The input is stale or repeated: drop it and count it."""


class Quarantine(AdcatError):
    """The input is kept and shown, never published."""


class Retry(AdcatError):
    """Something outside did not answer; try again later, bounded."""


class Invalid(AdcatError, ValueError):
    """The caller's input is wrong.

    Attributes:
        field: dotted name of the offending field.
        value: its value as received, shortened to 200 characters.
        remedy: what to write instead.
    """

    def __init__(self, field: str, value: object, remedy: str) -> None:
        self.field = field
        self.value = str(value)[:200]
        self.remedy = remedy
        super().__init__(f"{field} is {self.value!r}: {remedy}")


class Bug(AdcatError):
    """The program or the log is not what it must be: stop the process."""


class LogHole(Bug):
    """An inbox jumped past previous + 1; a restart resumes from the committed offset (faust-kafka.md §0)."""


class Undecodable(Bug):
    """A record cannot be read by the schema it names."""
