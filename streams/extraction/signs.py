# ruff: noqa: RUF001  # the words and marks of many scripts are the data here
"""Currency signs and codes in text. A sign names one currency, or several that only the market can choose from (SPEC F5)."""

import re
from typing import Final

from topics.money import EXPONENTS

_DOLLAR: Final = (
    "USD",
    "CAD",
    "AUD",
    "NZD",
    "MXN",
    "CLP",
    "COP",
    "ARS",
    "SGD",
    "HKD",
    "TWD",
    "BBD",
    "BMD",
    "BND",
    "BSD",
    "BZD",
    "DOP",
    "FJD",
    "GYD",
    "JMD",
    "KYD",
    "LRD",
    "NAD",
    "SBD",
    "SRD",
    "TTD",
    "UYU",
    "XCD",
)
SIGNS: Final[dict[str, tuple[str, ...]]] = {
    "US$": ("USD",), "US $": ("USD",), "CA $": ("CAD",), "AU $": ("AUD",), "NZ $": ("NZD",), "HK $": ("HKD",), "MX $": ("MXN",), "U$S": ("USD",), "C$": ("CAD",), "CA$": ("CAD",), "CAD$": ("CAD",), "CDN$": ("CAD",), "A$": ("AUD",), "AU$": ("AUD",),
    "AUD$": ("AUD",), "NZ$": ("NZD",), "HK$": ("HKD",), "S$": ("SGD",), "SG$": ("SGD",), "NT$": ("TWD",), "NTD": ("TWD",), "R$": ("BRL",),
    "MX$": ("MXN",), "MXN$": ("MXN",), "AR$": ("ARS",), "CLP$": ("CLP",), "CL$": ("CLP",), "COL$": ("COP",), "RD$": ("DOP",), "J$": ("JMD",),
    "TT$": ("TTD",), "B/.": ("PAB",), "S/.": ("PEN",), "S/": ("PEN",), "Bs.": ("BOB", "VES"), "$": _DOLLAR, "€": ("EUR",), "EURO": ("EUR",),
    "Euro": ("EUR",), "euro": ("EUR",), "euros": ("EUR",), "£": ("GBP", "EGP", "FKP", "GIP", "SHP", "LBP", "SYP", "SSP", "SDG"),
    "¥": ("JPY", "CNY"), "円": ("JPY",), "元": ("CNY", "TWD"), "RMB": ("CNY",), "₩": ("KRW",), "원": ("KRW",), "₹": ("INR",),
    "Rs.": ("INR", "PKR", "LKR", "NPR", "MUR", "SCR"), "Rs": ("INR", "PKR", "LKR", "NPR", "MUR", "SCR"), "₽": ("RUB",), "руб.": ("RUB", "BYN"),
    "руб": ("RUB", "BYN"), "р.": ("RUB", "BYN"), "zł": ("PLN",), "zl": ("PLN",), "Kč": ("CZK",), "Kc": ("CZK",), "kr.": ("SEK", "NOK", "DKK", "ISK"),
    "kr": ("SEK", "NOK", "DKK", "ISK"), "Kr": ("SEK", "NOK", "DKK", "ISK"), "Ft": ("HUF",), "lei": ("RON", "MDL"), "Lei": ("RON", "MDL"),
    "LEI": ("RON", "MDL"), "лв.": ("BGN",), "лв": ("BGN",), "₺": ("TRY",), "TL": ("TRY",), "₴": ("UAH",), "грн.": ("UAH",), "грн": ("UAH",),
    "₪": ("ILS",), "NIS": ("ILS",), "฿": ("THB",), "บาท": ("THB",), "₫": ("VND",), "đ": ("VND",), "VNĐ": ("VND",), "₱": ("PHP",), "₦": ("NGN",),
    "RM": ("MYR",), "Rp": ("IDR",), "₡": ("CRC",), "₲": ("PYG",), "₸": ("KZT",), "тг.": ("KZT",), "тг": ("KZT",), "₼": ("AZN",), "₾": ("GEL",),
    "֏": ("AMD",), "ر.س": ("SAR",), "ريال": ("SAR", "QAR", "OMR", "YER", "IRR"), "د.إ": ("AED",), "درهم": ("AED", "MAD"), "د.ك": ("KWD",),
    "د.ب": ("BHD",), "ر.ع": ("OMR",), "ر.ق": ("QAR",), "ج.م": ("EGP",), "Fr.": ("CHF",), "SFr.": ("CHF",), "KM": ("BAM",), "ден": ("MKD",),
    "дин": ("RSD",), "din": ("RSD",), "GH₵": ("GHS",), "₵": ("GHS",), "KSh": ("KES",), "KSh.": ("KES",), "TSh": ("TZS",), "USh": ("UGX",),
    "₭": ("LAK",), "៛": ("KHR",), "₮": ("MNT",), "৳": ("BDT",), "R": ("ZAR",), "Dhs": ("AED", "MAD"), "DH": ("MAD", "AED"),
}  # fmt: skip
ALIASES: Final = {"RUR": "RUB", "RMB": "CNY", "NTD": "TWD", "NIS": "ILS", "EURO": "EUR", "STG": "GBP", "TL": "TRY"}
"""Codes that shops write for an ISO code. Not BYR: 1 BYN was 10,000 BYR, one is never read for the other."""


