"""Labels of rows with totals and averages in many languages, as evidence besides their arithmetic (SPEC N1)."""

import re
import unicodedata

_SUMS = """
total totals totale totaal totalt totaux totales totais toplam totalsumme gesamt insgesamt gesamtsumme gesamtergebnis
summe zwischensumme endsumme gesamtzahl sum sums summa somme soma suma somma som jumlah jumla subtotal subtotals
sous-total sous-totaux subtotaal delsumma delsum mellomsum i+alt i+allt yhteensä kokku kopā iš+viso ogółem razem łącznie
celkem součet spolu súčet összesen összeg részösszeg ukupno zbroj skupaj vsota gjithsej overall итого всего сумма
подытог разом усього всього сума общо вкупно укупно збир σύνολο άθροισμα المجموع الإجمالي مجموع جمع جمع+کل المجموع+الكلي
סהכ סך+הכל 合计 总计 小计 总和 总数 合計 総計 小計 總計 계 합계 총계 소계 총합 कुल योग कुल+योग एकूण जोड़ মোট সর্বমোট
ਕੁੱਲ કુલ మొత్తం மொத்தம் ಒಟ್ಟು ആകെ මුළු+එකතුව එකතුව รวม ผลรวม รวมทั้งหมด tổng tổng+cộng cộng barlığı барлығы jami ჯამი
სულ ընդամենը grand+total sub+total total+general total+général total+generale totale+generale total+geral genel+toplam
ara+toplam general+total
"""
_MEANS = """
mean means average averages avg mittelwert mittelwerte mittel durchschnitt schnitt moyenne moyennes media medias média
médias promedio medie gemiddelde gemiddeld medelvärde medel gennemsnit middelværdi gjennomsnitt middelverdi meðaltal
keskiarvo keskmine vidējais vidurkis průměr priemer średnia átlag prosjek srednja+vrijednost povprečje ortalama
rata-rata purata среднее средняя среднее+значение середнє средна средно просек μέσος+όρος μέση+τιμή المتوسط متوسط
الوسط+الحسابي میانگین اوسط ממוצע 平均 平均值 平均値 평균 मध्यमान औसत माध्य सरासरी গড় ਔਸਤ સરેરાશ సగటు சராசரி ಸರಾಸರಿ
ശരാശരി සාමාන්‍යය ค่าเฉลี่ย trung+bình o'rtacha орташа საშუალო միջին kesme
"""
_SPREADS = """
sd s.d stdev std std+dev standard+deviation standardabweichung stabw écart-type écart+type deviazione+standard
desviación+estándar desvio+padrão standaardafwijking median médiane mediane mediana min max minimum maximum minimo
massimo mínimo máximo n count anzahl nombre número numero antal aantal variance varianz sem range медиана
стандартное+отклонение 标准差 中位数 標準偏差 मानक+विचलन
"""


def _key(text: str) -> str:
    return re.sub(r"[\s:=.*#_\"'״׳“”„()\[\]]+", " ", unicodedata.normalize("NFKC", text).casefold()).strip()


def _words(text: str) -> frozenset[str]:
    return frozenset(_key(one.replace("+", " ")) for one in text.split())


SUMS, MEANS, SPREADS = _words(_SUMS), _words(_MEANS), _words(_SPREADS)
_LONGEST = 60  # characters of a label
# "Total (n = 115)", "Total 115"
_COUNT = re.compile(r"[(\[]?\s*(?:n\s*[=:]?\s*)?[0-9][0-9.,\s]*[)\]]?\s*$", re.IGNORECASE)


def kind_of_label(label: str) -> str:
    """Return "sum", "mean" or "spread" for the label of a row ("Gesamt:", "Total (n = 115)", "Moyenne"), or "".

    The whole cell must match: "Total cholesterol" and "Mean arterial pressure" are measurements.
    """
    if len(label) > _LONGEST:
        return ""
    if label.strip(" :=") in ("Σ", "∑"):
        return "sum"
    key = _key(_COUNT.sub("", label) if len(label) > 2 and label[-1] in "0123456789)]. " else label)
    for kind, words in (("sum", SUMS), ("mean", MEANS), ("spread", SPREADS)):
        if key in words:
            return kind
    parts = key.split()
    if len(parts) == 2 and all(part in SUMS | MEANS or part in ("general", "grand", "sub", "all") for part in parts):
        return "mean" if parts[0] in MEANS or parts[1] in MEANS else "sum"
    return ""
