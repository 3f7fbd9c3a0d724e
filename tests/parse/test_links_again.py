"""Which link sets are said again although nothing in them changed: the frontier keeps none that it refused (SPEC C5)."""

from tests.parse.world import ORIGIN, Partition, listing, product, seen
from topics.events.policy import DEPTH_MAX

LINKS = ("/products/a", "/products/b")


def test_the_same_links_are_said_again_under_wider_bounds_and_then_not_again() -> None:
    partition = Partition()
    said = [
        len(partition.handle(seen(listing(LINKS), generation=at + 1, bounds_rev=rev), at).links)
        for at, rev in enumerate((0, 0, 7, 7, 9))
    ]
    assert said == [2, 0, 2, 0, 2]


def test_said_again_they_are_said_again_to_the_byte() -> None:
    partition = Partition()
    partition.handle(seen(listing(LINKS), generation=1), 0)
    wider = seen(listing(LINKS), generation=2, bounds_rev=7)
    sent = partition.handle(wider, 1, dies_before_flush=True).wire
    assert partition.handle(wider, 1).wire == sent
    assert partition.handle(wider, 1).wire == sent


def test_links_say_whether_their_page_sells_something_as_soon_as_it_does() -> None:
    partition = Partition()
    page = product(links=LINKS)
    unpriced = page.replace("application/ld+json", "text/plain").replace("<button>Add to cart</button>", "")
    said = [
        partition.handle(seen(text, generation=at + 1), at).chunks for at, text in enumerate((unpriced, page, page))
    ]
    assert [[chunk.product for chunk in chunks] for chunks in said] == [[False], [True], []]


def test_how_deep_is_the_frontiers_to_say() -> None:
    deep = seen(listing(LINKS), depth=DEPTH_MAX - 1)
    assert [link.url for link in Partition().handle(deep, 0).links] == [f"{ORIGIN}{link}" for link in LINKS]
    told = Partition().handle(seen(listing(LINKS), depth=DEPTH_MAX), 0)
    assert (told.links, told.refused) == ([], {("links", "depth")})
