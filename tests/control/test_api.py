"""The HTTP API on a real loopback server: registration, life of a source, and who may do what (SPEC B7, I7)."""

import aiohttp
import pytest
from aiohttp.test_utils import TestServer

from control.api import Api, Health, application
from control.settings import ControlSettings
from control.store import Store
from topics.access import issue
from topics.events.crawl import ProofObserved
from topics.events.policy import DAY_MS

SECRET = b"s" * 32
MINUTE_MS = 60_000


class Caller:
    """Calls the API as somebody."""

    def __init__(self, session, base, clock, health, store):
        self.session, self.base, self.clock, self.health, self.store = session, base, clock, health, store
        self.token = self.issue()

    def issue(self, **changes):
        given = {
            "secret": SECRET,
            "audience": "adcat",
            "subject": "ann",
            "roles": ["operator"],
            "now_ms": self.clock(),
            "lifetime_ms": MINUTE_MS,
            "merchants": ["*"],
            "markets": ["*"],
        }
        return issue(**(given | changes))

    async def __call__(self, method, path, body=None, *, token=None, raw=None):
        token = self.token if token is None else token
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        async with self.session.request(method, self.base + path, json=body, data=raw, headers=headers) as answer:
            return answer.status, await answer.json()


@pytest.fixture
async def call(database, clock, tmp_path):
    counter = iter(range(1_000))
    store, health = Store(database), Health()
    api = Api(
        store=store,
        settings=ControlSettings(database_url="", bootstrap="", home=tmp_path),
        secret=SECRET,
        token=lambda: f"token-{next(counter)}",
        clock=clock,
        health=health,
    )
    async with TestServer(application(api)) as server, aiohttp.ClientSession() as session:
        yield Caller(session, str(server.make_url("")).rstrip("/"), clock, health, store)


def _proof(merchant, token, epoch=1, **changes):
    given = {
        "event_id": "0" * 32,
        "occurred_at_ms": 0,
        "merchant": merchant,
        "source_epoch": epoch,
        "outcome": "page",
        "status": 200,
        "extract": f"{token}\n",
        "evidence_at_ms": 5,
    }
    return ProofObserved(**(given | changes))


async def test_registration_answers_with_the_proof_to_place_and_the_capacity(call, shop):
    status, body = await call("POST", "/v1/merchants/shop/sources", shop | {"refresh_ms": DAY_MS})
    assert status == 201
    assert (body["merchant"], body["status"], body["source_epoch"]) == ("shop", "pending", 1)
    assert body["proof"]["url"] == "https://shop.example/.well-known/adcat-verification.txt"
    assert body["proof"]["token"] == "token-0"
    assert body["capacity"]["permitted_per_day"] == 86_400
    assert body["capacity"]["shortfall_per_day"] == 115_000 - 86_400
    assert len(body["capacity"]["ways_out"]) == 3


