"""Embedded application JSON as claims: the states that shops ship to their own scripts, each with its reader."""

from collections.abc import Iterator
from typing import Any, Final

from streams.extraction import shopify
from streams.extraction.carts import cart_products
from streams.extraction.claims import Fact, ProductClaims
from streams.extraction.states import State, walk
from streams.page_tree import PageTree

PRODUCTS_MAX: Final = 50


def platform_products(tree: PageTree, states: list[State]) -> list[ProductClaims]:
    """Products of every known kind of embedded state, in document order, each product id once."""
    out = list(_shopify(tree, states))
    out += cart_products(tree, states)
    return out[:PRODUCTS_MAX]


def _shopify(tree: PageTree, states: list[State]) -> Iterator[ProductClaims]:
    """Product objects at the places where themes put them: the script itself, or its `product` member."""
    seen: set[str] = set()
    currency: Fact | None = None
    for state in states:
        for path, value in _candidates(state):
            if not shopify.is_product(value):
                continue
            ident = str(value["id"])
            if not seen:
                currency = shopify.active_currency(tree.html)
            if ident not in seen:
                seen.add(ident)
                yield shopify.product(value, f"{state.path}{path}", currency, state.repair)


def _candidates(state: State) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(state.value, dict):
        yield "", state.value
        for name in ("product", "productJson", "data"):
            inner = state.value.get(name)
            if isinstance(inner, dict):
                yield f"/{name}", inner
    elif isinstance(state.value, list):
        yield from walk(state.value, nodes_max=50)
