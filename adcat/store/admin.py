"""Calls below `/__store` for tests and the demo: on loopback, without authentication, never in the request log."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import orjson
from aiohttp import web

from adcat.store.shelf import UnknownProduct
from adcat.store.shop import MODES, OpenShop, RequestLogged, expected_of

STATUSES: Final = (200, 404, 410)
TOKEN_CHARS_MAX: Final = 200
PRICE_MINOR_MAX: Final = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class Admin:
    """The admin calls of one shop; a change is a change of that shop, the two reports are about all.

    Attributes:
        shops: the open shops by merchant.
        requests: the log of all shops.
    """

    merchant: str
    shops: Mapping[str, OpenShop]
    requests: Sequence[RequestLogged]

    def routes(self) -> Iterator[web.RouteDef]:
        """Yields the routes."""
        yield web.put("/__store/proof", self.put_proof)
        yield web.put("/__store/price", self.put_price)
        yield web.put("/__store/removed", self.put_removed)
        yield web.put("/__store/mode", self.put_mode)
        yield web.get("/__store/requests", self.get_requests)
        yield web.get("/__store/expected", self.get_expected)

    async def put_proof(self, request: web.Request) -> web.Response:
        """Adds the body, one token, to the verification file."""
        token = (await request.text()).strip()
        if not token or len(token) > TOKEN_CHARS_MAX or len(token.split()) != 1:
            raise _bad(f"body: one token of at most {TOKEN_CHARS_MAX} characters")
        self._shop.proof_tokens.add(token)
        return web.Response(status=204)

    async def put_price(self, request: web.Request) -> web.Response:
        """`{"product": slug, "price_minor": n}`: the new price of every variant."""
        fields = await _fields(request)
        price_minor = fields.get("price_minor")
        if type(price_minor) is not int or not 0 < price_minor <= PRICE_MINOR_MAX:
            raise _bad(f"price_minor: a whole number from 1 to {PRICE_MINOR_MAX}")
        try:
            self._shop.shelf.reprice(str(fields.get("product")), price_minor)
        except UnknownProduct as error:
            raise web.HTTPNotFound(text=f"{error}\n") from error
        return web.Response(status=204)

    async def put_removed(self, request: web.Request) -> web.Response:
        """`{"product": slug, "status": 404 | 410 | 200}`: what its page answers from now on."""
        fields = await _fields(request)
        status = fields.get("status")
        if status not in STATUSES:
            raise _bad(f"status: one of {STATUSES}")
        try:
            self._shop.shelf.remove(str(fields.get("product")), status)
        except UnknownProduct as error:
            raise web.HTTPNotFound(text=f"{error}\n") from error
        return web.Response(status=204)

    async def put_mode(self, request: web.Request) -> web.Response:
        """`{"mode": "ok" | "missing" | "error" | "slow" | "throttled"}` for the whole shop."""
        mode = (await _fields(request)).get("mode")
        if mode not in MODES:
            raise _bad(f"mode: one of {MODES}")
        self._shop.mode = mode
        return web.Response(status=204)

    async def get_requests(self, _: web.Request) -> web.Response:
        """Every request that any shop saw."""
        return _json([asdict(one) for one in self.requests])

    async def get_expected(self, _: web.Request) -> web.Response:
        """Every offer of every shop, publishable or not."""
        return _json([asdict(one) for one in expected_of(self.shops.values())])

    @property
    def _shop(self) -> OpenShop:
        return self.shops[self.merchant]


async def _fields(request: web.Request) -> dict[str, Any]:
    try:
        fields = orjson.loads(await request.read())
    except orjson.JSONDecodeError as error:
        raise _bad(f"body: no JSON ({error})") from error
    if not isinstance(fields, dict):
        raise _bad("body: a JSON object is needed")
    return fields


def _json(value: object) -> web.Response:
    return web.Response(body=orjson.dumps(value), content_type="application/json", charset="utf-8")


def _bad(message: str) -> web.HTTPBadRequest:
    return web.HTTPBadRequest(text=f"{message}\n")
