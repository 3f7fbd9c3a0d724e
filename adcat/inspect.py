"""`adcat inspect page|selectors|price|gtin`: what extraction reads, and on what it rests. Needs no broker."""

import gzip
import sys
import zlib
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer

from adcat.inspect_html import report
from streams.extraction.gtin import read_gtin
from streams.extraction.page import PageContext, inspect_answer, read_page
from streams.extraction.price_text import parse_price
from streams.extraction.selectors import FIELDS, try_selectors
from streams.extraction.signs import iso_code
from streams.page_tree import BODY_BYTES_MAX, PageTree, join
from topics.errors import Invalid
from topics.money import MoneyError, exponent_of, is_currency, to_money

app = typer.Typer(help="Show what extraction reads in a saved page, a price text or a GTIN.", no_args_is_help=True)
SELECTED_FIELDS = (
    "price_minor", "currency", "list_price_minor", "availability", "sku", "gtin", "name", "brand"
)  # fmt: skip
_GZIP_RATIO_BYTES_MAX = BODY_BYTES_MAX + 1


@app.command()
def page(
    *,
    file: Annotated[Path | None, typer.Argument(help="A saved page, .html or .html.gz.")] = None,
    url: Annotated[str | None, typer.Option(help="Address the page was observed at.")] = None,
    market: Annotated[str | None, typer.Option(help="Market of the policy, e.g. US.")] = None,
    currency: Annotated[str | None, typer.Option(help="Currency of the policy for that market, e.g. USD.")] = None,
    selector: Annotated[
        list[str] | None,
        typer.Option("--selector", help="A merchant selector, e.g. price='.product .price'; repeatable."),
    ] = None,
    html: Annotated[Path | None, typer.Option("--html", help="Also write a report for people to this file.")] = None,
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help="One request a line on stdin, one answer a line on stdout.")
    ] = False,
) -> None:
    """Print what one saved page says as JSON; with --html, write its claims beside the decisions as a page."""
    if jsonl:
        if file is not None or html is not None:
            _unusable("FILE or --html and --jsonl exclude each other; give the path in each request line")
        _answer_lines(_page_request)
        return
    request = _page_options(file, url, market, currency, selector)
    _answer_one(_page_request, request)
    if html is not None:
        tree, context = _opened(request)
        html.write_text(report(tree, context), encoding="utf-8")


@app.command()
def selectors(
    *,
    file: Annotated[Path | None, typer.Argument(help="A saved page, .html or .html.gz.")] = None,
    url: Annotated[str | None, typer.Option(help="Address the page was observed at.")] = None,
    market: Annotated[str | None, typer.Option(help="Market of the policy, e.g. US.")] = None,
    currency: Annotated[str | None, typer.Option(help="Currency of the policy for that market, e.g. USD.")] = None,
    selector: Annotated[
        list[str] | None,
        typer.Option("--selector", help="A merchant selector, e.g. price='.product .price'; repeatable."),
    ] = None,
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help="One request a line on stdin, one answer a line on stdout.")
    ] = False,
) -> None:
    """Try merchant selectors on saved pages: what each finds, and the decision with and without them."""
    if jsonl:
        _answer_lines(_selectors_request)
    else:
        _answer_one(_selectors_request, _page_options(file, url, market, currency, selector))


@app.command()
def price(
    text: Annotated[str | None, typer.Argument(help="A price text.")] = None,
    currency_hint: Annotated[str | None, typer.Option(help="Currency expected there, e.g. EUR.")] = None,
    market: Annotated[str | None, typer.Option(help="Country whose number marks are expected, e.g. DE.")] = None,
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help="One request a line on stdin, one answer a line on stdout.")
    ] = False,
) -> None:
    """Print how one price text is read."""
    _one_or_lines(_price_request, {"text": text, "currency_hint": currency_hint, "market": market}, text is None, jsonl)