async def test_an_identical_registration_is_repeated_and_a_different_one_conflicts(call, shop):
    await call("POST", "/v1/merchants/shop/sources", shop)
    status, body = await call(
        "POST", "/v1/merchants/shop/sources", shop | {"allowed_origins": ["https://shop.example"]}
    )
    assert (status, body["proof"]["token"], body["policy_rev"]) == (200, "token-0", 1)
    status, body = await call("POST", "/v1/merchants/shop/sources", shop | {"interval_ms": 500})
    assert (status, body["error"]["code"]) == (409, "conflict")
    assert "PATCH" in body["error"]["remedy"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"allowed_origins": ["https://other.example"]}, "start_url"),
        ({"start_url": "https://10.0.0.1/"}, "start_url"),
        ({"start_url": "http://[::1]/"}, "start_url"),
        ({"start_url": "http://localhost:8000/"}, "start_url"),
        ({"start_url": "http://intranet/"}, "start_url"),
        ({"start_url": "https://shop.example:8443/"}, "start_url"),
        ({"start_url": "ftp://shop.example/"}, "start_url"),
        ({"markets": ["US:ZZZ"]}, "markets[0].currency"),
        ({"markets": [{"country": "ZZ", "currency": "USD"}]}, "markets[0].country"),
        ({"markets": ["US"]}, "markets"),
        ({"markets": []}, "markets"),
        ({"markets": ["US:USD", "US:USD"]}, "markets"),
        ({"crawl_permission": False}, "crawl_permission"),
        ({"legal_review": "   "}, "legal_review"),
        ({"media_origins": ["https://cdn.example"]}, "media_origins"),
        ({"media_permission": True, "media_origins": ["https://cdn.example/path"]}, "media_origins[0]"),
        ({"interval_ms": 0}, "interval_ms"),
        ({"interval_ms": "fast"}, "interval_ms"),
        ({"refresh_ms": DAY_MS + 1}, "refresh_ms"),
        ({"field_age_ms_max": 3_600_000, "refresh_ms": 3_600_001}, "refresh_ms"),
        ({"urls_expected": 200_000}, "urls_expected"),
        ({"headers": [{"name": "Cookie", "value": "a=b"}]}, "headers[0].name"),
        ({"headers": [{"name": "X-A", "value": "a\r\nb"}]}, "headers[0].value"),
        ({"required_fields": ["name", "price_minor", "currency", "colour"]}, "required_fields"),
        ({"required_fields": ["name"]}, "required_fields"),
        ({"tracking_params": ["variant"]}, "tracking_params"),
        ({"variant_params": ["a b"]}, "variant_params"),
        ({"budget_key": "Über"}, "budget_key"),
        ({"colour": "red"}, "colour"),
        ({"selectors": {"price": "h1["}}, "selectors.price"),
        ({"selectors": {"price": ""}}, "selectors.price"),
        ({"selectors": {"price": "//span"}}, "selectors.price"),
        ({"selectors": {"price": ".price::text"}}, "selectors.price"),
        ({"selectors": {"name": "h1 " * 101}}, "selectors.name"),
        ({"selectors": {"name": "h1", "colour": ".c"}}, "selectors.colour"),
        ({"selectors": {"name": None}}, "selectors.name"),
        ({"selectors": {f"f{number}": "h1" for number in range(9)}}, "selectors"),
        ({"selectors": [".price"]}, "selectors"),
    ],
)
async def test_a_bad_registration_names_the_field_and_stores_nothing(call, shop, changes, field):
    status, body = await call("POST", "/v1/merchants/shop/sources", shop | changes)
    assert (status, body["error"]["field"]) == (422, field)
    assert body["error"]["remedy"]
    assert (await call("GET", "/v1/merchants"))[1] == {"merchants": [], "next_cursor": None}


async def test_a_refused_selector_is_shown_with_its_value_and_what_to_write_instead(call, shop):
    _, body = await call("POST", "/v1/merchants/shop/sources", shop | {"selectors": {"price_minor": ".now"}})
    assert body["error"]["value"] == ".now"
    assert body["error"]["remedy"].endswith("price, list_price, currency, availability, sku, gtin, name, brand")
    _, body = await call("POST", "/v1/merchants/shop/sources", shop | {"selectors": {"price": "h1["}})
    assert body["error"]["value"] == "h1["
    assert "adcat inspect selectors" in body["error"]["remedy"]


async def test_a_patch_changes_the_selectors_that_it_names_and_what_is_wrong_stores_nothing(call, shop):
    selectors = {"price": "#now", "name": "h1"}
    status, body = await call("POST", "/v1/merchants/shop/sources", shop | {"selectors": selectors})
    assert (status, body["request"]["selectors"], body["source_epoch"]) == (201, selectors, 1)
    assert (await call("POST", "/v1/merchants/shop/sources", body["request"]))[0] == 200, (
        "what is shown may be sent back"
    )
    status, refused = await call("PATCH", "/v1/merchants/shop/sources", {"selectors": {"price": "#now["}})
    assert (status, refused["error"]["field"]) == (422, "selectors.price")
    assert (await call("GET", "/v1/merchants/shop"))[1] == body
    _, body = await call("PATCH", "/v1/merchants/shop/sources", {"selectors": {"sku": ".sku", "name": None}})
    assert body["request"]["selectors"] == {"price": "#now", "sku": ".sku"}
    assert (body["source_epoch"], body["policy_rev"]) == (2, 2), "what was read in another context is invalid"
    _, body = await call("PATCH", "/v1/merchants/shop/sources", {"selectors": None})
    assert body["request"]["selectors"] == {}


async def test_a_missing_field_is_named(call, shop):
    del shop["start_url"]
    status, body = await call("POST", "/v1/merchants/shop/sources", shop)
    assert (status, body["error"]["field"]) == (422, "start_url")


async def test_a_bad_merchant_id_is_refused(call, shop):
    status, body = await call("POST", "/v1/merchants/Shop!/sources", shop)
    assert (status, body["error"]["field"]) == (422, "merchant")


