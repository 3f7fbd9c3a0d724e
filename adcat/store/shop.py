"""One shop that is open: its goods, its mode, its proof of control, and what it saw. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from adcat.store.expected import ExpectedOffer, expected_offers
from adcat.store.frame import text
from adcat.store.shelf import Reply, Shelf
from adcat.store.sites import Site, absent, reply_of

MODES: Final = ("ok", "missing", "error", "slow", "throttled")
PROOF_PATH: Final = "/.well-known/adcat-verification.txt"
UNANSWERED: Final = 499
"""Status in the log of a request whose client left before the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestLogged:
    """One request that a shop saw.

    Attributes:
        at_monotonic_s: arrival, by this process's monotonic clock.
        path_qs: path and query as sent.
        status: of the answer, 499 when the client left before it.
    """

    merchant: str
    at_monotonic_s: float
    method: str
    path_qs: str
    status: int
    user_agent: str


@dataclass(slots=True, kw_only=True)
class OpenShop:
    """One shop that is being served.

    Attributes:
        mode: `ok`, `missing`, `error`, `slow` or `throttled`.
        proof_tokens: what the verification file lists.
    """

    site: Site
    shelf: Shelf
    mode: str = "ok"
    proof_tokens: set[str] = field(default_factory=set)


def reply_in_mode(shop: OpenShop, path: str, query: Mapping[str, str]) -> Reply:
    """What a shop answers while it is in its mode; a 503 or 429 spares nothing, robots.txt included."""
    assert shop.mode in MODES
    if shop.mode == "error":
        return text("the shop is down\n", status=503)
    if shop.mode == "throttled":
        return text("slow down\n", status=429)
    if path == PROOF_PATH:
        tokens = "".join(f"{one}\n" for one in sorted(shop.proof_tokens))
        return text(tokens) if tokens else absent(shop.site)
    reply = reply_of(shop.site, shop.shelf, path, query)
    return absent(shop.site) if shop.mode == "missing" and reply.is_product else reply


def expected_of(shops: Iterable[OpenShop]) -> Iterator[ExpectedOffer]:
    """Yields what a careful human would publish of these shops, and what not."""
    for shop in shops:
        yield from expected_offers(shop.site, shop.shelf)
