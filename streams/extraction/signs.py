# ruff: noqa: RUF001  # the words and marks of many scripts are the data here
"""Currency signs and codes in text. A sign names one currency, or several that only the market can choose from (SPEC F5)."""

import re
from typing import Final

from topics.money import EXPONENTS

_DOLLARS: Final = (
    "USD CAD AUD NZD MXN CLP COP ARS SGD HKD TWD BBD BMD BND BSD BZD DOP FJD GYD JMD KYD LRD NAD SBD SRD TTD UYU XCD"
)
_DOLLAR: Final = tuple(_DOLLARS.split())
_PESO: Final = ("MXN", "COP", "CLP", "ARS", "PHP", "UYU", "DOP")
_RUPEE: Final = ("INR", "PKR", "LKR", "NPR", "MUR", "SCR")
SIGNS: Final[dict[str, tuple[str, ...]]] = {
    "US$": ("USD",), "US $": ("USD",), "CA $": ("CAD",), "AU $": ("AUD",), "NZ $": ("NZD",), "HK $": ("HKD",), "MX $": ("MXN",), "U$S": ("USD",), "C$": ("CAD", "NIO"), "CA$": ("CAD",), "CAD$": ("CAD",), "CDN$": ("CAD",), "A$": ("AUD",), "AU$": ("AUD",),
    "AUD$": ("AUD",), "NZ$": ("NZD",), "HK$": ("HKD",), "S$": ("SGD",), "SG$": ("SGD",), "NT$": ("TWD",), "NTD": ("TWD",), "R$": ("BRL",),
    "MX$": ("MXN",), "MXN$": ("MXN",), "AR$": ("ARS",), "CLP$": ("CLP",), "CL$": ("CLP",), "COL$": ("COP",), "RD$": ("DOP",), "J$": ("JMD",),
    "TT$": ("TTD",), "B/.": ("PAB",), "S/.": ("PEN",), "S/": ("PEN",), "Bs.": ("BOB", "VES"), "$": _DOLLAR, "€": ("EUR",), "EURO": ("EUR",),
    "Euro": ("EUR",), "euro": ("EUR",), "euros": ("EUR",), "£": ("GBP", "EGP", "FKP", "GIP", "SHP", "LBP", "SYP", "SSP", "SDG"),
    "¥": ("JPY", "CNY"), "円": ("JPY",), "元": ("CNY", "TWD", "HKD"), "RMB": ("CNY",), "₩": ("KRW",), "원": ("KRW",), "₹": ("INR",),
    "Rs.": _RUPEE, "Rs": _RUPEE, "₽": ("RUB",), "руб.": ("RUB", "BYN"),
    "руб": ("RUB", "BYN"), "р.": ("RUB", "BYN"), "zł": ("PLN",), "Zł": ("PLN",), "ZŁ": ("PLN",), "zl": ("PLN",), "Kč": ("CZK",), "Kc": ("CZK",), "kr.": ("SEK", "NOK", "DKK", "ISK"),
    "Kr.": ("SEK", "NOK", "DKK", "ISK"), "KR": ("SEK", "NOK", "DKK", "ISK"), "kr": ("SEK", "NOK", "DKK", "ISK"), "Kr": ("SEK", "NOK", "DKK", "ISK"), "Ft": ("HUF",), "lei": ("RON", "MDL"), "Lei": ("RON", "MDL"),
    "LEI": ("RON", "MDL"), "лв.": ("BGN",), "лв": ("BGN",), "₺": ("TRY",), "TL": ("TRY",), "₴": ("UAH",), "грн.": ("UAH",), "грн": ("UAH",),
    "₪": ("ILS",), "NIS": ("ILS",), "฿": ("THB",), "บาท": ("THB",), "₫": ("VND",), "đ": ("VND",), "VNĐ": ("VND",), "₱": ("PHP",), "₦": ("NGN",),
    "RM": ("MYR",), "Rp": ("IDR",), "₡": ("CRC",), "₲": ("PYG",), "₸": ("KZT",), "тг.": ("KZT",), "тг": ("KZT",), "₼": ("AZN",), "₾": ("GEL",),
    "֏": ("AMD",), "ر.س": ("SAR",), "ريال": ("SAR", "QAR", "OMR", "YER", "IRR"), "د.إ": ("AED",), "درهم": ("AED", "MAD"), "د.ك": ("KWD",),
    "د.ب": ("BHD",), "ر.ع": ("OMR",), "ر.ق": ("QAR",), "ج.م": ("EGP",), "Fr.": ("CHF",), "SFr.": ("CHF",), "KM": ("BAM",), "ден": ("MKD",),
    "дин": ("RSD",), "din": ("RSD",), "GH₵": ("GHS",), "₵": ("GHS",), "KSh": ("KES",), "KSh.": ("KES",), "TSh": ("TZS",), "USh": ("UGX",),
    "₭": ("LAK",), "៛": ("KHR",), "₮": ("MNT",), "৳": ("BDT",), "R": ("ZAR",), "Dhs": ("AED", "MAD"), "DH": ("MAD", "AED"),
    # written out, and signs of one market only
    "$ CA": ("CAD",), "$ US": ("USD",), "$CA": ("CAD",), "$US": ("USD",), "$U": ("UYU",), "N$": ("NAD",), "B$": ("BSD", "BND"), "BZ$": ("BZD",), "EC$": ("XCD",), "FJ$": ("FJD",),
    "dollars": _DOLLAR, "Dollars": _DOLLAR, "dollar": _DOLLAR, "pesos": _PESO, "Pesos": _PESO, "Euros": ("EUR",), "EUROS": ("EUR",), "Eur": ("EUR",), "евро": ("EUR",), "євро": ("EUR",), "ευρώ": ("EUR",),
    "рублей": ("RUB", "BYN"), "рубля": ("RUB", "BYN"), "рубль": ("RUB", "BYN"), "р": ("RUB", "BYN"), "Р": ("RUB", "BYN"), "Br": ("BYN",), "гривень": ("UAH",), "гривні": ("UAH",), "гривен": ("UAH",),
    "лева": ("BGN",), "тенге": ("KZT",), "сом": ("KGS",), "сум": ("UZS",), "so'm": ("UZS",), "złotych": ("PLN",), "złoty": ("PLN",), "złote": ("PLN",), "forint": ("HUF",), "korun": ("CZK",),
    "kronor": ("SEK",), "kroner": ("NOK", "DKK"), "reais": ("BRL",), "soles": ("PEN",), "Q": ("GTQ",), "Gs.": ("PYG",), "Gs": ("PYG",), "Fr": ("CHF",), "₨": _RUPEE, "रु.": ("INR", "NPR"), "रु": ("INR", "NPR"), "rupees": _RUPEE, "Rupees": _RUPEE,
    "Tk.": ("BDT",), "Tk": ("BDT",), "Ksh": ("KES",), "Kshs": ("KES",), "KShs": ("KES",), "baht": ("THB",), "Baht": ("THB",), "rupiah": ("IDR",), "đồng": ("VND",),
    "日元": ("JPY",), "日圓": ("JPY",), "港元": ("HKD",), "港幣": ("HKD",), "港币": ("HKD",), "新台幣": ("TWD",), "新臺幣": ("TWD",), "台幣": ("TWD",), "人民币": ("CNY",), "人民幣": ("CNY",), "美元": ("USD",), "美金": ("USD",),
    'ש"ח': ("ILS",), "ש''ח": ("ILS",), "ש״ח": ("ILS",), "جنيه": ("EGP", "SDG"), "L.E.": ("EGP",), "LE": ("EGP",), "E£": ("EGP",), "دينار": ("KWD", "BHD", "JOD", "IQD", "LYD", "TND", "DZD"), "د.ع": ("IQD",), "د.ل": ("LYD",), "د.ت": ("TND",), "د.أ": ("JOD",),
    "د.م": ("MAD",), "د.ج": ("DZD",), "ل.ل": ("LBP",), "ر.ي": ("YER",), "ریال": ("IRR",), "﷼": ("IRR", "SAR", "QAR", "OMR", "YER"), "KD": ("KWD",), "BD": ("BHD",), "JD": ("JOD",), "DT": ("TND",), "SR": ("SAR",), "QR": ("QAR",),
    "FCFA": ("XOF", "XAF"), "F CFA": ("XOF", "XAF"), "CFA": ("XOF", "XAF"), "Lek": ("ALL",), "lekë": ("ALL",), "MOP$": ("MOP",), "G$": ("GYD",), "Dh": ("MAD", "AED"), "د.ا": ("JOD",), "دج": ("DZD",), "ل.س": ("SYP",), "lari": ("GEL",), "ლარი": ("GEL",),
    "yen": ("JPY",), "Yen": ("JPY",), "圓": ("TWD", "JPY", "HKD"), "圆": ("CNY",), "රු": ("LKR",), "රු.": ("LKR",), "dinara": ("RSD",), "Dinara": ("RSD",), "динара": ("RSD",), "SFr": ("CHF",), "Bs": ("BOB", "VES"),
}  # fmt: skip
ALIASES: Final = {"RUR": "RUB", "RMB": "CNY", "NTD": "TWD", "NIS": "ILS", "EURO": "EUR", "STG": "GBP", "TL": "TRY"}
"""Codes that shops write for an ISO code. Not BYR: 1 BYN was 10,000 BYR, one is never read for the other."""


