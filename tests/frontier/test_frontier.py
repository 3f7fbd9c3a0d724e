"""What the frontier does, one sentence each, over a whole crawl in memory."""

from dataclasses import replace
from itertools import pairwise

import pytest

from streams.frontier.gate import robots_target_id
from streams.frontier.rows import CLAIMS_MAX, LEASE_MS
from streams.frontier.stage import FRONTIER
from tests.frontier.world import (
    BODY,
    ORIGIN,
    START_MS,
    M,
    World,
    answer,
    command,
    crawling,
    link,
    links,
    outcome_of,
    policy,
)
from topics import specs
from topics.events.crawl import FetchTask, PageObserved, PermitsGranted, PermitsRequested, ProofObserved
from topics.urls import target_id

PROOF = "/.well-known/adcat-verification.txt"


def row_of(world: World, path: str, context: str = ""):
    name = target_id(ORIGIN + path, context)
    return world.frontier.rows.get("targets", f"{M}|{name}".encode())


def source_of(world: World):
    return world.frontier.rows.get("sources", M.encode())


def pages(world: World) -> list[PageObserved]:
    return [event for event in world.observed if isinstance(event, PageObserved)]


def site(**by_path):
    """A site that answers by path: `{path: (word, fields)}`; everything else is a page."""

    def fetch(task: FetchTask):
        word, fields = by_path.get(task.url.removeprefix(ORIGIN), (None, None))
        return answer(task) if word is None else outcome_of(task, word, **fields)

    return fetch


def test_durable_tables_are_those_of_the_topic_table():
    durable = tuple(spec.name for spec in FRONTIER.tables if spec.durable)
    assert durable == specs.TABLES["frontier"]


def test_robots_comes_first_then_the_seed():
    world = crawling()
    world.pass_ms(3_000)
    assert world.urls() == ["/robots.txt", "/"]


def test_a_pending_source_is_asked_for_robots_and_proof_only():
    world = crawling(status="pending")
    world.tell(command("verify"), links(link("/p/1")))
    world.pass_ms(5_000)
    assert world.urls() == ["/robots.txt", PROOF]
    (proof,) = world.observed
    assert isinstance(proof, ProofObserved)
    assert proof.source_epoch == 1


def test_a_proof_waits_while_robots_is_unreachable():
    world = World(site=lambda task: outcome_of(task, "failed", status=503))
    world.start()
    world.tell(policy(status="pending"), command("verify"))
    world.pass_ms(20_000)
    assert set(world.urls()) == {"/robots.txt"}


def test_unreachable_robots_pauses_crawling_and_ends_by_itself():
    world = crawling()
    world.site = site(**{"/robots.txt": ("failed", {"status": 503})})
    world.pass_ms(5_000)
    assert world.urls() == ["/robots.txt"]
    world.site = answer
    world.pass_ms(700_000, step_ms=1_000)
    assert "/" in world.urls()


def test_missing_robots_allows_everything():
    world = crawling()
    world.site = site(**{"/robots.txt": ("missing", {})})
    world.tell(links(link("/private/1")))
    world.pass_ms(5_000)
    assert "/private/1" in world.urls()


def test_a_disallowed_target_is_never_fetched_and_shown_once():
    world = crawling()
    world.tell(links(link("/private/1")))
    world.pass_ms(5_000)
    world.tell(command("refresh"))
    world.pass_ms(60_000)
    assert "/private/1" not in world.urls()
    assert [item.reason for item in world.quarantined] == ["robots_disallowed"]
    assert row_of(world, "/private/1").state == "disallowed"


def test_sitemaps_named_by_robots_are_targets():
    world = crawling()
    extract = f"User-agent: *\nDisallow:\nSitemap: {ORIGIN}/sitemap.xml\n"
    world.site = site(**{"/robots.txt": ("page", {"extract": extract})})
    world.pass_ms(5_000)
    assert [event.kind for event in pages(world)] == ["page", "sitemap"]


