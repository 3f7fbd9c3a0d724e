"""The parse stage: an accepted observation becomes links, candidates, presence facts and visible refusals.

Its only state is, per target, the fence last read and the digest of the links last sent, and per template how well its pages
were read (`gate.py`). Reading is pure (SPEC F7), so an event that is handled again gives the same outputs with the same ids.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from streams.discovery.links import LinkSet
from streams.parse.gate import Template, mark_of, marked, template_of
from streams.parse.offers import CLAIMS_MAX, ReadOffer, read_offers
from streams.parse.read import PageRead, parser_rev
from streams.stage import Emit, Position, Stage, TableSpec, View
from topics.errors import Reject
from topics.events.base import Event, event_id
from topics.events.crawl import FoundLink, LinksFound
from topics.events.offer import CandidateProposed, Quarantined, TargetObserved
from topics.evidence import Claim
from topics.fence import Fence
from topics.keys import join_key, merchant_key, target_key
from topics.specs import FRONTIER_EVENT, OFFER_DECISION, PAGE_OBSERVED, QUARANTINE
from topics.urls import offer_identity_url

PAGES = "pages"
TEMPLATES = "templates"
DECISION_REV = 1
"""Order of this parser release among the readings of one observation; control issues the next (DESIGN §5)."""

REFUSALS_MAX = 20
PRESENCE_OF_OUTCOME = {"missing": "missing", "gone": "gone", "redirected": "missing"}
PRESENCE_OF_VERDICT = {"product": "live", "soft_404": "missing"}
WITHOUT_BODY = frozenset({"missing", "gone", "redirected", "blocked", "throttled", "failed", "refused", "block_page"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedTarget:
    """What parse remembers of a target.

    Attributes:
        applied: offset of the observation last read.
        fence: its fence.
        links_digest: of the links last sent and what they were sent under (`_said`), empty before the first.
        links_at: offset of the observation that sent them; handled again, it sends them again, and no other one does.
    """

    applied: int
    fence: Fence
    links_digest: str = ""
    links_at: int = -1


class Stale(Reject):
    """An observation that a later one of the same target already superseded."""


@dataclass(slots=True)
class _Outputs:
    """Builds the events of one observation with ids derived from its position."""

    page: PageRead
    position: Position
    emits: list[Emit]

    def add(self, topic: str, key: bytes, kind: type[Event], **fields: object) -> None:
        observed = self.page.observed
        identity = event_id(kind.__name__, key, observed.fence, self.position.origin, len(self.emits))
        event = kind(event_id=identity, occurred_at_ms=self.position.now_ms, merchant=observed.merchant, **fields)  # type: ignore[call-arg]
        self.emits.append(Emit(topic=topic, key=key, event=event))

    def quarantine(self, subject: bytes, field: str, reason: str, detail: str, claims: tuple[Claim, ...] = ()) -> None:
        observed = self.page.observed
        self.add(
            QUARANTINE,
            subject,
            Quarantined,
            stage="parse",
            subject=subject.decode(),
            url=observed.url,
            target_id=observed.target_id,
            fence=observed.fence,
            observation_id=observed.observation_id,
            evidence_at_ms=observed.evidence_at_ms,
            field=field,
            reason=reason,
            detail=detail,
            claims=claims[:CLAIMS_MAX],
        )


def handle(view: View, page: PageRead, position: Position) -> Sequence[Emit]:
    """Returns what one observation says; raises Stale when a later observation of the target was read before."""
    observed = page.observed
    key = target_key(observed.merchant, observed.target_id)
    row: ParsedTarget | None = view.get(PAGES, key)
    if row is not None and row.fence.supersedes(observed.fence):
        raise Stale(f"{observed.target_id} was read at a later fence")
    outputs = _Outputs(page=page, position=position, emits=[])
    digest, links_at = _links(outputs, row, position)
    if observed.kind == "page":
        offers = list(_offers(page))
        _presence(outputs, offers, _gate(view, outputs, offers))
    if page.failure is not None:
        outputs.quarantine(key, "page", page.failure, "the body could not be read; this is never taken for absence")
    view.put(
        PAGES, key, ParsedTarget(applied=position.offset, fence=observed.fence, links_digest=digest, links_at=links_at)
    )
    return outputs.emits


def _links(outputs: _Outputs, row: ParsedTarget | None, position: Position) -> tuple[str, int]:
    """Adds the links unless an earlier observation sent them; returns their digest and who sent them, to remember."""
    page = outputs.page
    before, sent_at = (row.links_digest, row.links_at) if row is not None else ("", -1)
    if page.links is None:
        return before, sent_at
    digest = _said(page, page.links)
    if digest == before and sent_at != position.offset:
        return digest, sent_at
    observed = page.observed
    for chunk in page.links.chunks():
        links = tuple(
            FoundLink(
                url=link.url,
                identity_url=link.identity_url,
                target_id=link.target_id,
                kind=link.kind,
                hint=link.hint,
                lastmod_ms=link.lastmod_ms,
            )
            for link in chunk
        )
        outputs.add(
            FRONTIER_EVENT,
            merchant_key(observed.merchant),
            LinksFound,
            target_id=observed.target_id,
            fence=observed.fence,
            depth=chunk[0].depth,
            links=links,
            product=_sells(page),
        )
    _traps(outputs)
    return digest, position.offset


def _said(page: PageRead, links: LinkSet) -> str:
    """Returns what is worth saying once: the links, whether their page sells something, and the bounds that they met.

    Under wider bounds the same links are said again, because the frontier keeps none that it refused.
    """
    return f"{links.digest} {page.observed.bounds_rev} {int(_sells(page))}"


def _sells(page: PageRead) -> bool:
    return page.reading is not None and page.reading.verdict == "product"


def _traps(outputs: _Outputs) -> None:
    """Reports bounds and traps once per reason; links of other origins and files are no news."""
    page = outputs.page
    assert page.links is not None
    subject = target_key(page.observed.merchant, page.observed.target_id)
    first: dict[str, str] = {}
    for url, reason in page.links.dropped:
        if reason not in ORDINARY_DROPS:
            first.setdefault(reason, url)
    for reason, url in sorted(first.items())[:REFUSALS_MAX]:
        outputs.quarantine(
            subject, "links", reason, f"{page.links.dropped_total} links were left out, for example {url}"
        )


ORDINARY_DROPS = frozenset({"origin", "not_a_page", "not_followed", "action", "nofollow", "invalid_url"})


def _offers(page: PageRead) -> Iterator[ReadOffer]:
    if page.reading is None or not _sells(page):
        return
    # The page's own URL, not its canonical link: `rel=canonical` is evidence, never permission to merge (SPEC C6).
    identity = offer_identity_url(page.observed.identity_url, page.observed.variant_params)
    yield from read_offers(page.observed, page.reading, identity)


def _gate(view: View, outputs: _Outputs, offers: list[ReadOffer]) -> Template | None:
    """Marks the page's template and reports when that closes or reopens it; None when the page is no product page."""
    page, position = outputs.page, outputs.position
    if page.reading is None or not _sells(page):
        return None
    name = template_of(page.observed.identity_url, page.reading.lanes)
    key = join_key(page.observed.merchant, name)
    mark = mark_of(page.reading, filled=any(offer.content is not None for offer in offers))
    row = marked(view.get(TEMPLATES, key), mark, offset=position.offset, parser_rev=parser_rev(page.observed))
    view.put(TEMPLATES, key, row)
    if row.turned == position.offset:
        reason = "template_closed" if row.closed else "template_reopened"
        outputs.quarantine(key, "template", reason, f"{name}: {row.rates}")
    return row


