"""Identity numbers of persons, recognised by their format and check digits (SPEC X2).

Check digits are verified by python-stdnum; where it has no rule, or a weaker one than the authority, the rule is here.
Each test gets a number without separators. docs/privacy.md lists COVERED. No Django here.
"""

import re
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

from core.grouping import grouped

Test = Callable[[str], bool]


def is_day(year: int, month: int, day: int) -> bool:
    """Return whether a living person can be born on that day."""
    try:
        return date(1895, 1, 1) <= date(year, month, day) <= date(2049, 12, 31)
    except ValueError:
        return False


def is_nhs(digits: str) -> bool:
    """Return whether this is a United Kingdom NHS number: it never begins with 0, and has not ten equal digits."""
    return digits[0] != "0" and len(set(digits)) > 1 and nhs.is_valid(digits)


_NIR = re.compile(
    "[123478][0-9]{2}(?:0[1-9]|1[0-2]|[2-9][0-9])(?:[0-9]{2}|2[AB])[0-9]{6}"
)  # without its two check digits


def is_nir(number: str) -> bool:
    """Return whether this is a French NIR: sex, year and month of birth, department and serial number.

    It has check digits; next to its name it may lack them.
    """
    return bool(_NIR.match(number)) and (len(number) == 13 or nir.is_valid(number))


def is_vnr(digits: str) -> bool:
    """Return whether this is an Austrian social insurance number: its last six digits are the date of birth."""
    if not vnr.is_valid(digits):
        return False
    day, month, year = int(digits[4:6]), int(digits[6:8]), int(digits[8:10])
    return is_day(1900 + year, month, day) or is_day(2000 + year, month, day)


_MOMENT = re.compile(
    "(?:19|20)[0-9]{2}(?:(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])(?:[01][0-9]|2[0-3])[0-5][0-9]|(?:(?:19|20)[0-9]{2}){2})"
)


def is_aadhaar(digits: str) -> bool:
    """Return whether this is an Indian Aadhaar number, and not three years or a timestamp (201907160327)."""
    return aadhaar.is_valid(digits) and not _MOMENT.fullmatch(digits)


_KVNR = re.compile("[A-Z][0-9]{9}")


