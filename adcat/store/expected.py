"""What a careful human would publish of the shops as they are now: the answer key of every end-to-end test."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from adcat.store.model import Oddity, Product, Variant
from adcat.store.pages_alpine import PRIVATE_PATH
from adcat.store.shelf import Shelf
from adcat.store.sites import Site

REASONS: Final = {
    Oddity.GONE: "the page answers 410",
    Oddity.MISSING: "the page answers 404",
    Oddity.SOFT_404: "the page says that it was not found",
    Oddity.CONTRADICTION: "the visible price contradicts the markup",
    Oddity.NO_CURRENCY: "the price has no currency",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedOffer:
    """One offer that the shops show, and whether it may be published.

    Attributes:
        url: the offer's own page.
        name: None, like every other field, when the page does not say.
        variant: option name to value.
        product: slug, as the admin calls name it.
        reason: why it is not publishable, empty when it is.
    """

    merchant: str
    url: str
    product: str
    name: str | None
    variant: dict[str, str]
    sku: str | None
    price_minor: int | None
    currency: str | None
    availability: str | None
    publishable: bool
    reason: str = ""


def expected_offers(site: Site, shelf: Shelf) -> Iterator[ExpectedOffer]:
    """Yields every offer of one shop in catalog order, then the one that robots.txt keeps out."""
    for product in shelf.products.values():
        for variant in product.variants:
            yield _offer(site, shelf, product, variant)
    if site.merchant == "alpine":
        yield ExpectedOffer(
            merchant=site.merchant,
            url=shelf.origin + PRIVATE_PATH,
            product="",
            name=None,
            variant={},
            sku=None,
            price_minor=None,
            currency=None,
            availability=None,
            publishable=False,
            reason="robots.txt disallows the page",
        )


def _offer(site: Site, shelf: Shelf, product: Product, variant: Variant) -> ExpectedOffer:
    reason = REASONS.get(product.oddity, "")
    removed = product.oddity in (Oddity.GONE, Oddity.MISSING, Oddity.SOFT_404)
    unpriced = removed or product.oddity is Oddity.CONTRADICTION
    # with unreadable JSON-LD the SKU is nowhere on the page; name, price and stock are still seen
    unnumbered = removed or product.oddity is Oddity.HOPELESS_JSON
    query = f"?variant={variant.variant_id}" if variant.options else ""
    return ExpectedOffer(
        merchant=site.merchant,
        url=f"{shelf.origin}{site.look.product_prefix}{product.slug}{query}",
        product=product.slug,
        name=None if removed else product.full_name(variant),
        variant=dict(variant.options),
        sku=None if unnumbered else variant.sku,
        price_minor=None if unpriced else variant.price_minor,
        currency=None if removed or product.oddity is Oddity.NO_CURRENCY else site.currency,
        availability=None if removed else ("InStock" if variant.in_stock else "OutOfStock"),
        publishable=not reason,
        reason=reason,
    )
