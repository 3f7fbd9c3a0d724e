# ruff: noqa: RUF001  # the words of many scripts are the data here
"""Stock texts of thirty languages: there, not there, and the traps that say neither."""

import pytest

from streams.extraction.stock import stock_text

THERE = [
    "In stock", "In Stock & Ready to Ship", "Only 2 left in stock", "3 in stock", "Available now", "Last one in stock!", "In stock: ships tomorrow",
    "Stock status: in stock", "Auf Lager", "Sofort lieferbar", "Nur noch 2 auf Lager", "En stock", "Disponible", "Hay existencias", "En existencias",
    "Disponibile", "Disponibilità immediata", "Disponível", "Em stock", "Em estoque", "Op voorraad", "I lager", "Finns i lager", "På lager",
    "Få på lager", "Varastossa", "Heti varastossa", "Dostępny", "Produkt dostępny", "W magazynie", "Na stanie", "Skladem", "Skladem 5 ks",
    "Na sklade", "Skladom", "Raktáron", "Készleten", "În stoc", "In stoc", "В наличност", "На склад", "Наличен", "Na zalihi", "Dostupno",
    "Na skladištu", "Na zalogi", "Na voljo", "На стању", "Na stanju", "Διαθέσιμο", "Άμεσα διαθέσιμο", "Σε απόθεμα", "Stokta", "Stokta var",
    "Stokta 3 adet", "В наличии", "Есть в наличии", "На складе", "Осталось 2 шт. в наличии", "В наявності", "Є в наявності", "במלאי", "זמין במלאי",
    "متوفر", "متوفر في المخزون", "有货", "现货", "有貨", "現貨", "尚有庫存", "現貨供應", "在庫あり", "在庫：あり", "在庫わずか", "재고 있음", "มีสินค้า", "มีสินค้าพร้อมส่ง",
    "พร้อมส่ง", "Còn hàng", "Stok tersedia", "Tersedia", "Laos olemas", "Ir noliktavā", "Yra sandėlyje",
]  # fmt: skip
GONE = [
    "0 in stock", "Out of stock", "Sold out", "SOLD OUT", "Currently unavailable", "Temporarily out of stock", "No longer available", "Discontinued",
    "Not in stock", "Sorry, this item is out of stock", "We're out of stock!", "Availability: Out of stock", "Nicht auf Lager", "Ausverkauft",
    "Derzeit nicht verfügbar", "Nicht lieferbar", "Vergriffen", "Épuisé", "Rupture de stock", "En rupture de stock", "Indisponible", "Stock épuisé",
    "Agotado", "Sin stock", "Sin existencias", "No disponible", "Non disponibile", "Esaurito", "Esgotado", "Indisponível", "Sem estoque",
    "Fora de estoque", "Uitverkocht", "Niet op voorraad", "Tijdelijk uitverkocht", "Niet leverbaar", "Slut i lager", "Slutsåld", "Ej i lager",
    "Udsolgt", "Ikke på lager", "Utsolgt", "Midlertidig utsolgt", "Loppu", "Loppuunmyyty", "Ei varastossa", "Tilapäisesti loppu", "Niedostępny",
    "Produkt niedostępny", "Brak w magazynie", "Wyprzedane", "Chwilowo niedostępny", "Není skladem", "Vyprodáno", "Nedostupné",
    "Momentálně nedostupné", "Nie je skladom", "Vypredané", "Dočasne nedostupné", "Nincs raktáron", "Nincs készleten", "Elfogyott", "Nem elérhető",
    "Nem rendelhető", "Stoc epuizat", "Indisponibil", "Nu este în stoc", "Lipsă stoc", "Produs indisponibil", "Няма в наличност", "Изчерпан",
    "Изчерпано количество", "Няма наличност", "Не е наличен", "Rasprodano", "Nije dostupno", "Nema na zalihi", "Ni na zalogi", "Razprodano",
    "Ni na voljo", "Нема на стању", "Распродато", "Nema na stanju", "Εξαντλημένο", "Εξαντλήθηκε", "Μη διαθέσιμο", "Εκτός αποθέματος",
    "Προσωρινά μη διαθέσιμο", "Tükendi", "Stokta yok", "Stoklar tükendi", "Нет в наличии", "Распродано", "Товар закончился", "Нет на складе",
    "Снят с производства", "Временно отсутствует", "Немає в наявності", "Закінчився", "Немає на складі", "Розпродано", "אזל מהמלאי", "אזל",
    "לא במלאי", "המוצר אזל מהמלאי", "חסר במלאי", "غير متوفر", "نفدت الكمية", "نفذت الكمية", "غير متاح", "غير متوفر حاليا", "缺货", "售罄", "无货", "暂时缺货",
    "缺貨", "已售完", "補貨中", "完售", "在庫なし", "売り切れ", "品切れ", "完売", "在庫切れ", "入荷待ち", "在庫：なし", "入荷未定", "품절", "일시품절", "재고 없음", "매진", "สินค้าหมด", "หมด",
    "สินค้าหมดชั่วคราว", "Hết hàng", "Tạm hết hàng", "Ngừng kinh doanh", "Stok habis", "Habis", "Tidak tersedia", "Otsas", "Läbi müüdud",
    "Nav noliktavā", "Izpārdots", "Išparduota", "Nėra sandėlyje",
]  # fmt: skip
NEITHER = [
    "Only 2 left", "Available", "Notify me when back in stock", "Email me when available", "Back in stock soon", "In stock in 3 stores",
    "Check store availability", "Out of stock in size M", "Size M is sold out", "Pre-order", "Pre-order now, ships in June", "Ships in 2 weeks",
    "Usually ships within 24 hours", "Backorder", "Never out of stock again", "When will it be in stock?", "Is this in stock?",
    "Don't miss out: selling out fast", "Selling fast", "Low stock", "Not sold in stores", "Available for pickup", "Pickup available",
    "Available for pre-order", "Sold out in stores", "Almost sold out", "Nearly sold out", "Often sold out", "Previously sold out", "Stock photo",
    "Stock", "Free returns if out of stock", "Hide out of stock items", "Show sold out products", "Include out of stock", "Available in 3 colours",
    "Made to order", "Coming soon", "Expected in stock 12 March", "In stock from 12 March", "Will be in stock soon", "Fast ausverkauft",
    "Bald wieder verfügbar", "Bald wieder auf Lager", "Benachrichtigen, wenn auf Lager", "Vorbestellbar", "In der Filiale auf Lager",
    "Größe M ausverkauft", "Auf Lager in 2 Wochen", "Ab 12.3. wieder lieferbar", "Bientôt épuisé", "Presque épuisé", "Disponible en magasin",
    "M'avertir du retour en stock", "De retour en stock", "Disponible sous 3 semaines", "Précommande", "Bientôt disponible",
    "Prévenez-moi lorsque le produit est disponible", "Casi agotado", "Disponible en tienda", "Avísame cuando esté disponible", "Próximamente",
    "Últimas unidades", "Talla M agotada", "Disponible próximamente", "Esaurimento scorte", "In esaurimento", "Avvisami quando disponibile",
    "Quasi esaurito", "Disponibile in negozio", "Disponibile a breve", "Presto disponibile", "Taglia M esaurita", "Avise-me quando chegar",
    "Quase esgotado", "Brevemente disponível", "Disponível em breve", "Bijna uitverkocht", "Binnenkort weer op voorraad",
    "Mail mij wanneer op voorraad", "Op voorraad in winkel", "Snart slutsåld", "Åter i lager", "Finns i butik", "Meddela mig när den är i lager",
    "Kommer snart", "Snart udsolgt", "Næsten udsolgt", "Giv besked når på lager", "På lager i butikk", "Saatavilla myymälästä",
    "Melkein loppuunmyyty", "Powiadom o dostępności", "Dostępny wkrótce", "Dostępny w sklepie", "Ostatnie sztuki", "Na zamówienie",
    "Skladem u dodavatele", "Brzy skladem", "Hlídat dostupnost", "Na objednávku", "Skladem na prodejně", "Na predajni skladom", "Rendelésre",
    "Üzletben raktáron", "Hamarosan raktáron", "Értesítés, ha raktáron", "Stoc limitat", "În stoc în magazin", "Anunță-mă când e în stoc",
    "La comandă", "Очаква се", "Uskoro dostupno", "Κατόπιν παραγγελίας", "Διαθέσιμο σε κατάστημα", "Σύντομα διαθέσιμο", "Tükenmek üzere",
    "Gelince haber ver", "Mağazada stokta", "Yakında stokta", "Ожидается поступление", "Под заказ", "В наличии в магазинах", "Сообщить о поступлении",
    "Скоро в наличии", "Очікується", "Повідомити про наявність", "עדכנו אותי כשחוזר למלאי", "أعلمني عند التوفر", "متاح للطلب المسبق", "到货通知", "即将售罄",
    "貨到通知", "庫存不足", "预售", "預購", "残りわずか", "予約受付中", "再入荷通知", "店舗在庫あり", "まもなく完売", "取り寄せ", "품절임박", "재입고 알림", "구매 가능", "예약판매", "พรีออเดอร์", "ใกล้หมด",
    "Sắp hết hàng", "Còn hàng tại cửa hàng", "Đặt trước", "Báo khi có hàng", "Stok hampir habis", "Beritahu saya saat tersedia",
]  # fmt: skip


@pytest.mark.parametrize("text", THERE)
def test_there(text: str) -> None:
    assert stock_text(text) == "InStock"


@pytest.mark.parametrize("text", GONE)
def test_gone(text: str) -> None:
    assert stock_text(text) == "OutOfStock"


@pytest.mark.parametrize("text", NEITHER)
def test_another_place_a_later_day_a_notice_or_a_filter_says_neither(text: str) -> None:
    assert stock_text(text) is None
