"""The fetcher against real servers on loopback: every limit, every refusal, every kind of failure (SPEC E1, E2)."""

import asyncio
import datetime as dt
import gzip
import ssl
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import aiohttp
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from yarl import URL

from streams.fetch import io
from streams.fetch.egress import EgressPolicy, EgressRefused
from streams.fetch.exchange import Answer, Request
from streams.fetch.io import Fetcher
from streams.fetch.limits import FetchLimits

SCENE = EgressPolicy(allow_loopback=True)
QUICK = FetchLimits(dns_ms=200, connect_ms=300, idle_ms=200, total_ms=400)
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def listening(serve: Serve, tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    async def one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await serve(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(one, "127.0.0.1", 0, ssl=tls)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


def answering(raw: bytes, seen: list[bytes] | None = None) -> Serve:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        if seen is not None:
            seen.append(head)
        writer.write(raw)
        await writer.drain()

    return serve


def ok(body: bytes, *headers: str) -> bytes:
    lines = ["HTTP/1.1 200 OK", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


async def get(
    port: int, path: str = "/", host: str = "127.0.0.1", limits: FetchLimits = QUICK, fetcher: Fetcher | None = None
) -> Answer:
    origin = f"http://{host}:{port}"
    request = Request(url=origin + path, origins=frozenset((origin,)), limits=limits, headers={"X-One": "1"})
    return await (fetcher or Fetcher(SCENE)).fetch(request)


async def outcome_of(raw: bytes, limits: FetchLimits = QUICK) -> tuple[int | None, str | None]:
    async with listening(answering(raw)) as port:
        answer = await get(port, limits=limits)
    assert answer.body is None
    return answer.status, answer.error


async def test_a_page_comes_back_decoded_with_its_headers() -> None:
    seen: list[bytes] = []
    async with listening(
        answering(ok(gzip.compress(b"hello"), "Content-Encoding: gzip", 'ETag: "1"', 'ETag: "2"'), seen)
    ) as port:
        answer = await get(port, "/a?b=%7e")
    assert (answer.status, answer.body, answer.error) == (200, b"hello", None)
    assert answer.headers["etag"] == '"1"'
    assert answer.elapsed_ms is not None
    assert seen[0].startswith(b"GET /a?b=%7e HTTP/1.1\r\n")
    assert f"Host: 127.0.0.1:{port}".encode() in seen[0]
    assert b"X-One: 1" in seen[0]
    assert b"Cookie" not in seen[0]


@pytest.mark.parametrize(
    ("body", "coding", "reason"),
    [
        (gzip.compress(b"\0" * (8 << 20)), "gzip", "ratio"),
        (gzip.compress(gzip.compress(b"\0" * (64 << 20))), "gzip, gzip", "unsupported_coding"),
        (gzip.compress(b"x") * 40, "gzip", "too_many_members"),
        (gzip.compress(b"hello world" * 50)[:-9], "gzip", "truncated"),
        (b"not gzip", "gzip", "bad_coding"),
        (zlib.compress(b"hello")[:-4] + b"\xff" * 40, "deflate", "bad_coding"),
        (b"x", "br", "unsupported_coding"),
    ],
)
async def test_a_hostile_body_is_a_failure_with_a_reason(body: bytes, coding: str, reason: str) -> None:
    assert await outcome_of(ok(body, f"Content-Encoding: {coding}")) == (200, reason)


async def test_bytes_are_counted_on_the_wire_and_after_decoding() -> None:
    small = replace(QUICK, wire_bytes_max=1_000, decoded_bytes_max=2_000)
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"400\r\n" + b"x" * 0x400 + b"\r\n0\r\n\r\n"
    assert await outcome_of(ok(b"x" * 1_001), small) == (200, "too_many_bytes")
    assert await outcome_of(chunked, small) == (200, "too_many_bytes")
    assert await outcome_of(ok(gzip.compress(b"x" * 2_001), "Content-Encoding: gzip"), small) == (200, "too_many_bytes")


async def test_robots_and_proofs_are_cut_instead() -> None:
    cut = replace(QUICK, decoded_bytes_max=100, wire_bytes_max=1 << 20, cut=True)
    async with listening(answering(ok(b"x" * 100_000))) as port:
        assert (await get(port, limits=cut)).body == b"x" * 100


async def test_a_slow_drip_ends_at_the_total_time() -> None:
    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        while True:
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.05)

    async with listening(drip) as port:
        answer = await get(port)
    assert answer.error == "total_timeout"
    assert answer.elapsed_ms is not None
    assert 350 < answer.elapsed_ms < 2_000


async def test_silence_ends_at_the_idle_time() -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nx")
        await asyncio.sleep(1)

    async with listening(silent) as port:
        assert (await get(port)).error == "idle_timeout"


async def test_endless_headers_end() -> None:
    async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\n")
        for number in range(1_000_000):
            writer.write(b"X-%d: y\r\n" % number)
            await writer.drain()
            await asyncio.sleep(0)

    async with listening(endless) as port:
        assert (await get(port)).error == "bad_http"


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"HTTP/1.1 200 OK\r\nX: " + b"y" * 9_000 + b"\r\n\r\n", "bad_http"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", "bad_http"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "bad_http"),
        (b"SSH-2.0-OpenSSH\r\n\r\n", "bad_http"),
        (b"", "disconnected"),
    ],
)
async def test_an_answer_that_is_no_http_is_a_failure(raw: bytes, reason: str) -> None:
    assert await outcome_of(raw) == (None, reason)


