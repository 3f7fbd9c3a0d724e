"""The one seam to the outside network: aiohttp behind a connector that judges every address (SPEC E1, E2).

A URL is read strictly, its name is resolved once, every answer is judged, and the connection is made to a judged address while
Host and SNI keep the name. aiohttp asks no resolver for an address literal, so the socket factory, which sees the address of
every connection, judges again. Redirects are never followed, no proxy, no cookie, no cache, no decoding by the client.
"""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from streams.fetch.egress import EgressPolicy, EgressRefused, judge_address, judge_url
from streams.fetch.exchange import Answer, Request
from streams.fetch.limits import BodyReader, BodyRefused, FetchLimits
from topics.errors import Retry

PIECE_BYTES = 64 * 1024
ADDRESSES_MAX = 16
Lookup = Callable[[str, int], Awaitable[list[str]]]


class Fetcher:
    """Sends one request per call and maps everything that can happen to an Answer; use as an async context.

    Args:
        policy: where this worker may connect to.
        lookup: resolves (name, port) to numeric addresses; the system's resolver by default.
        tls: trusted certificates, the system's by default.
    """

    def __init__(
        self, policy: EgressPolicy, *, lookup: Lookup | None = None, tls: ssl.SSLContext | None = None
    ) -> None:
        self._policy = policy
        self._lookup = lookup or system_lookup
        self._tls = tls

    async def fetch(self, request: Request) -> Answer:
        """Returns the answer; never raises for anything that the URL, the network or the server does."""
        loop = asyncio.get_running_loop()
        started = loop.time()
        try:
            url = judge_url(request.url, request.origins, self._policy)
            async with asyncio.timeout(request.limits.total_ms / 1_000):
                answer = await self._get(URL(url.href, encoded=True), request)
        except EgressRefused as error:
            return Answer(error=error.reason, refused=True)
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError, _DnsFailed) as error:
            answer = Answer(error=_reason(error))
        elapsed_ms = round((loop.time() - started) * 1_000)
        return Answer(
            status=answer.status, headers=answer.headers, body=answer.body, error=answer.error, elapsed_ms=elapsed_ms
        )

    async def _get(self, url: URL, request: Request) -> Answer:
        # A session per request: nothing is shared between merchants, and closing it drops the connection with what was not read.
        limits = request.limits
        async with (
            aiohttp.ClientSession(
                connector=self._connector(limits),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                trust_env=False,
                timeout=_timeout(limits),
                max_line_size=limits.header_bytes_max,
                max_field_size=limits.header_bytes_max,
                max_headers=limits.headers_max,
                read_bufsize=PIECE_BYTES,
            ) as session,
            session.get(url, headers=request.headers, allow_redirects=False) as response,
        ):
            headers = _first_values(response.headers.items())
            if response.status != 200:
                return Answer(status=response.status, headers=headers)  # the body of anything else is never read
            try:
                body = await _body(response, limits)
            except BodyRefused as error:
                return Answer(status=response.status, headers=headers, error=error.reason)
            return Answer(status=response.status, headers=headers, body=body)

    def _connector(self, limits: FetchLimits) -> aiohttp.TCPConnector:
        return aiohttp.TCPConnector(
            resolver=_JudgingResolver(self._policy, self._lookup, limits),
            use_dns_cache=False,
            ssl=self._tls if self._tls is not None else True,
            force_close=True,
            socket_factory=self._socket,
        )

    def _socket(self, address: tuple[Any, ...]) -> socket.socket:
        """Makes the socket of a connection: the last place where its address can be judged."""
        family, kind, protocol, _, (host, port, *_rest) = address
        judge_address(host, port, self._policy)
        return socket.socket(family, kind, protocol)


class _JudgingResolver(AbstractResolver):
    """Resolves once within the deadline; one denied answer refuses them all."""

    def __init__(self, policy: EgressPolicy, lookup: Lookup, limits: FetchLimits) -> None:
        self._policy = policy
        self._lookup = lookup
        self._limits = limits

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_INET,  # noqa: ARG002 - both families are judged
    ) -> list[ResolveResult]:
        try:
            async with asyncio.timeout(self._limits.dns_ms / 1_000):
                addresses = await self._lookup(host, port)
        except (OSError, TimeoutError, UnicodeError) as error:
            raise _DnsFailed from error
        if not addresses:
            raise _DnsFailed
        for address in addresses:
            judge_address(address, port, self._policy)
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for address in addresses[:ADDRESSES_MAX]
        ]

    async def close(self) -> None:
        """Holds nothing."""


class _DnsFailed(Retry):
    """The name has no address, or the resolver did not answer in time."""


async def system_lookup(host: str, port: int) -> list[str]:
    """Returns the numeric addresses of a name in the resolver's order."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


async def _body(response: aiohttp.ClientResponse, limits: FetchLimits) -> bytes:
    if response.content_length is not None and response.content_length > limits.wire_bytes_max and not limits.cut:
        raise BodyRefused("too_many_bytes")
    reader = BodyReader(response.headers.get("Content-Encoding"), limits)
    async for piece in response.content.iter_chunked(PIECE_BYTES):
        reader.feed(piece)
        if reader.full:
            break
    return reader.finish()


def _timeout(limits: FetchLimits) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(
        total=limits.total_ms / 1_000, sock_connect=limits.connect_ms / 1_000, sock_read=limits.idle_ms / 1_000
    )


def _first_values(items: Any) -> dict[str, str]:
    headers: dict[str, str] = {}
    for name, value in items:
        headers.setdefault(name.lower(), value)
    return headers


# Most special first: the first class that fits names the reason (tests/streams/fetch/test_io.py finds unmapped ones).
_REASONS: tuple[tuple[type[BaseException], str], ...] = (
    (_DnsFailed, "dns"),
    (aiohttp.ConnectionTimeoutError, "connect_timeout"),
    (aiohttp.SocketTimeoutError, "idle_timeout"),
    (TimeoutError, "total_timeout"),
    (aiohttp.ClientSSLError, "tls"),
    (ssl.SSLError, "tls"),
    (aiohttp.ClientConnectorDNSError, "dns"),
    (aiohttp.ClientConnectorError, "connect"),
    (aiohttp.ServerDisconnectedError, "disconnected"),
    (aiohttp.ClientPayloadError, "truncated"),
    (aiohttp.InvalidURL, "invalid_url"),
    (aiohttp.ClientResponseError, "bad_http"),
    (aiohttp.ClientError, "network"),
    (OSError, "network"),
    (ValueError, "bad_request"),
)


def _reason(error: BaseException) -> str:
    return next(word for kind, word in _REASONS if isinstance(error, kind))
