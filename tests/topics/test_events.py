"""Events cannot be built wrong: each refusal names its field."""

from typing import Any

import pytest

from topics.errors import Invalid
from topics.events.base import Event
from topics.events.crawl import OUTCOMES, FoundLink, LinksFound, Permit
from topics.events.offer import BUYABLE, CandidateProposed, OfferContent
from topics.events.policy import Market, MerchantPolicy, PolicyProof
from topics.fence import Fence
from topics.specs import EVENTS, TABLES, TOPICS, changelog

FENCE = Fence(source_epoch=1, term=1, generation=1)
COMMON = {"event_id": "0" * 32, "occurred_at_ms": 1, "merchant": "acme"}
CONTENT: dict[str, Any] = {
    "url": "https://shop.example/",
    "name": "Shoe",
    "price_minor": 1,
    "currency": "USD",
    "exponent": 2,
    "availability": "InStock",
}
POLICY: dict[str, Any] = COMMON | {
    "policy_rev": 1,
    "status": "enabled",
    "source_epoch": 2,
    "disable_epoch": 1,
    "start_url": "https://shop.example/",
    "proof_url": "https://shop.example/p",
    "allowed_origins": ("https://shop.example",),
    "markets": (Market(country="US", currency="USD"),),
    "budget_key": "shop.example",
}
ENTRY: dict[str, Any] = COMMON | {
    "identity": "pid:1",
    "variant": "-",
    "market": "US:USD",
    "revision": 1,
    "fence": FENCE,
    "decision_rev": 1,
    "observation_id": "o",
    "target_id": "t",
    "parser_rev": "p",
    "lifecycle": "active",
    "reason": "",
    "evidence_at_ms": 1,
    "eligible_until_ms": 2,
    "content_digest": "",
    "content": OfferContent(**CONTENT),
}
OUTCOME: dict[str, Any] = COMMON | {
    "target_id": "t",
    "kind": "page",
    "url": "https://shop.example/",
    "fence": FENCE,
    "observation_id": "o",
    "permit_id": "p",
    "outcome": "page",
    "reason": "",
    "fetched_at_ms": 1,
}
BASES: dict[str, dict[str, Any]] = {
    "MerchantPolicy": POLICY,
    "CatalogEntry": ENTRY,
    "FetchOutcome": OUTCOME,
    "PageObserved": {name: OUTCOME[name] for name in OUTCOME if name not in ("permit_id", "fetched_at_ms")}
    | {
        "identity_url": "https://shop.example/",
        "depth": 0,
        "evidence_at_ms": 1,
        "allowed_origins": (),
        "markets": (),
        "variant_params": (),
    },
    "FetchTask": {name: OUTCOME[name] for name in ("target_id", "kind", "url", "fence", "observation_id")}
    | COMMON
    | {
        "permit": Permit(permit_id="p", budget_key="b", term=1, not_before_ms=1, expires_at_ms=2),
        "claimed_at_ms": 1,
        "lease_until_ms": 2,
        "allowed_origins": (),
    },
    "SourceCommanded": COMMON | {"command": "crawl", "source_epoch": 1},
    "TargetObserved": COMMON
    | {
        "target_id": "t",
        "fence": FENCE,
        "observation_id": "o",
        "evidence_at_ms": 1,
        "presence": "live",
        "reason": "",
    },
}


@pytest.mark.parametrize(
    ("event", "field", "value"),
    [
        ("MerchantPolicy", "status", "on"),
        ("MerchantPolicy", "disable_epoch", 3),
        ("MerchantPolicy", "markets", ()),
        ("MerchantPolicy", "interval_ms", 0),
        ("CatalogEntry", "lifecycle", "gone"),
        ("CatalogEntry", "content", None),
        ("FetchOutcome", "outcome", "ok"),
        ("PageObserved", "outcome", "ok"),
        ("FetchTask", "kind", "image"),
        ("SourceCommanded", "command", "stop"),
        ("TargetObserved", "presence", "dead"),
    ],
)
def test_a_word_or_figure_outside_its_range_is_refused_by_name(event: str, field: str, value: Any):
    cls = next(one for one in EVENTS if one.__name__ == event)
    cls(**BASES[event])
    with pytest.raises(Invalid) as refused:
        cls(**(BASES[event] | {field: value}))
    assert refused.value.field == field
    assert refused.value.remedy


