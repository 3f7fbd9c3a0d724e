"""Which claims were run lately, so that a task that stands twice in the log is run once (DESIGN §10: a permit is spent at most once).

The frontier sends a task again when it dies between sending and writing; both records carry one observation id. A permit
is useless after its expiry, so an id needs to be remembered no longer than that.
"""

from collections import OrderedDict
from dataclasses import dataclass, field

from topics.events.crawl import FetchTask

IDS_MAX = 200_000


@dataclass(slots=True)
class SeenTasks:
    """Observation ids by the expiry of their permits.

    Attributes:
        ids_max: bound of memory; past it the oldest ids are forgotten first.
    """

    ids_max: int = IDS_MAX
    _expiries: OrderedDict[str, int] = field(default_factory=OrderedDict)

    def first(self, task: FetchTask, now_ms: int) -> bool:
        """Remembers the task; True when its observation id was not remembered before."""
        self._forget(now_ms)
        if task.observation_id in self._expiries:
            return False
        self._expiries[task.observation_id] = task.permit.expires_at_ms
        return True

    def _forget(self, now_ms: int) -> None:
        """Drops what has expired from the old end; ids arrive nearly in the order of their expiry."""
        while self._expiries:
            oldest = next(iter(self._expiries))
            if self._expiries[oldest] > now_ms and len(self._expiries) < self.ids_max:
                return
            del self._expiries[oldest]
