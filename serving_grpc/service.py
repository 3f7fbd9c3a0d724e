"""The gRPC face: methods in one table, bearer tokens, limits, deadlines. Whatever the table does not name is refused (SPEC I6, I7)."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from serving_grpc import wire
from serving_grpc.answers import REQUEST_BYTES_MAX, Ask, answer, checked
from serving_grpc.callers import Callers
from serving_grpc.catalog_pb2 import BatchGetRequest, GetOfferRequest
from serving_grpc.metrics import Metrics
from serving_grpc.replica import Replica
from topics.access import Access, Unauthenticated, bearer
from topics.errors import Invalid

SERVICE: Final = "adcat.v1.Catalog"
_MARGIN_S: Final = 0.002
Handler = Callable[[Any, grpc.ServicerContext], bytes]


class CatalogService:
    """Answers from the replica that `replica()` returns.

    Args:
        wall_ms: the clock; read once per batch.
    """

    def __init__(
        self, replica: Callable[[], Replica], callers: Callers, metrics: Metrics, wall_ms: Callable[[], int]
    ) -> None:
        self._replica = replica
        self._callers = callers
        self._metrics = metrics
        self._wall_ms = wall_ms

    def batch_get(self, request: BatchGetRequest, context: grpc.ServicerContext) -> bytes:
        """BatchGet: one result per key, in request order."""
        ask = Ask(
            request.keys,
            request.market,
            request.ad_format,
            request.purpose,
            request.full_records,
            request.max_response_bytes,
        )
        return b"".join(self._answered("BatchGet", ask, context))

    def get_offer(self, request: GetOfferRequest, context: grpc.ServicerContext) -> bytes:
        """GetOffer: a batch of one."""
        ask = Ask((request.key,), request.market, request.ad_format, request.purpose, request.full_record, 0)
        [element] = self._answered("GetOffer", ask, context)
        return wire.unframed(element)

    def _answered(self, method: str, ask: Ask, context: grpc.ServicerContext) -> list[bytes]:
        started = time.perf_counter()
        now_ms = self._wall_ms()
        access = self._access(method, context, now_ms)
        try:
            ask = checked(ask)
        except Invalid as error:
            self._refuse(method, context, grpc.StatusCode.INVALID_ARGUMENT, str(error))
        left_s = context.time_remaining()
        if left_s is not None and left_s < _MARGIN_S:
            self._refuse(method, context, grpc.StatusCode.DEADLINE_EXCEEDED, "no time was left when the call started")
        answered = answer(ask, self._replica(), access, now_ms)
        self._metrics.answered(answered.counts, time.perf_counter() - started)
        self._metrics.called(method, "OK")
        return answered.elements

    def _access(self, method: str, context: grpc.ServicerContext, now_ms: int) -> Access:
        header = next((value for name, value in context.invocation_metadata() if name == "authorization"), None)
        try:
            return self._callers.access(bearer(header if isinstance(header, str) else None), now_ms)
        except Unauthenticated as error:
            self._refuse(method, context, grpc.StatusCode.UNAUTHENTICATED, str(error))
            raise

    def _refuse(self, method: str, context: grpc.ServicerContext, code: grpc.StatusCode, sentence: str) -> None:
        self._metrics.called(method, code.name)
        context.abort(code, sentence)  # raises


def method_table(service: CatalogService) -> "grpc.GenericRpcHandler[Any, Any]":
    """Every method this server knows; gRPC answers UNIMPLEMENTED to any other path."""
    methods = {
        "BatchGet": _unary(service.batch_get, BatchGetRequest.FromString),
        "GetOffer": _unary(service.get_offer, GetOfferRequest.FromString),
    }
    return grpc.method_handlers_generic_handler(SERVICE, methods)


def _unary(handler: Handler, decode: Callable[[bytes], Any]) -> Any:
    return grpc.unary_unary_rpc_method_handler(handler, request_deserializer=decode, response_serializer=bytes)


class GrpcServer:
    """A listening server and its health.

    Args:
        address: `host:port`, port 0 for a free one.
        workers: threads that answer.
        calls_max: calls in flight; gRPC answers further ones RESOURCE_EXHAUSTED.
    """

    def __init__(self, service: CatalogService, address: str, *, workers: int, calls_max: int) -> None:
        self._health = health.HealthServicer()
        self._server = grpc.server(
            ThreadPoolExecutor(workers, thread_name_prefix="answer"),
            handlers=[method_table(service)],
            maximum_concurrent_rpcs=calls_max,
            options=[
                ("grpc.max_receive_message_length", REQUEST_BYTES_MAX),
                ("grpc.so_reuseport", 0),
            ],
        )
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        self.port: int = self._server.add_insecure_port(address)
        self.say(ready=False)

    def start(self) -> None:
        self._server.start()

    def say(self, *, ready: bool) -> None:
        """Publishes readiness under grpc.health.v1, for the service and the whole server."""
        serving = health_pb2.HealthCheckResponse.SERVING if ready else health_pb2.HealthCheckResponse.NOT_SERVING
        for name in ("", SERVICE):
            self._health.set(name, serving)

    def stop(self, grace_s: float = 2.0) -> None:
        """Refuses new calls, waits for those in flight."""
        self._health.enter_graceful_shutdown()
        self._server.stop(grace_s).wait(grace_s + 1.0)