async def test_a_short_body_is_truncated_not_a_page() -> None:
    status, error = await outcome_of(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort")
    assert error == "truncated"
    assert status in (None, 200)


async def test_a_redirect_is_an_answer_and_is_never_followed() -> None:
    touched: list[bytes] = []
    async with listening(answering(ok(b"inside"), touched)) as inner:
        for literal in (f"http://127.0.0.1:{inner}/", f"http://[::ffff:127.0.0.1]:{inner}/"):
            raw = f"HTTP/1.1 302 Found\r\nLocation: {literal}\r\nContent-Encoding: gzip\r\nContent-Length: 9\r\n\r\nnot gzip!".encode()
            async with listening(answering(raw)) as port:
                answer = await get(port)
            assert (answer.status, answer.headers["location"], answer.body) == (302, literal, None)
    assert touched == []


async def test_304_and_429_keep_their_headers() -> None:
    async with listening(answering(b'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n')) as port:
        answer = await get(port)
        assert (answer.status, answer.headers["etag"]) == (304, '"a"')
    async with listening(answering(b"HTTP/1.1 429 Slow\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n")) as port:
        answer = await get(port)
        assert (answer.status, answer.headers["retry-after"]) == (429, "7")


def names(*addresses: str) -> io.Lookup:
    async def lookup(host: str, port: int) -> list[str]:
        return list(addresses)

    return lookup


async def test_a_name_is_resolved_once_and_the_judged_address_is_contacted_under_its_name() -> None:
    asked: list[str] = []

    async def lookup(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["10.0.0.1"]  # a rebinding name

    seen: list[bytes] = []
    async with listening(answering(ok(b"x"), seen)) as port:
        answer = await get(port, host="shop.example", fetcher=Fetcher(SCENE, lookup=lookup))
    assert answer.body == b"x"
    assert asked == ["shop.example"]
    assert f"Host: shop.example:{port}".encode() in seen[0]


@pytest.mark.parametrize(
    ("addresses", "reason"),
    [
        (("10.0.0.1",), "address_private"),
        (("127.0.0.1", "169.254.169.254"), "address_link_local"),
        (("::ffff:127.0.0.1",), "address_mapped_loopback"),
        (("64:ff9b::a00:1",), "address_nat64_private"),
        (("nonsense",), "address_unreadable"),
        (("8.8.8.8",), "port_denied"),
    ],
)
async def test_one_denied_answer_refuses_the_request(addresses: tuple[str, ...], reason: str) -> None:
    seen: list[bytes] = []
    async with listening(answering(ok(b"x"), seen)) as port:
        answer = await get(port, host="shop.example", fetcher=Fetcher(SCENE, lookup=names(*addresses)))
    assert (answer.error, answer.refused, answer.elapsed_ms) == (reason, True, None)
    assert seen == []


async def test_without_the_development_setting_loopback_is_refused_by_name_and_by_number() -> None:
    strict = EgressPolicy(ports=frozenset(range(1, 65_536)))
    seen: list[bytes] = []
    async with listening(answering(ok(b"x"), seen)) as port:
        for host in ("127.0.0.1", "shop.example", "localhost"):
            lookup = names("127.0.0.1") if host == "shop.example" else None
            answer = await get(port, host=host, fetcher=Fetcher(strict, lookup=lookup))
            assert (answer.error, answer.refused) == ("address_loopback", True)
    assert seen == []


async def test_the_socket_judges_what_no_resolver_saw() -> None:
    strict = EgressPolicy(ports=frozenset(range(1, 65_536)))
    seen: list[bytes] = []
    async with listening(answering(ok(b"x"), seen)) as port:
        for host in ("127.0.0.1", "[::ffff:127.0.0.1]"):
            url = f"http://{host}:{port}/"
            with pytest.raises(EgressRefused, match="loopback"):
                await Fetcher(strict)._get(URL(url, encoded=True), Request(url=url, origins=frozenset()))
    assert seen == []


async def test_names_that_do_not_resolve_fail_as_dns() -> None:
    async def never(host: str, port: int) -> list[str]:
        await asyncio.sleep(5)
        return []

    async def broken(host: str, port: int) -> list[str]:
        raise OSError("no such name")

    for lookup in (never, broken, names()):
        answer = await get(8080, host="shop.example", fetcher=Fetcher(SCENE, lookup=lookup))
        assert (answer.error, answer.refused) == ("dns", False)


async def test_nobody_listening_fails_as_connect() -> None:
    async with listening(answering(b"")) as port:
        pass
    assert (await get(port)).error == "connect"


async def test_a_header_that_splits_the_request_is_never_sent() -> None:
    seen: list[bytes] = []
    async with listening(answering(ok(b"x"), seen)) as port:
        origin = f"http://127.0.0.1:{port}"
        request = Request(url=origin, origins=frozenset((origin,)), headers={"X": "a\r\nB: c"}, limits=QUICK)
        assert (await Fetcher(SCENE).fetch(request)).error == "bad_request"
    assert seen == []


def certificate(name: str) -> tuple[bytes, bytes]:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    start = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
    built = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(start)
        .not_valid_after(start + dt.timedelta(days=36_500))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = built.public_bytes(serialization.Encoding.PEM)
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return pem, secret


async def test_tls_checks_the_name_at_the_judged_address(tmp_path) -> None:
    pem, secret = certificate("shop.example")
    (tmp_path / "both.pem").write_bytes(pem + secret)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(tmp_path / "both.pem")
    asked: list[str | None] = []
    server.sni_callback = lambda _connection, name, _context: asked.append(name)
    trust = ssl.create_default_context(cadata=pem.decode())
    async with listening(answering(ok(b"secret")), tls=server) as port:

        async def over_tls(host: str, tls: ssl.SSLContext | None) -> Answer:
            origin = f"https://{host}:{port}"
            fetcher = Fetcher(SCENE, lookup=names("127.0.0.1"), tls=tls)
            return await fetcher.fetch(Request(url=origin, origins=frozenset((origin,)), limits=QUICK))

        assert (await over_tls("shop.example", trust)).body == b"secret"
        assert asked == ["shop.example"]
        assert (await over_tls("other.example", trust)).error == "tls"
        assert (await over_tls("shop.example", None)).error == "tls"


def test_every_error_of_the_client_has_a_word() -> None:
    def subclasses(kind: type) -> set[type]:
        return {kind}.union(*(subclasses(one) for one in kind.__subclasses__()))

    mapped = tuple(kind for kind, _ in io._REASONS)
    for kind in subclasses(aiohttp.ClientError):
        assert issubclass(kind, mapped)
