"""`adcat broker start|stop|status|console`."""

import os
from typing import Annotated

import typer

from adcat.broker import console_consumer, start, status, stop
from adcat.settings import Settings

app = typer.Typer(help="The embedded single-node Apache Kafka.", no_args_is_help=True)


@app.command("start")
def start_command() -> None:
    """Start Kafka unless it runs; the first start fetches its jars by Maven."""
    seen = start(Settings.from_environment().broker)
    typer.echo(f"Kafka answers on {seen.address} (pid {seen.pid}, log {seen.log})")


@app.command("stop")
def stop_command() -> None:
    """Stop Kafka; its data stay."""
    typer.echo("Kafka is stopped" if stop(Settings.from_environment().broker) else "Kafka did not run")


@app.command("status")
def status_command() -> None:
    """Say whether Kafka runs and answers; exit code 3 when it does not."""
    seen = status(Settings.from_environment().broker)
    if not seen.running:
        typer.echo(f"Kafka does not run (would listen on {seen.address}): adcat broker start")
        raise typer.Exit(3)
    typer.echo(
        f"Kafka {'answers' if seen.ready else 'does not answer yet'} on {seen.address} (pid {seen.pid}, log {seen.log})"
    )
    if not seen.ready:
        raise typer.Exit(3)


@app.command("console", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def console_command(context: typer.Context, topic: Annotated[str, typer.Argument(help="topic name")]) -> None:
    """Read a topic with Kafka's own console consumer class; further options are its own, for example --from-beginning."""
    command = console_consumer(Settings.from_environment().broker, topic, *context.args)
    os.execv(command[0], command)  # noqa: S606 - the shell's place is taken by Kafka's tool, so Ctrl-C is its own
