"""Rare turns of the frontier: unreadable URLs, changed policies, foreign terms, lost index entries."""

from dataclasses import replace

import pytest

from streams.frontier.gate import robots_target_id
from streams.frontier.retry import backoff_ms, jitter_ms
from streams.robots import LIFETIME_MS, RECHECK_MS
from tests.frontier.world import (
    ORIGIN,
    M,
    World,
    answer,
    command,
    crawling,
    link,
    links,
    named,
    outcome_of,
    policy,
)
from topics.events.crawl import FetchTask, Permit, PermitReturned, PermitsGranted
from topics.urls import target_id


def target(world: World, path: str):
    return world.frontier.rows.get("targets", f"{M}|{target_id(ORIGIN + path)}".encode())


def robots(world: World):
    return world.frontier.rows.get("targets", f"{M}|{robots_target_id(ORIGIN)}".encode())


def source(world: World):
    return world.frontier.rows.get("sources", M.encode())


def unused(world: World) -> list[str]:
    returned = [event for _, event in world.budget.log if isinstance(event, PermitReturned)]
    return [event.permit_id for event in returned if event.outcome == "unused"]


def waiting_task(world: World, path: str = "/p/1") -> FetchTask:
    """Admits a page, lets it be claimed, and takes its task away from the pool."""
    world.auto = False
    world.tell(links(link(path)))
    world.pass_ms(1_000)
    (task,) = world.tasks
    world.tasks.clear()
    return task


def grant(term: int, number: int = 1 << 60, budget_key: str = "shop.example") -> PermitsGranted:
    permit = Permit(
        permit_id=f"zzzzzzzz-{number:016x}-00",
        budget_key=budget_key,
        term=term,
        not_before_ms=0,
        expires_at_ms=1 << 50,
    )
    event: PermitsGranted = named(PermitsGranted, budget_key=budget_key, merchant=M, term=term, permits=(permit,))
    return event


def test_an_outcome_of_an_unknown_target_is_nothing():
    world = crawling()
    world.pass_ms(3_000)
    before = len(world.observed)
    world.tell(replace(outcome_of(world.all_tasks[0]), target_id="0" * 32))
    assert len(world.observed) == before


def test_events_of_a_merchant_without_policy_change_nothing():
    world = World()
    world.start()
    world.tell(links(link("/p/1")), grant(1))
    world.pass_ms(1_000)
    assert world.frontier.rows.keys["targets"] == []


def test_a_304_without_a_retained_body_is_fetched_again_without_validators():
    world = crawling()
    world.pass_ms(3_000)
    task = waiting_task(world)
    world.fetch(task, outcome_of(task, "not_modified"))
    world.settle()
    world.auto = True
    world.pass_ms(2_000)
    assert world.all_tasks[-1].url == task.url
    assert world.all_tasks[-1].etag is None
    assert target(world, "/p/1").outcome == "page"


def test_an_unreadable_link_is_shown_not_admitted():
    world = crawling()
    world.tell(links(replace(link("/p/1"), url="http://[broken/")))
    assert [item.reason for item in world.quarantined] == ["off_origin"]


def test_a_permit_of_another_term_goes_back_unspent():
    world = crawling()
    world.pass_ms(3_000)
    world.tell(grant(term=1))
    assert unused(world)[-1].startswith("zzzz")
    assert source(world).permits == ()


def test_a_permit_of_another_budget_is_not_taken():
    world = crawling()
    world.pass_ms(3_000)
    before = source(world)
    world.tell(grant(term=before.wish.term if before.wish else 1, budget_key="other"))
    assert source(world) == before


def test_leaving_a_budget_returns_its_permits():
    world = crawling()
    world.pass_ms(3_000)
    owner = world.frontier.rows.get("sources", b"|owner").owner
    world.frontier.append(grant(term=owner.term), world.now_ms)
    world.frontier.run()
    assert source(world).permits
    world.tell(policy(policy_rev=2, budget_key="other"))
    assert unused(world)
    assert source(world).permits == ()


def test_a_new_owner_returns_the_permits_of_the_former_term():
    world = crawling()
    world.pass_ms(3_000)
    owner = world.frontier.rows.get("sources", b"|owner").owner
    world.tell(grant(term=owner.term))
    world.frontier.start_owner(world.now_ms)
    world.settle()
    assert len(unused(world)) == 1


def test_an_unspent_permit_goes_back_before_it_expires():
    world = crawling()
    world.pass_ms(3_000)
    owner = world.frontier.rows.get("sources", b"|owner").owner
    short = grant(term=owner.term)
    world.tell(replace(short, permits=(replace(short.permits[0], expires_at_ms=world.now_ms + 5_000),)))
    world.pass_ms(6_000)
    assert len(unused(world)) == 1


