"""Visible numbers that stand apart from their marks are read as a whole: `<i>1</i><i>.</i><i>189</i>`, and `No 1` beside `$19.90`."""

import re
from dataclasses import replace
from typing import Final

from streams.extraction.price_text import parse_amounts
from streams.extraction.price_words import CURRENT
from streams.extraction.setting import Setting
from streams.extraction.visible import VisiblePage, VisiblePrice

_TORN: Final = re.compile(r"(?<=\d)\s+([.,])\s*(?=\d)")
_OWN_SIGN: Final = re.compile(r"(?<=\d)\s+(?=[$€£¥₹₩₽₺₴₪฿₫₱]\d)")  # the sign is the following number's


def join_torn(page: VisiblePage, setting: Setting) -> VisiblePage:
    """The page with its torn numbers read from their joined text."""
    for index, one in enumerate(page.prices):
        text = _TORN.sub(r"\1", one.raw)
        text = text[match.end() :] if (match := _OWN_SIGN.search(text)) else text
        if text != one.raw:
            page.prices[index] = _read_again(one, text, setting)
    return page


def _read_again(one: VisiblePrice, text: str, setting: Setting) -> VisiblePrice:
    found = parse_amounts(text, currency_hint=setting.currency, market=setting.market)
    signed = [amount for amount in found if amount.sign]
    if len(signed) != 1 or signed[0].amount is None:
        return one
    read = signed[0]
    return replace(one, text=read, kind=read.kind if one.kind in CURRENT else one.kind)
