"""`adcat broker start|stop|status`."""

import typer

from adcat.broker.errors import BrokerError
from adcat.broker.server import start, status, stop
from adcat.broker.settings import BrokerSettings

app = typer.Typer(help="The embedded single-node Apache Kafka.", no_args_is_help=True)


@app.command("start")
def start_command() -> None:
    """Start Kafka unless it runs; the first start fetches its jars by Maven."""
    try:
        seen = start(BrokerSettings.from_environment())
    except BrokerError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from error
    typer.echo(f"Kafka answers on {seen.address} (pid {seen.pid}, log {seen.log})")


@app.command("stop")
def stop_command() -> None:
    """Stop Kafka; its data stay."""
    typer.echo("Kafka is stopped" if stop(BrokerSettings.from_environment()) else "Kafka did not run")


@app.command("status")
def status_command() -> None:
    """Say whether Kafka runs and answers; exit code 3 when it does not."""
    seen = status(BrokerSettings.from_environment())
    if not seen.running:
        typer.echo(f"Kafka does not run (would listen on {seen.address}): adcat broker start")
        raise typer.Exit(3)
    typer.echo(
        f"Kafka {'answers' if seen.ready else 'does not answer yet'} on {seen.address} (pid {seen.pid}, log {seen.log})"
    )
    if not seen.ready:
        raise typer.Exit(3)
