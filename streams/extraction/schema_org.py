"""schema.org items to claims: which products a page describes, their offers, and what each amount is."""

import html
from collections.abc import Iterator
from typing import Final

from streams.extraction.claims import OFFERS_MAX, Amount, Fact, Facts, OfferClaims, ProductClaims, merged
from streams.extraction.items import Item, Leaf
from streams.extraction.offers import offer_amounts
from topics.evidence import Claim

PRODUCT_TYPES: Final = frozenset(
    [
        "product",
        "productgroup",
        "individualproduct",
        "productmodel",
        "someproducts",
        "vehicle",
        "car",
        "motorcycle",
        "book",
        "bookseries",
        "movie",
        "musicalbum",
        "musicrelease",
        "videogame",
        "softwareapplication",
        "mobileapplication",
        "webapplication",
        "creativework",
        "game",
        "drug",
        "dietarysupplement",
        "event",
        "musicevent",
        "theaterevent",
        "sportsevent",
        "festival",
        "comedyevent",
        "danceevent",
        "exhibitionevent",
        "screeningevent",
        "course",
        "trip",
        "touristtrip",
    ]
)
_SURE_TYPES: Final = frozenset(
    {"product", "productgroup", "individualproduct", "productmodel", "someproducts", "vehicle", "car"}
)
_OFFER_TYPES: Final = frozenset({"offer", "aggregateoffer", "offerforpurchase", "offerforlease"})
_THROUGH: Final = ("mainentity", "mainentityofpage", "about", "itemoffered", "isvariantof")
_TEXT_FIELDS: Final = {
    "name": ("name",),
    "sku": ("sku",),
    "gtin": ("gtin", "gtin13", "gtin14", "gtin12", "gtin8", "isbn", "ean", "upc", "barcode"),
    "platform_id": ("productid", "productgroupid"),
    "mpn": ("mpn",),
    "group_id": ("inproductgroupwithid", "productgroupid"),
    "url": ("url",),
    "condition": ("itemcondition",),
}
_ATTRIBUTES: Final = ("color", "size", "material", "pattern", "flavor", "flavour", "scent", "model")


def products_of(items: list[Item]) -> list[ProductClaims]:
    """The products that the items describe at top level: related, listed and reviewed ones are left out."""
    index: dict[str, Item] = {}
    for item in _all(items):
        if item.ident and item.props and item.ident not in index:
            index[item.ident] = item
    products = [item for item in _top(items, index) if _is_product(item, index)]
    return [_product(item, index) for item in products[:OFFERS_MAX]]


def _all(items: list[Item]) -> Iterator[Item]:
    stack = list(reversed(items))
    while stack:
        item = stack.pop()
        yield item
        for values in item.props.values():
            stack.extend(value for value in values if isinstance(value, Item))


def _top(items: list[Item], index: dict[str, Item]) -> list[Item]:
    """Items at top level and the main entities of pages among them, each once."""
    out: list[Item] = []
    seen: set[int] = set()
    nested = {id(variant) for item in items for variant in _deref_all(item.items("hasvariant", "model"), index)}
    queue = [(item, 0) for item in items]
    while queue:
        item, depth = queue.pop(0)
        item = deref(item, index)
        if id(item) in seen or id(item) in nested:
            continue
        seen.add(id(item))
        out.append(item)
        if depth < 4 and not (item.types & _SURE_TYPES):
            queue.extend((inner, depth + 1) for inner in item.items(*_THROUGH))
    return out


def deref(item: Item, index: dict[str, Item]) -> Item:
    """The node that a bare `@id` reference names, wherever on the page it was described."""
    if item.ident and not item.props:
        return index.get(item.ident, item)
    return item


def _deref_all(items: list[Item], index: dict[str, Item]) -> list[Item]:
    return [deref(item, index) for item in items]


def _is_product(item: Item, index: dict[str, Item]) -> bool:
    if item.types & _SURE_TYPES:
        return True
    if item.syntax == "microdata" and item.path == "loose":
        return bool(item.leaves("price", "lowprice")) or any(_is_offer(one) for one in item.items("offers"))
    return bool(item.types & PRODUCT_TYPES) and any(_is_offer(one) for one in _deref_all(item.items("offers"), index))


def _is_offer(item: Item) -> bool:
    return (
        bool(item.types & _OFFER_TYPES)
        or bool(item.leaves("price", "lowprice", "highprice"))
        or bool(item.items("pricespecification"))
    )


def claim_of(leaf: Leaf, item: Item, normaliser: str = "") -> Claim:
    """The evidence of one leaf."""
    return Claim.of(item.syntax, leaf.path, leaf.text, normaliser=normaliser, repair=item.repair)


def _text(leaf: Leaf, item: Item) -> str:
    """The text of a leaf; in JSON entities are decoded once (the HTML parser has done it for microdata)."""
    return " ".join(html.unescape(leaf.text).split()) if item.syntax == "json-ld" and "&" in leaf.text else leaf.text


