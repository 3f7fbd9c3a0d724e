"""Embedded application JSON: finds the states that shops ship to their own scripts and hands each to its reader."""

from typing import Any, Final

from streams.extraction import shopify
from streams.extraction.claims import ProductClaims
from streams.extraction.repair import Unreadable, load
from streams.page_tree import PageTree, attribute

SCRIPTS_MAX: Final = 200


def platform_products(tree: PageTree) -> list[ProductClaims]:
    """Products of every known kind of embedded state, in document order."""
    currency = (
        shopify.active_currency(tree.html.decode("utf-8", "replace")) if b"Shopify.currency" in tree.html else None
    )
    out: list[ProductClaims] = []
    if b'"variants"' not in tree.html:
        return out
    for number, node in enumerate(tree.parser.css("script")[:SCRIPTS_MAX]):
        kind = attribute(node, "type").lower()
        if "json" not in kind or "ld+json" in kind:
            continue
        text = node.text() or ""
        if '"variants"' not in text:
            continue
        for value, repair in _loaded(text):
            inner = value.get("product") if isinstance(value, dict) and not shopify.is_product(value) else value
            if isinstance(inner, dict) and shopify.is_product(inner):
                out.append(shopify.product(inner, f"json[{number}]", currency, repair))
    return out


def _loaded(text: str) -> list[tuple[Any, str]]:
    try:
        return load(text)
    except Unreadable:
        return []
