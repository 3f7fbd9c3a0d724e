"""The report of `adcat inspect page --html`: what the page claims beside what was decided, and why. One file, no scripts, no links out."""

from collections.abc import Iterable, Iterator
from html import escape

from streams.extraction.claims import Facts, ProductClaims
from streams.extraction.page import PARSER_REVISION, Heard, OfferReading, PageContext, Refusal, hear, read_page
from streams.page_tree import PageTree
from topics.evidence import Claim

ROWS_MAX = 2_000
STYLE = """
body{font:15px/1.45 system-ui,sans-serif;color:#1b1f24;max-width:75rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem;margin:0}h2{font-size:1.15rem;margin:2rem 0 .5rem}h3{font-size:1rem;margin:1.2rem 0 .3rem}
p{margin:.3rem 0}.quiet{color:#57606a}table{border-collapse:collapse;width:100%;table-layout:fixed}
th,td{border:1px solid #d0d7de;padding:.3rem .5rem;text-align:left;vertical-align:top;overflow-wrap:anywhere}
th{background:#f6f8fa;font-weight:600}th:first-child{width:9rem}th:nth-child(2){width:16rem}
code{font:13px ui-monospace,monospace}.unknown{color:#57606a;font-style:italic}.refused{background:#fff1e5}
.own{background:#e6f4ea}.badge{border:1px solid;border-radius:.6rem;padding:.05rem .5rem;font-size:.9rem}
@media print{body{margin:0;max-width:none;font-size:11px}h2{break-after:avoid}tr{break-inside:avoid}th{background:none}}
"""
FIELDS = (
    "name", "price_minor", "currency", "list_price_minor", "availability", "sku", "gtin", "brand", "url", "platform_id", "variant_id",
)  # fmt: skip


def report(tree: PageTree, context: PageContext) -> str:
    """Returns the report of one page as HTML; every text of the page is escaped."""
    reading, heard = read_page(tree, context), hear(tree, context)
    parts = [
        "<h1>What this page says, and what was decided</h1>",
        f"<p><code>{escape(context.url)}</code></p>",
        f"<p>Verdict <strong class=badge>{escape(reading.verdict)}</strong>, because of <code>{escape(reading.verdict_reason)}</code>.</p>",
        f"<p class=quiet>{escape(_setting(tree, context))}</p>",
        *_decisions(reading.offers),
        *_refusals(reading.refusals),
        *_claims(heard),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{escape(tree.title or context.url)} - adcat inspect</title><style>{STYLE}</style></head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body></html>\n"
    )


def _setting(tree: PageTree, context: PageContext) -> str:
    told = [f"market {context.market or 'not given'}", f"currency {context.currency or 'not given'}"]
    told += [f"selector {name}: {css}" for name, css in context.selectors.items()]
    told += [f"canonical link {tree.canonical}"] if tree.canonical else []
    return f"Parser {PARSER_REVISION}; " + "; ".join(told)


def _decisions(offers: tuple[OfferReading, ...]) -> Iterator[str]:
    yield f"<h2>Decisions: {len(offers)} offer{'' if len(offers) == 1 else 's'}</h2>"
    if not offers:
        yield "<p>No offer: nothing is published from this page.</p>"
    for number, offer in enumerate(offers, 1):
        variant = ", ".join(f"{name} {value}" for name, value in offer.variant)
        chosen = ", the one this address selects" if offer.selected else ""
        yield f"<h3>Offer {number}{escape(f' ({variant})' if variant else '')}{chosen}</h3>"
        rows = [_decision(name, offer) for name in FIELDS]
        yield _table(("field", "decision", "rests on"), rows)


def _decision(name: str, offer: OfferReading) -> str:
    value = getattr(offer, name)
    unknown = value is None or value == "Unknown"
    shown = "<span class=unknown>unknown</span>" if unknown else f"<strong>{escape(_readable(name, offer))}</strong>"
    return f"<tr><th>{name}</th><td>{shown}</td><td>{_listed(offer.evidence.get(name, ())) or '-'}</td></tr>"


