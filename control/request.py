"""What an operator asks for when registering a source, read strictly: nothing is stored before all of it is right (SPEC B2, B7)."""

import functools
import ipaddress
import re
from collections.abc import Sequence
from typing import Annotated, Any, Final

import babel
import msgspec

from control.errors import Malformed
from control.selectors import Selectors, all_texts, checked_selectors
from topics.errors import Invalid
from topics.events.policy import DAY_MS, DEPTH_MAX, REFRESH_PERCENT, Header, Market
from topics.money import EXPONENTS
from topics.urls import DEFAULT_PORTS, Url, in_origins, parse_origin, parse_url

PROOF_PATH: Final = "/.well-known/adcat-verification.txt"
FIELDS: Final = (
    "name",
    "brand",
    "price_minor",
    "currency",
    "list_price_minor",
    "availability",
    "sku",
    "gtin14",
    "image_urls",
)
ALWAYS_REQUIRED: Final = ("name", "price_minor", "currency")
HOUR_MS: Final = 3_600_000

# Regions that CLDR knows and ISO 3166-1 does not assign.
_NOT_ISO_3166: Final = frozenset(
    ("AC", "CP", "CQ", "DG", "EA", "EU", "EZ", "IC", "QO", "TA", "UN", "XA", "XB", "XK", "ZZ")
)
_PRIVATE_SUFFIXES: Final = (".localhost", ".local", ".internal", ".lan", ".home.arpa", ".test", ".invalid", ".onion")
_HEADER_NAME: Final = re.compile(r"[A-Za-z0-9-]{1,64}\Z")
_HEADER_VALUE: Final = re.compile(r"[\x20-\x7e]{0,512}\Z")
# Owned by the crawler: identity, framing, credentials, validators (SPEC B2, B3).
_HEADERS_OURS: Final = frozenset(
    (
        *("accept-encoding", "authorization", "connection", "content-length", "cookie", "from", "host", "range", "te"),
        *("if-modified-since", "if-none-match", "proxy-authorization", "trailer", "transfer-encoding", "upgrade"),
        "user-agent",
    )
)
_PARAM: Final = re.compile(r"[A-Za-z0-9_.\[\]~%-]{1,64}\Z")
_BUDGET_KEY: Final = re.compile(r"[a-z0-9:/.\[\]_-]{1,253}\Z")
_MESSAGE: Final = re.compile(r"(?P<what>.*?)(?: - at `\$\.?(?P<path>.*)`)?\Z", re.DOTALL)

Ms = Annotated[int, msgspec.Meta(ge=1)]
Texts = Annotated[tuple[str, ...], msgspec.Meta(max_length=50)]


class SourceRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything an operator decides about a source; field by field as in `topics.events.policy.MerchantPolicy`.

    Attributes:
        crawl_permission: the merchant's explicit permission to crawl; must be true.
        media_permission: permission to store and show its images; media origins need it.
        legal_review: who reviewed the source and where the record is, as text for auditors.
        allowed_origins: the origin of `start_url` when left empty.
        budget_key: the origin of `start_url` when left empty.
        refresh_ms: how often a target is observed again; 80 % of `field_age_ms_max` when absent, whatever that becomes.
        urls_expected: URLs for which the refresh is promised; `urls_max` when absent (SPEC B6).
        selectors: field name to the CSS selector that was tested for it with `adcat inspect selectors`.
    """

    start_url: str
    crawl_permission: bool
    legal_review: Annotated[str, msgspec.Meta(min_length=3, max_length=500)]
    markets: Annotated[tuple[Market, ...], msgspec.Meta(min_length=1, max_length=20)]
    media_permission: bool = False
    allowed_origins: Texts = ()
    media_origins: Texts = ()
    budget_key: str = ""
    interval_ms: Annotated[int, msgspec.Meta(ge=10, le=DAY_MS)] = 1_000
    concurrency_max: Annotated[int, msgspec.Meta(ge=1, le=16)] = 2
    refresh_ms: Annotated[int, msgspec.Meta(ge=60_000, le=90 * DAY_MS)] | None = None
    urls_max: Annotated[int, msgspec.Meta(ge=1, le=10_000_000)] = 100_000
    urls_expected: Annotated[int, msgspec.Meta(ge=0, le=10_000_000)] | None = None
    depth_max: Annotated[int, msgspec.Meta(ge=0, le=DEPTH_MAX)] = 16
    variant_params: Texts = ("variant",)
    tracking_params: Texts = ()
    sort_query: bool = False
    headers: Annotated[tuple[Header, ...], msgspec.Meta(max_length=16)] = ()
    selectors: Selectors = {}
    required_fields: Texts = ALWAYS_REQUIRED
    field_age_ms_max: Annotated[int, msgspec.Meta(ge=60_000, le=90 * DAY_MS)] = DAY_MS
    misses_min: Annotated[int, msgspec.Meta(ge=2, le=20)] = 3
    miss_gap_ms: Annotated[int, msgspec.Meta(ge=60_000, le=30 * DAY_MS)] = 6 * HOUR_MS

    @property
    def origin(self) -> str:
        """Origin of the start URL, whose control the merchant proves."""
        return parse_url(self.start_url).origin

    @property
    def refreshed_every_ms(self) -> int:
        """How often a target is observed again: as asked for, else in time before its evidence is too old."""
        return self.field_age_ms_max * REFRESH_PERCENT // 100 if self.refresh_ms is None else self.refresh_ms

    @property
    def proof_url(self) -> str:
        """Where the token must be readable."""
        return self.origin + PROOF_PATH


def read_request(body: object, *, allow_loopback: bool) -> SourceRequest:
    """Returns the checked request with its defaults filled in.

    Args:
        body: decoded JSON; a market may be written `"US:USD"` or as an object.
        allow_loopback: accept sources on this machine (development setting).

    Raises:
        Invalid: names the first field that is wrong, its value and the remedy.
    """
    if not isinstance(body, dict):
        raise Malformed("body", type(body).__name__, "send a JSON object")
    given = dict(body)
    if isinstance(given.get("markets"), list):
        given["markets"] = [_market(one) for one in given["markets"]]
    if isinstance(given.get("selectors"), dict):
        all_texts(given["selectors"])
    try:
        request = msgspec.convert(given, SourceRequest)
    except msgspec.ValidationError as error:
        raise _invalid(str(error), given) from None
    return _checked(request, allow_loopback=allow_loopback)


def merged(current: SourceRequest, patch: object) -> dict[str, Any]:
    """Returns the body that results from a merge patch (RFC 7396): null takes a field back to its default."""
    if not isinstance(patch, dict):
        raise Malformed("body", type(patch).__name__, "send a JSON object with the fields to change")
    body: dict[str, Any] = msgspec.to_builtins(current)
    for name, value in patch.items():
        inside = body.get(name)
        body[name] = inside | value if isinstance(inside, dict) and isinstance(value, dict) else value
    return _without_nulls(body)


def _without_nulls(body: dict[str, Any]) -> dict[str, Any]:
    return {
        name: _without_nulls(value) if isinstance(value, dict) else value
        for name, value in body.items()
        if value is not None
    }


def _market(text: object) -> object:
    if not isinstance(text, str):
        return text
    country, colon, currency = text.partition(":")
    if not colon:
        raise Invalid("markets", text, "write <country>:<currency>, for example US:USD")
    return {"country": country, "currency": currency}


def _invalid(message: str, given: dict[str, Any]) -> Invalid:
    """Reads msgspec's sentence, ``Expected `int`, got `str` - at `$.interval_ms` ``, into field, value and remedy."""
    found = _MESSAGE.match(message)
    assert found is not None
    what, field = found["what"], found["path"] or ""
    if not field:
        quoted = re.search(r"field `([^`]*)`", what)
        field = quoted[1] if quoted else "body"
    value = given.get(re.split(r"[.\[]", field)[0], "")
    remedy = what[0].lower() + what[1:]
    if "unknown field" in what:
        remedy = f"use some of {', '.join(SourceRequest.__struct_fields__)}"
    return Invalid(field, value, remedy)


def _checked(request: SourceRequest, *, allow_loopback: bool) -> SourceRequest:
    start = parse_url(request.start_url, "start_url")
    _public(start, "start_url", allow_loopback=allow_loopback)
    allowed = _origins(request.allowed_origins, "allowed_origins", allow_loopback=allow_loopback) or (start.origin,)
    if not in_origins(start, allowed):
        remedy = f"add {start.origin} to allowed_origins or start at one of {', '.join(allowed)}"
        raise Invalid("start_url", request.start_url, remedy)
    media = _origins(request.media_origins, "media_origins", allow_loopback=allow_loopback)
    _permissions(request)
    for number, market in enumerate(request.markets):
        _known_market(market, f"markets[{number}]")
    if len(set(request.markets)) != len(request.markets):
        raise Invalid("markets", [market.key for market in request.markets], "name each market once")
    _words(request)
    for number, header in enumerate(request.headers):
        _header(header, f"headers[{number}]")
    checked_selectors(request.selectors)
    budget_key = request.budget_key or start.origin
    if not _BUDGET_KEY.match(budget_key):
        raise Invalid(
            "budget_key", budget_key, "use lower-case letters, digits and : / . _ - (an origin is a good key)"
        )
    if request.urls_expected is not None and request.urls_expected > request.urls_max:
        raise Invalid("urls_expected", request.urls_expected, f"it cannot exceed urls_max {request.urls_max}")
    if request.refreshed_every_ms > request.field_age_ms_max:
        remedy = f"offers would be STALE before each refresh; use at most field_age_ms_max {request.field_age_ms_max}, or null"
        raise Invalid("refresh_ms", request.refresh_ms, remedy)
    return msgspec.structs.replace(request, allowed_origins=allowed, media_origins=media, budget_key=budget_key)


