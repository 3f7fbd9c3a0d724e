"""What a task asks for and what its end reports: pure rules around the one request (DESIGN §6)."""

from streams.blobs.manifest import Manifest, Provenance, clean, kept_headers
from streams.fetch.egress import EgressRefused
from streams.fetch.exchange import Answer, Request
from streams.fetch.limits import LIMITS_BY_KIND, PROOF_BYTES_MAX
from streams.fetch.outcome import Verdict
from streams.robots import PRODUCT_TOKEN, read_rules
from topics.events.base import event_id
from topics.events.crawl import BodyRef, FetchOutcome, FetchTask, PermitReturned
from topics.keys import join_key, merchant_key

ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,text/plain;q=0.8,*/*;q=0.1"
VALIDATOR_CHARS_MAX = 512
# A policy may add headers (a language, a key that lets us past a merchant's own firewall), but not take over the exchange.
_OURS = frozenset(
    (
        *("host", "user-agent", "accept-encoding", "if-none-match", "if-modified-since", "range", "content-length"),
        *("connection", "transfer-encoding", "te", "trailer", "upgrade", "keep-alive", "expect", "cookie", "from"),
    )
)
_BARRED_PREFIXES = ("proxy-", "sec-")


def user_agent(version: str, contact: str) -> str:
    """Returns the stable User-Agent; its product token is the one robots rules are matched with (SPEC B2)."""
    return f"{PRODUCT_TOKEN}/{version} (+{contact})"


def expiry(task: FetchTask, now_ms: int) -> str | None:
    """Returns why a task must not be run any more, `permit_expired` or `lease_lapsed`, or None."""
    if now_ms >= task.permit.expires_at_ms:
        return "permit_expired"
    if now_ms >= task.lease_until_ms:
        return "lease_lapsed"
    return None


def is_conditional(task: FetchTask) -> bool:
    """True when validators are sent."""
    return task.etag is not None or task.last_modified is not None


def request_of(task: FetchTask, agent: str) -> Request:
    """Returns the request of a task; raises EgressRefused (`header_denied`) for a header that is not the policy's to set."""
    headers = {"User-Agent": agent, "Accept": ACCEPT, "Accept-Encoding": "gzip"}
    for header in task.headers:
        name = header.name.lower()
        if name in _OURS or name.startswith(_BARRED_PREFIXES):
            raise EgressRefused("header_denied")
        headers[header.name] = header.value
    if task.etag is not None:
        headers["If-None-Match"] = task.etag
    if task.last_modified is not None:
        headers["If-Modified-Since"] = task.last_modified
    return Request(
        url=task.url, origins=frozenset(task.allowed_origins), headers=headers, limits=LIMITS_BY_KIND[task.kind]
    )


def manifest_of(task: FetchTask, answer: Answer, *, sha256: str, location: str, agent: str, now_ms: int) -> Manifest:
    """Returns the manifest of a stored body."""
    assert answer.body is not None
    assert answer.status is not None
    return Manifest(
        url=task.url,
        fetched_at_ms=now_ms,
        status=answer.status,
        sha256=sha256,
        body=location,
        length=len(answer.body),
        headers=kept_headers(answer.headers),
        etag=validator(answer.headers.get("etag")),
        last_modified=validator(answer.headers.get("last-modified")),
        provenance=Provenance(
            merchant=task.merchant,
            target_id=task.target_id,
            kind=task.kind,
            fence=task.fence,
            observation_id=task.observation_id,
            permit_id=task.permit.permit_id,
            user_agent=agent,
            conditional=is_conditional(task),
        ),
    )


def body_ref(manifest: Manifest, location: str) -> BodyRef:
    """Returns the reference that events carry in the body's place."""
    content_type = manifest.headers.get("content-type")
    return BodyRef(
        sha256=manifest.sha256,
        location=manifest.body,
        manifest=location,
        length=manifest.length,
        content_type=None if content_type is None else content_type[:200],
    )


def extract_of(kind: str, body: bytes) -> str | None:
    """Returns what the frontier and control read directly: our robots lines, or the first 1 KiB of a proof."""
    if kind == "robots":
        return read_rules(body).to_text()
    if kind == "proof":
        return body[:PROOF_BYTES_MAX].decode("utf-8", "replace")
    return None


def validator(value: str | None) -> str | None:
    """Returns a validator that can be sent back byte for byte, else None; a mangled one would never match (RFC 9110 8.8)."""
    if not value or len(value) > VALIDATOR_CHARS_MAX or not value.isascii() or not value.isprintable():
        return None
    return value


def ended(
    task: FetchTask, origin: str, verdict: Verdict, answer: Answer, *, now_ms: int, body: BodyRef | None = None
) -> tuple[tuple[bytes, FetchOutcome], tuple[bytes, PermitReturned]]:
    """Returns (key, event) of the outcome and of the returned permit: one each, equal for equal input.

    Args:
        task: the claim.
        origin: coordinates of the task's record, `topic/partition/offset`.
        verdict: what the answer means.
        answer: what came back; an empty one when nothing was sent.
        now_ms: wall clock at the end of the body.
        body: reference to the stored body, for outcome `page`.
    """
    assert (body is not None) == (verdict.outcome == "page")
    # A 304 may leave out what has not changed: the validators that it confirmed stay good.
    kept_etag, kept_date = (task.etag, task.last_modified) if verdict.outcome == "not_modified" else (None, None)
    key, budget = merchant_key(task.merchant), join_key(task.permit.budget_key)
    outcome = FetchOutcome(
        event_id=event_id("FetchOutcome", key, task.fence, origin, 0),
        occurred_at_ms=task.occurred_at_ms,
        merchant=task.merchant,
        target_id=task.target_id,
        kind=task.kind,
        url=task.url,
        fence=task.fence,
        observation_id=task.observation_id,
        permit_id=task.permit.permit_id,
        outcome=verdict.outcome,
        reason=clean(verdict.reason),
        status=answer.status,
        fetched_at_ms=now_ms,
        body=body,
        etag=validator(answer.headers.get("etag")) or kept_etag,
        last_modified=validator(answer.headers.get("last-modified")) or kept_date,
        retry_after_ms=verdict.retry_after_ms,
        redirect_to=verdict.redirect_to,
        extract=extract_of(task.kind, answer.body) if verdict.outcome == "page" and answer.body is not None else None,
    )
    returned = PermitReturned(
        event_id=event_id("PermitReturned", budget, task.fence, origin, 1),
        occurred_at_ms=task.occurred_at_ms,
        budget_key=task.permit.budget_key,
        merchant=task.merchant,
        permit_id=task.permit.permit_id,
        outcome=verdict.outcome,
        retry_after_ms=verdict.retry_after_ms,
        elapsed_ms=answer.elapsed_ms,
    )
    return (key, outcome), (budget, returned)
