"""Hypothesis strategies for the published language: any event that its class accepts."""

import dataclasses
import types
import typing
from typing import Any

from hypothesis import strategies as st

from topics.events import crawl, offer, policy
from topics.events.base import Event
from topics.fence import Fence

LONG_MAX = (1 << 63) - 1
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
longs = st.integers(-LONG_MAX - 1, LONG_MAX)
fences = st.builds(
    Fence,
    source_epoch=st.integers(0, 3),
    term=st.integers(0, 3),
    generation=st.integers(0, 3) | st.integers(0, LONG_MAX),
)
WORDS = {
    ("MerchantPolicy", "status"): policy.STATUSES,
    ("SourceCommanded", "command"): policy.COMMANDS,
    ("FetchTask", "kind"): crawl.TARGET_KINDS,
    ("FetchOutcome", "outcome"): crawl.OUTCOMES,
    ("PageObserved", "outcome"): crawl.OUTCOMES,
    ("TargetObserved", "presence"): offer.PRESENCES,
}
SPECIAL: dict[tuple[str, str], st.SearchStrategy[Any]] = {
    ("OfferContent", "price_minor"): st.integers(0, LONG_MAX),
    ("OfferContent", "exponent"): st.integers(0, 4),
    ("MerchantPolicy", "source_epoch"): st.integers(5, 9),
    ("MerchantPolicy", "disable_epoch"): st.integers(0, 5),
    ("MerchantPolicy", "interval_ms"): st.integers(1, LONG_MAX),
    ("MerchantPolicy", "concurrency_max"): st.integers(1, 9),
    ("MerchantPolicy", "markets"): st.lists(
        st.builds(policy.Market, country=texts, currency=texts), min_size=1, max_size=2
    ).map(tuple),
}


def instances(cls: type) -> st.SearchStrategy[Any]:
    """Returns a strategy for a dataclass of the published language, by its field types."""
    if cls is Fence:
        return fences
    if cls is offer.CatalogEntry:
        return st.one_of(
            _built(cls, lifecycle=st.just("tombstoned"), content=st.none()),
            _built(
                cls,
                lifecycle=st.sampled_from([one for one in offer.LIFECYCLES if one != "tombstoned"]),
                content=instances(offer.OfferContent),
            ),
        )
    return _built(cls)


def events(*classes: type[Event]) -> st.SearchStrategy[Event]:
    """Returns a strategy for events of these classes."""
    return st.sampled_from(classes).flatmap(instances)


def _built(cls: type, **given: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    hints = typing.get_type_hints(cls)
    return st.builds(
        cls,
        **{
            one.name: given[one.name] if one.name in given else _field(cls, one.name, hints[one.name])
            for one in dataclasses.fields(cls)
        },
    )


def _field(cls: type, name: str, hint: Any) -> st.SearchStrategy[Any]:
    at = (cls.__name__, name)
    if at in WORDS:
        return st.sampled_from(WORDS[at])
    return SPECIAL[at] if at in SPECIAL else _typed(hint)


def _typed(hint: Any) -> st.SearchStrategy[Any]:
    simple = {str: texts, int: longs, bool: st.booleans(), bytes: st.binary(max_size=12)}
    if hint in simple:
        return simple[hint]
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is tuple:
        return st.lists(_typed(args[0]), max_size=2).map(tuple)
    if origin in (types.UnionType, typing.Union):
        return st.none() | _typed(args[0])
    return st.deferred(lambda: instances(hint))
