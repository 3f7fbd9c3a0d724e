"""Full decision per page against extruct, single core, on saved pages.

    python -m bench.extraction_speed [FOLDER of .html.gz]

Prints milliseconds of CPU per page (the least of several turns, page by page, since the machine may be shared) and the two
ratios, each on the same pages: every sixth page for extruct with all syntaxes, which is slow. The first turn is printed apart:
a crawl sees a template many times, the first turn has seen none. Without saved pages it builds some of ~300 KB from the fixtures.
"""

import contextlib
import gzip
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import extruct

from streams.extraction.page import PageContext, read_page
from streams.page_tree import PageTree

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT.parent / "shared" / "data" / "pages"
SOME = ["json-ld", "microdata", "opengraph"]
URL = "https://shop.example/p/1"
TURNS = 4
SLOW_STEP = 6


def bodies(folder: Path) -> list[bytes]:
    """Saved pages of a folder, or pages of ~300 KB made of the fixtures."""
    saved = [gzip.decompress(path.read_bytes()) for path in sorted(folder.glob("*.html.gz"))]
    if saved:
        return saved
    block = "<div class='block b{n}'><p>Filler text {n} of the page.</p><a href='/x/{n}'>link</a></div>\n"
    filler = "".join(block.format(n=n) for n in range(1_800)).encode()
    script = b"<script>" + b"window.q=window.q||[];function f(a,b){return a<b?a:b}\n" * 2_500 + b"</script>"
    return [
        path.read_bytes().replace(b"</body>", filler + script + b"</body>")
        for path in sorted((ROOT / "tests" / "pages").glob("*/page.html"))[:40]
    ]


def cost_ms(read: Callable[[bytes], object], body: bytes) -> float:
    """CPU milliseconds of one reading."""
    start = time.process_time_ns()
    with contextlib.suppress(Exception):  # extruct raises on broken pages; they still cost their time
        read(body)
    return (time.process_time_ns() - start) / 1e6


def least_ms(read: Callable[[bytes], object], pages: Sequence[bytes], turns: int) -> list[float]:
    """The least CPU milliseconds of each page."""
    return [min(costs) for costs in zip(*([cost_ms(read, body) for body in pages] for _ in range(turns)), strict=True)]


def decide(body: bytes) -> object:
    return read_page(PageTree.parse(body, url=URL), PageContext(url=URL, market="US", currency="USD"))


def extract_some(body: bytes) -> object:
    return extruct.extract(body.decode("utf-8", "replace"), base_url=URL, syntaxes=SOME)


def extract_all(body: bytes) -> object:
    return extruct.extract(body.decode("utf-8", "replace"), base_url=URL)


def main() -> None:
    pages = bodies(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
    count = len(pages)
    cold = sum(least_ms(decide, pages, 1)) / count
    mine = least_ms(decide, pages, TURNS)
    parse = sum(least_ms(lambda body: PageTree.parse(body, url=URL), pages, TURNS)) / count
    some = least_ms(extract_some, pages, TURNS // 2)
    every = least_ms(extract_all, pages[::SLOW_STEP], 1)
    print(f"{count} pages, mean {sum(map(len, pages)) // count // 1024} KiB; CPU per page, single core")
    print(f"adcat {sum(mine) / count:.1f} ms (first turn {cold:.1f}, of it judging and parsing the bytes {parse:.1f})")
    print(f"extruct without RDFa {sum(some) / count:.1f} ms, with all syntaxes {sum(every) / len(every):.1f} ms")
    print(
        f"full decision: {sum(some) / sum(mine):.1f} x extruct without RDFa, "
        f"{sum(every) / sum(mine[::SLOW_STEP]):.1f} x extruct with all syntaxes"
    )


if __name__ == "__main__":
    main()