@app.command()
def gtin(
    value: Annotated[str | None, typer.Argument(help="A GTIN, EAN, UPC or ISBN.")] = None,
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help="One request a line on stdin, one answer a line on stdout.")
    ] = False,
) -> None:
    """Print whether a GTIN is valid."""
    _one_or_lines(_gtin_request, {"value": value}, value is None, jsonl)


def _one_or_lines(handle: Any, request: dict[str, Any], missing: bool, jsonl: bool) -> None:
    if jsonl:
        _answer_lines(handle)
        return
    if missing:
        _unusable("give a value, or --jsonl with one request a line on stdin")
    _answer_one(handle, request)


def _answer_one(handle: Any, request: dict[str, Any]) -> None:
    try:
        answer = handle(request)
    except Invalid as fault:
        _unusable(str(fault))
    sys.stdout.write(orjson.dumps(answer, option=orjson.OPT_INDENT_2).decode() + "\n")


def _unusable(message: str) -> None:
    sys.stderr.write(f"adcat inspect: {message}\n")
    raise typer.Exit(2)


def _answer_lines(handle: Any) -> None:
    """Answers each line as it comes; a bad line gets an error object and the run goes on."""
    for line in sys.stdin.buffer:
        if not line.strip():
            continue
        try:
            request = orjson.loads(line)
            answer = handle(_object(request, line))
        except orjson.JSONDecodeError as fault:
            answer = _error(
                Invalid("request", line[:80].decode("utf-8", "replace"), f"write one JSON object a line ({fault})")
            )
        except Invalid as fault:
            answer = _error(fault)
        sys.stdout.buffer.write(orjson.dumps(answer) + b"\n")
        sys.stdout.buffer.flush()


def _object(request: Any, line: bytes) -> dict[str, Any]:
    if not isinstance(request, dict):
        raise Invalid("request", line[:80].decode("utf-8", "replace"), "write one JSON object a line")
    return request


def _error(fault: Invalid) -> dict[str, Any]:
    return {"error": {"field": fault.field, "value": fault.value, "remedy": fault.remedy}}


def _text(request: dict[str, Any], name: str, *, required: bool = False) -> str | None:
    value = request.get(name)
    if value is None and not required:
        return None
    if not isinstance(value, str) or (required and not value.strip()):
        raise Invalid(name, value, "give a text" if value is not None else "this field is required")
    return value


def _said(request: dict[str, Any], name: str) -> str:
    """A text that may be empty: what a page leaves out is an answer too."""
    value = _text(request, name)
    return value if value is not None else _text(request, name, required=True) or ""


def _market(request: dict[str, Any]) -> str | None:
    value = _text(request, "market")
    if value is None:
        return None
    if len(value) != 2 or not value.isascii() or not value.isalpha():
        raise Invalid("market", value, "give an ISO 3166 country code, e.g. US")
    return value.upper()


def _currency(request: dict[str, Any], name: str) -> str | None:
    value = _text(request, name)
    if value is None:
        return None
    code = iso_code(value) or ""
    if not is_currency(code):
        raise Invalid(name, value, "give an ISO 4217 code, e.g. USD")
    return code


def _page_options(
    file: Path | None, url: str | None, market: str | None, currency: str | None, selector: list[str] | None
) -> dict[str, Any]:
    """The request that the options of one page make."""
    if file is None or url is None:
        _unusable("give FILE and --url URL, or --jsonl with one request a line on stdin")
    pairs = [one.partition("=") for one in selector or ()]
    named = {name: css for name, _, css in pairs}
    return {"path": str(file), "url": url, "market": market, "currency": currency, "selectors": named}


def _selectors(request: dict[str, Any]) -> dict[str, str]:
    """Selectors by the field they are for; `price_minor` and `list_price_minor` are taken for `price` and `list_price`."""
    given = request.get("selectors")
    if given is not None and not isinstance(given, dict):
        raise Invalid("selectors", given, "give an object of field name and CSS selector")
    out: dict[str, str] = {}
    for name, css in (given or {}).items():
        field = name.removesuffix("_minor")
        if field not in FIELDS:
            raise Invalid(f"selectors.{name}", css, f"selectors are for {', '.join(FIELDS)}")
        if not isinstance(css, str) or not css.strip():
            raise Invalid(f"selectors.{name}", css, "write field=CSS, e.g. price='.product .price'")
        out[field] = css.strip()
    return out


