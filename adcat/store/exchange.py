"""From a reply to an HTTP answer: content coding, strong validators, conditions (RFC 9110 8.8, 12.5.3, 13.1). Pure."""

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import formatdate, parsedate_to_datetime
from typing import Final

from adcat.store.shelf import Reply

CODED_TYPES: Final = ("text/", "application/xml", "application/json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Status, headers and body as they go out."""

    status: int
    headers: dict[str, str]
    body: bytes


def answer(reply: Reply, request_headers: Mapping[str, str]) -> Answer:
    """What goes out for a reply to a request with these headers (names looked up as `Accept-Encoding` is written)."""
    headers = {"Content-Type": reply.content_type}
    body = reply.body
    if reply.location is not None:
        headers["Location"] = reply.location
    codable = reply.content_type.startswith(CODED_TYPES)
    coded = codable and accepts_gzip(request_headers.get("Accept-Encoding", ""))
    if codable:
        headers["Vary"] = "Accept-Encoding"
    if coded:
        body = gzip.compress(body, mtime=0)  # no time in the header: equal content, equal bytes
        headers["Content-Encoding"] = "gzip"
    if reply.modified_s is not None and reply.status == 200:
        # a strong validator names exact bytes, so each content coding has its own
        etag = f'"{hashlib.sha256(reply.body).hexdigest()[:24]}{"-gzip" if coded else ""}"'
        headers |= {"ETag": etag, "Last-Modified": formatdate(reply.modified_s, usegmt=True)}
        if _unchanged(request_headers, etag, reply.modified_s):
            kept = {name: headers[name] for name in ("ETag", "Last-Modified", "Vary")}
            return Answer(status=304, headers=kept, body=b"")
    return Answer(status=reply.status, headers=headers, body=body)


def accepts_gzip(accepted: str) -> bool:
    """Whether an Accept-Encoding value allows gzip."""
    for one in accepted.lower().split(","):
        coding, _, parameters = one.partition(";")
        if coding.strip() in ("gzip", "x-gzip", "*"):
            weight = parameters.replace(" ", "").partition("q=")[2]
            return weight.strip("0.") != "" if weight else True
    return False


def _unchanged(headers: Mapping[str, str], etag: str, modified_s: int) -> bool:
    """If-None-Match decides alone when it is there (RFC 9110 13.1.3)."""
    wanted = headers.get("If-None-Match")
    if wanted is not None:
        tags = [one.strip().removeprefix("W/") for one in wanted.split(",")]
        return "*" in tags or etag in tags
    since = headers.get("If-Modified-Since")
    if since is None:
        return False
    try:
        return modified_s <= parsedate_to_datetime(since).timestamp()
    except ValueError:
        return False
