"""`adcat up`: the local stack in the foreground, until a signal."""

import asyncio

from adcat.settings import Settings
from adcat.stack import LocalStack, control_url


async def run_up(settings: Settings) -> None:
    """Starts the stack and supervises it until cancelled; then drains and stops it."""
    stack = LocalStack(settings, print)
    try:
        await stack.start()
        print(
            f"control {control_url(settings)}, gRPC {settings.host}:{settings.grpc_port}, gateway port {settings.gateway_port}"
        )
        await asyncio.Event().wait()
    finally:
        await stack.stop()
