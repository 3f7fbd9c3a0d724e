"""Objects are written once, named by their bytes, and checked when they are read (SPEC E5)."""

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from streams.blobs.io import BlobCorrupt, BlobStore, BlobUnavailable
from streams.blobs.manifest import (
    HEADER_CHARS_MAX,
    Manifest,
    Provenance,
    body_location,
    kept_headers,
    manifest_location,
)
from topics.events.crawl import FetchTask, Permit
from topics.fence import Fence

FENCE = Fence(source_epoch=1, term=2, generation=3)
TASK = FetchTask(
    event_id="e" * 32,
    occurred_at_ms=1,
    merchant="shoes",
    target_id="ab" * 16,
    kind="page",
    url="https://shop.example/a",
    fence=FENCE,
    observation_id="cd" * 16,
    permit=Permit(permit_id="p", budget_key="b", term=2, not_before_ms=0, expires_at_ms=1),
    claimed_at_ms=0,
    lease_until_ms=1,
    allowed_origins=("https://shop.example",),
)
MANIFEST = Manifest(
    url=TASK.url,
    fetched_at_ms=5,
    status=200,
    sha256="0" * 64,
    body=body_location("0" * 64),
    length=3,
    headers={"etag": '"1"'},
    etag='"1"',
    last_modified=None,
    provenance=Provenance(
        merchant="shoes",
        target_id=TASK.target_id,
        kind="page",
        fence=FENCE,
        observation_id=TASK.observation_id,
        permit_id="p",
        user_agent="adcat-crawler/1",
        conditional=False,
    ),
)


def local(tmp_path: Path) -> BlobStore:
    return BlobStore(f"file://{tmp_path / 'blobs'}")


@pytest.mark.parametrize("body", [b"", b"hello", b"x" * 3_000_000])
async def test_a_body_comes_back_by_its_digest(tmp_path: Path, body: bytes) -> None:
    store = local(tmp_path)
    sha256, location = await store.put_body(body)
    assert sha256 == hashlib.sha256(body).hexdigest()
    assert location == body_location(sha256)
    assert await store.get_body(sha256) == body
    assert await local(tmp_path).get_body(sha256) == body


async def test_a_body_is_stored_compressed_and_once(tmp_path: Path) -> None:
    store = local(tmp_path)
    _, location = await store.put_body(b"x" * 1_000_000)
    path = tmp_path / "blobs" / location
    before = path.stat()
    assert before.st_size < 1_000
    await store.put_body(b"x" * 1_000_000)
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    assert [one for one in (tmp_path / "blobs").rglob("*") if one.is_file()] == [path]


async def test_what_is_not_there_or_not_itself_is_told_apart(tmp_path: Path) -> None:
    store = local(tmp_path)
    with pytest.raises(BlobUnavailable):
        await store.get_body("0" * 64)
    sha256, location = await store.put_body(b"hello")
    _, other = await store.put_body(b"other")
    (tmp_path / "blobs" / location).write_bytes((tmp_path / "blobs" / other).read_bytes())
    with pytest.raises(BlobCorrupt, match="other bytes"):
        await store.get_body(sha256)
    (tmp_path / "blobs" / location).write_bytes(b"rubbish")
    with pytest.raises(BlobCorrupt, match="decompress"):
        await store.get_body(sha256)


async def test_a_manifest_is_written_once_and_never_replaced() -> None:
    store = BlobStore("memory:///")
    location = manifest_location(TASK)
    await store.put_manifest(location, MANIFEST)
    await store.put_manifest(location, MANIFEST)
    assert await store.get_manifest(location) == MANIFEST
    with pytest.raises(BlobCorrupt, match="twice"):
        await store.put_manifest(location, replace(MANIFEST, status=201))


async def test_a_store_that_cannot_write_says_so(tmp_path: Path) -> None:
    store = local(tmp_path)
    (tmp_path / "blobs" / "bodies").write_text("in the way")
    with pytest.raises(BlobUnavailable, match="not written"):
        await store.put_body(b"x")


def test_a_manifest_keeps_bounded_headers_in_a_fixed_order() -> None:
    kept = kept_headers({"set-cookie": "x", "etag": "1\udc80", "age": "2", "link": "y" * 9_999})
    assert list(kept) == ["age", "etag", "link"]
    assert kept["etag"] == "1?"
    assert len(kept["link"]) == HEADER_CHARS_MAX
