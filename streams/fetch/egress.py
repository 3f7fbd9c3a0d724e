"""Where a request may go: origins, ports and addresses (SPEC E1). Pure; the connector asks it at every connect.

The tables are explicit and dated, because `ipaddress.is_global` and `is_private` change with the interpreter's patch level and
miss many blocks. Source: IANA IPv4 and IPv6 Special-Purpose Address Registries and Multicast registries, as of 2025-10.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from topics.errors import Invalid, Reject
from topics.urls import Url, parse_url

TABLE_DATE = "2025-10"
PORTS = frozenset((80, 443, 8080, 8443))

# Blocks that IANA lists as globally reachable but that are no storefront (AS112, AMT, anycast relays) are denied as well.
DENIED_V4 = tuple(
    (IPv4Network(block), name)
    for block, name in (
        ("0.0.0.0/8", "this_network"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "shared"),  # holds Alibaba's metadata service 100.100.100.200
        ("127.0.0.0/8", "loopback"),
        ("168.63.129.16/32", "metadata"),  # Azure's platform service, inside a public block
        ("169.254.0.0/16", "link_local"),  # holds 169.254.169.254
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "protocol"),
        ("192.0.2.0/24", "documentation"),
        ("192.31.196.0/24", "as112"),
        ("192.52.193.0/24", "amt"),
        ("192.88.99.0/24", "relay_6to4"),
        ("192.168.0.0/16", "private"),
        ("192.175.48.0/24", "as112"),
        ("198.18.0.0/15", "benchmarking"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),  # and 255.255.255.255
    )
)
GLOBAL_V6 = IPv6Network("2000::/3")
# What 2000::/3 holds that is no storefront; everything outside it is denied anyway, and named for the operator.
DENIED_V6 = tuple(
    (IPv6Network(block), name)
    for block, name in (
        ("::/128", "unspecified"),
        ("::1/128", "loopback"),
        ("::ffff:0:0/96", "mapped"),
        ("::/96", "compatible"),
        ("64:ff9b::/96", "nat64"),
        ("64:ff9b:1::/48", "nat64"),
        ("100::/64", "discard"),
        ("100:0:0:1::/64", "dummy"),
        ("2001::/23", "protocol"),  # Teredo, benchmarking, ORCHID, DET
        ("2001:db8::/32", "documentation"),
        ("2002::/16", "6to4"),
        ("2620:4f:8000::/48", "as112"),
        ("3ffe::/16", "returned"),
        ("3fff::/20", "documentation"),
        ("5f00::/16", "segment_routing"),
        ("fc00::/7", "unique_local"),  # holds fd00:ec2::254
        ("fe80::/10", "link_local"),
        ("fec0::/10", "site_local"),
        ("ff00::/8", "multicast"),
    )
)
_LOW_32 = (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"), IPv6Network("::/96"))
_6TO4 = IPv6Network("2002::/16")


class EgressRefused(Reject):
    """Our own policy refuses a destination.

    Attributes:
        reason: short word for operators, for example `address_private`.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class EgressPolicy:
    """What this worker may connect to.

    Attributes:
        ports: allowed destination ports.
        allow_loopback: development only: 127.0.0.0/8 and ::1 may be contacted, on any port.
    """

    ports: frozenset[int] = PORTS
    allow_loopback: bool = False


def judge_url(text: str, origins: Iterable[str], policy: EgressPolicy) -> Url:
    """Returns the strictly read URL; raises EgressRefused (`invalid_url`, `origin_denied`, `port_denied`, `address_…`).

    Args:
        text: URL as claimed.
        origins: the source's allowed origins.
        policy: of this worker.
    """
    try:
        url = parse_url(text)
    except Invalid:
        raise EgressRefused("invalid_url") from None
    if url.origin not in origins:
        raise EgressRefused("origin_denied")
    if url.port not in policy.ports and not policy.allow_loopback:
        raise EgressRefused("port_denied")
    if ":" in url.host or url.host.rpartition(".")[2].isdecimal():
        judge_address(url.host, url.port, policy)
    return url


def judge_address(text: str, port: int, policy: EgressPolicy) -> None:
    """Raises EgressRefused unless a connection to this address and port is allowed.

    Args:
        text: numeric address as the resolver or the socket gives it; a scope id is refused.
    """
    try:
        address = ip_address(text)
    except ValueError:
        raise EgressRefused("address_unreadable") from None
    block = denied_block(address)
    if block == "loopback" and policy.allow_loopback:
        return
    if block is not None:
        raise EgressRefused(f"address_{block}")
    if port not in policy.ports:
        raise EgressRefused("port_denied")


def denied_block(address: IPv4Address | IPv6Address) -> str | None:
    """Returns the name of the special-purpose block an address is in, or None when it is ordinary global unicast.

    Every IPv6 form that carries an IPv4 address is denied, whatever it carries; one that carries a denied address is named
    after both, `mapped_private`.
    """
    if isinstance(address, IPv4Address):
        return next((name for block, name in DENIED_V4 if address in block), None)
    if address.scope_id is not None:
        return "scoped"
    name = next((name for block, name in DENIED_V6 if address in block), None)
    if name is None:
        return None if address in GLOBAL_V6 else "unassigned"
    inner = embedded_v4(address) if name not in ("unspecified", "loopback") else None
    carried = denied_block(inner) if inner is not None else None
    return name if carried is None else f"{name}_{carried}"


def embedded_v4(address: IPv6Address) -> IPv4Address | None:
    """Returns the IPv4 address inside a mapped, compatible, NAT64 or 6to4 address (RFC 4291 2.5.5, 6052, 3056)."""
    if any(address in block for block in _LOW_32):
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    if address in _6TO4:
        return IPv4Address(int(address) >> 80 & 0xFFFF_FFFF)
    return None
