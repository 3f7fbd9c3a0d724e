"""What alpine sells: outdoor clothing in USD, 36 products in sizes and colours."""

from dataclasses import dataclass
from typing import Final

from adcat.store.model import Oddity, Product, Variant, gtin13

SERIES: Final = ("Summit", "Ridge", "Glacier", "Traverse", "Cairn", "Boreal")
COLORS: Final = ("Slate", "Ember", "Moss", "Ice", "Sand", "Navy")
OUT_OF_STOCK: Final = 7
TRAILING_COMMA: Final = 31
HOPELESS_JSON: Final = 33
MOVED_FROM: Final = "summit-shell-jacket-2019"
MOVED_TO: Final = "summit-shell-jacket"
UNLINKED: Final = "packs"
"""The category that no page links: only the gzipped sitemap leads to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Category:
    """One kind of clothing, sold in every series."""

    slug: str
    noun: str
    base_minor: int
    sizes: tuple[str, ...]
    colors: int


CATEGORIES: Final = (
    Category(slug="jackets", noun="Shell Jacket", base_minor=18_995, sizes=("S", "M", "L"), colors=2),
    Category(slug="fleeces", noun="Grid Fleece", base_minor=8_995, sizes=("S", "M", "L"), colors=2),
    Category(slug="trousers", noun="Trek Trousers", base_minor=11_000, sizes=("30", "32", "34", "36"), colors=1),
    Category(slug="base-layers", noun="Merino Base Layer", base_minor=7_450, sizes=("S", "M", "L"), colors=2),
    Category(slug="hats", noun="Wool Beanie", base_minor=2_999, sizes=(), colors=2),
    Category(slug=UNLINKED, noun="Day Pack", base_minor=124_900, sizes=(), colors=0),
)


def alpine_products() -> tuple[Product, ...]:
    """The 36 products of alpine, 150 offers."""
    return tuple(_product(ordinal) for ordinal in range(len(CATEGORIES) * len(SERIES)))


def _product(ordinal: int) -> Product:
    category, series = CATEGORIES[ordinal // len(SERIES)], SERIES[ordinal % len(SERIES)]
    name = f"{series} {category.noun}"
    return Product(
        ordinal=ordinal,
        slug=name.lower().replace(" ", "-"),
        name=name,
        category=category.slug,
        brand="Alpine Works",
        description=f"The {name} is made for long days above the tree line. Bluesign approved fabric, repaired for free.",
        product_id=f"ALP-{1001 + ordinal}",
        variants=_variants(ordinal, category),
        links_variants=ordinal == 0,
        oddity={TRAILING_COMMA: Oddity.TRAILING_COMMA, HOPELESS_JSON: Oddity.HOPELESS_JSON}.get(ordinal, Oddity.NONE),
    )


def _variants(ordinal: int, category: Category) -> tuple[Variant, ...]:
    colors = [COLORS[(ordinal + at) % len(COLORS)] for at in range(category.colors)] or [""]
    choices = [(size, color) for color in colors for size in category.sizes or ("",)]
    variants = []
    for at, (size, color) in enumerate(choices):
        number = ordinal * 10 + at
        # the largest size of every third product costs more, so that no page's first price is the price of all
        extra = 500 if size and size == category.sizes[-1] and ordinal % 3 == 0 else 0
        options = tuple((name, value) for name, value in (("color", color), ("size", size)) if value)
        variants.append(
            Variant(
                variant_id=str(4_100_000 + number),
                sku=f"ALP-{1001 + ordinal}-{at + 1:02d}",
                gtin13=gtin13("0614141", number),
                options=options,
                price_minor=category.base_minor + (ordinal * 37 % 23) * 100 + extra,
                in_stock=ordinal != OUT_OF_STOCK and (number % 13 != 5),
            )
        )
    return tuple(variants)
