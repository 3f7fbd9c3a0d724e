"""Merchant selectors of the policy: they decide before markup, never against what a person sees, and candidates show them (SPEC F1, F7)."""

from streams.extraction.page import PARSER_REVISION
from streams.parse.gate import MARKS_MIN
from tests.parse.world import Partition, Said, seen
from topics.events.policy import Selector

NOW = (Selector(field="price", css="#now"),)
ABSENT = (Selector(field="price", css="#absent"),)
NAME = (Selector(field="name", css="h1"),)


def page(now: str = "$24.99", shown: str = "$29.99", markup: str = "29.99") -> str:
    """A page whose markup holds the base price, as lucafluri/price_tracker#55 found them."""
    return (
        '<!doctype html><html lang="en"><head><title>Oak stool</title><script type="application/ld+json">'
        '{"@context": "https://schema.org", "@type": "Product", "name": "Oak stool", "offers": {"@type": "Offer", '
        f'"price": "{markup}", "priceCurrency": "USD", "availability": "InStock"}}}}</script></head><body><main>'
        f'<h1>Oak stool</h1><p>{shown}</p><p id="now">{now}</p>'
        '<form action="/cart/add" method="post"><button type="submit">Add to cart</button></form></main></body></html>'
    )


def said(text: str, selectors: tuple[Selector, ...] = (), offset: int = 0) -> Said:
    return Partition().handle(seen(text, selectors=selectors), offset)


def prices(told: Said) -> list[int]:
    return [one.content.price_minor for one in told.candidates]


def test_markup_does_not_preempt_a_tested_selector() -> None:
    assert prices(said(page())) == [2999]
    told = said(page(), NOW)
    assert prices(told) == [2499]
    (candidate,) = told.candidates
    (evidence,) = (one.claims for one in candidate.evidence if one.field == "price_minor")
    assert ("selector", "price: #now", "$24.99") in {(one.syntax, one.path, one.raw) for one in evidence}


def test_a_selector_that_finds_nothing_changes_nothing() -> None:
    assert prices(said(page(), ABSENT)) == [2999]


def test_a_selector_against_what_a_person_sees_is_quarantined_with_its_claims() -> None:
    hidden = page(now='<data value="1.00"></data>').replace('<p id="now">', "<p>").replace("<data ", '<data id="now" ')
    told = said(hidden, NOW)
    assert told.candidates == []
    assert ("price", "visible_price_differs") in told.refused


def test_the_same_bytes_and_selectors_give_the_same_candidates_to_the_byte() -> None:
    assert said(page(), NOW).wire == said(page(), NOW).wire


def test_a_candidate_shows_which_selectors_it_was_read_with_even_when_they_found_nothing() -> None:
    revisions = [said(page(), selectors).candidates[0].parser_rev for selectors in ((), NOW, ABSENT)]
    assert revisions[0] == PARSER_REVISION
    assert len(set(revisions)) == 3
    assert all(one.startswith(f"{PARSER_REVISION}+selectors.") for one in revisions[1:])


def test_other_selectors_open_a_closed_template_because_its_marks_were_another_reading() -> None:
    partition = Partition()
    unpriced = page(now="", shown="", markup="on request")
    for offset in range(MARKS_MIN - 1):
        partition.handle(seen(unpriced, generation=offset + 1, selectors=NAME), offset)
    told = partition.handle(seen(page(), generation=MARKS_MIN, selectors=NAME), MARKS_MIN - 1)
    assert ("page", "template_closed") in told.refused
    told = partition.handle(seen(page(), generation=MARKS_MIN + 1, selectors=NOW), MARKS_MIN)
    assert prices(told) == [2499]
    assert len(list(partition.scan("templates", b""))) == 1, "it is the same template"