def _presence(outputs: _Outputs, offers: list[ReadOffer], template: Template | None) -> None:
    """Adds candidates, refusals, and last the presence fact, so that publish knows the offers before it counts misses."""
    page, observed = outputs.page, outputs.page.observed
    for offer in offers:
        _candidate(outputs, offer, template)
    if page.reading is not None:
        subject = target_key(observed.merchant, observed.target_id)
        for refusal in page.reading.refusals[:REFUSALS_MAX]:
            detail = f"{len(refusal.claims)} claims, page verdict {page.reading.verdict}"
            outputs.quarantine(subject, refusal.field, refusal.reason, detail, refusal.claims)
    presence, reason = _judged(page, offers)
    outputs.add(
        OFFER_DECISION,
        merchant_key(observed.merchant),
        TargetObserved,
        target_id=observed.target_id,
        fence=observed.fence,
        observation_id=observed.observation_id,
        evidence_at_ms=observed.evidence_at_ms,
        presence=presence,
        reason=reason,
        offer_keys=tuple(offer.key.key.decode() for offer in offers if offer.key is not None),
    )


def _candidate(outputs: _Outputs, offer: ReadOffer, template: Template | None) -> None:
    observed = outputs.page.observed
    if offer.key is None or offer.content is None:
        subject = target_key(observed.merchant, observed.target_id) if offer.key is None else offer.key.key
        for field, reason in offer.missing:
            outputs.quarantine(subject, field, reason, "an offer is published with every required field or not at all")
        return
    if template is not None and template.closed:
        outputs.quarantine(offer.key.key, "page", "template_closed", str(template.rates), _price_claims(offer))
        return
    outputs.add(
        OFFER_DECISION,
        merchant_key(observed.merchant),
        CandidateProposed,
        identity=offer.key.identity,
        variant=offer.key.variant,
        market=offer.key.market,
        target_id=observed.target_id,
        fence=observed.fence,
        decision_rev=DECISION_REV,
        observation_id=observed.observation_id,
        evidence_at_ms=observed.evidence_at_ms,
        parser_rev=parser_rev(observed),
        content=offer.content,
        evidence=offer.evidence,
    )


def _price_claims(offer: ReadOffer) -> tuple[Claim, ...]:
    return next((one.claims for one in offer.evidence if one.field == "price_minor"), ())


def _judged(page: PageRead, offers: list[ReadOffer]) -> tuple[str, str]:
    """Returns (presence, reason). Only 404, 410, a redirect and a soft 404 are absence; everything else unread is unclear."""
    outcome = page.observed.outcome
    if outcome in WITHOUT_BODY:
        return PRESENCE_OF_OUTCOME.get(outcome, "unclear"), page.observed.reason or outcome
    if page.reading is None:
        return "unclear", page.failure or "unread"
    presence = PRESENCE_OF_VERDICT.get(page.reading.verdict, "unclear")
    if presence == "live" and not offers:
        return "unclear", "product_without_offers"
    return presence, page.reading.verdict


PARSE = Stage(
    name="parse",
    inboxes=(PAGE_OBSERVED,),
    tables=(TableSpec(name=PAGES, row=ParsedTarget), TableSpec(name=TEMPLATES, row=Template)),
    handle=handle,
)
