"""alpine's pages: JSON-LD ProductGroup with variants, sitemap index, a disallowed part, a moved page."""

import json
from collections.abc import Callable
from html import escape
from typing import Any, Final

from adcat.store.frame import Look, card, cards, moved, page, related, text
from adcat.store.model import Oddity, Product, Variant, decimal, usd
from adcat.store.shelf import EPOCH_S, Query, Reply, Shelf, modified_s
from adcat.store.sitemaps import gzipped, index, urlset, xml
from adcat.store.stock_alpine import CATEGORIES, MOVED_FROM, MOVED_TO, UNLINKED

PRIVATE_PATH: Final = "/private/wholesale"
LOOK: Final = Look(
    title="Alpine Works",
    lang="en-US",
    charset="utf-8",
    nav=tuple((one.slug.title(), f"/collections/{one.slug}") for one in CATEGORIES if one.slug != UNLINKED),
    cart="Cart",
    home="Home",
    related="You may also like",
    small_print="Alpine Works, Boulder, Colorado. All prices in US dollars, sales tax excluded.",
    product_prefix="/products/",
    price=usd,
)
ROBOTS: Final = """User-agent: SlowBot
Crawl-delay: 30

User-agent: *
Disallow: /private/
Disallow: /cart

Sitemap: {origin}/sitemap.xml
"""


def alpine_reply(shelf: Shelf, path: str, query: Query) -> Reply | None:
    """What alpine answers, or None for a path that it does not have."""
    fixed: dict[str, Callable[[Shelf], Reply]] = {
        "/": _home,
        "/robots.txt": lambda one: text(ROBOTS.format(origin=one.origin)),
        "/sitemap.xml": _sitemap_index,
        "/sitemap-products-1.xml": _sitemap_plain,
        "/sitemap-products-2.xml.gz": _sitemap_gzipped,
        PRIVATE_PATH: _wholesale,
        "/about": lambda _: page(LOOK, "About us", "<h1>About us</h1><p>We repair what we make, since 1987.</p>"),
    }
    if path in fixed:
        return fixed[path](shelf)
    head, _, slug = path.rpartition("/")
    if head == "/collections" and any(one.slug == slug for one in CATEGORIES):
        title = slug.title()
        return page(LOOK, title, f"<h1>{title}</h1>{cards(LOOK, shelf.in_category(slug))}")
    if head == "/products" and slug == MOVED_FROM:
        return moved(f"/products/{MOVED_TO}")
    if head == "/products" and slug in shelf.products:
        return _product(shelf, shelf.products[slug], query.get("variant"))
    return None


def _home(shelf: Shelf) -> Reply:
    newest = list(shelf.products.values())[:3]
    tracked = "?utm_source=newsletter&amp;utm_medium=email"
    grid = "".join(card(LOOK, one, tracked) for one in newest)
    main = f"""<h1>Made for weather</h1>
<ul class="product-grid">{grid}</ul>
<p><a href="/products/{MOVED_FROM}">The 2019 Summit Shell</a> <a href="{PRIVATE_PATH}">Wholesale</a>
<a href="/collections/jackets#new">New jackets</a></p>"""
    return page(LOOK, "Outdoor clothing", main)


def _wholesale(shelf: Shelf) -> Reply:
    """A page that robots.txt forbids; whoever reads it publishes a wholesale price."""
    product = next(iter(shelf.products.values()))
    main = f"""<h1>{escape(product.name)} (wholesale)</h1><p class="price">{usd(9_900)}</p><p>Dealers only.</p>"""
    return page(LOOK, "Wholesale", main)


def _entries(shelf: Shelf, *, gzip: bool) -> list[tuple[str, int]]:
    """The products of one child: the second half of the catalog is in the gzipped one, the unlinked category with it."""
    half = len(shelf.products) // 2
    return [
        (f"{shelf.origin}/products/{one.slug}", modified_s(one))
        for one in shelf.products.values()
        if (one.ordinal >= half) is gzip
    ]


def _sitemap_index(shelf: Shelf) -> Reply:
    return xml(index(f"{shelf.origin}/sitemap-products-{child}" for child in ("1.xml", "2.xml.gz")))


