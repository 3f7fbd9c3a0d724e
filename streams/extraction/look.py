# the words and marks of many scripts are the data here
"""How an element is shown: hidden, away from the product, struck through, or marked by its class as some kind of price."""

import re
from functools import lru_cache
from typing import Final, NamedTuple

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


class Look(NamedTuple):
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
    if above.hidden:
        return _HIDDEN
    get = node.attributes.get
    unhidden = get("hidden", _UNHIDDEN) is _UNHIDDEN
    own = _own((node.tag, get("class"), get("id"), get("data-testid"), get("itemprop"), get("style"), unhidden))
    if own is _PLAIN:
        return above
    if own.hidden:
        return _HIDDEN
    return Look(
        away=above.away or own.away,
        struck=above.struck or own.struck,
        struck_by=(*above.struck_by, node.mem_id)[-8:] if own.named_struck else above.struck_by,
        priced=above.priced or own.priced,
        kind=own.kind or above.kind,
    )


class _Own(NamedTuple):
    """What an element says of itself: its tag, its attributes, and every name in them."""

    hidden: bool = False
    away: bool = False
    struck: bool = False
    named_struck: bool = False
    priced: bool = False
    kind: Kind | None = None


_PLAIN: Final = _Own()
_UNHIDDEN: Final = object()
_Marks = tuple[str | None, str | None, str | None, str | None, str | None, str | None, bool]


@lru_cache(maxsize=8_192)  # the elements of a template come back in each block of a page, on each page of a shop
def _own(marks: _Marks) -> _Own:
    tag, classes, ident, testid, prop, style, unhidden = marks
    if tag in _ROOTS:
        return _PLAIN
    names = " ".join(name for name in (classes, ident, testid, prop) if name)[:NAME_CHARS_MAX]
    words = [_word(name) for name in names.split()]
    kinds = {one.kind for one in words}
    found = _Own(
        hidden=not unhidden
        or tag in _HIDDEN_TAGS
        or any(one.hidden for one in words)
        or bool(_HIDDEN_STYLE.search(style or "")),
        away=tag in _AWAY_TAGS or any(one.away for one in words),
        struck=tag in _STRUCK_TAGS or bool(_STRUCK_STYLE.search(style or "")),
        named_struck=any(one.named_struck for one in words),
        priced=any(one.priced for one in words),
        kind=next((kind for kind, _ in KIND_CLASS if kind in kinds), None),
    )
    return _PLAIN if found == _PLAIN else found


@lru_cache(maxsize=32_768)
def _word(name: str) -> _Own:
    """What one name of an element says."""
    return _Own(
        hidden=bool(HIDDEN_CLASS.search(name)),
        away=bool(AWAY_CLASS.search(name)),
        named_struck=bool(STRUCK_CLASS.search(name)),
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
