"""Which ready targets of a site come next (SPEC D5): priority order with a share that discovery cannot lose.

Lanes: control (robots, proof, seed), offers (products), discovery (sitemaps, listings, the rest). Control comes first. Of every
`DISCOVERY_EVERY` claims one goes to discovery before offers, so neither starves; an empty lane leaves its turn to the other.
Within a lane: rank, then waiting time.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from streams.frontier.admit import ensure_robots
from streams.frontier.gate import Gate, Verdict
from streams.frontier.index import CONTROL_LANE, DISCOVERY_LANE, OFFER_LANE, lane_prefix, put_target, read_ready_key
from streams.frontier.rows import READY, TargetRow
from streams.frontier.turn import Turn

DISCOVERY_EVERY = 4
LOOKS_MAX = 128
"""Most ready entries of a lane that one event looks at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """A target that may be claimed now.

    Attributes:
        entry: its key in the ready queue.
        target_id: the target.
        row: its row as stored.
    """

    entry: bytes
    target_id: str
    row: TargetRow


@dataclass(slots=True, kw_only=True)
class Picker:
    """Picks for one merchant in one event.

    Attributes:
        turn: the event in hand.
        merchant: whose targets.
        gate: judges each target.
        obsolete: ready entries to remove after the rows are put.
        woke: a robots.txt was admitted, so the site has work although nothing was picked.
    """

    turn: Turn
    merchant: str
    gate: Gate
    obsolete: list[bytes] = field(default_factory=list)
    woke: bool = False

    def picks(self, claimed: int, picks_max: int) -> Iterator[Pick]:
        """Yields claimable targets in the order in which they should be claimed.

        Args:
            claimed: claims of this source so far; decides whose turn it is.
            picks_max: stop after this many.
        """
        lanes = {lane: self._lane(lane) for lane in (CONTROL_LANE, OFFER_LANE, DISCOVERY_LANE)}
        for turn_of in range(claimed, claimed + picks_max):
            late = turn_of % DISCOVERY_EVERY == DISCOVERY_EVERY - 1
            order = (CONTROL_LANE, DISCOVERY_LANE, OFFER_LANE) if late else (CONTROL_LANE, OFFER_LANE, DISCOVERY_LANE)
            found = next((pick for pick in (next(lanes[lane], None) for lane in order) if pick is not None), None)
            if found is None:
                return
            yield found

    def _lane(self, lane: int) -> Iterator[Pick]:
        # A list, because judging may put entries while the lane is read.
        entries = [
            entry for entry, _ in islice(self.turn.view.scan(READY, lane_prefix(self.merchant, lane)), LOOKS_MAX)
        ]
        for entry in entries:
            due_at_ms, target_id = read_ready_key(entry)
            row = self.turn.target(self.merchant, target_id)
            if row is not None and row.applied > self.turn.offset:
                continue  # an old event handled again must not touch what a later one wrote
            if row is None or not self._stands(row, due_at_ms):
                self.obsolete.append(entry)
            elif self._goes(entry, target_id, row):
                yield Pick(entry=entry, target_id=target_id, row=row)

    def _stands(self, row: TargetRow, due_at_ms: int) -> bool:
        """True when the entry still speaks of its row, or when this very event claimed it before a crash."""
        claimed_by_this_event = row.leased and row.applied == self.turn.offset
        return row.due_at_ms == due_at_ms or claimed_by_this_event

    def _goes(self, entry: bytes, target_id: str, row: TargetRow) -> bool:
        verdict = self.gate.judge(row)
        if verdict.word == "go":
            return True
        if verdict.word == "wait":
            if verdict.origin is not None and ensure_robots(self.turn, self.merchant, verdict.origin):
                self.woke = True
            return False
        self.obsolete.append(entry)
        self._put_aside(target_id, row, verdict)
        return False

    def _put_aside(self, target_id: str, row: TargetRow, verdict: Verdict) -> None:
        """Gives a target that may not be fetched a later time; a refusal is shown once, when the state changes."""
        policy = self.gate.policy
        assert policy is not None
        now_ms = self.turn.now_ms
        if verdict.word == "defer":
            aside = replace(row, next_fetch_at_ms=max(verdict.until_ms, now_ms + 1))
        else:
            aside = replace(row, state=verdict.word, next_fetch_at_ms=now_ms + policy.refresh_ms)
            if row.state != verdict.word:
                reason = "robots_disallowed" if verdict.word == "disallowed" else "off_origin"
                detail = f"{reason}: not fetched; judged again after {policy.refresh_ms} ms"
                self.turn.quarantine(self.merchant, target_id, url=row.url, reason=reason, detail=detail)
        put_target(self.turn, self.merchant, target_id, replace(aside, applied=self.turn.offset, lease_until_ms=0))