def test_robots_is_fetched_again_before_its_rules_end():
    world = crawling(refresh_ms=600_000_000)
    world.pass_ms(2_000)
    world.now_ms += 83_000_000  # an hour before the day is over
    world.pass_ms(3_000)
    assert world.urls().count("/robots.txt") == 2


def test_crawl_delay_lengthens_the_interval():
    world = crawling(interval_ms=100)
    world.site = site(**{"/robots.txt": ("page", {"extract": "User-agent: *\nCrawl-delay: 7\n"})})
    world.tell(links(*[link(f"/p/{number}") for number in range(9)]))
    world.pass_ms(30_000)
    asked = [event.interval_ms for _, event in world.budget.log if isinstance(event, PermitsRequested)]
    assert asked[-1] == 7_000


def test_admitting_again_changes_nothing():
    world = crawling()
    world.tell(links(link("/p/1"), link("/p/1")))
    world.pass_ms(5_000)
    before = row_of(world, "/p/1")
    world.tell(links(link("/p/1")))
    assert row_of(world, "/p/1") == before
    assert source_of(world).urls == 2


def test_an_equal_hash_of_another_identity_is_shown_not_merged():
    world = crawling()
    world.tell(links(link("/p/1")))
    false = link("/p/2")
    world.tell(links(replace(false, target_id=link("/p/1").target_id)))
    assert [item.reason for item in world.quarantined] == ["identity_collision"]
    assert row_of(world, "/p/1").url.endswith("/p/1")


@pytest.mark.parametrize(
    ("changes", "found", "reason"),
    [
        ({"urls_max": 3}, [link(f"/p/{number}") for number in range(9)], "urls_max"),
        ({"depth_max": 1}, [link("/deep")], "depth_max"),
        ({}, [link(f"/{number}", origin="https://other.example") for number in range(9)], "off_origin"),
    ],
)
def test_bounds_drop_visibly_and_are_reported_once(changes, found, reason):
    world = crawling(**changes)
    world.pass_ms(1_000)
    world.tell(links(*found, depth=1) if reason != "depth_max" else links(link("/p/1")))
    if reason == "depth_max":
        deep = links(link("/deep"))
        world.tell(replace(deep, target_id=link("/p/1").target_id))
    world.pass_ms(3_000)
    assert [item.reason for item in world.quarantined] == [reason]
    assert source_of(world).links_dropped == (7 if reason == "urls_max" else len(found))


def test_a_newer_lastmod_advances_and_an_older_one_does_not():
    world = crawling()
    world.tell(links(link("/p/1")))
    world.pass_ms(5_000)
    world.tell(links(link("/p/1", lastmod_ms=START_MS - 1)))
    world.pass_ms(1_000)
    assert world.urls().count("/p/1") == 1
    world.tell(links(link("/p/1", lastmod_ms=world.now_ms)))
    world.pass_ms(2_000)
    assert world.urls().count("/p/1") == 2


def test_a_lapsed_lease_is_claimed_again_under_a_larger_fence():
    world = crawling()
    world.auto = False
    world.pass_ms(1_000)
    first = world.tasks.pop()
    world.pass_ms(LEASE_MS + 1_000)
    second = world.tasks.pop()
    assert second.target_id == first.target_id
    assert second.fence.supersedes(first.fence)
    assert second.permit.permit_id != first.permit.permit_id


def test_a_lapsed_lease_stays_valid_until_another_claim_replaces_it():
    world = crawling()
    world.auto = False
    world.pass_ms(1_000)
    task = world.tasks.pop()
    world.now_ms += 10 * LEASE_MS
    world.tell(answer(task))
    assert source_of(world).outcomes_late == 0
    assert world.frontier.rows.get("targets", f"{M}|{robots_target_id(ORIGIN)}".encode()).rules.mode == "rules"