@pytest.mark.parametrize("raw", ["{", "[]", "\xff"])
async def test_a_body_that_is_no_json_object_is_malformed(call, raw):
    status, body = await call("POST", "/v1/merchants/shop/sources", raw=raw.encode("latin-1"))
    assert (status, body["error"]["field"]) == (400, "body")


async def test_a_huge_body_is_refused(call):
    status, body = await call("POST", "/v1/merchants/shop/sources", raw=b"x" * 100_000)
    assert status == 413
    assert body["error"]["remedy"]


async def test_one_origin_has_one_budget_whoever_crawls_it(call, shop):
    shop["refresh_ms"] = DAY_MS
    await call("POST", "/v1/merchants/shop/sources", shop)
    status, body = await call("POST", "/v1/merchants/twin/sources", shop | {"budget_key": "mine"})
    assert (status, body["error"]["field"]) == (422, "budget_key")
    assert "https://shop.example" in body["error"]["remedy"]
    status, body = await call("POST", "/v1/merchants/twin/sources", shop)
    assert status == 201
    assert body["capacity"]["others_per_day"] == 115_000


async def test_a_source_lives_from_pending_to_enabled_to_disabled_and_back(call, shop):
    await call("POST", "/v1/merchants/shop/sources", shop)
    assert (await call("POST", "/v1/merchants/shop/refresh"))[0] == 409
    call.store.take_proof(0, 0, _proof("shop", "wrong"))
    _, body = await call("GET", "/v1/merchants/shop")
    assert (body["status"], body["proof"]["ok"]) == ("pending", False)
    assert "does not contain the token" in body["proof"]["reason"]
    assert (await call("POST", "/v1/merchants/shop/verify"))[0] == 200

    call.store.take_proof(0, 1, _proof("shop", "token-0"))
    _, body = await call("GET", "/v1/merchants/shop")
    assert (body["status"], body["proof"]["proven"], body["source_epoch"]) == ("enabled", True, 1)
    assert (await call("POST", "/v1/merchants/shop/refresh"))[0] == 200
    assert (await call("POST", "/v1/merchants/shop/verify"))[0] == 200

    _, body = await call("POST", "/v1/merchants/shop/disable")
    assert (body["status"], body["source_epoch"], body["disable_epoch"]) == ("disabled", 2, 2)
    assert body["effective_by_ms"] == call.clock() + 32_000
    rev = body["policy_rev"]
    assert (await call("POST", "/v1/merchants/shop/disable"))[1]["policy_rev"] == rev
    assert (await call("POST", "/v1/merchants/shop/verify"))[0] == 409
    _, body = await call("POST", "/v1/merchants/shop/enable")
    assert (body["status"], body["source_epoch"], body["disable_epoch"]) == ("enabled", 3, 2)


