"""Exact money: integer minor units, an ISO 4217 code and its exponent (SPEC F5). No float ever enters.

The exponent table is pinned here and not read from babel at run time: a library upgrade must not change a decision. A test
compares it with babel's. Where CLDR's display digits differ from ISO 4217 (it shows IQD, RSD, HUF, ... without decimals) ISO wins.

Errors, all `Quarantine` (the amount is kept and shown, never published):
    MoneyError
    ├── UnknownCurrency   not an ISO 4217 code that we know
    ├── TooPrecise        more decimals than the currency has
    └── BadAmount         not finite, negative, zero where a price is wanted, or beyond the limit
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from topics.errors import Quarantine

MONEY_REVISION: Final = "iso4217-2026-01"  # part of the parser revision
AMOUNT_MINOR_MAX: Final = 10**15  # above any product; well inside a signed 64-bit integer
_NOISE_MAX: Final = Decimal("0.0001")  # 185.130001 is a float's noise, 19.995 is a third decimal

_TWO: Final = (
    "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC CUP CVE "
    "CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW "
    "KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP "
    "PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU "
    "UZS VES WST XCD XCG YER ZAR ZMW ZWG"
)
_ZERO: Final = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF"
_THREE: Final = "BHD IQD JOD KWD LYD OMR TND"
EXPONENTS: Final[dict[str, int]] = (
    dict.fromkeys(_TWO.split(), 2) | dict.fromkeys(_ZERO.split(), 0) | dict.fromkeys(_THREE.split(), 3)
)


class MoneyError(Quarantine):
    """An amount that cannot be exact money; `reason` is the word a refusal carries."""

    reason = "bad_amount"


class UnknownCurrency(MoneyError):
    """The code is not in the pinned table."""

    reason = "unknown_currency"


class TooPrecise(MoneyError):
    """The amount has more decimals than its currency."""

    reason = "too_many_decimals"


class BadAmount(MoneyError):
    """Not finite, negative, or beyond the limit."""

    reason = "bad_amount"


@dataclass(frozen=True, slots=True, kw_only=True)
class Money:
    """An exact amount.

    Attributes:
        amount_minor: integer in minor units, 0 ≤ amount ≤ 10^15.
        currency: ISO 4217 code.
        exponent: decimals of the currency; always the pinned table's.
    """

    amount_minor: int
    currency: str
    exponent: int

    def __post_init__(self) -> None:
        if exponent_of(self.currency) != self.exponent:
            raise BadAmount(f"exponent {self.exponent} is not that of {self.currency}")
        if not 0 <= self.amount_minor <= AMOUNT_MINOR_MAX:
            raise BadAmount(f"{self.amount_minor} minor units is outside 0..{AMOUNT_MINOR_MAX}")

    @property
    def amount(self) -> Decimal:
        """The amount in major units, with all the currency's decimals."""
        return Decimal(self.amount_minor).scaleb(-self.exponent)


def exponent_of(currency: str) -> int:
    """Decimals of a currency; raises UnknownCurrency."""
    try:
        return EXPONENTS[currency]
    except KeyError:
        raise UnknownCurrency(f"{currency[:16]!r} is not an ISO 4217 code") from None


def is_currency(code: str) -> bool:
    """Whether `code` is an upper-case ISO 4217 code of the pinned table."""
    return code in EXPONENTS


def to_money(amount: Decimal, currency: str) -> tuple[Money, bool]:
    """Exact money from a decimal amount.

    Returns:
        The money, and whether float noise (less than 0.0001, at least five decimals) was rounded away.

    Raises:
        UnknownCurrency, TooPrecise, BadAmount: all `Quarantine`.
    """
    exponent = exponent_of(currency)
    if not amount.is_finite() or amount < 0 or amount.adjusted() > 15:
        raise BadAmount(f"{str(amount)[:40]} is not an amount")
    unit = Decimal(1).scaleb(-exponent)
    rounded = amount.quantize(unit)
    if rounded == amount:
        return Money(amount_minor=int(rounded.scaleb(exponent)), currency=currency, exponent=exponent), False
    noise = abs(amount - rounded)
    places = -int(amount.as_tuple().exponent)
    if places >= 5 and noise < _NOISE_MAX:
        return Money(amount_minor=int(rounded.scaleb(exponent)), currency=currency, exponent=exponent), True
    raise TooPrecise(f"{str(amount)[:40]} has more decimals than {currency}")
