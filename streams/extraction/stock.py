# ruff: noqa: RUF001  # the words and marks of many scripts are the data here
"""The stock vocabulary: one normaliser for every source. What it does not know stays unknown (SPEC F5)."""

import re
from functools import lru_cache
from typing import Final

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
    r"(?<!\w)(?:sold ?out|out[ -]of[ -]stock|(?:currently|temporarily|presently) (?:unavailable|out of stock|not available|sold out)|no longer (?:available|in stock)|"
    r"not (?:currently )?in stock|ausverkauft|vergriffen|nicht (?:mehr )?(?:lieferbar|auf lager|vorr[äa]tig)|(?:derzeit|momentan|zurzeit|aktuell) (?:leider )?nicht verf[üu]gbar|"
    r"[ée]puis[ée]e?s?|rupture de stock|en rupture|victime de son succ[èe]s|agotad[oa]s?|sin (?:stock|existencias)|esaurit[oa]|non (?:pi[ùu] )?disponibile al momento|esgotad[oa]|sem (?:stock|estoque)|"
    r"uitverkocht|niet (?:op voorraad|leverbaar)|sluts[åa]ld|slut i lager|ej i lager|inte i lager|udsolgt|ikke p[åa] lager|utsolgt|loppuunmyyty|loppu(?:nut)?|ei varastossa|wyprzedan[ey]|"
    r"brak (?:w magazynie|towaru|na stanie)|vyprod[áa]no|není skladem|vypredan[éý]|nie je (?:na sklade|skladom)|elfogyott|nincs (?:k[ée]szleten|rakt[áa]ron)|(?:stoc )?epuizat|lipsă stoc|нет в наличии|"
    r"распродан[оа]?|закончил(?:ся|ось|ась)|нет на складе|немає в наявності|изчерпан|няма наличност|t[üu]kendi|stokta yok|εξαντλημένο|אזל(?: מהמלאי)?|غير متوفر|نفد(?:ت الكمية)?|品切れ?|在庫(?:なし|切れ|がありません)|売り切れ|"
    r"完売|售罄|缺货|缺貨|已售完|補貨中|暂无库存|품절|일시품절|h[ếe]t h[àa]ng|stok habis|rasprodano|razprodano|ni na zalogi|išparduota|izpārdots|läbi müüdud|otsas)(?!\w)",
    re.IGNORECASE,
)
_ABSENT_WHOLE: Final = re.compile(
    r"(?:(?:this|the) )?(?:(?:item|product) )?(?:is )?(?:unavailable|not available|indisponible|no disponible|non disponibile|indispon[íi]vel|nicht verf[üu]gbar|niet beschikbaar|ikke tilg[æj]+engelig|"
    r"ei saatavilla|niedost[ęe]pny|nedostupn[éý]|indisponibil|недоступен|недоступно|nav pieejams|nav noliktavā|neprieinama)[.!]?",
    re.IGNORECASE,
)
_NOT_HERE: Final = re.compile(
    r"store|pick-?up|collect|click|chat|filial|markt|magasin|tienda|negozio|size|gr[öo](?:ß|ss)e|talla|taille",
    re.IGNORECASE,
)
_PRESENT_TEXT: Final = re.compile(
    r"(?<!\w)(?:in stock|available now|available to (?:ship|order)|ready to ship|auf lager|sofort (?:lieferbar|verf[üu]gbar)|lieferbar|vorr[äa]tig|en stock|disponible|"
    r"disponibile|disponibilit[àa] immediata|dispon[íi]vel|em stock|em estoque|op voorraad|i lager|p[åa] lager|varastossa|dost[ęe]pny|w magazynie|skladem|na sklade|skladom|"
    r"k[ée]szleten|rakt[áa]ron|[îi]n stoc|в наличии|є в наявності|stokta|在庫あり|有货|有貨|現貨|재고 있음)(?!\w)",
    re.IGNORECASE,
)


@lru_cache(maxsize=4_096)  # the labels of a template come back on every page of a shop
def stock_text(text: str) -> str | None:
    """What a short visible text says of stock: OutOfStock before InStock, None for anything else or another place."""
    absent = bool(_ABSENT_TEXT.search(text) or _ABSENT_WHOLE.fullmatch(text.strip()))
    if not absent and not _PRESENT_TEXT.search(text):
        return None
    if _NOT_HERE.search(text):
        return None
    if absent:
        return "OutOfStock"
    return None if _NEGATED.search(text) else "InStock"


_NEGATED: Final = re.compile(
    r"(?<!\w)(?:not?|nicht|non|pas|kein\w*|sin|sem|niet|ikke|inte|ei|nie|nen[íi]|нет|не|when|notify|back|if|soon|wieder|bald|once)(?!\w)",
    re.IGNORECASE,
)
