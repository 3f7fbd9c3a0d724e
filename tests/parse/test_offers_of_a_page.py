"""From a page's offers to keys, markets and landing pages: never merged, never led astray."""

from dataclasses import replace

import pytest

from streams.extraction.page import OfferReading, PageReading
from streams.parse.offers import CLAIMS_MAX, IMAGES_MAX, read_offers
from tests.parse.world import ORIGIN, PAGE, Partition, observed, product, seen
from topics.events.offer import Quarantined
from topics.evidence import Claim
from topics.urls import offer_identity_url

STOOL = OfferReading(
    selected=False, name="Oak stool", price_minor=1999, currency="USD", exponent=2, availability="InStock"
)


def reading(*offers: OfferReading, group_id: str | None = None) -> PageReading:
    return PageReading(verdict="product", verdict_reason="markup", offers=offers, group_id=group_id)


def read(*offers: OfferReading, url: str = PAGE, group_id: str | None = None, **policy):
    seen_at = observed(url=url, **policy)
    base = offer_identity_url(seen_at.identity_url, seen_at.variant_params)
    return list(read_offers(seen_at, reading(*offers, group_id=group_id), base))


def landing(offer: OfferReading, url: str = PAGE, **policy) -> str:
    (one,) = read(offer, url=url, **policy)
    assert one.content is not None
    return one.content.url


@pytest.mark.parametrize("other", [STOOL, replace(STOOL, price_minor=2999), replace(STOOL, name="Another stool")])
def test_two_offers_that_nothing_tells_apart_are_shown_and_never_merged(other: OfferReading) -> None:
    offers = read(STOOL, other)
    assert [(one.key, one.content) for one in offers] == [(None, None)] * 2
    page = seen(product())
    told = Partition().handle(replace(page, reading=reading(STOOL, other)), 0)
    assert told.candidates == []
    shown = [one for one in told.of(Quarantined) if one.reason == "indistinguishable_offers"]
    assert len(shown) == 2
    assert {one.subject for one in shown} == {f"acme|{page.observed.target_id}"}
    assert told.verdict == ("live", "product"), "something is sold there; which one it is, nobody can say"
    assert told.target.offer_keys == ()


def test_a_third_offer_that_is_told_apart_is_still_proposed() -> None:
    offers = read(STOOL, STOOL, replace(STOOL, sku="RED"))
    assert [one.key is None for one in offers] == [True, True, False]
    assert offers[2].content is not None


def test_attributes_tell_variants_of_one_parent_sku_apart() -> None:
    sizes = [replace(STOOL, sku="PARENT", variant=(("size", size),)) for size in "SM"]
    first, second = read(*sizes)
    assert first.key is not None
    assert second.key is not None
    assert (first.key.identity, second.key.identity) == ("sku:PARENT", "sku:PARENT")
    assert (first.key.variant, second.key.variant) == ("size=s", "size=m")
    assert first.content is not None
    assert [(one.name, one.value) for one in first.content.attributes] == [("size", "S")]


def test_the_platforms_product_id_outranks_the_group_and_the_sku() -> None:
    keys = [
        read(replace(STOOL, sku="A", platform_id=pid), group_id=group)[0].key
        for pid, group in [("77", "g"), (None, "g"), (None, None)]
    ]
    assert [key.identity for key in keys if key is not None] == ["pid:77", "pid:g", "sku:A"]


def test_the_query_parameter_names_the_variant_when_nothing_better_does() -> None:
    (one,) = read(STOOL, url=f"{PAGE}?variant=7")
    (other,) = read(STOOL, url=f"{PAGE}?variant=8")
    assert one.key is not None
    assert other.key is not None
    assert (one.key.variant, other.key.variant) == ("variant=7", "variant=8")
    assert one.key.identity == other.key.identity


@pytest.mark.parametrize(
    ("page", "own", "contradicted"),
    [
        ("?variant=7", "?variant=8", True),
        ("?variant=7", "?variant=7", False),
        ("?variant=7", "?variant=7&utm_source=mail", False),
        ("?variant=7", "", False),
        ("", "?variant=8", False),
        ("?variant=7", "-of-beech?variant=8", False),
    ],
)
def test_a_page_of_one_variant_whose_offer_is_anothers_is_shown_and_not_proposed(
    page: str, own: str, contradicted: bool
) -> None:
    (one,) = read(replace(STOOL, url=PAGE + own), url=PAGE + page)
    assert one.key is not None, "something is sold there"
    assert (("variant", "variant_contradicted") in one.missing) is contradicted
    assert (one.content is None) is contradicted


