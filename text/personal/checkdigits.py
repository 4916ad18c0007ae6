"""Identity numbers of persons, told from other figures by how they are written and by their check digits (SPEC X2).

The check digits are those of python-stdnum; where it has none, or asks for less than an office does, the rule stands here.
Each test takes a number without what separates its groups. docs/privacy.md lists COVERED. No Django here.
"""

from collections.abc import Callable
from datetime import date
from typing import NamedTuple

from stdnum.at import vnr
from stdnum.be import nn
from stdnum.br import cpf
from stdnum.ch import ssn as ahv
from stdnum.de import idnr
from stdnum.es import dni, nie
from stdnum.fi import hetu
from stdnum.fr import nir
from stdnum.gb import nhs
from stdnum.in_ import aadhaar, epic, pan
from stdnum.it import codicefiscale
from stdnum.nl import bsn
from stdnum.no import fodselsnummer
from stdnum.pl import pesel
from stdnum.se import personnummer
from stdnum.us import ssn

Test = Callable[[str], bool]


def is_day(year: int, month: int, day: int) -> bool:
    """Whether somebody who may be alive can be born on that day."""
    try:
        return date(1895, 1, 1) <= date(year, month, day) <= date(2049, 12, 31)
    except ValueError:
        return False


def is_nhs(digits: str) -> bool:
    """United Kingdom, NHS number: never begins with 0, and not one figure ten times."""
    return digits[0] != "0" and len(set(digits)) > 1 and nhs.is_valid(digits)


def is_nir(digits: str) -> bool:
    """France, NIR: sex, year and month of birth before what python-stdnum checks."""
    month = int(digits[3:5])
    return digits[0] in "123478" and (1 <= month <= 12 or month >= 20) and nir.is_valid(digits)


def is_vnr(digits: str) -> bool:
    """Austria, social insurance number: its last six figures are the day of birth."""
    day, month, year = int(digits[4:6]), int(digits[6:8]), int(digits[8:10])
    return vnr.is_valid(digits) and (is_day(1900 + year, month, day) or is_day(2000 + year, month, day))


