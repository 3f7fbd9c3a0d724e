"""A URL pattern that never ends is bounded over the whole source, until a product comes from it; bounds that widen are told (SPEC C5)."""

from dataclasses import replace

import pytest

from streams.frontier.growth import PATTERN_URLS_MAX
from streams.frontier.rows import PATTERNS, SOURCES, SourceRow
from tests.frontier.world import ORIGIN, M, World, crawling, link, links, outcome_of, policy
from topics.events.crawl import FoundLink, LinksFound, PageObserved


def calendar(start: int, number: int, hint: str = "other", path: str = "/whats-on/{}") -> list[FoundLink]:
    return [link(path.format(day), hint=hint) for day in range(start, start + number)]


def on(world: World, parent: FoundLink | None, *found: FoundLink, product: bool = False) -> None:
    """Says the links of a page; the start page when no parent is named."""
    event = links(*found)
    if parent is not None:
        event = replace(event, target_id=parent.target_id)
    world.tell(replace(event, product=product))


def source_of(world: World) -> SourceRow:
    row = world.frontier.rows.get(SOURCES, M.encode())
    assert row is not None
    return row


def admitted(world: World, text: str = "/whats-on/") -> int:
    return sum(1 for _, row in world.frontier.rows.scan("targets", b"") if text in row.url)


def silent() -> World:
    """Nothing is fetched: admission alone."""
    world = crawling()
    world.auto = False
    return world


def test_the_bound_is_on_the_source_and_not_on_a_page():
    world = silent()
    for page in range(5):
        on(world, None, *calendar(300 * page, 300))
    assert admitted(world) == PATTERN_URLS_MAX
    [shown] = world.quarantined
    assert (shown.reason, f"{PATTERN_URLS_MAX} URLs of /whats-on/{{n}}" in shown.detail) == ("pattern_growth", True)
    assert source_of(world).links_dropped == 500, "counted, all of them"
    on(world, None, *calendar(0, 300))
    assert source_of(world).links_dropped == 500, "what is admitted already is no growth"


@pytest.mark.parametrize(
    ("hint", "path"),
    [("product", "/products/{}"), ("product", "/whats-on/tickets/{}"), ("listing", "/collections/all?page={}")],
)
def test_products_and_other_patterns_are_not_held_up_by_a_full_one(hint, path):
    world = silent()
    for page in range(4):
        on(world, None, *calendar(300 * page, 300))
    on(world, None, *calendar(0, 400, hint=hint, path=path))
    assert admitted(world, path.split("{}", maxsplit=1)[0]) == 400


def test_addresses_that_look_like_products_have_no_bound():
    world = silent()
    for page in range(3):
        on(world, None, *calendar(500 * page, 500, hint="product", path="/products/{}"))
    assert admitted(world, "/products/") == 1_500
    assert list(world.frontier.rows.scan(PATTERNS, b"")) == [], "nor is anything kept about them"


def test_a_product_at_an_address_that_has_no_bound_leaves_no_row_and_asks_for_nothing_again():
    world = silent()
    stool = link("/products/7")
    on(world, None, stool)
    on(world, stool, link("/about", hint="other"), product=True)
    assert list(world.frontier.rows.scan(PATTERNS, b"")) == []
    assert source_of(world).bounds_rev == 0


def test_an_address_that_cannot_repeat_leaves_no_row():
    world = silent()
    on(world, None, *(link(f"/about/{word}", hint="other") for word in ("us", "them", "everybody")))
    assert list(world.frontier.rows.scan(PATTERNS, b"")) == []


def test_what_a_sitemap_declares_is_not_counted():
    world = silent()
    declared = replace(link("/sitemap.xml", hint="other"), kind="sitemap")
    on(world, None, declared)
    for page in range(3):
        on(world, declared, *calendar(500 * page, 500))
    assert admitted(world) == 1_500
    on(world, None, *calendar(3_000, 5))
    assert admitted(world) == 1_505


def test_a_product_ends_the_bound_of_its_pattern_and_what_was_refused_is_asked_for_again():
    world = crawling()
    world.pass_ms(1_000)
    world.auto = False
    views = calendar(0, 1_400, path="/view?id={}")
    for start in range(0, 1_400, 350):
        on(world, None, *views[start : start + 350])
    assert admitted(world, "/view") == PATTERN_URLS_MAX
    assert source_of(world).bounds_rev == 0
    on(world, views[7], link("/about", hint="other"), product=True)
    told = source_of(world).bounds_rev
    assert told == len(world.frontier.log) - 1
    on(world, views[8], link("/about", hint="other"), product=True)
    assert source_of(world).bounds_rev == told, "told once"
    for start in range(0, 1_400, 350):
        on(world, None, *views[start : start + 350])
    assert admitted(world, "/view") == 1_400


