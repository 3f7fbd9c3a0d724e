"""What cometa sells: stationery and small electronics in JPY, 36 products on a Shopify-like platform."""

from dataclasses import dataclass
from typing import Final

from adcat.store.model import Product, Variant, gtin13

SERIES: Final = (
    ("アオゾラ", "aozora"),
    ("ユキ", "yuki"),
    ("ハナビ", "hanabi"),
    ("ツバメ", "tsubame"),
    ("コダマ", "kodama"),
    ("ミドリ", "midori"),
    ("カゼ", "kaze"),
    ("ホタル", "hotaru"),
    ("ナミ", "nami"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of goods, sold in every series.

    Attributes:
        options: (option name, its values) of the one or two options, empty when there is no choice.
    """

    collection: str
    noun: str
    slug: str
    base_minor: int
    options: tuple[tuple[str, tuple[str, ...]], ...]


KINDS: Final = (
    Kind(
        collection="notebooks",
        noun="方眼ノート",
        slug="grid-notebook",
        base_minor=880,
        options=(("サイズ", ("A5", "B5")), ("色", ("黒", "赤"))),
    ),
    Kind(
        collection="pens",
        noun="ゲルインクペン",
        slug="gel-pen",
        base_minor=330,
        options=(("インク", ("黒", "青", "赤", "緑")),),
    ),
    Kind(
        collection="keyboards",
        noun="メカニカルキーボード",
        slug="keyboard",
        base_minor=8_900,
        options=(("軸", ("赤軸", "茶軸", "青軸")),),
    ),
    Kind(collection="chargers", noun="充電器", slug="charger", base_minor=3_480, options=()),
)


def cometa_products() -> tuple[Product, ...]:
    """The 36 products of cometa, 108 offers."""
    return tuple(_product(ordinal) for ordinal in range(len(KINDS) * len(SERIES)))


def _product(ordinal: int) -> Product:
    kind, (series, roman) = KINDS[ordinal // len(SERIES)], SERIES[ordinal % len(SERIES)]
    price_minor = kind.base_minor + (ordinal % len(SERIES)) * (kind.base_minor // 10 // 10 * 10)
    return Product(
        ordinal=ordinal,
        slug=f"{roman}-{kind.slug}",
        name=f"{series} {kind.noun}",
        category=kind.collection,
        brand="コメタ",
        description=f"{series}シリーズの{kind.noun}。毎日の机に、静かな一品を。",
        product_id=str(7_300_000_000 + ordinal),
        variants=_variants(ordinal, kind, price_minor),
        list_price_minor=price_minor * 5 // 4 if ordinal % 10 == 3 else None,
        links_variants=ordinal == 0,
    )


def _variants(ordinal: int, kind: Kind, price_minor: int) -> tuple[Variant, ...]:
    choices: list[tuple[tuple[str, str], ...]] = [()]
    for name, values in kind.options:
        choices = [(*chosen, (name, value)) for chosen in choices for value in values]
    return tuple(
        Variant(
            variant_id=str(48_000_000_000 + ordinal * 10 + at),
            sku=f"CMT-{3001 + ordinal}-{at + 1}",
            gtin13=gtin13("4569951", ordinal * 10 + at),
            options=options,
            price_minor=price_minor + (at * 10 if ordinal % 4 == 1 else 0),
            in_stock=(ordinal * 10 + at) % 17 != 8,
        )
        for at, options in enumerate(choices)
    )
