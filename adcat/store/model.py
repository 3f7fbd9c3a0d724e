"""What a sample shop sells, and the faults it was given on purpose."""

from dataclasses import dataclass
from enum import StrEnum


class Oddity(StrEnum):
    """What is unusual about a product's page. One product has at most one."""

    NONE = "none"
    GONE = "gone"  # 410, still linked from a listing
    MISSING = "missing"  # 404, still linked from a listing
    SOFT_404 = "soft_404"  # status 200, the text says that there is nothing
    CONTRADICTION = "contradiction"  # the visible price is another one than that of the markup
    NO_CURRENCY = "no_currency"  # an amount, but nowhere in what
    TRAILING_COMMA = "trailing_comma"  # JSON-LD that can be repaired without guessing
    HOPELESS_JSON = "hopeless_json"  # JSON-LD that breaks off; the visible page is sound


REMOVED_STATUS = {Oddity.GONE: 410, Oddity.MISSING: 404}


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One thing that can be bought.

    Attributes:
        variant_id: what `?variant=` names; empty for a shop without variants.
        options: (name, value) pairs in the shop's order, empty when there is no choice.
        price_minor: in minor units of the shop's currency.
    """

    variant_id: str
    sku: str
    gtin13: str
    options: tuple[tuple[str, str], ...] = ()
    price_minor: int
    in_stock: bool = True

    def __post_init__(self) -> None:
        assert self.price_minor > 0, self.sku
        assert len(self.gtin13) == 13, self.gtin13

    @property
    def label(self) -> str:
        """The chosen options as people read them: `Red / M`."""
        return " / ".join(value for _, value in self.options)


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """One product page.

    Attributes:
        ordinal: place in the shop's catalog, from 0; every other figure is arithmetic over it.
        slug: last path segment, unique in the shop.
        product_id: the platform's or group's id.
        list_price_minor: former price shown struck through, or None.
        links_variants: the page links each variant (a colour swatch); other pages offer them in a form only.
        revision: how often the product was changed since the start; it moves Last-Modified.
    """

    ordinal: int
    slug: str
    name: str
    category: str
    brand: str
    description: str
    product_id: str
    variants: tuple[Variant, ...]
    list_price_minor: int | None = None
    links_variants: bool = False
    oddity: Oddity = Oddity.NONE
    revision: int = 0

    def __post_init__(self) -> None:
        assert self.variants, self.slug

    def full_name(self, variant: Variant) -> str:
        """The name of one variant."""
        return f"{self.name} - {variant.label}" if variant.options else self.name

    def former_minor(self, variant: Variant) -> int | None:
        """The price shown struck through beside a variant's, or None when there is none above it."""
        listed = self.list_price_minor
        return listed if listed is not None and listed > variant.price_minor else None

    def variant_named(self, variant_id: str | None) -> Variant:
        """The variant of that id; the first one when there is no such id, as shops do."""
        return next((one for one in self.variants if one.variant_id == variant_id), self.variants[0])


def gtin13(prefix: str, number: int) -> str:
    """A GTIN-13 with its check digit (GS1 General Specifications 7.9)."""
    digits = f"{prefix}{number:0{12 - len(prefix)}d}"
    assert len(digits) == 12, digits
    total = sum(int(digit) * (3 if at % 2 else 1) for at, digit in enumerate(digits))
    return digits + str(-total % 10)


def usd(minor: int) -> str:
    """`$1,299.00`."""
    return f"${minor // 100:,}.{minor % 100:02d}"


def euro(minor: int) -> str:
    """`1.299,00`, without the sign."""
    return f"{minor // 100:,}".replace(",", ".") + f",{minor % 100:02d}"


def yen(minor: int) -> str:
    """`¥8,900`: the yen has no minor unit, so a minor unit is one yen."""
    return f"¥{minor:,}"


def decimal(minor: int) -> str:
    """`1299.00`, as machines write an amount with two decimals."""
    return f"{minor // 100}.{minor % 100:02d}"
