"""The HTTP/JSON gateway: a process of its own in front of gRPC, so that JSON never shares the hot loop.

| item status | GET answer |     | gRPC code | answer |
|---|---|---|---|---|
| OK | 200 | | UNAUTHENTICATED | 401 |
| INVALID | 400 | | INVALID_ARGUMENT | 400 |
| MISSING | 404 | | RESOURCE_EXHAUSTED | 429, Retry-After |
| STALE, DISABLED | 409 | | DEADLINE_EXCEEDED | 504 |
| UNAVAILABLE | 503, Retry-After | | UNAVAILABLE | 503, Retry-After |

`POST /v1/products:batchGet` answers 200 with a status per item. Every error is
`{"error": {"code": "...", "message": "...", "field": "..." | null}}`; the bearer token is passed on as it is.
"""

import asyncio
import logging
import signal
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import grpc
import grpc.aio
from aiohttp import web
from google.protobuf.message import Message
from grpc_health.v1 import health_pb2, health_pb2_grpc

from serving_grpc import gateway_json
from serving_grpc.answers import REQUEST_BYTES_MAX
from serving_grpc.catalog_pb2 import BatchGetResponse, GetOfferRequest, Result
from serving_grpc.service import SERVICE
from serving_grpc.settings import GatewaySettings
from topics.errors import Invalid

LOG = logging.getLogger(__name__)
_A = TypeVar("_A", bound=Message)
RETRY_AFTER_S: Final = "1"
_HTTP_BY_CODE: Final = {
    grpc.StatusCode.UNAUTHENTICATED: 401,
    grpc.StatusCode.INVALID_ARGUMENT: 400,
    grpc.StatusCode.RESOURCE_EXHAUSTED: 429,
    grpc.StatusCode.DEADLINE_EXCEEDED: 504,
    grpc.StatusCode.UNAVAILABLE: 503,
}
_HTTP_BY_STATUS: Final = {
    Result.OK: 200,
    Result.INVALID: 400,
    Result.MISSING: 404,
    Result.STALE: 409,
    Result.DISABLED: 409,
    Result.UNAVAILABLE: 503,
    Result.DEFERRED: 503,
}
_SENTENCES: Final = {
    Result.INVALID: "the product id or market is malformed",
    Result.MISSING: "no such offer, or this token has no access to it",
    Result.STALE: "the evidence of this offer is too old to show it",
    Result.DISABLED: "the source of this offer is disabled",
    Result.UNAVAILABLE: "the replica cannot tell now; try again or ask another",
    Result.DEFERRED: "the answer is beyond the byte budget",
}


class Gateway:
    """Two routes and a health check over one gRPC channel."""

    def __init__(self, settings: GatewaySettings) -> None:
        self._settings = settings
        self._channel: grpc.aio.Channel | None = None

    def app(self) -> web.Application:
        """Returns the application; the channel opens with it."""
        app = web.Application(middlewares=[typed_errors], client_max_size=REQUEST_BYTES_MAX)
        app.router.add_get("/v1/products/{id}", self.product)
        app.router.add_post("/v1/products:batchGet", self.batch)
        app.router.add_get("/healthz", self.healthz)
        app.on_startup.append(self._open)
        app.on_cleanup.append(self._close)
        return app

    async def product(self, request: web.Request) -> web.Response:
        """One offer by product id, market and currency."""
        query = request.query
        asked = GetOfferRequest(
            key=request.match_info["id"],
            market=gateway_json.market(query.get("market"), query.get("currency")),
            ad_format=gateway_json.ad_format(query.get("ad_format", "text")),  # type: ignore[arg-type]
            purpose=gateway_json.purpose(query.get("purpose", "purchase_ad")),  # type: ignore[arg-type]
            full_record=query.get("full") == "true",
        )
        result = await self._call("GetOffer", asked, Result.FromString, request)
        if result.status == Result.OK:
            return web.json_response(gateway_json.item(result))
        word = Result.Status.Name(result.status).lower()
        return refusal(_HTTP_BY_STATUS[result.status], word, _SENTENCES[result.status])

    async def batch(self, request: web.Request) -> web.Response:
        """Up to 500 offers; one result per key, in request order."""
        asked = gateway_json.batch(await request.read())
        answer = await self._call("BatchGet", asked, BatchGetResponse.FromString, request)
        return web.json_response({"results": [gateway_json.item(one) for one in answer.results]})

    async def healthz(self, _request: web.Request) -> web.Response:
        """200 when the replica behind is ready, else 503."""
        check = health_pb2_grpc.HealthStub(self._opened()).Check
        try:
            answer = await check(health_pb2.HealthCheckRequest(service=SERVICE), timeout=1.0)
        except grpc.aio.AioRpcError as error:
            return refusal(503, "unavailable", f"{self._settings.target}: {error.details()}")
        ready = answer.status == health_pb2.HealthCheckResponse.SERVING
        return web.json_response({"ready": ready}, status=200 if ready else 503)

    async def _call(self, method: str, asked: Message, decode: Callable[[bytes], _A], request: web.Request) -> _A:
        header = request.headers.get("Authorization")
        metadata = (("authorization", header),) if header else ()
        call = self._opened().unary_unary(
            f"/{SERVICE}/{method}", request_serializer=_serialized, response_deserializer=decode
        )
        answer: _A = await call(asked, timeout=self._settings.deadline_ms / 1_000, metadata=metadata)
        return answer

    def _opened(self) -> grpc.aio.Channel:
        assert self._channel is not None, "the application opens the channel"
        return self._channel

    async def _open(self, _app: web.Application) -> None:
        self._channel = grpc.aio.insecure_channel(self._settings.target)

    async def _close(self, _app: web.Application) -> None:
        await self._opened().close(None)


@web.middleware
async def typed_errors(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Turns every error into the one JSON form."""
    try:
        return await handler(request)
    except Invalid as error:
        return refusal(400, "invalid", str(error), error.field)
    except grpc.aio.AioRpcError as error:
        return refusal(_HTTP_BY_CODE.get(error.code(), 502), error.code().name.lower(), error.details() or "")
    except web.HTTPException as error:
        return refusal(error.status, error.reason.lower().replace(" ", "_"), error.text or error.reason)


def _serialized(message: Message) -> bytes:
    return message.SerializeToString()


def refusal(status: int, code: str, message: str, field: str | None = None) -> web.Response:
    """Returns a typed error."""
    headers = {"Retry-After": RETRY_AFTER_S} if status in (429, 503) else {}
    body = {"error": {"code": code, "message": message, "field": field}}
    return web.json_response(body, status=status, headers=headers)


def run_gateway(settings: GatewaySettings, on_ready: Callable[[bool], None] | None = None) -> None:
    """Serves until SIGTERM or SIGINT.

    Args:
        on_ready: called once the port listens; the replica behind has its own readiness, see `/healthz`.
    """
    asyncio.run(_serve(settings, on_ready))


async def _serve(settings: GatewaySettings, on_ready: Callable[[bool], None] | None) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    runner = web.AppRunner(Gateway(settings).app(), access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, settings.host, settings.port)
    await site.start()
    LOG.info("gateway on %s, in front of %s", site.name, settings.target)
    if on_ready is not None:
        on_ready(True)
    try:
        await stop.wait()
    finally:
        await runner.cleanup()