WEAK: Final = frozenset({"zl", "Kc", "RM", "р."})
"""Signs that are also ordinary words or units: they name a currency only where the market expects it."""

_WORD_CODES: Final = "ALL ANG BAM BOB CUP GEL LAK MAD MOP PEN SOS TOP TRY"
_WORD_SIGNS: Final = "R KM DH din Dhs KD BD JD DT SR QR LE Q Br Tk Fr Gs Bs Dh сом сум soles дин"
WORD_CODES: Final = frozenset(_WORD_CODES.split())
QUIET: Final = frozenset((*_WORD_CODES.split(), *_WORD_SIGNS.split()))
"""Signs and codes that are words (TOP, GEL, ALL): no sign at all where neither the hint nor the market expects the currency."""
_LOWER_CODES: Final = "usd eur gbp chf pln aud nzd sgd hkd inr jpy cny dkk huf czk uah brl zar aed myr thb idr vnd krw twd mkd ils bgn kwd bhd omr qar ron cad nok nis"
"""Codes that are no word in lower case; `sek`, `try`, `all` are."""


def _grouped(words: list[str]) -> str:
    """Alternatives grouped by their first character, longest first: the matcher then tries a handful and not hundreds."""
    heads: dict[str, list[str]] = {}
    for word in sorted(words, key=lambda one: (-len(one), one)):
        heads.setdefault(word[0], []).append(word[1:])
    return "|".join(
        re.escape(head)
        + "(?:"
        + "|".join(
            re.escape(tail) + (_END if (head + tail)[-1:].isalpha() and (head + tail)[-1] < "\u3000" else "")
            for tail in tails
        )
        + ")"
        for head, tails in sorted(heads.items())
    )


