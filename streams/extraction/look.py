# the words and marks of many scripts are the data here
"""How an element is shown: hidden, away from the product, struck through, or marked by its class as some kind of price."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from selectolax.lexbor import LexborNode

from streams.extraction.price_words import Kind
from streams.page_tree import parent_of

NAME_CHARS_MAX: Final = 400
_ROOTS: Final = frozenset({"body", "html", "main"})
_HIDDEN_TAGS: Final = frozenset(
    {
        "script",
        "style",
        "template",
        "noscript",
        "svg",
        "select",
        "option",
        "textarea",
        "iframe",
        "head",
        "title",
        "datalist",
    }
)
_AWAY_TAGS: Final = frozenset({"footer", "nav", "aside"})
_STRUCK_TAGS: Final = frozenset({"del", "s", "strike"})
_TELLING_TAGS: Final = _AWAY_TAGS | _STRUCK_TAGS
_HIDDEN_STYLE: Final = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_STRUCK_STYLE: Final = re.compile(r"line-through", re.IGNORECASE)


def _names(*words: str) -> re.Pattern[str]:
    """Matches words at the end of a class or id, or of its BEM block: a compound noun is what its last word says."""
    return re.compile(r"(?:^|[\s_\-])(?:" + "|".join(words) + r")(?=$|\s|--|__)", re.IGNORECASE)


HIDDEN_CLASS: Final = _names("hidden", "d-none", "visually-hidden", "hide", "is-hidden", "display-none", "u-hidden")
STRUCK_CLASS: Final = _names(
    r"strike\w*", r"struck\w*", r"crossed(?:-out)?", r"line-?through", r"(?:list|was|old|before|regular|original|retail|rrp|msrp|uvp|compare(?:-?at)?|previous|prev|former|full|standard|high|crossed|striked?|undiscounted)[-_]?price\w*",
    r"price[-_]{1,2}(?:list|was|old|before|regular|original|retail|rrp|msrp|uvp|compare(?:-at)?|previous|prev|former|full|strike\w*|standard|item--compare)", "rrp", "msrp", "uvp", "oldprice", "wasprice", "listprice",
    r"old", r"was", "price-item--regular-compare", r"a-text-price", r"preis-alt", "alter-preis", "statt(?:preis)?", "streichpreis", r"prix[-_]barre", r"precio[-_](?:anterior|antes|lista)",
)  # fmt: skip
AWAY_CLASS: Final = re.compile(
    r"related|recommend|bitrec|\brec(?:s|o)?\b|upsell|up-sell|cross-?sell|similar|also-?(?:bought|viewed|like)|recently|last-?(?:seen|viewed)|viewed-|carousel|slick|swiper|owl-|product-?slider|bundle|accessor|sponsor|"
    r"mini-?cart|minicart|(?:^|[\s_-])basket(?:$|[\s_-])|cart-?(?:drawer|preview|total|popup|sidebar)|breadcrumb|footer|mega-?menu|navbar|navigation|suggest|other-?(?:products|sellers)|more-?(?:from|products)|"
    r"frequently|alternativ|bestsell|cookie|newsletter|review|testimonial|wishlist|compare-?(?:list|products|table)|product-?(?:list|grid|tile|card|item)s?(?:$|[\s_])|popup|modal|search-?result|tooltip|warrant|insuranc|protection-?plan|gift-?wrap",
    re.IGNORECASE,
)
PRICE_CLASS: Final = re.compile(
    r"price|prix|preis|precio|pre[cç]o|prezzo|(?:^|[\s_-])(?:cena|cijena|pret|hind|kaina|pris|prijs|hinta|fiyat|harga|kr|amount|cost)(?:$|[\s_-])",
    re.IGNORECASE,
)
KIND_CLASS: Final[tuple[tuple[Kind, re.Pattern[str]], ...]] = (
    (Kind.INSTALMENT, re.compile(r"month|instal|installment|financ|leasing|(?:^|[\s_-])(?:emi|rates?|credit|klarna|afterpay|affirm|zip|paypal|laybuy|split)(?:$|[\s_-])|cuota|parcel", re.IGNORECASE)),
    (Kind.TAX_EXCLUDED, re.compile(r"no-?tax|ex(?:cl)?-?(?:uding)?-?_?(?:tax|vat)|without-?(?:tax|vat)|price-?tax|(?:^|[\s_-])(?:net|netto|ht|notax)(?:$|[\s_-])|price-?net", re.IGNORECASE)),
    (Kind.UNIT, re.compile(r"unit-?price|price-?(?:per-?)?unit|per-?unit|(?:^|[\s_-])ppu(?:$|[\s_-])|grundpreis|base-?price-?unit|unitprice|priceperunit|price-?per", re.IGNORECASE)),
    (Kind.SHIPPING, re.compile(r"shipping|delivery|versand|livraison|postage|freight", re.IGNORECASE)),
    (Kind.DISCOUNT, re.compile(r"(?:^|[\s_-])(?:save|saving|savings|saved|discount|you-?save|reduction|cashback|coupon|voucher|points|bonus|loyalty-?points|reward)(?:$|[\s_-])", re.IGNORECASE)),
    (Kind.MEMBER, re.compile(r"(?:^|[\s_-])(?:sns|subscri\w+|member\w*|club|vip|loyalty|prime)(?:$|[\s_-])", re.IGNORECASE)),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How an element is shown, its ancestors included.

    Attributes:
        hidden: not shown to a person.
        away: in a part of the page that is about other products or none.
        struck: struck through by tag or style.
        struck_by: elements whose class names a reference price, by memory id, outermost first.
        priced: a class or id says price.
        kind: what kind of price a class names, or None.
    """

    hidden: bool = False
    away: bool = False
    struck: bool = False
    struck_by: tuple[int, ...] = ()
    priced: bool = False
    kind: Kind | None = None


