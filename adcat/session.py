"""One crawl as a person runs it: authorize sources, watch until nothing moves, show the catalog."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Self

from rich.console import Console
from rich.live import Live
from rich.table import Table

from adcat.api import ControlClient
from adcat.report import catalog_table, quarantine_table
from adcat.watch import Watch, keep_watching
from topics.clock import wall_ms

POLL_S = 0.25
QUIET_MS = 4_000
VERIFY_EVERY_MS = 3_000


@dataclass(slots=True)
class Session:
    """Authorizes, follows and shows.

    Attributes:
        kafka: bootstrap address that the watch reads.
    """

    kafka: str
    control: ControlClient
    console: Console
    watch: Watch = field(default_factory=Watch)
    _task: "asyncio.Task[None] | None" = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(keep_watching(self.kafka, self.watch))
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._task is not None
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task

    async def enabled(self, merchant: str, wait_ms: int) -> bool:
        """Waits until the proof of control is accepted, asking for another look now and then; False when time is up."""
        deadline = wall_ms() + wait_ms
        asked = wall_ms()
        while wall_ms() < deadline:
            source = await self.control.merchant(merchant)
            if source["status"] == "enabled":
                return True
            if wall_ms() - asked > VERIFY_EVERY_MS:
                await self.control.verify(merchant)
                asked = wall_ms()
            await asyncio.sleep(POLL_S)
        return False

    async def until_quiet(self, merchants: list[str], limit_ms: int) -> bool:
        """Follows the crawl until nothing moved for 4 s; False when `limit_ms` is reached first."""
        deadline = wall_ms() + limit_ms
        with Live(self._progress(merchants), console=self.console, refresh_per_second=4) as live:
            while wall_ms() < deadline:
                await asyncio.sleep(POLL_S)
                live.update(self._progress(merchants))
                if self.watch.observed > 0 and self.watch.quiet_ms() > QUIET_MS:
                    return True
        return False

    async def until(self, condition: Callable[[], bool], limit_ms: int) -> bool:
        """Waits for a condition over the watch."""
        deadline = wall_ms() + limit_ms
        while wall_ms() < deadline:
            if condition():
                return True
            await asyncio.sleep(POLL_S)
        return condition()

    def show(self, merchants: list[str]) -> None:
        """Prints the catalog and the quarantine."""
        self.console.print(catalog_table(self.watch, merchants))
        self.console.print(quarantine_table(self.watch, merchants))

    def _progress(self, merchants: list[str]) -> Table:
        table = Table(title="Crawling")
        for column in ("merchant", "requests", "pages", "other outcomes", "offers", "quarantined"):
            table.add_column(column, justify="left" if column == "merchant" else "right")
        for merchant in merchants:
            outcomes = self.watch.outcomes[merchant]
            table.add_row(
                merchant,
                str(self.watch.fetches[merchant]),
                str(outcomes["page"]),
                str(sum(outcomes.values()) - outcomes["page"]),
                str(len(self.watch.entries(merchant))),
                str(sum(self.watch.quarantine[merchant].values())),
            )
        return table


def source_request(start_url: str, origin: str, market: str, currency: str, **policy: Any) -> dict[str, Any]:
    """Returns the body of a registration for one market."""
    return {
        "start_url": start_url,
        "allowed_origins": [origin],
        "markets": [{"country": market, "currency": currency}],
        "crawl_permission": True,
        "legal_review": "local run by the operator of this machine",
    } | policy