def is_kvnr(number: str) -> bool:
    """Germany, health insurance number: a letter, which counts as two figures, eight figures and one that checks them.

    Source: GKV-Spitzenverband, Richtlinie zum Aufbau und zur Vergabe einer Krankenversichertennummer (section 290 SGB V).
    """
    digits = f"{ord(number[0]) - 64:02d}{number[1:9]}"
    doubled = (int(digit) * (1 + place % 2) for place, digit in enumerate(digits))
    return sum(one // 10 + one % 10 for one in doubled) % 10 == int(number[9])


def is_pan_of_a_person(number: str) -> bool:
    """India, PAN: its fourth letter is P for a person; firms and trusts have others."""
    return number[3] == "P" and pan.is_valid(number)


# Numbers of databases that are written as an EPIC is: three letters and seven figures.
_DATABASES = (
    "PMC",
    "GSE",
    "GSM",
    "GPL",
    "SRA",
    "SRP",
    "SRR",
    "SRS",
    "SRX",
    "ERP",
    "ERR",
    "ERS",
    "ERX",
    "DRP",
    "DRR",
    "NCT",
    "OTU",
)


def is_epic(number: str) -> bool:
    """India, number of a voter's card (EPIC)."""
    return not number.startswith(_DATABASES) and epic.is_valid(number)


def is_dni(number: str) -> bool:
    """Spain, DNI of a citizen or NIE of a foreigner."""
    return dni.is_valid(number) or nie.is_valid(number)


class Number(NamedTuple):
    """A kind of number. `groups` are its ways of being written as groups of figures, with the signs that may stand between
    them ("" for one piece); `letters` is the pattern of one that has letters in it."""

    country: str
    name: str
    test: Test
    groups: tuple[tuple[tuple[int, ...], str], ...] = ()
    letters: str = ""


_ITALIAN = "[A-Z]{6}[0-9LMNP-V]{2}[A-EHLMPRST][0-9LMNP-V]{2}[A-Z][0-9LMNP-V]{3}[A-Z]"
NUMBERS = (
    Number("Switzerland", "AHV number", ahv.is_valid, (((13,), ""), ((3, 4, 4, 2), ". "))),
    Number("United States", "social security number", ssn.is_valid, (((3, 2, 4), "-"),)),
    Number("United Kingdom", "NHS number", is_nhs, (((3, 3, 4), " "),)),
    Number("Germany", "tax number (IdNr)", idnr.is_valid, (((11,), ""), ((2, 3, 3, 3), " "))),
    Number("Poland", "PESEL", pesel.is_valid, (((11,), ""),)),
    Number("Norway", "birth number", fodselsnummer.is_valid, (((11,), ""), ((6, 5), " "))),
    Number("France", "NIR", is_nir, (((15,), ""), ((13, 2), " "), ((1, 2, 2, 2, 3, 3, 2), " "))),
    Number("Austria", "social insurance number", is_vnr, (((4, 6), " "),)),
    Number("Belgium", "national number", nn.is_valid, (((2, 2, 2, 3, 2), ".-"),)),
    Number("Sweden", "personal number", personnummer.is_valid, (((6, 4), "-"), ((8, 4), "-"))),
    Number("Brazil", "CPF", cpf.is_valid, (((3, 3, 3, 2), ".-"),)),
    Number("India", "Aadhaar number", aadhaar.is_valid, (((12,), ""), ((4, 4, 4), " -"))),
    Number("India", "PAN", is_pan_of_a_person, letters="[A-Z]{5}[0-9]{4}[A-Z]"),
    Number("India", "number of a voter's card (EPIC)", is_epic, letters="[A-Z]{3}[0-9]{7}"),
    Number("Germany", "health insurance number", is_kvnr, letters="[A-Z][0-9]{9}"),
    Number("Italy", "codice fiscale", codicefiscale.is_valid, letters=_ITALIAN),
    Number("Spain", "DNI and NIE", is_dni, letters="(?:[0-9]{8}|[XYZ]-?[0-9]{7})-?[A-HJ-NP-TV-Z]"),
    Number("Finland", "personal identity code", hetu.is_valid, letters="[0-9]{6}[-+A][0-9]{3}[0-9A-FHJ-NPR-Y]"),
)
# Known only beside a word that names them: these have no check digits, or are figures as many others are.
BESIDE_A_WORD = (
    ("Netherlands", "BSN"),
    ("India", "passport number"),
    ("India", "health account number (ABHA)"),
    ("any country", "passport number"),
    ("any country", "number of an identity card"),
)
COVERED = tuple(dict.fromkeys([*((one.country, one.name) for one in NUMBERS), *BESIDE_A_WORD]))

# How long an account number is where people have one (ISO 13616).
IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "BA": 20, "BE": 16, "BG": 22, "BR": 29, "CH": 21, "CY": 28, "CZ": 24,
    "DE": 24, "DK": 18, "EE": 20, "ES": 24, "FI": 18, "FR": 27, "GB": 22, "GR": 27, "HR": 21, "HU": 28, "IE": 22,
    "IL": 23, "IS": 26, "IT": 27, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "MC": 27, "MK": 19, "MT": 31, "NL": 18,
    "NO": 15, "PL": 28, "PT": 25, "RO": 24, "RS": 22, "SA": 24, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "TR": 26,
    "UA": 29,
}  # fmt: skip


class Shape(NamedTuple):
    """A number as it is written: between its groups stands one of `between`; "" is for a number in one piece."""

    between: str
    test: Test


# By the lengths of its groups of figures.
SHAPES: dict[tuple[int, ...], list[Shape]] = {}
# By how many figures there are of it.
_TESTS: dict[int, list[Test]] = {}
for _number in NUMBERS:
    for _lengths, _between in _number.groups:
        SHAPES.setdefault(_lengths, []).append(Shape(_between, _number.test))
        _TESTS.setdefault(sum(_lengths), []).append(_number.test)


def is_of_a_person(digits: str) -> bool:
    """Whether `digits` can be an identity number of any of these countries, however they are written."""
    return any(test(digits) for test in _TESTS.get(len(digits), ()))


ISSUED: dict[str, tuple[int, Test]] = {  # told by the word before them: how many figures, and the test
    "nhs": (10, is_nhs),
    "ssn": (9, ssn.is_valid),
    "bsn": (9, bsn.is_valid),
    "aadhaar": (12, lambda digits: digits[0] in "23456789"),  # the word says it: a slip of the pen is one too
}
