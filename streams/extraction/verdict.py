# ruff: noqa: RUF001  # the words and marks of many scripts are the data here
"""What kind of page these bytes are, before any field is believed (SPEC F9)."""

import re
from dataclasses import dataclass
from typing import Final

from streams.extraction.blocks import is_buyable
from streams.extraction.claims import ProductClaims
from streams.extraction.visible import VisiblePage
from streams.page_tree import PageTree, squeeze

_BLOCK: Final = re.compile(
    r"access denied|attention required|just a moment|are you (?:a )?(?:human|robot)|robot check|verify (?:that )?you(?:'re| are) (?:a )?human|"
    r"checking your browser|request (?:blocked|unsuccessful)|pardon our interruption|security check|bot (?:detection|protection)|unusual traffic|"
    r"captcha|403 forbidden|429 too many|too many requests|enable javascript and cookies to continue|ddos protection|you have been blocked|"
    r"you(?:'re| are) not a robot|press (?:&|and) hold|you are (?:now )?in (?:line|the queue)|enter the characters you see|access to this page has been denied|zugriff verweigert|nur einen moment|dass sie (?:ein mensch|kein roboter) sind|"
    r"acc[èe]s refus[ée]|(?:que )?vous (?:êtes (?:un )?humain|n['’]êtes pas un robot)|acceso denegado|tr[áa]fico inusual|(?:no eres|no es) un robot|accesso negato|non sei un robot|acesso negado|n[ãa]o [ée] um rob[ôo]|geen robot bent|nie jeste[śs] robotem|nejste robot|"
    r"вы не робот|доступ (?:запрещ[её]н|ограничен)|ви не робот|robot olmadığınızı|アクセスが(?:制限|拒否)|ロボットではない|访问被拒绝|人机验证|請驗證您是真人|로봇이 아닙니다|접근이 (?:거부|차단)",
    re.IGNORECASE,
)
_BLOCK_BYTES: Final = re.compile(
    rb"(?i)cf-chl-|challenge-platform|px-captcha|perimeterx|_incapsula_resource|captcha-delivery\.com|datadome|akamai-?bm|errors\.edgesuite|g-recaptcha|h-captcha|/cdn-cgi/challenge"
)
_MISSING: Final = re.compile(
    r"\b404\b|page (?:not found|doesn'?t exist|does not exist|can'?t be found|cannot be found|is missing)|(?:product|item) (?:not found|(?:is )?no longer (?:available|exists)|does not exist)|"
    r"(?:we )?(?:could ?n[o']t|couldn.t|can.?t) find (?:the|that|this|your) (?:page|product|item)|nothing (?:was )?found|seite nicht gefunden|produkt nicht gefunden|page (?:introuvable|non trouv[ée]e)|p[áa]gina no encontrada|producto no encontrado|"
    r"pagina non trovata|p[áa]gina n[ãa]o encontrada|pagina niet gevonden|strona nie (?:została )?znalezion|str[áa]nka nenalezena|страница не найдена|sidan (?:hittades inte|kunde inte hittas)|siden (?:findes|finnes) ikke|sivua ei l[öo]yt|"
    r"ページが見つかりません|お探しのページ|お探しの商品|页面不存在|找不到(?:您要的|该|該)?(?:页面|頁面|商品)|商品(?:已下架|不存在)|페이지를 찾을 수 없|존재하지 않는 (?:상품|페이지)|판매가 종료된|"
    r"(?:artikel|produkt) (?:ist )?(?:leider )?nicht mehr (?:verf[üu]gbar|erh[äa]ltlich|im sortiment)|(?:page|fiche|produit) n['’]existe (?:plus|pas)|produit (?:introuvable|n['’]est plus disponible)|el producto (?:ya no (?:existe|est[áa] disponible)|no existe)|"
    r"il prodotto non [èe] pi[ùu] disponibile|prodotto non trovato|produto n[ãa]o (?:encontrado|existe)|(?:deze )?pagina (?:bestaat niet|kon niet)|product (?:niet gevonden|bestaat niet)|nie znaleziono (?:strony|produktu)|(?:strona|produkt) nie istnieje|"
    r"(?:str[áa]nka|produkt) (?:neexistuje|nebyl[ao]? nalezen[ao]?|sa nena[šs]l[ao]?)|sidan finns inte|produkten finns inte|produktet findes ikke|tuotetta ei l[öo]ydy|(?:pagina|produsul) nu (?:a fost g[ăa]sit[ăa]?|exist[ăa])|az oldal nem tal[áa]lhat[óo]|a term[ée]k nem (?:tal[áa]lhat[óo]|l[ée]tezik)|"
    r"(?:sayfa|[üu]r[üu]n) bulunamad[ıi]|товар не найден|такой страницы не существует|(?:сторінк[уа]|товар) не (?:знайдено|знайдена|існує)|страницата не (?:е намерена|съществува)|(?:η )?σελίδα δεν (?:βρέθηκε|υπάρχει)|stranica nije prona[đd]ena|stran(?:i)? ne obstaja|"
    r"(?:הדף|העמוד|המוצר) (?:לא נמצא|אינו קיים)|(?:الصفحة|المنتج) غير موجودة?|kh[ôo]ng t[ìi]m th[ấa]y (?:trang|s[ảa]n ph[ẩa]m)|ไม่พบ(?:หน้า|สินค้า)|(?:halaman|produk) tidak ditemukan",
    re.IGNORECASE,
)
_CONSENT: Final = re.compile(
    r"before you continue|we value your privacy|consent (?:to|required)|cookie (?:consent|settings|preferences)|accept (?:all )?cookies|we use cookies|ihre privatsph[äa]re|cookies? akzeptieren|"
    r"zustimmung|accepter (?:les|tous les) cookies|votre vie priv[ée]e|tout accepter|continuer sans accepter|informativa sui cookie|accetta (?:tutti|i cookie)|la tua privacy|tu privacidad|sua privacidade|alle cookies (?:accepteren|toestaan)|akceptuj(?:[ęe]| wszystkie)? (?:pliki )?cookie|eres mayor de edad|êtes-vous majeur|bist du (?:schon )?(?:18|vollj[äa]hrig)|aceptar (?:todas las )?cookies|age verification|are you (?:over )?(?:18|21)|confirm your age",
    re.IGNORECASE,
)
_SHELL: Final = re.compile(
    rb"(?i)<div[^>]{0,80}id=[\"']?(?:root|app|__next|__nuxt|main-app|react-root|application)[\"'\s>]|enable javascript|requires javascript|javascript (?:is )?(?:required|disabled)|<app-root|ng-app|data-reactroot"
)


