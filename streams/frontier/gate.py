"""May this target be fetched now: policy first, then robots.txt, which only ever takes away (SPEC B1, B3, E3)."""

from dataclasses import dataclass, field

from streams.frontier.rows import RobotsRules, TargetRow
from streams.frontier.turn import Turn
from streams.robots import allows
from topics.errors import Invalid
from topics.events.policy import MerchantPolicy
from topics.urls import Url, parse_url, target_id

_PENDING_KINDS = ("robots", "proof")


def robots_target_id(origin: str) -> str:
    """Returns the target id of an origin's robots.txt; the context keeps it apart from a page of that URL."""
    return target_id(f"{origin}/robots.txt", "robots")


def permits_kind(policy: MerchantPolicy | None, kind: str) -> bool:
    """True when the source's status lets targets of this kind be fetched; unknown policy authorizes nothing."""
    if policy is None or policy.source_epoch <= policy.disable_epoch:
        return False
    return policy.status == "enabled" or (policy.status == "pending" and kind in _PENDING_KINDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the gate says about one target.

    Attributes:
        word: `go`, `wait` (an answer is on its way), `defer` (look again at `until_ms`), `disallowed` or `off_origin`.
        until_ms: for `defer`.
        origin: whose robots rules are missing, for `wait`.
    """

    word: str
    until_ms: int = 0
    origin: str | None = None


_GO = Verdict(word="go")
_WAIT = Verdict(word="wait")
_OFF_ORIGIN = Verdict(word="off_origin")
_DISALLOWED = Verdict(word="disallowed")


@dataclass(slots=True, kw_only=True)
class Gate:
    """The gate of one merchant for the length of one event; reads each origin's rules once."""

    turn: Turn
    merchant: str
    policy: MerchantPolicy | None
    _rules: dict[str, RobotsRules | None] = field(default_factory=dict)

    def judge(self, row: TargetRow) -> Verdict:
        """Returns what may happen to a target now."""
        policy = self.policy
        if policy is None or not permits_kind(policy, row.kind):
            return _WAIT
        try:
            url = parse_url(row.url)
        except Invalid:
            return _OFF_ORIGIN
        if url.origin not in policy.allowed_origins:
            return _OFF_ORIGIN
        return _GO if row.kind == "robots" else self._by_robots(url)

    def _by_robots(self, url: Url) -> Verdict:
        rules = self.rules(url.origin)
        if rules is None:
            return Verdict(word="wait", origin=url.origin)
        if rules.mode == "pause":
            return Verdict(word="defer", until_ms=rules.until_ms)
        if rules.mode == "rules" and not allows(rules.text, url.href):
            return _DISALLOWED
        return _GO

    def rules(self, origin: str) -> RobotsRules | None:
        """Returns the unexpired rules of an origin, None when they are unknown."""
        if origin not in self._rules:
            row = self.turn.target(self.merchant, robots_target_id(origin))
            known = row is not None and row.rules is not None and row.rules.until_ms > self.turn.now_ms
            self._rules[origin] = row.rules if known and row is not None else None
        return self._rules[origin]

    def interval_ms(self) -> int:
        """Returns the least time between two requests: the policy's, lengthened by any Crawl-delay, never shortened."""
        assert self.policy is not None
        found = (self.rules(origin) for origin in self.policy.allowed_origins)
        delays = [rules.crawl_delay_ms for rules in found if rules is not None]
        return max([self.policy.interval_ms, *delays])
