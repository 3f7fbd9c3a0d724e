# ruff: noqa: RUF001  # the words and marks of many scripts are the data here
"""The words around an amount that say what kind of price it is, in the languages of the web's shops. Matched on folded lower case."""

import re
from enum import StrEnum
from typing import Final


class Kind(StrEnum):
    """What an amount is (SPEC F2). Only SINGLE and SALE can become an offer's price."""

    SINGLE = "single"
    SALE = "sale"
    LIST = "list"
    STRIKETHROUGH = "strikethrough"
    UNIT = "unit"
    MEMBER = "member"
    INSTALMENT = "instalment"
    FROM = "from"
    RANGE = "range"
    TAX_EXCLUDED = "tax-excluded"
    SHIPPING = "shipping"
    DISCOUNT = "discount"


CURRENT: Final = frozenset({Kind.SINGLE, Kind.SALE})
REFERENCE: Final = frozenset({Kind.LIST, Kind.STRIKETHROUGH})


def _words(*words: str) -> re.Pattern[str]:
    return re.compile(r"(?<!\w)(?:" + "|".join(words) + r")(?!\w)")


# Order matters: the first kind whose words are found wins.
BEFORE: Final[tuple[tuple[Kind, re.Pattern[str]], ...]] = (
    (Kind.SHIPPING, _words("shipping", "delivery", "postage", "freight", "versand(?:kosten)?", "lieferung", "livraison", r"frais de port",
        "env[ií]o", "gastos de env[ií]o", "spedizione", "frete", "verzend(?:ing|kosten)?", "frakt", "dostawa", "doprava", "доставк[аи]", "kargo",
        "送料", "运费", "運費", "宅配", "免運", "배송비", "配送料", "transport", "livrare", "porto", "portes")),
    (Kind.DISCOUNT, _words("save", "you save", "savings", "discount", "sie sparen", "sparen", "ersparnis", r"[ée]conomisez", r"[ée]conomie",
        "ahorr(?:a|as|o)", "risparmi(?:o|a)?", "desconto", "economize", "poupe", "rabatt", "korting", "oszcz[eę]dzasz", "скидка", "экономия",
        "u[sš]et[rř][ií]te", "coupon", "voucher", "gutschein", "cashback", "gift card", "reward", "credit", "deposit", "points?")),
    (Kind.INSTALMENT, _words("monthly", "per month", "installments?", "instalments?", "raten?", "ratenzahlung", "mensualit[ée]s?", "cuotas?", "parcelas?",
        r"x de", "rate", "rata", "pay in \\d+", r"\d+ ?x(?: de)?", r"\d+ payments of", "payments? of", "klarna", "afterpay", "affirm", "клarna", "рассрочк[аеу]", "в месяц", "每期", "分期(?:價|付款)?", "期", "月々", "할부",
        "finanzierung", "financing", "split into", "interest-free")),
    (Kind.MEMBER, _words("members?(?: price)?", "membership", "club(?: price| card)?", "loyalty", "prime", "with card", "clubcard", "mit karte", "kundenkarte",
        "adh[ée]rent", "socios?", "tessera", "members?-only", "subscribers?", "subscribe", "per klant", "tarjeta", "по карте")),
    (Kind.TAX_EXCLUDED, _words(r"ex\.? ?(?:vat|tax|gst)", r"excl\.?(?:uding)? ?(?:vat|tax|gst|mwst|btw|moms|tva)", r"excl\.?", r"without (?:vat|tax)", r"plus vat",
        r"netto", r"net price", r"exkl\.? ?(?:mwst|ust|moms)", r"ohne mwst", r"zzgl\.? mwst", r"hors tax(?:e|es)", "ht", r"sin iva", r"\+ ?iva", r"iva esclusa", r"bez dph", r"bez vat", r"brez ddv", r"bez pdv", r"netto", r"áfa nélkül", r"fără tva", r"be pvm", r"bez pvn", r"km-ta", r"未稅",
        r"без ндс", r"税抜", r"税別", r"\+ ?vat")),
    (Kind.LIST, _words("rrp", "msrp", r"m\.s\.r\.p\.?", "srp", "uvp", "list(?: price)?", "was", "were", "before", "originally", r"original(?: price)?", "reg(?:ular)?(?: price)?", r"reg\.", "normal(?:ly)?(?: price)?",
        "compare at", "compared? (?:to|at)", "old price", "retail(?: price)?", "recommended(?: retail)?(?: price)?", "suggested", "statt", "bisher", "vorher", "ehemals", r"unverb\.? preisempf(?:\.|ehlung)?",
        "listenpreis", "streichpreis", "normalpreis", "au lieu de", r"prix (?:conseill[ée]|barr[ée]|public|de vente conseill[ée]|initial|recommand[ée])", "avant", "antes", "precio (?:anterior|original|recomendado|normal|de lista)",
        "pvpr?", "pvr", "prezzo (?:consigliato|di listino|precedente)", "listino", "invece di", "anzich[eé]", "de", "por antes", "pre[cç]o (?:antigo|anterior|original|normal|de tabela)", "van", "was", "adviesprijs",
        "f[öo]rr?(?: pris)?", "ord\\.?(?: pris)?", "ordinarie(?: pris)?", "f[øo]r(?: pris)?", "vejl\\.?(?: pris)?", "cena (?:katalogowa|regularna|przed|p[uů]vodn[ií]|standardowa)", "przed obni[zż]k[aą]", "stara cena", "poprzednia cena", "p[uů]vodn[ií](?: cena)?",
        "b[eě][zž]n[aá] cena", "pret (?:vechi|intreg|recomandat)", "prp", "pre[tț] (?:vechi|recomandat)", "старая цена", "было", "раньше", "цена до", "обычная цена", "ovh", "eski fiyat", "liste fiyat[iı]", "定価", "通常価格", "希望小売価格",
        "メーカー希望小売価格", "参考価格", "原价", "原價", "定價", "市價", "市场价", "建議售價", "정가", "정상가", "시중가", "السعر السابق", "بدلا من", "ennen", "norm\\.?", "ovh\\.?", "tavahind", "parasta cena", "redna cena", "stara cijena", "ártól", "eredeti ár",
        "lowest (?:price )?(?:in|of)(?: the)? (?:last|past|previous) 30", "30 ?(?:days?|tage|jours|d[ií]as|giorni|dni|dn[ií])")),
    (Kind.FROM, _words("from", "starting(?: at| from)?", "starts at", "as low as", "ab", r"[àa] partir d[eu]", "d[eè]s", "desde", "a partir de", "da", "partire da", "vanaf", "fr[åa]n", "fra", "od", "от", "alates", "alk(?:aen)?", "de la",
        "already from", "up to", "lowest", "min\\.?", "最低", "starting price", "bis zu", "jusqu'?[àa]", "hasta", "до")),
    (Kind.SALE, _words("sale(?: price)?", "now(?: only)?", "special(?: price| offer)?", "our price", "your price", "offer(?: price)?", "promo(?:tion)?(?: price)?", "deal(?: price)?", "jetzt(?: nur)?", "angebot(?:spreis)?", "aktionspreis", "sonderpreis",
        "maintenant", "prix (?:promo|sold[ée])", "ahora", "oferta", "precio (?:oferta|especial|internet)", "ora", "offerta", "agora", "promo[cç][aã]o", "nu", "aanbieding", "tilbud", "nå", "teraz", "promocja", "акция", "сейчас", "特価", "セール", "促销",
        "特價", "優惠價", "網路價", "促銷價", "할인가", "판매가", "акционная цена", "reduced to", "markdown", "clearance")),
)  # fmt: skip
AFTER: Final[tuple[tuple[Kind, re.Pattern[str]], ...]] = (
    (Kind.UNIT, re.compile(
        r"^\s?\(?\s?(?:/|per|pro|je|par|por|al|za|за|il|le|la|à la|the)\s?(?:\d+(?:[.,]\d+)?\s?)?(?:kg|g|gr|gram(?:s|m|mes)?|kilo(?:gramm?)?|l|lt|lit(?:er|re|ro)s?|ml|cl|dl|m|m2|m²|qm|m3|cm|oz|fl\.? ?oz|lb|lbs|ounce|pound|ft|feet|yard|meter|metro|metre|sheet|tablet|wash|count|ct|кг|л|г|м|м²)(?!\w)"
    )),
    (Kind.INSTALMENT, re.compile(r"^\s?(?:/|per|pro|par|al|por|a|в|je)?\s?(?:mo\b|mth|month|monat|mois|mes\b|mese\b|m[aå]ned|m[aå]nad|maand|мес|mtl|week|wk\b|woche|yr\b|year|jahr)|^\s?x\s?\d+\b|^\s?(?:sem juros|in \d+)")),
    (Kind.TAX_EXCLUDED, re.compile(r"^\s?\(?(?:ex\.? ?(?:vat|tax|gst)|excl|exkl|without (?:vat|tax)|plus vat|\+ ?(?:vat|iva|moms|mwst|tva|gst|tax)|netto|net\b|zzgl\.? mwst|ht\b|hors tax|sin iva|bez dph|brez ddv|bez pdv|bez pvn|fără tva|bez vat|без ндс|税抜|税別)")),
    (Kind.SHIPPING, re.compile(r"^\s?(?:shipping|delivery|postage|versand|livraison|env[ií]o|spedizione)")),
    (Kind.DISCOUNT, re.compile(r"^\s?(?:off\b|discount|rabatt|saved|sparen|de r[ée]duction|de descuento|gift|voucher|cash ?back|credit|points?\b|or more|and (?:up|over))")),
    (Kind.FROM, re.compile(r"^\s?(?:~|から|起|부터|and up|onwards|\+(?!\s?\w))")),
    (Kind.MEMBER, re.compile(r"^\s?\(?(?:with (?:card|membership|prime)|for members|member|club)")),
)  # fmt: skip


_LETTER: Final = re.compile(r"[^\W\d_]")


def kind_before(text: str) -> Kind | None:
    """The kind that the words just before an amount give it; the word nearest the amount decides, of two the longer."""
    if not _LETTER.search(text):
        return None
    best: tuple[tuple[int, int], Kind] | None = None
    for kind, pattern in BEFORE:
        for match in pattern.finditer(text):
            place = (match.end(), match.end() - match.start())
            if best is None or place > best[0]:
                best = (place, kind)
    return best[1] if best else None


def kind_after(text: str) -> Kind | None:
    """The kind that the words just after an amount give it."""
    if not text:
        return None
    for kind, pattern in AFTER:
        if pattern.search(text):
            return kind
    return None
