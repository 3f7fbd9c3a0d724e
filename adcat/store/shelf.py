"""The present state of one shop: its products after whatever a test changed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from adcat.store.model import REMOVED_STATUS, Oddity, Product

EPOCH_S = 1_767_571_200  # 2026-01-05T00:00:00Z; content has no clock, so the dates of pages start here
HOUR_S = 3_600


class UnknownProduct(LookupError):
    """No product of that slug; its text names the slug."""


@dataclass(slots=True, kw_only=True)
class Shelf:
    """The products of one shop.

    Attributes:
        origin: `http://127.0.0.1:8701`, for the absolute URLs of markup and sitemaps.
        products: by slug, in catalog order.
    """

    origin: str
    products: dict[str, Product]

    def in_category(self, category: str) -> list[Product]:
        return [one for one in self.products.values() if one.category == category]

    def related(self, product: Product, count: int = 3) -> list[Product]:
        """The next products of the same category, round and round."""
        kin = self.in_category(product.category)
        at = kin.index(product)
        return [kin[(at + step) % len(kin)] for step in range(1, min(count, len(kin) - 1) + 1)]

    def reprice(self, slug: str, price_minor: int) -> None:
        """Gives every variant of a product another price; raises UnknownProduct."""
        product = self._find(slug)
        variants = tuple(replace(one, price_minor=price_minor) for one in product.variants)
        self._put(product, variants=variants)

    def remove(self, slug: str, status: int) -> None:
        """Lets the product's page answer 404 or 410, or again 200; raises UnknownProduct."""
        oddity = {code: word for word, code in REMOVED_STATUS.items()}.get(status, Oddity.NONE)
        self._put(self._find(slug), oddity=oddity)

    def _find(self, slug: str) -> Product:
        if slug not in self.products:
            raise UnknownProduct(f"product: no product has the slug {slug!r}")
        return self.products[slug]

    def _put(self, product: Product, **changes: object) -> None:
        changed = replace(product, revision=product.revision + 1, **changes)  # type: ignore[arg-type]
        self.products[product.slug] = changed


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a shop answers, before content coding and conditions.

    Attributes:
        modified_s: seconds since the epoch; a reply that has it carries validators.
        is_product: the site's mode `missing` takes it away.
    """

    body: bytes
    status: int = 200
    content_type: str
    location: str | None = None
    modified_s: int | None = None
    is_product: bool = False


Query = Mapping[str, str]


def modified_s(product: Product) -> int:
    """When a product was last changed, by ordinal and by revision."""
    return EPOCH_S + product.ordinal * HOUR_S + product.revision
