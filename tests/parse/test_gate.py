"""The template gate: a template whose pages are read badly is closed, says so, and reopens when it is read well again."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.memory import MemoryRows
from streams.extraction.answer import OfferReading, PageReading, Refusal
from streams.extraction.page import PARSER_REVISION
from streams.parse.gate import (
    CLOSES_BEYOND,
    DISAGREED,
    FILLED,
    MARKS_MAX,
    MARKS_MIN,
    REOPENS_WITHIN,
    REPAIRED,
    Template,
    mark_of,
    marked,
    template_of,
)
from streams.parse.read import PageRead
from streams.parse.stage import PARSE, TEMPLATES, handle
from streams.stage import Emit, Overlay, Position
from topics.events.crawl import PageObserved
from topics.events.offer import CandidateProposed, Quarantined, TargetObserved
from topics.events.policy import Market
from topics.evidence import Claim
from topics.fence import Fence
from topics.keys import join_key, split_key
from topics.specs import PAGE_OBSERVED

LANES = ("json-ld",)
PRICE = Claim.of("json-ld", "script[0]/offers/price", "19.99", normaliser="decimal")


def reading(
    *, priced: bool = True, refused: tuple[Refusal, ...] = (), claim: Claim = PRICE, **kept: Any
) -> PageReading:
    money = {"price_minor": 1999, "currency": "USD", "exponent": 2} if priced else {}
    offer = OfferReading(selected=True, name="Oak stool", evidence={"price_minor": (claim,)}, **money)
    fields = {"verdict": "product", "verdict_reason": "product_claims", "offers": (offer,), "lanes": LANES}
    return PageReading(refusals=refused, **{**fields, **kept})


DISAGREES = Refusal(field="price", reason="visible_price_differs", claims=(PRICE,))


class Shop:
    """One merchant's pages, observed one after another by the real parse stage."""

    def __init__(self) -> None:
        self.rows = MemoryRows.of(PARSE)
        self.offset = 0
        self.emits: list[Emit] = []

    def see(self, said: PageReading, *, path: str = "", flush: bool = True) -> list[Emit]:
        self.offset += 1
        return self.handle(said, path or f"/products/thing-{self.offset}", self.offset, flush=flush)

    def handle(self, said: PageReading, path: str, offset: int, *, flush: bool = True) -> list[Emit]:
        url = f"https://shop.example{path}"
        observed = PageObserved(
            event_id=f"e{offset}",
            occurred_at_ms=offset,
            merchant="shop",
            target_id=f"t{path}",
            kind="page",
            url=url,
            identity_url=url,
            depth=1,
            fence=Fence(source_epoch=1, term=1, generation=offset),
            observation_id=f"o{offset}",
            evidence_at_ms=offset,
            outcome="page",
            reason="page",
            allowed_origins=("https://shop.example",),
            markets=(Market(country="US", currency="USD"),),
            variant_params=(),
        )
        overlay = Overlay(self.rows)
        at = Position(topic=PAGE_OBSERVED, partition=0, offset=offset, now_ms=offset)
        emits = list(handle(overlay, PageRead(observed=observed, reading=said), at))
        if flush:
            for (table, key), row in overlay.writes.items():
                self.rows.write(table, key, row)
        self.emits += emits
        return emits

    def row(self) -> Template:
        row = self.rows.get(TEMPLATES, join_key("shop", template_of("https://shop.example/products/a-b", LANES)))
        assert isinstance(row, Template)
        return row

    def turns(self) -> list[str]:
        events = [one.event for one in self.emits if isinstance(one.event, Quarantined)]
        return [one.reason for one in events if one.field == "template"]


def kinds(emits: list[Emit]) -> list[str]:
    return [type(one.event).__name__ for one in emits]


def candidates(emits: list[Emit]) -> int:
    return kinds(emits).count(CandidateProposed.__name__)


@pytest.mark.parametrize(
    ("bad", "share"),
    [
        (reading(priced=False), 0.55),
        (reading(refused=(DISAGREES,)), 0.35),
        (reading(claim=Claim.of("json-ld", "p", "19.99", repair="wrapper+quotes")), 0.55),
    ],
    ids=["unfilled", "disagreeing", "repaired"],
)
def test_a_template_that_is_read_badly_closes_and_says_so_once(bad: PageReading, share: float) -> None:
    shop = Shop()
    for number in range(30):
        shop.see(bad if (number * share) % 1 < share else reading())
    assert shop.row().closed
    assert shop.turns() == ["template_closed"]


def test_nothing_closes_before_twenty_pages() -> None:
    shop = Shop()
    for _ in range(MARKS_MIN - 1):
        shop.see(reading(refused=(DISAGREES,)))
    assert shop.turns() == []
    assert candidates(shop.see(reading(refused=(DISAGREES,)))) == 0
    assert shop.turns() == ["template_closed"]