def test_a_decided_claim_of_an_older_epoch_is_not_sent():
    world = crawling()
    world.pass_ms(3_000)
    world.auto = False
    world.tell(links(link("/p/1")))
    while not source(world).sending:
        world.now_ms += 200
        world.frontier.tick(world.now_ms)
        world.budget.tick(world.now_ms)
        world.settle()
    sent = len(world.all_tasks)
    world.tell(policy(policy_rev=2, source_epoch=2))
    world.pass_ms(1_000)
    assert len(world.all_tasks) == sent
    assert unused(world) == []


def test_commands_of_a_past_epoch_and_repeated_policies_change_nothing():
    world = crawling(source_epoch=3)
    world.pass_ms(3_000)
    before = source(world)
    world.tell(command("refresh", 2), policy(source_epoch=3))
    assert source(world).sweep is None
    assert source(world).policy == before.policy


def test_a_start_url_that_cannot_be_read_is_shown():
    world = crawling(start_url="not a url")
    assert [item.reason for item in world.quarantined] == ["bad_url"]


def test_commands_again_make_seed_and_proof_due():
    world = crawling()
    world.tell(command("verify"))
    world.pass_ms(4_000)
    world.tell(command("crawl"), command("verify"))
    world.pass_ms(4_000)
    assert world.urls().count("/") == 2
    assert len([url for url in world.urls() if "adcat" in url]) == 2


def test_a_policy_without_the_origin_stops_its_targets():
    world = crawling()
    world.tell(links(link("/p/1")))
    world.tell(policy(policy_rev=2, allowed_origins=("https://other.example",)))
    world.pass_ms(3_000)
    assert world.urls() == []
    assert {item.reason for item in world.quarantined} == {"off_origin"}
    assert target(world, "/p/1").state == "off_origin"


def test_a_row_that_cannot_be_read_is_off_origin():
    world = crawling()
    world.tell(links(link("/p/1")))
    row = target(world, "/p/1")
    key = f"{M}|{target_id(ORIGIN + '/p/1')}".encode()
    world.frontier.rows.write("targets", key, replace(row, url="http://[broken/"))
    world.pass_ms(3_000)
    assert target(world, "/p/1").state == "off_origin"


def test_a_lost_robots_target_is_admitted_again():
    world = crawling()
    world.frontier.rows.write("targets", f"{M}|{robots_target_id(ORIGIN)}".encode(), None)
    world.pass_ms(4_000)
    assert world.urls() == ["/robots.txt", "/"]


def test_a_redirect_to_another_spelling_changes_what_is_fetched():
    world = crawling()

    def canonical(task: FetchTask):
        if task.url.endswith("/p/1"):
            return outcome_of(task, "redirected", redirect_to=f"{ORIGIN}/p/1?utm_source=x", status=302)
        return answer(task)

    world.site = canonical
    world.tell(links(link("/p/1")))
    world.pass_ms(4_000)
    assert "/p/1?utm_source=x" in world.urls()
    assert target(world, "/p/1").outcome == "page"


@pytest.mark.parametrize("where", [None, "ftp://x/", "http://[broken/"])
def test_a_redirect_to_nowhere_is_shown(where):
    world = crawling()
    world.pass_ms(3_000)
    task = waiting_task(world)
    world.tell(outcome_of(task, "redirected", redirect_to=where, status=302))
    assert [item.reason for item in world.quarantined] == ["off_origin"]


def test_endless_robots_redirects_pause_the_origin():
    world = crawling()
    world.site = lambda task: outcome_of(task, "redirected", redirect_to=f"{ORIGIN}/robots.txt", status=302)
    world.pass_ms(20_000)
    assert set(world.urls()) == {"/robots.txt"}
    assert len(world.urls()) <= 8
    assert robots(world).rules.mode == "pause"


def test_robots_not_modified_renews_its_rules():
    world = crawling()
    world.pass_ms(3_000)
    world.site = lambda task: outcome_of(task, "not_modified") if task.kind == "robots" else answer(task)
    world.now_ms += LIFETIME_MS - 1_000_000
    world.pass_ms(3_000)
    assert robots(world).rules.mode == "rules"
    assert robots(world).rules.until_ms > world.now_ms + LIFETIME_MS - 60_000


def test_robots_not_modified_without_rules_is_fetched_again():
    world = crawling()
    world.site = lambda task: outcome_of(task, "not_modified") if len(world.sent) < 2 else answer(task)
    world.pass_ms(4_000)
    assert world.urls()[:2] == ["/robots.txt", "/robots.txt"]
    assert robots(world).rules.mode == "rules"


