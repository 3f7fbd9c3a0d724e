"""Prices without tax beside prices with it: explained by a statutory rate, or not at all."""

from decimal import Decimal
from typing import Final

RATES: Final = tuple(
    map(Decimal, ("3", "4", "5", "5.5", "6", "7", "7.7", "8", "8.1", "9", "9.5", "10", "12", "13", "13.5", "14", "15", "16", "17", "18", "19", "20", "21", "22", "23", "24", "25", "25.5", "27"))
)  # fmt: skip
"""Percentages of value added and goods-and-services taxes in force; pinned with the parser revision."""


def is_tax_excluded(net: Decimal, gross: Decimal) -> bool:
    """Whether `gross` is `net` with one of the rates, to the cent."""
    if not 0 < net < gross:
        return False
    return any(abs(net * (1 + rate / 100) - gross) < Decimal("0.01") for rate in RATES)
