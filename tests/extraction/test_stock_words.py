# ruff: noqa: RUF001  # the words of many scripts are the data here
"""What short visible texts say of stock: sold out in the languages of shops, and what only sounds like it."""

import pytest

from streams.extraction.stock import stock_text

ABSENT = [
    "Sold out", "Out of stock", "Currently unavailable", "Product is not available", "Ausverkauft", "Momentan nicht lieferbar", "Épuisé",
    "Actuellement indisponible", "Le produit est indisponible", "No disponible", "Este producto no está disponible", "Prodotto non disponibile",
    "Produto indisponível", "Tijdelijk niet leverbaar", "Tillfälligt slut", "Produkt niedostępny", "Momentálně nedostupné", "Nu este în stoc",
    "Jelenleg nem rendelhető", "Stokta kalmadı", "Товар закончился", "Товар закінчився", "Не е налично", "Εξαντλήθηκε", "Εκτός αποθέματος",
    "品切れ中", "売り切れました", "現在在庫がありません", "재고 없음", "暫時缺貨", "無庫存", "לא במלאי", "Habis terjual", "สินค้าหมด",
]  # fmt: skip
NOTHING = [
    "Almost sold out", "Fast ausverkauft", "Never out of stock", "Size M is sold out", "売り切れ次第終了", "在庫切れの場合はご連絡します", "售完为止",
    "품절 시 환불", "สินค้าหมดอายุ 2027", "Notify me when back in stock",
]  # fmt: skip


@pytest.mark.parametrize("text", ABSENT)
def test_these_words_say_that_it_is_sold_out(text: str) -> None:
    assert stock_text(text) == "OutOfStock"


@pytest.mark.parametrize("text", NOTHING)
def test_these_words_do_not_say_that_it_is_sold_out(text: str) -> None:
    assert stock_text(text) != "OutOfStock"
