"""Keys and the one partitioner."""

import pytest
from aiokafka.partitioner import murmur2
from hypothesis import given
from hypothesis import strategies as st

from topics.errors import Invalid
from topics.keys import OfferKey, join_key, merchant_key, partition_of, split_key, target_key

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
merchants = st.from_regex(r"[a-z0-9-]{1,40}", fullmatch=True)
offer_keys = st.builds(
    OfferKey,
    merchant=merchants,
    identity=st.tuples(st.sampled_from(["pid:", "sku:", "url:"]), texts.filter(bool)).map("".join),
    variant=texts.filter(bool),
    market=st.sampled_from(["US:USD", "JP:JPY"]),
)


@given(st.binary(max_size=40).filter(lambda data: b"|" not in data), st.integers(1, 1000))
def test_the_partitioner_is_kafkas_murmur2(key: bytes, partitions: int):
    assert partition_of(key, partitions) == (murmur2(key) & 0x7FFFFFFF) % partitions


@pytest.mark.parametrize(
    ("key", "hashed"),
    [  # org.apache.kafka.common.utils.UtilsTest.testMurmur2
        (b"21", -973932308),
        (b"foobar", -790332482),
        (b"a-little-bit-long-string", -985981536),
        (b"a-little-bit-longer-string", -1486304829),
        (b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        (b"abc", 479470107),
    ],
)
def test_the_partitioner_gives_the_values_of_kafkas_own_test(key: bytes, hashed: int):
    assert partition_of(key, 1 << 31) == hashed & 0x7FFFFFFF


@given(offer_keys, texts, st.integers(1, 64))
def test_everything_of_a_merchant_lands_in_one_partition(key: OfferKey, target: str, partitions: int):
    expected = partition_of(merchant_key(key.merchant), partitions)
    assert partition_of(key.key, partitions) == expected
    assert partition_of(target_key(key.merchant, target), partitions) == expected


@given(offer_keys)
def test_an_offer_key_survives_its_bytes(key: OfferKey):
    assert OfferKey.parse(key.key) == key
    assert key.key.startswith(key.product_id.encode() + b"|")


@given(st.lists(texts, min_size=1, max_size=4), st.lists(texts, min_size=1, max_size=4))
def test_different_components_give_different_keys(first: list[str], second: list[str]):
    assert split_key(join_key(*first)) == tuple(first)
    assert (join_key(*first) == join_key(*second)) == (first == second)


def test_a_key_is_printable_ascii_without_its_separator_inside():
    assert join_key("acme", "sku:a|b/ü", "-") == b"acme|sku:a%7Cb%2F%C3%BC|-"


@pytest.mark.parametrize("merchant", ["", "A", "a_b", "ä", "a" * 41, "a\n"])
def test_a_malformed_merchant_is_refused_by_name(merchant: str):
    with pytest.raises(Invalid) as refused:
        merchant_key(merchant)
    assert refused.value.field == "merchant"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("identity", "pid"),
        ("identity", "pid:"),
        ("identity", "gtin:1"),
        ("variant", ""),
        ("market", "US"),
        ("market", "us:usd"),
        ("market", "US:USD\n"),
        ("merchant", "A"),
    ],
)
def test_a_malformed_offer_key_names_its_field(field: str, value: str):
    fields = {"merchant": "acme", "identity": "pid:1", "variant": "-", "market": "US:USD", field: value}
    with pytest.raises(Invalid) as refused:
        OfferKey(**fields)
    assert refused.value.field == field


def test_a_key_of_another_shape_is_no_offer_key():
    with pytest.raises(Invalid):
        OfferKey.parse(b"acme|pid:1|-")
