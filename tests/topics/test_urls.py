"""URLs are read strictly and have one identity, whatever their spelling (SPEC C3, E1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topics.errors import Invalid
from topics.urls import (
    Url,
    UrlPolicy,
    identity_url,
    in_origins,
    offer_identity_url,
    parse_origin,
    parse_url,
    resolve,
    target_id,
)

PLAIN = UrlPolicy()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "shop.example/a",
        "ftp://shop.example/",
        "https:shop.example",
        "https:///shop.example/",
        "https://",
        "https:// shop.example/",
        " https://shop.example/",
        "https://shop.example/a b",
        "https://shop.example/\t",
        "https://shop.example/\r\nHost: evil",
        "https://shop.example\\@evil.example/",
        "https://user@shop.example/",
        "https://user:pass@shop.example/",
        "https://shop.example:0/",
        "https://shop.example:65536/",
        "https://shop.example:080/",
        "https://shop.example:/",
        "https://shop.example:80:80/",
        "https://ex%61mple.com/",
        "https://shop.example./",
        "https://a..b/",
        "https://" + "a" * 64 + ".example/",
        "https://" + ".".join(["abcdefg"] * 40) + "/",
        "https://shop.example/" + "a" * 2048,
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0x7f.1/",
        "http://0177.0.0.1/",
        "http://127.1/",
        "http://\uff11\uff12\uff17.0.0.1/",
        "http://127.0.0.1./",
        "http://1.2.3.4.5/",
        "http://::1/",
        "http://[::1/",
        "http://[::1]x/",
        "http://x[::1]/",
        "http://[[::1]]/",
        "http://[fe80::1%25eth0]/",
        "http://\u00ad/",
        "http://shop.example/\ud800",
    ],
)
def test_what_a_lenient_parser_would_repair_is_refused(text: str) -> None:
    with pytest.raises(Invalid) as caught:
        parse_url(text, "start_url")
    assert caught.value.field == "start_url"
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("text", "origin", "host", "port", "target"),
    [
        ("HTTPS://Shop.Example:443/A/../b?Q=1#f", "https://shop.example", "shop.example", 443, "/b?Q=1"),
        ("http://shop.example:8080", "http://shop.example:8080", "shop.example", 8080, "/"),
        ("http://127.0.0.1:9001/x?", "http://127.0.0.1:9001", "127.0.0.1", 9001, "/x"),
        ("http://[2606:4700::0001]/", "http://[2606:4700::1]", "2606:4700::1", 80, "/"),
        ("https://bücher.example/ü", "https://xn--bcher-kva.example", "xn--bcher-kva.example", 443, "/%C3%BC"),
    ],
)
def test_a_url_keeps_its_spelling_and_knows_its_parts(
    text: str, origin: str, host: str, port: int, target: str
) -> None:
    url = parse_url(text)
    assert (url.text, url.origin, url.host, url.port, url.target) == (text, origin, host, port, target)
    assert url.href == origin + target


@pytest.mark.parametrize(
    ("spelling", "identity"),
    [
        ("HTTP://SHOP.example:80/a/./b/../c#top", "http://shop.example/a/c"),
        ("https://shop.example/%7euser/%e2%82%ac|[x]", "https://shop.example/~user/%E2%82%AC%7C%5Bx%5D"),
        ("https://shop.example/100%", "https://shop.example/100%25"),
        ("https://shop.example/?", "https://shop.example/"),
        ("https://shop.example/p?utm_source=x&b=2&a=1&&GCLID=9", "https://shop.example/p?b=2&a=1"),
        ("https://shop.example/p?ref=mail", "https://shop.example/p?ref=mail"),
        ("https://shop.example/p;jsessionid=AB12/x?PHPSESSID=1", "https://shop.example/p/x"),
        ("https://shop.example/a/..;jsessionid=1/b", "https://shop.example/b"),
        ("https://shop.example/a/", "https://shop.example/a/"),
        ("https://[2606:4700::0001]:443/", "https://[2606:4700::1]/"),
    ],
)
def test_spellings_of_one_page_share_an_identity(spelling: str, identity: str) -> None:
    assert identity_url(spelling, PLAIN) == identity


def test_the_policy_decides_order_slash_scheme_and_www() -> None:
    policy = UrlPolicy(
        sort_query=True, strip_trailing_slash=True, fold_https=True, fold_www=True, tracking_params=("ref",)
    )
    assert (
        identity_url("http://www.www.shop.example/a//?b=2&a=1&b=1&ref=x", policy)
        == "https://shop.example/a?a=1&b=2&b=1"
    )
    assert identity_url("http://www.com:8080/", policy) == "http://www.com:8080/"


def test_a_variant_parameter_wins_over_every_other_list() -> None:
    policy = UrlPolicy(variant_params=("gclid", "jsessionid"), tracking_params=("gclid",))
    assert (
        identity_url("https://shop.example/a;jsessionid=1?gclid=7", policy)
        == "https://shop.example/a;jsessionid=1?gclid=7"
    )


segments = st.text(alphabet="aB.%2eE/;=~jsessionid|[]'+é €", max_size=20).map(lambda text: text.replace(" ", "%20"))
names = st.sampled_from(["variant", "size", "utm_source", "ref", "PHPSESSID", "q", "%76ariant", "a|b"])
queries = st.lists(st.tuples(names, segments.map(lambda text: text.replace("/", ""))), max_size=5).map(
    lambda pairs: "&".join(f"{name}={value}" for name, value in pairs)
)
policies = st.builds(
    UrlPolicy,
    variant_params=st.sampled_from([(), ("variant",), ("variant", "size")]),
    tracking_params=st.sampled_from([(), ("ref",), ("variant",)]),
    sort_query=st.booleans(),
    strip_trailing_slash=st.booleans(),
    fold_https=st.booleans(),
    fold_www=st.booleans(),
)
hosts = st.sampled_from(
    ["shop.example", "WWW.Shop.example:80", "www.www.a.b", "127.0.0.1:8080", "[2606:4700::1]", "bücher.example"]
)
urls = st.builds(
    lambda scheme, host, path, query: f"{scheme}://{host}/{path}?{query}",
    st.sampled_from(["http", "https"]),
    hosts,
    segments,
    queries,
)


@given(urls, policies)
def test_identity_is_idempotent(text: str, policy: UrlPolicy) -> None:
    once = identity_url(text, policy)
    assert identity_url(once, policy) == once


@given(urls, policies)
def test_variant_parameters_survive_with_their_order(text: str, policy: UrlPolicy) -> None:
    def variants(query: str) -> list[str]:
        kept = [part.partition("=")[0].replace("%76", "v") for part in query.split("&")]
        return [name for name in kept if name in policy.variant_params]

    before, after = variants(parse_url(text).query), variants(identity_url(text, policy).partition("?")[2])
    assert sorted(after) == sorted(before)
    assert policy.sort_query or after == before


@given(st.text(max_size=40))
def test_parse_url_returns_a_url_or_says_why_not(text: str) -> None:
    try:
        url = parse_url("https://" + text)
    except Invalid:
        return
    assert isinstance(url, Url)
    assert parse_url(url.href).href == url.href


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("b", "https://shop.example/dir/b"),
        ("?page=2", "https://shop.example/dir/a?page=2"),
        (" /x y \n", "https://shop.example/x%20y"),
        ("//cdn.example/i.png#f", "https://cdn.example/i.png"),
        ("HTTP://Other.example:80", "http://other.example/"),
        ("#top", "https://shop.example/dir/a?q=1"),
        ("mailto:a@b.example", None),
        ("javascript:void(0)", None),
        ("https:evil.example", None),
        ("https:///evil.example", None),
        ("\\\\evil.example\\", None),
        ("/a\tb", None),
        ("//user@evil.example/", None),
        ("//0x7f.1/", None),
        ("//[::1", None),
        ("/" + "a" * 2048, None),
    ],
)
def test_references_resolve_or_lead_nowhere(href: str, expected: str | None) -> None:
    assert resolve("https://shop.example/dir/a?q=1", href) == expected


def test_an_unreadable_base_resolves_nothing() -> None:
    assert resolve("not a base", "a") is None
    assert resolve("mailto:a@shop.example", "#x") is None


def test_origins_compare_scheme_host_and_port() -> None:
    origins = ("https://shop.example", "http://127.0.0.1:9001")
    assert in_origins("https://SHOP.example:443/x", origins)
    assert in_origins(parse_url("http://127.0.0.1:9001/"), origins)
    assert not in_origins("http://shop.example/", origins)
    assert not in_origins("https://shop.example:444/", origins)
    assert not in_origins("https://shop.example.evil.example/", origins)
    assert not in_origins("https://shop.example@evil.example/", origins)


def test_an_origin_has_no_path() -> None:
    assert parse_origin("HTTPS://Shop.example:443/") == "https://shop.example"
    with pytest.raises(Invalid, match=r"write https://shop\.example"):
        parse_origin("https://shop.example/a")


def test_an_offer_identity_forgets_the_variant_and_only_it() -> None:
    assert offer_identity_url("https://s.example/p?a=1&Variant=2&b=3", ("variant",)) == "https://s.example/p?a=1&b=3"
    assert offer_identity_url("https://s.example/p?variant=2", ("variant",)) == "https://s.example/p"


def test_a_target_is_a_url_in_a_context() -> None:
    assert len(target_id("https://s.example/")) == 32
    assert target_id("https://s.example/") == target_id("https://s.example/", "")
    assert target_id("https://s.example/", "US") != target_id("https://s.example/")
