"""`adcat demo`: three sample storefronts from authorization to answered look-ups, on a real broker, then a revocation."""

import asyncio
import shutil
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

import aiohttp
from rich.console import Console

from adcat import broker
from adcat.api import ControlClient
from adcat.broker import free_port
from adcat.home import lock_path
from adcat.lookup import Lookup
from adcat.report import answers_table, person_console, timings
from adcat.session import Session, source_request
from adcat.settings import Settings
from adcat.stack import LocalStack, control_url
from adcat.store import SampleStore
from adcat.tokens import local_token
from topics.keys import OfferKey

REQUESTS_PER_S = 20
MARKETS = {"alpine": ("US", "USD"), "brocante": ("DE", "EUR"), "cometa": ("JP", "JPY")}
CRAWL_MS_MAX = 240_000
PROOF_MS_MAX = 60_000
REVOKE_MS_MAX = 60_000


class DemoFailed(Exception):
    """The demo did not show what it promises; the message says which step."""


async def run_demo(base: Settings, *, keep: bool) -> None:
    """Runs the whole demo; raises DemoFailed naming the step that did not hold."""
    console = person_console()
    settings = demo_settings(base)
    console.rule("adcat: from an authorized storefront to BatchGet")
    console.print("development setting ADCAT_ALLOW_LOOPBACK=true: storefronts on this machine may be crawled")
    stack = LocalStack(settings, console.print)
    store = SampleStore()
    try:
        stack.lock.take()
        _wipe(settings)
        await store.start()
        await stack.start()
        async with _session(settings, console) as session:
            await _crawl(session, store, stack.timings_s)
            lookup = Lookup(f"{settings.host}:{settings.grpc_port}", local_token(settings, "serving"))
            await _look_up(session, lookup, stack.timings_s)
            await _revoke(session, lookup, stack.timings_s)
        timings(console, stack.timings_s, stack.rss_bytes())
        if keep:
            await _kept(console, settings, store)
        _where_next(console, settings)
    finally:
        await stack.stop()
        await store.stop()


def demo_settings(base: Settings) -> Settings:
    """Returns settings with a home of their own and free ports, so that a demo never meets another stack."""
    return replace(
        base,
        home=base.home / "demo",
        kafka=f"127.0.0.1:{free_port()}",
        control_port=free_port(),
        grpc_port=free_port(),
        gateway_port=free_port(),
        metrics_port=free_port(),
        allow_loopback=True,
    )


def _wipe(settings: Settings) -> None:
    """Empties the demo's home, after stopping the broker that a killed demo left behind there."""
    broker.stop(settings.broker)
    for path in settings.home.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path != lock_path(settings):
            path.unlink()


@asynccontextmanager
async def _session(settings: Settings, console: Console) -> AsyncIterator[Session]:
    async with aiohttp.ClientSession() as http:
        control = ControlClient(http, control_url(settings), local_token(settings, "control"))
        async with Session(settings.kafka, control, console) as session:
            yield session


async def _crawl(session: Session, store: SampleStore, timings_s: dict[str, float]) -> None:
    started = time.monotonic()
    for merchant, url in store.urls.items():
        market, currency = MARKETS[merchant]
        origin = url.rstrip("/")
        source = source_request(url, origin, market, currency, interval_ms=1000 // REQUESTS_PER_S, concurrency_max=8)
        registered = await session.control.register(merchant, source)
        await _place_proof(session.control.session, origin, registered["proof"]["token"])
    for merchant in store.urls:
        if not await session.enabled(merchant, PROOF_MS_MAX):
            raise DemoFailed(f"{merchant} stayed pending: its proof of control was not accepted")
    timings_s["authorization"] = time.monotonic() - started
    started = time.monotonic()
    if not await session.until_quiet(list(store.urls), CRAWL_MS_MAX):
        raise DemoFailed(f"the crawl did not come to rest in {CRAWL_MS_MAX // 1000} s")
    timings_s["crawl"] = time.monotonic() - started
    session.show(list(store.urls))


async def _place_proof(http: aiohttp.ClientSession, origin: str, token: str) -> None:
    """What a merchant does with an editor: put the token where the crawler will look."""
    async with http.put(f"{origin}/__store/proof", data=token) as answer:
        answer.raise_for_status()


async def _look_up(session: Session, lookup: Lookup, timings_s: dict[str, float]) -> None:
    keys = list(session.watch.catalog)
    if not keys:
        raise DemoFailed("the catalog is empty")
    answers = await lookup.batch_get_async(keys)
    timings_s["BatchGet"] = answers.seconds
    session.console.print(answers_table(f"BatchGet of {len(keys)} offers", answers.statuses))
    served = sum(count for one in answers.statuses.values() for word, count in one.items() if word.startswith("OK"))
    if served == 0:
        raise DemoFailed("BatchGet answered no offer")


async def _revoke(session: Session, lookup: Lookup, timings_s: dict[str, float]) -> None:
    merchant = next(iter(MARKETS))
    keys = [key for key in session.watch.catalog if key.merchant == merchant]
    started = time.monotonic()
    await session.control.disable(merchant)
    while not await _all_disabled(lookup, keys):
        if time.monotonic() - started > REVOKE_MS_MAX / 1000:
            raise DemoFailed(f"offers of {merchant} were still served {REVOKE_MS_MAX // 1000} s after its revocation")
        await asyncio.sleep(0.1)
    timings_s["revocation"] = time.monotonic() - started
    answers = await lookup.batch_get_async(list(session.watch.catalog))
    session.console.print(answers_table(f"BatchGet after {merchant} was revoked", answers.statuses))


async def _all_disabled(lookup: Lookup, keys: list[OfferKey]) -> bool:
    answers = await lookup.batch_get_async(keys)
    return all(set(counts) == {"DISABLED"} for counts in answers.statuses.values())


async def _kept(console: Console, settings: Settings, store: SampleStore) -> None:
    console.rule("the stack keeps running; Ctrl-C stops it")
    for name, value in settings.environment().items():
        if name in ("ADCAT_HOME", "ADCAT_KAFKA", "ADCAT_CONTROL_PORT", "ADCAT_GRPC_PORT", "ADCAT_GATEWAY_PORT"):
            console.print(f"export {name}={value}", soft_wrap=True)
    for merchant, url in store.urls.items():
        console.print(f"{merchant}: {url}")
    with suppress(asyncio.CancelledError):  # the signal that ends it is no failure
        await asyncio.Event().wait()


def _where_next(console: Console, settings: Settings) -> None:
    console.rule("where to look next")
    console.print(f"logs of every worker: {settings.logs}")
    console.print("keep a stack running: adcat demo --keep, then adcat topics tail offer-catalog --limit 3")
    console.print("a storefront of your own: adcat crawl URL --merchant ID --market US --currency USD")
    console.print("how it works: docs/ARCHITECTURE.md; how to run it: docs/operations.md")
