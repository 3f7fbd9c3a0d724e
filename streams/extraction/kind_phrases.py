# ruff: noqa: RUF001  # the words and marks of many scripts are the data here
"""The phrases that name a kind of price, one line a language. `#` stands for any number, words are split at every mark.

A phrase is matched word by word on folded lower case, so a short word never matches inside a longer one. `RAW` phrases are of
scripts that write no spaces; they are found anywhere. `GROSS` and `NEUTRAL` name no kind: they only use up their words.
"""

from typing import Final

SHIPPING: Final = """
    shipping; free shipping; delivery; postage; freight; p & p; shipping & handling; delivery charge; orders over; orders of
    versand; versandkosten; versandkostenfrei; lieferung; liefergebühr; porto; lieferkosten; versandkostenfrei ab
    livraison; frais de port; frais de livraison; port; expédition; livraison offerte; livraison gratuite
    envio; envío; gastos de envio; gastos de envío; envío gratis; envio gratis; coste de envío; costo de envío; despacho; entrega
    spedizione; spese di spedizione; consegna; costi di spedizione; spedizione gratuita
    frete; frete grátis; portes; portes de envio; portes grátis; entrega
    verzending; verzendkosten; verzend; bezorging; bezorgkosten; gratis verzending
    frakt; fraktkostnad; leverans; fri frakt; levering; fragt; fri fragt; toimitus; toimituskulut; postikulut; toimitusmaksu
    dostawa; wysyłka; koszt dostawy; koszt wysyłki; darmowa dostawa; przesyłka; dostawy
    doprava; dopravné; poštovné; doručení; doručenie; doprava zdarma; szállítás; szállítási díj; ingyenes szállítás; kiszállítás
    transport; livrare; cost livrare; taxa livrare; livrare gratuită; transport gratuit; доставка; доставки; доставку; цена доставка
    dostava; poštnina; poštarina; isporuka; cijena dostave; besplatna dostava; brezplačna dostava; достава; поштарина
    μεταφορικά; αποστολή; έξοδα αποστολής; παράδοση; δωρεάν αποστολή; kargo; kargo ücreti; teslimat; ücretsiz kargo
    доставкою; пересылка; вартість доставки; стоимость доставки; משלוח; דמי משלוח; משלוח חינם; הובלה
    الشحن; شحن; التوصيل; توصيل; رسوم الشحن; شحن مجاني; vận chuyển; phí vận chuyển; phí ship; giao hàng; phí giao hàng; miễn phí vận chuyển
    ongkir; ongkos kirim; biaya kirim; pengiriman; gratis ongkir; tarne; piegāde; pristatymas; send # get
"""
DISCOUNT: Final = """
    etusi; rent for; bid for; used; buy used; refurbished; renewed; open box; rent; rental; bid; gebraucht; b ware; generalüberholt; mieten; miete; d occasion; reconditionné; louer; usato; ricondizionato; noleggio; segunda mano; reacondicionado; alquiler; usado; recondicionado; aluguel; tweedehands; begagnad; brugt; brukt; używany; použité; použitý; б у
    # % off; % off; warranty; protection; protection plan; insurance; gift wrap; gift wrapping; installation; assembly; garantieverlängerung; geschenkverpackung; extension de garantie; garanzia; # or more; ab # stück; ab # stück je; ab # stk; ab # st; od # szt; od # ks; vanaf # stuks; dès # achetés; når du kjøper #; da # pezzi; desde # unidades; a partir de # unidades; от # шт; від # шт
    save; saving; savings; you save; discount; coupon; voucher; cashback; cash back; gift card; reward; rewards; credit; deposit; points; point; spend; trade in; rebate; bonus; worth; win
    sie sparen; sparen; ersparnis; rabatt; gutschein; pfand; anzahlung; nachlass; preisvorteil; bonus; wert; gespart; du sparst
    économisez; economisez; économie; remise; réduction; consigne; éco part; éco participation; ecotaxe; éco contribution; bon d achat; acompte; vous économisez; dont
    ahorra; ahorras; ahorro; ahorre; descuento; depósito; cupón; te ahorras; rebaja de; bono
    risparmi; risparmio; risparmia; sconto; buono; cauzione; acconto; risparmiate; buono sconto
    desconto; economize; economia; poupe; poupa; poupança; cupom; cupão; sinal; você economiza
    korting; bespaar; je bespaart; u bespaart; bespaart; statiegeld; kortingsbon; voordeel; tegoed; recupel
    spara; du sparar; rabatt; besparing; pant; presentkort; sparar; spar; du sparer; besparelse; gavekort; rabat; du spar; säästä; säästät; alennus; pantti; lahjakortti; etu
    oszczędzasz; oszczędź; oszczędność; rabat; zniżka; kaucja; kupon; bon; taniej; zyskujesz
    ušetříte; ušetřete; sleva; slevu; úspora; kupon; kupón; záloha; poukaz; ušetríte; ušetri; zľava; zľavu; úspora; poukážka
    megtakarítás; megtakarít; kedvezmény; spórolsz; kupon; utalvány; letét; ön megtakarít; economisești; economisiti; economisiți; economie; reducere; garanție sgr; voucher; discount
    спестявате; спестете; отстъпка; намаление; ваучер; депозит; ušteda; uštedite; uštedi; popust; kupon; prihranek; prihranite; privarčujete; уштеда; попуст; уштедите
    κερδίζετε; κέρδος; έκπτωση; εξοικονομείτε; κουπόνι; όφελος; kazancınız; kazanç; indirim; indirim tutarı; kupon; hediye çeki; tasarruf; puan
    скидка; скидку; скидкой; скидки; экономия; экономьте; выгода; вы экономите; бонус; бонусов; купон; промокод; залог; кешбэк; кэшбэк; знижка; економія; економте; вигода; ви економите; кешбек
    חיסכון; הנחה; חסכת; קופון; חוסכים; وفر; توفير; خصم; قسيمة; توفر; كوبون
    tiết kiệm; giảm; giảm giá; voucher; mã giảm giá; hoàn tiền; hemat; diskon; potongan; kupon; cashback; soodustus; atlaide; nuolaida; sutaupote
"""
INSTALMENT: Final = """
    rata od; raty od; rate od; rata da; rate da; obroci od; obrok od; na obroke od; na raty; leasing ab; # pagos de; pagos de; # paiements de; # pagamenti da; # betalinger på; # betalningar på
    monthly; per month; a month; every month; monthly payment; installment; installments; instalment; instalments; payments of; # payments of; # interest free payments of; pay in #; # x; # x de; x #; klarna; afterpay; affirm; financing; finance; split into; interest free; # monthly payments of; emi; emi from; no cost emi; weekly; per week
    rate; raten; ratenzahlung; finanzierung; monatlich; monatsrate; mtl; # raten à; # monatsraten à; pro monat; im monat; leasing
    mensualité; mensualités; par mois; mensuel; fois; # fois; # fois sans frais; en # fois; # x sans frais; échéances de; loyer
    cuotas; cuota; # cuotas de; cuotas de; cuotas sin interés de; cuotas sin interes de; al mes; por mes; mensual; mensuales; meses sin intereses; # meses de; plazos; # plazos de; meses sin intereses de; # msi de
    rate da; # rate da; rate di; rata; al mese; mensili; rate mensili; rata mensile; # rate; comode rate da; finanziamento
    parcelas; parcela; # parcelas de; parcelas de; x de; por mês; mensais; prestações de; # prestações de; mensalidade; em até # x; ou # x de
    per maand; maandelijks; termijnen van; # termijnen van; per mnd; maandbedrag; in # delen
    per månad; månadsvis; delbetala; delbetalning; avbetalning; kr mån; månadskostnad; pr måned; månedlig; månedspris; per måned; delbetaling; afbetaling; kuukaudessa; kuukausierä; osamaksu; erä; kuussa
    rat; raty; rata; miesięcznie; # rat x; # rat po; # rat; rat po; # x; w ratach; ratach od
    měsíčně; splátka; splátky; splátek po; # splátek po; na splátky; měsíční splátka; mesačne; splátok po; # splátok; mesačná splátka
    havonta; részlet; havi; havi részlet; részletre; lunar; rate; rată; rată lunară; pe lună; # rate; # rate de; # rate x; rate de; în rate
    месечно; вноска; вноски; на месец; # вноски; месечна вноска; # вноски по; mjesečno; obrok; obroka po; # rata po; rata po; # obroka; # rata; mesečno; obrok; # obrokov po; na mesec; # obrokov; месечна рата; рата
    μηνιαίως; δόσεις; δόσεις των; άτοκες δόσεις; # δόσεις; το μήνα; τον μήνα; aylık; taksit; taksitle; ayda; # taksit; # ay taksit; # x; # taksit x
    рассрочка; рассрочку; рассрочке; в месяц; ежемесячно; в рассрочку; в кредит; платёж; платеж; платежа по; # платежа по; долями; на місяць; щомісяця; розстрочка; у розстрочку; # платежів по; платежів по; частинами; в місяць
    תשלומים; תשלומים של; לחודש; # תשלומים של; בחודש; קסט; قسط; أقساط; شهريا; شهرياً; # أقساط; دفعات; دفعات بقيمة; على # دفعات; trả góp; mỗi tháng; hàng tháng; trả trước; cicilan; per bulan; kuus; järelmaks; mēnesī; per mėnesį; išsimokėtinai
"""
MEMBER: Final = """
    member; members; member price; members price; membership; members only; club; club price; club card; clubcard; loyalty; prime; with card; with membership; subscribers; subscriber; subscribe; subscription; subscribe & save; student price; trade price; with code; vip
    mit karte; kundenkarte; mitgliederpreis; mitglieder; clubpreis; vorteilspreis mit; abo preis; im abo; mit code; kartenpreis
    adhérent; prix adhérent; carte de fidélité; avec la carte; prix club; membre; abonné; abonnés; avec le code
    socio; socios; precio socio; precio club; tarjeta; con tarjeta; miembros; suscripción; con el código; precio con tarjeta
    tessera; soci; con tessera; con carta; prezzo club; prezzo soci; abbonati; con il codice; con abbonamento
    sócio; associado; cartão; com cartão; clube; membros; assinante; com o código; preço clube; preço cartão
    ledenprijs; leden; per klant; met kaart; klantenkaart; clubprijs; met code; met abonnement
    medlemspris; medlem; medlemmer; medlemmar; klubbpris; medlems; klubpris; medlemstilbud; jäsenhinta; jäsen; jäsenille; kanta asiakas; kanta asiakashinta
    cena klubowa; dla członków; z kartą; dla klubowiczów; cena z kodem; z kodem; s kartou; klubová cena; členská cena; pro členy; s kódem; klubová; pre členov; s kódom
    klubár; klubtagoknak; kártyával; hűségkártyával; klubtag; kuponnal; preț club; cu cardul; pentru membri; membri; preț membri; cu codul
    клубна цена; с карта; за членове; članska cijena; cijena za članove; uz karticu; s karticom; klubska cena; za člane; s kartico; клубска цена; са картицом
    τιμή μέλους; μέλη; με κάρτα; με κωδικό; üye fiyatı; üyelere özel; kart ile; kartla; üyelere
    по карте; для членов клуба; клубная цена; цена по карте; с картой; по промокоду; по подписке; за карткою; клубна ціна; для членів клубу; за промокодом; з карткою
    חבר מועדון; מחיר מועדון; חברי מועדון; למועדון; לחברי מועדון; سعر الأعضاء; للأعضاء; بالبطاقة; عضو; thành viên; giá thành viên; harga member; anggota; harga anggota; kliendikaardiga; ar karti; su kortele
"""
TAX_EXCLUDED: Final = """
    ex vat; exc vat; excl vat; excluding vat; exclusive of vat; + vat; plus vat; without vat; before vat; vat excluded; vat not included; ex tax; excl tax; excluding tax; before tax; plus tax; + tax; without tax; pre tax; tax excluded; tax excl; ex gst; excl gst; excluding gst; + gst; plus gst; excl; exc; net price; net; vat excl; vat exclusive
    netto; exkl mwst; exkl ust; exkl moms; ohne mwst; ohne ust; zzgl mwst; zzgl ust; zuzüglich mwst; zzgl # % mwst; zzgl # % ust; zzgl gesetzl mwst; zzgl der gesetzlichen mwst; + mwst; + ust; nettopreis; exkl; exkl # % mwst; plus mwst; + # % mwst; ohne mehrwertsteuer; zzgl mehrwertsteuer
    ht; hors taxe; hors taxes; h t; hors tva; + tva; sans tva; excl tva; prix ht; hors t v a
    sin iva; + iva; más iva; mas iva; iva no incluido; iva excluido; sin impuestos; antes de impuestos; más impuestos; sin igv; + igv; precio sin iva; neto; precio neto
    iva esclusa; iva escl; + iva; più iva; senza iva; escl iva; escluso iva; esclusa iva; al netto di iva; netta iva; iva excl; oltre iva
    sem iva; s / iva; + iva; iva não incluído; sem impostos; acresce iva; sem impostos incluídos
    excl btw; exclusief btw; ex btw; zonder btw; excl b t w; btw excl; exclusief; + btw
    exkl moms; exklusive moms; ex moms; utan moms; + moms; ekskl moms; eksklusiv moms; uden moms; ekskl; eks mva; ekskl mva; uten mva; eksklusiv mva; eks moms; + mva; ex mva; alv #; alv # %; ilman alv; veroton; ilman arvonlisäveroa; + alv
    netto; bez vat; + vat; cena netto; cena bez vat; bez dph; + dph; cena bez dph; bez d p h
    nettó; nettó ár; áfa nélkül; + áfa; áfa nélküli ár; fără tva; fara tva; + tva; exclusiv tva; plus tva; tva neinclus; fără t v a
    без ддс; + ддс; цена без ддс; bez pdv; + pdv; bez pdv a; brez ddv; + ddv; цена без ддс; без пдв; без пдв а; + пдв; neto cena; neto cijena
    χωρίς φπα; + φπα; πλέον φπα; προ φπα; άνευ φπα; χωρίς φ π α; kdv hariç; + kdv; kdv siz; kdvsiz; kdv haric; kdv dahil değil; kdv dahil değildir
    без ндс; + ндс; не включая ндс; не включает ндс; без учета ндс; без пдв; + пдв; не включаючи пдв
    לפני מע מ; ללא מע מ; לא כולל מע מ; + מע מ; בתוספת מע מ; غير شامل الضريبة; بدون ضريبة; قبل الضريبة; لا يشمل الضريبة; باستثناء الضريبة; بدون الضريبة
    chưa vat; chưa bao gồm vat; chưa thuế; chưa gồm vat; belum ppn; belum termasuk ppn; tidak termasuk ppn; be pvm; bez pvn; km ta; käibemaksuta; ilma km; + km
"""
GROSS: Final = """
    inc vat; incl vat; including vat; inclusive of vat; with vat; vat included; vat incl; inc tax; incl tax; including tax; tax included; inc gst; incl gst; including gst; with gst; with tax; inclusive of all taxes; incl of all taxes; incl
    inkl mwst; inkl ust; inkl # % mwst; inkl # % ust; inkl gesetzl mwst; inkl der gesetzlichen mwst; brutto; bruttopreis; mit mwst; inkl mehrwertsteuer; inkl; inkl moms; inklusive mwst; inklusive moms
    ttc; t t c; tva comprise; tva incluse; toutes taxes comprises; tva incl; prix ttc
    iva incluido; con iva; iva inc; iva incl; impuestos incluidos; iva incluida; con igv; incluye iva; precio con iva
    iva inclusa; iva incl; iva compresa; con iva; incl iva; iva incluso; incluso iva; ivato
    iva incluído; com iva; c / iva; iva incl; impostos incluídos; iva incluido
    incl btw; inclusief btw; inc btw; btw incl; met btw; inclusief
    inkl mva; ink moms; inklusiv moms; med moms; inkl alv; sis alv; sisältää alv; alv sis; verollinen; inklusiv mva; med mva
    z vat; cena brutto; s dph; vč dph; včetně dph; cena s dph; vrátane dph; s d p h; bruttó; bruttó ár; áfával; cu tva; tva inclus; inclusiv tva; cu t v a; preț cu tva
    с ддс; с включен ддс; вкл ддс; s pdv om; sa pdv om; pdv uključen; z ddv; ddv vključen; са пдв; са пдв ом; s pdv; sa pdv
    με φπα; φπα συμπ; συμπ φπα; περιλαμβάνεται φπα; kdv dahil; kdv li
    с ндс; включая ндс; вкл ндс; в т ч ндс; з пдв; включаючи пдв; כולל מע מ; شامل الضريبة; شاملة الضريبة; شامل ضريبة; شاملاً الضريبة; bao gồm vat; gồm vat; đã bao gồm vat; termasuk ppn; su pvm; ar pvn; km ga
"""
LIST: Final = """
    redna cijena; redovita cijena
    ursprünglicher preis; normaler preis; vorheriger preis; pierwotna cena; prețul inițial; prețul original; pretul initial; ursprungliga priset; ursprungligt pris; opprinnelig pris; oprindelige pris; oprindelig pris; первоначальная цена; изначальная цена; orijinal fiyat; orijinal fiyatı; първоначална цена; оригінальна ціна; початкова ціна; izvorna cijena; originalna cena; המחיר המקורי; harga aslinya; orig; comp value; comp; est retail; elsewhere; ár korábban; cena bazowa; precio habitual; prix habituel
    rrp; msrp; m s r p; srp; r r p; mrp; m r p; list; list price; was; were; before; originally; original; original price; reg; regular; regular price; normal; normally; normal price; compare at; compared to; compared at; compare; old price; retail; retail price; recommended; recommended price; recommended retail price; suggested; suggested price; typical price; usual price; usually; full price; lowest price in 30; lowest price in the last 30; 30 days; last 30 days; past 30 days; previous price; prior price; reference price; reduced from; marked down from; value; valued at; instead of
    uvp; u v p; uvp des herstellers; statt; bisher; vorher; ehemals; unverb preisempf; unverb preisempfehlung; unverbindliche preisempfehlung; listenpreis; streichpreis; normalpreis; alter preis; 30 tage; letzten 30 tage; niedrigster preis; bester preis der letzten; originalpreis; regulärer preis; ursprünglich; ehem; anstatt; früher; avp
    au lieu de; prix conseillé; prix barré; prix public; prix de vente conseillé; prix initial; prix recommandé; prix d origine; ancien prix; avant; 30 jours; prix de référence; prix habituel; prix normal; prix le plus bas; pvc; prix catalogue
    antes; precio anterior; precio original; precio recomendado; precio normal; precio de lista; precio regular; pvpr; pvp; p v p r; p v p; pvr; en lugar de; 30 días; 30 dias; precio más bajo; tachado; precio habitual; precio de venta recomendado; era
    prezzo consigliato; prezzo di listino; prezzo precedente; listino; invece di; anziché; anzichè; invece che; 30 giorni; prezzo più basso; prezzo originale; prezzo pieno; prezzo normale; era; prima; prezzo intero; pvc
    de; por antes; preço antigo; preço anterior; preço original; preço normal; preço de tabela; preco antigo; preco normal; preço recomendado; pvpr; em vez de; preço mais baixo; preço de lista
    van; adviesprijs; oude prijs; normale prijs; oorspronkelijke prijs; was; laagste prijs; 30 dagen; vanprijs; i p v; in plaats van; winkelprijs; catalogusprijs
    för; förr; förr pris; före; ord; ord pris; ordinarie; ordinarie pris; ordinarie; rek pris; rekommenderat pris; tidigare; tidigare pris; tidigare lägsta pris; lägsta pris; jfr pris; 30 dagar; rek cirkapris; før; før pris; førpris; vejl; vejl pris; vejledende pris; normalpris; veil; veil pris; veiledende pris; ordinær; ordinær pris; tidligere; tidligere pris; laveste pris; 30 dager; 30 dage; listepris; ennen; norm; ovh; normaalihinta; alin hinta; suositushinta; 30 päivän; alkuperäinen hinta; ohjevähittäishinta
    cena katalogowa; cena regularna; cena standardowa; cena przed; przed obniżką; stara cena; poprzednia cena; najniższa cena; 30 dni; cena pierwotna; cena sugerowana; zamiast; sugerowana cena; cena detaliczna; cena przekreślona; regularna cena
    původní cena; původně; původní; běžná cena; běžně; doporučená cena; nejnižší cena; 30 dní; 30 dnů; cena před slevou; místo; doporučená moc; moc; dmoc; katalogová cena; pôvodná cena; pôvodne; pôvodná; bežná cena; bežne; doporučená cena; odporúčaná cena; najnižšia cena; cena pred zľavou; namiesto; 30 dni
    eredeti ár; eredeti; korábbi ár; listaár; régi ár; ajánlott ár; fogyasztói ár; legalacsonyabb ár; 30 nap; normál ár; teljes ár; preț vechi; pret vechi; preț întreg; pret intreg; preț recomandat; pret recomandat; prp; preț anterior; preț inițial; cel mai mic preț; 30 zile; în loc de; preț de listă; prețul vechi; preț întreg; pret initial; preț normal
    стара цена; пцд; препоръчителна цена; редовна цена; най ниска цена; 30 дни; вместо; предишна цена; преди; каталожна цена; нормална цена; најнижа цена; редовна цена; уместо
    stara cijena; redovna cijena; najniža cijena; 30 dana; mpc; mpc cijena; umjesto; prije; preporučena cijena; stara cena; redovna cena; redna cena; najnižja cena; 30 dni; prej; namesto; pmpc; ppc; priporočena cena; najniža cena; umesto; prethodna cena; puna cena; prvotna cena; maloprodajna cijena
    αρχική τιμή; αρχική; τιμή καταλόγου; προτεινόμενη τιμή; πλτ; π λ τ; παλιά τιμή; χαμηλότερη τιμή; 30 ημερών; αντί; πριν; προηγούμενη τιμή; κανονική τιμή; λιανική τιμή; προτεινόμενη λιανική
    eski fiyat; eski fiyatı; liste fiyatı; liste fiyati; piyasa fiyatı; önceki fiyat; normal fiyat; tavsiye edilen fiyat; son 30 günün; 30 gün; etiket fiyatı; en düşük fiyatı; eskiden; psf
    старая цена; было; раньше; цена до; обычная цена; рекомендованная цена; ррц; розничная цена; вместо; прежняя цена; цена без скидки; без скидки; минимальная цена за; 30 дней; стара ціна; було; раніше; звичайна ціна; ціна до; рекомендована ціна; роздрібна ціна; замість; попередня ціна; 30 днів; базовая цена; до скидки
    מחיר מקורי; במקום; מחיר קודם; מחיר רגיל; מחיר מחירון; מחירון; מחיר לפני; מחיר מומלץ; לפני הנחה; لסער; السعر السابق; بدلا من; بدلاً من; السعر قبل الخصم; السعر الأصلي; قبل الخصم; السعر القديم; السعر العادي; كان; سعر التجزئة; قبل
    giá gốc; giá cũ; giá niêm yết; giá thị trường; giá trước đây; giá bán lẻ; trước đây; giá thường; niêm yết; harga normal; harga awal; harga asli; harga coret; harga sebelumnya; sebelumnya; harga lama; harga eceran
    tavahind; soovitushind; 30 päeva; parasta cena; 30 dienu; vecā cena; sena kaina; įprasta kaina; 30 dienų; buvo; kaina be nuolaidos
"""
FROM: Final = """
    fr; vb; vhb; verhandlungsbasis
    from; starting; starting at; starting from; starts at; starts from; as low as; already from; lowest; lowest price; minimum; min; starting price; prices from; begin at; at least; cheapest; bidding starts at; start price; current bid; starting bid
    ab; bereits ab; schon ab; mindestens; startpreis; günstigster preis; beginnend bei; angefangen bei
    à partir de; a partir de; à partir d; dès; a partir d; à compter de; prix de départ; prix à partir de; minimum
    desde; a partir de; precio desde; partiendo de; mínimo; desde solo
    a partire da; partire da; da; prezzi da; minimo; prezzo minimo
    desde; a partir de; a partir; mínimo; a começar em
    vanaf; al vanaf; vanafprijs; vanaf slechts; minimaal
    från; från pris; från endast; fra; alkaen; alk; hinnat alkaen; priser från; priser fra; fra kun; lägst; startpris; lähtöhinta; vähintään
    od; już od; ceny od; cena od; zaczyna się od; minimum; už od; cena již od; ceny od; ceny již od; min; minimálně
    már; kezdve; induló ár; de la; începând de la; incepand de la; pornind de la; preț de pornire; minim
    от; започва от; цени от; već od; cijene od; cene od; že od; cena od; od samo; počevši od; najmanj; od već; од; већ од; цена од
    από; ξεκινώντας από; τιμή από; τιμές από; αρχικά από; ελάχιστη; başlayan; en az; başlangıç fiyatı; itibaren
    начиная от; начиная с; цена от; цены от; всего от; минимум; від; ціна від; ціни від; починаючи від; починаючи з; мінімум
    החל מ; החל; מחיר התחלתי; ממחיר; מ; يبدأ من; ابتداء من; ابتداءً من; تبدأ من; بدءا من; بدءًا من; من; أسعار تبدأ من; يبدأ السعر من; giá từ; chỉ từ; từ; bắt đầu từ; mulai; mulai dari; mulai harga; dari; harga mulai
    alates; sākot no; nuo; pradedant nuo; kaina nuo
"""
UP_TO: Final = """
    approximately; environ; etwa; ungefähr; ca; approx; about; circa; noin; cirka; około; asi; okolo; около; примерно; приблизно; περίπου; yaklaşık; cerca de; aproximadamente; körülbelül; kb; aproximativ
    over; above; more than; über; ab einem bestellwert von; plus de; más de; oltre; superiori a; acima de; boven; över; powyżej; nad; nad částku; felett; свыше; более; більше; понад; peste; преко; preko; iznad; άνω; άνω των; מעל; فوق; trên; di atas; üle; virs; virš
    up to; maximum; max; at most; bis zu; bis; maximal; jusqu à; jusqu; maximum; hasta; como máximo; fino a; massimo; até; no máximo; tot; maximaal; upp till; upp til; højst; opp til; enintään; jopa; do; aż do; maksymalnie; až; až do; akár; până la; maxim; до; аж до; највише; μέχρι; έως; ως; до; עד; حتى; إلى; đến; lên đến; hingga; sampai; kuni; līdz; iki; under; less than; unter
"""
SALE: Final = """
    verkaufspreis; aktueller preis; der aktuelle preis; prețul curent; prețul actual; pretul curent; nuvarande priset; nuvarande pris; nåværende pris; aktuelle pris; текущая цена; şu andaki fiyat; şimdiki fiyat; текуща цена; поточна ціна; trenutna cijena; trenutna cena; המחיר הנוכחי; harga saat ini; nykyinen hinta; jelenlegi ár; aktuální cena; aktuálna cena; τρέχουσα τιμή; aktualna cena wynosi; prix de vente actuel; current price is
    sale; sale price; now; now only; special; special price; special offer; our price; your price; offer; offer price; promo; promo price; promotion; promotional price; deal; deal price; today; today only; clearance; markdown; reduced to; discounted price; discount price; price after discount; after discount; current price; final price; for only; deal of the day; selling price
    jetzt; jetzt nur; angebot; angebotspreis; aktionspreis; sonderpreis; nur; unser preis; ihr preis; dein preis; aktion; heute; tagespreis; sale preis; reduziert auf; aktueller preis; endpreis; dealpreis; neuer preis
    maintenant; prix promo; prix soldé; prix remisé; prix réduit; en promotion; promotion; notre prix; prix actuel; nouveau prix; offre; seulement; prix après remise; prix après réduction; prix web; prix de vente
    ahora; oferta; precio oferta; precio especial; precio internet; precio de oferta; precio rebajado; precio actual; precio final; hoy; solo; promoción; precio promocional; precio web; precio con descuento; rebajado a; nuestro precio; por solo
    ora; adesso; offerta; prezzo speciale; prezzo scontato; in offerta; prezzo promo; promozione; solo; prezzo attuale; prezzo finale; nostro prezzo; oggi; prezzo in offerta; scontato a; prezzo web
    agora; oferta; promoção; promoçao; preço promocional; por; por apenas; preço especial; preço atual; apenas; por somente; hoje; preço com desconto; preço final; à vista
    nu; aanbieding; voor; actieprijs; onze prijs; nu voor; nu slechts; vandaag; actie; aanbiedingsprijs; huidige prijs; webprijs
    nu; nå; reapris; kampanjpris; rea; erbjudande; vårt pris; extrapris; idag; tilbud; tilbudspris; kampagnepris; kampanjepris; vores pris; kun; nå kun; nu kun; nettpris; webbpris; nypris; nyt; tarjous; tarjoushinta; kampanjahinta; hinta nyt; alehinta; vain; nyt vain; verkkohinta
    teraz; promocja; cena promocyjna; promocyjna cena; nasza cena; tylko; oferta; okazja; cena aktualna; aktualna cena; cena po rabacie; wyprzedaż; nowa cena; nyní; akční cena; akce; naše cena; cena po slevě; zlevněno na; teď; nová cena; výprodej; nyní jen; teraz; akciová cena; akcia; naša cena; cena po zľave; výpredaj; iba
    most; akciós ár; akció; kedvezményes ár; új ár; webár; online ár; akciósan; mai ár; acum; preț promoțional; pret promotional; preț redus; ofertă; promoție; preț special; preț nou; preț final; preț cu discount; doar
    сега; промо цена; промоция; нашата цена; промоционална цена; нова цена; само; намалена цена; sada; akcijska cijena; akcija; snižena cijena; naša cijena; nova cijena; sada samo; akcijska cena; snižena cena; zdaj; znižana cena; posebna cena; razprodaja; сада; акција; акцијска цена
    τώρα; προσφορά; τιμή προσφοράς; τελική τιμή; νέα τιμή; η τιμή μας; τιμή web; ειδική τιμή; μόνο; şimdi; indirimli fiyat; kampanyalı fiyat; sepette; özel fiyat; sadece; güncel fiyat; fırsat; satış fiyatı; peşin fiyatı; indirimli
    акция; сейчас; акционная цена; цена со скидкой; со скидкой; по акции; новая цена; наша цена; теперь; распродажа; спеццена; только; всего; цена по акции; итоговая цена; зараз; акція; акційна ціна; ціна зі знижкою; нова ціна; тепер; наша ціна; розпродаж; лише
    עכשיו; מבצע; מחיר מבצע; במבצע; רק; היום; מחיר מיוחד; מחיר סופי; לאחר הנחה; الآن; سعر العرض; السعر بعد الخصم; بعد الخصم; عرض; السعر الحالي; عرض خاص; فقط; تخفيض; السعر الجديد; سعر خاص
    giá khuyến mãi; giá khuyến mại; khuyến mãi; giá sale; giá ưu đãi; hiện tại; giá bán; giá mới; chỉ còn; còn; giá hiện tại; giá online; giá sau giảm; harga promo; promo; harga diskon; sekarang; harga spesial; harga jual; harga sekarang; hanya
    nüüd; soodushind; eripakkumine; tagad; akcijas cena; īpašā cena; dabar; akcija; akcijos kaina
"""
UNIT: Final = """
    al pezzo; cadauno; za # kg; za # l; za # g; na # kg; per stück; pro stück; je stück; cena za # kg; for # kg
    unit price; price per unit; price per kg; price per kilo; price per liter; price per litre; price per # g; price per # ml; per kg; per # g; per # ml; per lb; per oz; per kilo; per liter; per litre; # kg =; # g =; # l =; # ml =; # liter =; # m =
    grundpreis; preis pro kg; preis pro liter; pro kg; pro liter; pro # g; pro # ml; je kg; je # g; je # ml; kilopreis; literpreis; stückpreis; je liter; preis je kg; # stück =; # stk =
    prix au kilo; prix au kg; prix au litre; prix à l unité; le kg; au kg; le kilo; le litre; prix unitaire; prix par kg
    precio por unidad; precio por kilo; precio por litro; precio por kg; precio unitario; precio al kilo; el kilo; el kg; el litro
    prezzo al kg; prezzo al litro; prezzo unitario; prezzo per unità; al kg; al litro; al chilo; prezzo al chilo; preço por kg; preço por litro; preço unitário; preço por unidade; preço por quilo; por kg; por quilo
    prijs per kg; prijs per stuk; prijs per liter; prijs per kilo; per stuk; per # gram; kiloprijs; stukprijs; eenheidsprijs
    jmf pris; jämförpris; jmf; jämförspris; kilopris; styckpris; enhetspris; literpris; stykpris; sammenligningspris; vertailuhinta; kilohinta; yksikköhinta; kappalehinta; litrahinta; enhedspris
    cena za kg; cena jednostkowa; cena za litr; cena za szt; cena za sztukę; za # g; za kg; za szt; cena za # g; cena za # szt; cena za # ml; jednotková cena; cena za kus; cena za # ks; měrná cena; cena za mj; cena za liter; merná cena; za # ml; za kus
    egységár; kilós ár; egységára; preț pe kg; preț unitar; preț pe bucată; pret unitar; preț pe litru; preț pe unitate; цена за кг; единична цена; цена за брой; цена за литър; cijena po kg; jedinična cijena; cena na enoto; cena na kg; cena po kg; jedinična cena; cijena za kom
    τιμή μονάδας; τιμή ανά κιλό; τιμή κιλού; ανά κιλό; τιμή ανά τεμάχιο; kg fiyatı; birim fiyat; birim fiyatı; adet fiyatı; litre fiyatı; цена за шт; цена за литр; цена за штуку; за кг; за шт; за штуку; за # г; ціна за кг; ціна за шт; ціна за # г; ціна за літр; цена за единицу
    מחיר ליחידה; מחיר לקילו; ל # גרם; ל # ג; ליחידה; לקג; سعر الوحدة; للكيلو; السعر لكل كيلو; لكل; giá mỗi kg; đơn giá; harga satuan; per pcs; harga per kg; ühikuhind; vienības cena; cena par kg; vieneto kaina
"""
NEUTRAL: Final = """
    kaufen; kjøp; köp; køb; acheter; comprar; compra; acquista; koop; kopen; kup; koupit; osta; kúpiť; vásárlás; cumpără; купить; купи; kupi; satın al; αγορά; add to cart; in den warenkorb
    price; prices; cost; item price; product price; total; each; price is; our; at; amount; free shipping included; buy now; buy; pay; only; just; subtotal; in stock
    preis; preise; stückpreis ab; gesamt; summe; gesamtpreis; prix; tarif; prix de; total; precio; precios; precio de; precio total; prezzo; prezzi; prezzo di; costo; preço; preco; preços; valor; preço de; valor de; prijs; prijs van; pris; priser; hinta; cena; ceny; ár; ára; preț; pret; prețul; prețuri; pretul; cijena; cene; цена; цены; стоимость; цени; ціна; ціни; вартість; τιμή; τιμές; fiyat; fiyatı; fiyati; tutar; מחיר; السعر; سعر; ثمن; giá; harga; hind; kaina; precio final; prix final
"""
FILLERS: Final = "only just about approx ca circa just nur schon bereits seulement solo sólo soltanto apenas só slechts maar bara endast kun vain tylko pouze jen iba csak doar numai само samo μόνο sadece только всего лише רק فقط chỉ hanya price preis prix precio prezzo preço prijs pris hinta cena ár preț цена ціна τιμή fiyat is at the now"
"""Words that may stand between a bare connective and its amount."""
_CONNECTIVES: Final = (
    "fr kb asi about circa ca approx etwa rent bid used de van för före før avant antes ennen da ab des od от від fra från min nuo od από من dari từ מ list value worth point credit "
    "era prima prej prije pri compare net netto ht rat rate rata port porto transport entrega despacho win bonus wert etu most solo "
    "pant moc mpc bon kun dont original regular normal retail recommended suggested before originally usually minimum price "
    "member members club prime finance soci leden medlem"
)
CONNECTIVE: Final = frozenset(_CONNECTIVES.split())
"""Single words that mean other things too: they count only where they stand right before the amount."""

