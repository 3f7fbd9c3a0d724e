"""`adcat worker NAME`: one process of the stack, composed from the settings; its readiness is a file the supervisor reads."""

import asyncio
import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from adcat.settings import Settings
from adcat.supervisor import STOP_GRACE_S, SUPERVISOR, WORKERS, status_path
from topics.errors import Invalid
from topics.status import write_status

FOLLOW_S = 0.5
FAUST = ("frontier", "budget", "parse", "publish")


def run_worker(name: str, settings: Settings) -> None:
    """Runs a worker in the foreground until SIGTERM; raises Invalid for an unknown name."""
    if name not in WORKERS:
        raise Invalid("worker", name, f"use one of {', '.join(WORKERS)}")
    follow_supervisor()
    if name in FAUST:
        _run_faust(name, settings)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    PLAIN[name](settings)


def follow_supervisor() -> None:
    """Stops this process when the supervisor that started it dies, even by SIGKILL; a worker started by hand has none.

    Nobody else would stop it: a worker runs in a session of its own. It is asked to drain first, then its group is killed.
    """
    supervisor = os.environ.get(SUPERVISOR)
    if supervisor is not None:
        threading.Thread(target=_follow, args=(int(supervisor),), name="follow supervisor", daemon=True).start()


def _follow(supervisor: int) -> None:
    while os.getppid() == supervisor:
        time.sleep(FOLLOW_S)
    logging.getLogger(__name__).critical("stopping: supervisor %d is gone", supervisor)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(STOP_GRACE_S)
    os.killpg(os.getpgid(0), signal.SIGKILL)


def _run_faust(name: str, settings: Settings) -> None:
    from streams.app import run_stage
    from streams.shell.settings import ShellSettings

    session_s = settings.session_timeout_ms / 1000
    shell = ShellSettings(
        bootstrap=settings.kafka,
        home=settings.home,
        worker=name,
        session_s=session_s,
        heartbeat_s=min(3.0, session_s / 4),
    )
    run_stage(name, shell, settings.sizing, settings.blobs_url)


def _run_until_signalled(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async def main() -> None:
        task = asyncio.ensure_future(work())
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, task.cancel)
        with suppress(asyncio.CancelledError):
            await task

    asyncio.run(main())


def _fetch(settings: Settings) -> None:
    from importlib.metadata import version

    from streams.fetch.agent import FetchSettings
    from streams.fetch.agent import run_worker as run_fetch

    fetch = FetchSettings(
        bootstrap=settings.kafka,
        partitions=settings.partitions,
        blobs=settings.blobs_url,
        status=status_path(settings, "fetch"),
        version=version("adcat"),
        contact=settings.contact,
        allow_loopback=settings.allow_loopback,
        session_ms=settings.session_timeout_ms,
    )
    asyncio.run(run_fetch(fetch))


def _control(settings: Settings) -> None:
    from control.app import run_control

    _run_until_signalled(lambda: run_control(control_settings(settings), *_says(settings, "control")))


def _relay(settings: Settings) -> None:
    from control.app import run_relay

    _run_until_signalled(lambda: run_relay(control_settings(settings), *_says(settings, "relay")))


def control_settings(settings: Settings) -> Any:
    """Returns the settings of the control plane's processes."""
    from control.settings import ControlSettings

    return ControlSettings(
        database_url=settings.database_url,
        bootstrap=settings.kafka,
        home=settings.home,
        host=settings.host,
        port=settings.control_port,
        partitions=settings.partitions,
        allow_loopback=settings.allow_loopback,
        audience="control",
    )


def _serve(settings: Settings) -> None:
    from serving_grpc.server import run_serve
    from serving_grpc.settings import ServeSettings

    serve = ServeSettings(
        bootstrap=settings.kafka,
        home=settings.home,
        keys=settings.keys,
        host=settings.host,
        port=settings.grpc_port,
        metrics_port=settings.metrics_port,
        partitions=settings.partitions,
    )
    run_serve(serve, lambda ready: write_status(status_path(settings, "serve"), ready=ready, port=settings.grpc_port))


def _gateway(settings: Settings) -> None:
    from serving_grpc.gateway import run_gateway
    from serving_grpc.settings import GatewaySettings

    gateway = GatewaySettings(
        target=f"{settings.host}:{settings.grpc_port}", host=settings.host, port=settings.gateway_port
    )
    run_gateway(
        gateway, lambda ready: write_status(status_path(settings, "gateway"), ready=ready, port=settings.gateway_port)
    )


def _says(settings: Settings, name: str) -> tuple[Callable[[str], None], Callable[[str], None]]:
    """Returns what the worker calls when it is ready, and when it waits for something."""
    return (
        lambda detail: write_status(status_path(settings, name), ready=True, detail=detail),
        lambda problem: write_status(status_path(settings, name), ready=False, detail=problem),
    )


PLAIN: dict[str, Callable[[Settings], None]] = {
    "control": _control,
    "relay": _relay,
    "fetch": _fetch,
    "serve": _serve,
    "gateway": _gateway,
}
