"""The blob store: write-once objects by SHA-256, compressed, checked when read (SPEC E5, obstore)."""

import asyncio
import hashlib
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import obstore
import zstandard
from obstore.exceptions import AlreadyExistsError, BaseError
from obstore.store import from_url

from streams.blobs.manifest import Manifest, body_location
from topics.errors import Retry

T = TypeVar("T")
BODY_BYTES_MAX = 64 * 1024 * 1024
ZSTD_LEVEL = 3
INLINE_BYTES_MAX = 64 * 1024  # larger bodies are (de)compressed in a thread, so that the event loop goes on


class BlobUnavailable(Retry):
    """The store did not answer, or the object is not there (yet)."""


class BlobCorrupt(Retry):
    """An object is not what its name says; fetch again unconditionally (SPEC E4)."""


class BlobStore:
    """Bodies and manifests in an object store.

    Objects are created, never replaced: a body that exists is the same body, a manifest that exists belongs to the same claim.
    The local store writes to a temporary name and renames, so that a killed process leaves no half object; it leaves flushing to
    the operating system, so that only a production store survives the loss of the machine.

    Args:
        url: `file:///…` (created when missing), `s3://bucket/prefix`, or `memory:///` for tests.
    """

    def __init__(self, url: str) -> None:
        self._store = from_url(url, mkdir=True) if url.startswith("file:") else from_url(url)

    async def put_body(self, body: bytes) -> tuple[str, str]:
        """Stores decoded bytes; returns (sha256, location). Storing them again changes nothing."""
        sha256, packed = await _off_loop(_pack, body)
        location = body_location(sha256)
        await self._create(location, packed)
        return sha256, location

    async def get_body(self, sha256: str) -> bytes:
        """Returns the decoded bytes; raises BlobUnavailable or BlobCorrupt."""
        packed = await self._get(body_location(sha256))
        return await _off_loop(partial(_unpack, sha256), packed)

    async def put_manifest(self, location: str, manifest: Manifest) -> None:
        """Stores a manifest; raises BlobCorrupt when another one stands there already."""
        raw = manifest.to_json()
        if not await self._create(location, raw) and await self._get(location) != raw:
            raise BlobCorrupt(f"{location} holds another manifest: a task ran twice")

    async def get_manifest(self, location: str) -> Manifest:
        """Returns a manifest; raises BlobUnavailable."""
        return Manifest.from_json(await self._get(location))

    async def _create(self, location: str, raw: bytes) -> bool:
        try:
            await obstore.put_async(self._store, location, raw, mode="create", use_multipart=False)
        except AlreadyExistsError:
            return False
        except (BaseError, OSError) as error:
            raise BlobUnavailable(f"{location} was not written: {error}") from error
        return True

    async def _get(self, location: str) -> bytes:
        try:
            found = await obstore.get_async(self._store, location)
            return bytes(await found.bytes_async())
        except (BaseError, OSError) as error:
            raise BlobUnavailable(f"{location} was not read: {error}") from error


async def _off_loop(work: Callable[[bytes], T], raw: bytes) -> T:
    """Runs `work(raw)` here when it is short, else in a thread."""
    return work(raw) if len(raw) <= INLINE_BYTES_MAX else await asyncio.to_thread(work, raw)


def _pack(body: bytes) -> tuple[str, bytes]:
    assert len(body) <= BODY_BYTES_MAX, "the fetcher's limits are smaller"
    return hashlib.sha256(body).hexdigest(), zstandard.ZstdCompressor(level=ZSTD_LEVEL).compress(body)


def _unpack(sha256: str, packed: bytes) -> bytes:
    try:
        body = zstandard.ZstdDecompressor().decompress(packed, max_output_size=BODY_BYTES_MAX)
    except zstandard.ZstdError as error:
        raise BlobCorrupt(f"body {sha256} does not decompress: {error}") from error
    if hashlib.sha256(body).hexdigest() != sha256:
        raise BlobCorrupt(f"body {sha256} has other bytes than its name says")
    return body
