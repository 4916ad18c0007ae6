"""Units written after numbers: the symbols of UCUM (https://ucum.org) and common laboratory spellings.

Units with equal `size` are the same ("mg/dl", "mg%", "MG/DL"). Units of one `dimension` convert exactly, by the
quotient of their factors; mg/dl and mmol/l do not, since the factor depends on the substance. An unknown unit has no
dimension and equals only itself.
"""

import re
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

Dimension = tuple[tuple[str, int], ...]
LONGEST = 40  # characters


class Unit(NamedTuple):
    """A unit: `text` as written; equal `size` means the same unit; without a `factor` it cannot be converted."""

    text: str
    size: tuple[Dimension, Fraction] | str
    dimension: Dimension | None = None
    factor: Fraction | None = None


_PREFIXES = {
    "k": Fraction(1000), "h": Fraction(100), "d": Fraction(1, 10), "c": Fraction(1, 100), "m": Fraction(1, 1000),
    "µ": Fraction(1, 10**6), "u": Fraction(1, 10**6), "mc": Fraction(1, 10**6), "n": Fraction(1, 10**9),
    "p": Fraction(1, 10**12), "f": Fraction(1, 10**15),
}  # fmt: skip
# Symbol: base unit, its power, and the factor to it; symbols in _PREFIXED may have a prefix.
_ATOMS: dict[str, tuple[str, int, Fraction]] = {
    "g": ("g", 1, Fraction(1)), "m": ("m", 1, Fraction(1)), "l": ("m", 3, Fraction(1, 1000)),
    "mol": ("mol", 1, Fraction(1)), "eq": ("eq", 1, Fraction(1)), "u": ("U", 1, Fraction(1)),
    "iu": ("IU", 1, Fraction(1)), "kat": ("kat", 1, Fraction(1)), "pa": ("Pa", 1, Fraction(1)),
    "s": ("s", 1, Fraction(1)), "v": ("V", 1, Fraction(1)), "hz": ("Hz", 1, Fraction(1)), "j": ("J", 1, Fraction(1)),
    "cal": ("cal", 1, Fraction(1)), "gy": ("Gy", 1, Fraction(1)), "sv": ("Sv", 1, Fraction(1)),
    "bq": ("Bq", 1, Fraction(1)), "w": ("W", 1, Fraction(1)), "osm": ("osm", 1, Fraction(1)),
    "db": ("dB", 1, Fraction(1)), "min": ("s", 1, Fraction(60)), "h": ("s", 1, Fraction(3600)),
    "day": ("s", 1, Fraction(86400)), "wk": ("s", 1, Fraction(604800)), "mo": ("mo", 1, Fraction(1)),
    "yr": ("mo", 1, Fraction(12)), "lb": ("g", 1, Fraction("453.59237")), "oz": ("g", 1, Fraction("28.349523125")),
    "in": ("m", 1, Fraction("0.0254")), "ft": ("m", 1, Fraction("0.3048")), "cc": ("m", 3, Fraction(1, 10**6)),
    "cumm": ("m", 3, Fraction(1, 10**9)), "tonne": ("g", 1, Fraction(10**6)), "cell": ("", 0, Fraction(1)),
    "%": ("%", 1, Fraction(1)), "‰": ("‰", 1, Fraction(1)), "mmhg": ("mmHg", 1, Fraction(1)),
    "cmh2o": ("cmH2O", 1, Fraction(1)), "°c": ("°C", 1, Fraction(1)), "°f": ("°F", 1, Fraction(1)),
    "bpm": ("bpm", 1, Fraction(1)), "breath": ("breath", 1, Fraction(1)), "hpf": ("hpf", 1, Fraction(1)),
    "lpf": ("lpf", 1, Fraction(1)), "dioptre": ("D", 1, Fraction(1)), "inr": ("₹", 1, Fraction(1)),
    "usd": ("$", 1, Fraction(1)), "eur": ("€", 1, Fraction(1)), "gbp": ("£", 1, Fraction(1)),
    "chf": ("CHF", 1, Fraction(1)), "1.73m2": ("1.73 m²", 1, Fraction(1)),
}  # fmt: skip
_PREFIXED = (
    "g",
    "m",
    "l",
    "mol",
    "eq",
    "u",
    "iu",
    "kat",
    "pa",
    "s",
    "v",
    "hz",
    "j",
    "cal",
    "gy",
    "sv",
    "bq",
    "w",
    "osm",
)
_SPELLINGS = {
    "g": "gm gms gr gram grams gramm gramme grammes", "kg": "kgs kilo kilos kilogram kilograms kilogramm",
    "mg": "mgs mgm milligram milligrams", "m": "metre metres meter meters",
    "cm": "cms centimetre centimetres centimeter centimeters", "mm": "millimetre millimetres millimeter millimeters",
    "l": "litre litres liter liters ltr", "ml": "mls millilitre millilitres milliliter milliliters", "µg": "mcg ug",
    "s": "sec secs second seconds sek sekunde sekunden seconde secondes segundo segundos",
    "min": "mins minute minutes minuten minuto minutos minuti minut minuty dakika минута минуты минут मिनट",
    "h": "hr hrs hour hours std stunde stunden heure heures hora horas ora ore uur uren godz godzina godziny godzin "
        "saat час часа часов घंटा घंटे घण्टे",
    "day": "d days tag tage tagen jour jours día días dia dias giorno giorni din dag dagen dagar dager dzień dni dnia "
        "gün gun день дня дней दिन",
    "wk": "w wks week weeks woche wochen semaine semaines semana semanas settimana settimane weken vecka veckor uke "
        "uker tydzień tygodnie tygodni hafta hafte неделя недели недель सप्ताह हफ्ता हफ्ते हफ़्ते",
    "mo": "mos mon mth mths month months monat monate monaten mois mes meses mese mesi mahina mahine maand maanden "
        "månad månader måned måneder miesiąc miesiące miesięcy mies ay месяц месяца месяцев माह महीना महीने",
    "yr": "y yrs year years jahr jahre jahren an ans année années annee annees año años ano anos anno anni sal saal "
        "jaar jaren år rok roku lata lat yıl yil год года лет वर्ष साल",
    "lb": "lbs pound pounds", "oz": "ounce ounces", "in": "inch inches", "ft": "foot feet", "cc": "ccm cm^3",
    "cumm": "cmm cu.mm mm^3", "cell": "cells zellen", "%": "percent prozent pct", "mmhg": "torr",
    "°c": "degc celsius ℃", "°f": "degf fahrenheit ℉", "bpm": "beats/min beat/min", "breath": "breaths", "hpf": "h.p.f",
    "iu": "i.u ie i.e", "mg/dl": "mg%", "g/dl": "g% gm% gms%", "inr": "rs ₹ rupee rupees", "usd": "$ dollar dollars",
    "eur": "€ euro euros", "gbp": "£", "mosm": "mosmol",
}  # fmt: skip
_KNOWN = {spelling: unit for unit, all_ in _SPELLINGS.items() for spelling in all_.split()}
_SIGNS = str.maketrans({"μ": "µ", "²": "^2", "³": "^3", "∕": "/", "⁄": "/", "·": ".", "º": "°"})
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_POWER = re.compile(r"(?:[x×*·]\s*)?10\s*(?:\^|\*\*?|[eE])?\s*(?P<power>[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2}|[0-9]{1,2})(?=\s|/|$)\s*")
_COUNT = re.compile(r"(?P<word>thousands?|lakhs?|lacs?|millions?|crores?)(?=\s|/|$)\s*", re.IGNORECASE)
_COUNTS = {"th": 3, "la": 5, "mi": 6, "cr": 7}
_EXPONENT = re.compile(r"(?P<atom>.*?[^0-9^-])\^?(?P<exponent>[23])")
_UNKNOWN = re.compile(r"[^\W\d_]{2,20}(?: [^\W\d_]{2,20})?")
_CODE = re.compile(r"(?![LUY])[A-Z]")  # the letters in "45M" and "3B" are not units
_TWO_PARTS = re.compile(
    r"(?P<most>[0-9]{1,4})\s*(?P<larger>[^\W\d_][^\d.,+&/]*?)\.?\s*(?:[,+&]|and\b|und\b|et\b|y\b|e\b|i\b|और)?\s*"
    r"(?P<least>[0-9]{1,4}(?:[.,][0-9]{1,2})?)\s*(?P<smaller>[^\W\d_][^\d.,+&/]*)\.?"
)
_FEET = re.compile(r"([0-9])\s*['’′]\s*(?:([0-9]|1[01])(?:\s*(?:[\"”″]|''|’’))?)?")
_GIGA = re.compile(r"[GT]\s*/\s*[lL]")  # 10^9 and 10^12 per litre in French and German laboratories, not grams


