"""What the pages of all shops share: the frame around the content, listings, related products, plain answers."""

import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape

from adcat.store.model import Product
from adcat.store.shelf import Reply

IMAGE_PIXELS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How one shop looks.

    Attributes:
        charset: IANA name of the encoding of every page.
        nav: (label, path) of the main menu.
        price: text of an amount in minor units.
    """

    title: str
    lang: str
    charset: str
    nav: tuple[tuple[str, str], ...]
    cart: str
    home: str
    related: str
    small_print: str
    product_prefix: str
    price: Callable[[int], str]


def page(
    look: Look,
    title: str,
    main: str,
    *,
    head: str = "",
    crumbs: Sequence[tuple[str, str]] = (),
    status: int = 200,
    modified_s: int | None = None,
    is_product: bool = False,
) -> Reply:
    """A whole HTML page; `head` is markup for `<head>`, `crumbs` are (label, path) between the home page and this one."""
    trail = "".join(f'<li><a href="{path}">{escape(label)}</a></li>' for label, path in ((look.home, "/"), *crumbs))
    nav = "".join(f'<li><a href="{path}">{escape(label)}</a></li>' for label, path in look.nav)
    text = f"""<!doctype html>
<html lang="{look.lang}">
<head>
<meta charset="{look.charset}">
<title>{escape(title)} | {escape(look.title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
{head}
</head>
<body>
<header class="site-header">
<a class="logo" href="/">{escape(look.title)}</a>
<nav class="main-nav"><ul>{nav}</ul></nav>
<a class="mini-cart" href="/cart" rel="nofollow">{escape(look.cart)} (0) {look.price(0)}</a>
</header>
<ol class="breadcrumb">{trail}</ol>
<main id="main">
{main}
</main>
<footer class="site-footer">
<p>{escape(look.small_print)}</p>
<p><a href="#top">&uarr;</a> <a href="/about">{escape(look.title)}</a></p>
</footer>
</body>
</html>
"""
    return Reply(
        body=text.encode(look.charset, "xmlcharrefreplace"),
        status=status,
        content_type=f"text/html; charset={look.charset}",
        modified_s=modified_s,
        is_product=is_product,
    )


def card(look: Look, product: Product, query: str = "") -> str:
    """A product in a listing: image, name and a price that is not this page's price."""
    return (
        f'<li class="product-card"><a href="{look.product_prefix}{product.slug}{query}">'
        f'<img src="/img/{product.slug}.png" alt="{escape(product.name)}" width="32" height="32">'
        f'<span class="card-name">{escape(product.name)}</span></a>'
        f' <span class="price">{look.price(product.variants[0].price_minor)}</span></li>'
    )


def cards(look: Look, products: Iterable[Product]) -> str:
    """A grid of products."""
    return f'<ul class="product-grid">{"".join(card(look, one) for one in products)}</ul>'


def related(look: Look, products: Iterable[Product]) -> str:
    """Other products under the product, with prices that a naive reader takes for its own."""
    return f'<section class="related-products"><h2>{escape(look.related)}</h2>{cards(look, products)}</section>'


def text(body: str, *, status: int = 200) -> Reply:
    """A plain text answer."""
    return Reply(body=body.encode(), status=status, content_type="text/plain; charset=utf-8")


def moved(path: str) -> Reply:
    """301 to another path of the same shop."""
    return Reply(body=b"moved\n", status=301, content_type="text/plain; charset=utf-8", location=path)


def picture(name: str) -> Reply:
    """A small valid PNG whose colour is the checksum of its name."""
    colour = zlib.crc32(name.encode()).to_bytes(4, "big")[:3]
    row = b"\0" + colour * IMAGE_PIXELS  # filter type 0, then RGB
    size = IMAGE_PIXELS.to_bytes(4, "big")
    chunks = (
        _chunk(b"IHDR", size + size + bytes((8, 2, 0, 0, 0))),  # 8 bits a sample, truecolour, no interlace
        _chunk(b"IDAT", zlib.compress(row * IMAGE_PIXELS)),
        _chunk(b"IEND", b""),
    )
    return Reply(body=b"\x89PNG\r\n\x1a\n" + b"".join(chunks), content_type="image/png")


def _chunk(kind: bytes, body: bytes) -> bytes:
    return len(body).to_bytes(4, "big") + kind + body + zlib.crc32(kind + body).to_bytes(4, "big")
