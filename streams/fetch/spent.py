"""A permit is spent at most once: the frontier may send one task twice (a crash between send and write), as two records."""

from collections import OrderedDict
from dataclasses import dataclass, field

from topics.events.crawl import Permit


@dataclass(slots=True)
class SpentPermits:
    """Remembers permits until they expire; after that no task runs under them anyway."""

    _until_ms: OrderedDict[str, int] = field(default_factory=OrderedDict)

    def spend(self, permit: Permit, now_ms: int) -> bool:
        """True the first time; a repeated task has the same permit and must not run."""
        while self._until_ms and next(iter(self._until_ms.values())) <= now_ms:
            self._until_ms.popitem(last=False)
        if permit.permit_id in self._until_ms:
            return False
        self._until_ms[permit.permit_id] = permit.expires_at_ms
        return True
