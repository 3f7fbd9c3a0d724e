"""robots.txt by RFC 9309, reduced to the lines that speak to us (SPEC E3).

The fetch worker turns a body into an *extract*: the lines of our group, our crawl delay and the sitemaps, at most 32 KiB, itself
a valid robots.txt. The frontier decides from the outcome what the site allows and asks the extract for every URL at claim time.
Grouping is done here, because RFC 9309 wants an exact product token and unknown records without effect (2.2.1, 2.2.4);
Protego matches the paths.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from protego import Protego

from topics.errors import Invalid
from topics.urls import parse_url

PRODUCT_TOKEN = "adcat-crawler"  # noqa: S105 - RFC 9309's word for the crawler's name
BODY_BYTES_MAX = 512 * 1024  # RFC 9309 2.5 wants at least 500 KiB
LINE_CHARS_MAX = 2_083 * 8  # where Google's parser cuts a line
EXTRACT_BYTES_MAX = 32 * 1024
SITEMAPS_MAX = 100
LIFETIME_MS = 86_400_000  # RFC 9309 2.4: cached rules are used for at most 24 hours
RECHECK_MS = 600_000
CRAWL_DELAY_MS_MAX = 86_400_000

_AGENT = ("user-agent", "useragent", "user agent")
_DISALLOW = ("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw")
_SITEMAP = ("sitemap", "sitemaps", "site-map")
_DELAY = ("crawl-delay", "crawl delay", "crawldelay")
_FIELDS = (
    dict.fromkeys(_AGENT, "user-agent")
    | dict.fromkeys(_DISALLOW, "disallow")
    | dict.fromkeys(_SITEMAP, "sitemap")
    | dict.fromkeys(_DELAY, "crawl-delay")
    | {"allow": "allow"}
)
_TOKEN = re.compile(r"[A-Za-z_-]+")
_DELAY_VALUE = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,6})?\Z")
_NOT_PRINTABLE = re.compile(r"[^\x21-\x7e]")
_COARSENED = "# coarsened: our lines exceeded the limit, so allow lines were dropped and paths shortened"


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsExtract:
    """What a robots.txt says to one product token.

    Attributes:
        rules: `Allow: <path>` and `Disallow: <path>` lines of the group that applies, in order.
        sitemaps: absolute URLs, at most 100.
        crawl_delay_ms: least time between two requests that the group asks for, or None.
        coarsened: the lines exceeded the limit and were made stricter until they fitted.
    """

    rules: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()
    crawl_delay_ms: int | None = None
    coarsened: bool = False

    def to_text(self) -> str:
        """Returns the extract as a robots.txt of at most 32 KiB; `from_text` is the inverse."""
        lines = [_COARSENED] if self.coarsened else []
        lines.append("User-agent: *")  # whoever the lines were selected for, nobody reads them as no rules
        if self.crawl_delay_ms is not None:
            lines.append(f"Crawl-delay: {self.crawl_delay_ms / 1_000:.3f}")
        lines += [*self.rules, *(f"Sitemap: {url}" for url in self.sitemaps)]
        return "\n".join(lines)

    @classmethod
    def from_text(cls, text: str) -> "RobotsExtract":
        """Returns the extract that `to_text` wrote."""
        found = read_rules(text.encode(), PRODUCT_TOKEN)
        coarsened = text.startswith(_COARSENED)
        return cls(rules=found.rules, sitemaps=found.sitemaps, crawl_delay_ms=found.crawl_delay_ms, coarsened=coarsened)


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsState:
    """What the outcome of a robots.txt target means for its origin.

    Attributes:
        mode: `rules` (use the extract), `allow_all`, `pause` (nothing new is crawled) or `unchanged` (304: the cached rules live on).
        reason: short word for operators and the log.
        extract: the rules, in mode `rules` only.
        lifetime_ms: fetch robots.txt again after this; a pause is re-checked sooner.
        keeps_cached: while paused, rules fetched before may still be used inside their own lifetime (RFC 9309 2.3.1.4).
    """

    mode: str
    reason: str
    extract: RobotsExtract | None = None
    lifetime_ms: int = LIFETIME_MS
    keeps_cached: bool = False


def decide(outcome: str, status: int | None, extract: str | None, retry_after_ms: int | None = None) -> RobotsState:
    """Returns the state of an origin from the outcome of its robots.txt target: decided by status before any parsing.

    RFC 9309 2.3.1, narrowed by policy: 401, 403, 429, an egress refusal, an unfollowed redirect and everything unreachable pause;
    other 4xx allow. A refusal of ours never turns into permission.

    Args:
        outcome: outcome word (SPEC E6).
        status: HTTP status, None when no answer came.
        extract: text of the extract, for outcome `page`.
        retry_after_ms: how long the site asked to be left alone.
    """
    if outcome == "page":
        return RobotsState(mode="rules", reason="fetched", extract=RobotsExtract.from_text(extract or ""))
    if outcome == "not_modified":
        return RobotsState(mode="unchanged", reason=outcome)
    unavailable = outcome == "failed" and status is not None and 400 <= status <= 499
    if outcome in ("missing", "gone") or unavailable:
        return RobotsState(mode="allow_all", reason=f"unavailable_{status}")
    unreachable = outcome == "failed"
    return RobotsState(
        mode="pause",
        reason="unreachable" if unreachable else outcome,
        lifetime_ms=max(RECHECK_MS, retry_after_ms or 0),
        keeps_cached=unreachable,
    )


def allows(extract: RobotsExtract | str, url: str) -> bool:
    """True when the extract (or its text) lets us fetch the URL; robots.txt itself is always allowed.

    Args:
        extract: of the URL's own origin; the caller chooses it.
        url: as it will be sent, percent-encoded (`Url.href`).
    """
    text = extract if isinstance(extract, str) else extract.to_text()
    allowed: bool = _parsed(text).can_fetch(url, PRODUCT_TOKEN)
    return allowed


@lru_cache(maxsize=4_096)
def _parsed(text: str) -> Protego:
    return Protego.parse(text)


def read_rules(body: bytes, product_token: str = PRODUCT_TOKEN) -> RobotsExtract:
    """Returns what a robots.txt body says to `product_token`: its own groups merged, else the groups of `*` (RFC 9309 2.2.1).

    Args:
        body: decoded bytes; only the first 512 KiB are read.
        product_token: matched whole and without regard to case.
    """
    groups: dict[str, list[str]] = {}
    delays: dict[str, int] = {}
    sitemaps: dict[str, None] = {}
    agents: set[str] = set()
    rules_seen = False
    for name, value in _records(body):
        if name == "user-agent":
            agents = {_agent(value)} if rules_seen else agents | {_agent(value)}
            rules_seen = False
            groups.setdefault(_agent(value), [])
        elif name == "sitemap":
            _keep_sitemap(value, sitemaps)
        elif name == "crawl-delay":
            _keep_delay(value, agents, delays)
        else:
            rules_seen = True
            if value:
                for agent in agents:
                    groups[agent].append(f"{name.capitalize()}: {value}")
    ours = product_token.casefold() if product_token.casefold() in groups else "*"
    return _bounded(tuple(dict.fromkeys(groups.get(ours, ()))), tuple(sitemaps), delays.get(ours))


def _records(body: bytes) -> Iterator[tuple[str, str]]:
    """Yields the known records as (field, value); unknown lines have no effect (RFC 9309 2.2.4)."""
    text = body[:BODY_BYTES_MAX].decode("utf-8-sig", errors="replace")
    for raw in re.split(r"\r\n|\r|\n", text):
        line = raw[:LINE_CHARS_MAX].partition("#")[0].strip()
        written, colon, value = line.partition(":")
        if not colon:
            written, value = (*line.split(None, 1), "", "")[:2]
        name = _FIELDS.get(written.strip().casefold())
        if name is not None:
            yield name, _printable(value.strip())


def _printable(value: str) -> str:
    """Percent-encodes what a path may not hold raw, so that no value can start a new line for a later parser."""
    return _NOT_PRINTABLE.sub(lambda found: "".join(f"%{octet:02X}" for octet in found[0].encode()), value)


def _agent(value: str) -> str:
    if value.startswith("*"):
        return "*"
    found = _TOKEN.match(value)
    return found[0].casefold() if found else ""


def _keep_sitemap(value: str, sitemaps: dict[str, None]) -> None:
    if len(sitemaps) < SITEMAPS_MAX:
        try:
            sitemaps[parse_url(value).href] = None
        except Invalid:
            return  # a relative or broken sitemap line names nothing


def _keep_delay(value: str, agents: set[str], delays: dict[str, int]) -> None:
    if _DELAY_VALUE.match(value):
        delay_ms = min(round(float(value) * 1_000), CRAWL_DELAY_MS_MAX)
        for agent in agents:
            delays[agent] = max(delay_ms, delays.get(agent, 0))


def _bounded(rules: tuple[str, ...], sitemaps: tuple[str, ...], delay_ms: int | None) -> RobotsExtract:
    """Fits the extract into its limit: sitemaps give way first, then rules get stricter, never looser.

    Without the allow lines, a disallowed path cut short forbids what it forbade and more. (With them it could lose to a longer
    allow line, RFC 9309 2.2.2.)
    """
    found = RobotsExtract(rules=rules, sitemaps=sitemaps, crawl_delay_ms=delay_ms)
    while found.sitemaps and len(found.to_text()) > EXTRACT_BYTES_MAX:
        found = RobotsExtract(rules=rules, sitemaps=found.sitemaps[: len(found.sitemaps) // 2], crawl_delay_ms=delay_ms)
    path_chars = 256
    while len(found.to_text()) > EXTRACT_BYTES_MAX:
        short = [line[: len("Disallow: ") + path_chars].rstrip("$%") for line in rules if line.startswith("Disallow")]
        found = RobotsExtract(rules=tuple(dict.fromkeys(short)), crawl_delay_ms=delay_ms, coarsened=True)
        path_chars //= 2
    return found
