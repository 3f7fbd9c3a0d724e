"""`adcat inspect page|price|gtin`: what extraction reads, and on what it rests. Needs no broker."""

import gzip
import sys
import zlib
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer

from streams.extraction.gtin import read_gtin
from streams.extraction.page import PageContext, inspect_answer, read_page
from streams.extraction.price_text import parse_price
from streams.extraction.signs import iso_code
from streams.page_tree import BODY_BYTES_MAX, PageTree, join
from topics.errors import Invalid
from topics.money import MoneyError, exponent_of, is_currency, to_money

app = typer.Typer(help="Show what extraction reads in a saved page, a price text or a GTIN.", no_args_is_help=True)
_GZIP_RATIO_BYTES_MAX = BODY_BYTES_MAX + 1


@app.command()
def page(
    file: Annotated[Path | None, typer.Argument(help="A saved page, .html or .html.gz.")] = None,
    url: Annotated[str | None, typer.Option(help="Address the page was observed at.")] = None,
    market: Annotated[str | None, typer.Option(help="Market of the policy, e.g. US.")] = None,
    currency: Annotated[str | None, typer.Option(help="Currency of the policy for that market, e.g. USD.")] = None,
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help="One request a line on stdin, one answer a line on stdout.")
    ] = False,
) -> None:
    """Print what one saved page says as JSON."""
    if jsonl:
        if file is not None:
            _unusable("FILE and --jsonl exclude each other; give the path in each request line")
        _answer_lines(_page_request)
        return
    if file is None or url is None:
        _unusable("give FILE and --url URL, or --jsonl with one request a line on stdin")
    try:
        answer = _page_request({"path": str(file), "url": url, "market": market, "currency": currency})
    except Invalid as fault:
        _unusable(str(fault))
    sys.stdout.write(orjson.dumps(answer, option=orjson.OPT_INDENT_2).decode() + "\n")


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


def _page_request(request: dict[str, Any]) -> dict[str, Any]:
    url = _text(request, "url", required=True) or ""
    path = _text(request, "path", required=True) or ""
    if join(url, url) is None:
        raise Invalid("url", url, "give an absolute http or https URL")
    context = PageContext(url=url, market=_market(request), currency=_currency(request, "currency"))
    tree = PageTree.parse(read_body(Path(path)), content_type=None, url=url)
    return inspect_answer(read_page(tree, context))


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
    text = _text(request, "text", required=True) or ""
    read = parse_price(text, currency_hint=_currency(request, "currency_hint"), market=_market(request))
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
    read = read_gtin(_text(request, "value", required=True) or "")
    return {"valid": read.valid, "gtin14": read.gtin14, "reason": read.reason}
