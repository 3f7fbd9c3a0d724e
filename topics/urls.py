"""URLs: a strict reading, an identity, and the hash that names a target (SPEC C3, E1).

Two spellings are kept apart. `Url.text` is what the source wrote, `Url.href` is what is sent (WHATWG serialization,
fragment dropped); the identity URL is only a key and is never fetched, because sites break on rewritten URLs.
Reading is strict: what a lenient parser would repair (blanks, control characters, backslashes, userinfo, numeric hosts)
is refused, since every disagreement between two parsers is a way around an allowlist.
"""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

import ada_url

from topics.errors import Invalid
from topics.tracking import CONFIRMED_SESSION, CONFIRMED_TRACKING, CONFIRMED_TRACKING_PREFIXES

URL_CHARS_MAX = 2_048
HOST_CHARS_MAX = 253  # RFC 1035 2.3.4, without the root label
LABEL_CHARS_MAX = 63
DEFAULT_PORTS = {"http": 80, "https": 443}

_HEAD = re.compile(r"(https?)://([^/?#]*)", re.IGNORECASE)
_UNSAFE = re.compile(r"[\x00-\x20\x7f-\xa0\\\ud800-\udfff]")
_PORT = re.compile(r"(.*):([1-9][0-9]{0,4})\Z", re.DOTALL)
_QUAD = re.compile(r"(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!\Z)|\Z)){4}\Z", re.ASCII)
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})?")
_RAW_ILLEGAL = re.compile(r"[^!$&'()*+,\-./0-9:;=?@A-Z_a-z~%]")
_UNRESERVED = frozenset(b"-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~")
_PATH_PARAMETER = re.compile(r";([^/;=]+)=[^/;]*")
_OTHER_SCHEME = re.compile(r"(?!https?://)[a-z][a-z0-9+.\-]*:", re.IGNORECASE)
_AUTHORITY = re.compile(r"(?:https?:)?//([^/?#]*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Url:
    """An absolute http(s) URL that was read strictly; build it with `parse_url`.

    Attributes:
        text: original spelling.
        scheme: `http` or `https`.
        host: lower-case ASCII name (IDNA applied), dotted quad, or IPv6 text without brackets.
        port: effective port, the scheme's default included.
        origin: `scheme://host[:port]`, default port left out, IPv6 in brackets.
        path: WHATWG path, dot segments resolved, never empty.
        query: without the question mark, empty when there is none.
    """

    text: str
    scheme: str
    host: str
    port: int
    origin: str
    path: str
    query: str

    @property
    def href(self) -> str:
        """What is sent: the URL without its fragment."""
        return self.origin + self.target

    @property
    def target(self) -> str:
        """The request target, path and query (RFC 9112 3.2.1)."""
        return f"{self.path}?{self.query}" if self.query else self.path


@dataclass(frozen=True, slots=True, kw_only=True)
class UrlPolicy:
    """What a source's policy says about identity (SPEC C3); hashable.

    Attributes:
        variant_params: query parameters that select an offer; always kept, whatever the other lists say.
        tracking_params: further parameters confirmed as tracking for this source.
        session_params: parameters that carry a session id, in the query or behind a `;` in the path.
        sort_query: query order carries no meaning, so parameters are sorted by name (equal names keep their order).
        strip_trailing_slash: `/a/` and `/a` are one page.
        fold_https: http on its default port is the same site as https.
        fold_www: `www.` is the same site as the apex.
    """

    variant_params: tuple[str, ...] = ("variant",)
    tracking_params: tuple[str, ...] = ()
    session_params: tuple[str, ...] = CONFIRMED_SESSION
    sort_query: bool = False
    strip_trailing_slash: bool = False
    fold_https: bool = False
    fold_www: bool = False
    _dropped: frozenset[str] = field(init=False, repr=False, compare=False, default=frozenset())
    _sessions: frozenset[str] = field(init=False, repr=False, compare=False, default=frozenset())
    _kept: frozenset[str] = field(init=False, repr=False, compare=False, default=frozenset())

    def __post_init__(self) -> None:
        sessions = frozenset(name.casefold() for name in self.session_params)
        tracking = frozenset(name.casefold() for name in self.tracking_params)
        object.__setattr__(self, "_sessions", sessions)
        object.__setattr__(self, "_dropped", sessions | tracking | CONFIRMED_TRACKING)
        object.__setattr__(self, "_kept", frozenset(name.casefold() for name in self.variant_params))

    def drops(self, name: str) -> bool:
        """True when a query parameter of this name is no part of the identity."""
        folded = name.casefold()
        if folded in self._kept:
            return False
        return folded in self._dropped or folded.startswith(CONFIRMED_TRACKING_PREFIXES)

    def drops_in_path(self, name: str) -> bool:
        """True when a path parameter of this name (`/a;name=value`) is a session id."""
        folded = name.casefold()
        return folded in self._sessions and folded not in self._kept


def parse_url(text: str, field: str = "url") -> Url:
    """Returns the URL, or raises Invalid with the reason; nothing is repaired.

    Args:
        text: an absolute http or https URL of at most 2,048 characters.
        field: dotted name of the field it came in, for the error.
    """
    if len(text) > URL_CHARS_MAX:
        raise Invalid(field, text, f"use at most {URL_CHARS_MAX} characters")
    if _UNSAFE.search(text):
        raise Invalid(field, text, "remove blanks, control characters and backslashes, or percent-encode them")
    head = _HEAD.match(text)
    if head is None:
        raise Invalid(field, text, "write an absolute http:// or https:// URL")
    scheme = head[1].lower()
    host_text, port = _host_and_port(text, head[2], scheme, field)
    try:
        parsed = ada_url.URL(text)
    except ValueError:
        raise Invalid(field, text, "the host is not a valid name or address") from None
    host = parsed.hostname
    _check_host(text, host_text, host, field)
    suffix = "" if port == DEFAULT_PORTS[scheme] else f":{port}"
    return Url(
        text=text,
        scheme=scheme,
        host=host.strip("[]"),
        port=port,
        origin=f"{scheme}://{host}{suffix}",
        path=parsed.pathname,
        query=parsed.search[1:],
    )


def _host_and_port(text: str, authority: str, scheme: str, field: str) -> tuple[str, int]:
    if "@" in authority:
        raise Invalid(field, f"…@{text.rpartition('@')[2]}", "remove the user name and password before the host")
    if "%" in authority:
        raise Invalid(field, text, "write the host without percent-encoding")
    host, port = authority, DEFAULT_PORTS[scheme]
    found = _PORT.match(authority)
    if found is not None:
        host, port = found[1], int(found[2])
    bracketed = host.startswith("[") and host.endswith("]") and "]" not in host[1:-1]
    if not host or port > 65_535 or (not bracketed and any(sign in host for sign in "[]:")):
        raise Invalid(field, text, "write the authority as host or host:port (1 to 65535), an IPv6 address in brackets")
    return host, port


def _check_host(text: str, written: str, host: str, field: str) -> None:
    """Refuses addresses in disguise and names that DNS cannot hold."""
    if host.startswith("["):
        return
    if _QUAD.match(host) and written != host:
        raise Invalid(field, text, f"this host is the address {host} in disguise; write the address itself")
    labels = host.split(".")
    if len(host) > HOST_CHARS_MAX or not all(0 < len(label) <= LABEL_CHARS_MAX for label in labels):
        raise Invalid(field, text, "the host needs labels of 1 to 63 characters, 253 in all, without a trailing dot")


def parse_origin(text: str, field: str = "origin") -> str:
    """Returns the canonical origin, for example `https://shop.example`; raises Invalid when there is more than that."""
    url = parse_url(text, field)
    if url.path != "/" or url.query or "#" in text:
        raise Invalid(field, text, f"an origin has no path; write {url.origin}")
    return url.origin


def in_origins(url: str | Url, origins: Iterable[str]) -> bool:
    """True when the URL's scheme, host and port are those of one of the origins; an unreadable URL is in none."""
    if isinstance(url, str):
        try:
            url = parse_url(url)
        except Invalid:
            return False
    return url.origin in origins


def resolve(base: str, href: str) -> str | None:
    """Returns the absolute URL of a reference found at `base`, as `resolve_url` does, as text."""
    url = resolve_url(base, href)
    return None if url is None else url.href


def resolve_url(base: str, href: str) -> Url | None:
    """Returns the URL of a reference, without fragment, or None when it leads nowhere we go.

    Blanks around a reference belong to HTML and are cut, blanks inside are percent-encoded (HTML 2.5.1); other schemes,
    userinfo, control characters, backslashes and disguised addresses give None.
    """
    cut = href.strip("\t\n\f\r ")
    if len(cut) > URL_CHARS_MAX or _UNSAFE.search(cut.replace(" ", "")) or _OTHER_SCHEME.match(cut):
        return None
    authority = _AUTHORITY.match(cut)
    if authority is not None and not _plain_authority(cut, authority[1]):
        return None
    try:
        return parse_url(ada_url.URL(cut, base).href.partition("#")[0])
    except ValueError:  # Invalid is one
        return None


def _plain_authority(reference: str, authority: str) -> bool:
    scheme = "https" if reference.startswith("//") else reference.partition(":")[0].lower()
    return _readable(f"{scheme}://{authority}/")


@lru_cache(maxsize=1_000)
def _readable(text: str) -> bool:
    try:
        parse_url(text)
    except Invalid:
        return False
    return True


def identity_url(url: str | Url, policy: UrlPolicy) -> str:
    """Returns the normalized identity of a URL under a source's policy (SPEC C3); a text may be refused as by `parse_url`."""
    return _identity_of_text(url, policy) if isinstance(url, str) else _identity(url, policy)


@lru_cache(maxsize=50_000)
def _identity_of_text(text: str, policy: UrlPolicy) -> str:
    return _identity(parse_url(text), policy)


def _identity(url: Url, policy: UrlPolicy) -> str:
    origin = _identity_origin(url, policy)
    path = _without_path_session(_consistent(url.path), policy)
    if policy.strip_trailing_slash:
        path = path.rstrip("/") or "/"
    parts = [part for part in _consistent(url.query).split("&") if part and not policy.drops(_name(part))]
    if policy.sort_query:
        parts.sort(key=_name)
    return origin + path + ("?" + "&".join(parts) if parts else "")


def _identity_origin(url: Url, policy: UrlPolicy) -> str:
    scheme, host = url.scheme, url.host
    port = "" if url.port == DEFAULT_PORTS[scheme] else f":{url.port}"
    if policy.fold_https and not port:
        scheme = "https"
    while policy.fold_www and host.startswith("www.") and "." in host[4:]:
        host = host[4:]
    bracketed = f"[{host}]" if ":" in host else host
    return f"{scheme}://{bracketed}{port}"


def _consistent(text: str) -> str:
    """One form of percent-encoding (RFC 3986 6.2.2): upper-case hex, unreserved bare, everything illegal encoded."""

    def escape(found: re.Match[str]) -> str:
        if found[1] is None:
            return "%25"
        octet = int(found[1], 16)
        return chr(octet) if octet in _UNRESERVED else f"%{octet:02X}"

    encoded = _RAW_ILLEGAL.sub(lambda found: "".join(f"%{octet:02X}" for octet in found[0].encode()), text)
    return _ESCAPE.sub(escape, encoded)


def _without_path_session(path: str, policy: UrlPolicy) -> str:
    if ";" not in path:
        return path
    cut = _PATH_PARAMETER.sub(lambda found: "" if policy.drops_in_path(found[1]) else found[0], path)
    # Cutting can leave a dot segment behind (`..;jsessionid=1`), so the path is resolved once more.
    return ada_url.URL("http://host" + cut).pathname


def _name(part: str) -> str:
    return part.partition("=")[0]


def offer_identity_url(identity: str, variant_params: Iterable[str]) -> str:
    """Returns an identity URL without its variant parameters: what a `url:` offer identity hashes (DESIGN §3)."""
    base, _, query = identity.partition("?")
    names = {name.casefold() for name in variant_params}
    parts = [part for part in query.split("&") if part and _name(part).casefold() not in names]
    return base + ("?" + "&".join(parts) if parts else "")


def target_id(identity: str, context: str = "") -> str:
    """Returns the 32 hex digits of SHA-256 that name an observation target: an identity URL in a request context."""
    text = f"{identity}\x1f{context}" if context else identity
    return hashlib.sha256(text.encode()).hexdigest()[:32]