_END: Final = r"(?![^\W\d_])"
_WORDS: Final = sorted({*SIGNS, *EXPONENTS, *ALIASES, *_LOWER_CODES.split()})
SIGN: Final = re.compile(
    r"(?<![^\W\d_])(?:"
    + _grouped([word for word in _WORDS if word[0].isalpha()])
    + ")|"
    + _grouped([word for word in _WORDS if not word[0].isalpha()])
)
_MARKETS: Final = (
    "AD:EUR AE:AED AL:ALL AM:AMD AR:ARS AT:EUR AU:AUD AZ:AZN BA:BAM BD:BDT BE:EUR BG:EUR BH:BHD BO:BOB BR:BRL BY:BYN "
    "CA:CAD CH:CHF CL:CLP CN:CNY CO:COP CR:CRC CY:EUR CZ:CZK DE:EUR DK:DKK DO:DOP DZ:DZD EC:USD EE:EUR EG:EGP ES:EUR "
    "FI:EUR FR:EUR GB:GBP GE:GEL GH:GHS GR:EUR GT:GTQ HK:HKD HN:HNL HR:EUR HU:HUF ID:IDR IE:EUR IL:ILS IN:INR IQ:IQD "
    "IR:IRR IS:ISK IT:EUR JM:JMD JO:JOD JP:JPY KE:KES KG:KGS KH:KHR KR:KRW KW:KWD KZ:KZT LB:LBP LI:CHF LK:LKR LT:EUR "
    "LU:EUR LV:EUR LY:LYD MA:MAD MC:EUR MD:MDL ME:EUR MK:MKD MN:MNT MO:MOP MT:EUR MU:MUR MX:MXN MY:MYR NG:NGN NI:NIO "
    "NL:EUR NO:NOK NP:NPR NZ:NZD OM:OMR PA:PAB PE:PEN PH:PHP PK:PKR PL:PLN PT:EUR PY:PYG QA:QAR RO:RON RS:RSD RU:RUB "
    "SA:SAR SE:SEK SG:SGD SI:EUR SK:EUR TH:THB TN:TND TR:TRY TT:TTD TW:TWD UA:UAH UG:UGX UK:GBP US:USD UY:UYU UZ:UZS "
    "VE:VES VN:VND XK:EUR ZA:ZAR"
)
MARKETS: Final[dict[str, str]] = dict(pair.split(":") for pair in _MARKETS.split())
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


