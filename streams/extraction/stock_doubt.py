# ruff: noqa: RUF001  # the words and marks of many scripts are the data here
"""Words that take a stock text's meaning away: another place or size, later, perhaps, a filter, a letter of notice."""

import re
from typing import Final

_SPACED: Final = r"(?<!\w)(?:{})(?!\w)"
ELSEWHERE: Final = re.compile(
    r"store|pick-?up|collect|click|chat|filial|markt|magasin|tienda|negozio|size|gr[öo](?:ß|ss)e|talla|taille|taglia|tamanho|maat|storlek|størrelse|(?<!\w)koko(?!\w)|rozmiar|velikost|veľkosť|m[ée]ret|m[ăa]rime|размер|розмір|μέγεθος|beden|"
    r"winkel|butik|boutique|(?<!\w)loja|myym[äa]l|sklepie|salon|prodejn|predajn|dodavatel|dodávateľ|[üu]zlet|bolt|(?:[îi]n|la|din) magazin|магазин|крамниц|trgovin|prodavnic|poslovnic|κατάστημα|κατ/μα|ma[ğg]aza|בחנו|בסניף|المتجر|الفرع|cửa hàng|chi nhánh|"
    r"di toko|gerai|supplier|lieferant|fournisseur|proveedor|fornitore|leverantör|leverandør|поставщик|מידה|مقاس|店舗|店頭|門市|门店|매장|สาขา|尺码|尺寸|サイズ|사이즈|ไซส์|kích thước|ukuran|kauplus|veikal|parduotuv",
    re.IGNORECASE,
)
_DOUBTS: Final = (
    # not, later, perhaps, by letter
    "not?|when|notify|back|if|soon|once|until|expected|from|incoming|awaiting|weeks?|months?|maybe|hardly",
    "nicht|kein\\w*|wieder|bald|wenn|sobald|benachrichtig\\w*|woche\\w*|monat\\w*|voraussichtlich|erwartet",
    "non|pas|plus|bient[ôo]t|retour|lorsque|quand|d[èe]s que|pr[ée]venez\\w*|avert\\w*|alert\\w*|semaines?|mois|prochainement",
    "sin|cuando|av[íi]s\\w*|pr[óo]xim\\w*|pronto|semanas?|meses|cuanto|vuelva",
    "presto|breve|quando|avvis\\w*|appena|settiman\\w*|nuovo|torna",
    "sem|n[ãa]o|em breve|brevemente|avise\\w*|assim que",
    "niet|geen|wanneer|zodra|binnenkort|weer|mail|weken",
    "ikke|inte|ej|snart|n[äa]r|n[åa]r|meddela|bevaka|besked|varsle|[åa]ter|igen|kommer|veckor|uker|uger|ei|pian|kun|ilmoita|viikko\\w*",
    "nie|wkr[óo]tce|gdy|kiedy|powiadom\\w*|ponownie|tygodni\\w*|brak",
    "nen[íi]|ne|brzy|brzo|a[žz]|hl[íi]dat|upozornit|čoskoro|keď|strážiť|opět|opäť|t[ýy]dn\\w*|týžd\\w*",
    "nem|nincs|hamarosan|ha|[ée]rtes[íi]t\\w*|[úu]jra|h[ée]t|nu|cur[âa]nd|c[âa]nd|anun[țt]\\w*|notific\\w*|din nou",
    "не|няма|скоро|когато|уведоми\\w*|отново|nije|nema|ni|uskoro|kmalu|ko|kad|kada|ponovo|spet|obavijesti|obvesti\\w*|није|нема|када",
    "μη|δεν|σύντομα|όταν|ενημέρωσ\\w*|ξανά|değil|yok|yak[ıi]nda|gelince|tekrar|haber|нет|сообщи\\w*|уведом\\w*|когда|снова|ожида\\w*|немає|незабаром|коли|повідом\\w*|знову|очіку\\w*",
    "לא|אין|בקרוב|כאשר|כש\\w*|עדכנו|שוב|غير|قريبا|عند|عندما|أعلمني|لا|قريباً|sắp|khi|chưa|báo|không|segera|saat|jika|tidak|belum|beritahu|pole|varsti|kui|nav|dr[īi]z|n[ėe]ra|greitai|kai",
)
DOUBTFUL: Final = re.compile(
    _SPACED.format("|".join(_DOUBTS))
    + r"|\?|ab \d|[没沒无無不非未]|即将|即將|まもなく|通知|予約|预售|預購|없|임박|알림|ใกล้|ไม่|เร็ว",
    re.IGNORECASE,
)
"""In stock, but: `when in stock`, `bald wieder lieferbar`, `In stock?`."""
_HARDLY: Final = (
    "almost|nearly|often|previously|usually|soon|never|not|if|when|hide|show|include|exclude|display|without|fast|bald|beinahe|schnell|oft|wenn|falls|ohne|presque|bient[ôo]t|souvent|jamais|si|casi|pronto|quasi|presto|quase|em breve|"
    "bijna|binnenkort|snart|n[äa]stan|n[æe]sten|melkein|pian|prawie|niemal|wkrótce|brzy|t[ée]m[ěe][řr]|brzo|čoskoro|takmer|hamarosan|majdnem|aproape|curând|скоро|почти|майже|незабаром|uskoro|skoro|kmalu|σχεδόν|σύντομα|neredeyse|yak[ıi]nda|"
    "כמעט|בקרוב|قريبا|تقريبا|sắp|gần|hampir|segera|peaaegu|gandrīz|beveik"
)
HARDLY_AHEAD: Final = re.compile(
    rf"(?<!\w)(?:{_HARDLY})\s(?:\w+\s)?\Z|(?:即将|即將|まもなく|間もなく|もうすぐ|快)\Z", re.IGNORECASE
)
"""Sold out, but: `almost sold out`, `hide sold out`."""
HARDLY_BEHIND: Final = re.compile(
    r"\s?(?:임박|items\b|products\b|artikel ausblenden|products?\sonly)|\?|間近|寸前", re.IGNORECASE
)
