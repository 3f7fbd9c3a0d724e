"""The three shops, each a name, a market, its goods and its pages."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from adcat.store.frame import Look, page, picture
from adcat.store.model import REMOVED_STATUS, Product
from adcat.store.pages_alpine import LOOK as ALPINE_LOOK
from adcat.store.pages_alpine import alpine_reply
from adcat.store.pages_brocante import LOOK as BROCANTE_LOOK
from adcat.store.pages_brocante import brocante_reply
from adcat.store.pages_cometa import LOOK as COMETA_LOOK
from adcat.store.pages_cometa import cometa_reply
from adcat.store.shelf import Query, Reply, Shelf
from adcat.store.stock_alpine import alpine_products
from adcat.store.stock_brocante import brocante_products
from adcat.store.stock_cometa import cometa_products

IMAGE_PREFIX: Final = "/img/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One shop.

    Attributes:
        products: builds its goods.
        reply: answers a path, None when it has no such page.
    """

    merchant: str
    market: str
    currency: str
    look: Look
    products: Callable[[], tuple[Product, ...]]
    reply: Callable[[Shelf, str, Query], Reply | None]


SITES: Final = (
    Site(
        merchant="alpine",
        market="US",
        currency="USD",
        look=ALPINE_LOOK,
        products=alpine_products,
        reply=alpine_reply,
    ),
    Site(
        merchant="brocante",
        market="DE",
        currency="EUR",
        look=BROCANTE_LOOK,
        products=brocante_products,
        reply=brocante_reply,
    ),
    Site(
        merchant="cometa",
        market="JP",
        currency="JPY",
        look=COMETA_LOOK,
        products=cometa_products,
        reply=cometa_reply,
    ),
)


def shelf_of(site: Site, origin: str) -> Shelf:
    """A shop's goods as they are at the start."""
    return Shelf(origin=origin, products={one.slug: one for one in site.products()})


def reply_of(site: Site, shelf: Shelf, path: str, query: Query) -> Reply:
    """What a shop answers to GET.

    Args:
        path: decoded path; a session id behind `;` is no part of the address.
        query: its parameters; unknown ones (tracking, session) change nothing.
    """
    path = path.partition(";")[0]
    if path.startswith(IMAGE_PREFIX) and path.endswith(".png"):
        name = path.removeprefix(IMAGE_PREFIX).removesuffix(".png")
        return picture(name) if name in shelf.products else absent(site)
    if path == "/cart":
        return page(site.look, site.look.cart, f"<h1>{site.look.cart}</h1>")
    product = shelf.products.get(path.rpartition("/")[2]) if path.startswith(site.look.product_prefix) else None
    if product is not None and product.oddity in REMOVED_STATUS:
        return absent(site, REMOVED_STATUS[product.oddity])
    return site.reply(shelf, path, query) or absent(site)


def absent(site: Site, status: int = 404) -> Reply:
    """The shop's page for what is not there."""
    return page(site.look, str(status), f"<h1>{status}</h1>", status=status)
