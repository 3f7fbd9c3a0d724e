"""Publication under drops, repeats, reordering, revocations and crashes, against a small reference model.

A machine claims observations in the frontier's order (one growing generation), delivers what they say in any order, any
number of times, and sometimes dies after some of an event's writes, then handles the event again.
"""

import itertools
from collections import defaultdict
from typing import Any

import hypothesis.strategies as st
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from streams.rows import encode_row
from streams.stage import Emit
from tests.publication.support import (
    HOUR,
    START,
    Crash,
    Partition,
    candidate,
    content,
    fence,
    observed,
    offer,
    policy,
)
from topics.events.offer import CandidateProposed, CatalogEntry, TargetObserved
from topics.fence import Fence
from topics.keys import OfferKey
from topics.specs import OFFER_CATALOG

KEYS = (offer("pid:1"), offer("pid:2"), offer("url:" + "b" * 32))
TARGETS = ("t1", "t2")


def order(made: Fence) -> tuple[int, int, int]:
    return made.source_epoch, made.term, made.generation


class Publication(RuleBasedStateMachine):
    """The stage beside the model: `current` per offer, `ended` per offer, `shown` per target, the policy."""

    def __init__(self) -> None:
        super().__init__()
        self.partition = Partition()
        self.generation = 0
        self.now_ms = START
        self.epoch, self.disabled, self.rev, self.enabled = 0, 0, 0, False
        self.messages: list[Any] = []
        self.current: dict[bytes, tuple[tuple[int, int, int], int]] = {}
        self.ended: dict[bytes, tuple[int, int, int]] = {}
        self.alias: dict[bytes, bytes] = {}
        self.shown: dict[str, tuple[tuple[int, int, int], frozenset[bytes]]] = {}
        self.history: dict[bytes, list[CatalogEntry]] = defaultdict(list)
        self.sent: dict[str, Emit] = {}
        self.evidence_of: dict[str, int] = {}
        self.misses: dict[bytes, int] = defaultdict(int)

    # What the world does ---------------------------------------------------------------------------------------------

    @initialize(known=st.booleans())
    def begin(self, known: bool) -> None:
        if known:
            self.enable()

    @rule()
    def enable(self) -> None:
        self.epoch, self.rev, self.enabled = self.epoch + 1, self.rev + 1, True
        self.deliver(policy(self.rev, source_epoch=self.epoch, disable_epoch=self.disabled), None)

    @precondition(lambda self: self.enabled)
    @rule()
    def revoke(self) -> None:
        self.epoch, self.rev, self.enabled = self.epoch + 1, self.rev + 1, False
        self.disabled = self.epoch
        self.deliver(policy(self.rev, status="disabled", source_epoch=self.epoch, disable_epoch=self.disabled), None)

    @rule(page=st.sampled_from(TARGETS), keys=st.sets(st.sampled_from(KEYS)), price=st.integers(0, 3))
    def page_is_seen(self, page: str, keys: set[OfferKey], price: int) -> None:
        made = self.claim(page)
        listed = sorted(keys, key=lambda key: key.key)
        at = self.now_ms
        says = content(price, url="https://shop.example/x")
        self.messages += [
            candidate(0, key=key, target=page, made=made, content=says, evidence_at_ms=at) for key in listed
        ]
        self.messages.append(self.presence(page, made, "live", listed))

    @rule(page=st.sampled_from(TARGETS), presence=st.sampled_from(("missing", "gone", "unclear")))
    def page_is_absent(self, page: str, presence: str) -> None:
        self.messages.append(self.presence(page, self.claim(page), presence, []))

    @rule(hours=st.sampled_from((1, 6, 24)))
    def time_passes(self, hours: int) -> None:
        self.now_ms += hours * HOUR

    # What the log does -----------------------------------------------------------------------------------------------

    crashes = st.one_of(st.none(), st.lists(st.integers(0, 3), max_size=3))

    @precondition(lambda self: self.messages)
    @rule(at=st.integers(0, 1 << 16), again=st.booleans(), dies=crashes)
    def message_arrives(self, at: int, again: bool, dies: list[int] | None) -> None:
        message = self.messages[at % len(self.messages)]
        if not again:
            self.messages.remove(message)
        self.deliver(message, dies)

    @precondition(lambda self: self.messages)
    @rule()
    def everything_arrives_in_order(self) -> None:
        messages, self.messages = self.messages, []
        for message in messages:
            self.deliver(message, None)

    @precondition(lambda self: self.messages)
    @rule(at=st.integers(0, 1 << 16))
    def message_is_lost(self, at: int) -> None:
        self.messages.pop(at % len(self.messages))

    @precondition(lambda self: self.messages)
    @rule(at=st.integers(0, 1 << 16), price=st.integers(0, 3))
    def observation_is_promoted_through_a_new_parser(self, at: int, price: int) -> None:
        message = self.messages[at % len(self.messages)]
        if isinstance(message, CandidateProposed):
            fields = {name: getattr(message, name) for name in ("target_id", "observation_id", "evidence_at_ms")}
            says = content(price, url="https://shop.example/x")
            self.messages.append(
                candidate(0, key=message.offer_key, made=message.fence, decision_rev=2, content=says, **fields)
            )

    # The model -------------------------------------------------------------------------------------------------------

    def deliver(self, message: Any, dies: list[int] | None) -> None:
        expected = self.expects(message)
        offset = self.partition.append(message, self.now_ms)
        for flushes in dies or ():
            try:
                self.collect(self.partition.run(offset, flushes), offset)
            except Crash:
                self.collect(self.partition.sent, offset)
        emits = self.partition.run(offset)
        self.collect(emits, offset)
        self.apply(message, emits, expected)

    def expects(self, message: Any) -> bool | None:
        """True when the model publishes this candidate, None for what it leaves open."""
        if not isinstance(message, CandidateProposed):
            return None
        own = message.offer_key.key
        key = self.alias.get(own, own)
        made = order(message.fence)
        if not self.enabled or made[0] != self.epoch or made[0] <= self.disabled:
            return False
        if made <= self.ended.get(key, (-1, -1, -1)) or (made, message.decision_rev) <= self.current.get(
            key, ((-1, -1, -1), -1)
        ):
            return False
        seen, keys = self.shown.get(message.target_id, ((-1, -1, -1), frozenset()))
        return made >= seen or own in keys or key in keys

    def apply(self, message: Any, emits: list[Emit], expected: bool | None) -> None:
        entries = [emit.event for emit in emits if emit.topic == OFFER_CATALOG]
        if expected is not None:
            assert [True] * expected == [True] * len(entries), f"the model expected {expected}"
        if isinstance(message, TargetObserved):
            self.apply_presence(message, entries)
        for entry in entries:
            key = entry.offer_key.key
            if isinstance(message, CandidateProposed):
                self.current[key] = (order(message.fence), message.decision_rev)
                self.misses[key] = 0
            if entry.lifecycle in ("inactive", "tombstoned"):
                assert isinstance(message, TargetObserved)
                self.ended[key] = order(message.fence)
            if entry.lifecycle == "tombstoned":
                self.current[key] = (order(message.fence), entry.decision_rev)
            if entry.reason == "identity_upgraded":
                self.alias[key] = self.partition.get("offers", key).alias_of.encode()

    def apply_presence(self, message: TargetObserved, entries: list[CatalogEntry]) -> None:
        made = order(message.fence)
        authorized = self.enabled and made[0] == self.epoch and made[0] > self.disabled
        fresh = made > self.shown.get(message.target_id, ((-1, -1, -1), frozenset()))[0]
        if not authorized or not fresh or message.presence == "unclear":
            assert entries == []
            return
        keys = frozenset(self.alias.get(key.encode(), key.encode()) for key in message.offer_keys)
        self.shown[message.target_id] = (made, keys)
        for entry in entries:
            key = entry.offer_key.key
            assert key not in keys, "an offer that is shown is not missed"
            assert made > self.current[key][0], "an older absence says nothing about a newer acceptance"
            self.misses[key] += 1
            if entry.lifecycle == "inactive":
                assert self.misses[key] >= 2, "one miss is never an end"
            if entry.lifecycle == "tombstoned" and entry.reason == "gone":
                assert message.presence == "gone"
                assert self.misses[key] >= 2, "one 410 is never an end"

    def collect(self, emits: list[Emit], offset: int) -> None:
        for emit in emits:
            known = self.sent.setdefault(emit.event.event_id, emit)
            assert known == emit, "a repeated decision repeats its bytes"
            if emit.topic == OFFER_CATALOG:
                entries = self.history[emit.key]
                if (not entries or entries[-1] != emit.event) and emit.event not in entries:
                    assert emit.event.revision & 0xFFFFFFFF == offset
                    entries.append(emit.event)

    def claim(self, target: str) -> Fence:
        self.generation += 1
        made = fence(self.generation, epoch=max(self.epoch, 1))
        self.evidence_of[f"{target}-{made.source_epoch}-{made.generation}"] = self.now_ms
        return made

    def presence(self, target: str, made: Fence, presence: str, keys: list[OfferKey]) -> TargetObserved:
        return observed(
            made.generation, presence, keys, target=target, epoch=made.source_epoch, evidence_at_ms=self.now_ms
        )

    # Invariants of DESIGN §10 ----------------------------------------------------------------------------------------

    @invariant()
    def fences_and_revisions_only_grow(self) -> None:
        for entries in self.history.values():
            for before, after in itertools.pairwise(entries):
                assert after.revision > before.revision
                assert order(after.fence) >= order(before.fence)

    @invariant()
    def nothing_passes_a_tombstone(self) -> None:
        for entries in self.history.values():
            for before, after in itertools.pairwise(entries):
                if before.lifecycle == "tombstoned":
                    assert order(after.fence) > order(before.fence)

    @invariant()
    def evidence_is_that_of_the_observation(self) -> None:
        for entries in self.history.values():
            for entry in entries:
                if entry.content is not None:
                    assert entry.evidence_at_ms == self.evidence_of[entry.observation_id]
                    assert entry.eligible_until_ms <= entry.evidence_at_ms + 24 * HOUR

    @invariant()
    def a_rewound_log_changes_nothing(self) -> None:
        if len(self.partition.log) % 7:
            return
        rows = dict(self.partition.rows)
        for offset in range(len(self.partition.log)):
            for emit in self.partition.run(offset):
                assert self.sent[emit.event.event_id] == emit
        assert rows == self.partition.rows

    def teardown(self) -> None:
        """The same log gives the same catalog, and the same rows, without any crash."""
        calm = Partition(log=self.partition.log)
        for offset in range(len(calm.log)):
            calm.run(offset)
        assert calm.catalog() == self.partition.catalog()
        assert calm.rows == self.partition.rows
        assert all(encode_row(self.partition.get(*at)) == raw for at, raw in calm.rows.items())


TestPublication = Publication.TestCase
TestPublication.settings = settings(max_examples=120, stateful_step_count=40, deadline=None, derandomize=True)
