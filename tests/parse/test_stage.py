"""What one observation says: for each outcome and verdict, its links, candidates, refusals and presence (SPEC F, G5)."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from streams.parse.read import PageRead
from streams.parse.stage import REFUSALS_MAX, Stale
from tests.parse.world import ORIGIN, PAGE, Partition, Said, listing, observed, product, seen, unread
from topics.events.crawl import OUTCOMES
from topics.events.offer import CandidateProposed, Quarantined, TargetObserved
from topics.events.policy import Market
from topics.fence import Fence

PAGES = Path(__file__).parents[1] / "pages"
NOT_FOUND = "<html><head><title>404 Not Found</title></head><body><h1>Page not found</h1></body></html>"
LINKS = ("/products/a", "/products/b")


def said(page: PageRead, offset: int = 0) -> Said:
    return Partition().handle(page, offset)


def sample(name: str) -> bytes:
    return (PAGES / name / "page.html").read_bytes()


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_only_404_410_and_a_redirect_are_absence_without_a_body(outcome: str) -> None:
    absence = {"missing": "missing", "gone": "gone", "redirected": "missing"}
    told = said(unread(outcome))
    assert told.target.presence == absence.get(outcome, "unclear")
    assert [type(one.event) for one in told.emits] == [TargetObserved]
    assert told.target.offer_keys == ()


@pytest.mark.parametrize(
    ("outcome", "reason", "shown"), [("failed", "dns", "dns"), ("blocked", "", "blocked"), ("gone", "", "gone")]
)
def test_the_reason_is_the_fetchers_and_else_the_outcome(outcome: str, reason: str, shown: str) -> None:
    assert said(unread(outcome, reason=reason)).target.reason == shown


@pytest.mark.parametrize("outcome", ["page", "not_modified"])
def test_a_product_page_that_was_seen_or_confirmed_proposes_its_offer(outcome: str) -> None:
    told = said(seen(product(), outcome))
    (candidate,) = told.candidates
    assert told.verdict == ("live", "product")
    assert told.target.offer_keys == (candidate.offer_key.key.decode(),)
    assert (candidate.content.name, candidate.content.price_minor, candidate.content.currency) == (
        "Oak stool",
        1999,
        "USD",
    )
    assert candidate.content.url == PAGE
    assert {"name", "price_minor"} <= {one.field for one in candidate.evidence}
    assert told.refused == set()


def test_a_candidate_carries_the_authority_and_time_of_its_observation() -> None:
    page = seen(product(), generation=9)
    (candidate,) = said(page).candidates
    seen_at = page.observed
    for one in (candidate, said(page).target):
        assert (one.fence, one.observation_id, one.evidence_at_ms, one.target_id) == (
            seen_at.fence,
            seen_at.observation_id,
            seen_at.evidence_at_ms,
            seen_at.target_id,
        )


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("verdict-block-challenge", "block_page"),
        ("verdict-consent-wall", "consent_wall"),
        ("verdict-needs-rendering", "needs_rendering"),
        ("verdict-listing-item-list", "listing"),
        ("verdict-article", "other"),
        ("verdict-empty-body", "other"),
        ("verdict-binary-body", "other"),
    ],
)
def test_a_page_that_is_no_product_is_never_absence(name: str, verdict: str) -> None:
    told = said(seen(sample(name)))
    assert told.verdict == ("unclear", verdict)
    assert told.candidates == []


@pytest.mark.parametrize(
    "body",
    [
        NOT_FOUND.encode(),
        sample("verdict-soft-404"),
        sample("verdict-soft-404-french"),
        sample("verdict-soft-404-with-recommendations"),
    ],
)
def test_a_soft_404_is_missing_and_proposes_nothing(body: bytes) -> None:
    told = said(seen(body))
    assert told.verdict == ("missing", "soft_404")
    assert told.candidates == []
    assert told.target.offer_keys == ()


@pytest.mark.parametrize("failure", ["timeout", "crashed", "body_corrupt", "parser_error"])
def test_a_body_that_could_not_be_read_is_unclear_and_shown(failure: str) -> None:
    told = said(unread("page", failure))
    assert told.verdict == ("unclear", failure)
    assert told.refused == {("page", failure)}
    assert told.links == []


def test_a_sitemap_that_could_not_be_read_is_shown_and_says_nothing_of_offers() -> None:
    told = said(unread("page", "timeout", kind="sitemap"))
    assert [type(one.event) for one in told.emits] == [Quarantined]


def test_a_sitemap_gives_links_and_no_presence() -> None:
    entries = "".join(f"<url><loc>{ORIGIN}{link}</loc></url>" for link in LINKS)
    told = said(seen(f"<urlset>{entries}</urlset>", kind="sitemap", url=f"{ORIGIN}/sitemap.xml"))
    assert [link.url for link in told.links] == [f"{ORIGIN}{link}" for link in LINKS]
    assert told.of(TargetObserved) == []


@pytest.mark.parametrize(
    ("stated", "field", "reason"),
    [
        ({"priceCurrency": None}, "currency", "currency_unknown"),
        ({"priceCurrency": "EUR"}, "currency", "currency_not_in_markets"),
        ({"price": None}, "price_minor", "price_unknown"),
        ({"price": "call us"}, "price_minor", "price_unknown"),
    ],
)
def test_an_offer_without_a_required_field_is_present_shown_and_not_proposed(stated, field: str, reason: str) -> None:
    told = said(seen(product(stated)))
    assert told.candidates == []
    assert (field, reason) in told.refused
    assert told.verdict == ("live", "product")
    assert len(told.target.offer_keys) == 1, "the offer is on the page, whatever we could not read of it"


def test_an_offer_without_a_name_is_not_proposed() -> None:
    told = said(seen(product(name=None)))
    assert told.refused == {("name", "name_unknown")}


def test_a_contradiction_is_shown_with_every_claim() -> None:
    told = said(seen(product({"price": "19.99"}, {"price": "29.99"})))
    assert told.candidates == []
    (shown,) = [one for one in told.of(Quarantined) if one.reason == "contradiction"]
    assert {claim.raw for claim in shown.claims} == {"19.99", "29.99"}


def test_refusals_of_one_page_are_bounded() -> None:
    page = seen(product())
    assert page.reading is not None
    refused = said(seen(product({"price": None}))).of(Quarantined)[0]
    assert refused.reason
    many = seen(product({"price": None})).reading
    assert many is not None
    flood = replace(page.reading, refusals=many.refusals[:1] * (REFUSALS_MAX + 5))
    assert len(said(replace(page, reading=flood)).of(Quarantined)) == REFUSALS_MAX


def test_a_product_page_without_offers_is_unclear() -> None:
    page = seen(product())
    assert page.reading is not None
    told = said(replace(page, reading=replace(page.reading, offers=())))
    assert told.verdict == ("unclear", "product_without_offers")


def test_links_lead_one_deeper_inside_the_allowed_origins() -> None:
    told = said(seen(listing((*LINKS, "https://other.example/", "mailto:a@b.example")), url=f"{ORIGIN}/all", depth=3))
    assert [link.url for link in told.links] == [f"{ORIGIN}{link}" for link in LINKS]
    assert {chunk.depth for chunk in told.chunks} == {4}
    assert told.refused == set(), "links of other origins are no news"


def test_an_unchanged_link_set_is_not_sent_again() -> None:
    partition = Partition()
    first = partition.handle(seen(product(links=LINKS), generation=1), 0)
    same = partition.handle(seen(product({"price": "5.00"}, links=reversed(LINKS)), generation=2), 1)
    more = partition.handle(seen(product(links=(*LINKS, "/products/c")), generation=3), 2)
    assert [len(one.links) for one in (first, same, more)] == [2, 0, 3]
    assert same.candidates[0].content.price_minor == 500


def test_an_observation_without_a_body_keeps_what_was_sent_before() -> None:
    partition = Partition()
    partition.handle(seen(product(links=LINKS), generation=1), 0)
    partition.handle(unread("failed", generation=2), 1)
    assert partition.handle(seen(product(links=LINKS), generation=3), 2).links == []


def test_links_come_in_chunks_of_at_most_500() -> None:
    entries = "".join(f"<url><loc>{ORIGIN}/products/item-{number}</loc></url>" for number in range(1_201))
    told = said(seen(f"<urlset>{entries}</urlset>", kind="sitemap", url=f"{ORIGIN}/sitemap.xml"))
    assert [len(chunk.links) for chunk in told.chunks] == [500, 500, 201]
    assert len({link.target_id for link in told.links}) == 1_201
    assert len({chunk.event_id for chunk in told.chunks}) == 3


def test_a_trap_is_reported_once_with_an_example() -> None:
    told = said(seen(listing([f"/products/item-{number}" for number in range(510)]), url=f"{ORIGIN}/all"))
    (shown,) = told.of(Quarantined)
    assert (shown.field, shown.reason) == ("links", "too_many_links")
    assert "10 links were left out" in shown.detail
    assert len(told.links) == 500


@pytest.mark.parametrize(
    "page",
    [
        seen(product(links=LINKS)),
        seen(product({"sku": "A"}, {"sku": "B", "price": "29.99"}, links=LINKS)),
        seen(product({"price": "1"}, {"price": "2"})),
        seen(NOT_FOUND),
        unread("gone"),
        unread("page", "timeout"),
    ],
    ids=["product", "variants", "contradiction", "soft_404", "gone", "timeout"],
)
def test_an_observation_handled_again_says_the_same_to_the_byte(page: PageRead) -> None:
    partition = Partition()
    sent = partition.handle(page, 7, dies_before_flush=True).wire
    assert partition.handle(page, 7).wire == sent, "the process died between the outputs and the rows"
    assert partition.handle(page, 7).wire == sent, "the process died before its offset was committed"


def test_the_same_bytes_in_the_same_context_give_the_same_candidates() -> None:
    text = product({"sku": "A"}, {"sku": "B", "price": "29.99"}, links=LINKS)
    assert seen(text) == seen(text)
    assert said(seen(text)).wire == said(seen(text)).wire


def test_ids_follow_from_the_position_and_are_unique() -> None:
    page = seen(product({"sku": "A"}, {"sku": "B"}, links=LINKS))
    here, there = (said(page, offset) for offset in (1, 2))
    ids = [one.event.event_id for told in (here, there) for one in told.emits]
    assert len(set(ids)) == len(ids)


def test_an_observation_older_than_the_row_is_rejected_and_leaves_the_row_alone() -> None:
    partition = Partition()
    partition.handle(seen(product(), generation=5), 0)
    rows = dict(partition.rows)
    with pytest.raises(Stale):
        partition.handle(unread("gone", generation=4), 1)
    assert partition.rows == rows


@pytest.mark.parametrize(
    "later",
    [
        Fence(source_epoch=1, term=1, generation=6),
        Fence(source_epoch=1, term=2, generation=0),
        Fence(source_epoch=2, term=0, generation=0),
        Fence(source_epoch=1, term=1, generation=5),
    ],
)
def test_a_later_or_equal_fence_is_read(later: Fence) -> None:
    partition = Partition()
    partition.handle(seen(product(), generation=5), 0)
    assert partition.handle(seen(product(), fence=later), 1).target.presence == "live"


def test_targets_do_not_fence_each_other() -> None:
    partition = Partition()
    partition.handle(seen(product(), generation=9), 0)
    assert partition.handle(seen(product(), generation=1, url=f"{ORIGIN}/products/lamp"), 1).candidates


def test_the_market_is_the_one_whose_currency_the_offer_has() -> None:
    markets = (Market(country="DE", currency="EUR"), Market(country="US", currency="USD"))
    dollars, euros = (said(seen(product({"priceCurrency": code}), markets=markets)) for code in ("USD", "EUR"))
    assert [told.candidates[0].market for told in (dollars, euros)] == ["US:USD", "DE:EUR"]


def test_an_offer_of_a_foreign_currency_stays_present_in_the_first_market() -> None:
    told = said(seen(product({"priceCurrency": "JPY", "price": "500"})))
    assert told.candidates == []
    assert told.target.offer_keys[0].endswith("US:USD")


def test_links_and_presence_frame_the_candidates() -> None:
    told = said(seen(product(links=LINKS)))
    kinds = [type(one.event).__name__ for one in told.emits]
    assert kinds == ["LinksFound", "CandidateProposed", "TargetObserved"], "publish knows the offers before it counts"


def test_a_canonical_link_moves_neither_identity_nor_target() -> None:
    plain, linked = (
        said(seen(product().replace("</head>", f"{head}</head>")))
        for head in ("", f'<link rel="canonical" href="{ORIGIN}/products/other">')
    )
    assert plain.candidates[0].identity == linked.candidates[0].identity
    assert plain.target.target_id == linked.target.target_id == observed().target_id


def test_every_page_of_the_corpus_is_handled_and_encodes() -> None:
    for folder in sorted(PAGES.iterdir()):
        request = json.loads((folder / "request.json").read_text())
        body = next((path.read_bytes() for path in sorted(folder.glob("page.*"))), b"")
        told = said(seen(body, url=request.get("url", PAGE), allowed_origins=(ORIGIN,)))
        assert told.wire, folder.name
        assert all(one.content.price_minor > 0 for one in told.of(CandidateProposed)), folder.name
