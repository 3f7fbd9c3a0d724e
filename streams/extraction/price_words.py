# ruff: noqa: RUF001  # the words and marks of many scripts are the data here
"""The words around an amount that say what kind of price it is. Matched on folded lower case; the phrases are `kind_phrases`."""

import re
import unicodedata
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from typing import Final

from streams.extraction import kind_phrases as phrases
from streams.extraction import kind_phrases_behind as behind


class Kind(StrEnum):
    """What an amount is (SPEC F2). Only SINGLE and SALE can become an offer's price."""

    SINGLE = "single"
    SALE = "sale"
    LIST = "list"
    STRIKETHROUGH = "strikethrough"
    UNIT = "unit"
    MEMBER = "member"
    INSTALMENT = "instalment"
    FROM = "from"
    RANGE = "range"
    TAX_EXCLUDED = "tax-excluded"
    SHIPPING = "shipping"
    DISCOUNT = "discount"


CURRENT: Final = frozenset({Kind.SINGLE, Kind.SALE})
REFERENCE: Final = frozenset({Kind.LIST, Kind.STRIKETHROUGH})
GROSS: Final = "gross"  # names no kind: it ends the reach of `netto` before it
UP_TO: Final = "up-to"
LIST_AT_END: Final = "list-at-end"  # `49,99 € UVP`: a list price, where no other amount follows that the word may name
_NEUTRAL: Final = "neutral"

# of a phrase in several tables the last counts
_TABLES: Final = (
    (_NEUTRAL, phrases.NEUTRAL), (Kind.SALE, phrases.SALE), (UP_TO, phrases.UP_TO), (Kind.FROM, phrases.FROM), (Kind.LIST, phrases.LIST),
    (Kind.MEMBER, phrases.MEMBER), (GROSS, phrases.GROSS), (Kind.TAX_EXCLUDED, phrases.TAX_EXCLUDED), (Kind.INSTALMENT, phrases.INSTALMENT),
    (Kind.UNIT, phrases.UNIT), (Kind.DISCOUNT, phrases.DISCOUNT), (Kind.SHIPPING, phrases.SHIPPING),
)  # fmt: skip
_BEHIND: Final = (
    (_NEUTRAL, behind.NEUTRAL), (GROSS, phrases.GROSS), (Kind.TAX_EXCLUDED, phrases.TAX_EXCLUDED), (Kind.MEMBER, behind.MEMBER),
    (Kind.INSTALMENT, behind.INSTALMENT), (Kind.DISCOUNT, behind.DISCOUNT), (Kind.SHIPPING, behind.SHIPPING),
    (Kind.FROM, behind.FROM), (Kind.UNIT, behind.UNIT), (LIST_AT_END, behind.LIST_AT_END), (Kind.LIST, behind.LIST),
)  # fmt: skip
Phrase = tuple[str, ...]


def _table(tables: tuple[tuple[str, str], ...]) -> dict[Phrase, str]:
    out: dict[Phrase, str] = {}
    for name, text in tables:
        for phrase in re.split(r"[;\n]", text):
            words = tuple(_TOKEN.findall(phrase))
            if words:
                out[words] = name
    return out


