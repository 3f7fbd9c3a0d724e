"""What brocante sells: old and new homeware in EUR, 54 single pieces, the odd ones among them."""

from typing import Final

from adcat.store.model import Oddity, Product, Variant, gtin13

NOUNS: Final = (
    "Vase",
    "Kerzenständer",
    "Teekanne",
    "Wandspiegel",
    "Leinendecke",
    "Holzschale",
    "Keramikkrug",
    "Tischlampe",
    "Bilderrahmen",
)
STYLES: Final = ("Provence", "Antik", "Emaille", "Landhaus", "Jugendstil", "Grün glasiert")
ODDITIES: Final = {
    10: Oddity.CONTRADICTION,
    17: Oddity.GONE,
    22: Oddity.MISSING,
    29: Oddity.SOFT_404,
    41: Oddity.NO_CURRENCY,
}
CONTRADICTION_MARKUP_MINOR: Final = 9_200
CONTRADICTION_VISIBLE_MINOR: Final = 2_900
"""29,00 against 92.00: two digits changed places when somebody typed the price into the template."""

_ASCII: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", " ": "-"})


def brocante_products() -> tuple[Product, ...]:
    """The 54 products of brocante, one offer each."""
    return tuple(_product(ordinal) for ordinal in range(len(NOUNS) * len(STYLES)))


def _product(ordinal: int) -> Product:
    noun, style = NOUNS[ordinal % len(NOUNS)], STYLES[ordinal // len(NOUNS)]
    name = f"{noun} {style}"
    oddity = ODDITIES.get(ordinal, Oddity.NONE)
    price_minor = 1_400 + (ordinal * 53 % 89) * 100 + (90 if ordinal % 2 else 0)
    if noun == "Wandspiegel":
        price_minor += 110_000  # four digits: the thousands mark must be read the European way
    if oddity is Oddity.CONTRADICTION:
        price_minor = CONTRADICTION_MARKUP_MINOR
    return Product(
        ordinal=ordinal,
        slug=name.lower().translate(_ASCII),
        name=name,
        category=noun,
        brand="Brocante Werkstatt",
        description=f"{name}, von Hand aufgearbeitet. Kleine Spuren der Zeit gehören dazu.",
        product_id=f"BRO-{2001 + ordinal}",
        variants=(
            Variant(
                variant_id="",
                sku=f"BRO-{2001 + ordinal}",
                gtin13=gtin13("4012345", ordinal),
                price_minor=price_minor,
                in_stock=ordinal % 11 != 6,
            ),
        ),
        list_price_minor=price_minor + 2_000 if ordinal % 9 == 4 else None,
        oddity=oddity,
    )
