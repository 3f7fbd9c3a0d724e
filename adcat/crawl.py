"""`adcat crawl URL`: one real storefront, from its authorization to its catalog."""

import aiohttp

from adcat.api import ControlClient
from adcat.lookup import Lookup
from adcat.report import answers_table, person_console, timings
from adcat.session import Session, source_request
from adcat.settings import Settings
from adcat.stack import LocalStack, control_url
from adcat.tokens import local_token
from control.request import read_request
from topics.keys import merchant_key
from topics.urls import parse_url

EXIT_UNPROVEN = 3
CRAWL_MS_MAX = 3_600_000


async def run_crawl(
    settings: Settings, url: str, merchant: str, market: str, currency: str, *, wait_ms: int, rate: float
) -> int:
    """Returns 0 once the catalog was shown, 3 when no proof of control appeared in time.

    Raises:
        Invalid: an argument is wrong; nothing was started.
        ApiRefused: the control plane refused the registration; its message names the field.
    """
    console = person_console()
    merchant_key(merchant)
    source = source_request(url, parse_url(url).origin, market, currency, interval_ms=max(10, int(1000 / rate)))
    read_request(source, allow_loopback=settings.allow_loopback)
    if settings.allow_loopback:
        console.print("development setting ADCAT_ALLOW_LOOPBACK=true: storefronts on this machine may be crawled")
    stack = LocalStack(settings, console.print, may_share=True)
    try:
        await stack.start()
        async with aiohttp.ClientSession() as http:
            control = ControlClient(http, control_url(settings), local_token(settings, "control"))
            async with Session(settings.kafka, control, console) as session:
                registered = await control.register(merchant, source)
                if not await _proven(session, merchant, registered, wait_ms):
                    return EXIT_UNPROVEN
                finished = await session.until_quiet([merchant], CRAWL_MS_MAX)
                session.show([merchant])
                keys = [entry.offer_key for entry in session.watch.entries(merchant)]
                lookup = Lookup(f"{settings.host}:{settings.grpc_port}", local_token(settings, "serving"))
                answers = await lookup.batch_get_async(keys)
                console.print(answers_table(f"BatchGet of {len(keys)} offers", answers.statuses))
                if not finished:
                    console.print(f"still crawling after {CRAWL_MS_MAX // 60_000} minutes; run `adcat up` to go on")
        timings(console, stack.timings_s, stack.rss_bytes())
        return 0
    finally:
        await stack.stop()


async def _proven(session: Session, merchant: str, registered: dict[str, object], wait_ms: int) -> bool:
    proof = registered["proof"]
    assert isinstance(proof, dict)
    if registered.get("status") == "enabled":
        return True
    session.console.print("To prove that you control this storefront, make this address answer with this line:")
    session.console.print(f"  address: {proof['url']}", soft_wrap=True)
    session.console.print(f"  line:    {proof['token']}", soft_wrap=True)
    session.console.print(f"waiting up to {wait_ms // 1000} s …")
    if await session.enabled(merchant, wait_ms):
        session.console.print("proof accepted; crawling")
        return True
    source = await session.control.merchant(merchant)
    session.console.print(f"no proof of control appeared; the source stays pending: {source.get('proof')}")
    return False