def test_an_offer_that_names_its_variant_may_lead_to_another_address_than_the_page_that_tells_of_it() -> None:
    for named in ({"sku": "B"}, {"variant_id": "8"}, {"variant": (("size", "M"),)}):
        assert landing(replace(STOOL, url=f"{PAGE}?variant=8", **named), url=f"{PAGE}?variant=7") == f"{PAGE}?variant=8"


@pytest.mark.parametrize(
    "offer",
    [
        replace(STOOL, variant_id="42"),
        replace(STOOL, sku="A", variant=(("size", "M"),)),
        replace(STOOL, sku="A", url=f"{PAGE}?variant=42"),
    ],
    ids=["variant id", "attributes", "own address"],
)
def test_the_landing_page_does_not_depend_on_the_alias_that_was_read(offer: OfferReading) -> None:
    aliases = (PAGE, f"{PAGE}?variant=1", f"{PAGE}?variant=42", f"{PAGE}?utm_source=mail", f"{PAGE}#details")
    assert len({landing(offer, url=alias) for alias in aliases}) == 1


def test_a_landing_page_selects_its_variant() -> None:
    assert landing(replace(STOOL, variant_id="4 2&x")) == f"{PAGE}?variant=4%202%26x"
    assert landing(replace(STOOL, variant_id="42"), url=f"{PAGE}?lang=en") == f"{PAGE}?lang=en&variant=42"
    assert landing(replace(STOOL, variant_id="42"), variant_params=("sku",)) == PAGE, "no such parameter there"


def test_a_landing_page_carries_no_tracking() -> None:
    assert landing(replace(STOOL, url=f"{PAGE}?utm_source=mail&variant=7#top")) == f"{PAGE}?variant=7"
    assert landing(STOOL, url=f"{PAGE}?gclid=1") == PAGE
    assert landing(replace(STOOL, url=f"{PAGE}?ref=x"), tracking_params=("ref",)) == PAGE


@pytest.mark.parametrize(
    "address",
    [
        "http://[::1",
        "javascript:alert(1)",
        "https://",
        "https://shop.example:99999/x",
        "https://shop.example\\@evil.example/",
        "\x00",
        f"{ORIGIN}/" + "a" * 3_000,
        "https://evil.example/products/stool",
        "http://shop.example/products/stool",
        "https://shop.example.evil.example/",
        "https://user@shop.example/",
    ],
)
def test_a_malformed_or_foreign_offer_address_never_raises_and_leads_nobody_there(address: str) -> None:
    assert landing(replace(STOOL, url=address)) == PAGE


@pytest.mark.parametrize("address", ["http://[::1", "//[", "https://evil.example/x", "https:///", "\ud800", 7, None])
def test_an_odd_address_in_the_markup_costs_no_offer_and_leads_to_no_other_origin(address: object) -> None:
    told = Partition().handle(seen(product({"url": address})), 0)
    assert [one.content.url.startswith(f"{ORIGIN}/") for one in told.candidates] == [True]


def test_images_and_claims_are_bounded() -> None:
    claims = tuple(Claim.of("json-ld", f"offers/{number}", "19.99") for number in range(CLAIMS_MAX + 9))
    images = tuple(f"{ORIGIN}/{number}.jpg" for number in range(IMAGES_MAX + 9))
    (one,) = read(replace(STOOL, image_urls=images, evidence={"price_minor": claims}))
    assert one.content is not None
    assert one.content.image_urls == images[:IMAGES_MAX]
    assert one.evidence[0].claims == claims[:CLAIMS_MAX]


def test_the_order_of_evidence_is_that_of_the_fields() -> None:
    evidence = {name: (Claim.of("meta", name, "x"),) for name in ("price_minor", "currency", "name")}
    (one,) = read(replace(STOOL, evidence=evidence))
    assert [field.field for field in one.evidence] == ["currency", "name", "price_minor"]


def test_a_price_without_its_exponent_is_unknown() -> None:
    (one,) = read(replace(STOOL, exponent=None))
    assert one.missing == (("price_minor", "price_unknown"),)
    assert one.content is None
