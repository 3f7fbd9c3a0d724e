# ruff: noqa: RUF001  # the words and marks of many scripts are the data here
"""The stock vocabulary: one normaliser for every source. What it does not know stays unknown (SPEC F5)."""

import re
from functools import lru_cache
from typing import Final

from streams.extraction.stock_doubt import DOUBTFUL, ELSEWHERE, HARDLY_AHEAD, HARDLY_BEHIND

UNKNOWN: Final = "Unknown"
WORDS: Final = {
    "instock": "InStock", "instoreonly": "InStoreOnly", "onlineonly": "OnlineOnly", "limitedavailability": "LimitedAvailability",
    "outofstock": "OutOfStock", "soldout": "SoldOut", "discontinued": "Discontinued", "preorder": "PreOrder", "presale": "PreSale",
    "backorder": "BackOrder", "madetoorder": "MadeToOrder", "reserved": "Reserved",
    # spellings that shops use for them
    "available": "InStock", "availablefororder": "BackOrder", "lowstock": "LimitedAvailability", "oos": "OutOfStock", "unavailable": "OutOfStock",
    "notinstock": "OutOfStock", "pending": "BackOrder", "backordered": "BackOrder", "instoreavailable": "InStoreOnly",
}  # fmt: skip
BUYABLE: Final = frozenset({"InStock", "LimitedAvailability", "OnlineOnly", "InStoreOnly"})
ABSENT: Final = frozenset({"OutOfStock", "SoldOut", "Discontinued"})
_PREFIX: Final = re.compile(
    r"^(?:https?:)?/*(?:www\.)?(?:schema\.org)?[/#:]*(?:schema:|itemavailability[/.:])?", re.IGNORECASE
)


def stock_word(text: str) -> str | None:
    """The vocabulary word of a machine-written availability, or None when it is none of them."""
    bare = _PREFIX.sub("", text.strip())
    return WORDS.get(re.sub(r"[^a-z]", "", bare.lower()))


_ABSENT_TEXT: Final = re.compile(
    r"(?<!\w)(?<!almost )(?<!nearly )(?<!fast )(?<!bald )(?<!presque )(?<!quasi )(?<!casi )(?<!never )(?<!not )"
    r"(?:sold ?out|out[ -]of[ -]stock|(?:currently|temporarily|presently) (?:unavailable|out of stock|not available|sold out)|no longer (?:available|in stock)|"
    r"not (?:currently )?in stock|ausverkauft|vergriffen|nicht (?:mehr )?(?:lieferbar|auf lager|vorr[äa]tig)|(?:derzeit|momentan|zurzeit|aktuell) (?:leider )?nicht verf[üu]gbar|"
    r"[ée]puis[ée]e?s?|rupture de stock|en rupture|victime de son succ[èe]s|(?:actuellement|temporairement|momentan[ée]ment) indisponible|agotad[oa]s?|sin (?:stock|existencias)|esaurit[oa]|non (?:pi[ùu] )?disponibile al momento|"
    r"(?:attualmente|momentaneamente|al momento) non disponibile|esgotad[oa]|sem (?:stock|estoque)|uitverkocht|niet (?:op voorraad|leverbaar)|sluts[åa]ld|slut i lager|(?:tillf[äa]lligt|tyv[äa]rr) slut|ej i lager|inte i lager|udsolgt|ikke p[åa] lager|utsolgt|"
    r"loppuunmyyty|loppu(?:nut)?|ei varastossa|wyprzedan[ey]|brak (?:w magazynie|towaru|na stanie)|(?:chwilowo|obecnie) niedost[ęe]pn[yae]|vyprod[áa]no|není skladem|(?:moment[áa]ln[ěe]|do[čc]asn[ěe]) (?:nedostupn[éýá]|nen[íi] skladem)|vypredan[éý]|"
    r"nie je (?:na sklade|skladom)|elfogyott|nincs (?:k[ée]szleten|rakt[áa]ron)|(?:jelenleg )?nem rendelhet[őo]|(?:stoc )?epuizat|lipsă stoc|nu (?:este|mai este|e) [îi]n stoc|нет в наличии|распродан[оа]?|закончил(?:ся|ось|ась)|нет на складе|"
    r"немає (?:в|у) наявності|закінчи(?:вся|лася|лось)|изчерпан[ао]?|няма наличност|не е нали(?:чен|чно|чна)|t[üu]kendi|stok(?:ta|larda) (?:yok|kalmad[ıi])|εξαντλ(?:ημένο|ήθηκε)|εκτός αποθέματος|μη διαθέσιμο|אזל(?: מהמלאי)?|לא במלאי|"
    r"غير متوفر|نفد(?:ت الكمية)?|h[ếe]t h[àa]ng|stok habis|habis terjual|rasprodano|razprodano|ni na zalogi|išparduota|izpārdots|läbi müüdud|otsas)(?!\w)"
    r"|(?:品切れ?|在庫(?:なし|無し|切れ|がありません|がございません)|売り?切れ|完売)(?!次第|の場合|の際|御免|ごめん)|(?:完售|售罄|售完|缺货|缺貨|無庫存|无库存)(?!为止|為止|登记|通知)|補貨中|补货中|품절(?! ?시|될|되)|재고 ?없음|สินค้าหมด(?!อายุ)|หมดชั่วคราว|หมดสต็อก",
    re.IGNORECASE,
)
_THING: Final = (
    r"(?:(?:this|the|ce|cet|le|la|el|este|esta|il|lo|o|der|das|dieser|dieses|deze|dit|ten|tento|ezt?|acest|этот|цей) )?(?:(?:item|product|produit|article|producto|art[íi]culo|prodotto|articolo|produto|artigo|produkt|artikel|tuote|vara(?:n)?|term[ée]k|produs(?:ul)?|"
    r"[üu]r[üu]n|товар|προϊόν|поръчка|prece|toode) )?(?:(?:is|est|est[áa]|[èe]|ist|is|er|[äa]r|jest|je|este|currently|leider|nu|actuellement|actualmente|attualmente|atualmente|momenteel|obecnie|aktuálně|jelenleg|momentan) ){0,2}"
)
_ABSENT_WHOLE: Final = re.compile(
    _THING
    + r"(?:unavailable|not available|indisponible|no (?:est[áa] )?disponible|non (?:[èe] )?disponibile|indispon[íi]vel|nicht verf[üu]gbar|niet beschikbaar|ikke tilg[æj]+engelig|inte tillg[äa]nglig|"
    r"ei saatavilla|niedost[ęe]pn[yea]|nedostupn[éýá]|indisponibil|nem el[ée]rhet[őo]|недоступен|недоступно|недоступний|nav pieejams|nav noliktavā|neprieinama|mevcut değil)[.!]?",
    re.IGNORECASE,
)
_PRESENT_TEXT: Final = re.compile(
    r"(?<!\w)(?:in stock|available now|available to (?:ship|order)|ready to ship|auf lager|sofort (?:lieferbar|verf[üu]gbar)|lieferbar|vorr[äa]tig|en stock|disponible|"
    r"disponibile|disponibilit[àa] immediata|dispon[íi]vel|em stock|em estoque|op voorraad|i lager|p[åa] lager|varastossa|dost[ęe]pny|w magazynie|skladem|na sklade|skladom|"
    r"k[ée]szleten|rakt[áa]ron|[îi]n stoc|в наличии|(?:є )?(?:в|у) наявності|stokta|(?:hay|en) existencias|na stanie|в наличност|на склад[еі]?|na zalihi|na zalogi|na skladi[šs]tu|na stanju|на стању|на лагеру|άμεσα διαθέσιμο|σε απόθεμα|"
    r"(?:זמין )?במלאי|متوفر في المخزون|còn hàng|stok tersedia|laos olemas|ir noliktavā|yra sandėlyje)(?!\w)|在庫[:：]?(?:あり|有|わずか)|有货|有貨|[現现][貨货]|[尚有]有?[庫库]存|재고 ?있음|มีสินค้า|พร้อมส่ง",
    re.IGNORECASE,
)


