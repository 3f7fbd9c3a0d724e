"""A scripted storefront in place of the fetch pool: answers tasks through the real rules, and notes every request it sees."""

import gzip
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from streams.fetch.egress import EgressRefused
from streams.fetch.exchange import Answer
from streams.fetch.outcome import verdict
from streams.fetch.report import body_ref, ended, expiry, is_conditional, manifest_of, request_of
from streams.fetch.spent import SpentPermits
from streams.stage import Emit
from topics import specs
from topics.events.crawl import BodyRef, FetchTask

ORIGIN = "https://shop.example"
AGENT = "adcat-crawler/test (+crawler@adcat.invalid)"
ELAPSED_MS = 90
HTML = "text/html; charset=utf-8"


@dataclass(frozen=True, kw_only=True)
class Seen:
    """One request as the site saw it."""

    url: str
    at_ms: int
    until_ms: int
    task: FetchTask


@dataclass
class Site:
    """Pages by URL, everything else is 404.

    Attributes:
        answers: what a URL answers.
        slow_ms: extra time that the next requests of a URL take, one after the other.
        elapsed_ms: time that any request takes.
        clock_ms: how far the workers' clocks are ahead.
        down: when set, what every page answers; proof and robots.txt stay.
        bodies: the object store.
        seen: every request.
    """

    answers: dict[str, Answer] = field(default_factory=dict)
    slow_ms: dict[str, list[int]] = field(default_factory=dict)
    elapsed_ms: int = ELAPSED_MS
    clock_ms: int = 0
    down: Callable[[str], Answer] | None = None
    bodies: dict[str, bytes] = field(default_factory=dict)
    seen: list[Seen] = field(default_factory=list)
    spent: SpentPermits = field(default_factory=SpentPermits)

    def page(self, path: str, body: bytes | str, *, status: int = 200, content_type: str = HTML, **headers: str) -> str:
        """Puts a page; returns its URL."""
        url = path if "://" in path else ORIGIN + path
        raw = body.encode() if isinstance(body, str) else body
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answers[url] = Answer(
            status=status,
            headers={"content-type": content_type, **named},
            body=raw if status == 200 else None,
            elapsed_ms=ELAPSED_MS,
        )
        return url

    def gone(self, path: str, status: int = 404) -> None:
        """Takes a page away."""
        self.answers[ORIGIN + path] = Answer(status=status, elapsed_ms=ELAPSED_MS)

    def paths(self) -> list[str]:
        return [one.url.removeprefix(ORIGIN) for one in self.seen]

    def serve(self, task: FetchTask, origin: str, now_ms: int) -> tuple[int, Sequence[Emit]]:
        """The effect: waits for the permit, asks once, reports what came."""
        if not self.spent.spend(task.permit, now_ms):
            return 0, ()
        at_ms = max(now_ms, task.permit.not_before_ms)
        answer, end_ms = self._ask(task, at_ms)
        clock_ms = end_ms + self.clock_ms
        found = verdict(answer, task.url, clock_ms, conditional=is_conditional(task))
        body = self._keep(task, answer, clock_ms) if found.outcome == "page" else None
        (key, outcome), (budget, back) = ended(task, origin, found, answer, now_ms=clock_ms, body=body)
        outputs = (
            Emit(topic=specs.FRONTIER_EVENT, key=key, event=outcome),
            Emit(topic=specs.BUDGET_EVENT, key=budget, event=back),
        )
        return end_ms - now_ms, outputs

    def _ask(self, task: FetchTask, at_ms: int) -> tuple[Answer, int]:
        late = expiry(task, at_ms)
        try:
            request = request_of(task, AGENT)
        except EgressRefused as refused:
            late = refused.reason
        if late is not None:
            return Answer(error=late, refused=True), at_ms
        answer = self.answers.get(request.url, Answer(status=404, elapsed_ms=ELAPSED_MS))
        if self.down is not None and task.kind in ("page", "sitemap"):
            answer = self.down(request.url)
        etag = answer.headers.get("etag")
        if etag is not None and request.headers.get("If-None-Match") == etag:
            answer = Answer(status=304, headers={"etag": etag}, elapsed_ms=ELAPSED_MS)
        slow = self.slow_ms.get(task.url)
        end_ms = at_ms + self.elapsed_ms + (slow.pop(0) if slow else 0)
        self.seen.append(Seen(url=task.url, at_ms=at_ms, until_ms=end_ms, task=task))
        return answer, end_ms

    def _keep(self, task: FetchTask, answer: Answer, now_ms: int) -> BodyRef:
        assert answer.body is not None
        sha256 = hashlib.sha256(answer.body).hexdigest()
        self.bodies[sha256] = answer.body
        manifest = manifest_of(task, answer, sha256=sha256, location=sha256, agent=AGENT, now_ms=now_ms)
        return body_ref(manifest, f"manifests/{task.observation_id}")


def product(number: int, price: str | None = "19.99", *, currency: str | None = "USD", stock: str = "InStock") -> str:
    """A product page with JSON-LD; `None` leaves a field out."""
    offer = {"@type": "Offer", "availability": f"https://schema.org/{stock}"}
    if price is not None:
        offer["price"] = price
    if currency is not None:
        offer["priceCurrency"] = currency
    thing = {"@context": "https://schema.org", "@type": "Product", "name": f"Oak stool {number}", "sku": f"OS-{number}"}
    script = json.dumps({**thing, "offers": offer})
    return (
        f'<!doctype html><html lang="en"><head><title>Oak stool {number} | Demo Shop</title>'
        f'<script type="application/ld+json">{script}</script></head><body><main><h1>Oak stool {number}</h1>'
        '<form action="/cart/add" method="post"><button type="submit" class="add-to-cart">Add to cart</button></form>'
        "</main></body></html>"
    )


def listing(*paths: str) -> str:
    """A page of links."""
    items = "".join(f'<li><a href="{path}">{path}</a></li>' for path in paths)
    return f'<!doctype html><html lang="en"><head><title>All</title></head><body><ul>{items}</ul></body></html>'


def sitemap(*paths: str) -> bytes:
    """A sitemap, gzipped."""
    urls = "".join(f"<url><loc>{ORIGIN}{path}</loc></url>" for path in paths)
    text = f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>'
    return gzip.compress(text.encode(), mtime=0)