_TOKEN: Final = re.compile(r"\d+|[^\W\d_]+|[+&/=#%]")
AHEAD: Final = _table(_TABLES)
BEHIND: Final = _table(_BEHIND)
_LONGEST: Final = 6
_FILLERS: Final = frozenset(phrases.FILLERS.split())
_UNSPACED: Final = re.compile("[\u0e00-\u0e7f\u3000-\u9fff\uac00-\ud7af]")
_RAW_AHEAD: Final = tuple(
    sorted(((word, name) for name, text in phrases.RAW.items() for word in text.split()), key=lambda one: -len(one[0]))
)
_RAW_BEHIND: Final = tuple(
    sorted(((word, name) for name, text in behind.RAW.items() for word in text.split()), key=lambda one: -len(one[0]))
)
YIELDS: Final = {
    # what a word near the amount leaves to a word farther from it: `shipping from`, `12 cuotas de`, `members now`
    Kind.FROM: frozenset({Kind.SHIPPING, Kind.DISCOUNT, Kind.INSTALMENT, Kind.MEMBER, Kind.TAX_EXCLUDED, Kind.UNIT, Kind.LIST}),
    UP_TO: frozenset({Kind.SHIPPING, Kind.DISCOUNT, Kind.INSTALMENT}),
    Kind.LIST: frozenset({Kind.SHIPPING, Kind.DISCOUNT, Kind.INSTALMENT}),
    Kind.SALE: frozenset({Kind.SHIPPING, Kind.INSTALMENT, Kind.MEMBER, Kind.UNIT}),
    _NEUTRAL: frozenset(Kind),
}  # fmt: skip


def kind_before(text: str) -> Kind | None:
    """The kind that the words just before an amount give it; the word nearest the amount decides, of two the longer."""
    name = word_before(text)
    if name == UP_TO:
        return Kind.RANGE
    return Kind(name) if name is not None and name != GROSS else None


def kind_after(text: str) -> Kind | None:
    """The kind that the words just after an amount give it."""
    name, _ = word_after(text)
    return Kind(name) if name is not None and name not in (GROSS, LIST_AT_END) else None


@lru_cache(maxsize=4_096)  # the labels of a template come back on every page of a shop
def word_before(text: str) -> str | None:
    """The kind, `gross` or `up-to` that the words before an amount name, or None."""
    tokens = _tokens(text)
    names = _spaced_names(tokens) if tokens else []
    if not text.isascii() and _UNSPACED.search(text):
        names = sorted(names + _unspaced_names(text), key=lambda one: (-one[0], -one[1]))
    if not names:
        return None
    nearest = names[0][2]
    weaker = YIELDS.get(nearest, frozenset())
    if nearest != Kind.LIST or names[0][3]:
        nearest = next((name for _, _, name, _ in names[1:] if name in weaker), nearest)
    return None if nearest == _NEUTRAL else nearest


def _tokens(text: str) -> list[re.Match[str]]:
    composed = text if text.isascii() else unicodedata.normalize("NFC", text)
    return list(_TOKEN.finditer(composed))


Named = tuple[int, int, str, bool]
"""Where a name ends, how long it is, the name, and whether it is a bare connective."""


def _spaced_names(tokens: list[re.Match[str]]) -> list[Named]:
    """The names of phrases without overlap, nearest first."""
    words = ["#" if token.group().isdigit() and token.group() != "30" else token.group() for token in tokens]
    last = len(words)
    while last and words[last - 1] in _FILLERS:
        last -= 1
    out: list[Named] = []
    end = len(words)
    while end > 0:
        for start in range(max(0, end - _LONGEST), end):
            name = AHEAD.get(tuple(words[start:end]))
            if name is None and "30" in words[start:end]:
                name = AHEAD.get(tuple("#" if word == "30" else word for word in words[start:end]))
            bare = end - start == 1 and words[start] in phrases.CONNECTIVE
            if name is not None and not ((bare or name == UP_TO) and end < last):
                out.append((tokens[end - 1].end(), end - start, name, bare))
                end = start + 1
                break
        end -= 1
    if words and words[-1] == "+":
        out.insert(0, (tokens[-1].end(), 1, Kind.DISCOUNT, False))  # `+ 12,50 €` is added to a price
    return out


def _unspaced_names(text: str) -> list[Named]:
    out: list[Named] = []
    closed = text.rstrip(" :(x×")
    for word, name in _RAW_AHEAD:
        at = closed.rfind(word)
        if at >= 0 and (len(word) > 1 or at + 1 == len(closed)):
            out.append((at + len(word), len(word), name, False))
    return out


