"""The stock vocabulary: one normaliser for every source. What it does not know stays unknown (SPEC F5)."""

import re
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
    r"(?<!\w)(?:sold ?out|out[ -]of[ -]stock|(?:currently|temporarily|presently) (?:unavailable|out of stock|not available)|no longer available|"
    r"not (?:currently )?(?:in stock|available)|item (?:is )?unavailable|unavailable|ausverkauft|vergriffen|nicht (?:mehr )?(?:lieferbar|verf[üu]gbar|auf lager|vorr[äa]tig)|"
    r"derzeit nicht verf[üu]gbar|momentan nicht verf[üu]gbar|[ée]puis[ée]|rupture de stock|en rupture|indisponible|victime de son succ[èe]s|agotado|sin (?:stock|existencias)|no disponible|"
    r"esaurito|non disponibile|terminato|esgotado|indispon[íi]vel|sem stock|sem estoque|uitverkocht|niet (?:op voorraad|leverbaar|beschikbaar)|sluts[åa]ld|slut i lager|"
    r"ej i lager|udsolgt|ikke p[åa] lager|utsolgt|loppuunmyyty|ei varastossa|wyprzedan[ey]|niedost[ęe]pny|brak (?:w magazynie|towaru)|vyprod[áa]no|není skladem|"
    r"nedostupn[éý]|vypredan[éý]|nie je skladom|elfogyott|nincs k[ée]szleten|stoc epuizat|epuizat|indisponibil|нет в наличии|распродан[оа]?|закончил(?:ся|ось)|"
    r"немає в наявності|изчерпан|t[üu]kendi|stokta yok|εξαντλημένο|אזל|غير متوفر|نفد|品切れ?|在庫(?:なし|切れ)|売り切れ|完売|售罄|缺货|缺貨|已售完|補貨中|품절|일시품절|h[ếe]t h[àa]ng|habis)(?!\w)",
    re.IGNORECASE,
)
_PRESENT_TEXT: Final = re.compile(
    r"(?<!\w)(?:in stock|available now|available to (?:ship|order)|ready to ship|auf lager|sofort (?:lieferbar|verf[üu]gbar)|lieferbar|vorr[äa]tig|en stock|disponible|"
    r"disponibile|disponibilit[àa] immediata|dispon[íi]vel|em stock|em estoque|op voorraad|i lager|p[åa] lager|varastossa|dost[ęe]pny|w magazynie|skladem|na sklade|skladom|"
    r"k[ée]szleten|rakt[áa]ron|[îi]n stoc|в наличии|є в наявності|stokta|在庫あり|有货|有貨|現貨|재고 있음)(?!\w)",
    re.IGNORECASE,
)


def stock_text(text: str) -> str | None:
    """What a short visible text says of stock: OutOfStock before InStock, None for anything else."""
    if _ABSENT_TEXT.search(text):
        return "OutOfStock"
    return "InStock" if _PRESENT_TEXT.search(text) else None
