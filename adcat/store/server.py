"""The sample store on loopback ports, one per shop, with a log of every request and a few calls for tests."""

import asyncio
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TextIO

import orjson
from aiohttp import web

from adcat.store.admin import Admin
from adcat.store.exchange import answer
from adcat.store.expected import ExpectedOffer
from adcat.store.frame import text
from adcat.store.shop import UNANSWERED, OpenShop, RequestLogged, expected_of, reply_in_mode
from adcat.store.sites import SITES, Site, shelf_of

READING = ("GET", "HEAD")
SLOW_S = 2.0


class SampleStore:
    """The three sample shops.

    Attributes:
        shops: by merchant, once started.
        requests: every request in order of completion; calls below `/__store` are not among them.
        slow_s: how long mode `slow` waits before it answers.
    """

    def __init__(self, log_path: Path | None = None, *, slow_s: float = SLOW_S) -> None:
        self.shops: dict[str, OpenShop] = {}
        self.requests: list[RequestLogged] = []
        self.slow_s = slow_s
        self._log_path = log_path
        self._log: TextIO | None = None
        self._runners: list[web.AppRunner] = []

    @property
    def urls(self) -> dict[str, str]:
        """Start URL by merchant."""
        return {merchant: f"{shop.shelf.origin}/" for merchant, shop in self.shops.items()}

    @property
    def proof_tokens(self) -> dict[str, set[str]]:
        """The tokens that each merchant's verification file lists; add to the sets."""
        return {merchant: shop.proof_tokens for merchant, shop in self.shops.items()}

    def expected(self) -> Iterator[ExpectedOffer]:
        """What a careful human would publish of all shops as they are now, and what not."""
        return expected_of(self.shops.values())

    async def start(self, host: str = "127.0.0.1", ports: Sequence[int] = (0, 0, 0)) -> None:
        """Opens the shops; port 0 takes a free one.

        Raises:
            OSError: a port is taken.
        """
        assert len(ports) == len(SITES), "one port per shop"
        assert not self.shops, "started once"
        if self._log_path is not None:
            self._log = self._log_path.open("a", encoding="utf-8")
        try:
            for site, port in zip(SITES, ports, strict=True):
                await self._open(site, host, port)
        except OSError:
            await self.stop()
            raise

    async def stop(self) -> None:
        """Closes the shops and the log; may be called again, and before `start`."""
        for runner in self._runners:
            await runner.cleanup()
        self._runners.clear()
        if self._log is not None:
            self._log.close()
            self._log = None

    async def _open(self, site: Site, host: str, port: int) -> None:
        app = web.Application()
        app.add_routes(Admin(merchant=site.merchant, shops=self.shops, requests=self.requests).routes())
        app.router.add_route("*", "/{path:.*}", lambda request: self._serve(site.merchant, request))
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
        await runner.setup()
        self._runners.append(runner)
        listener = web.TCPSite(runner, host, port)
        await listener.start()
        bound = runner.addresses[0][1]
        self.shops[site.merchant] = OpenShop(site=site, shelf=shelf_of(site, f"http://{host}:{bound}"))

    async def _serve(self, merchant: str, request: web.Request) -> web.Response:
        at_s, status = time.monotonic(), UNANSWERED
        shop = self.shops[merchant]
        try:
            if shop.mode == "slow":
                await asyncio.sleep(self.slow_s)
            reply = reply_in_mode(shop, request.path, request.query)
            if request.method not in READING:
                reply = text("only GET and HEAD\n", status=405)
            sent = answer(reply, request.headers)
            status = sent.status
            if status == web.HTTPTooManyRequests.status_code:
                sent.headers["Retry-After"] = "1"
            return web.Response(status=status, headers=sent.headers, body=sent.body)
        finally:
            self._record(merchant, request, at_s, status)

    def _record(self, merchant: str, request: web.Request, at_s: float, status: int) -> None:
        logged = RequestLogged(
            merchant=merchant,
            at_monotonic_s=at_s,
            method=request.method,
            path_qs=request.raw_path,
            status=status,
            user_agent=request.headers.get("User-Agent", ""),
        )
        self.requests.append(logged)
        if self._log is not None:
            self._log.write(orjson.dumps(asdict(logged)).decode() + "\n")
            self._log.flush()  # a reader sees each request, also after a kill


def run_forever(base_port: int, log_path: Path | None) -> None:
    """Serves the shops on `base_port` and the next two until SIGTERM or SIGINT; 0 takes free ports."""
    asyncio.run(_serve_until_signal(base_port, log_path))


async def _serve_until_signal(base_port: int, log_path: Path | None) -> None:
    store, stopped = SampleStore(log_path), asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # an event loop without signal handlers stops by KeyboardInterrupt
            loop.add_signal_handler(number, stopped.set)
    await store.start(ports=[base_port + at if base_port else 0 for at in range(len(SITES))])
    try:
        for merchant, url in store.urls.items():
            print(f"{merchant}: {url}", flush=True)
        await stopped.wait()
    finally:
        await store.stop()
