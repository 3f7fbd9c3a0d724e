"""Reads the topics beside the workers and keeps what a person wants to see: progress, catalog, quarantine."""

import asyncio
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from topics.clock import wall_ms
from topics.events.crawl import PageObserved
from topics.events.offer import CatalogEntry, Quarantined
from topics.io import LogReader, Record
from topics.keys import OfferKey
from topics.specs import FETCH_TASK, OFFER_CATALOG, PAGE_OBSERVED, QUARANTINE, codec

WATCHED = (FETCH_TASK, PAGE_OBSERVED, OFFER_CATALOG, QUARANTINE)


@dataclass(slots=True)
class Watch:
    """Everything seen so far, by merchant.

    Attributes:
        fetches: tasks sent.
        outcomes: accepted outcomes by (merchant, outcome word).
        catalog: newest entry per offer key.
        quarantine: (merchant, field, reason) counts.
        moved_ms: wall time of the last record, for idleness.
    """

    fetches: Counter[str] = field(default_factory=Counter)
    outcomes: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    catalog: dict[OfferKey, CatalogEntry] = field(default_factory=dict)
    quarantine: dict[str, Counter[tuple[str, str]]] = field(default_factory=lambda: defaultdict(Counter))
    moved_ms: int = field(default_factory=wall_ms)

    def take(self, record: Record) -> None:
        """Adds one record; entries with a smaller revision than the one held are ignored."""
        if record.value is None:
            return
        self.moved_ms = wall_ms()
        event = codec().decode(record.value)
        if isinstance(event, PageObserved):
            self.outcomes[event.merchant][event.outcome] += 1
        elif isinstance(event, CatalogEntry):
            held = self.catalog.get(event.offer_key)
            if held is None or event.revision > held.revision:
                self.catalog[event.offer_key] = event
        elif isinstance(event, Quarantined):
            self.quarantine[event.merchant][event.field, event.reason] += 1
        else:
            self.fetches[record.key.decode()] += 1

    def entries(self, merchant: str) -> list[CatalogEntry]:
        """Returns a merchant's current entries, by key."""
        mine = [(key.key, entry) for key, entry in self.catalog.items() if key.merchant == merchant]
        return [entry for _, entry in sorted(mine, key=lambda one: one[0])]

    @property
    def observed(self) -> int:
        """Accepted outcomes of all merchants."""
        return sum(count for words in self.outcomes.values() for count in words.values())

    def quiet_ms(self) -> int:
        """How long nothing has moved."""
        return wall_ms() - self.moved_ms


async def keep_watching(bootstrap: str, watch: Watch) -> None:
    """Feeds `watch` until cancelled."""
    reader = LogReader(bootstrap, WATCHED)
    await reader.start()
    try:
        while True:
            for record in await reader.poll(timeout_ms=100):
                watch.take(record)
            await asyncio.sleep(0)
    finally:
        await reader.stop()
