"""The three markup styles of the sample store come out right, variants apart."""

from streams.extraction.page import PageContext, PageReading, read_page
from streams.page_tree import PageTree

GROUP = b"""<html><head><title>Mug</title><script type="application/ld+json">{"@context":"https://schema.org","@type":"ProductGroup",
"name":"Mug","productGroupID":"g1","hasVariant":[
{"@type":"Product","name":"Mug S","sku":"MUG-S","gtin13":"4006381333931","size":"S","offers":{"@type":"Offer","url":"/p/mug?variant=11",
"price":"19.99","priceCurrency":"USD","availability":"https://schema.org/InStock"}},
{"@type":"Product","sku":"MUG-M","size":"M","offers":{"@type":"Offer","url":"/p/mug?variant=12","price":24.5,"priceCurrency":"USD",
"availability":"https://schema.org/OutOfStock"}}]}</script></head><body><h1>Mug</h1><p class=price>$24.50</p></body></html>"""
GERMAN = """<html lang=de><body><div itemscope itemtype="https://schema.org/Product"><h1 itemprop=name>Becher</h1>
<div itemprop=offers itemscope itemtype="https://schema.org/Offer"><span itemprop=price>1.299,00</span>
<span itemprop=priceCurrency content=EUR>€</span><link itemprop=availability href="https://schema.org/InStock"></div></div></body></html>""".encode()
PLATFORM = """<html><head><meta property="product:price:amount" content="1980"><meta property="product:price:currency" content="JPY"></head>
<body><h1>Cup</h1><p class=price>¥1,980</p><script>Shopify.currency = {"active":"JPY","rate":"1.0"};</script>
<script type="application/json" data-product-json>{"id":7,"title":"Cup","variants":[
{"id":71,"sku":"C-R","price":198000,"available":true,"options":["Red"]},
{"id":72,"sku":"C-B","price":248000,"available":false,"options":["Blue"]}],"options":["Color"]}</script></body></html>""".encode()


def read(body: bytes, url: str, **context: str) -> PageReading:
    return read_page(PageTree.parse(body, url=url), PageContext(url=url, **context))


def test_a_group_gives_every_variant_its_own_offer_and_the_query_selects_one() -> None:
    reading = read(GROUP, "http://shop.test/p/mug?variant=12")
    assert [(o.selected, o.sku, o.price_minor, o.currency, o.availability) for o in reading.offers] == [
        (False, "MUG-S", 1999, "USD", "InStock"),
        (True, "MUG-M", 2450, "USD", "OutOfStock"),
    ]
    assert reading.offers[0].gtin == "04006381333931"


def test_an_undecided_variant_is_a_result_and_no_offer_is_selected() -> None:
    reading = read(GROUP, "http://shop.test/p/mug")
    assert [o.selected for o in reading.offers] == [False, False]
    assert ("variant", "variant_unselected") in [(r.field, r.reason) for r in reading.refusals]


def test_a_visible_german_price_in_microdata_is_read_by_its_marks() -> None:
    (offer,) = read(GERMAN, "http://shop.test/b").offers
    assert (offer.selected, offer.price_minor, offer.currency, offer.availability) == (True, 129900, "EUR", "InStock")


def test_platform_integers_are_hundredths_even_of_yen() -> None:
    reading = read(PLATFORM, "http://shop.test/c?variant=71")
    assert [(o.selected, o.price_minor, o.exponent, o.variant_id) for o in reading.offers] == [
        (True, 1980, 0, "71"),
        (False, 2480, 0, "72"),
    ]


def test_a_visible_price_that_contradicts_the_markup_is_refused_with_all_claims() -> None:
    reading = read(
        GERMAN.replace(b"<h1", b"<h1")
        .replace(b"</body>", "<p class=price>1.199,00 €</p></body>".encode())
        .replace(b"<span itemprop=price>1.299,00</span>", b"<meta itemprop=price content=1299.00>"),
        "http://shop.test/b",
    )
    assert reading.offers[0].price_minor is None
    refusal = next(r for r in reading.refusals if r.field == "price")
    assert {claim.syntax for claim in refusal.claims} == {"microdata", "visible"}