def test_a_product_of_a_pattern_that_is_not_full_asks_for_nothing_again():
    world = silent()
    views = calendar(0, 10, path="/view?id={}")
    on(world, None, *views)
    on(world, views[7], link("/about", hint="other"), product=True)
    assert source_of(world).bounds_rev == 0


@pytest.mark.parametrize(
    ("changes", "wider"),
    [({"urls_max": 20}, True), ({"depth_max": 17}, True), ({"urls_max": 5}, False), ({"interval_ms": 200}, False)],
)
def test_an_observation_says_whether_bounds_became_wider(changes, wider):
    world = crawling(urls_max=10, refresh_ms=60_000)
    world.pass_ms(2_000)
    world.tell(policy(refresh_ms=60_000, policy_rev=2, **{"urls_max": 10, **changes}))
    at = len(world.frontier.log) - 1
    world.pass_ms(70_000)
    seen = [one.bounds_rev for one in world.observed if isinstance(one, PageObserved)]
    assert seen == [0, at if wider else 0]


def test_a_bound_that_is_met_again_after_it_was_raised_is_shown_again():
    world = silent()
    world.tell(policy(policy_rev=2, urls_max=3))
    on(world, None, *calendar(0, 9, path="/p/{}", hint="product"))
    on(world, None, *calendar(10, 9, path="/p/{}", hint="product"))
    world.tell(policy(policy_rev=3, urls_max=5))
    on(world, None, *calendar(0, 9, path="/p/{}", hint="product"))
    assert [one.reason for one in world.quarantined] == ["urls_max", "urls_max"]


def test_the_destination_of_a_redirect_counts_too():
    world = crawling()
    world.pass_ms(1_000)
    world.auto = False
    world.tell(links(link("/go", hint="other")))
    world.pass_ms(1_000)
    task = next(task for task in world.tasks if task.url.endswith("/go"))
    for start in range(0, PATTERN_URLS_MAX, 500):
        on(world, None, *calendar(start, 500))
    world.tell(outcome_of(task, "redirected", redirect_to=f"{ORIGIN}/whats-on/7777", status=302))
    assert [one.reason for one in world.quarantined] == ["pattern_growth"]
    assert admitted(world) == PATTERN_URLS_MAX


def a_full_pattern(*, product: bool) -> World:
    """One event waits: it brings the pattern to its bound, or a product page of the full pattern says it."""
    world = silent()
    for start in range(0, PATTERN_URLS_MAX - 2, 499):
        on(world, None, *calendar(start, 499))
    event: LinksFound = links(*calendar(3_000, 5))
    if product:
        on(world, None, *calendar(5_000, 3))
        event = replace(event, target_id=calendar(0, 1)[0].target_id, product=True)
    world.frontier.append(event, world.now_ms)
    return world


def durable(world: World) -> dict[tuple[str, bytes], bytes]:
    rows = world.frontier.rows
    return {key: raw for key, raw in rows.values.items() if key[0] in rows.durable}


@pytest.mark.parametrize("product", [False, True])
def test_a_crash_between_any_two_writes_counts_nothing_twice_and_forgets_nothing(product):
    world = a_full_pattern(product=product)
    frontier, rows, at = world.frontier, world.frontier.rows, world.frontier.committed
    values, keys = dict(rows.values), {table: list(known) for table, known in rows.keys.items()}
    _, writes = frontier.handle_at(at)
    frontier.run()
    whole = durable(world)
    assert admitted(world) == (PATTERN_URLS_MAX + 5 if product else PATTERN_URLS_MAX)
    assert source_of(world).bounds_rev == (at if product else 0)
    # As the shell flushes: any prefix, or each table's changelog for itself (`streams/shell/table.py`).
    survived = [writes[:flushed] for flushed in range(len(writes) + 1)]
    survived += [[one for one in writes if one[0][0] == table] for table in ("targets", "patterns")]
    for left in survived:
        rows.values, rows.keys = dict(values), {table: list(known) for table, known in keys.items()}
        for (table, key), row in left:
            rows.write(table, key, row)
        frontier.committed = at
        frontier.run()
        assert durable(world) == whole, f"after {[table for (table, _), _ in left]}"
