"""Which variant the URL names (SPEC F2). Nothing is guessed: a first, a cheapest or an in-stock variant is not a choice."""

import re
from typing import Final
from urllib.parse import unquote, urlsplit

from streams.extraction.claims import OfferClaims
from streams.extraction.subject import path_key, query_of, words

ID_CHARS_MIN: Final = 6  # a longer value names one thing wherever it stands
_ID_NAME: Final = re.compile(
    r"sku|variant|variation|(?:^|_)(?:id|pid|vid|item|code|ean|gtin|article|artikel|product)$|[a-z]id$", re.IGNORECASE
)
_SPLIT: Final = re.compile(r"[\W_]+")
_ATTRIBUTE_PREFIX: Final = re.compile(r"^(?:attribute_(?:pa_)?|pa_|dwvar_[^_]*_|option\.|attr_|super_attribute)")


def selected(offers: list[OfferClaims], url: str) -> int | None:
    """The index of the offer that the URL names, or None when it names none or more than one."""
    if len(offers) == 1:
        return 0
    for rule in (_by_query_id, _by_offer_url, _by_attributes, _by_path_token):
        found = rule(offers, url)
        if len(found) == 1:
            return found[0]
        if len(found) > 1 and rule is not _by_offer_url:
            return None
    return None


def _by_query_id(offers: list[OfferClaims], url: str) -> list[int]:
    pairs = [*query_of(url).items(), *query_of("?" + urlsplit(url).fragment).items()]
    # `page=1` is no variant 1: a short value counts only in a parameter that names an item
    values = {value for name, value in pairs if value and (_ID_NAME.search(name) or len(value) >= ID_CHARS_MIN)}
    keys = ("variant_id", "sku", "gtin")
    return [i for i, offer in enumerate(offers) if any(offer.first(key) in values for key in keys if offer.first(key))]


def _by_offer_url(offers: list[OfferClaims], url: str) -> list[int]:
    """Equal path, and no query parameter of the offer that the page's address contradicts; the closest wins."""
    here, mine = path_key(url), query_of(url)
    scored: list[tuple[int, int]] = []
    for i, offer in enumerate(offers):
        own = query_of(offer.first("url"))
        if path_key(offer.first("url")) == here and all(mine.get(name) == value for name, value in own.items()):
            scored.append((len(own), i))
    best = max((points for points, _ in scored), default=0)
    return [i for points, i in scored if points == best]


def _by_attributes(offers: list[OfferClaims], url: str) -> list[int]:
    """Parameters that carry attribute names and values of the variants."""
    query = {_ATTRIBUTE_PREFIX.sub("", name): words(value) for name, value in query_of(url).items()}
    names = {name for offer in offers for name, _ in offer.attributes}
    wanted = {name: query[name] for name in names if query.get(name)}
    if not wanted:
        return []
    return [
        i
        for i, offer in enumerate(offers)
        if all(words(dict(offer.attributes).get(name)) == value for name, value in wanted.items())
    ]


def _by_path_token(offers: list[OfferClaims], url: str) -> list[int]:
    tokens = set(_SPLIT.split(unquote(urlsplit(url).path).lower()))
    segments = set(unquote(urlsplit(url).path).lower().split("/"))
    out = []
    for i, offer in enumerate(offers):
        for key in ("variant_id", "sku", "gtin"):
            value = (offer.first(key) or "").lower()
            if len(value) > 3 and (value in segments or value in tokens):
                out.append(i)
                break
    return out