def _sitemap_plain(shelf: Shelf) -> Reply:
    return xml(urlset([(f"{shelf.origin}/collections/jackets", EPOCH_S), *_entries(shelf, gzip=False)]))


def _sitemap_gzipped(shelf: Shelf) -> Reply:
    return gzipped(urlset(_entries(shelf, gzip=True)))


def _product(shelf: Shelf, product: Product, variant_id: str | None) -> Reply:
    chosen = product.variant_named(variant_id)
    main = f"""<div class="product">
<img class="product-image" src="/img/{product.slug}.png" alt="{escape(product.name)}">
<h1 class="product-title">{escape(product.name)}</h1>
<p class="price">{usd(chosen.price_minor)}</p>
<p class="stock">{"In stock" if chosen.in_stock else "Out of stock"}</p>
{_chooser(product, chosen)}
<button type="submit" class="add-to-cart"{"" if chosen.in_stock else " disabled"}>Add to cart</button>
<p class="shipping-note">Free shipping on orders over $75</p>
<div class="description"><p>{escape(product.description)}</p></div>
</div>
{related(LOOK, shelf.related(product))}"""
    return page(
        LOOK,
        product.name,
        main,
        head=f'<link rel="canonical" href="{shelf.origin}/products/{product.slug}">\n{_json_ld(shelf, product)}',
        crumbs=()
        if product.category == UNLINKED
        else ((product.category.title(), f"/collections/{product.category}"),),
        modified_s=modified_s(product),
        is_product=True,
    )


def _chooser(product: Product, chosen: Variant) -> str:
    if not chosen.options:
        return ""
    if product.links_variants:
        links = (f'<a href="?variant={one.variant_id}">{escape(one.label)}</a>' for one in product.variants)
        return f'<div class="swatches">{" ".join(links)}</div>'
    options = (
        f'<option value="{one.variant_id}"{" selected" if one is chosen else ""}>{escape(one.label)}</option>'
        for one in product.variants
    )
    return f'<select name="id">{"".join(options)}</select>'


def _json_ld(shelf: Shelf, product: Product) -> str:
    url = f"{shelf.origin}/products/{product.slug}"
    base = {"@context": "https://schema.org/", "name": product.name, "url": url, "description": product.description}
    base["brand"] = product.brand
    if product.variants[0].options:
        node: dict[str, Any] = {
            **base,
            "@type": "ProductGroup",
            "productGroupID": product.product_id,
            "variesBy": [f"https://schema.org/{name}" for name, _ in product.variants[0].options],
            "hasVariant": [_variant(shelf, product, one) for one in product.variants],
        }
    else:
        node = {**base, **_variant(shelf, product, product.variants[0])}
    script = json.dumps(node, indent=1).replace("</", "<\\/")
    if product.oddity is Oddity.TRAILING_COMMA:
        script = script[: script.rindex("}")].rstrip() + ",\n}"
    if product.oddity is Oddity.HOPELESS_JSON:
        script = (
            script[: len(script) // 3] + "\nWarning: Undefined variable $offer in /srv/theme/json-ld.php on line 61\n"
        )
    crumbs = {"@context": "https://schema.org/", "@type": "WebSite", "name": LOOK.title, "url": f"{shelf.origin}/"}
    scripts = (json.dumps(crumbs), script)
    return "\n".join(f'<script type="application/ld+json">{one}</script>' for one in scripts)


def _variant(shelf: Shelf, product: Product, variant: Variant) -> dict[str, Any]:
    query = f"?variant={variant.variant_id}" if variant.options else ""
    return {
        "@type": "Product",
        "name": product.full_name(variant),
        "sku": variant.sku,
        "gtin13": variant.gtin13,
        "image": f"{shelf.origin}/img/{product.slug}.png",
        **dict(variant.options),
        "offers": {
            "@type": "Offer",
            "url": f"{shelf.origin}/products/{product.slug}{query}",
            "price": decimal(variant.price_minor),
            "priceCurrency": "USD",
            "availability": f"https://schema.org/{'InStock' if variant.in_stock else 'OutOfStock'}",
            "itemCondition": "https://schema.org/NewCondition",
        },
    }
