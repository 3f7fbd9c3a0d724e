"""A number whose decimal mark stands in an element of its own, `<i>1</i><i>.</i><i>189</i>`, is read as a whole."""

import re
from dataclasses import replace
from typing import Final

from streams.extraction.price_text import parse_amounts
from streams.extraction.price_words import CURRENT
from streams.extraction.setting import Setting
from streams.extraction.visible import VisiblePage, VisiblePrice

_TORN: Final = re.compile(r"(?<=\d)\s+([.,])\s*(?=\d)")


def join_torn(page: VisiblePage, setting: Setting) -> VisiblePage:
    """The page with its torn numbers read from their joined text."""
    for index, one in enumerate(page.prices):
        if _TORN.search(one.raw):
            page.prices[index] = _joined(one, setting)
    return page


def _joined(one: VisiblePrice, setting: Setting) -> VisiblePrice:
    text = _TORN.sub(r"\1", one.raw)
    found = parse_amounts(text, currency_hint=setting.currency, market=setting.market)
    signed = [amount for amount in found if amount.sign]
    if len(signed) != 1 or signed[0].amount is None:
        return one
    read = signed[0]
    return replace(one, text=read, kind=read.kind if one.kind in CURRENT else one.kind)