def test_unreachable_robots_lets_cached_rules_live_on():
    world = crawling()
    world.pass_ms(3_000)
    world.site = lambda task: outcome_of(task, "failed", status=503) if task.kind == "robots" else answer(task)
    world.now_ms += LIFETIME_MS - 3_000_000
    world.pass_ms(3_000)
    assert robots(world).rules.mode == "rules"
    world.tell(links(link("/p/1")))
    world.pass_ms(2_000)
    assert "/p/1" in world.urls()
    world.pass_ms(LIFETIME_MS, step_ms=RECHECK_MS // 30)
    world.tell(links(link("/p/2")))
    world.pass_ms(2_000)
    assert "/p/2" not in world.urls()


def test_a_tick_attends_to_a_bounded_number_of_sites():
    world = World()
    world.start()
    for number in range(150):
        origin = f"https://s{number}.example"
        mine = policy(merchant=f"s{number}", allowed_origins=(origin,), start_url=f"{origin}/", budget_key=f"s{number}")
        world.frontier.append(mine, world.now_ms)
        world.frontier.append(replace(command("crawl"), merchant=f"s{number}"), world.now_ms)
    world.settle()
    world.pass_ms(4_000)
    assert len(world.sent) == 300


def test_jitter_is_fixed_by_target_and_attempt_and_only_adds():
    assert jitter_ms("a", 1, 0) == 0
    assert backoff_ms("a", 3, None) == backoff_ms("a", 3, None)
    assert len({backoff_ms(name, 3, None) for name in "abcdef"}) > 1
    assert all(backoff_ms("a", attempt, 90_000) >= 90_000 for attempt in range(1, 9))


def test_a_site_that_still_waits_for_its_policy_is_left_alone():
    world = World()
    world.start()
    world.tell(command("crawl"))
    world.frontier.start_owner(world.now_ms)
    world.pass_ms(400)
    assert world.frontier.rows.keys["sites"] == []
    world.tell(policy())
    world.pass_ms(3_000)
    assert world.urls() == ["/robots.txt", "/"]


def test_a_command_handled_again_is_carried_out_once():
    world = crawling()
    world.frontier.append(command("refresh"), world.now_ms)
    world.frontier.crash_in_step(9, 99)
    world.frontier.tick(world.now_ms)
    world.frontier.step()
    world.frontier.committed -= 1
    before = source(world)
    world.settle()
    assert before.sweep == 0
    assert source(world).sweep == 1


def test_an_old_tick_handled_again_touches_no_newer_row():
    world = crawling()
    world.tell(links(link("/private/1")))
    world.pass_ms(2_000)
    world.now_ms += 90_000_000
    world.frontier.tick(world.now_ms)
    world.frontier.step()
    name = f"{M}|{target_id(ORIGIN + '/private/1')}".encode()
    newer = replace(world.frontier.rows.get("targets", name), applied=10_000)
    world.frontier.rows.write("targets", name, newer)
    world.pass_ms(2_000)
    assert world.frontier.rows.get("targets", name) == newer


def test_a_hop_does_not_teach_a_root_that_is_being_asked_again():
    world = crawling()
    world.auto = False
    world.pass_ms(1_000)
    (root,) = world.tasks
    world.tasks.clear()
    world.fetch(root, outcome_of(root, "redirected", redirect_to=f"{ORIGIN}/r.txt", status=301))
    world.pass_ms(1_000)
    (hop,) = world.tasks
    world.tasks.clear()
    world.give_back(hop, answer(hop))
    world.tell(command("refresh"))
    world.pass_ms(256 * 200 + 1_000)
    assert [task.target_id for task in world.tasks] == [root.target_id]
    world.tell(answer(hop))
    assert robots(world).rules is None
    world.auto = True
    world.site = lambda task: (
        outcome_of(task, "redirected", redirect_to=f"{ORIGIN}/r.txt", status=301)
        if task.target_id == root.target_id
        else answer(task)
    )
    world.tasks.clear()
    world.pass_ms(130_000, step_ms=1_000)
    assert robots(world).rules.mode == "rules"


@pytest.mark.parametrize("flushed", range(12))
def test_a_crash_anywhere_in_admission_counts_every_url_once(flushed):
    world = crawling()
    world.frontier.append(links(link("/p/1"), link("/p/2"), link("/p/3")), world.now_ms)
    world.frontier.crash_in_step(sends=99, flushed=flushed)
    world.frontier.start_owner(world.now_ms)
    world.settle()
    counted = [row for _, row in world.frontier.rows.scan("targets", b"shop|") if row.kind == "page"]
    assert source(world).urls == len(counted) == 4
