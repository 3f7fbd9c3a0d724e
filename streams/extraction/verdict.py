# the words and marks of many scripts are the data here
"""What kind of page these bytes are, before any field is believed (SPEC F9)."""

import re
from dataclasses import dataclass
from typing import Final

from streams.extraction.claims import ProductClaims
from streams.extraction.visible import VisiblePage
from streams.page_tree import PageTree, squeeze

_BLOCK: Final = re.compile(
    r"access denied|attention required|just a moment|are you (?:a )?(?:human|robot)|robot check|verify (?:that )?you(?:'re| are) (?:a )?human|"
    r"checking your browser|request (?:blocked|unsuccessful)|pardon our interruption|security check|bot (?:detection|protection)|unusual traffic|"
    r"captcha|403 forbidden|429 too many|too many requests|enable javascript and cookies to continue|ddos protection|you have been blocked|zugriff verweigert|acc[èe]s refus[ée]|acceso denegado",
    re.IGNORECASE,
)
_BLOCK_BYTES: Final = re.compile(
    rb"(?i)cf-chl-|challenge-platform|px-captcha|perimeterx|_incapsula_resource|captcha-delivery\.com|datadome|akamai-?bm|errors\.edgesuite|g-recaptcha|h-captcha|/cdn-cgi/challenge"
)
_MISSING: Final = re.compile(
    r"\b404\b|page (?:not found|doesn'?t exist|does not exist|can'?t be found|cannot be found|is missing)|(?:product|item) (?:not found|(?:is )?no longer (?:available|exists)|does not exist)|"
    r"(?:we )?(?:could ?n[o']t|couldn.t|can.?t) find (?:the|that|this|your) (?:page|product|item)|nothing (?:was )?found|seite nicht gefunden|produkt nicht gefunden|page (?:introuvable|non trouv[ée]e)|p[áa]gina no encontrada|producto no encontrado|"
    r"pagina non trovata|p[áa]gina n[ãa]o encontrada|pagina niet gevonden|strona nie (?:została )?znalezion|str[áa]nka nenalezena|страница не найдена|sidan (?:hittades inte|kunde inte hittas)|siden (?:findes|finnes) ikke|sivua ei l[öo]yt|"
    r"ページが見つかりません|お探しのページ|页面不存在|找不到(?:页面|頁面)|페이지를 찾을 수 없",
    re.IGNORECASE,
)
_CONSENT: Final = re.compile(
    r"before you continue|we value your privacy|consent (?:to|required)|cookie (?:consent|settings|preferences)|accept (?:all )?cookies|we use cookies|ihre privatsph[äa]re|cookies? akzeptieren|"
    r"zustimmung|accepter (?:les|tous les) cookies|aceptar (?:todas las )?cookies|age verification|are you (?:over )?(?:18|21)|confirm your age",
    re.IGNORECASE,
)
_SHELL: Final = re.compile(
    rb"(?i)<div[^>]{0,80}id=[\"']?(?:root|app|__next|__nuxt|main-app|react-root|application)[\"'\s>]|enable javascript|requires javascript|javascript (?:is )?(?:required|disabled)|<app-root|ng-app|data-reactroot"
)


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
    if not claimed and (
        _BLOCK.search(named)
        or (short and (_BLOCK.search(words) or (len(words) < 600 and _BLOCK_BYTES.search(tree.html))))
    ):
        return Verdict(kind="block_page", reason="challenge_or_denial")
    if _MISSING.search(named) and not (chosen and claimed and visible.prices):
        return Verdict(kind="soft_404", reason="says_not_found")
    if not claimed and short and len(words) < 1_500 and _MISSING.search(words):
        return Verdict(kind="soft_404", reason="says_not_found")
    if not claimed and not visible.prices and short and _CONSENT.search(words) and len(words) < 2_000:
        return Verdict(kind="consent_wall", reason="only_consent")
    return _content(tree, products, chosen, visible, words, claimed=claimed)


def _content(
    tree: PageTree, products: list[ProductClaims], chosen: bool, visible: VisiblePage, words: str, *, claimed: bool
) -> Verdict:
    if chosen:
        return Verdict(kind="product", reason="product_claims")
    if len(products) > 1:
        return Verdict(kind="listing", reason="several_products")
    if (
        b"ItemList" in tree.html
        and (b"CollectionPage" in tree.html or b'"itemListElement"' in tree.html)
        and not visible.prices
    ):
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