def _facts(item: Item, index: dict[str, Item]) -> dict[str, tuple[Fact, ...]]:
    out: dict[str, tuple[Fact, ...]] = {}
    for name, props in _TEXT_FIELDS.items():
        found = tuple(
            Fact(value=_text(leaf, item), claim=claim_of(leaf, item)) for leaf in item.leaves(*props) if leaf.text
        )
        if found:
            out[name] = found
    brands = item.leaves("brand") + [
        leaf for one in _deref_all(item.items("brand"), index) for leaf in one.leaves("name")
    ]
    images = item.leaves("image") + [
        leaf for one in _deref_all(item.items("image"), index) for leaf in one.leaves("url", "contenturl")
    ]
    for name, leaves in (("brand", brands), ("image", images)):
        if leaves:
            out[name] = tuple(Fact(value=_text(leaf, item), claim=claim_of(leaf, item)) for leaf in leaves[:20])
    return out


def _attributes(item: Item, index: dict[str, Item]) -> tuple[tuple[str, str], ...]:
    """Variant attributes, sorted by name."""
    pairs = {name: leaf.text for name in _ATTRIBUTES for leaf in item.leaves(name)[:1]}
    for name in _ATTRIBUTES:
        for inner in _deref_all(item.items(name), index)[:1]:
            for leaf in inner.leaves("name", "value")[:1]:
                pairs.setdefault(name, leaf.text)
    for extra in _deref_all(item.items("additionalproperty"), index)[:40]:
        names, values = extra.leaves("name"), extra.leaves("value")
        if names and values and names[0].text.strip().lower() in _ATTRIBUTES:
            pairs.setdefault(names[0].text.strip().lower(), values[0].text)
    return tuple(sorted((name, value[:120]) for name, value in pairs.items() if value))


def _product(item: Item, index: dict[str, Item]) -> ProductClaims:
    facts: Facts = _facts(item, index)
    offers = _offers_of(item, index)
    variants = _deref_all(item.items("hasvariant") + [one for one in item.items("model") if one.items("offers")], index)
    for variant in variants[:OFFERS_MAX]:
        offers.extend(_variant(variant, item, index))
    groups = [fact for one in _deref_all(item.items("isvariantof"), index) for fact in _group_ids(one)]
    if groups:
        facts = merged(facts, {"group_id": tuple(groups)})
    return ProductClaims(syntax=item.syntax, path=item.path, facts=facts, offers=tuple(offers[:OFFERS_MAX]))


def _group_ids(group: Item) -> list[Fact]:
    leaves = group.leaves("productgroupid", "productid", "sku")[:1]
    if leaves:
        return [Fact(value=leaf.text, claim=claim_of(leaf, group)) for leaf in leaves]
    return [Fact(value=group.ident, claim=Claim.of(group.syntax, group.path, group.ident))] if group.ident else []


def _variant(variant: Item, group: Item, index: dict[str, Item]) -> list[OfferClaims]:
    """Offers of one variant: the variant's own identity goes with each of them."""
    own = _facts(variant, index)
    attributes = _attributes(variant, index)
    del group
    offers = _offers_of(variant, index)
    if not offers:
        return [OfferClaims(syntax=variant.syntax, path=variant.path, facts=own, attributes=attributes)]
    return offers


def _offers_of(item: Item, index: dict[str, Item]) -> list[OfferClaims]:
    """Every offer of a product node; what an aggregate encloses stands for itself."""
    own = _facts(item, index)
    attributes = _attributes(item, index)
    out: list[OfferClaims] = []
    queue = _deref_all(item.items("offers", "offer"), index)
    loose = bool(item.leaves("price", "lowprice", "highprice")) and (item.path == "loose" or not queue)
    if loose:
        queue.append(item)
    seen: set[int] = set()
    while queue and len(out) < OFFERS_MAX:
        offer = queue.pop(0)
        if id(offer) in seen:
            continue
        seen.add(id(offer))
        inner = _deref_all(offer.items("offers", "offer"), index) if offer is not item else []
        if inner:
            queue.extend(inner)
            if any(one.leaves("price") or one.items("pricespecification") for one in inner):
                continue
        out.append(_offer(offer, own, attributes, index))
    return out


def _offer(
    offer: Item, own: dict[str, tuple[Fact, ...]], attributes: tuple[tuple[str, str], ...], index: dict[str, Item]
) -> OfferClaims:
    amounts: tuple[Amount, ...] = offer_amounts(offer, [deref(one, index) for one in offer.items("pricespecification")])
    facts: Facts = _facts(offer, index)
    for inner in _deref_all(offer.items("itemoffered"), index):
        facts = merged(facts, _facts(inner, index))
        attributes = _attributes(inner, index) or attributes
    stock = tuple(Fact(value=leaf.text, claim=claim_of(leaf, offer)) for leaf in offer.leaves("availability"))
    stock += tuple(
        Fact(value=one.ident, claim=Claim.of(one.syntax, one.path, one.ident))
        for one in offer.items("availability")
        if one.ident
    )
    currency = tuple(
        Fact(value=leaf.text, claim=claim_of(leaf, offer)) for leaf in offer.leaves("pricecurrency", "currency")
    )
    kept = {name: facts.get(name) or own.get(name) or () for name in {*facts, *own}}
    if "name" in own:
        kept["name"] = own["name"]
    kept |= {"stock": stock, "currency": currency}
    return OfferClaims(
        syntax=offer.syntax,
        path=offer.path,
        amounts=amounts,
        facts={name: found for name, found in kept.items() if found},
        attributes=_attributes(offer, index) or attributes,
    )
