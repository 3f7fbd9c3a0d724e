"""The operators' HTTP API (SPEC B7). Bearer tokens, default deny; errors are `{"error": {code, field, value, remedy}}`.

The order of every request: token, role, merchant, body; nothing is stored before all four are right. A merchant that the caller may
not see gives the same answer as one that does not exist.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Final

import msgspec
from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from control import sources
from control.errors import Conflict, Forbidden, Malformed, Unknown
from control.openapi import document
from control.request import merged, read_request
from control.settings import ControlSettings
from control.store import Rule, Store, View
from topics.access import ALL, Access, Unauthenticated, bearer, verify
from topics.errors import Invalid, Retry

LOG = logging.getLogger(__name__)
BODY_BYTES_MAX: Final = 64 << 10
PAGE_DEFAULT: Final = 50
PAGE_MAX: Final = 500
OPEN_PATHS: Final = ("/healthz", "/v1/openapi.json")
ACCESS: Final = web.RequestKey("access", Access)


class Health:
    """What keeps the process from being ready; `say` it from the part that knows."""

    def __init__(self) -> None:
        self.problem = "connecting to the log"

    def say(self, problem: str) -> None:
        """Records the present problem; an empty text means there is none."""
        self.problem = problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Api:
    """The handlers and what they need.

    Attributes:
        secret: verifies bearer tokens.
        token: draws a fresh proof token.
        clock: wall clock in ms, for token expiry only.
    """

    store: Store
    settings: ControlSettings
    secret: bytes
    token: Callable[[], str]
    clock: Callable[[], int]
    health: Health

    async def register(self, request: web.Request) -> web.Response:
        """`POST /v1/merchants/{id}/sources`: 201 when new, 200 when repeated, 409 when it differs."""
        access, merchant = _operator(request), request.match_info["id"]
        if not access.may(merchant):
            raise Forbidden("the token does not name this merchant")
        wanted = read_request(await _json(request), allow_loopback=self.settings.allow_loopback)
        view, created = await asyncio.to_thread(self.store.register, merchant, wanted, self.token())
        return self._answer(view, status=201 if created else 200)

    async def reconfigure(self, request: web.Request) -> web.Response:
        """`PATCH /v1/merchants/{id}/sources`: a merge patch of the registration."""
        merchant = _own(request, _operator(request))
        patch, loopback = await _json(request), self.settings.allow_loopback
        view = await asyncio.to_thread(
            self.store.reconfigure,
            merchant,
            lambda current: read_request(merged(current, patch), allow_loopback=loopback),
            self.token(),
        )
        return self._answer(view)

    def command(self, rule: Rule) -> Handler:
        """Returns the handler of `POST /v1/merchants/{id}/<command>`."""

        async def handle(request: web.Request) -> web.Response:
            merchant = _own(request, _operator(request))
            return self._answer(await asyncio.to_thread(self.store.change, merchant, rule))

        return handle

    async def one(self, request: web.Request) -> web.Response:
        """`GET /v1/merchants/{id}`: status, epochs, last proof outcome, capacity, the request itself."""
        merchant = _own(request, _reader(request))
        return self._answer(await asyncio.to_thread(self.store.get, merchant))

    async def page(self, request: web.Request) -> web.Response:
        """`GET /v1/merchants?cursor=&limit=`: the caller's merchants in order of id."""
        access = _reader(request)
        after, limit = request.query.get("cursor", ""), _limit(request)
        granted = None if ALL in access.merchants else access.merchants
        views = await asyncio.to_thread(self.store.page, after, limit + 1, granted)
        last = views[limit - 1].source.merchant if len(views) > limit else None
        return web.json_response({"merchants": [self._shown(one) for one in views[:limit]], "next_cursor": last})

    async def healthz(self, _request: web.Request) -> web.Response:
        """`GET /healthz`: 200 when ready, 503 with the reasons otherwise."""
        checks = {"log": self.health.problem or "ok", "database": "ok"}
        try:
            await asyncio.to_thread(self.store.ping)
        except Retry as error:
            checks["database"] = str(error)
        ready = all(answer == "ok" for answer in checks.values())
        return web.json_response({"ready": ready, **checks}, status=200 if ready else 503)

    async def openapi(self, _request: web.Request) -> web.Response:
        """`GET /v1/openapi.json`."""
        return web.json_response(document())

    def _answer(self, view: View, status: int = 200) -> web.Response:
        return web.json_response(self._shown(view), status=status)

    def _shown(self, view: View) -> dict[str, Any]:
        source = view.source
        proof = {"ok": None, "reason": "not read yet", "at_ms": None} if source.proof is None else asdict(source.proof)
        shown: dict[str, Any] = {
            "merchant": source.merchant,
            "status": source.status,
            "source_epoch": source.source_epoch,
            "disable_epoch": source.disable_epoch,
            "policy_rev": source.policy_rev,
            "published": view.published,
            "changed_at_ms": view.changed_at_ms,
            "proof": {"url": source.request.proof_url, "token": source.proof_token, "proven": source.proven, **proof},
            "request": msgspec.to_builtins(source.request),
        }
        if view.capacity is not None:
            shown["capacity"] = asdict(view.capacity)
        if source.status == "disabled":
            # No proof issued before the change outlives this, whatever fails on the way (SPEC I8).
            bound = self.settings.proof_lifetime_ms + self.settings.clock_allowance_ms
            shown["effective_by_ms"] = view.changed_at_ms + bound
        return shown


