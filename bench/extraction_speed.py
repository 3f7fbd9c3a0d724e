"""Full decision per page against extruct, single core, on saved pages.

    python bench/extraction_speed.py [FOLDER of .html.gz]

Prints pages per CPU-second of adcat, of extruct with all syntaxes (on a few pages: it is slow) and of extruct without RDFa, and the
two ratios; a crawl sees a template many times, so the first pass over unseen ones is printed apart. Without the folder of saved pages it builds pages of ~300 KB from the fixtures.
"""

import contextlib
import gzip
import sys
import time
from collections.abc import Callable
from pathlib import Path

import extruct

from streams.extraction.page import PageContext, read_page
from streams.page_tree import PageTree

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT.parent / "shared" / "data" / "pages"
SOME = ["json-ld", "microdata", "opengraph"]


def bodies(folder: Path) -> list[bytes]:
    saved = [gzip.decompress(path.read_bytes()) for path in sorted(folder.glob("*.html.gz"))]
    if saved:
        return saved
    filler = b"<div class='block'><p>Filler text of the page.</p><a href='/x'>link</a></div>\n" * 3_500
    return [
        path.read_bytes().replace(b"</body>", filler + b"</body>")
        for path in sorted((ROOT / "tests" / "pages").glob("*/page.html"))[:40]
    ]


def rate(pages: list[bytes], read: Callable[[bytes], object]) -> float:
    """Pages per CPU-second."""
    start = time.process_time()
    for body in pages:
        with contextlib.suppress(Exception):  # extruct raises on broken pages; they still cost their time
            read(body)
    return len(pages) / (time.process_time() - start)


def main() -> None:
    pages = bodies(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
    url = "https://shop.example/p/1"

    def ours(body: bytes) -> object:
        return read_page(PageTree.parse(body, url=url), PageContext(url=url, market="US", currency="USD"))

    cold = rate(pages, ours)
    mine = rate(pages, ours)
    slow = rate(pages[::6], lambda body: extruct.extract(body.decode("utf-8", "replace"), base_url=url))
    fast = rate(pages[::2], lambda body: extruct.extract(body.decode("utf-8", "replace"), base_url=url, syntaxes=SOME))
    print(f"{len(pages)} pages, mean {sum(map(len, pages)) // len(pages) // 1024} KiB")
    print(f"adcat, templates unseen    {cold:8.1f} pages/s")
    print(f"adcat, full decision       {mine:8.1f} pages/s")
    print(f"extruct, all syntaxes      {slow:8.1f} pages/s   ratio {mine / slow:6.1f}")
    print(f"extruct, without RDFa      {fast:8.1f} pages/s   ratio {mine / fast:6.1f}")


if __name__ == "__main__":
    main()
