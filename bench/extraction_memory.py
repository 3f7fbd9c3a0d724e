"""Peak memory growth over many page decisions, no two pages alike.

    python -m bench.extraction_memory [DECISIONS]

Every page gets class names of its own, so that whatever is remembered from page to page grows as it would over many shops.
Growth counts from the state after the first pass over the pages: what a worker holds once it has warmed up.
"""

import os
import sys
from pathlib import Path

from bench.extraction_speed import FOLDER, bodies, decide

DECISIONS = 1_000
SAMPLE_EVERY = 50


def resident_mib() -> float:
    """Resident memory of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE") / (1 << 20)


def unlike(body: bytes, number: int) -> bytes:
    """The page under other class names and words."""
    own = f"n{number}".encode()
    return body.replace(b'class="', b'class="' + own + b"-", 400).replace(b"class='", b"class='" + own + b"-", 400)


def growth_mib(pages: list[bytes], decisions: int) -> tuple[float, float, float]:
    """(resident after one pass, peak growth after it, growth at the end), in MiB."""
    for body in pages:
        decide(body)
    start = resident_mib()
    peak = now = start
    for number in range(decisions):
        decide(unlike(pages[number % len(pages)], number))
        if number % SAMPLE_EVERY == 0:
            now = resident_mib()
            peak = max(peak, now)
    return start, peak - start, now - start


def main() -> None:
    decisions = int(sys.argv[1]) if len(sys.argv) > 1 else DECISIONS
    start, peak, end = growth_mib(bodies(FOLDER), decisions)
    print(
        f"{decisions} decisions: {start:.0f} MiB after the first pass, peak growth {peak:.1f} MiB, at the end {end:.1f} MiB"
    )


if __name__ == "__main__":
    main()
