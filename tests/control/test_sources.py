"""The rules of a source's life: epochs only grow, a revocation is never undone by something older (SPEC B1, B5)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from control import sources
from control.capacity import admission
from control.request import countries, merged, read_request
from control.sources import Change, judge
from topics.errors import Invalid
from topics.events.crawl import ProofObserved
from topics.events.policy import DAY_MS, MerchantPolicy, Selector

NOW_MS = 1_800_000_000_000
SHOP = {
    "start_url": "https://shop.example/a?b=1",
    "markets": ["US:USD", "FR:EUR"],
    "crawl_permission": True,
    "legal_review": "reviewed by ann",
    "media_permission": True,
    "media_origins": ["https://cdn.example"],
}


def _request(**changes):
    return read_request(SHOP | changes, allow_loopback=False)


def _registered():
    return sources.register("shop", _request(), "secret", NOW_MS).source


def _observed(source, **changes):
    given = {
        "event_id": "0" * 32,
        "occurred_at_ms": NOW_MS,
        "merchant": source.merchant,
        "source_epoch": source.source_epoch,
        "outcome": "page",
        "status": 200,
        "extract": f"# ours\r\n  {source.proof_token} \n",
        "evidence_at_ms": NOW_MS,
    }
    return ProofObserved(**(given | changes))


def _enabled():
    source = _registered()
    return sources.prove(source, _observed(source), NOW_MS).source


def _commands(change):
    return [event.command for event in change.events if not isinstance(event, MerchantPolicy)]


def test_the_policy_says_what_the_request_said():
    change = sources.register("shop", _request(interval_ms=250), "secret", NOW_MS)
    policy = change.events[0]
    assert policy.proof_url == "https://shop.example/.well-known/adcat-verification.txt"
    assert policy.allowed_origins == ("https://shop.example",)
    assert policy.media_origins == ("https://cdn.example",)
    assert [market.key for market in policy.markets] == ["US:USD", "FR:EUR"]
    assert (policy.budget_key, policy.interval_ms) == ("https://shop.example", 250)
    assert (policy.status, policy.live, _commands(change)) == ("pending", False, ["verify"])


def test_the_policy_carries_selectors_in_one_order_and_a_lost_source_gets_them_back():
    change = sources.register("shop", _request(selectors={"name": "h1", "price": "#now"}), "secret", NOW_MS)
    policy = change.events[0]
    assert policy.selectors == (Selector(field="price", css="#now"), Selector(field="name", css="h1"))
    back = sources.recovered(policy, "fresh", NOW_MS).source
    assert back.request.selectors == {"price": "#now", "name": "h1"}
    same = sources.reconfigure(change.source, _request(selectors={"price": "#now", "name": "h1"}), "t", NOW_MS)
    assert same.events == (), "the order in which they are written means nothing"


def test_every_field_of_a_policy_is_set_on_purpose():
    ours = {
        "event_id",
        "occurred_at_ms",
        "merchant",
        "policy_rev",
        "status",
        "source_epoch",
        "disable_epoch",
        "proof_url",
        "refresh_ms",
        "selectors",
    }
    assert ours | set(sources._COPIED) == set(MerchantPolicy.__dataclass_fields__)


def test_an_accepted_proof_enables_and_crawls():
    source = _registered()
    change = sources.prove(source, _observed(source), NOW_MS)
    assert change.events[0].live
    assert _commands(change) == ["crawl"]
    assert sources.prove(change.source, _observed(source), NOW_MS) == Change(source=change.source)


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"outcome": "missing", "status": 404, "extract": None}, "404"),
        ({"outcome": "failed", "status": None, "extract": None}, "no answer"),
        ({"outcome": "redirected", "status": 302}, "redirect"),
        ({"extract": None}, "does not contain"),
        ({"extract": "secret-and-more"}, "does not contain"),
        ({"extract": "sécret"}, "does not contain"),
    ],
)
def test_a_failed_proof_leaves_the_source_pending_with_its_reason(changes, word):
    source = _registered()
    change = sources.prove(source, _observed(source, **changes), NOW_MS)
    assert (change.source.status, change.events) == ("pending", ())
    assert word in change.source.proof.reason


def test_a_proof_of_another_epoch_proves_nothing():
    source = _registered()
    assert sources.prove(source, _observed(source, source_epoch=0), NOW_MS).source == source
    assert judge("secret", _observed(source)).ok


def test_a_source_disabled_before_its_proof_must_still_prove_control():
    source = _registered()
    revoked = sources.disable(source, NOW_MS).source
    assert sources.prove(revoked, _observed(source), NOW_MS).source == revoked
    again = sources.enable(revoked, NOW_MS)
    assert (again.source.status, _commands(again)) == ("pending", ["verify"])
    assert sources.enable(again.source, NOW_MS).events == ()


@pytest.mark.parametrize(
    ("changes", "epoch"),
    [
        ({"interval_ms": 5_000}, 1),
        ({"allowed_origins": ["https://shop.example", "https://m.shop.example"]}, 1),
        ({"markets": ["US:USD", "FR:EUR", "JP:JPY"]}, 1),
        ({"markets": ["FR:EUR", "US:USD"]}, 2),
        ({"markets": ["US:USD"]}, 2),
        ({"media_origins": []}, 2),
        ({"headers": [{"name": "X-Shop", "value": "a"}]}, 2),
        ({"selectors": {"price": "#now"}}, 2),
        ({"start_url": "https://shop.example/other"}, 2),
    ],
)
def test_the_epoch_grows_exactly_when_outstanding_work_is_invalid(changes, epoch):
    change = sources.reconfigure(_enabled(), _request(**changes), "fresh", NOW_MS)
    assert (change.source.source_epoch, change.source.status) == (epoch, "enabled")
    assert _commands(change) == (["crawl"] if epoch == 2 else [])


def test_a_new_start_origin_must_be_proven_with_a_new_token():
    change = sources.reconfigure(_enabled(), _request(start_url="https://new.example/"), "fresh", NOW_MS)
    assert (change.source.status, change.source.proven, change.source.proof_token) == ("pending", False, "fresh")
    assert _commands(change) == ["verify"]
    revoked = sources.disable(_enabled(), NOW_MS).source
    moved = sources.reconfigure(revoked, _request(start_url="https://new.example/"), "fresh", NOW_MS)
    assert (moved.source.status, _commands(moved)) == ("disabled", [])


def test_an_unchanged_request_changes_nothing():
    source = _enabled()
    assert (
        sources.reconfigure(source, read_request(merged(source.request, {}), allow_loopback=False), "t", 0).events == ()
    )


@given(st.lists(st.sampled_from(["disable", "enable", "prove", "touch", "move"]), max_size=20))
def test_epochs_and_revisions_only_grow_and_a_disabled_source_is_never_live(steps):
    source = _registered()
    for number, step in enumerate(steps):
        before = source
        if step == "prove":
            change = sources.prove(source, _observed(source), NOW_MS + number)
        elif step in ("touch", "move"):
            wanted = _request(depth_max=number, start_url=f"https://shop.example/{number if step == 'move' else 0}")
            change = sources.reconfigure(source, wanted, f"t{number}", NOW_MS + number)
        else:
            change = getattr(sources, step)(source, NOW_MS + number)
        source = change.source
        assert source.source_epoch >= before.source_epoch
        assert source.disable_epoch >= before.disable_epoch
        assert source.policy_rev == before.policy_rev + len(
            [one for one in change.events if isinstance(one, MerchantPolicy)]
        )
        for event in change.events:
            if isinstance(event, MerchantPolicy):
                assert event.live == (source.status == "enabled")
        assert (source.status == "disabled") == (source.source_epoch == source.disable_epoch)


def test_event_ids_differ_between_changes_and_repeat_for_the_same_one():
    source = _enabled()
    one, two = sources.refresh(source, NOW_MS), sources.refresh(source, NOW_MS)
    assert one == two
    assert sources.refresh(one.source, NOW_MS).events[0].event_id != one.events[0].event_id
    restored = sources.refresh(source, NOW_MS + 1)  # the same counter value again, after a restore from a backup
    assert restored.events[0].event_id != one.events[0].event_id


def test_half_a_million_urls_at_one_request_a_second_take_5_8_days():
    figures = admission(_request(urls_max=500_000, refresh_ms=DAY_MS, media_origins=[], media_permission=False), 0)
    assert round(figures.cycle_ms / DAY_MS, 1) == 5.8
    assert figures.shortfall_per_day == 575_000 - 86_400


def test_a_commitment_that_fits_reports_no_shortfall():
    request = _request(urls_expected=10_000, refresh_ms=DAY_MS)
    figures = admission(request, 70_000)
    assert (figures.committed_per_day, figures.shortfall_per_day, figures.ways_out) == (12_500, 0, ())
    assert admission(request, 80_000).shortfall_per_day == 80_000 + 12_500 - 86_400


@pytest.mark.parametrize("age_ms", [60_000, DAY_MS, 90 * DAY_MS])
def test_a_refresh_that_nobody_chose_is_due_at_four_fifths_of_the_maximum_age(age_ms):
    request = _request(field_age_ms_max=age_ms, urls_expected=10_000)
    policy = sources.register("shop", request, "secret", NOW_MS).events[0]
    assert policy.refresh_ms == admission(request, 0).refresh_ms == age_ms * 4 // 5
    assert admission(request, 0).committed_per_day == -(-10_000 * DAY_MS * 5 * 1_250 // (age_ms * 4 * 1_000))


def test_a_refresh_that_nobody_chose_follows_the_maximum_age():
    source = _enabled()
    younger = read_request(merged(source.request, {"field_age_ms_max": DAY_MS // 4}), allow_loopback=False)
    policy = sources.reconfigure(source, younger, "fresh", NOW_MS).events[0]
    assert (policy.refresh_ms, policy.source_epoch) == (DAY_MS // 5, 1)


def test_there_are_249_countries():
    assert len(countries()) == 249


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:8000/", "http://localhost:8000/", "http://[::1]:8000/", "http://a.localhost/"]
)
def test_loopback_needs_the_development_setting(url):
    with pytest.raises(Invalid, match="start_url"):
        read_request(SHOP | {"start_url": url}, allow_loopback=False)
    assert read_request(SHOP | {"start_url": url}, allow_loopback=True).start_url == url


@pytest.mark.parametrize("url", ["http://10.0.0.1/", "http://169.254.169.254/", "http://[fd00::1]/", "http://8.8.8.8/"])
def test_other_addresses_are_refused_even_then(url):
    with pytest.raises(Invalid, match="start_url"):
        read_request(SHOP | {"start_url": url}, allow_loopback=True)
