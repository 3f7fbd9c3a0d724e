"""brocante's pages: microdata in windows-1252, a paginated listing, no sitemap, a calendar without end, odd items."""

import re
from html import escape
from typing import Final

from adcat.store.frame import Look, cards, page, related, text
from adcat.store.model import Oddity, Product, decimal, euro
from adcat.store.shelf import Query, Reply, Shelf, modified_s
from adcat.store.stock_brocante import CONTRADICTION_VISIBLE_MINOR

PAGE_PRODUCTS: Final = 12
FIRST_MONTH: Final = "2026-01"
LOOK: Final = Look(
    title="Brocante",
    lang="de-DE",
    charset="windows-1252",
    nav=(("Alle Stücke", "/shop"), ("Flohmarkt-Termine", f"/calendar?month={FIRST_MONTH}"), ("Über uns", "/about")),
    cart="Warenkorb",
    home="Startseite",
    related="Das könnte Ihnen auch gefallen",
    small_print="Brocante Werkstatt, Leipzig. Preise inkl. MwSt., zzgl. Versand.",
    product_prefix="/artikel/",
    price=lambda minor: f"{euro(minor)} €",
)
ROBOTS: Final = "User-agent: *\nDisallow: /cart\n"
_MONTH: Final = re.compile(r"(\d{4,6})-(0[1-9]|1[0-2])\Z", re.ASCII)


def brocante_reply(shelf: Shelf, path: str, query: Query) -> Reply | None:
    """What brocante answers, or None for a path that it does not have."""
    if path == "/":
        return _home(shelf)
    if path == "/robots.txt":
        return text(ROBOTS)
    if path == "/shop":
        return _listing(shelf, query.get("page", "1"))
    if path == "/calendar":
        return _calendar(query.get("month", FIRST_MONTH))
    if path == "/about":
        return page(LOOK, "Über uns", "<h1>Über uns</h1><p>Wir retten schöne Dinge vor dem Sperrmüll.</p>")
    head, _, slug = path.rpartition("/")
    product = shelf.products.get(slug) if head == "/artikel" else None
    return None if product is None else _product(shelf, product)


def _home(shelf: Shelf) -> Reply:
    slugs = list(shelf.products)
    main = f"""<h1>Fundstücke mit Geschichte</h1>
<p><a href="/shop">Zum Laden</a> <a href="/shop#neu">Neu im Laden</a>
<a href="/artikel/{slugs[0]}?PHPSESSID=9f2c41d07be85a36">Stück der Woche</a>
<a href="/artikel/{slugs[1]};jsessionid=4E1AB0C7D25F98A3">Zuletzt verkauft</a>
<a href="/artikel/{slugs[2]}?gclid=Cj0KCQiA1rSsBhDHARIsANB">Aus der Anzeige</a></p>"""
    return page(LOOK, "Fundstücke", main)


def _listing(shelf: Shelf, number: str) -> Reply | None:
    """One page of the listing; pages after the last do not exist."""
    products = list(shelf.products.values())
    pages = -(-len(products) // PAGE_PRODUCTS)
    if not number.isdecimal() or not 1 <= int(number) <= pages:
        return None
    at = int(number)
    links = ""
    if at > 1:
        links += f'<a rel="prev" href="/shop?page={at - 1}">Zurück</a> '
    if at < pages:
        links += f'<a rel="next" href="/shop?page={at + 1}">Weiter</a>'
    shown = products[(at - 1) * PAGE_PRODUCTS : at * PAGE_PRODUCTS]
    title = f"Alle Stücke, Seite {at}"
    return page(LOOK, title, f'<h1>{title}</h1>{cards(LOOK, shown)}<div class="pagination">{links}</div>')


def _calendar(month: str) -> Reply | None:
    """A month of flea markets; each links the next and the one before, so that a crawler never comes to an end."""
    found = _MONTH.match(month)
    if found is None:
        return None
    months = int(found[1]) * 12 + int(found[2]) - 1
    before, after = (f"{at // 12:04d}-{at % 12 + 1:02d}" for at in (max(months - 1, 0), months + 1))
    main = f"""<h1>Flohmarkt-Termine {month}</h1>
<p>Jeden ersten Samstag im Hof.</p>
<p><a href="/calendar?month={before}">Vorheriger Monat</a> <a href="/calendar?month={after}">Nächster Monat</a></p>"""
    return page(LOOK, f"Termine {month}", main)


def _product(shelf: Shelf, product: Product) -> Reply:
    if product.oddity is Oddity.SOFT_404:
        main = '<h1>Seite nicht gefunden</h1><p>Dieses Stück gibt es nicht mehr. <a href="/shop">Zum Laden</a></p>'
        return page(LOOK, "Seite nicht gefunden", main, is_product=True)
    offered = product.variants[0]
    stock = "InStock" if offered.in_stock else "OutOfStock"
    main = f"""<article class="artikel" itemscope itemtype="https://schema.org/Product">
<img itemprop="image" src="/img/{product.slug}.png" alt="{escape(product.name)}">
<h1 itemprop="name">{escape(product.name)}</h1>
<p>Artikelnummer: <span itemprop="sku">{offered.sku}</span></p>
<meta itemprop="gtin13" content="{offered.gtin13}">
<meta itemprop="brand" content="{escape(product.brand)}">
<div class="angebot" itemprop="offers" itemscope itemtype="https://schema.org/Offer">
<link itemprop="url" href="/artikel/{product.slug}">
{_price(product)}
<link itemprop="availability" href="https://schema.org/{stock}">
<span class="lager">{"Auf Lager" if offered.in_stock else "Ausverkauft"}</span>
</div>
<button class="in-den-warenkorb">In den Warenkorb</button>
<p itemprop="description">{escape(product.description)}</p>
</article>
{related(LOOK, shelf.related(product))}"""
    return page(
        LOOK,
        product.name,
        main,
        crumbs=(("Alle Stücke", "/shop"),),
        modified_s=modified_s(product),
        is_product=True,
    )


def _price(product: Product) -> str:
    """The price line: an amount for machines beside the visible one, or on every fourth page the visible text alone."""
    minor = product.variants[0].price_minor
    if product.oddity is Oddity.NO_CURRENCY:
        return f'<span class="preis" itemprop="price" content="{decimal(minor)}">{euro(minor)}</span>'
    shown = CONTRADICTION_VISIBLE_MINOR if product.oddity is Oddity.CONTRADICTION else minor
    # a tag that states the amount for machines; every fourth template forgot it
    content = f' content="{decimal(minor)}"' if product.ordinal % 4 != 3 else ""
    former = product.former_minor(product.variants[0])
    before = f'<del class="old-price">{euro(former)}&nbsp;€</del> ' if former else ""
    return (
        '<meta itemprop="priceCurrency" content="EUR">'
        f'{before}<span class="preis" itemprop="price"{content}>{euro(shown)}&nbsp;€</span>'
    )
