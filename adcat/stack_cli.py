"""`adcat up|down|status|worker|store|demo|crawl|token|recover`."""

import asyncio
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from adcat.foreground import Interrupted, run_foreground
from adcat.settings import Settings
from topics.errors import AdcatError, Invalid

DOWN_S_MAX = 60.0
_UNITS = {"s": 1_000, "m": 60_000, "h": 3_600_000}


class StillRunning(AdcatError):
    """A stack did not stop in time."""


def duration_ms(text: str, field: str = "wait") -> int:
    """Returns milliseconds of `90s`, `10m`, `1h`; raises Invalid for anything else."""
    number, unit = text[:-1], text[-1:]
    if unit not in _UNITS or not number.isdecimal():
        raise Invalid(field, text, "write a number and s, m or h, for example 10m")
    return int(number) * _UNITS[unit]


def register(app: typer.Typer) -> None:
    """Adds the commands of this file."""
    for command in (up, down, status, worker, store, demo, crawl, token, recover):
        app.command()(command)


def up() -> None:
    """Start broker and workers and supervise them until Ctrl-C or `adcat down`."""
    from adcat.up import run_up

    with suppress(Interrupted):  # the way to end it
        run_foreground(run_up(Settings.from_environment()))


def down() -> None:
    """Stop what runs from ADCAT_HOME (`adcat up` or `adcat crawl`), and wait until it has stopped."""
    from adcat.home import holder

    settings = Settings.from_environment()
    pid = holder(settings)
    if pid is None:
        print(f"nothing runs from {settings.home.absolute()}")
        return
    print(f"stopping pid {pid}")
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + DOWN_S_MAX
    while holder(settings) == pid:
        if time.monotonic() > deadline:
            raise StillRunning(f"pid {pid} still runs after {DOWN_S_MAX:.0f} s: read {settings.logs.absolute()}")
        time.sleep(0.1)


def status() -> None:
    """Show the broker and every worker: ready, pid, and what it says of itself."""
    from adcat import broker
    from adcat.supervisor import WORKERS, is_ready, read_status

    settings = Settings.from_environment()
    found = broker.status(settings.broker)
    print(f"broker    {'ready' if found.ready else 'down':8} {settings.kafka}")
    for name in WORKERS:
        said = read_status(settings, name)
        detail = ", ".join(f"{key}={value}" for key, value in said.items() if key != "ready")
        print(f"{name:9} {'ready' if is_ready(settings, name) else 'down':8} {detail}")


def worker(name: Annotated[str, typer.Argument(help="which worker; one process each in production")]) -> None:
    """Run one worker in the foreground."""
    from adcat.worker import run_worker

    run_worker(name, Settings.from_environment())


def store(
    *,
    port: Annotated[int, typer.Option(help="first of the ports, one per merchant")] = 8701,
    log: Annotated[Path | None, typer.Option(help="write every request here, one JSON object a line")] = None,
) -> None:
    """Serve the bundled sample storefronts."""
    from adcat.store import run_forever

    run_forever(port, log)


def demo(
    *, keep: Annotated[bool, typer.Option(help="leave everything running at the end, until Ctrl-C")] = False
) -> None:
    """Crawl the sample storefronts from authorization to BatchGet, then revoke one."""
    from adcat.demo import DemoFailed, run_demo

    try:
        run_foreground(run_demo(Settings.from_environment(), keep=keep))
    except DemoFailed as error:
        print(f"adcat demo: {error}", file=sys.stderr)
        raise typer.Exit(1) from error


def crawl(
    url: Annotated[str, typer.Argument(help="start URL of the storefront")],
    *,
    merchant: Annotated[str, typer.Option(help="merchant id: a-z, 0-9, -")],
    market: Annotated[str, typer.Option(help="ISO 3166 country, for example US")],
    currency: Annotated[str, typer.Option(help="ISO 4217 currency, for example USD")],
    wait: Annotated[str, typer.Option(help="how long to wait for the proof of control")] = "10m",
    rate: Annotated[float, typer.Option(help="requests a second at most")] = 1.0,
) -> None:
    """Authorize and crawl one storefront; exit code 3 when no proof of control appears."""
    from adcat.crawl import run_crawl

    if not 0 < rate <= 100:
        raise Invalid("rate", rate, "use more than 0 and at most 100 requests a second")
    settings = Settings.from_environment()
    code = run_foreground(run_crawl(settings, url, merchant, market, currency, wait_ms=duration_ms(wait), rate=rate))
    raise typer.Exit(code)


def token(
    *,
    audience: Annotated[str, typer.Option(help="serving (BatchGet, gateway) or control (HTTP API)")] = "serving",
    role: Annotated[list[str] | None, typer.Option(help="operator, service or analyst; may be repeated")] = None,
    merchant: Annotated[list[str] | None, typer.Option(help="merchant id, * for all; may be repeated")] = None,
    market: Annotated[list[str] | None, typer.Option(help="market like US:USD, * for all; may be repeated")] = None,
    lifetime: Annotated[str, typer.Option(help="how long it lives, for example 24h")] = "24h",
) -> None:
    """Print a bearer token for local use; without --merchant and --market it grants nothing."""
    from adcat.tokens import local_token

    if audience not in ("serving", "control"):
        raise Invalid("audience", audience, "use serving or control")
    print(
        local_token(
            Settings.from_environment(),
            audience,
            roles=role or ["service" if audience == "serving" else "operator"],
            merchants=merchant or [],
            markets=market or [],
            lifetime_ms=duration_ms(lifetime, "lifetime"),
        )
    )


def recover() -> None:
    """After restoring the database: raise every source above the policy topic; each comes back disabled."""
    from adcat.worker import control_settings
    from control.app import recover as raise_epochs

    merchants = asyncio.run(raise_epochs(control_settings(Settings.from_environment())))
    print(
        f"{len(merchants)} sources raised and disabled: {', '.join(merchants) or 'none'}; enable each one that may go on"
    )