RAW: Final = {
    "shipping": "送料 配送料 运费 運費 宅配 免運 郵資 邮费 배송비 배송료 택배비 ค่าจัดส่ง ค่าส่ง จัดส่ง",
    "discount": "節約 割引 値引 クーポン ポイント 省 立减 立減 折抵 优惠券 優惠券 折扣 押金 定金 할인 적립 쿠폰 포인트 ประหยัด ส่วนลด ลดไป คูปอง",
    "instalment": "月々 分割 每期 分期 期 月付 每月 월 할부 ผ่อน เดือนละ ต่อเดือน",
    "member": "会員価格 会員 会员价 會員價 会员 會員 VIP価格 회원가 회원 멤버십 ราคาสมาชิก สมาชิก",
    "tax-excluded": "税抜 税別 本体価格 本体 未稅 未税 不含税 不含稅 税前 稅前 부가세별도 세전 ไม่รวมvat ก่อนภาษี ไม่รวมภาษี",
    "gross": "税込 含税 含稅 税入 부가세포함 รวมภาษี รวมvat",
    "list": "定価 通常価格 希望小売価格 メーカー希望小売価格 参考価格 当店通常価格 元値 旧価格 原价 原價 定價 定价 市價 市场价 市場價 建議售價 建议零售价 吊牌价 划线价 牌價 정가 정상가 시중가 소비자가 원가 기존가 ราคาปกติ ราคาเดิม ราคาเต็ม จากราคา",
    "from": "最低 最低价 低至 起価 เริ่มต้น เริ่มต้นที่ เริ่ม 최저 최저가",
    "up-to": "滿 满 満 最大 最高 上限 最多 สูงสุด 최대",
    "sale": "特価 セール セール価格 販売価格 現在価格 促销 特價 特价 優惠價 优惠价 網路價 促銷價 促销价 现价 現價 券后 到手价 活动价 售價 售价 할인가 판매가 특가 세일가 최종가 ราคาพิเศษ ราคาโปรโมชั่น ลดเหลือ เหลือ พิเศษ โปรโมชั่น ราคาขาย",
    "unit": "単価 单价 單價 あたり 단가 ต่อหน่วย",
    "neutral": "価格 价格 價格 售 가격 ราคา 金額",
}
"""Phrases of scripts without spaces, by kind; of two that end together the longer counts."""
