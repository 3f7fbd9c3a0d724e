"""A task is one request at most, inside its permit and lease, and ends in one outcome and one returned permit (DESIGN §6)."""

import pytest

from streams.fetch.exchange import Answer
from streams.fetch.report import user_agent
from streams.fetch.run import Ended, Runner
from streams.robots import RobotsExtract
from tests.streams.fetch.support import START_MS, URL, FakeBodies, FakeSite, FakeSlots, FakeTime, task
from topics.events.crawl import BodyRef, FetchTask
from topics.events.policy import Header
from topics.keys import join_key
from topics.specs import codec

PAGE = Answer(
    status=200,
    headers={"etag": '"7"', "last-modified": "Thu, 01 Jan 2026 00:00:00 GMT", "content-type": "text/html"},
    body=b"<html>",
    elapsed_ms=12,
)


class Scene:
    def __init__(self, *answers: Answer, failures: int = 0, slot_wait_s: float = 0.0) -> None:
        self.time = FakeTime()
        self.site = FakeSite(self.time, answers)
        self.bodies = FakeBodies(failures)
        self.runner = Runner(
            fetcher=self.site,
            bodies=self.bodies,
            agent=user_agent("0.1", "ops@adcat.example"),
            now_ms=self.time.now_ms,
            sleep=self.time.sleep,
            slots=FakeSlots(self.time, slot_wait_s),
        )

    async def run(self, one: FetchTask) -> Ended:
        ended = await self.runner.run(one, "fetch-task/0/7")
        for _, event in ended:
            assert codec().decode(codec().encode(event)) == event
        return ended


async def test_a_page_is_stored_with_its_manifest_before_its_outcome() -> None:
    scene = Scene(PAGE)
    (key, outcome), (budget, returned) = await scene.run(task())
    body, (location, manifest) = scene.bodies.stored
    assert body == b"<html>"
    assert (key, budget) == (b"shoes", join_key("https://shop.example"))
    assert (outcome.outcome, outcome.status, outcome.fetched_at_ms) == ("page", 200, START_MS)
    assert outcome.body == BodyRef(
        sha256="0" * 64, location="bodies/0", manifest=location, length=6, content_type="text/html"
    )
    assert (outcome.etag, outcome.last_modified) == ('"7"', "Thu, 01 Jan 2026 00:00:00 GMT")
    assert (manifest.url, manifest.status, manifest.provenance.permit_id) == (URL, 200, "p1")
    assert (returned.outcome, returned.permit_id, returned.elapsed_ms) == ("page", "p1", 12)
    assert outcome.event_id != returned.event_id


async def test_running_again_would_give_the_same_ids() -> None:
    first, second = await Scene(PAGE).run(task()), await Scene(PAGE).run(task())
    assert first == second


async def test_the_request_names_the_crawler_and_asks_for_gzip_only() -> None:
    scene = Scene(PAGE)
    await scene.run(task(headers=(Header(name="Accept-Language", value="en"),)))
    headers = scene.site.asked[0][1].headers
    assert headers["User-Agent"] == "adcat-crawler/0.1 (+ops@adcat.example)"
    assert headers["Accept-Encoding"] == "gzip"
    assert headers["Accept-Language"] == "en"
    assert "If-None-Match" not in headers


@pytest.mark.parametrize("name", ["Host", "cookie", "User-Agent", "Transfer-Encoding", "Proxy-Authorization"])
async def test_a_policy_cannot_take_over_the_exchange(name: str) -> None:
    scene = Scene()
    (_, outcome), _ = await scene.run(task(headers=(Header(name=name, value="x"),)))
    assert (outcome.outcome, outcome.reason, scene.site.asked) == ("refused", "header_denied", [])


async def test_validators_are_sent_and_304_confirms_them() -> None:
    scene = Scene(Answer(status=304, headers={"etag": '"8"'}, elapsed_ms=3))
    (_, outcome), _ = await scene.run(task(etag='"7"', last_modified="Thu, 01 Jan 2026 00:00:00 GMT"))
    headers = scene.site.asked[0][1].headers
    assert (headers["If-None-Match"], headers["If-Modified-Since"]) == ('"7"', "Thu, 01 Jan 2026 00:00:00 GMT")
    assert (outcome.outcome, outcome.etag, outcome.body) == ("not_modified", '"8"', None)
    assert scene.bodies.stored == []


async def test_a_304_without_validators_keeps_those_it_confirmed() -> None:
    (_, outcome), _ = await Scene(Answer(status=304, elapsed_ms=3)).run(task(etag='"7"', last_modified="then"))
    assert (outcome.etag, outcome.last_modified) == ('"7"', "then")


async def test_a_task_waits_for_its_time() -> None:
    scene = Scene(PAGE)
    await scene.run(task(not_before_ms=START_MS + 2_500))
    assert scene.site.asked[0][0] == START_MS + 2_500


