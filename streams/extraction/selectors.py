"""Merchant selectors from the policy: tested by a person against saved pages, so they are believed before any markup."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from selectolax.lexbor import LexborNode, SelectolaxError

from streams.extraction.blocks import block_text
from streams.extraction.claims import Amount, Fact, OfferClaims, ProductClaims
from streams.extraction.look import Looks
from streams.extraction.numerals import read_machine
from streams.extraction.price_text import parse_price
from streams.extraction.price_words import Kind
from streams.extraction.setting import Setting
from streams.extraction.stock import stock_text, stock_word
from streams.page_tree import PageTree, attribute, squeeze
from topics.events.policy import SELECTOR_FIELDS
from topics.evidence import Claim

FIELDS: Final = SELECTOR_FIELDS
NODES_MAX: Final = 20


def selector_product(tree: PageTree, selectors: Mapping[str, str], setting: Setting) -> ProductClaims | None:
    """What the merchant's selectors find, or None when there are none or they find nothing."""
    amounts: list[Amount] = []
    facts: dict[str, tuple[Fact, ...]] = {}
    for name in FIELDS:
        css = selectors.get(name)
        for text, machine in _texts(tree, css) if css else ():
            claim = Claim.of("selector", f"{name}: {css}", text)
            if name in ("price", "list_price"):
                kind = Kind.SINGLE if name == "price" else Kind.LIST
                amounts.append(_amount(text, kind, claim, setting, machine=machine))
            else:
                value = text if name != "availability" or stock_word(text) else stock_text(text)
                if value:
                    facts[name if name != "availability" else "stock"] = (Fact(value=value, claim=claim),)
    if not amounts and not facts:
        return None
    return ProductClaims(
        syntax="selector",
        path="policy",
        facts=facts,
        offers=(OfferClaims(syntax="selector", path="policy", amounts=tuple(amounts), facts=facts),),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What one selector finds in one page.

    Attributes:
        matched: elements, at most 20 are looked at.
        texts: their distinct texts.
        reason: `broken_selector`, `nothing_found`, `several_texts` (the field stays unknown unless they agree), or empty.
    """

    field: str
    css: str
    matched: int
    texts: tuple[str, ...]
    reason: str


def try_selectors(tree: PageTree, selectors: Mapping[str, str]) -> tuple[Trial, ...]:
    """Tries every selector by itself, for the person who writes them; reads no value."""
    return tuple(_trial(tree, name, css) for name, css in selectors.items())


def _trial(tree: PageTree, name: str, css: str) -> Trial:
    try:
        matched = len(tree.parser.css(css))
    except (SelectolaxError, ValueError):
        return Trial(field=name, css=css, matched=0, texts=(), reason="broken_selector")
    texts = tuple(text for text, _ in _texts(tree, css))
    reason = "several_texts" if len(texts) > 1 else "" if texts else "nothing_found"
    return Trial(field=name, css=css, matched=matched, texts=texts, reason=reason)


def _texts(tree: PageTree, css: str) -> list[tuple[str, bool]]:
    """Distinct texts of the matched elements; `content` and `value` attributes are machine texts. A broken selector finds none."""
    try:
        nodes: list[LexborNode] = tree.parser.css(css)[:NODES_MAX]
    except (SelectolaxError, ValueError):
        return []
    looks = Looks()
    out: dict[tuple[str, bool], None] = {}
    for node in nodes:
        machine = attribute(node, "content") or attribute(node, "value")
        text = squeeze(machine or block_text(node, looks), 300)
        if text:
            out[text, bool(machine)] = None
    return list(out)


def _amount(text: str, kind: Kind, claim: Claim, setting: Setting, *, machine: bool) -> Amount:
    exact = read_machine(text) if machine else None
    if exact is not None:
        return Amount(value=exact or None, kind=kind, currency=None, claim=claim, reason=None if exact else "zero")
    read = parse_price(text, currency_hint=setting.currency, market=setting.market)
    named = kind if read.kind in (Kind.SINGLE, Kind.SALE, kind) else read.kind
    return Amount(
        value=read.amount,
        kind=named,
        currency=read.currency if read.sign else None,
        claim=claim,
        reason=read.reason if read.amount is None else None,
    )
