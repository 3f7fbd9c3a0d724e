"""Coverage-guided fuzzing of the code that reads hostile text: `python tests/fuzz/coverage_guided.py TARGET [libFuzzer options]`.

Targets: `json`, `price`, `microdata`, `nuxt`, `odd`, `page`. Needs atheris, which is not a dependency of adcat (it has wheels for
few platforms); without it this says so and ends with 0. An exception or an input slower than the limit is a finding, written to
the current folder by libFuzzer. Example, two minutes: `python tests/fuzz/coverage_guided.py json -max_total_time=120`.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # run as a script, from anywhere

try:
    import atheris
except ImportError:
    sys.stderr.write("skipped: atheris is not installed (pip install atheris)\n")
    sys.exit(0)

with atheris.instrument_imports(include=["streams"]):
    from streams.extraction.microdata import microdata_items
    from streams.extraction.nuxt import nuxt_value
    from streams.extraction.odd_markup import odd_items, preload
    from streams.extraction.page import PageContext, read_page
    from streams.extraction.price_text import parse_amounts, parse_price
    from streams.extraction.repair import Unreadable, load
    from streams.extraction.schema_org import products_of
    from streams.page_tree import PageTree

URL = "https://shop.example/p/oak-stool"


def json(body: bytes) -> None:
    try:
        load(body.decode("utf-8", "replace"))
    except Unreadable:
        return


def price(body: bytes) -> None:
    text = body.decode("utf-8", "replace")
    parse_amounts(text)
    read = parse_price(text, currency_hint="EUR", market="DE")
    if read.amount is not None and read.amount <= 0:
        raise AssertionError(f"a price is above zero: {text!r}")


def microdata(body: bytes) -> None:
    products_of(microdata_items(PageTree.parse(body, url=URL)))


def nuxt(body: bytes) -> None:
    nuxt_value("__NUXT__=(function(a,b){" + body.decode("utf-8", "replace"))


def odd(body: bytes) -> None:
    odd_items(PageTree.parse(b"<b typeof=Product property=a itemscope itemtype='s/Product'>" + body, url=URL))


def page(body: bytes) -> None:
    read_page(PageTree.parse(body, url=URL), PageContext(url=URL, market="US", currency="USD"))


TARGETS = {"json": json, "price": price, "microdata": microdata, "nuxt": nuxt, "odd": odd, "page": page}


def main() -> None:
    if len(sys.argv) < 2 or sys.argv[1] not in TARGETS:
        sys.exit(f"give a target: {', '.join(TARGETS)}")
    preload()
    target = TARGETS[sys.argv.pop(1)]
    atheris.Setup([*sys.argv, "-timeout=5", "-max_len=4096"], target)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
