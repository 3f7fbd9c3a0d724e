"""Which of the products that a lane describes is the page about: one, several that are its variants, or none."""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from streams.extraction.claims import ProductClaims
from streams.extraction.subject import path_key, words

SHARED_PART: Final = 3  # a name that shares a third of its words with the page, or less, is another product's
_SPLIT: Final = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """What the page says of itself outside any product."""

    url: str
    canonical: str | None
    heading: str | None
    title: str | None


def choose_products(products: list[ProductClaims], hints: Hints) -> list[ProductClaims]:
    """The product of one lane that the page is about: one, several that are its variants, or none when it cannot be told."""
    sold = [one for one in products if one.offers] or products
    if len(sold) <= 1 or len(families(sold)) == 1:
        return [] if sold and all(_is_foreign(one, hints) for one in sold) else sold
    scored = [(score(one, hints), one) for one in sold]
    best = max(points for points, _ in scored)
    top = [one for points, one in scored if points == best]
    if best == 0 or len(families(top)) > 1:
        return []
    kin = families(top)
    return [one for one in sold if _family(one) in kin] if kin else top


def _is_foreign(product: ProductClaims, hints: Hints) -> bool:
    """Whether a product has its address elsewhere and a name that the page's heading and title do not share."""
    name = set(words(product.first("name")).split())
    own = set(f"{words(hints.heading)} {words(hints.title)}".split())
    if not name or not own or not _addresses(product) or score(product, hints):
        return False
    return len(name & own) <= len(name) / SHARED_PART and not set(words(hints.heading).split()) <= name


def _addresses(product: ProductClaims) -> list[str]:
    own = [path_key(fact.value) for fact in product.facts.get("url", ())]
    return own + [path_key(fact.value) for offer in product.offers for fact in offer.facts.get("url", ())]


def families(products: list[ProductClaims]) -> set[str]:
    """The families of variants among the products."""
    return {_family(one) for one in products}


def _family(product: ProductClaims) -> str:
    """What ties variants together: their group, else their name, else their address."""
    group = product.first("group_id")
    if group:
        return "g:" + group
    return "n:" + words(product.first("name")) if product.first("name") else "u:" + path_key(product.first("url"))


def score(product: ProductClaims, hints: Hints) -> int:
    """How well a product fits the page: its own address, name and number."""
    points = 0
    pages = {path_key(hints.url), path_key(hints.canonical)} - {""}
    if any(one in pages for one in _addresses(product)):
        points += 4
    name = words(product.first("name"))
    if name and name == words(hints.heading):
        points += 4
    elif name and len(name) > 3 and (name in words(hints.title) or name in words(hints.heading)):
        points += 2
    numbers = [
        product.first("sku"),
        product.first("platform_id"),
        *(offer.first("sku") for offer in product.offers[:50]),
    ]
    tokens = set(_SPLIT.split(unquote(hints.url).lower()))
    if any(number and len(number) > 2 and number.lower() in tokens for number in numbers):
        points += 2
    return points