def test_offers_of_a_closed_template_are_kept_back_with_the_rates_and_stay_present() -> None:
    shop = Shop()
    for _ in range(MARKS_MIN):
        shop.see(reading(priced=False))
    emits = shop.see(reading())
    refusal, presence = [one.event for one in emits]
    assert isinstance(refusal, Quarantined)
    assert (refusal.field, refusal.reason, refusal.claims) == ("page", "template_closed", (PRICE,))
    assert refusal.detail == "of the last 21 pages 5% were filled, 0% disagreed, 0% had price text repaired"
    assert isinstance(presence, TargetObserved)
    assert (presence.presence, presence.offer_keys) == ("live", (refusal.subject,))


def test_a_closed_template_reopens_only_when_it_is_clearly_better() -> None:
    shop = Shop()
    for _ in range(MARKS_MIN):
        shop.see(reading(priced=False))
    while shop.row().rates.fill < REOPENS_WITHIN.fill - 0.02:
        shop.see(reading())
        assert shop.row().closed
    assert shop.row().rates.fill > CLOSES_BEYOND.fill
    published = [candidates(shop.see(reading())) for _ in range(5)]
    assert published[-1] == 1
    assert shop.turns() == ["template_closed", "template_reopened"]


def test_listing_and_unread_pages_do_not_count() -> None:
    shop = Shop()
    shop.see(reading())
    for verdict in ("listing", "other", "block_page", "soft_404", "needs_rendering"):
        shop.see(reading(verdict=verdict, offers=(), lanes=()))
    assert len(shop.row().marks) == 1


def test_a_page_that_is_handled_again_is_marked_once_and_says_the_same() -> None:
    shop = Shop()
    for number in range(MARKS_MIN):
        said, path = reading(priced=False), f"/products/x-{number}"
        first = shop.see(said, path=path)
        row = shop.row()
        assert shop.handle(said, path, shop.offset) == first
        assert shop.row() == row


def test_a_crash_before_the_guard_row_counts_no_mark_twice() -> None:
    shop = Shop()
    first = shop.see(reading(), path="/products/x", flush=False)
    overlay = Overlay(shop.rows)
    key = join_key("shop", template_of("https://shop.example/products/x", LANES))
    shop.rows.write(TEMPLATES, key, marked(None, FILLED, offset=1, parser_rev=PARSER_REVISION))
    del overlay
    assert shop.handle(reading(), "/products/x", 1) == first
    assert shop.row().marks == (FILLED,)


def test_a_new_parser_revision_starts_anew_and_reopens() -> None:
    row = None
    for offset in range(MARKS_MIN):
        row = marked(row, 0, offset=offset, parser_rev="1")
    assert row is not None
    assert row.closed
    after = marked(row, 0, offset=99, parser_rev="2")
    assert (after.closed, after.marks, after.turned) == (False, (0,), 99)


@pytest.mark.parametrize(
    ("url", "template"),
    [
        ("https://a.example/products/oak-stool", "/products/{slug} json-ld"),
        ("https://a.example/products/lamp", "/products/{slug} json-ld"),
        ("https://a.example/item/4711.html?b=1&a=2", "/item/{slug}.html?a&b json-ld"),
        ("https://a.example/oak-stool-12/p", "/{slug}/{slug} json-ld"),
        ("https://a.example/shop/2026/05/lamp/", "/shop/{date}/{n}/{slug}/ json-ld"),
        ("https://a.example/", "/ json-ld"),
    ],
)
def test_a_template_is_the_shape_of_the_address_and_the_lanes(url: str, template: str) -> None:
    assert template_of(url, LANES) == template


def test_a_template_name_survives_its_key() -> None:
    name = template_of("https://a.example/p%7Cq/" + "x-y" * 300, ("meta", "json-ld"))
    assert split_key(join_key("shop", name)) == ("shop", name)
    assert len(name) < 260


@pytest.mark.parametrize(
    ("said", "mark"),
    [
        (reading(refused=(Refusal(field="gtin", reason="contradiction"),)), FILLED),
        (reading(refused=(Refusal(field="price", reason="range"),)), FILLED),
        (reading(refused=(Refusal(field="availability", reason="visible_sold_out"),)), FILLED | DISAGREED),
        (reading(claim=Claim.of("json-ld", "p", "9", repair="commas_comments+trailing_junk")), FILLED),
        (reading(claim=Claim.of("json-ld", "p", "9", repair="entities")), FILLED | REPAIRED),
    ],
)
def test_a_mark_says_what_touches_the_price(said: PageReading, mark: int) -> None:
    assert mark_of(said, filled=True) == mark


@given(st.lists(st.tuples(st.integers(0, 7), st.booleans()), max_size=120))
def test_any_run_keeps_the_window_and_closes_by_its_rates_only(run: list[tuple[int, bool]]) -> None:
    row: Template | None = None
    kept: list[int] = []
    for offset, (mark, again) in enumerate(run):
        before = row
        row = marked(before, mark, offset=offset, parser_rev="1")
        if again:
            assert marked(row, mark, offset=offset, parser_rev="1") == row
        kept.append(mark)
        was_closed = before is not None and before.closed
        assert row.marks == tuple(kept[-MARKS_MAX:])
        assert (row.turned == offset) == (row.closed != was_closed)
        if len(kept) < MARKS_MIN or row.rates.within(REOPENS_WITHIN):
            assert not row.closed
        elif not row.rates.within(CLOSES_BEYOND):
            assert row.closed
