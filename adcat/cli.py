"""The `adcat` command: one file per group of subcommands, all wired here."""

import logging
import sys
from importlib import import_module

import typer

from adcat.foreground import Interrupted
from topics.errors import AdcatError, Invalid

app = typer.Typer(
    help="adcat builds and serves a crawl-based product catalog for advertising.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)

GROUPS = {
    "broker": "adcat.broker_cli",
    "topics": "adcat.topics_cli",
    "schema": "adcat.schema_cli",
    "inspect": "adcat.inspect",
}


def _wire(arguments: list[str]) -> None:
    """Adds the subcommands; a group's module is imported only when it is asked for, so that each starts fast."""
    wanted = next((one for one in arguments if not one.startswith("-")), None)
    for name, module in GROUPS.items():
        if wanted in (None, name):
            app.add_typer(import_module(module).app, name=name)
    if wanted not in GROUPS:
        import_module("adcat.stack_cli").register(app)


def main() -> None:
    """Runs the command; an error of ours is one line on standard error: exit code 2 for bad input, else 1."""
    logging.getLogger("aiokafka").setLevel(logging.CRITICAL)  # an outage is one line of ours, not a flood
    try:
        _wire(sys.argv[1:])
        app()
    except Interrupted as error:
        print(f"adcat: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except Invalid as error:
        print(f"adcat: {error}", file=sys.stderr)
        sys.exit(2)
    except AdcatError as error:
        print(f"adcat: {error}", file=sys.stderr)
        sys.exit(1)