_PRESENT_WHOLE: Final = re.compile(
    _THING
    + r"(?:dostupn[oaáý]|dostępn[yae]|na voljo|нали(?:чен|чно|чна)|доступно|διαθέσιμο|متوفر|متاح|tersedia|saatavilla|beschikbaar|verf[üu]gbar)[.!]?",
    re.IGNORECASE,
)
_NONE_LEFT: Final = re.compile(
    r"(?<![\d.,])0 (?:pcs\.? )?(?:in stock|auf lager|en stock|disponibil|op voorraad|i lager|p[åa] lager|skladem|na sklade|в наличии)",
    re.IGNORECASE,
)
_ABSENT_MORE: Final = re.compile(
    r"(?<!\w)(?:discontinued|fora de e?stock|fora de estoque|nicht lagernd|снят с производства|временно отсутствует|немає на складі|розпродано|няма в наличност|nema (?:na|u) (?:zalihi|stanju|skladištu)|нема на (?:стању|лагеру)|распродато|"
    r"חסר במלאי|نفذت الكمية|ngừng kinh doanh|nėra sandėlyje|nav noliktavā)(?!\w)|[无無][货貨]|入荷(?:待ち|未定)|在庫[:：]なし|매진",
    re.IGNORECASE,
)
_ABSENT_MORE_WHOLE: Final = re.compile(
    _THING
    + r"(?:nije dostupn[oa]|ni na voljo|غير متاح|tidak tersedia|habis|หมด|לא זמין|niet voorradig|não disponível)[.!]?",
    re.IGNORECASE,
)


@lru_cache(maxsize=4_096)  # the labels of a template come back on every page of a shop
def stock_text(text: str) -> str | None:
    """What a short visible text says of stock: OutOfStock before InStock, None for anything else, another place or a doubt."""
    absent = _is_absent(text)
    if absent is None and not (_PRESENT_TEXT.search(text) or _PRESENT_WHOLE.fullmatch(text.strip())):
        return None
    if ELSEWHERE.search(text) or absent is False:
        return None
    if absent:
        return "OutOfStock"
    return None if DOUBTFUL.search(text) else "InStock"


def _is_absent(text: str) -> bool | None:
    """Whether a text says that there is none; False where it says so of no product (`almost`, `hide sold out`), None for no word of it."""
    bare = text.strip()
    if any(pattern.fullmatch(bare) for pattern in (_ABSENT_WHOLE, _ABSENT_MORE_WHOLE)) or _NONE_LEFT.search(text):
        return True
    found = [match for pattern in (_ABSENT_TEXT, _ABSENT_MORE) for match in pattern.finditer(text)]
    if not found:
        return None
    return any(
        not HARDLY_AHEAD.search(text[: one.start()]) and not HARDLY_BEHIND.match(text, one.end()) for one in found
    )
