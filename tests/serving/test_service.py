"""A real gRPC server on a loopback port: who may call, what is refused and how, and the gateway in front of it."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest
from aiohttp.test_utils import TestClient, TestServer
from grpc_health.v1 import health_pb2, health_pb2_grpc
from prometheus_client import generate_latest

from serving_grpc.callers import Callers
from serving_grpc.catalog_pb2 import IMAGE, PURCHASE_AD, TEXT, BatchGetRequest, GetOfferRequest, Result
from serving_grpc.catalog_pb2_grpc import CatalogStub
from serving_grpc.gateway import Gateway
from serving_grpc.metrics import Metrics
from serving_grpc.service import SERVICE, CatalogService, GrpcServer
from serving_grpc.settings import GatewaySettings
from tests.serving.world import HOUR, MARKET, NOW, World, entry, policy
from topics.access import Unauthenticated, issue

SECRET = b"0123456789abcdef0123456789abcdef"
KEY = "shoes|pid:1|m"
ASK = {"market": MARKET, "ad_format": TEXT, "purpose": PURCHASE_AD}


def token(**changes) -> str:
    fields = {
        "secret": SECRET,
        "audience": "serving",
        "subject": "ranker",
        "roles": ["service"],
        "now_ms": NOW,
        "lifetime_ms": HOUR,
        "merchants": ["*"],
        "markets": ["*"],
    }
    return issue(**fields | changes)


def header(value: str | None = None) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token()}" if value is None else value),)


class Running:
    """The server over a small world, with a clock that tests set."""

    def __init__(self) -> None:
        self.world = World()
        self.world.apply(entry(), entry(number=2, availability="OutOfStock"), policy(), policy("hats"))
        self.world.prove()
        self.now_ms = NOW
        self.held: threading.Event | None = None
        self.metrics = Metrics(lambda: self.world.replica, lambda: self.now_ms)
        self.service = CatalogService(self.replica, Callers(SECRET), self.metrics, lambda: self.now_ms)
        self.server = GrpcServer(self.service, "127.0.0.1:0", workers=2, calls_max=2)
        self.server.start()
        self.channel = grpc.insecure_channel(f"127.0.0.1:{self.server.port}")
        self.stub = CatalogStub(self.channel)

    def replica(self):
        if self.held is not None:
            assert self.held.wait(10)
        return self.world.replica

    def stop(self) -> None:
        self.channel.close()
        self.server.stop(0)


@pytest.fixture
def running() -> Iterator[Running]:
    found = Running()
    yield found
    found.stop()


def refused(call, *args, **kwargs) -> tuple[str, str]:
    with pytest.raises(grpc.RpcError) as caught:
        call(*args, **kwargs)
    return caught.value.code().name, caught.value.details()


def test_a_batch_comes_back_in_request_order_with_a_status_each(running: Running) -> None:
    keys = ["hats|pid:9|m", KEY, "???", "shoes|pid:2|m", "nobody|pid:1|m", KEY]
    answer = running.stub.BatchGet(BatchGetRequest(keys=keys, **ASK), metadata=header())
    names = [Result.Status.Name(one.status) for one in answer.results]
    assert names == ["MISSING", "OK", "INVALID", "OK", "UNAVAILABLE", "OK"]
    assert answer.results[1] == answer.results[5]
    assert [one.ad_eligible for one in answer.results] == [False, True, False, False, False, True]


def test_keys_are_full_offer_keys_or_product_ids_in_one_market_in_any_encoding(running: Running) -> None:
    for keys, market in (([KEY], MARKET), ([f"{KEY}|{MARKET}"], ""), (["shoes|pid%3A1|%6D"], MARKET)):
        asked = BatchGetRequest(keys=keys, market=market, ad_format=TEXT, purpose=PURCHASE_AD)
        [result] = running.stub.BatchGet(asked, metadata=header()).results
        assert result.card.price_minor == 1_999
    [missing] = running.stub.BatchGet(BatchGetRequest(keys=["shoes|pid%3A7|%6D"], **ASK), metadata=header()).results
    assert missing.key == f"shoes|pid:7|m|{MARKET}", "the key is echoed normalized"


def test_get_offer_is_a_batch_of_one(running: Running) -> None:
    full = running.stub.GetOffer(GetOfferRequest(key=KEY, full_record=True, **ASK), metadata=header())
    assert (full.card.name, full.record.key, full.serve_until_ms) == ("Trail shoe 1", f"{KEY}|{MARKET}", NOW + 28_000)
    image = GetOfferRequest(key=KEY, market=MARKET, ad_format=IMAGE, purpose=PURCHASE_AD)
    assert running.stub.GetOffer(image, metadata=header()).ineligible_reason == "image_not_ready"


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        ((), "missing"),
        ((("authorization", "Basic abc"),), "missing"),
        ((("authorization", "Bearer "),), "missing"),
        (header("Bearer abc"), "invalid"),
        (header(f"Bearer {token(audience='control')}"), "wrong_audience"),
        (header(f"Bearer {token(secret=b'x' * 32)}"), "invalid"),
        (header(f"Bearer {token(now_ms=NOW - 2 * HOUR)}"), "expired"),
    ],
)
def test_an_unproved_caller_is_refused_by_every_method(running: Running, metadata, reason: str) -> None:
    calls = (
        (running.stub.BatchGet, BatchGetRequest(keys=[KEY], **ASK)),
        (running.stub.GetOffer, GetOfferRequest(key=KEY, **ASK)),
    )
    for call, asked in calls:
        assert refused(call, asked, metadata=metadata) == ("UNAUTHENTICATED", f"bearer token {reason}")


@pytest.mark.parametrize(
    ("grants", "expected"),
    [
        ({"merchants": ["shoes"], "markets": [MARKET]}, "OK"),
        ({"merchants": ["shoes"]}, "OK"),
        ({"merchants": ["hats"]}, "MISSING"),
        ({"merchants": []}, "MISSING"),
        ({"markets": ["DE:EUR"]}, "MISSING"),
        ({"markets": []}, "MISSING"),
        ({"roles": []}, "OK"),
    ],
)
def test_a_token_sees_what_it_grants_and_nothing_else(running: Running, grants: dict, expected: str) -> None:
    metadata = header(f"Bearer {token(**grants)}")
    for _ in range(2):  # verified, then remembered
        result = running.stub.GetOffer(GetOfferRequest(key=KEY, **ASK), metadata=metadata)
        assert Result.Status.Name(result.status) == expected


def test_a_remembered_token_still_expires_and_memory_is_bounded() -> None:
    callers = Callers(SECRET, callers_max=2)
    first = token()
    assert callers.access(first, NOW) is callers.access(first, NOW + HOUR - 1)
    with pytest.raises(Unauthenticated):
        callers.access(first, NOW + HOUR)
    for number in range(5):
        callers.access(token(subject=f"s{number}"), NOW)
        assert len(callers._known) <= 2


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"keys": []}, "keys"),
        ({"keys": [KEY] * 501}, "keys"),
        ({"ad_format": 0}, "ad_format"),
        ({"ad_format": 9}, "ad_format"),
        ({"purpose": 0}, "purpose"),
        ({"max_response_bytes": (3 << 20) + 1}, "max_response_bytes"),
    ],
)
def test_a_request_outside_its_limits_names_the_field(running: Running, changes: dict, field: str) -> None:
    code, sentence = refused(
        running.stub.BatchGet, BatchGetRequest(**{"keys": [KEY]} | ASK | changes), metadata=header()
    )
    assert code == "INVALID_ARGUMENT"
    assert sentence.startswith(f"{field} is ")


def test_what_does_not_fit_into_the_byte_budget_is_deferred(running: Running) -> None:
    one = running.stub.BatchGet(BatchGetRequest(keys=[KEY], **ASK), metadata=header()).ByteSize()
    asked = BatchGetRequest(keys=[KEY] * 5, max_response_bytes=2 * one, **ASK)
    names = [Result.Status.Name(r.status) for r in running.stub.BatchGet(asked, metadata=header()).results]
    assert names == ["OK", "OK", "DEFERRED", "DEFERRED", "DEFERRED"]
    asked.full_records = True
    asked.max_response_bytes = 4 * one
    names = [Result.Status.Name(r.status) for r in running.stub.BatchGet(asked, metadata=header()).results]
    assert names[0] == "OK"
    assert names[-1] == "DEFERRED"


def test_a_request_beyond_64_kib_is_refused_before_it_is_read(running: Running) -> None:
    asked = BatchGetRequest(keys=["x" * 700] * 100, **ASK)
    assert refused(running.stub.BatchGet, asked, metadata=header())[0] == "RESOURCE_EXHAUSTED"


def test_beyond_its_concurrency_the_server_sheds_instead_of_queueing(running: Running) -> None:
    running.held = threading.Event()

    def call(_number: int) -> str:
        try:
            running.stub.GetOffer(GetOfferRequest(key=KEY, **ASK), metadata=header(), timeout=10)
        except grpc.RpcError as error:
            return error.code().name
        return "OK"

    with ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(call, number) for number in range(8)]
        while sum(one.done() for one in calls) < 6:
            pass
        running.held.set()
        codes = sorted(one.result() for one in calls)
    assert codes == ["OK"] * 2 + ["RESOURCE_EXHAUSTED"] * 6


def test_a_call_without_time_left_is_not_worked_on(running: Running) -> None:
    assert refused(running.stub.GetOffer, GetOfferRequest(key=KEY, **ASK), metadata=header(), timeout=0.001)[0] == (
        "DEADLINE_EXCEEDED"
    )


def test_a_method_outside_the_table_does_not_exist(running: Running) -> None:
    for path in (f"/{SERVICE}/Purge", f"/{SERVICE}/batchget", "/adcat.v1.Other/BatchGet"):
        call = running.channel.unary_unary(path)
        assert refused(call, b"", metadata=header())[0] == "UNIMPLEMENTED"


def test_health_follows_readiness_per_service(running: Running) -> None:
    check = health_pb2_grpc.HealthStub(running.channel).Check
    for ready in (False, True, False):
        running.server.say(ready=ready)
        for name in ("", SERVICE):
            status = check(health_pb2.HealthCheckRequest(service=name)).status
            assert (status == health_pb2.HealthCheckResponse.SERVING) == ready


def test_metrics_count_items_by_status_and_show_lag(running: Running) -> None:
    running.stub.BatchGet(BatchGetRequest(keys=[KEY, "hats|pid:1|m"], **ASK), metadata=header())
    text = generate_latest(running.metrics.registry).decode()
    assert 'adcat_serving_items_total{status="OK"} 1.0' in text
    assert 'adcat_serving_items_total{status="MISSING"} 1.0' in text
    assert 'adcat_replica_lag_events{partition="0",topic="offer-catalog"} 0.0' in text
    assert 'adcat_replica_lag_seconds{partition="0",topic="offer-catalog"} 0.0' in text
    assert "adcat_replica_ready 1.0" in text


@pytest.fixture
async def http(running: Running):
    gateway = Gateway(GatewaySettings(target=f"127.0.0.1:{running.server.port}"))
    async with TestClient(TestServer(gateway.app())) as client:
        yield client


AUTHORIZED = {"Authorization": header()[0][1]}
PATH = "/v1/products/shoes%7Cpid%3A1%7Cm"


async def test_the_gateway_answers_one_product_as_json(http: TestClient) -> None:
    async with http.get(f"{PATH}?market=US&currency=USD&full=true", headers=AUTHORIZED) as answer:
        body = await answer.json()
    assert (answer.status, body["status"], body["price_minor"], body["currency"]) == (200, "OK", 1_999, "USD")
    assert (body["ad_eligible"], body["serve_until_ms"], body["list_price_minor"]) == (True, NOW + 28_000, None)
    assert body["attributes"] == {"size": "M"}
    assert body["record"]["key"] == f"{KEY}|{MARKET}"


@pytest.mark.parametrize(
    ("path", "status", "code", "field"),
    [
        (f"{PATH}?currency=USD", 400, "invalid", "market"),
        (f"{PATH}?market=US", 400, "invalid", "currency"),
        (f"{PATH}?market=us&currency=USD", 400, "invalid", None),
        (f"{PATH}?market=US&currency=USD&ad_format=poster", 400, "invalid", "ad_format"),
        (f"{PATH}?market=US&currency=USD&purpose=fun", 400, "invalid", "purpose"),
        ("/v1/products/nonsense?market=US&currency=USD", 400, "invalid", None),
        ("/v1/products/shoes%7Cpid%3A404%7Cm?market=US&currency=USD", 404, "missing", None),
        ("/v1/products/nobody%7Cpid%3A1%7Cm?market=US&currency=USD", 503, "unavailable", None),
        ("/v1/nothing", 404, "not_found", None),
    ],
)
async def test_the_gateway_types_every_error(http: TestClient, path: str, status: int, code: str, field: str) -> None:
    async with http.get(path, headers=AUTHORIZED) as answer:
        error = (await answer.json())["error"]
    assert (answer.status, error["code"], error["field"]) == (status, code, field)
    assert error["message"]
    assert ("Retry-After" in answer.headers) == (status == 503)


async def test_the_gateway_maps_stale_and_disabled_to_conflict(running: Running, http: TestClient) -> None:
    running.world.apply(entry(number=3, eligible_until_ms=NOW))
    path = "/v1/products/shoes%7Cpid%3A3%7Cm?market=US&currency=USD"
    for code in ("stale", "disabled"):
        async with http.get(path, headers=AUTHORIZED) as answer:
            assert (answer.status, (await answer.json())["error"]["code"]) == (409, code)
        running.world.apply(policy(policy_rev=2, status="disabled"))


async def test_the_gateway_passes_the_token_on(http: TestClient) -> None:
    async with http.get(f"{PATH}?market=US&currency=USD") as answer:
        assert (answer.status, (await answer.json())["error"]["code"]) == (401, "unauthenticated")


async def test_the_gateway_answers_batches(http: TestClient) -> None:
    body = {"keys": [KEY, "shoes|pid:404|m", "?"], "market": "US", "currency": "USD"}
    async with http.post("/v1/products:batchGet", json=body, headers=AUTHORIZED) as answer:
        results = (await answer.json())["results"]
    assert [one["status"] for one in results] == ["OK", "MISSING", "INVALID"]
    assert results[1] == {"status": "MISSING", "key": f"shoes|pid:404|m|{MARKET}"}


@pytest.mark.parametrize(
    "body", ["", "[]", '{"keys": 1}', '{"keys": [], "surprise": 1}', '{"keys": ["a"], "max_response_bytes": -1}']
)
async def test_the_gateway_refuses_a_malformed_batch(http: TestClient, body: str) -> None:
    async with http.post("/v1/products:batchGet", data=body, headers=AUTHORIZED) as answer:
        assert (answer.status, (await answer.json())["error"]["code"]) == (400, "invalid")


async def test_the_gateway_bounds_the_body(http: TestClient) -> None:
    async with http.post("/v1/products:batchGet", data=b"x" * 70_000, headers=AUTHORIZED) as answer:
        assert answer.status == 413
        assert (await answer.json())["error"]["code"] == "request_entity_too_large"


async def test_the_gateway_health_is_the_replicas(running: Running, http: TestClient) -> None:
    for ready in (False, True):
        running.server.say(ready=ready)
        async with http.get("/healthz") as answer:
            assert (answer.status, await answer.json()) == (200 if ready else 503, {"ready": ready})


async def test_a_gateway_without_a_server_says_unavailable() -> None:
    gateway = Gateway(GatewaySettings(target="127.0.0.1:1", deadline_ms=500))
    async with TestClient(TestServer(gateway.app())) as client:
        async with client.get(f"{PATH}?market=US&currency=USD", headers=AUTHORIZED) as answer:
            assert (answer.status, (await answer.json())["error"]["code"]) == (503, "unavailable")
        async with client.get("/healthz") as answer:
            assert answer.status == 503