def test_a_replaced_claim_loses_while_the_new_one_is_open():
    world = crawling()
    world.pass_ms(3_000)
    world.auto = False
    world.tell(links(link("/p/1")))
    world.pass_ms(1_000)
    slow = world.tasks.pop()
    world.pass_ms(LEASE_MS + 2_000)
    fast = world.tasks.pop()
    world.tell(outcome_of(slow), outcome_of(fast), outcome_of(fast))
    assert [event.fence for event in pages(world)][1:] == [fast.fence]
    assert source_of(world).outcomes_late == 2


def test_a_grant_that_is_repeated_brings_no_permit():
    world = crawling()
    world.auto = False
    world.tell(links(*[link(f"/p/{number}") for number in range(9)]))
    world.pass_ms(1_000)
    grant = next(event for _, event in world.frontier.log if isinstance(event, PermitsGranted))
    before = (source_of(world).permits, len(world.budget.log))
    world.tell(grant, grant)
    assert (source_of(world).permits, len(world.budget.log)) == before


def test_generation_orders_clocks_do_not():
    world = crawling()
    world.pass_ms(3_000)
    world.auto = False
    world.tell(links(link("/p/1")))
    world.pass_ms(1_000)
    slow = world.tasks.pop()
    world.pass_ms(LEASE_MS + 2_000)
    fast = world.tasks.pop()
    world.tell(outcome_of(fast, fetched_at_ms=world.now_ms))
    world.tell(outcome_of(slow, fetched_at_ms=world.now_ms + 10_000_000))
    assert [event.fence for event in pages(world)][1:] == [fast.fence]
    assert source_of(world).outcomes_late == 1


def test_evidence_time_is_clamped_between_claim_and_append():
    world = crawling()
    world.pass_ms(3_000)
    world.auto = False
    for fetched_at_ms, expected in ((0, "claimed"), (1 << 60, "append")):
        world.tell(links(link(f"/{expected}")))
        world.pass_ms(1_000)
        task = world.tasks.pop()
        world.tell(outcome_of(task, fetched_at_ms=fetched_at_ms))
        want = task.claimed_at_ms if expected == "claimed" else world.now_ms
        assert pages(world)[-1].evidence_at_ms == want
        world.give_back(task, outcome_of(task))


def test_an_outcome_of_an_older_source_epoch_is_dropped():
    world = crawling()
    world.pass_ms(3_000)
    world.auto = False
    world.tell(links(link("/p/1")))
    world.pass_ms(1_000)
    task = world.tasks.pop()
    world.tell(policy(policy_rev=2, source_epoch=2))
    world.tell(outcome_of(task))
    assert len(pages(world)) == 1
    assert source_of(world).outcomes_late == 1


def test_a_disabled_source_claims_nothing_and_an_older_policy_changes_nothing():
    world = crawling()
    world.tell(policy(policy_rev=3, status="disabled", disable_epoch=1))
    world.tell(policy(policy_rev=2))
    world.tell(links(link("/p/1")))
    world.pass_ms(5_000)
    assert world.urls() == []
    world.tell(policy(policy_rev=4, source_epoch=2, disable_epoch=1), command("crawl", 2))
    world.pass_ms(5_000)
    assert set(world.urls()) == {"/robots.txt", "/", "/p/1"}


def test_a_command_waits_for_the_policy_of_its_epoch():
    world = World()
    world.start()
    world.tell(command("crawl", 2), policy(), command("crawl", 1))
    world.tell(policy(policy_rev=2, source_epoch=2, start_url=f"{ORIGIN}/second"))
    world.pass_ms(5_000)
    assert "/second" in world.urls()


def test_refresh_makes_everything_due_in_bounded_slices():
    world = crawling()
    world.tell(links(*[link(f"/p/{number}") for number in range(30)]))
    world.pass_ms(10_000)
    assert len(world.sent) == 32
    world.tell(command("refresh"))
    world.pass_ms(256 * 200 + 10_000)
    assert len(world.sent) == 64