def counts(sign: str, *, hint: str | None, market: str | None) -> bool:
    """Whether a sign is a sign here: a word such as TOP or GEL is one only where its currency is expected."""
    return sign not in QUIET or _expected(candidates_of(sign), hint, market) is not None


def choose(sign: str, *, hint: str | None, market: str | None) -> str | None:
    """The one currency of a sign: it stands alone, or the hint or the market's own currency is among its candidates."""
    candidates = candidates_of(sign)
    if len(candidates) == 1 and sign not in WEAK and (sign not in QUIET or sign in WORD_CODES):
        return candidates[0]
    expected = _expected(candidates, hint, market)
    return expected or (candidates[0] if sign in _WORLDWIDE else None)


def _expected(candidates: tuple[str, ...], hint: str | None, market: str | None) -> str | None:
    return next((one for one in (hint, MARKETS.get(market or "")) if one in candidates), None)


_WORLDWIDE: Final = frozenset(
    {"£", "C$"}
)  # the other pounds and the cordoba are a local habit: their market names them

_CENTLESS: Final = "AMD COP HUF IDR IQD IRR KHR LAK LBP MMK UZS"
_NO_CENTS: Final = frozenset(_CENTLESS.split())
_HOME: Final = {code: market for market, code in reversed(MARKETS.items()) if code not in ("EUR", "USD")}


def home_of(currency: str | None) -> str | None:
    """The home of a currency that has one: its marks are expected when no market is given."""
    return _HOME.get(currency or "")


def decimals_of(currency: str | None, candidates: tuple[str, ...], market: str | None) -> int | None:
    """Decimals that a price may have, None where it is open; zero where a currency's cents are out of use."""
    if currency:
        return 0 if currency in _NO_CENTS else EXPONENTS[currency]
    exponents = {EXPONENTS[code] for code in candidates}
    if not exponents and EXPONENTS.get(MARKETS.get(market or "", "")) == 3:
        return 3
    if exponents and exponents <= {0, 2}:
        return max(exponents)  # none of them is priced with three decimals
    return exponents.pop() if len(exponents) == 1 else None