WEAK: Final = frozenset({"R", "KM", "DH", "din", "zl", "Kc", "RM", "р."})
"""Signs that are also ordinary words or units: they count only where the market expects their currency."""


def _grouped(words: list[str]) -> str:
    """Alternatives grouped by their first character, longest first: the matcher then tries a handful and not hundreds."""
    heads: dict[str, list[str]] = {}
    for word in sorted(words, key=lambda one: (-len(one), one)):
        heads.setdefault(word[0], []).append(word[1:])
    return "|".join(
        re.escape(head)
        + "(?:"
        + "|".join(
            re.escape(tail) + (_END if tail[-1:].isalpha() or (not tail and head.isalpha()) else "") for tail in tails
        )
        + ")"
        for head, tails in sorted(heads.items())
    )


_END: Final = r"(?![^\W\d_])"
_WORDS: Final = sorted({*SIGNS, *EXPONENTS, *ALIASES})
SIGN: Final = re.compile(
    r"(?<![^\W\d_])(?:"
    + _grouped([word for word in _WORDS if word[0].isalpha()])
    + ")|"
    + _grouped([word for word in _WORDS if not word[0].isalpha()])
)
MARKETS: Final[dict[str, str]] = dict(
    pair.split(":")
    for pair in [
        "AD:EUR",
        "AE:AED",
        "AL:ALL",
        "AM:AMD",
        "AR:ARS",
        "AT:EUR",
        "AU:AUD",
        "AZ:AZN",
        "BA:BAM",
        "BD:BDT",
        "BE:EUR",
        "BG:EUR",
        "BH:BHD",
        "BO:BOB",
        "BR:BRL",
        "BY:BYN",
        "CA:CAD",
        "CH:CHF",
        "CL:CLP",
        "CN:CNY",
        "CO:COP",
        "CR:CRC",
        "CY:EUR",
        "CZ:CZK",
        "DE:EUR",
        "DK:DKK",
        "DO:DOP",
        "DZ:DZD",
        "EC:USD",
        "EE:EUR",
        "EG:EGP",
        "ES:EUR",
        "FI:EUR",
        "FR:EUR",
        "GB:GBP",
        "GE:GEL",
        "GH:GHS",
        "GR:EUR",
        "GT:GTQ",
        "HK:HKD",
        "HR:EUR",
        "HU:HUF",
        "ID:IDR",
        "IE:EUR",
        "IL:ILS",
        "IN:INR",
        "IQ:IQD",
        "IS:ISK",
        "IT:EUR",
        "JM:JMD",
        "JO:JOD",
        "JP:JPY",
        "KE:KES",
        "KG:KGS",
        "KH:KHR",
        "KR:KRW",
        "KW:KWD",
        "KZ:KZT",
        "LB:LBP",
        "LI:CHF",
        "LK:LKR",
        "LT:EUR",
        "LU:EUR",
        "LV:EUR",
        "LY:LYD",
        "MA:MAD",
        "MC:EUR",
        "MD:MDL",
        "ME:EUR",
        "MK:MKD",
        "MN:MNT",
        "MO:MOP",
        "MT:EUR",
        "MU:MUR",
        "MX:MXN",
        "MY:MYR",
        "NG:NGN",
        "NL:EUR",
        "NO:NOK",
        "NP:NPR",
        "NZ:NZD",
        "OM:OMR",
        "PA:PAB",
        "PE:PEN",
        "PH:PHP",
        "PK:PKR",
        "PL:PLN",
        "PT:EUR",
        "PY:PYG",
        "QA:QAR",
        "RO:RON",
        "RS:RSD",
        "RU:RUB",
        "SA:SAR",
        "SE:SEK",
        "SG:SGD",
        "SI:EUR",
        "SK:EUR",
        "TH:THB",
        "TN:TND",
        "TR:TRY",
        "TT:TTD",
        "TW:TWD",
        "UA:UAH",
        "UG:UGX",
        "UK:GBP",
        "US:USD",
        "UY:UYU",
        "UZ:UZS",
        "VE:VES",
        "VN:VND",
        "XK:EUR",
        "ZA:ZAR",
    ]
)
"""Country (and `UK`) to the currency its shops price in; pinned."""


def candidates_of(sign: str) -> tuple[str, ...]:
    """The currencies a sign or code may mean; empty for none."""
    if sign in SIGNS:
        return SIGNS[sign]
    code = ALIASES.get(sign.upper(), sign.upper())
    return (code,) if code in EXPONENTS else ()


def iso_code(text: str) -> str | None:
    """A machine-written currency (`priceCurrency`) as its ISO code; accepts any case and unambiguous signs."""
    stripped = text.strip()
    found = candidates_of(stripped)
    return found[0] if len(found) == 1 or stripped == "£" else None


def choose(sign: str, *, hint: str | None, market: str | None) -> str | None:
    """The one currency of a sign: it stands alone, or the hint or the market's own currency is among its candidates."""
    candidates = candidates_of(sign)
    if len(candidates) == 1 and sign not in WEAK:
        return candidates[0]
    for wanted in (hint, MARKETS.get(market or "")):
        if wanted and wanted in candidates:
            return wanted
    return "GBP" if candidates[:1] == ("GBP",) else None  # the other pounds are a local habit: their market names them
