# ruff: noqa: RUF001  # the words and marks of many scripts are the data here
"""Prices without tax: beside prices with it explained by a statutory rate, or all that a page shows, where it says so."""

import re
from decimal import Decimal
from typing import Final

from streams.extraction.blocks import main_heading
from streams.extraction.lead import lead_of
from streams.extraction.look import Looks
from streams.extraction.numerals import fold
from streams.extraction.visible import VisiblePage
from streams.extraction.zone import zone_of
from streams.page_tree import PageTree

NET_CURRENCIES: Final = frozenset({"USD", "CAD"})
"""Where consumers are shown prices without tax by custom: there it is no other price."""

WHOLE_MIN: Final = 1_000
NOTE_CHARS_MAX: Final = 90
NOTE_TEXTS: Final = 10  # how far after the price a note still speaks of it
NOTE_TEXTS_AHEAD: Final = 4
LABEL_CHARS_MAX: Final = 32
AHEAD_BYTES: Final = 1_500
BEHIND_BYTES: Final = 4_000
_TAX: Final = r"(?:mwst|ust|mehrwertsteuer|umsatzsteuer|vat|gst|tax(?:es)?|btw|moms|mva|tva|iva|dph|ddv|pdv|pvm|pvn|áfa|φπα|ндс|пдв|ддс|kdv)"
_NET: Final = re.compile(
    rf"(?<!\w)(?:(?:exkl?|excl|zzgl|ekskl|eks|ex|ohne|plus|excluding|without|exclusief|hors|sin|senza|sem|bez|brez|fără|be|без|χωρίς)\.?(?: (?:die|the|la|de|der|gesetzl\w*)){{0,2}}\.? ?(?:\d{{1,2}} ?% ?)?{_TAX}"
    rf"|{_TAX}\.? (?:excluded|exclusive|not included|no inclu[íi]d[oa]|non incl(?:us[ae]|uso)|esclus[ao]|n[ãa]o inclu[íi]d[oa]|hariç|excl\.?)|\+ ?(?:\d{{1,2}} ?% ?)?{_TAX}|(?:alv|vat|moms|mwst|btw) ?0 ?%|ilman alv|veroton|prix ht|hors tax(?:es?)?|preise? netto|cen[ay] netto|nettopreise?|nettó ár)(?!\w)"
    r"|^(?:ht|h\.t\.|netto|nettó)\W*$|[+＋]税|プラス税|税抜|税別|未稅|未税|부가세 별도|غير شامل الضريبة",
    re.IGNORECASE,
)
_GROSS: Final = re.compile(
    rf"(?<!\w)(?:ink?l|incl|inkludert|inc|including|inklusive|inclusief|with|con|com|z|s|cu|с|με|samt)\.?(?: (?:die|the|la|de|der|gesetzl\w*|all)){{0,2}}\.? ?(?:\d{{1,2}} ?% ?)?{_TAX}|{_TAX}\.? (?:included|inclu[íi]d[oa]|inclus[ao]|inclu(?:ses)?|compresa|inbegrepen|dahil|incl)|ttc|brutto|toutes taxes|taxes incluses|税込|含稅|含税|부가세 포함|شامل الضريبة",
    re.IGNORECASE,
)
_TEXT: Final = re.compile(r">([^<>{}]{2,120})(?=<)")
_GROSS_BESIDE: Final = re.compile(r"\d[^税]{0,8}税込(?:価格|み)?[^\d]{0,4}(\d{1,3}(?:,\d{3})+|\d+)")
_NUMBER: Final = re.compile(r"\d[\d.,]*")
_PERCENT: Final = re.compile(r"\d{1,2}(?:[.,]\d)? ?%")

RATES: Final = tuple(
    map(Decimal, ("3", "4", "5", "5.5", "6", "7", "7.7", "8", "8.1", "9", "9.5", "10", "12", "13", "13.5", "14", "15", "16", "17", "18", "19", "20", "21", "22", "23", "24", "25", "25.5", "27"))
)  # fmt: skip
"""Percentages of value added and goods-and-services taxes in force; pinned with the parser revision."""


def is_tax_excluded(net: Decimal, gross: Decimal) -> bool:
    """Whether `gross` is `net` with one of the rates, to the cent; to the unit where both are large and have no cents."""
    if not 0 < net < gross:
        return False
    whole = net >= WHOLE_MIN and net == net.to_integral_value() and gross == gross.to_integral_value()
    slack = Decimal(1) if whole else Decimal("0.01")
    return any(abs(net * (1 + rate / 100) - gross) < slack for rate in RATES)


def gross_beside(text: str) -> Decimal | None:
    """The price with tax that a text names beside the one without: `3,000円 (税込3,300円)`."""
    found = _GROSS_BESIDE.search(fold(text))
    return Decimal(found.group(1).replace(",", "")) if found else None


def is_net_page(tree: PageTree, visible: VisiblePage) -> bool:
    """Whether a note by the leading price says that prices are without tax, and none says that they are with it.

    The zone is walked a second time only where the bytes after the price have such words.
    """
    lead = lead_of(visible).price
    number = _NUMBER.search(lead.raw) if lead else None
    if lead is None or number is None or lead.text.currency in NET_CURRENCIES:
        return False
    if _NET.search(lead.raw):
        return not _GROSS.search(lead.raw)
    at = tree.html.find(number.group().encode(), max(tree.html.find(b"<h1"), 0))
    around = tree.html[max(0, at - AHEAD_BYTES) : at + BEHIND_BYTES].decode("utf-8", "replace") if at >= 0 else ""
    if not any(_NET.search(text.strip()) for text in _TEXT.findall(around)):
        return False
    amounts = {one.order for one in visible.prices}
    notes = [
        (order, text)
        for text, _, _, order in zone_of(tree, main_heading(tree), Looks())
        if -NOTE_TEXTS_AHEAD <= order - lead.order <= NOTE_TEXTS and len(text) <= NOTE_CHARS_MAX and _is_note(text)
    ]
    if any(_GROSS.search(text) for _, text in notes):
        return False
    # a short text just before an amount is that amount's label
    return any(_NET.search(text) for order, text in notes if order + 1 not in amounts or len(text) > LABEL_CHARS_MAX)


def _is_note(text: str) -> bool:
    """A text with its own amount speaks of that amount."""
    return not _NUMBER.search(_PERCENT.sub("", fold(text)))