_HIDDEN: Final = Look(hidden=True)


def look_of(node: LexborNode, above: Look) -> Look:
    """The look of an element under its parent's, which is the very same where the element adds nothing."""
    tag = node.tag or ""
    if tag in _ROOTS:
        return above
    if above.hidden or tag in _HIDDEN_TAGS:
        return _HIDDEN
    attrs = node.attributes
    if not attrs and tag not in _TELLING_TAGS:
        return above
    names = f"{attrs.get('class') or ''} {attrs.get('id') or ''} {attrs.get('data-testid') or ''} {attrs.get('itemprop') or ''}".strip()
    style = attrs.get("style") or ""
    named = _named(names[:NAME_CHARS_MAX]) if names else _PLAIN
    if named.hidden or "hidden" in attrs or (style and _HIDDEN_STYLE.search(style)):
        return _HIDDEN
    away = above.away or tag in _AWAY_TAGS or named.away
    struck = above.struck or tag in _STRUCK_TAGS or bool(style and _STRUCK_STYLE.search(style))
    if named is _PLAIN and away == above.away and struck == above.struck:
        return above
    return Look(
        away=away,
        struck=struck,
        struck_by=(*above.struck_by, node.mem_id)[-8:] if named.struck else above.struck_by,
        priced=above.priced or named.priced,
        kind=named.kind or above.kind,
    )


@dataclass(frozen=True, slots=True)
class _Named:
    """What the class and id of an element say."""

    hidden: bool
    away: bool
    struck: bool
    priced: bool
    kind: Kind | None


_PLAIN: Final = _Named(hidden=False, away=False, struck=False, priced=False, kind=None)


@lru_cache(maxsize=4_096)
def _named(names: str) -> _Named:
    """What a list of names says: each name is judged once per process, lists repeat them."""
    judged = [_word(word) for word in names.split()]
    kinds = {one.kind for one in judged}
    found = _Named(
        hidden=any(one.hidden for one in judged),
        away=any(one.away for one in judged),
        struck=any(one.struck for one in judged),
        priced=any(one.priced for one in judged),
        kind=next((kind for kind, _ in KIND_CLASS if kind in kinds), None),
    )
    return _PLAIN if found == _PLAIN else found


@lru_cache(maxsize=32_768)
def _word(name: str) -> _Named:
    return _Named(
        hidden=bool(HIDDEN_CLASS.search(name)),
        away=bool(AWAY_CLASS.search(name)),
        struck=bool(STRUCK_CLASS.search(name)),
        priced=bool(PRICE_CLASS.search(name)),
        kind=next((kind for kind, pattern in KIND_CLASS if pattern.search(name)), None),
    )


class Looks:
    """Looks of a tree's elements, each judged once."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[int, Look] = {}

    def under(self, node: LexborNode, above: Look) -> Look:
        """The look of an element whose parent's is known."""
        look = self._known[node.mem_id] = look_of(node, above)
        return look

    def of(self, node: LexborNode) -> Look:
        chain: list[LexborNode] = []
        current: LexborNode | None = node
        known = self._known
        while current is not None and current.is_element_node and current.mem_id not in known:
            chain.append(current)
            current = parent_of(current)
        above = known.get(current.mem_id, Look()) if current is not None else Look()
        for one in reversed(chain):
            above = look_of(one, above)
            known[one.mem_id] = above
        return above
