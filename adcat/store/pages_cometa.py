"""cometa's pages: product JSON of a Shopify-like platform plus OpenGraph, in yen, with a plain sitemap."""

import json
from collections.abc import Callable
from html import escape
from typing import Any, Final

from adcat.store.frame import Look, card, cards, page, related, text
from adcat.store.model import Product, Variant, yen
from adcat.store.shelf import Query, Reply, Shelf, modified_s
from adcat.store.sitemaps import urlset, xml
from adcat.store.stock_cometa import KINDS

LOOK: Final = Look(
    title="コメタ文具店",
    lang="ja",
    charset="utf-8",
    nav=tuple((one.noun, f"/collections/{one.collection}") for one in KINDS),
    cart="カート",
    home="ホーム",
    related="関連商品",
    small_print="コメタ文具店 東京。価格は税込です。",
    product_prefix="/products/",
    price=yen,
)
ROBOTS: Final = "User-agent: *\nDisallow: /cart\nDisallow: /search\n\nSitemap: {origin}/sitemap.xml\n"
PLATFORM_FACTOR: Final = 100  # the platform counts hundredths whatever the currency: ¥8,900 is 890000
_STATE: Final = """<script>
var Shopify = Shopify || {};
Shopify.shop = "cometa.example";
Shopify.locale = "ja";
Shopify.currency = {"active":"JPY","rate":"1.0"};
</script>"""


def cometa_reply(shelf: Shelf, path: str, query: Query) -> Reply | None:
    """What cometa answers, or None for a path that it does not have."""
    fixed: dict[str, Callable[[Shelf], Reply]] = {
        "/": _home,
        "/robots.txt": lambda one: text(ROBOTS.format(origin=one.origin)),
        "/sitemap.xml": _sitemap,
        "/about": lambda _: page(LOOK, "会社案内", "<h1>会社案内</h1><p>東京の小さな文具店です。</p>"),
    }
    if path in fixed:
        return fixed[path](shelf)
    head, _, slug = path.rpartition("/")
    if head == "/products" and slug in shelf.products:
        return _product(shelf, shelf.products[slug], query.get("variant"))
    kind = next((one for one in KINDS if one.collection == slug), None)
    if head == "/collections" and kind is not None:
        return page(LOOK, kind.noun, f"<h1>{kind.noun}</h1>{cards(LOOK, shelf.in_category(slug))}")
    return None


def _home(shelf: Shelf) -> Reply:
    chosen = [one for one in shelf.products.values() if one.ordinal % 12 == 0]
    grid = "".join(card(LOOK, one, "?utm_source=instagram&amp;utm_campaign=haru") for one in chosen)
    return page(LOOK, "文具と小物", f'<h1>毎日の机に</h1><ul class="product-grid">{grid}</ul>')


def _sitemap(shelf: Shelf) -> Reply:
    return xml(urlset((f"{shelf.origin}/products/{one.slug}", modified_s(one)) for one in shelf.products.values()))


def _product(shelf: Shelf, product: Product, variant_id: str | None) -> Reply:
    chosen = product.variant_named(variant_id)
    former = product.former_minor(chosen)
    struck = f'<s class="compare-at-price">{yen(former)}</s> ' if former else ""
    main = f"""<div class="product-single">
<img src="/img/{product.slug}.png" alt="{escape(product.name)}">
<h1>{escape(product.name)}</h1>
<div class="product-price">{struck}<span class="price">{yen(chosen.price_minor)}</span> <span class="tax">税込</span></div>
<p class="stock">{"在庫あり" if chosen.in_stock else "売り切れ"}</p>
{_chooser(product, chosen)}
<button name="add">カートに入れる</button>
<div class="description"><p>{escape(product.description)}</p></div>
</div>
{related(LOOK, shelf.related(product))}"""
    kind = next(one for one in KINDS if one.collection == product.category)
    return page(
        LOOK,
        product.name,
        main,
        head=_head(shelf, product, chosen),
        crumbs=((kind.noun, f"/collections/{kind.collection}"),),
        modified_s=modified_s(product),
        is_product=True,
    )


def _head(shelf: Shelf, product: Product, chosen: Variant) -> str:
    url = f"{shelf.origin}/products/{product.slug}"
    metas = (
        ("og:type", "product"),
        ("og:site_name", LOOK.title),
        ("og:title", product.name),
        ("og:url", url),
        ("og:image", f"{shelf.origin}/img/{product.slug}.png"),
        ("product:price:amount", str(chosen.price_minor)),
        ("product:price:currency", "JPY"),
    )
    lines = [f'<meta property="{name}" content="{escape(value)}">' for name, value in metas]
    state = json.dumps(_platform(product), ensure_ascii=False).replace("</", "<\\/")
    lines += [f'<link rel="canonical" href="{url}">', _STATE]
    lines.append(f'<script type="application/json" data-product-json>{state}</script>')
    return "\n".join(lines)


def _platform(product: Product) -> dict[str, Any]:
    names = [name for name, _ in product.variants[0].options]
    return {
        "id": int(product.product_id),
        "title": product.name,
        "handle": product.slug,
        "vendor": product.brand,
        "type": product.category,
        "available": any(one.in_stock for one in product.variants),
        "options": names or ["Title"],
        "images": [f"/img/{product.slug}.png"],
        "featured_image": f"/img/{product.slug}.png",
        "variants": [_variant(product, one) for one in product.variants],
    }


def _variant(product: Product, variant: Variant) -> dict[str, Any]:
    values = [value for _, value in variant.options] or ["Default Title"]
    former = product.former_minor(variant)
    return {
        "id": int(variant.variant_id),
        "title": variant.label or "Default Title",
        "name": product.full_name(variant),
        "sku": variant.sku,
        "barcode": variant.gtin13,
        "price": variant.price_minor * PLATFORM_FACTOR,
        "compare_at_price": former * PLATFORM_FACTOR if former else None,
        "available": variant.in_stock,
        **{f"option{at + 1}": values[at] if at < len(values) else None for at in range(3)},
    }


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