_LEAD: Final = re.compile(r"[\s*¹²³]*\(?\s?")
_JOINED: Final = re.compile(r"\s+")
_UNIT: Final = re.compile(
    r"(?:/|per|pro|je|par|por|al|a|der|das|el|za|за|il|le|la|à la|à l'|l'|the|pr\.?|pe|po|ανά|ל|na)(?:\s|(?<=[/'ל]))\s?(?:\d+(?:[.,]\d+)?\s?)?"
    rf"(?:{_JOINED.sub('', behind.MEASURE.replace(' ?', '@')).replace('@', ' ?')})(?![^\W_])"
)
_INSTALMENT: Final = re.compile(
    rf"(?:/|per|p/|pro|pr|par|al|por|a|в|na|за|im|je|bir|i|på|pe|το|på en|az|ל|على)?\s?(?:{behind.PERIOD.strip()})(?![^\W_])"
    rf"|(?:/|per|pro|par|por|al|a|за|na|je|pr|om|på|pe|az|ל|لكل|mỗi|for)\s?(?:{behind.SHORT_PERIOD.strip()})(?![^\W_])|x\s?\d+\b"
)
_PLUS: Final = re.compile(r"\+(?:\s*$|\s?[*).,;])")
_SUFFIX_FROM: Final = re.compile(r"-t[óő]l(?!\w)|'?[dt][ea]n (?:itibaren|ba[sş]layan)")


@lru_cache(maxsize=4_096)
def word_after(text: str) -> tuple[str | None, int]:
    """The kind or `gross` that the words right after an amount name, and where they end."""
    lead = _LEAD.match(text)
    at = lead.end() if lead else 0
    if at == len(text):
        return None, 0
    if _SUFFIX_FROM.match(text) or _PLUS.match(text, at):
        return Kind.FROM, at + 1
    if found := _UNIT.match(text, at):
        return Kind.UNIT, found.end()
    if found := _INSTALMENT.match(text, at):
        return Kind.INSTALMENT, found.end()
    if not text.isascii() or text[at] == "~":
        raw = next(((name, at + len(word)) for word, name in _RAW_BEHIND if text.startswith(word, at)), None)
        if raw:
            return raw
    return _spaced_after(text, at)


_BREAK: Final = re.compile(r"[^\s.'’-]")


def _spaced_after(text: str, at: int) -> tuple[str | None, int]:
    tokens = list(_TOKEN.finditer(text, at, at + 60))[:_LONGEST]
    if not tokens or tokens[0].start() > at + 1:
        return None, 0
    for count in range(len(tokens), 0, -1):
        words = tuple("#" if token.group().isdigit() else token.group() for token in tokens[:count])
        name = BEHIND.get(words)
        gaps = [text[one.end() : two.start()] for one, two in pairwise(tokens[:count])]
        if name is not None and not any(_BREAK.search(gap) for gap in gaps):
            return (None if name == _NEUTRAL else name), tokens[count - 1].end()
    return None, 0


_BARE_KINDS: Final = frozenset(
    {_NEUTRAL, Kind.SALE, Kind.LIST, Kind.FROM, Kind.TAX_EXCLUDED, Kind.INSTALMENT, Kind.MEMBER, GROSS}
)
_BARE_WORDS: Final = frozenset(
    word for phrase, name in AHEAD.items() if name in _BARE_KINDS and not {"#", "30"} & set(phrase) for word in phrase
)


_BARE_RAW: Final = tuple(word for word, name in _RAW_AHEAD if name in {_NEUTRAL, *_BARE_KINDS})


def is_price_talk(text: str) -> bool:
    """Whether every word of a text is one that stands beside prices, so that a bare number in it is a price."""
    if not text.isascii() and _UNSPACED.search(text):
        for word in _BARE_RAW:
            text = text.replace(word, " ")
    return all(word in _BARE_WORDS for word in _TOKEN.findall(text) if word.isalpha())
