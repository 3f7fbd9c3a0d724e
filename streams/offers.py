"""Which offer a reading is about: the identity and variant components of its key (DESIGN §3).

A merged offer shows a wrong price, a split offer shows the right price twice; so everything here prefers a split. An
identity of a higher rank that appears later replaces the lower one in publication, which keeps the old key as an alias.
"""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import parse_qsl, quote

from topics.keys import NO_VARIANT
from topics.urls import offer_identity_url

ID_CHARS_MAX = 100
KEY_CHARS_MAX = 3 * ID_CHARS_MAX
RANKS = ("pid", "sku", "url")
"""Identity schemes, the strongest first."""

_PLACEHOLDERS = frozenset({"", "-", "0", "n/a", "na", "none", "null", "undefined", "unknown", "tbd", "default"})
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityFacts:
    """What a page says about one offer's identity; unknown is None.

    Attributes:
        platform_id: id of the product (not of the variant) in the shop's platform, a ProductGroup id included.
        variant_id: id of the variant in the shop's platform.
        sku: stock keeping unit as the page gives it.
        url: identity URL of the page or of the offer (`topics.urls.identity_url`).
        attributes: (name, value) pairs that select the variant, in any order.
        variants_on_page: how many variants of this product the page offers, 1 when there is no choice.
    """

    platform_id: str | None = None
    variant_id: str | None = None
    sku: str | None = None
    url: str
    attributes: tuple[tuple[str, str], ...] = ()
    variants_on_page: int = 1


class Identity(NamedTuple):
    """Two components of an offer key.

    Attributes:
        identity: `pid:<id>`, `sku:<sku>` or `url:<32 hex>`.
        variant: platform variant id, else SKU, else `name=value,…` sorted, else `-`.
    """

    identity: str
    variant: str


def identity_rank(identity: str) -> int:
    """Returns 0 for `pid:`, 1 for `sku:`, 2 for `url:`; a smaller rank survives changes of the page better."""
    return RANKS.index(identity.partition(":")[0])


def identify(facts: IdentityFacts, variant_params: Sequence[str] = ()) -> Identity:
    """Returns the identity of one offer; equal facts give equal identities, whatever the order of attributes.

    Args:
        facts: what the page says.
        variant_params: query parameters of the source's policy that select a variant; they stay out of a `url:`
            identity and name the variant when nothing better does.
    """
    return Identity(identity=_product(facts, variant_params), variant=_variant(facts, variant_params))


def identify_all(page: Sequence[IdentityFacts], variant_params: Sequence[str] = ()) -> tuple[Identity | None, ...]:
    """Returns the identities of all offers of one page, in order; None where two offers cannot be told apart.

    An id that several variants of the page share (a parent SKU) is the product's, not the variant's: those fall back to
    their attributes, and to None when these are equal too (the caller quarantines them, SPEC F6).
    """
    first = [identify(facts, variant_params) for facts in page]
    shared = {identity for identity, count in Counter(first).items() if count > 1}
    second = [
        _by_attributes(facts, identity) if identity in shared else identity
        for facts, identity in zip(page, first, strict=True)
    ]
    counts = Counter(second)
    return tuple(identity if counts[identity] == 1 else None for identity in second)


def _product(facts: IdentityFacts, variant_params: Sequence[str]) -> str:
    platform_id, sku = _clean(facts.platform_id), _clean(facts.sku)
    if platform_id is not None:
        return f"pid:{platform_id}"
    if sku is not None:
        return f"sku:{sku}"
    base = offer_identity_url(facts.url, variant_params)
    return f"url:{hashlib.sha256(base.encode()).hexdigest()[:32]}"


def _variant(facts: IdentityFacts, variant_params: Sequence[str]) -> str:
    return (
        _clean(facts.variant_id)
        or _clean(facts.sku)
        or _pairs(facts.attributes)
        or _pairs(_selected_by_url(facts.url, variant_params))
        or NO_VARIANT
    )


def _by_attributes(facts: IdentityFacts, identity: Identity) -> Identity:
    return Identity(identity=identity.identity, variant=_pairs(facts.attributes) or identity.variant)


def _selected_by_url(url: str, variant_params: Sequence[str]) -> tuple[tuple[str, str], ...]:
    names = {name.casefold() for name in variant_params}
    pairs = parse_qsl(url.partition("?")[2], keep_blank_values=True)
    return tuple((name, value) for name, value in pairs if name.casefold() in names)


def _pairs(attributes: tuple[tuple[str, str], ...]) -> str:
    """One text for a set of attributes; long ones become a hash, so that keys stay small."""
    text = ",".join(sorted(f"{_fold(name)}={_fold(value)}" for name, value in attributes))
    return text if len(text) <= ID_CHARS_MAX else hashlib.sha256(text.encode()).hexdigest()[:32]


def _fold(text: str) -> str:
    return _BLANKS.sub(" ", unicodedata.normalize("NFC", text)).strip().casefold()


def _clean(text: str | None) -> str | None:
    """Returns an id without blanks around it, or None for a placeholder, a control character or an implausible length.

    Length is also measured as a key has it, percent-encoded: 500 offers of one page name their keys in one event.
    """
    if text is None:
        return None
    clean = _BLANKS.sub(" ", unicodedata.normalize("NFC", text)).strip()
    if clean.casefold() in _PLACEHOLDERS or len(clean) > ID_CHARS_MAX or not clean.isprintable():
        return None
    return clean if len(quote(clean)) <= KEY_CHARS_MAX else None