async def test_a_patch_changes_what_it_names_and_null_restores_a_default(call, shop):
    await call("POST", "/v1/merchants/shop/sources", shop | {"interval_ms": 500})
    status, body = await call("PATCH", "/v1/merchants/shop/sources", {"depth_max": 3, "interval_ms": None})
    assert (status, body["request"]["depth_max"], body["request"]["interval_ms"]) == (200, 3, 1_000)
    assert body["source_epoch"] == 1
    _, body = await call("PATCH", "/v1/merchants/shop/sources", {"variant_params": ["sku"]})
    assert (body["source_epoch"], body["policy_rev"]) == (2, 3)
    _, body = await call("PATCH", "/v1/merchants/shop/sources", {"refresh_ms": DAY_MS // 2})
    assert (body["request"]["refresh_ms"], body["capacity"]["refresh_ms"]) == (DAY_MS // 2, DAY_MS // 2)
    status, body = await call("PATCH", "/v1/merchants/shop/sources", {"field_age_ms_max": DAY_MS // 3})
    assert (status, body["error"]["field"], body["error"]["value"]) == (422, "refresh_ms", str(DAY_MS // 2))
    assert "null" in body["error"]["remedy"]
    younger = {"field_age_ms_max": DAY_MS // 3, "refresh_ms": None}
    _, body = await call("PATCH", "/v1/merchants/shop/sources", younger)
    assert (body["request"]["refresh_ms"], body["capacity"]["refresh_ms"]) == (None, DAY_MS // 3 * 4 // 5)
    status, body = await call("PATCH", "/v1/merchants/shop/sources", {"interval_ms": -1})
    assert (status, body["error"]["field"]) == (422, "interval_ms")
    assert (await call("PATCH", "/v1/merchants/none/sources", {}))[0] == 404


async def test_listing_pages_by_cursor_and_shows_only_granted_merchants(call, shop):
    for merchant in ("c", "a", "b"):
        await call("POST", f"/v1/merchants/{merchant}/sources", shop)
    _, first = await call("GET", "/v1/merchants?limit=2")
    assert [one["merchant"] for one in first["merchants"]] == ["a", "b"]
    _, rest = await call("GET", f"/v1/merchants?limit=2&cursor={first['next_cursor']}")
    assert ([one["merchant"] for one in rest["merchants"]], rest["next_cursor"]) == (["c"], None)
    token = call.issue(merchants=["b"], roles=["analyst"])
    _, own = await call("GET", "/v1/merchants", token=token)
    assert [one["merchant"] for one in own["merchants"]] == ["b"]
    assert (await call("GET", "/v1/merchants?limit=0"))[0] == 422


OPERATIONS = [
    ("GET", "/v1/merchants/shop"),
    ("PATCH", "/v1/merchants/shop/sources"),
    ("POST", "/v1/merchants/shop/disable"),
    ("POST", "/v1/merchants/shop/enable"),
    ("POST", "/v1/merchants/shop/verify"),
    ("POST", "/v1/merchants/shop/refresh"),
]
EVERYWHERE = [*OPERATIONS, ("GET", "/v1/merchants"), ("POST", "/v1/merchants/shop/sources"), ("GET", "/v1/else")]


@pytest.mark.parametrize(("method", "path"), EVERYWHERE)
async def test_without_a_valid_token_every_address_answers_401_and_never_the_token(call, shop, method, path):
    body = shop if path.endswith("sources") else None
    bad = {
        "": "missing",
        call.issue(lifetime_ms=1, now_ms=call.clock() - 5_000): "expired",
        call.issue(audience="serving"): "wrong_audience",
        call.issue(secret=b"o" * 32): "invalid",
    }
    for token, reason in bad.items():
        status, answer = await call(method, path, body, token=token)
        assert (status, answer["error"]["value"]) == (401, reason)
        assert not token or token not in str(answer)


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
async def test_a_foreign_merchant_looks_exactly_like_a_missing_one(call, shop, method, path):
    body = {} if method == "PATCH" else None
    missing = await call(method, path, body)
    await call("POST", "/v1/merchants/shop/sources", shop)
    foreign = await call(method, path, body, token=call.issue(merchants=["other"]))
    assert foreign == missing
    assert foreign[0] == 404


async def test_registering_a_foreign_merchant_is_forbidden_whether_it_exists_or_not(call, shop):
    token = call.issue(merchants=["other"])
    before = await call("POST", "/v1/merchants/shop/sources", shop, token=token)
    await call("POST", "/v1/merchants/shop/sources", shop)
    assert before[0] == 403
    assert await call("POST", "/v1/merchants/shop/sources", shop, token=token) == before


@pytest.mark.parametrize(
    ("role", "read", "change"), [("operator", 200, 200), ("analyst", 200, 403), ("service", 403, 403)]
)
async def test_roles_decide_who_reads_and_who_changes(call, shop, role, read, change):
    await call("POST", "/v1/merchants/shop/sources", shop)
    token = call.issue(roles=[role])
    assert (await call("GET", "/v1/merchants/shop", token=token))[0] == read
    assert (await call("POST", "/v1/merchants/shop/disable", token=token))[0] == change


async def test_health_and_the_document_need_no_token(call):
    assert (await call("GET", "/healthz", token=""))[0] == 503
    call.health.say("")
    assert await call("GET", "/healthz", token="") == (200, {"ready": True, "log": "ok", "database": "ok"})
    status, document = await call("GET", "/v1/openapi.json", token="")
    assert status == 200
    assert "/v1/merchants/{id}/sources" in document["paths"]
    selectors = document["components"]["schemas"]["SourceRequest"]["properties"]["selectors"]
    assert "list_price" in selectors["propertyNames"]["enum"]
    assert selectors["additionalProperties"]["maxLength"] == 300


async def test_an_unknown_address_or_method_is_a_typed_refusal(call):
    assert (await call("GET", "/v1/else"))[1]["error"]["code"] == "not_found"
    assert (await call("DELETE", "/v1/merchants"))[0] == 405