async def test_a_task_does_not_wait_for_a_time_after_its_expiry() -> None:
    scene = Scene()
    (_, outcome), _ = await scene.run(task(not_before_ms=START_MS + 40_000, lease_until_ms=START_MS))
    assert (outcome.reason, scene.time.now) == ("lease_lapsed", START_MS)


@pytest.mark.parametrize(
    ("changes", "slot_wait_s", "reason"),
    [
        ({"expires_at_ms": START_MS}, 0, "permit_expired"),
        ({"lease_until_ms": START_MS}, 0, "lease_lapsed"),
        ({"not_before_ms": START_MS + 40_000, "expires_at_ms": START_MS + 10}, 11, "permit_expired"),
        ({}, 30, "permit_expired"),
        ({"expires_at_ms": START_MS + 500_000}, 120, "lease_lapsed"),
    ],
)
async def test_nothing_is_sent_after_the_permit_or_the_lease_ran_out(changes, slot_wait_s: float, reason: str) -> None:
    scene = Scene(PAGE, slot_wait_s=slot_wait_s)
    (_, outcome), (_, returned) = await scene.run(task(**changes))
    assert (outcome.outcome, outcome.reason, outcome.status) == ("refused", reason, None)
    assert (returned.outcome, returned.elapsed_ms) == ("refused", None)
    assert scene.site.asked == []


async def test_robots_and_proofs_carry_their_text() -> None:
    rules = Answer(status=200, body=b"User-agent: *\nDisallow: /x\nUser-agent: other\nDisallow: /", elapsed_ms=1)
    (_, outcome), _ = await Scene(rules).run(task(kind="robots"))
    assert RobotsExtract.from_text(outcome.extract or "") == RobotsExtract(rules=("Disallow: /x",))
    proof = Answer(status=200, body=b"adcat-token \xff" + b"x" * 5_000, elapsed_ms=1)
    (_, outcome), _ = await Scene(proof).run(task(kind="proof"))
    assert (outcome.extract or "").startswith("adcat-token \ufffd")
    assert len(outcome.extract or "") == 1_024


@pytest.mark.parametrize(
    ("answer", "word", "retry_after_ms"),
    [
        (Answer(status=404, elapsed_ms=1), "missing", None),
        (Answer(status=429, headers={"retry-after": "7"}, elapsed_ms=1), "throttled", 7_000),
        (
            Answer(status=503, headers={"retry-after": "Thu, 01 Jan 2026 00:00:09 GMT"}, elapsed_ms=1),
            "throttled",
            9_000,
        ),
        (Answer(error="dns", elapsed_ms=1), "failed", None),
        (Answer(error="address_private", refused=True), "refused", None),
        (Answer(status=200, error="ratio", elapsed_ms=1), "failed", None),
    ],
)
async def test_the_budget_hears_what_the_frontier_hears(answer: Answer, word: str, retry_after_ms: int | None) -> None:
    (_, outcome), (_, returned) = await Scene(answer).run(task())
    assert (outcome.outcome, returned.outcome) == (word, word)
    assert (outcome.retry_after_ms, returned.retry_after_ms) == (retry_after_ms, retry_after_ms)
    assert outcome.body is None


async def test_a_redirect_is_reported_not_followed() -> None:
    scene = Scene(Answer(status=301, headers={"location": "/b"}, elapsed_ms=1))
    (_, outcome), _ = await scene.run(task())
    assert (outcome.outcome, outcome.redirect_to) == ("redirected", "https://shop.example/b")
    assert len(scene.site.asked) == 1


async def test_storing_is_tried_again_and_a_page_that_cannot_be_stored_was_not_observed() -> None:
    patient = Scene(PAGE, failures=3)
    (_, outcome), _ = await patient.run(task())
    assert outcome.outcome == "page"
    assert patient.time.slept[-3:] == [0.5, 1.0, 2.0]
    hopeless = Scene(PAGE, failures=99)
    (_, outcome), (_, returned) = await hopeless.run(task())
    assert (outcome.outcome, outcome.reason, outcome.body, outcome.extract) == (
        "failed",
        "store_unavailable",
        None,
        None,
    )
    assert (returned.outcome, returned.elapsed_ms) == ("failed", 12)
    assert len(hopeless.site.asked) == 1


async def test_headers_that_cannot_be_written_do_no_harm() -> None:
    odd = Answer(
        status=200,
        headers={"etag": '"\udcff"', "content-type": "text/html\udcff", "last-modified": "x" * 999},
        body=b"",
    )
    (_, outcome), _ = await Scene(odd).run(task())
    assert (outcome.etag, outcome.last_modified) == (None, None)
    assert outcome.body is not None
    assert outcome.body.content_type == "text/html?"
