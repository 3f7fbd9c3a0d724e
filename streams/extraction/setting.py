# the words and marks of many scripts are the data here
"""Where a page sells: the policy's market first, then the country of its host, and the one currency its scripts state.

An ambiguous sign is resolved by market evidence only (SPEC F5): the policy's currency or market, the currency code that the page
states everywhere alike, or the country-code domain. Where policy and page disagree, the sign stays open. `lang` names no market
(`en-US` is many templates' default); it only tells how numbers are marked.
"""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from streams.extraction.answer import PageContext
from streams.extraction.signs import MARKETS, iso_code
from streams.page_tree import PageTree

MENTIONS_MAX: Final = 400
_GENERIC: Final = frozenset(
    {"CO", "ME", "LY", "AM", "MD", "GE", "MK"}
)  # country domains that shops anywhere use as words
_MENTION: Final = re.compile(
    rb"[cC]urrency(?:[_-]?(?:[iI][sS][oO]))?(?:[_-]?[cC]ode)?(?:[oO]f[pP]reference)?[\"'\\]{0,4}\s*(?:[:=,]|content=)\s*[\"'\\]{0,4}([A-Z]{3})(?![A-Za-z])"
)
_LANG_MARKETS: Final = {
    "de": "DE", "fr": "FR", "it": "IT", "nl": "NL", "pl": "PL", "cs": "CZ", "sk": "SK", "hu": "HU", "ro": "RO", "bg": "BG", "hr": "HR",
    "sl": "SI", "sr": "RS", "ru": "RU", "uk": "UA", "tr": "TR", "el": "GR", "da": "DK", "sv": "SE", "nb": "NO", "no": "NO", "fi": "FI",
    "et": "EE", "lv": "LV", "lt": "LT", "id": "ID", "vi": "VN", "ja": "JP", "ko": "KR", "zh": "CN", "th": "TH", "he": "IL", "hi": "IN", "ar": "AE",
}  # fmt: skip
"""Languages whose number marks are the same everywhere they are sold in; not en, es, pt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """How the page's texts are to be read.

    Attributes:
        currency: the currency an ambiguous sign stands for, if the sign allows it; None leaves it open.
        market: country whose number marks are expected, or None.
    """

    currency: str | None
    market: str | None


def setting_of(tree: PageTree, context: PageContext) -> Setting:
    """The setting of a page under a policy."""
    host = host_country(context.url)
    policy = context.currency or MARKETS.get(context.market or "")
    stated = page_currency(tree.html)
    disputed = policy and stated and policy != stated
    currency = None if disputed else policy or stated or MARKETS.get(host or "")
    return Setting(currency=currency, market=None if disputed else context.market or host or _lang_country(tree.lang))


def host_country(url: str) -> str | None:
    """The country of a country-code domain that is used as one."""
    try:
        labels = (urlsplit(url).hostname or "").upper().split(".")
    except ValueError:
        return None
    code = labels[-1]
    generic = code in _GENERIC and not (len(labels) > 2 and labels[-2] in ("COM", "CO", "NET"))
    if code not in MARKETS or generic:
        return None
    return "GB" if code == "UK" else code


def _lang_country(lang: str | None) -> str | None:
    parts = (lang or "").split("-")
    region = parts[-1].upper() if len(parts) > 1 else ""
    if parts[0] in ("en", "es", "pt"):
        return region if region in MARKETS and parts[0] != "en" else None
    return region if region in MARKETS else _LANG_MARKETS.get(parts[0])


def page_currency(html: bytes) -> str | None:
    """The one ISO code that every currency member of the page's markup and scripts names; None for none or several."""
    codes: set[str] = set()
    at = 0
    for _ in range(MENTIONS_MAX):
        at = html.find(b"urrency", at)
        if at < 1:
            break
        found = _MENTION.match(html, at - 1)
        at += 7
        if found:
            code = iso_code(found.group(1).decode("ascii"))
            if code:
                codes.add(code)
                if len(codes) > 1:
                    return None
    return codes.pop() if len(codes) == 1 else None
