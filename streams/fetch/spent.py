"""A permit is spent at most once (DESIGN §10), although its task may stand in the log twice.

The frontier sends a task again when it dies between sending and writing. A permit is useless after its expiry, so it needs to
be remembered no longer than that; `streams/fetch/recall` tells a starting worker of those that others spent.
"""

from collections import OrderedDict
from dataclasses import dataclass, field

from topics.events.crawl import Permit

PERMITS_MAX = 200_000


@dataclass(slots=True)
class SpentPermits:
    """Permit ids until their expiry.

    Attributes:
        permits_max: bound of memory; past it the oldest are forgotten first.
    """

    permits_max: int = PERMITS_MAX
    _until_ms: OrderedDict[str, int] = field(default_factory=OrderedDict)

    def spend(self, permit: Permit, now_ms: int) -> bool:
        """Remembers the permit; True when it was not spent before."""
        self._forget(now_ms)
        if permit.permit_id in self._until_ms:
            return False
        self._until_ms[permit.permit_id] = permit.expires_at_ms
        return True

    def _forget(self, now_ms: int) -> None:
        """Drops what has expired from the old end; permits arrive nearly in the order of their expiry."""
        while self._until_ms:
            oldest = next(iter(self._until_ms))
            if self._until_ms[oldest] > now_ms and len(self._until_ms) < self.permits_max:
                return
            del self._until_ms[oldest]
