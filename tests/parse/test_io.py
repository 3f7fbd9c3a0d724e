"""The killable child: whatever a body does to its reader, it costs that page only (SPEC F8)."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from streams.blobs.io import BlobStore, BlobUnavailable
from streams.blobs.manifest import body_location
from streams.parse.io import Reader
from streams.parse.read import PageRead, read
from tests.parse.hostile import beaten
from tests.parse.world import ORIGIN, observed, product
from topics.errors import Retry

GOOD = product().encode()
POLLS_MAX = 200


@pytest.fixture
def blobs(tmp_path: Path) -> BlobStore:
    return BlobStore(f"file://{tmp_path / 'blobs'}")


@pytest.fixture
def reader(blobs: BlobStore) -> Iterator[Reader]:
    reader = Reader(blobs, read=beaten, page_s_max=1.0)
    yield reader
    reader.stop()


@pytest.fixture
async def stored(blobs: BlobStore) -> None:
    await blobs.put_body(GOOD)


async def prepared(reader: Reader, blobs: BlobStore, body: bytes, **changes) -> PageRead:
    await blobs.put_body(body)
    return await reader.prepare(observed(body=body, **changes))


async def test_a_child_says_what_the_parent_would(reader: Reader, blobs: BlobStore) -> None:
    page = await prepared(reader, blobs, GOOD)
    assert page == read(observed(body=GOOD), GOOD)
    assert page.reading is not None
    with pytest.raises(TypeError):
        page.reading.offers[0].evidence["name"] = ()  # type: ignore[index]


@pytest.mark.parametrize(
    ("body", "failure"),
    [
        ("loop", "timeout"),
        ("loop in C", "timeout"),
        ("crash", "crashed"),
        ("exit", "crashed"),
        ("memory", "crashed"),
        ("raise", "parser_error"),
        ("unpicklable", "crashed"),
    ],
)
async def test_a_hostile_body_costs_only_itself(reader: Reader, blobs: BlobStore, body: str, failure: str) -> None:
    hurt = await prepared(reader, blobs, body.encode())
    assert (hurt.failure, hurt.reading, hurt.links) == (failure, None, None)
    assert (await prepared(reader, blobs, GOOD)).failure is None, "the pool goes on"


async def test_hostile_bodies_beside_good_ones(blobs: BlobStore) -> None:
    reader = Reader(blobs, children=2, read=beaten, page_s_max=1.0)
    try:
        bodies = [b"loop", GOOD, b"crash", GOOD, b"raise", GOOD]
        pages = await asyncio.gather(*(prepared(reader, blobs, body) for body in bodies))
    finally:
        reader.stop()
    assert [page.failure for page in pages] == ["timeout", None, "crashed", None, "parser_error", None]


async def test_a_corrupt_blob_is_a_failure_of_that_page(reader: Reader, blobs: BlobStore, stored, tmp_path) -> None:
    page = observed(body=GOOD)
    assert page.body is not None
    (tmp_path / "blobs" / body_location(page.body.sha256)).write_bytes(b"not what its name says")
    assert (await reader.prepare(page)).failure == "body_corrupt"


async def test_a_blob_that_is_not_there_is_tried_again(reader: Reader) -> None:
    with pytest.raises(BlobUnavailable) as caught:
        await reader.prepare(observed(body=GOOD))
    assert isinstance(caught.value, Retry)


@pytest.mark.parametrize("outcome", ["missing", "gone", "redirected", "blocked", "throttled", "failed", "block_page"])
async def test_an_outcome_without_a_body_needs_no_reader(reader: Reader, outcome: str) -> None:
    assert await reader.prepare(observed(outcome)) == PageRead(observed=observed(outcome))


async def test_a_body_beside_an_outcome_that_is_not_read_is_left_alone(reader: Reader) -> None:
    page = observed("block_page")
    kept = observed("block_page", body=GOOD)
    assert await reader.prepare(kept) == PageRead(observed=page)


async def test_an_observation_without_its_body_is_unread(reader: Reader) -> None:
    bare = observed("page")
    assert bare.body is not None
    without = observed("not_modified")
    object.__setattr__(without, "body", None)
    assert await reader.prepare(without) == PageRead(observed=without)


async def test_a_sitemap_has_more_time_than_a_page(reader: Reader, blobs: BlobStore) -> None:
    entries = "".join(f"<url><loc>{ORIGIN}/products/item-{number}</loc></url>" for number in range(3_000))
    body = f"<urlset>{entries}</urlset>".encode()
    page = await prepared(reader, blobs, body, kind="sitemap", url=f"{ORIGIN}/sitemap.xml")
    assert page.failure is None
    assert page.links is not None
    assert len(page.links.links) == 3_000


async def test_stopping_leaves_no_child(blobs: BlobStore) -> None:
    reader = Reader(blobs, read=beaten)
    before = set(psutil.Process().children())
    await prepared(reader, blobs, GOOD)
    children = set(psutil.Process().children()) - before
    assert children
    reader.stop()
    assert not [one for one in children if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]
