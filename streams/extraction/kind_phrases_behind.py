# ruff: noqa: RUF001  # the words and marks of many scripts are the data here
"""The phrases that name a kind of price where they stand right behind the amount; read as `kind_phrases` is."""

from typing import Final

NEUTRAL: Final = """
    free shipping; free delivery; shipping included; delivery included; incl shipping; frei haus; inkl versand; livraison gratuite; livraison incluse; envío gratis; envío incluido; spedizione gratuita; frete grátis; gratis verzending; fri frakt
"""
SHIPPING: Final = """
    shipping; delivery; postage; p & p; shipping fee; delivery fee; s & h; for shipping; for delivery; per order; versand; versandkosten; lieferkosten; porto; de livraison; de frais de port; frais de port; livraison; de envío; envío; envio; gastos de envío; spedizione; di spedizione; de frete; frete; de portes; portes
    verzendkosten; verzending; frakt; i frakt; fragt; i fragt; toimituskulut; toimitus; dostawa; wysyłka; doprava; poštovné; szállítás; livrare; transport; доставка; за доставку; μεταφορικά; kargo; משלוח; الشحن; شحن; ongkir; phí ship
"""
DISCOUNT: Final = """
    when you buy; each when you buy; if you buy; when you spend; when buying; for # or more; ea when you buy; bei abnahme; bei abnahme von; ab # stück; beim kauf von; par # achetés; dès # achetés; comprando; acquistando; üzeri; üzeri ücretsiz kargo; ve üzeri; üstü; felett; fölött; feletti
    off; discount; saved; savings; gift card; giftcard; gift; voucher; cashback; cash back; credit; store credit; points; point; or more; and over; or over; + orders; deposit; reward; rewards; coupon; rebate; cheaper; less; minimum; bonus; prize; purchase; value
    rabatt; nachlass; gutschein; sparen; gespart; ersparnis; gutgeschrieben; pfand; anzahlung; günstiger; billiger; bonus; reduziert; wert; einkaufswert; mindestbestellwert
    de réduction; réduction; de remise; remise; offerts; offert; d économie; d économies; de moins; de consigne; d éco participation; d éco part; d éco contribution; éco part; d achat; d acompte; en bon d achat; de bon d achat
    de descuento; descuento; dto; de ahorro; menos; de regalo; de depósito; o más; di sconto; sconto; di risparmio; in meno; di cauzione; in regalo; o più; de desconto; desconto; off; de economia; de poupança; de cashback; ou mais; a menos
    korting; voordeel; bespaard; goedkoper; statiegeld; cadeaubon; tegoed; cashback; of meer; rabat; rabatt; billigare; pant; presentkort; eller mer; gavekort; i rabat; besparelse; billigere; eller mere; alennus; alennusta; pantti; lahjakortti; säästö
    rabatu; zniżki; taniej; kaucji; kaucja; oszczędności; slevy; sleva; zálohy; záloha; zľavy; zľava; kedvezmény; engedmény; utalvány; betétdíj; olcsóbban; reducere; discount; garanție; economie; mai ieftin
    отстъпка; депозит; намаление; popusta; popust; jeftinije; ceneje; попуста; έκπτωση; όφελος; φθηνότερα; indirim; kazanç; hediye çeki; puan; скидки; скидка; скидку; бонусов; бонуса; баллов; экономии; залога; знижки; знижка; бонусів; економії
    הנחה; חיסכון; מתנה; خصم; كاش باك; نقطة; giảm; giảm giá; diskon; potongan; atlaide; nuolaida; allahindlus
"""
MEMBER: Final = """
    with card; with membership; with prime; for members; for member; members; member; member price; club; clubcard; clubcard price; club price; with code; with coupon; with subscription; subscribe & save; with subscribe & save; with trade in; with loyalty card; after coupon; for students; members only
    mit karte; für mitglieder; mit kundenkarte; mit code; mit gutschein; mit coupon; mit abo; im abo; mit vertrag; im sparabo; avec la carte; avec carte; pour les adhérents; adhérent; adhérents; avec le code; avec abonnement; con tarjeta; para socios; con cupón; con código; con suscripción; socios
    con tessera; con carta; per i soci; con coupon; con il codice; com cartão; com cupom; para sócios; no pix; no boleto; no cartão; com o código; met kaart; met code; voor leden; met abonnement; medlem; för medlemmar; for medlemmer; med kod; med kort; med kode; jäsenille; kortilla; koodilla
    z kartą; z kodem; z aplikacją; dla członków; s kartou; s kódem; pro členy; s kódom; kártyával; kuponnal; cu cardul; cu codul; pentru membri; с карта; с код; uz karticu; s karticom; s kodom; s kartico; με κάρτα; με κωδικό; kart ile; kartla; kuponla
    по карте; с картой; по промокоду; с промокодом; по подписке; за карткою; за промокодом; לחברי מועדון; לחבר מועדון; למועדון; للأعضاء; بالبطاقة; dengan kupon
"""
INSTALMENT: Final = """
    monthly; sem juros; in #; in # instalments; in # installments; for # months; over # months; weekly; p m; p / m; p mnd; pm; interest free; monatlich; in # raten; mtl; pro monat; im monat; mensuel; mensuels; mensuelle; sans frais; en # fois; # fois; mensuales; al mes; en # cuotas; sin interés; sin intereses; mensili; al mese; in # rate; in rate; mensais; por mês; em # vezes
    maandelijks; per maand; in # termijnen; i månaden; per månad; pr måned; i måneden; månedlig; månedligt; kuukaudessa; kuussa; miesięcznie; w # ratach; za miesiąc; měsíčně; na splátky; mesačne; havonta; havi; lunar; pe lună; în # rate; месечно; на месец; mjesečno; mesečno; na mesec; μηνιαίως; το μήνα; τον μήνα; σε # δόσεις
    aylık; ayda; taksitle; x # taksit; taksit; в месяц; ежемесячно; на # месяцев; в рассрочку; на місяць; щомісяця; в місяць; לחודש; בחודש; شهريا; شهرياً; في الشهر; mỗi tháng; hàng tháng; per bulan; kuus; mēnesī; per mėnesį
"""
FROM: Final = """
    vb; vhb; and up; and upwards; & up; onwards; upwards; + up; en adelante; in su; en hoger; og op; och uppåt; och upp; ja ylöspäin; alkaen; alk; i więcej; a více; és több; și peste; и повече; και άνω; ve üzeri; ve üstü; и выше; и более; і більше; ומעלה; فأكثر; وما فوق; trở lên; ke atas
"""
UNIT: Final = """
    per unit; / unit; each kg; pro stück; je stück; pro st; pro person; par personne; per person; per persona; por persona; pro os; pp; p p; per stuk; per paar; per pair; / pair; / paar; / paire; the pair
    por unidade; por unidad; l unité; al pezzo; cadauno; per pezzo; za sztukę; za kus; za ks; za m; darabja; per m²; τεμάχιο; ανά τεμάχιο; за штуку; за шт; за единицу; за пару; за упаковку; ליחידה; للقطعة; للكيلو; satuan
"""
LIST: Final = """
    helyett; yerine; sijaan; rather than
"""
LIST_AT_END: Final = """
    uvp; uvp des herstellers; rrp; msrp; list price; retail price; regular price; original price; listenpreis; prix conseillé; precio recomendado; prezzo consigliato; adviesprijs; pvpr; ord pris; rek pris; vejl pris; ovh
"""
PERIOD: Final = """
    mo|mth|month|mnth|monat|mois|mes|mese|m[aå]ned|m[aå]nad|m[aå]n|md|mnd|maand|мес|месяц|міс|місяць|месец|mtl|week|wk|woche|yr|year|jahr|kk|kuukausi|mies|miesi[ąa]c|měs|měsíc|mesiac|h[óo]|hónap|lun[ăa]|mjesec|mesec|μήνα|ay|tháng|bulan|חודש|شهر|kuu|mēn|mėn
"""
SHORT_PERIOD: Final = """
    day|night|hour|hr|tag|nacht|stunde|jour|nuit|heure|día|dia|noche|hora|giorno|notte|ora|noite|dag|uur|dygn|natt|nat|time|päivä|yö|vrk|dzień|noc|dobę|godz|den|hod|deň|nap|éj|óra|zi|noapte|oră|ден|нощ|dan|ден|нощувка|ημέρα|μέρα|νύχτα|ώρα|gün|gece|saat|день|сутки|ночь|час|доба|доби|יום|לילה|يوم|ليلة|ngày|đêm|hari|malam
"""
MEASURE: Final = r"""
    kg|kilo(?:gramm?|s)?|g|gr|gram(?:s|m|me|mes|mi)?|quilo|l|lt|lit(?:er|re|ro|r|ru)s?|milli?lit(?:er|re)s?|ml|cl|dl|m|m2|m²|qm|m3|cm|oz|fl\.? ?oz|lbs?|ounce|pound|ft|feet|yards?|yd|sq\.? ?(?:ft|m|yd|in)|meter|metro|metre|lfm|
    sheet|tablet|capsule|wash|load|serving|count|ct|dozen|st(?:ück|uks?|k|yck|\.)?|szt(?:ukę|\.)?|ks|kus|buc|bucat[ăa]|uds?|unidade?|un|unit[éeày]?|pz|pezzo|pcs?|piece|pièce|pieza|item|each|ea|stk|kpl|kappale|adet|db|kom|
    pair|paar|paire|par|paio|user|seat|person|personne|persona|pers|кг|л|г|м|м²|шт|штук[уа]|бр|брой|литр|упак|ед|κιλό|τεμ|τεμάχιο|lít|cái|hộp|chiếc|buah|קג|יחידה
"""
RAW: Final = {
    "from": "から 起 ~ 부터 이상 以上 より ขึ้นไป",
    "tax-excluded": "税抜 税別 +税 ＋税 未稅 未税 不含税 부가세별도 (税抜 (税別 +消費税 ไม่รวม",
    "gross": "税込 含税 含稅 税入",
    "discount": "引き 引 相当 off オフ 割引 お得 ポイント 할인 적립 쿠폰 优惠券 減 减 折 立减 クーポン",
    "member": "会員",
    "instalment": "/月 /期 /月起 每月 ต่อเดือน /เดือน 개월",
    "unit": "/件 /個 /个 /本 /枚 /台 /kg /개 /袋 /盒 /瓶 /箱 /ชิ้น /斤 /包 /組 /公斤 /克",
    "shipping": "運費 运费 送料",
}