@lru_cache(maxsize=4096)
def unit_in(text: str) -> Unit | None:
    """Return the unit written in `text`, or None when it is not a known unit."""
    written = " ".join(text.split()).strip()
    if not written or len(written) > LONGEST or _CODE.fullmatch(written):
        return None
    if _GIGA.fullmatch(written):
        return Unit(written, written.replace(" ", "").upper())
    power, rest = _multiplied(written)
    dimension: dict[str, int] = {}
    factor = Fraction(10) ** power
    bare = rest.translate(_SIGNS).lower().rstrip(".").replace("mm hg", "mmhg").replace("cm h2o", "cmh2o")
    bare = _KNOWN.get(bare) or _KNOWN.get(bare.replace(" ", ""), bare)
    bare = re.sub(r"\bper\b", "/", bare).replace("1.73 m", "1.73m").replace("1.73m^2", "1.73m2")
    parts = [part.strip() for part in bare.split("/")]
    if any(not part for part in parts[1:]) or (parts == [""] and not power):
        return None
    for place, part in enumerate(parts):
        if not part:
            continue
        found = _atom(part)
        if found is None:
            return None
        measures, exponent, size = found
        sign = -1 if place else 1
        factor *= size**sign
        dimension[measures] = dimension.get(measures, 0) + sign * exponent
    kinds: Dimension = tuple(sorted((name, power_) for name, power_ in dimension.items() if name and power_))
    return Unit(written, (kinds, factor), kinds, factor)


