"""Every edge of every special-purpose block is denied, its neighbours are not (SPEC E1)."""

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest

from streams.fetch.egress import (
    DENIED_V4,
    DENIED_V6,
    GLOBAL_V6,
    EgressPolicy,
    EgressRefused,
    denied_block,
    embedded_v4,
    judge_address,
    judge_url,
)

POLICY = EgressPolicy()
DEVELOPMENT = EgressPolicy(allow_loopback=True)


@pytest.mark.parametrize(("block", "name"), DENIED_V4, ids=str)
def test_both_edges_of_a_v4_block_are_denied_and_what_lies_outside_is_judged_alone(block, name) -> None:
    first, last = int(block.network_address), int(block.broadcast_address)
    assert denied_block(IPv4Address(first)) is not None
    assert denied_block(IPv4Address(last)) is not None
    for outside in (first - 1, last + 1):
        if 0 <= outside < 1 << 32:
            address = IPv4Address(outside)
            expected = any(address in other for other, _ in DENIED_V4 if other != block)
            assert (denied_block(address) is not None) is expected


@pytest.mark.parametrize(("block", "name"), DENIED_V6, ids=str)
def test_both_edges_of_a_v6_block_are_denied_and_what_lies_outside_is_judged_alone(block, name) -> None:
    first, last = int(block.network_address), int(block.broadcast_address)
    assert denied_block(IPv6Address(first)) is not None
    assert denied_block(IPv6Address(last)) is not None
    for outside in (first - 1, last + 1):
        if 0 <= outside < 1 << 128:
            address = IPv6Address(outside)
            listed = any(address in other for other, _ in DENIED_V6 if other != block)
            assert (denied_block(address) is None) is (address in GLOBAL_V6 and not listed)


@pytest.mark.parametrize(
    "text", ["1.1.1.1", "8.8.8.8", "93.184.215.14", "100.63.255.255", "172.32.0.0", "2606:4700::1", "2a00:1450::5"]
)
def test_ordinary_addresses_pass(text: str) -> None:
    judge_address(text, 443, POLICY)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("127.0.0.1", "address_loopback"),
        ("0.0.0.0", "address_this_network"),
        ("169.254.169.254", "address_link_local"),
        ("100.100.100.200", "address_shared"),
        ("168.63.129.16", "address_metadata"),
        ("255.255.255.255", "address_reserved"),
        ("::", "address_unspecified"),
        ("::1", "address_loopback"),
        ("::127.0.0.1", "address_compatible_loopback"),
        ("::8.8.8.8", "address_compatible"),
        ("::ffff:10.0.0.1", "address_mapped_private"),
        ("::ffff:8.8.8.8", "address_mapped"),
        ("64:ff9b::169.254.169.254", "address_nat64_link_local"),
        ("64:ff9b:1::1", "address_nat64"),
        ("2002:7f00:1::", "address_6to4_loopback"),
        ("2002:808:808::", "address_6to4"),
        ("2001::1", "address_protocol"),
        ("3fff::1", "address_documentation"),
        ("5f00::1", "address_segment_routing"),
        ("fd00:ec2::254", "address_unique_local"),
        ("fec0::1", "address_site_local"),
        ("fe80::1%eth0", "address_scoped"),
        ("2606:4700::1%1", "address_scoped"),
        ("4000::1", "address_unassigned"),
        ("1fff:ffff::", "address_unassigned"),
        ("0177.0.0.1", "address_unreadable"),
        ("shop.example", "address_unreadable"),
    ],
)
def test_addresses_are_denied_by_name(text: str, reason: str) -> None:
    with pytest.raises(EgressRefused) as caught:
        judge_address(text, 443, POLICY)
    assert caught.value.reason == reason


def test_loopback_is_for_development_and_nothing_but_loopback() -> None:
    judge_address("127.9.9.9", 9001, DEVELOPMENT)
    judge_address("::1", 9001, DEVELOPMENT)
    for text in ("10.0.0.1", "169.254.169.254", "::ffff:127.0.0.1", "0.0.0.0"):
        with pytest.raises(EgressRefused):
            judge_address(text, 80, DEVELOPMENT)


def test_ports_are_listed() -> None:
    for port in (22, 25, 6379, 9092):
        with pytest.raises(EgressRefused, match="port_denied"):
            judge_address("8.8.8.8", port, DEVELOPMENT)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("https://shop.example/a b", "invalid_url"),
        ("https://user@shop.example/", "invalid_url"),
        ("http://0x7f.1/", "invalid_url"),
        ("file:///etc/passwd", "invalid_url"),
        ("https://elsewhere.example/", "origin_denied"),
        ("http://shop.example/", "origin_denied"),
        ("https://shop.example:22/", "port_denied"),
        ("http://127.0.0.1/", "address_loopback"),
        ("http://[::ffff:7f00:1]/", "address_mapped_loopback"),
    ],
)
def test_urls_are_judged_before_any_name_is_resolved(url: str, reason: str) -> None:
    origins = ("https://shop.example", "https://shop.example:22", "http://127.0.0.1", "http://[::ffff:7f00:1]")
    with pytest.raises(EgressRefused) as caught:
        judge_url(url, origins, POLICY)
    assert caught.value.reason == reason


def test_a_judged_url_keeps_its_name() -> None:
    assert judge_url("https://shop.example/x", ("https://shop.example",), POLICY).host == "shop.example"
    assert judge_url("http://127.0.0.1:9/x", ("http://127.0.0.1:9",), DEVELOPMENT).port == 9


def test_ordinary_v6_carries_no_v4() -> None:
    assert embedded_v4(ip_address("2606:4700::1")) is None