def is_kvnr(number: str) -> bool:
    """Return whether this is a German health insurance number.

    It has a letter (counted as two digits), eight digits and a check digit. Source: GKV-Spitzenverband, Richtlinie zum
    Aufbau und zur Vergabe einer Krankenversichertennummer (section 290 SGB V).
    """
    if not _KVNR.fullmatch(number):
        return False
    doubled = (int(digit) * (1 + place % 2) for place, digit in enumerate(f"{ord(number[0]) - 64:02d}{number[1:9]}"))
    return sum(one // 10 + one % 10 for one in doubled) % 10 == int(number[9])


def is_pan_of_a_person(number: str) -> bool:
    """Return whether this is an Indian PAN of a person: its fourth letter is P; companies and trusts have others."""
    return number[3] == "P" and pan.is_valid(number)


# Prefixes of database identifiers with the format of an EPIC: three letters and seven digits.
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
    """Return whether this is the number of an Indian voter's card (EPIC)."""
    return not number.startswith(_DATABASES) and epic.is_valid(number)


def is_dni(number: str) -> bool:
    """Return whether this is a Spanish DNI (citizens) or NIE (foreigners)."""
    return dni.is_valid(number) or nie.is_valid(number)


class Number(NamedTuple):
    """A kind of identity number.

    `groups` are its formats as groups of digits, with the separators allowed between them ("" for none); `letters` is
    the pattern of a number with letters. A kind with neither is recognised only next to one of its `words`, where any
    spelling counts: `lengths` are the numbers of characters allowed there, besides those of `groups`.
    """

    country: str
    name: str
    test: Test
    groups: tuple[tuple[tuple[int, ...], str], ...] = ()
    letters: str = ""
    words: str = ""
    lengths: tuple[int, ...] = ()
    has_check_digit: bool = True


_ITALIAN = "[A-Z]{3} ?[A-Z]{3} ?[0-9LMNP-V]{2} ?[A-EHLMPRST] ?[0-9LMNP-V]{2} ?[A-Z] ?[0-9LMNP-V]{3} ?[A-Z]"
_CORSICAN = "[1-478] ?[0-9]{2} ?[0-9]{2} ?2[AB] ?[0-9]{3} ?[0-9]{3} ?[0-9]{2}"
_DNI = r"(?:[0-9]{8}|[0-9]{2}\.[0-9]{3}\.[0-9]{3} ?)-?[A-HJ-NP-TV-Z]"
_NIE = r"[XYZ][ -]?(?:[0-9]{7}|[0-9]\.[0-9]{3}\.[0-9]{3})[ -]?[A-HJ-NP-TV-Z]"
NUMBERS = (
    Number(
        "Switzerland", "AHV number", ahv.is_valid, (((13,), ""), ((3, 4, 4, 2), ". -")),
        words="ahv, navs13, avs, numéro avs",
    ),
    Number(
        "United States", "social security number", ssn.is_valid, (((3, 2, 4), "-"),),
        words="ssn, social security", has_check_digit=False,
    ),
    Number("United Kingdom", "NHS number", is_nhs, (((3, 3, 4), " "),), words="nhs"),
    Number(
        "Germany", "tax number (IdNr)", idnr.is_valid, (((11,), ""), ((2, 3, 3, 3), " -/")),
        words="steuer id, steuerid, idnr, steuer idnr, steuerliche identifikationsnummer, steueridentifikationsnummer",
    ),
    Number("Poland", "PESEL", pesel.is_valid, (((11,), ""), ((6, 5), " -")), words="pesel"),
    Number(
        "Norway", "birth number", fodselsnummer.is_valid, (((11,), ""), ((6, 5), " -")),
        words="fødselsnummer, fodselsnummer",
    ),
    Number(
        "France", "NIR", is_nir, (((15,), ""), ((13, 2), " -"), ((1, 2, 2, 2, 3, 3, 2), " -.")), f"(?i:{_CORSICAN})",
        words="nir, insee, numéro insee", lengths=(13,),
    ),
    Number(
        "Austria", "social insurance number", is_vnr, (((4, 6), " -"), ((4, 2, 2, 2), " -")),
        words="svnr, sv nummer, sv nr",
    ),
    Number(
        "Belgium", "national number", nn.is_valid, (((11,), ""), ((2, 2, 2, 3, 2), " .-"), ((6, 3, 2), " .-")),
        words="rijksregisternummer, rijksregister, numéro national, numéro de registre national, insz, niss",
    ),
    Number(
        "Sweden", "personal number", personnummer.is_valid,
        (((6, 4), " -"), ((8, 4), " -")), words="personnummer, personal identity number",
    ),
    Number("Brazil", "CPF", cpf.is_valid, (((9, 2), " -"), ((3, 3, 3, 2), " .-")), words="cpf"),
    Number("India", "Aadhaar number", is_aadhaar, (((12,), ""), ((4, 4, 4), " .-"))),
    Number("India", "PAN", is_pan_of_a_person, letters="[A-Z]{5}[ -]?[0-9]{4}[ -]?[A-Z]", lengths=(10,)),
    Number("India", "number of a voter's card (EPIC)", is_epic, letters="[A-Z]{3}/?[0-9]{7}", lengths=(10,)),
    Number("Germany", "health insurance number", is_kvnr, letters="[A-Z][0-9]{9}", words="kvnr", lengths=(10,)),
    Number(
        "Italy", "codice fiscale", codicefiscale.is_valid, letters=f"(?i:{_ITALIAN})", words="codice fiscale",
        lengths=(16,),
    ),
    Number("Spain", "DNI and NIE", is_dni, letters=f"{_DNI}|{_NIE}", words="dni, nie, nif", lengths=(9,)),
    Number(
        "Finland", "personal identity code", hetu.is_valid,
        letters="(?i:[0-9]{6}[-+A-FU-Y][0-9]{3}[0-9A-FHJ-NPR-Y])",
    ),
    Number("Netherlands", "BSN", bsn.is_valid, words="bsn, burgerservicenummer", lengths=(9,)),
)  # fmt: skip
# Formats without separators are missing where they are too often something else: ten digits (telephone, ISBN), a date
# with four more digits (a time), and CPF.
# Recognised only next to a label, or in a column: these have no check digits, or look like many other numbers.
BESIDE_A_WORD = (
    *((one.country, one.name) for one in NUMBERS if not one.groups and not one.letters),
    ("India", "passport number"),
    ("India", "health account number (ABHA)"),
    ("any country", "passport number"),
    ("any country", "number of an identity card"),
)
COVERED = tuple(dict.fromkeys([*((one.country, one.name) for one in NUMBERS), *BESIDE_A_WORD]))
_SEPARATORS = str.maketrans("", "", " .-/")


def compact(written: str) -> str:
    """Return a number in capitals without separators."""
    return written.translate(_SEPARATORS).upper()


def lengths_of(number: Number) -> tuple[int, ...]:
    """Return the possible lengths of a number in characters, longest first."""
    return tuple(sorted({*number.lengths, *(sum(groups) for groups, _ in number.groups)}, reverse=True))


def is_one(number: Number, written: str) -> bool:
    """Return whether `written` is a number of this kind, in any spelling."""
    bare = compact(written)
    return len(bare) in lengths_of(number) and bare.isalnum() and bare.isascii() and number.test(bare)


# Length of an IBAN by country (ISO 13616), for countries where people have accounts.
IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "BA": 20, "BE": 16, "BG": 22, "BR": 29, "CH": 21, "CY": 28, "CZ": 24,
    "DE": 24, "DK": 18, "EE": 20, "ES": 24, "FI": 18, "FR": 27, "GB": 22, "GR": 27, "HR": 21, "HU": 28, "IE": 22,
    "IL": 23, "IS": 26, "IT": 27, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "MC": 27, "MK": 19, "MT": 31, "NL": 18,
    "NO": 15, "PL": 28, "PT": 25, "RO": 24, "RS": 22, "SA": 24, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "TR": 26,
    "UA": 29,
}  # fmt: skip


class Shape(NamedTuple):
    """The format of a number: its groups are separated by one of `between`; "" for none."""

    between: str
    test: Test


# By the lengths of its groups of digits.
SHAPES = grouped((lengths, Shape(between, number.test)) for number in NUMBERS for lengths, between in number.groups)
# By its number of digits.
_TESTS = grouped((sum(lengths), number.test) for number in NUMBERS for lengths, _ in number.groups)


def is_of_a_person(digits: str) -> bool:
    """Return whether `digits` can be an identity number of any of these countries, in any spelling."""
    return any(test(digits) for test in _TESTS.get(len(digits), ()))