def in_two_parts(text: str, decimal: str = ".") -> tuple[Fraction, Unit] | None:
    """Return a quantity written in two units as (number, smaller unit); None for other texts.

    "2 years 6 months" is 30 months, "38 wk + 4 d" is 270 days, 5'6" is 66 inches.
    """
    if match := _FEET.fullmatch(text):
        inches = unit_in("inches")
        assert inches is not None
        return 12 * Fraction(match[1]) + Fraction(match[2] or 0), inches
    match = _TWO_PARTS.fullmatch(text)
    if match is None:
        return None
    larger, word = unit_in(match["larger"]), match["smaller"].rstrip(".").lower()
    if larger and word == "m":  # after years or hours, "m" does not mean metres
        word = "months" if larger.dimension == (("mo", 1),) else "min"
    smaller = unit_in(word if word in ("months", "min") else match["smaller"])
    if not (larger and larger.factor and smaller and smaller.factor and convertible([larger, smaller])):
        return None
    least = Fraction(match["least"].replace(decimal, "."))
    if larger.factor <= smaller.factor or least * smaller.factor >= larger.factor:
        return None
    return int(match["most"]) * larger.factor / smaller.factor + least, smaller


def unknown_unit(text: str) -> Unit | None:
    """Return one or two words as a unit that is not listed here, such as "puffs"; its plural is the same unit."""
    written = " ".join(text.split())
    return Unit(written, written.casefold().removesuffix("s")) if _UNKNOWN.fullmatch(written) else None


def convertible(units: "list[Unit]") -> bool:
    """Return whether all of `units` have the same dimension and so convert exactly."""
    return all(one.factor is not None and one.dimension == units[0].dimension for one in units)


def is_duration(unit: Unit) -> bool:
    """Return whether a unit measures time."""
    return unit.dimension in ((("s", 1),), (("mo", 1),))


def _multiplied(text: str) -> tuple[int, str]:
    """Return the power of ten at the beginning of a unit ("x10^9/L", "lakh/cumm"), and the rest of the unit."""
    if match := _POWER.match(text):
        return int(match["power"].translate(_RAISED)), text[match.end() :]
    if match := _COUNT.match(text):
        return _COUNTS[match["word"][:2].lower()], text[match.end() :]
    return 0, text


def _atom(text: str) -> tuple[str, int, Fraction] | None:
    """Return (base unit, power, factor) of one symbol with its prefix and exponent: "kg", "mm^2", "µmol"."""
    text = re.sub(r"^1st\s+", "", text).strip()
    bare = _KNOWN.get(text, text)
    exponent = 1
    if bare not in _ATOMS and (match := _EXPONENT.fullmatch(bare)):
        bare, exponent = _KNOWN.get(match["atom"], match["atom"]), int(match["exponent"])
    found = _ATOMS.get(bare) or _prefixed(bare)
    if found is None:
        return None
    measures, power, size = found
    return measures, power * exponent, size**exponent


def _prefixed(text: str) -> tuple[str, int, Fraction] | None:
    for prefix, size in _PREFIXES.items():
        rest = text[len(prefix) :]
        if text.startswith(prefix) and rest in _PREFIXED:
            measures, power, base = _ATOMS[rest]
            return measures, power, base * size
    return None
