"""What a hostile page says fits into events all the same: a record that cannot be sent would stop the worker again and again."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.discovery.links import EVENT_LINKS_MAX, EVENT_URL_CHARS_MAX
from streams.extraction.answer import OfferReading, PageReading
from streams.parse.offers import ATTRIBUTES_MAX, TEXT_CHARS_MAX, read_offers
from streams.parse.read import PageRead
from tests.parse.world import ORIGIN, PAGE, Partition, Said, listing, observed, offer, seen, unread
from topics.events.crawl import LinksFound
from topics.events.offer import CandidateProposed

LONG = "n" * 1_500_000
HALF_EMOJI = "stool \ud83d"
EMOJI = "\U0001f600"


def said(page: PageRead) -> Said:
    """Handles a page and encodes everything that it says."""
    says = Partition().handle(page, 1)
    assert len(says.wire) == len(says.emits)
    return says


def sold(**facts: Any) -> str:
    """Returns a page whose markup says this of its product; the heading is plain."""
    node = {"@context": "https://schema.org", "@type": "Product", "name": "Oak stool", "offers": offer()} | facts
    return f"<html><body><h1>Oak stool</h1><script type=application/ld+json>{json.dumps(node)}</script></body></html>"


def group(*variants: dict[str, Any], **facts: Any) -> str:
    each = [{"@type": "Product", "name": "Stool", "offers": offer()} | one for one in variants]
    return sold(**{"@type": "ProductGroup", "offers": [], "hasVariant": each} | facts)


@pytest.mark.parametrize(
    ("field", "expected"),
    [("name", None), ("brand", None), ("sku", None), ("image", ()), ("productID", None)],
)
def test_a_text_of_megabytes_is_unknown(field: str, expected: object) -> None:
    says = said(seen(sold(**{field: f"{ORIGIN}/{LONG}" if field == "image" else LONG})))
    if field == "name":
        assert ("name", "name_unknown") in says.refused
        assert not says.candidates
    else:
        (one,) = says.candidates
        assert getattr(one.content, {"image": "image_urls", "productID": "sku"}.get(field, field)) == expected


@pytest.mark.parametrize("field", ["name", "brand", "sku", "image", "productID", "url"])
def test_half_an_emoji_is_left_out_and_costs_no_offer(field: str) -> None:
    value = f"{ORIGIN}/{HALF_EMOJI[-1]}" if field in ("image", "url") else HALF_EMOJI
    (one,) = said(seen(sold(**{field: value}))).candidates
    assert one.content.name == ("stool" if field == "name" else "Oak stool")
    assert "\ud83d" not in repr(one)


def test_half_an_emoji_in_variants_and_their_group_is_left_out() -> None:
    says = said(seen(group({"color": HALF_EMOJI}, {"color": "oak"}, productGroupID=HALF_EMOJI, variesBy=["color"])))
    assert len(says.target.offer_keys) == 2


def test_links_of_the_longest_urls_come_in_events_that_can_be_sent() -> None:
    urls = [f"{ORIGIN}/{number}/{'a' * 1_900}" for number in range(EVENT_LINKS_MAX)]
    says = said(seen(listing(urls)))
    assert [link.url for link in says.links] == urls, "all of them, in their order"
    assert len(says.of(LinksFound)) > 1


def test_a_link_longer_than_the_bound_would_still_be_sent() -> None:
    from streams.discovery.links import DiscoveredLink, LinkSet

    link = DiscoveredLink(
        url="a" * EVENT_URL_CHARS_MAX, identity_url="b", target_id="c", kind="page", hint="other", depth=1
    )
    assert [len(piece) for piece in LinkSet(links=(link, link)).chunks()] == [1, 1]
    assert list(LinkSet(links=()).chunks()) == []


@pytest.mark.parametrize("alike", [EMOJI * 95, "木" * 95], ids=["emoji", "wood"])
def test_five_hundred_offers_with_the_widest_ids_name_their_keys_in_one_event(alike: str) -> None:
    variants = [{"sku": f"{alike}{number}", "color": f"{EMOJI * 80}{number}"} for number in range(500)]
    says = said(seen(group(*variants, productGroupID=alike, variesBy=["color"])))
    assert says.verdict == ("live", "product")
    assert len(says.target.offer_keys) == 500


texts = st.none() | st.text(st.characters(), max_size=9) | st.just(LONG[: TEXT_CHARS_MAX + 1]) | st.just(HALF_EMOJI)
readings = st.builds(
    OfferReading,
    selected=st.booleans(),
    name=texts,
    brand=texts,
    sku=texts,
    url=texts,
    platform_id=texts,
    variant_id=texts,
    image_urls=st.lists(st.text(max_size=5) | st.just(HALF_EMOJI)).map(tuple),
    variant=st.lists(
        st.tuples(st.text(max_size=5) | st.just(HALF_EMOJI), st.text(max_size=5) | st.just(LONG[:2_000])), max_size=40
    ).map(tuple),
    price_minor=st.just(1_999),
    currency=st.sampled_from(["USD", "EUR"]),
    exponent=st.just(2),
)


@given(offers=st.lists(readings, min_size=1, max_size=4).map(tuple), group_id=texts)
def test_whatever_extraction_says_can_be_sent(offers: tuple[OfferReading, ...], group_id: str | None) -> None:
    reading = PageReading(verdict="product", verdict_reason="product", offers=offers, group_id=group_id)
    page = PageRead(observed=observed(), reading=reading)
    says = said(page)
    keys = says.target.offer_keys
    assert len(keys) == len(set(keys)), "no two offers are merged"
    for one in says.of(CandidateProposed):
        assert len(one.content.attributes) <= ATTRIBUTES_MAX
    assert len(list(read_offers(observed(), reading, PAGE))) == len(offers), "every offer is accounted for"


def test_an_unread_page_says_little() -> None:
    assert len(said(unread("page", "crashed")).emits) == 2
