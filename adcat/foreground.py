"""Commands that run a stack in the foreground: SIGTERM is taken like Ctrl-C, so that both stop what was started."""

import asyncio
import signal
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Interrupted(Exception):
    """A signal ended the command; everything that it started is stopped."""

    def __init__(self, number: signal.Signals) -> None:
        self.exit_code = 128 + number
        super().__init__(f"stopped by {number.name}")


def run_foreground(work: Coroutine[Any, Any, T]) -> T:
    """Runs `work`; the first SIGINT or SIGTERM cancels it, waits for its clean-up and raises Interrupted.

    Later signals are ignored: a clean-up that is cut short would leave processes behind, and it is bounded by itself.
    """
    received: list[signal.Signals] = []

    async def main() -> T:
        task = asyncio.ensure_future(work)
        loop = asyncio.get_running_loop()

        def cancel(number: signal.Signals) -> None:
            if not received:
                received.append(number)
                task.cancel()

        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, cancel, number)
        return await task

    try:
        return asyncio.run(main())
    except asyncio.CancelledError:
        if not received:
            raise
        raise Interrupted(received[0]) from None