def _readable(name: str, offer: OfferReading) -> str:
    """The value; minor units also as people write the amount."""
    value = getattr(offer, name)
    if not name.endswith("_minor") or not offer.exponent:
        return str(value)
    whole, rest = divmod(value, 10**offer.exponent)
    return f"{value} ({whole}.{rest:0{offer.exponent}d} {offer.currency})"


def _refusals(refusals: tuple[Refusal, ...]) -> Iterator[str]:
    yield f"<h2>Refused: {len(refusals)}</h2>"
    if not refusals:
        yield "<p>Nothing was refused.</p>"
        return
    rows = [
        f"<tr class=refused><th>{escape(one.field)}</th><td><code>{escape(one.reason)}</code></td>"
        f"<td>{_listed(one.claims) or '-'}</td></tr>"
        for one in refusals
    ]
    yield _table(("field", "why", "claims that were kept"), rows)


def _listed(claims: Iterable[Claim]) -> str:
    return "<br>".join(_claim(claim) for claim in claims)


def _claim(claim: Claim) -> str:
    notes = [claim.normaliser and f"read as {claim.normaliser}", claim.repair and f"after repair {claim.repair}"]
    told = "".join(f" <span class=quiet>{escape(note)}</span>" for note in notes if note)
    return f"{escape(claim.syntax)} <code>{escape(claim.path)}</code>: “{escape(claim.raw)}”{told}"


def _claims(heard: Heard) -> Iterator[str]:
    yield "<h2>Everything the page claims</h2>"
    yield "<p class=quiet>Green: of the page's own product, and therefore compared. Other products are not used.</p>"
    meta = {"meta": [heard.meta]} if heard.meta is not None else {}
    lanes = {
        **heard.products,
        **{name: found for name, found in heard.chosen.items() if name not in heard.products},
        **meta,
    }
    for lane, products in lanes.items():
        own = heard.chosen.get(lane, [])
        for product in products:
            is_own = any(one is product or one == product for one in own) or (lane == "meta" and bool(own))
            rows = list(_product_rows(product, is_own=is_own))[:ROWS_MAX]
            yield f"<h3>{escape(lane)}: <code>{escape(product.path)}</code></h3>"
            yield _table(("field", "value", "where"), rows)
    rows = [
        _row(
            one.kind.value,
            str(one.text.amount),
            f"visible <code>{escape(one.path)}</code>: “{escape(one.raw)}”",
            is_own=True,
        )
        for one in heard.visible.prices[:200]
    ]
    yield "<h3>Visible prices of the main zone</h3>"
    yield _table(("kind", "amount", "where"), rows) if rows else "<p>None.</p>"
    for fault in heard.faults:
        yield f"<p>Unread: <code>{escape(fault)}</code></p>"


def _product_rows(product: ProductClaims, *, is_own: bool) -> Iterator[str]:
    yield from _fact_rows(product.facts, "", is_own=is_own)
    for number, offer in enumerate(product.offers, 1):
        label = f"offer {number} " if len(product.offers) > 1 else "offer "
        for amount in offer.amounts:
            value = amount.reason or "unread" if amount.value is None else f"{amount.value} {amount.currency or ''}"
            yield _row(f"{label}{amount.kind.value}", value, _claim(amount.claim), is_own=is_own)
        yield from _fact_rows(offer.facts, label, is_own=is_own)


def _fact_rows(facts: Facts, label: str, *, is_own: bool) -> Iterator[str]:
    for name, found in facts.items():
        for one in found:
            yield _row(label + name, one.value, _claim(one.claim), is_own=is_own)


def _row(name: str, value: str, where: str, *, is_own: bool) -> str:
    """A table row; `where` is markup, the others are texts."""
    mark = " class=own" if is_own else ""
    return f"<tr{mark}><th>{escape(name)}</th><td>{escape(value)}</td><td>{where}</td></tr>"


def _table(heads: tuple[str, ...], rows: list[str]) -> str:
    head = "".join(f"<th>{one}</th>" for one in heads)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
