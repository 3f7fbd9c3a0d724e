"""Reads bodies and parses them in a killable child process: a hostile page costs its time limit, never the worker (SPEC F8)."""

import asyncio
import copyreg
import logging
import os
import resource
import signal
from collections.abc import Callable
from concurrent.futures import TimeoutError as PoolTimeout
from types import MappingProxyType
from typing import Any

from pebble import ProcessExpired, ProcessPool

from streams.blobs.io import BlobCorrupt, BlobStore
from streams.extraction.odd_markup import preload
from streams.parse.read import PageRead, read
from topics.events.crawl import PageObserved

LOG = logging.getLogger(__name__)
PARSE_S_MAX = 5.0
SITEMAP_S_MAX = 20.0  # measured: 50,000 entries take 6 s on a busy core
ADDRESS_SPACE_BYTES_MAX = 2 << 30
TASKS_PER_CHILD = 2_000  # a child is replaced now and then: parsers fragment memory
READ_OUTCOMES = frozenset({"page", "not_modified"})
Read = Callable[[PageObserved, bytes], PageRead]


class Reader:
    """Turns an observation into a `PageRead`; the effect that runs before the parse stage's handler.

    Args:
        blobs: where bodies are.
        children: parsing processes; each holds one page at a time.
        read: what a child does with a body; pickled by name.
        page_s_max: seconds that a page may take; a sitemap always has 20.
    """

    def __init__(
        self, blobs: BlobStore, children: int = 1, *, read: Read = read, page_s_max: float = PARSE_S_MAX
    ) -> None:
        self._blobs = blobs
        self._read = read
        self._page_s_max = page_s_max
        self._pool = ProcessPool(max_workers=children, max_tasks=TASKS_PER_CHILD, initializer=_contain)

    async def prepare(self, observed: PageObserved) -> PageRead:
        """Returns what the body says; a body that kills or outlasts its child is a failure of that page only.

        Raises:
            Retry: the blob store does not answer.
        """
        if observed.body is None or observed.outcome not in READ_OUTCOMES:
            return PageRead(observed=observed)
        try:
            body = await self._blobs.get_body(observed.body.sha256)
        except BlobCorrupt as error:
            LOG.warning("%s: %s", observed.url, error)
            return PageRead(observed=observed, failure="body_corrupt")
        limit_s = SITEMAP_S_MAX if observed.kind == "sitemap" else self._page_s_max
        try:
            return await asyncio.wrap_future(self._pool.schedule(self._read, args=(observed, body), timeout=limit_s))
        except PoolTimeout:
            return PageRead(observed=observed, failure="timeout")
        except (ProcessExpired, MemoryError) as error:
            LOG.warning("parsing %s ended its process: %s", observed.url, error)
            return PageRead(observed=observed, failure="crashed")
        except Exception:
            # A fault of our parser on one page may not stop its partition: the page is shown in quarantine, with a traceback here.
            LOG.exception("parsing %s failed", observed.url)
            return PageRead(observed=observed, failure="parser_error")

    def stop(self) -> None:
        """Ends the children."""
        self._pool.stop()
        self._pool.join()


def _contain() -> None:
    """Runs in each child: bounded memory, no core dump, and Ctrl-C is the parent's business."""
    copyreg.pickle(MappingProxyType, _reduced)  # a reading's evidence is read-only, and must travel to the parent
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE_BYTES_MAX, ADDRESS_SPACE_BYTES_MAX))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(5)
    preload()


def _reduced(mapping: "MappingProxyType[Any, Any]") -> tuple[Any, ...]:
    return _read_only, (dict(mapping),)


def _read_only(mapping: dict[Any, Any]) -> "MappingProxyType[Any, Any]":
    return MappingProxyType(mapping)