CONSENT_LINKS_MAX: Final = 12  # a page with a menu and a cookie bar is no wall


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A page kind and why."""

    kind: str
    reason: str


def judge(tree: PageTree, products: list[ProductClaims], chosen: bool, visible: VisiblePage) -> Verdict:
    """The page's kind.

    Args:
        tree: the page.
        products: schema.org and platform products at top level.
        chosen: whether one product is the page's own.
        visible: what the main zone shows.
    """
    if tree.refusal:
        return Verdict(kind="other", reason=tree.refusal)
    title = tree.title or ""
    heading = visible.heading or ""
    claimed = any(offer.amounts for product in products for offer in product.offers)
    words = "" if chosen and claimed else _body_text(tree)
    short = len(words) < 3_000
    named = f"{title}\n{heading}"
    sells = chosen and bool(visible.prices)
    if not claimed and (
        _BLOCK.search(named)
        or (short and not sells and (_BLOCK.search(words) or (len(words) < 600 and _BLOCK_BYTES.search(tree.html))))
    ):
        return Verdict(kind="block_page", reason="challenge_or_denial")
    if _MISSING.search(named) and not (chosen and claimed and visible.prices):
        return Verdict(kind="soft_404", reason="says_not_found")
    if not claimed and short and len(words) < 1_500 and _MISSING.search(words):
        return Verdict(kind="soft_404", reason="says_not_found")
    asks = not (claimed or chosen or visible.prices) and short and len(words) < 2_000
    if asks and tree.html.count(b"<a ") < CONSENT_LINKS_MAX and _CONSENT.search(words) and not is_buyable(tree):
        return Verdict(kind="consent_wall", reason="only_consent")
    return _content(tree, products, chosen, words, claimed=claimed)


def _content(tree: PageTree, products: list[ProductClaims], chosen: bool, words: str, *, claimed: bool) -> Verdict:
    if chosen:
        return Verdict(kind="product", reason="product_claims")
    if len(products) > 1:
        return Verdict(kind="listing", reason="several_products")
    if b"ItemList" in tree.html and (b"CollectionPage" in tree.html or b'"itemListElement"' in tree.html):
        return Verdict(kind="listing", reason="item_list")
    if not claimed and len(words) < 400 and (_SHELL.search(tree.html) or tree.html.count(b"<script") > 3):
        return Verdict(kind="needs_rendering", reason="empty_shell")
    return Verdict(kind="other", reason="no_product_claims")


def _body_text(tree: PageTree) -> str:
    """Visible words of a page, for lengths and phrases; scripts and styles left out, at most 6,000 characters."""
    body = tree.parser.body
    if body is None:
        return ""
    out: list[str] = []
    size = 0
    for node in body.traverse(include_text=True, skip_empty=True):
        if not node.is_text_node:
            continue
        parent = node.parent
        if parent is not None and parent.tag in ("script", "style", "noscript", "template"):
            continue
        text = squeeze(node.text_content or "", 500)
        if text:
            out.append(text)
            size += len(text) + 1
        if size > 6_000:
            break
    return " ".join(out)
