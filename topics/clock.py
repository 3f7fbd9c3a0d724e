"""The only place that reads a wall clock; shells pass the value on, pure code takes it as an argument."""

import time


def wall_ms() -> int:
    """Returns this machine's clock in ms since the epoch. It orders nothing (SPEC G2)."""
    return time.time_ns() // 1_000_000
