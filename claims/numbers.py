"""Comparing the figures of a sentence with the passages it cites, by code, whatever a model says (SPEC R11).

A figure matches when a passage has its value in the same unit. It may be rounded to the digits with which it is
written; after "about" also to its last digit that is not zero, by at most 5 %. A percentage may be computed: 42.5 %
from "17 of 40" or from 0.425. The number of works that a sentence cites matches too. Nothing else is computed.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

PERCENT = "%"
_SPACE = " \u00a0\u2009\u202f"
_DIGITS = re.compile(
    rf"(?<![\w.,])(?:\d{{1,3}}(?:[,.'’{_SPACE}]\d{{3}}){{1,6}}(?!\d)(?:[.,]\d+)?|\d+(?:[.,·]\d+)?|[.,]\d+)"
    r"(?:[eE][-+]?\d{1,3}(?!\w))?"
)
_SAYS_PERCENT = re.compile(
    rf"[{_SPACE}\n]*(?:[%％‰]|per[ -]?cents?\b|percentage|pct\b|prozent\w*|pour[ -]cent|por[ -]ciento"
    r"|por[ -]cento|procent\w*)",
    re.IGNORECASE,
)
_LOOSE_PERCENT = re.compile(r"\(\s*%|%\s*[)|]|\|\s*%|\bin %|percentage|percent\b(?=\s*[)|:])", re.IGNORECASE)
_UNIT = re.compile(rf"[{_SPACE}\n]*[-‐‑]?[{_SPACE}]*(?P<unit>[^\W\d_]+)(?![\w])")
_GOES_ON = re.compile(
    rf"[{_SPACE}\n]*(?:[-‐‑–—−,;/]|to|and|or|through|bis|und|oder|à|et|ou|a|y|o|,[{_SPACE}]*(?:and|or|und|et|y))[{_SPACE}\n]*",
    re.IGNORECASE,
)
_SHARE = re.compile(
    rf"(?<![\w.,])(\d[\d,.'’{_SPACE}]{{0,14}})"
    rf"(?:[{_SPACE}\n]{{0,3}}/[{_SPACE}\n]{{0,3}}"
    rf"|[{_SPACE}\n]{{0,3}}(?:(?:out )?of(?: the)?|von|sur|de)[{_SPACE}\n]{{1,3}})"
    rf"(\d[\d,.'’{_SPACE}]{{0,14}})",
    re.IGNORECASE,
)
# Names and addresses that state no quantity: COVID-19, IL-6, H2O, phase 3, Table 2, 21st, an address, the number of an
# item.
_NAMES = re.compile(
    r"https?://\S+|\b10\.\d{4,}/\S+|[^\W\d_][-‐‑–]\d[\w.]*|[^\W\d_]\d[\w.]*"
    r"|\b(?:type|phase|stage|grade|class|table|figure|fig\.?|appendix|chapter|section|part|step|version|no\.|nr\.|typ"
    r"|stadium|grad|tabelle|abbildung|kapitel|tableau|chapitre|tabla|figura|fase|tipo)[ \u00a0-]\d+[a-z]?(?![\d.,%])"
    r"|\b\d+(?:st|nd|rd|th)\b|\(\d{1,2}\)(?=\s)",
    re.IGNORECASE,
)
_NAMED_YEAR = re.compile(
    r"\((?:[^()\d]{0,80})(?:1[5-9]|20)\d\d[a-z]?(?:[,;][^()\d]{0,80}(?:1[5-9]|20)\d\d[a-z]?){0,20}\)"
)
_UNSEEN = re.compile("[*`\\\\\u00ad\u200b-\u200d\u2060\ufeff]")  # invisible in the rendered text
_ABOUT = re.compile(
    r"(?:\b(?:about|around|some|roughly|approximately|approx\.?|nearly|almost|circa|ca\.?|over|under|more than"
    r"|less than|fewer than|above|below|at least|at most|up to|rund|etwa|ungefähr|knapp|fast|mehr als|weniger als"
    r"|über|environ|près de|plus de|moins de|presque|unos|unas|casi|cerca de|más de|menos de"
    r"|aproximadamente)|[~≈<>≤≥])\s*$",
    re.IGNORECASE,
)
_SCALE = {
    "hundred": 100, "thousand": 1_000, "million": 1_000_000, "millions": 1_000_000, "billion": 10**9,
    "hundert": 100, "tausend": 1_000, "millionen": 1_000_000, "mio": 1_000_000, "milliarde": 10**9, "milliarden": 10**9,
    "cent": 100, "cents": 100, "mille": 1_000, "milliard": 10**9, "milliards": 10**9,
    "cien": 100, "mil": 1_000, "millón": 1_000_000, "millones": 1_000_000,
}  # fmt: skip
# From three on: "one" and "two" are mostly not counts ("one finds", "the two arms") and are left to the engine.
_WORDS = {
    word: value
    for value, words in {
        3: "three drei trois tres", 4: "four vier quatre cuatro", 5: "five fünf cinq cinco", 6: "six sechs seis",
        7: "seven sieben sept siete", 8: "eight acht huit ocho", 9: "nine neun neuf nueve", 10: "ten zehn dix diez",
        11: "eleven elf onze once", 12: "twelve zwölf douze doce", 13: "thirteen dreizehn treize trece",
        14: "fourteen vierzehn quatorze catorce", 15: "fifteen fünfzehn quinze quince", 16: "sixteen sechzehn seize",
        17: "seventeen siebzehn", 18: "eighteen achtzehn", 19: "nineteen neunzehn", 20: "twenty zwanzig vingt veinte",
        30: "thirty dreißig trente treinta", 40: "forty vierzig quarante cuarenta",
        50: "fifty fünfzig cinquante cincuenta", 60: "sixty sechzig soixante sesenta",
        70: "seventy siebzig setenta", 80: "eighty achtzig ochenta", 90: "ninety neunzig noventa",
    }.items()
    for word in words.split()
}  # fmt: skip
_ONES = {"one": 1, "two": 2}  # after a hyphen: "twenty-one"
_ENGLISH_ONLY = {"once", "mil", "cent", "a"}  # ambiguous words, never read as figures by themselves
_WORD = re.compile(r"(?<![\w-])[^\W\d_]+(?:-[^\W\d_]+)?(?![\w])")
_UNITS = {
    name: names.split()[0]
    for names in (
        "kg kilogram kilograms kilogramm", "g gram grams gramm gramme grammes", "mg milligram milligrams milligramm",
        "µg μg mcg ug microgram micrograms", "ng", "km kilometre kilometres kilometer kilometers",
        "m metre metres meter meters", "cm centimetre centimetres centimeter centimeters",
        "mm millimetre millimetres millimeter millimeters", "ha hectare hectares", "l litre litres liter liters",
        "ml millilitre millilitres milliliter milliliters", "mmol", "mol", "mmhg", "kcal", "kj",
        "year years yr yrs jahr jahre jahren an ans année années año años",
        "month months monat monate monaten mois mes meses",
        "week weeks wk wks woche wochen semaine semaines semana semanas", "day days tag tage tagen jour jours día días",
        "hour hours hr hrs h stunde stunden heure heures hora horas", "minute minutes min minuten minuto minutos",
        "second seconds sekunde sekunden",
    )
    for name in names.split()
}  # fmt: skip


@dataclass(frozen=True)
class Figure:
    """One figure as written: its possible values ("1,000" is 1000 or, elsewhere, 1.000) and its possible units.

    `step` is the value of its last digit. `units` is {"%"}, a unit, or {""} for a plain number; several where it is
    ambiguous.
    """

    text: str
    values: tuple[tuple[float, float], ...]  # (value, step)
    units: frozenset[str]
    is_about: bool = False


def missing_figures(text: str, passages: Iterable[str], *, known: Collection[float] = ()) -> list[str]:
    """Return the figures of `text`, as written, that none of `passages` contains.

    `known` are further valid numbers: the years and the number of the cited works.
    """
    told = [
        one
        for one in _required_figures(_UNSEEN.sub("", text))
        if PERCENT in one.units or not any(value in known for value, _ in one.values)
    ]
    if not told:
        return []
    held = [(value, one) for passage in passages for one in figures_in(passage) for value, _ in one.values]
    return list(dict.fromkeys(one.text for one in told if not _is_held(one, held)))


def has_figures(text: str) -> bool:
    """Return whether `text` states a quantity in figures."""
    return bool(_required_figures(_UNSEEN.sub("", text)))


@lru_cache(maxsize=4096)
def figures_in(text: str) -> tuple[Figure, ...]:
    """Return every figure of a stored passage, including percentages computed from "17 of 40"."""
    return (*_read(_blank(_NAMES, text), text), *_shares(text))


def _required_figures(text: str) -> list[Figure]:
    """Return the figures of a sentence that its passages must contain."""
    return _read(_blank(_NAMED_YEAR, _blank(_NAMES, text)), text)


def _blank(pattern: "re.Pattern[str]", text: str) -> str:
    """Return `text` with the matches of `pattern` blanked out, at the same length."""
    return pattern.sub(lambda found: "\x00" * len(found[0]), text)


def _read(plain: str, text: str) -> list[Figure]:
    in_digits = ((one.start(), *_scaled(plain, one.end(), _values(one[0]))) for one in _DIGITS.finditer(plain))
    raw = sorted([*in_digits, *_in_words(plain)])
    loose = bool(_LOOSE_PERCENT.search(text))
    units: list[frozenset[str]] = []
    following: frozenset[str] = frozenset()
    ahead = len(plain)
    for start, end, _ in reversed(raw):
        own = _unit(plain, end)
        joins = ahead > end and (gap := _GOES_ON.match(plain, end)) is not None and gap.end() == ahead
        mine = frozenset({own}) if own else (frozenset({"", *following}) if joins else frozenset({""}))
        if loose and own == "":
            mine |= {PERCENT}
        units.append(mine)
        following, ahead = mine, start
    return [
        Figure(
            " ".join(text[start : _shown_to(plain, end)].split()),
            values,
            unit,
            bool(_ABOUT.search(plain[max(0, start - 24) : start])),
        )
        for (start, end, values), unit in zip(raw, reversed(units), strict=True)
    ]


def _shown_to(plain: str, end: int) -> int:
    found = _SAYS_PERCENT.match(plain, end)
    return found.end() if found else end


def _unit(plain: str, end: int) -> str:
    if _SAYS_PERCENT.match(plain, end):
        return PERCENT
    found = _UNIT.match(plain, end)
    return _UNITS.get(found["unit"].casefold(), "") if found else ""


def _values(raw: str) -> tuple[tuple[float, float], ...]:
    """Return the possible values of a number in digits, each with the value of its last digit."""
    mantissa, _, power = raw.replace("E", "e").partition("e")
    times = 10.0 ** int(power) if power else 1.0
    signs = re.findall(r"[^\d]", mantissa)
    readings = []
    grouped = re.fullmatch(r"\d{1,3}(?:\D\d{3})+", mantissa) is not None
    if not signs:
        readings = [mantissa]
    elif len(signs) == 1:
        whole, _, part = mantissa.partition(signs[0])
        if signs[0] in ".,·":
            readings.append(f"{whole or 0}.{part}")
        if grouped:
            readings.append(whole + part)
    elif grouped and len(set(signs)) == 1:
        readings = [re.sub(r"\D", "", mantissa)]
    else:
        whole, part = mantissa[: mantissa.rindex(signs[-1])], mantissa[mantissa.rindex(signs[-1]) + 1 :]
        readings = [f"{re.sub(r'[^0-9]', '', whole)}.{part}"]
    return tuple((float(one) * times, 10.0 ** -len(one.partition(".")[2]) * times) for one in readings)


def _scaled(
    plain: str, end: int, values: tuple[tuple[float, float], ...]
) -> tuple[int, tuple[tuple[float, float], ...]]:
    """Return the end and values of a number with its scale, such as "1.2 million"."""
    found = _UNIT.match(plain, end)
    times = _SCALE.get(found["unit"].casefold()) if found else None
    if not found or not times or found["unit"].casefold() in {"cent", "cents", "a"}:
        return end, values
    return found.end(), tuple((value * times, step * times) for value, step in values)


def _in_words(plain: str) -> Iterator[tuple[int, int, tuple[tuple[float, float], ...]]]:
    for found in _WORD.finditer(plain):
        first, _, second = found[0].casefold().partition("-")
        if first in _WORDS and first not in _ENGLISH_ONLY and (not second or second in _WORDS or second in _ONES):
            value = _WORDS[first] + (_WORDS.get(second) or _ONES.get(second, 0))
            yield found.start(), *_scaled(plain, found.end(), ((float(value), 1.0),))


def _shares(text: str) -> Iterator[Figure]:
    for found in _SHARE.finditer(text):
        for part, _ in _values_of(found[1]):
            for whole, _ in _values_of(found[2]):
                if whole > 0 and part <= whole:
                    yield Figure(found[0], ((100 * part / whole, 0.0),), frozenset({PERCENT}))


def _values_of(raw: str) -> tuple[tuple[float, float], ...]:
    found = _DIGITS.match(raw)
    return _values(found[0]) if found else ()


def _is_held(figure: Figure, held: list[tuple[float, Figure]]) -> bool:
    reaches = [(value, _reach(value, step, is_about=figure.is_about)) for value, step in figure.values]
    return any(
        (abs(theirs - value) <= reach and _same_unit(figure.units, other.units))
        # A fraction as a percentage: 0.296 is 29.6 %.
        or (PERCENT in figure.units and 0 < theirs < 1 and "" in other.units and abs(100 * theirs - value) <= reach)
        for value, reach in reaches
        for theirs, other in held
    )


def _reach(value: float, step: float, *, is_about: bool) -> float:
    """Return how far the figure of a passage may differ from a rounded figure of a sentence."""
    reach = step / 2
    if is_about and value:
        unit = step
        while unit * 10 <= value and abs(value / (unit * 10) - round(value / (unit * 10))) < 1e-9:
            unit *= 10
        reach = max(reach, min(unit / 2, 0.05 * value))
    return reach * (1 + 1e-9) + 1e-12


def _same_unit(left: frozenset[str], right: frozenset[str]) -> bool:
    """Return whether two figures have compatible units.

    A percentage matches only a percentage, two measures must be equal, and a plain number matches any measure.
    """
    both = left | right
    return bool(left & right) or ("" in both and len(both) > 1 and PERCENT not in both)