def test_a_304_carries_the_retained_body_and_validators_are_sent():
    world = crawling(refresh_ms=10_000)
    world.pass_ms(5_000)
    world.site = site(**{"/": ("not_modified", {})})
    world.pass_ms(12_000)
    last = [task for task in world.all_tasks if task.url == f"{ORIGIN}/"][-1]
    assert last.etag == '"v1"'
    assert pages(world)[-1].outcome == "not_modified"
    assert pages(world)[-1].body == BODY


def test_retry_after_is_never_undercut_and_silences_the_site():
    world = crawling()
    world.pass_ms(3_000)
    world.site = site(**{"/p/1": ("throttled", {"status": 429, "retry_after_ms": 60_000})})
    world.tell(links(link("/p/1")))
    world.pass_ms(2_000)
    stopped_ms = world.now_ms
    world.tell(links(*[link(f"/q/{number}") for number in range(5)]))
    world.pass_ms(200_000)
    later = [at for at, _, _ in world.sent if at > stopped_ms]
    assert later
    assert min(later) >= stopped_ms + 55_000


def test_attempts_are_capped_then_quarantined_and_the_target_returns():
    world = crawling()
    world.site = site(**{"/p/1": ("failed", {"status": 500})})
    world.tell(links(link("/p/1")))
    world.pass_ms(1_000_000, step_ms=1_000)
    assert world.urls().count("/p/1") == 6
    assert [item.reason for item in world.quarantined] == ["attempts_exhausted"]
    world.now_ms += 90_000_000
    world.pass_ms(3_000)
    assert world.urls().count("/p/1") > 6


def test_an_expired_permit_costs_no_attempt():
    world = crawling()
    world.site = site(**{"/p/1": ("refused", {"reason": "permit_expired", "status": None})})
    world.tell(links(link("/p/1")))
    world.pass_ms(20_000)
    assert row_of(world, "/p/1").attempts == 0
    assert world.urls().count("/p/1") > 3
    assert all(event.url != f"{ORIGIN}/p/1" for event in pages(world))


def test_links_of_an_older_epoch_are_admitted_because_parse_says_them_once():
    world = crawling()
    world.pass_ms(2_000)
    world.tell(policy(policy_rev=2, source_epoch=2), links(link("/p/1"), epoch=1))
    world.pass_ms(3_000)
    assert "/p/1" in world.urls()


def test_misses_are_confirmed_at_the_gap_of_the_policy():
    world = crawling(miss_gap_ms=30_000, misses_min=3)
    world.site = site(**{"/p/1": ("missing", {})})
    world.tell(links(link("/p/1")))
    world.pass_ms(600_000, step_ms=1_000)
    missing = [event for event in pages(world) if event.outcome == "missing"]
    assert len(missing) == 3
    gaps = [b.evidence_at_ms - a.evidence_at_ms for a, b in pairwise(missing)]
    assert all(gap >= 29_000 for gap in gaps)


def test_a_redirect_is_authorized_anew_and_remembered():
    world = crawling()
    world.site = site(
        **{
            "/old": ("redirected", {"redirect_to": f"{ORIGIN}/new", "status": 301}),
            "/away": ("redirected", {"redirect_to": "https://other.example/", "status": 302}),
        }
    )
    world.tell(links(link("/old"), link("/away")))
    world.pass_ms(5_000)
    assert "/new" in world.urls()
    assert row_of(world, "/old").redirect_id == target_id(f"{ORIGIN}/new")
    assert sorted(event.outcome for event in pages(world)) == ["page", "page", "redirected", "redirected"]
    assert [item.reason for item in world.quarantined] == ["off_origin"]


def test_redirect_hops_are_bounded():
    world = crawling()

    def endless(task: FetchTask):
        if "/hop" not in task.url:
            return answer(task)
        number = int(task.url.rsplit("/", 1)[1])
        return outcome_of(task, "redirected", redirect_to=f"{ORIGIN}/hop/{number + 1}", status=302)

    world.site = endless
    world.tell(links(link("/hop/0")))
    world.pass_ms(10_000)
    assert [url for url in world.urls() if "/hop" in url] == [f"/hop/{number}" for number in range(6)]
    assert [item.reason for item in world.quarantined] == ["redirects_max"]