@pytest.mark.parametrize(("field", "value"), [("price_minor", -1), ("exponent", 5), ("exponent", -1)])
def test_money_outside_its_range_is_refused(field: str, value: int):
    with pytest.raises(Invalid) as refused:
        OfferContent(**(CONTENT | {field: value}))
    assert refused.value.field == field


def test_a_tombstone_has_no_content_and_nothing_else_lacks_it():
    cls = next(one for one in EVENTS if one.__name__ == "CatalogEntry")
    with pytest.raises(Invalid):
        cls(**(ENTRY | {"lifecycle": "tombstoned"}))
    assert cls(**(ENTRY | {"lifecycle": "tombstoned", "content": None})).offer_key.product_id == "acme|pid:1|-"


def test_at_most_500_links_an_event():
    link = FoundLink(
        url="https://a.example/", identity_url="https://a.example/", target_id="t", kind="page", hint="other"
    )
    fields: dict[str, Any] = COMMON | {"target_id": "t", "fence": FENCE, "depth": 1}
    assert len(LinksFound(**fields, links=(link,) * 500).links) == 500
    with pytest.raises(Invalid) as refused:
        LinksFound(**fields, links=(link,) * 501)
    assert refused.value.field == "links"


def test_equal_content_has_an_equal_digest_and_any_field_changes_it():
    content = OfferContent(**CONTENT)
    assert content.digest == OfferContent(**CONTENT).digest
    changed = [{"price_minor": 2}, {"currency": "EUR"}, {"availability": "OutOfStock"}, {"brand": "b"}, {"name": ""}]
    digests = {OfferContent(**(CONTENT | one)).digest for one in changed}
    assert len(digests | {content.digest}) == 1 + len(changed)


def test_a_policy_is_live_only_when_enabled_and_above_its_disable_epoch():
    assert MerchantPolicy(**POLICY).live
    assert not MerchantPolicy(**(POLICY | {"status": "disabled"})).live
    assert not MerchantPolicy(**(POLICY | {"disable_epoch": 2})).live
    assert MerchantPolicy(**POLICY).markets[0].key == "US:USD"


def test_a_proofs_signature_covers_every_field_that_it_speaks_about():
    fields: dict[str, Any] = {
        "event_id": "0" * 32,
        "occurred_at_ms": 1,
        "policy_log": "merchant-policy",
        "partition": 0,
        "complete_to": 5,
        "issued_at_ms": 6,
        "expires_at_ms": 7,
        "key_id": "k",
        "signature": b"",
    }
    changed = {
        "policy_log": "x",
        "partition": 1,
        "complete_to": 6,
        "issued_at_ms": 5,
        "expires_at_ms": 8,
        "key_id": "l",
    }
    signed = {PolicyProof(**(fields | {name: value})).signed_bytes() for name, value in changed.items()}
    assert len(signed | {PolicyProof(**fields).signed_bytes()}) == 1 + len(changed)


def test_unknown_availability_is_never_buyable():
    assert "Unknown" not in BUYABLE
    assert "OutOfStock" not in BUYABLE


def test_a_candidate_names_its_offer():
    shape = {name: ENTRY[name] for name in ("identity", "variant", "market", "target_id", "fence", "decision_rev")}
    more = {name: ENTRY[name] for name in ("observation_id", "evidence_at_ms", "parser_rev", "content")}
    assert CandidateProposed(**COMMON, **shape, **more).offer_key.key == b"acme|pid:1|-|US:USD"


def test_every_event_has_an_identity_and_a_broker_time():
    assert all(issubclass(one, Event) for one in EVENTS)
    assert len(OUTCOMES) == len(set(OUTCOMES))


def test_the_topic_table_holds_a_changelog_for_each_durable_table():
    for app, tables in TABLES.items():
        for table in tables:
            assert TOPICS[changelog(app, table)].config["cleanup.policy"] == "compact"
    assert all(TOPICS[name].config["message.timestamp.type"] == "LogAppendTime" for name in TOPICS if "event" in name)