def _opened(request: dict[str, Any]) -> tuple[PageTree, PageContext]:
    url = _text(request, "url", required=True) or ""
    path = _text(request, "path", required=True) or ""
    if join(url, url) is None:
        raise Invalid("url", url, "give an absolute http or https URL")
    context = PageContext(
        url=url, market=_market(request), currency=_currency(request, "currency"), selectors=_selectors(request)
    )
    return PageTree.parse(read_body(Path(path)), content_type=None, url=url), context


def _page_request(request: dict[str, Any]) -> dict[str, Any]:
    tree, context = _opened(request)
    broken = [one for one in try_selectors(tree, context.selectors) if one.reason == "broken_selector"]
    if broken:
        raise Invalid(f"selectors.{broken[0].field}", broken[0].css, "this is no CSS selector")
    return inspect_answer(read_page(tree, context))


def _selectors_request(request: dict[str, Any]) -> dict[str, Any]:
    tree, context = _opened(request)
    if not context.selectors:
        raise Invalid("selectors", None, "give at least one, e.g. --selector price='.product .price'")
    return {
        "selectors": [asdict(one) for one in try_selectors(tree, context.selectors)],
        "without": _decided(tree, replace(context, selectors={})),
        "with": _decided(tree, context),
    }


def _decided(tree: PageTree, context: PageContext) -> dict[str, Any]:
    """The verdict, the selected offer's fields that selectors speak of, and the refusals."""
    reading = read_page(tree, context)
    offer: dict[str, Any] = next((one for one in inspect_answer(reading)["offers"] if one["selected"]), {})
    return {
        "verdict": reading.verdict,
        "offer": {name: offer.get(name) for name in SELECTED_FIELDS},
        "refused": sorted({f"{one.field}:{one.reason}" for one in reading.refusals}),
    }


def read_body(path: Path) -> bytes:
    """The bytes of a saved page, at most one more than extraction takes; gzip by its magic number."""
    try:
        with path.open("rb") as raw:
            if raw.read(2) != b"\x1f\x8b":
                raw.seek(0)
                return raw.read(_GZIP_RATIO_BYTES_MAX)
            raw.seek(0)
            with gzip.GzipFile(fileobj=raw) as unpacked:
                return unpacked.read(_GZIP_RATIO_BYTES_MAX)
    except (EOFError, zlib.error, gzip.BadGzipFile) as fault:
        raise Invalid("path", path, f"the gzip file is damaged ({fault}); save the page again") from fault
    except OSError as fault:
        raise Invalid(
            "path", path, f"cannot read it ({fault.strerror or fault}); give a saved .html or .html.gz file"
        ) from fault


def _price_request(request: dict[str, Any]) -> dict[str, Any]:
    read = parse_price(
        _said(request, "text"), currency_hint=_currency(request, "currency_hint"), market=_market(request)
    )
    minor, exponent, reason = None, None, read.reason
    if read.currency:
        exponent = exponent_of(read.currency)
    if read.currency and read.amount is not None:
        try:
            minor = to_money(read.amount, read.currency)[0].amount_minor
        except MoneyError as fault:
            reason = fault.reason
    return {
        "amount": None if read.amount is None else format(read.amount, "f"),
        "amount_minor": minor,
        "currency": read.currency,
        "exponent": exponent,
        "candidates": list(read.candidates),
        "kind": read.kind.value,
        "reason": reason,
    }


def _gtin_request(request: dict[str, Any]) -> dict[str, Any]:
    read = read_gtin(_said(request, "value"))
    return {"valid": read.valid, "gtin14": read.gtin14, "reason": read.reason}