def application(api: Api) -> web.Application:
    """Returns the aiohttp application."""
    app = web.Application(middlewares=[_errors, _authentication(api)], client_max_size=BODY_BYTES_MAX)
    merchant = "/v1/merchants/{id}"
    app.router.add_get("/healthz", api.healthz)
    app.router.add_get("/v1/openapi.json", api.openapi)
    app.router.add_get("/v1/merchants", api.page)
    app.router.add_get(merchant, api.one)
    app.router.add_post(f"{merchant}/sources", api.register)
    app.router.add_patch(f"{merchant}/sources", api.reconfigure)
    for name, rule in COMMANDS.items():
        app.router.add_post(f"{merchant}/{name}", api.command(rule))
    return app


COMMANDS: Final[dict[str, Rule]] = {
    "disable": sources.disable,
    "enable": sources.enable,
    "verify": sources.verify,
    "refresh": sources.refresh,
}


def _authentication(api: Api) -> Middleware:
    @web.middleware
    async def authenticate(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.path not in OPEN_PATHS:
            token = bearer(request.headers.get("Authorization"))
            request[ACCESS] = verify(token, api.secret, api.settings.audience, api.clock())
        return await handler(request)

    return authenticate


@web.middleware
async def _errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        return await handler(request)
    except Unauthenticated as error:
        refused = _refusal(401, "unauthenticated", "authorization", error.reason, "send a valid bearer token")
        refused.headers["WWW-Authenticate"] = "Bearer"
        return refused
    except Forbidden as error:
        return _refusal(403, "forbidden", "authorization", request.path, str(error))
    except Invalid as error:
        status, code = next(answer for kind, answer in _STATUS.items() if isinstance(error, kind))
        return _refusal(status, code, error.field, error.value, error.remedy)
    except Retry as error:
        LOG.warning("%s %s: %s", request.method, request.path, error)
        return _refusal(503, "unavailable", "", "", "try again shortly; nothing was stored")
    except web.HTTPException as error:
        remedy = "see GET /v1/openapi.json for what is served"
        return _refusal(error.status, error.reason.lower().replace(" ", "_"), "request", request.path, remedy)


_STATUS: Final[dict[type[Invalid], tuple[int, str]]] = {
    Malformed: (400, "malformed"),
    Conflict: (409, "conflict"),
    Unknown: (404, "unknown"),
    Invalid: (422, "invalid"),
}
"""Most specific first."""


def _refusal(status: int, code: str, field: str, value: str, remedy: str) -> web.Response:
    error = {"code": code, "field": field, "value": value, "remedy": remedy}
    return web.json_response({"error": error}, status=status)


def _operator(request: web.Request) -> Access:
    access = request[ACCESS]
    if not access.has("operator"):
        raise Forbidden("only the role operator may change sources")
    return access


def _reader(request: web.Request) -> Access:
    access = request[ACCESS]
    if not access.has("operator", "analyst"):
        raise Forbidden("only the roles operator and analyst may read sources")
    return access


def _own(request: web.Request, access: Access) -> str:
    merchant = request.match_info["id"]
    if not access.may(merchant):
        raise Unknown("merchant", merchant, "register the merchant's source first")
    return merchant


def _limit(request: web.Request) -> int:
    text = request.query.get("limit", str(PAGE_DEFAULT))
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text[:9]) <= PAGE_MAX:
        raise Invalid("limit", text, f"use 1 to {PAGE_MAX}")
    return int(text)


async def _json(request: web.Request) -> object:
    try:
        return msgspec.json.decode(await request.read())
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Malformed("body", "not JSON", str(error)) from None
