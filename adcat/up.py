"""`adcat up`: the local stack in the foreground."""

import asyncio
import os
import signal
from pathlib import Path

from adcat.settings import Settings
from adcat.stack import LocalStack, control_url


def pid_path(settings: Settings) -> Path:
    """Returns where `adcat up` notes its pid for `adcat down`."""
    return settings.run / "up.pid"


async def run_up(settings: Settings) -> None:
    """Starts the stack and supervises it until SIGINT or SIGTERM; then drains and stops it."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    stack = LocalStack(settings, print)
    path = pid_path(settings)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(str(os.getpid()))
    try:
        await stack.start()
        print(
            f"control {control_url(settings)}, gRPC {settings.host}:{settings.grpc_port}, gateway port {settings.gateway_port}"
        )
        await stop.wait()
    finally:
        await stack.stop()
        path.unlink(missing_ok=True)
