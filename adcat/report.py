"""What people see of a crawl: progress, the catalog by merchant, quarantine by reason, answers, timings (rich)."""

import sys
from collections import Counter
from collections.abc import Iterable, Mapping

from rich.console import Console
from rich.table import Table

from adcat.watch import Watch
from topics.events.offer import CatalogEntry

PIPE_COLUMNS = 120


def person_console() -> Console:
    """Returns the console of a command; into a file or a pipe it writes 120 columns, so that tables are not cut."""
    return Console() if sys.stdout.isatty() else Console(width=PIPE_COLUMNS)


def money(entry: CatalogEntry) -> str:
    """Returns an exact price as text, `19.99 USD`; a dash for a tombstone."""
    content = entry.content
    if content is None:
        return "-"
    digits = str(content.price_minor).rjust(content.exponent + 1, "0")
    whole, fraction = digits[: len(digits) - content.exponent], digits[len(digits) - content.exponent :]
    return f"{whole}{'.' + fraction if fraction else ''} {content.currency}"


def catalog_table(watch: Watch, merchants: Iterable[str]) -> Table:
    """Returns offers by merchant, lifecycle and availability."""
    table = Table(title="Catalog")
    for column in ("merchant", "offers", "active", "out of stock", "suspected missing", "inactive", "pages", "example"):
        table.add_column(column, justify="left" if column in ("merchant", "example") else "right")
    for merchant in merchants:
        entries = watch.entries(merchant)
        states = Counter(entry.lifecycle for entry in entries)
        example = next((entry for entry in entries if entry.content is not None), None)
        shown = f"{example.content.name[:40]} {money(example)}" if example is not None and example.content else "-"
        table.add_row(
            merchant,
            str(len(entries)),
            *(str(states[state]) for state in ("active", "out_of_stock", "suspected_missing", "inactive")),
            str(watch.outcomes[merchant]["page"]),
            shown,
        )
    return table


def quarantine_table(watch: Watch, merchants: Iterable[str]) -> Table:
    """Returns what was refused, by merchant, field and reason."""
    table = Table(title="Quarantine: kept and shown, never published")
    for column in ("merchant", "field", "reason", "count"):
        table.add_column(column, justify="right" if column == "count" else "left")
    for merchant in merchants:
        for (field, reason), count in sorted(watch.quarantine[merchant].items()):
            table.add_row(merchant, field, reason, str(count))
    return table


def answers_table(title: str, counts: Mapping[str, Counter[str]]) -> Table:
    """Returns BatchGet statuses by merchant."""
    table = Table(title=title)
    statuses = sorted({status for one in counts.values() for status in one})
    table.add_column("merchant")
    for status in statuses:
        table.add_column(status, justify="right")
    for merchant, one in counts.items():
        table.add_row(merchant, *(str(one[status]) for status in statuses))
    return table


def timings(console: Console, steps: Mapping[str, float], rss_bytes: int) -> None:
    """Prints seconds per step and the memory of the whole stack."""
    table = Table(title="Timings")
    table.add_column("step")
    table.add_column("seconds", justify="right")
    for name, seconds in steps.items():
        table.add_row(name, f"{seconds:.1f}")
    table.add_row("total", f"{sum(steps.values()):.1f}")
    console.print(table)
    console.print(f"memory of the stack (broker and workers): {rss_bytes / 2**20:.0f} MiB")