def _permissions(request: SourceRequest) -> None:
    if not request.crawl_permission:
        raise Invalid("crawl_permission", "false", "obtain the merchant's explicit permission to crawl, then send true")
    if request.media_origins and not request.media_permission:
        raise Invalid("media_origins", request.media_origins, "media needs media_permission true (SPEC B1)")
    if not request.legal_review.strip():
        raise Invalid("legal_review", request.legal_review, "say who reviewed the source and where the record is")


def _known_market(market: Market, field: str) -> None:
    if market.country not in countries():
        raise Invalid(f"{field}.country", market.country, "use an ISO 3166-1 alpha-2 code in capitals, for example US")
    if market.currency not in EXPONENTS:
        raise Invalid(f"{field}.currency", market.currency, "use an ISO 4217 code in capitals, for example USD")


def _words(request: SourceRequest) -> None:
    for field in ("variant_params", "tracking_params"):
        for name in getattr(request, field):
            if not _PARAM.match(name):
                raise Invalid(field, name, "name query parameters as they stand in the URL")
    clash = {name.casefold() for name in request.variant_params} & {name.casefold() for name in request.tracking_params}
    if clash:
        raise Invalid(
            "tracking_params", sorted(clash), "a parameter that selects a variant is never tracking (SPEC C3)"
        )
    for name in request.required_fields:
        if name not in FIELDS:
            raise Invalid("required_fields", name, f"use some of {', '.join(FIELDS)}")
    for name in ALWAYS_REQUIRED:
        if name not in request.required_fields:
            raise Invalid("required_fields", list(request.required_fields), f"{name} is always required; add it")


def _header(header: Header, field: str) -> None:
    if not _HEADER_NAME.match(header.name) or header.name.lower() in _HEADERS_OURS:
        raise Invalid(f"{field}.name", header.name, "use a plain request header that the crawler does not set itself")
    if not _HEADER_VALUE.match(header.value):
        raise Invalid(f"{field}.value", header.value, "use at most 512 printable ASCII characters")


def _origins(texts: Sequence[str], field: str, *, allow_loopback: bool) -> tuple[str, ...]:
    origins = []
    for number, text in enumerate(texts):
        where = f"{field}[{number}]"
        origin = parse_origin(text, where)
        _public(parse_url(origin, where), where, allow_loopback=allow_loopback)
        origins.append(origin)
    return tuple(dict.fromkeys(origins))


LOCAL_HINT = "; for a storefront on this machine set ADCAT_ALLOW_LOOPBACK=true (development only)"


def _public(url: Url, field: str, *, allow_loopback: bool) -> None:
    """Refuses what cannot be a public storefront; fetch judges the resolved addresses again at every connect (SPEC E1)."""
    literal = _address(url.host)
    local = url.host == "localhost" or url.host.endswith(".localhost") or (literal is not None and literal.is_loopback)
    if local and allow_loopback:
        return
    if literal is not None:
        raise Invalid(
            field,
            url.text,
            "use the storefront's public host name, never an IP address" + (LOCAL_HINT if local else ""),
        )
    if "." not in url.host or url.host.endswith(_PRIVATE_SUFFIXES):
        raise Invalid(field, url.text, "use a public host name; loopback needs the development setting allow_loopback")
    if url.port not in DEFAULT_PORTS.values():
        raise Invalid(field, url.text, "use the default port 80 or 443")


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


@functools.cache
def countries() -> frozenset[str]:
    """Returns the ISO 3166-1 alpha-2 codes (249), from CLDR."""
    known = babel.Locale("en").territories
    return frozenset(code for code in known if len(code) == 2 and code.isalpha()) - _NOT_ISO_3166
