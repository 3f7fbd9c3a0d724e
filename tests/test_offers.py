"""Which offer a reading is about."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.offers import Identity, IdentityFacts, identify, identify_all, identity_rank

URL = "https://shop.example/p/shoe"
URL_ID = "url:" + hashlib.sha256(URL.encode()).hexdigest()[:32]


def check(facts: IdentityFacts, identity: str, variant: str, variant_params: tuple[str, ...] = ("variant",)) -> None:
    assert identify(facts, variant_params) == Identity(identity, variant)


def test_a_platform_id_is_the_best_identity_and_the_variant_id_the_best_variant():
    check(IdentityFacts(platform_id="77", variant_id="771", sku="S-1", url=URL), "pid:77", "771")


def test_a_sku_is_the_next_best_for_both():
    check(IdentityFacts(sku="S-1", url=URL), "sku:S-1", "S-1")
    check(IdentityFacts(platform_id="77", sku="S-1", url=URL), "pid:77", "S-1")


def test_attributes_name_the_variant_when_no_id_does_in_any_order_and_case():
    for attributes in ((("Size", "M"), ("Color", "Red")), (("color", "red "), ("size", "m"))):
        check(IdentityFacts(platform_id="77", url=URL, attributes=attributes), "pid:77", "color=red,size=m")


def test_the_page_itself_is_the_last_identity():
    check(IdentityFacts(url=URL), URL_ID, "-")


def test_a_variant_parameter_stays_out_of_the_product_and_names_the_variant():
    check(IdentityFacts(url=f"{URL}?variant=9"), URL_ID, "variant=9")
    check(IdentityFacts(url=f"{URL}?Variant=9", attributes=(("size", "m"),)), URL_ID, "size=m")


def test_another_parameter_is_part_of_the_product():
    assert identify(IdentityFacts(url=f"{URL}?id=9"), ("variant",)).identity != URL_ID


@pytest.mark.parametrize("sku", ["", " ", "N/A", "null", "-", "0", "x" * 101, "a\x00b", "a\u202eb"])
def test_a_placeholder_is_no_sku(sku: str):
    check(IdentityFacts(sku=sku, url=URL), URL_ID, "-")


def test_blanks_around_an_id_do_not_split_an_offer():
    check(IdentityFacts(sku="  S  1\n", url=URL), "sku:S 1", "S 1")


def test_long_attributes_become_a_hash_so_that_keys_stay_small():
    variant = identify(IdentityFacts(url=URL, attributes=(("size", "m" * 200),))).variant
    assert len(variant) == 32


def test_a_parent_sku_does_not_merge_the_variants_of_a_page():
    page = [IdentityFacts(sku="P", url=URL, attributes=(("size", size),), variants_on_page=2) for size in "sm"]
    assert identify_all(page) == (Identity("sku:P", "size=s"), Identity("sku:P", "size=m"))


def test_offers_that_cannot_be_told_apart_get_no_identity():
    page = [IdentityFacts(sku="P", url=URL), IdentityFacts(sku="P", url=URL), IdentityFacts(sku="Q", url=URL)]
    assert identify_all(page) == (None, None, Identity("sku:Q", "Q"))


def test_ranks_rise_from_url_to_platform_id():
    assert [identity_rank(one) for one in ("pid:1", "sku:1", "url:1")] == [0, 1, 2]


ids = st.one_of(st.none(), st.text(max_size=8))
facts_of = st.builds(
    IdentityFacts,
    platform_id=ids,
    variant_id=ids,
    sku=ids,
    url=st.sampled_from([URL, f"{URL}?variant=1", f"{URL}?variant=2"]),
    attributes=st.lists(st.tuples(st.text(max_size=4), st.text(max_size=4)), max_size=3).map(tuple),
)


@given(facts_of, st.randoms())
def test_the_same_facts_give_the_same_key_whatever_their_order(facts: IdentityFacts, random):
    shuffled = list(facts.attributes)
    random.shuffle(shuffled)
    same = IdentityFacts(
        platform_id=facts.platform_id,
        variant_id=facts.variant_id,
        sku=facts.sku,
        url=facts.url,
        attributes=tuple(shuffled),
    )
    assert identify(same, ("variant",)) == identify(facts, ("variant",))


@given(st.lists(facts_of, max_size=5))
def test_no_two_offers_of_a_page_share_a_key(page: list[IdentityFacts]):
    known = [one for one in identify_all(page, ("variant",)) if one is not None]
    assert len(set(known)) == len(known)
