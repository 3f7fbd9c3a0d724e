"""What must hold after any run, however it was disturbed (DESIGN §10)."""

from collections import defaultdict
from dataclasses import replace
from itertools import pairwise

from tests.flows.world import World
from topics import specs
from topics.events.crawl import FetchTask, PageObserved
from topics.events.offer import CatalogEntry


def no_site_sees_more_than_its_budget(world: World) -> None:
    """Token bucket and concurrency, from the times of the requests; a burst is at most the concurrency."""
    interval_ms, at_once = world.request.interval_ms, world.request.concurrency_max
    seen = sorted(world.site.seen, key=lambda one: one.at_ms)
    for one in seen:
        permit = one.task.permit
        assert permit.not_before_ms <= one.at_ms < permit.expires_at_ms, "a request inside its permit's time"
        running = [other for other in seen if other.at_ms <= one.at_ms < other.until_ms]
        assert len(running) <= at_once, f"{len(running)} requests at once"
    for first in range(len(seen)):
        for last in range(first, len(seen)):
            span_ms = seen[last].at_ms - seen[first].at_ms
            assert last - first + 1 <= span_ms / interval_ms + at_once, f"{last - first + 1} requests in {span_ms} ms"
    slots = sorted(one.task.permit.not_before_ms for one in seen)
    assert all(later - earlier >= interval_ms for earlier, later in pairwise(slots)), "slots are spaced"


def a_permit_is_spent_at_most_once(world: World) -> None:
    permits = [one.task.permit.permit_id for one in world.site.seen]
    assert len(set(permits)) == len(permits)
    claims = {(one.permit.permit_id, one.observation_id) for one in world.tasks()}
    assert len({permit for permit, _ in claims}) == len(claims), "a permit is bound to one claim"


def one_claim_at_most_one_observation(world: World) -> None:
    claims = {(one.target_id, one.fence): one.observation_id for one in world.events(specs.FETCH_TASK, FetchTask)}
    assert len(set(claims.values())) == len(claims), "an observation id names one claim"
    said: dict[str, set[str]] = defaultdict(set)
    for one in world.events(specs.PAGE_OBSERVED, PageObserved):
        assert claims[one.target_id, one.fence] == one.observation_id
        said[one.observation_id].add(one.event_id)
    assert all(len(ids) == 1 for ids in said.values()), "an observation said twice is the same event"


def an_observation_is_of_the_latest_claim(world: World) -> None:
    """When it is accepted, no later claim of its target has been sent."""
    sent = [(one.append_ms, one.event) for one in world.logs.all(specs.FETCH_TASK)]
    for record in world.logs.all(specs.PAGE_OBSERVED):
        for at_ms, task in sent:
            if task.target_id == record.event.target_id and at_ms < record.append_ms:
                assert not task.fence.supersedes(record.event.fence), (
                    f"{record.event.url}: a replaced claim was accepted"
                )


def an_accepted_target_is_never_lost(world: World) -> None:
    for url, row in world.targets().items():
        assert row.outcome is not None or row.state in ("disallowed", "off_origin"), f"{url} has no end: {row}"


def fences_and_revisions_only_grow(world: World) -> None:
    """In the order of the logs; an equal one is the same record again."""
    claims: dict[str, FetchTask] = {}
    for task in world.tasks():
        before = claims.get(task.target_id)
        if before is not None and before.fence != task.fence:
            assert task.fence.supersedes(before.fence)
        # Another event may say the claim again; lease, permit, observation are the same (`streams/frontier/claim.py`).
        again = before is not None and before.fence == task.fence
        assert not again or task == replace(before, event_id=task.event_id, occurred_at_ms=task.occurred_at_ms)
        claims[task.target_id] = task
    entries: dict[bytes, CatalogEntry] = {}
    for entry in world.events(specs.OFFER_CATALOG, CatalogEntry):
        last = entries.get(entry.offer_key.key)
        assert last is None or entry == last or entry.revision > last.revision
        assert last is None or entry == last or not last.fence.supersedes(entry.fence)
        entries[entry.offer_key.key] = entry


def a_replica_had_nothing_to_survive(world: World) -> None:
    if world.catalog():
        world.batch_get()
    assert world.region.alarms == []


LAWS = (
    no_site_sees_more_than_its_budget,
    a_permit_is_spent_at_most_once,
    one_claim_at_most_one_observation,
    an_observation_is_of_the_latest_claim,
    an_accepted_target_is_never_lost,
    fences_and_revisions_only_grow,
    a_replica_had_nothing_to_survive,
)


def all_hold(world: World) -> None:
    for law in LAWS:
        law(world)