def test_a_redirected_robots_teaches_its_origin():
    world = crawling()
    extract = "User-agent: *\nDisallow: /secret\n"
    world.site = site(
        **{
            "/robots.txt": ("redirected", {"redirect_to": f"{ORIGIN}/r.txt", "status": 301}),
            "/r.txt": ("page", {"extract": extract}),
        }
    )
    world.tell(links(link("/secret"), link("/p/1")))
    world.pass_ms(6_000)
    assert world.urls()[:2] == ["/robots.txt", "/r.txt"]
    assert "/p/1" in world.urls()
    assert "/secret" not in world.urls()


def test_ticks_of_anyone_but_the_last_owner_claim_nothing():
    world = crawling()
    world.frontier.owners += 1  # a shell that never said so
    world.pass_ms(3_000)
    assert world.all_tasks == []
    world.frontier.start_owner(world.now_ms)
    world.pass_ms(3_000)
    assert world.urls() == ["/robots.txt", "/"]


def test_a_new_owner_has_a_larger_term_and_returns_unspent_permits():
    world = crawling()
    world.auto = False
    world.pass_ms(1_000)
    first = world.all_tasks[-1]
    world.frontier.start_owner(world.now_ms)
    world.settle()
    world.pass_ms(LEASE_MS + 1_000)
    assert world.all_tasks[-1].fence.term > first.fence.term
    assert world.all_tasks[-1].permit.term == world.all_tasks[-1].fence.term


def test_discovery_keeps_its_share_beside_products():
    world = crawling(interval_ms=200)
    world.pass_ms(2_000)
    shelves = [link(f"/shelf/{number}", "listing") for number in range(20)]
    world.tell(links(*[link(f"/p/{number}") for number in range(60)], *shelves))
    world.pass_ms(8_000)
    first = world.urls()[2:34]
    assert 6 <= sum(url.startswith("/shelf") for url in first) <= 10


def test_merchants_of_a_partition_are_served_in_turn():
    world = World()
    world.start()
    for name in ("a", "b", "c"):
        origin = f"https://{name}.example"
        mine = policy(merchant=name, allowed_origins=(origin,), start_url=f"{origin}/", budget_key=name)
        world.tell(mine, replace(command("crawl"), merchant=name))
        found = [link(f"/p/{number}", origin=origin) for number in range(30)]
        world.tell(replace(links(*found), merchant=name))
    world.pass_ms(3_000)
    counts = [sum(f"{name}.example" in url for _, _, url in world.sent) for name in ("a", "b", "c")]
    assert max(counts) - min(counts) <= 4


def test_wishes_do_not_flood_the_budget():
    world = crawling()
    world.tell(links(*[link(f"/p/{number}") for number in range(300)]))
    world.pass_ms(10_000)
    asked = [event for _, event in world.budget.log if isinstance(event, PermitsRequested)]
    assert max(event.wanted for event in asked) <= CLAIMS_MAX
    assert len(asked) <= 30


def test_targets_overdue_after_a_long_downtime_are_all_recovered():
    world = crawling(refresh_ms=60_000)
    world.tell(links(*[link(f"/p/{number}") for number in range(20)]))
    world.pass_ms(10_000)
    seen = len(world.sent)
    world.now_ms += 3 * 86_400_000
    world.pass_ms(20_000)
    assert {url for _, _, url in world.sent[seen:]} >= {f"{ORIGIN}/p/{number}" for number in range(20)}


def test_rows_stay_small():
    world = crawling()
    world.tell(links(link("/p/1?variant=12345")))
    world.pass_ms(5_000)
    sizes = [len(raw) for (table, _), raw in world.frontier.rows.values.items() if table == "targets"]
    assert max(sizes) <= 1_024
