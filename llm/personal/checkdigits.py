"""Numbers that persons are known by, told from other figures by their shape and check digits (SPEC X2).

Each test is given digits without what parts them and says whether they can be such a number. Where no rule is named
beside a test, it is that of the office that gives the number out. No Django here.
"""

from collections.abc import Callable
from datetime import date
from typing import NamedTuple

Test = Callable[[str], bool]


def weighted(digits: str, weights: tuple[int, ...]) -> int:
    """The sum of the first digits, each times its weight."""
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=False))


def is_day(year: int, month: int, day: int) -> bool:
    """Whether somebody who may be alive can be born on that day."""
    try:
        return date(1895, 1, 1) <= date(year, month, day) <= date(2049, 12, 31)
    except ValueError:
        return False


def _is_day_of_century(year: str, month: str, day: str) -> bool:
    return is_day(2000 + int(year), int(month), int(day)) or is_day(1900 + int(year), int(month), int(day))


def luhn(digits: str) -> bool:
    doubled = [int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits))]
    return sum(number // 10 + number % 10 for number in doubled) % 10 == 0


def ahv(digits: str) -> bool:
    """Switzerland, AHV: 756 and the check digit of an EAN-13."""
    return digits.startswith("756") and (weighted(digits, (1, 3) * 6) + int(digits[12])) % 10 == 0


def ssn(digits: str) -> bool:
    """United States, social security number: no check digit, some areas are never given."""
    return digits[:3] not in ("000", "666") and digits[0] != "9" and digits[3:5] != "00" and digits[5:] != "0000"


def nhs(digits: str) -> bool:
    """United Kingdom, NHS number: weights 10 to 2, modulo 11."""
    return (
        digits[0] != "0" and len(set(digits)) > 1 and -weighted(digits, tuple(range(10, 1, -1))) % 11 == int(digits[9])
    )


def steuer_id(digits: str) -> bool:
    """Germany, tax number of a person: ISO 7064 modulo 11,10; one of the first ten digits is there twice or thrice."""
    first = digits[:10]
    often = sorted(first.count(digit) for digit in set(first))
    if first[0] == "0" or often[-1] not in (2, 3) or often[:-1] != [1] * (len(often) - 1):
        return False
    product = 10
    for digit in first:
        product = ((int(digit) + product) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == int(digits[10])


def nir(digits: str) -> bool:
    """France, NIR: sex, year, month, department, then 97 less the rest modulo 97."""
    month = int(digits[3:5])
    return (
        digits[0] in "123478" and (1 <= month <= 12 or month >= 20) and 97 - int(digits[:13]) % 97 == int(digits[13:])
    )


def svnr(digits: str) -> bool:
    """Austria, social insurance number: three digits, one that checks, and the day of birth."""
    weights = (3, 7, 9, 0, 5, 8, 4, 2, 1, 6)
    is_date = _is_day_of_century(digits[8:10], digits[6:8], digits[4:6])
    return digits[0] != "0" and is_date and weighted(digits, weights) % 11 == int(digits[3])


def belgian(digits: str) -> bool:
    """Belgium, national number: day of birth, serial, 97 less the rest modulo 97; a 2 before it from 2000 on."""
    if not _is_day_of_century(digits[:2], digits[2:4], digits[4:6]):
        return False
    return int(digits[9:]) in (97 - int(digits[:9]) % 97, 97 - int("2" + digits[:9]) % 97)


def personnummer(digits: str) -> bool:
    """Sweden, personal number: day of birth, serial, Luhn; the century may stand before it."""
    short = digits[-10:]
    return _is_day_of_century(short[:2], short[2:4], short[4:6]) and luhn(short)


def fodselsnummer(digits: str) -> bool:
    """Norway, birth number: day of birth, serial, two digits that check."""
    if not _is_day_of_century(digits[4:6], digits[2:4], digits[:2]):
        return False
    first, second = (3, 7, 6, 1, 8, 9, 4, 5, 2, 1), (5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)
    return weighted(digits, first) % 11 == 0 and weighted(digits, second) % 11 == 0


def pesel(digits: str) -> bool:
    """Poland, PESEL: day of birth with the century in the month, serial, one digit that checks."""
    century = {0: 1900, 1: 2000, 4: 1800}.get(int(digits[2:4]) // 20, 0)
    if not century or not is_day(century + int(digits[:2]), int(digits[2:4]) % 20, int(digits[4:6])):
        return False
    return (weighted(digits, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3)) + int(digits[10])) % 10 == 0


def cpf(digits: str) -> bool:
    """Brazil, CPF: two digits that check."""
    if len(set(digits)) == 1:
        return False
    sums = (weighted(digits, tuple(range(length, 1, -1))) * 10 % 11 % 10 for length in (10, 11))
    return all(int(digits[place]) == found for place, found in zip((9, 10), sums, strict=True))


def bsn(digits: str) -> bool:
    """Netherlands, BSN: weights 9 to 2, the last one -1, modulo 11."""
    return digits != "000000000" and weighted(digits, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0


def dni(number: str) -> bool:
    """Spain, DNI and NIE: eight digits, or X, Y or Z and seven, and the letter that they come to modulo 23."""
    digits = number[:-1].translate({ord("X"): "0", ord("Y"): "1", ord("Z"): "2"})
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(digits) % 23] == number[-1]


def kvnr(number: str) -> bool:
    """Germany, health insurance number: a letter, which counts as two digits, eight digits and one that checks."""
    digits = f"{ord(number[0]) - 64:02d}{number[1:9]}"
    doubled = (int(digit) * (1 + place % 2) for place, digit in enumerate(digits))
    return sum(one // 10 + one % 10 for one in doubled) % 10 == int(number[9])


def hetu(number: str) -> bool:
    """Finland, personal identity code: day of birth, sign of the century, serial, a letter that checks."""
    if not _is_day_of_century(number[4:6], number[2:4], number[:2]):
        return False
    return "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(number[:6] + number[7:10]) % 31] == number[10]


_ODD = dict(
    zip(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10,
         22, 25, 24, 23),
        strict=True,
    )
)  # fmt: skip


def codice_fiscale(code: str) -> bool:
    """Italy, codice fiscale: the letter at the end comes from all that stand before it."""
    even = sum(int(sign) if sign.isdecimal() else ord(sign) - 65 for sign in code[1:15:2])
    return chr(65 + (even + sum(_ODD[sign] for sign in code[:15:2])) % 26) == code[15]


# How long an account number is where people have one (ISO 13616).
IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "BA": 20, "BE": 16, "BG": 22, "BR": 29, "CH": 21, "CY": 28, "CZ": 24,
    "DE": 24, "DK": 18, "EE": 20, "ES": 24, "FI": 18, "FR": 27, "GB": 22, "GR": 27, "HR": 21, "HU": 28, "IE": 22,
    "IL": 23, "IS": 26, "IT": 27, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "MC": 27, "MK": 19, "MT": 31, "NL": 18,
    "NO": 15, "PL": 28, "PT": 25, "RO": 24, "RS": 22, "SA": 24, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "TR": 26,
    "UA": 29,
}  # fmt: skip


def iban(account: str) -> bool:
    """ISO 13616: modulo 97 is 1, letters counting from 10."""
    turned = account[4:] + account[:4]
    return int("".join(str(int(sign, 36)) for sign in turned)) % 97 == 1


class Shape(NamedTuple):
    """A number as it is written: between its groups stands one of `between`; "" is for a number in one piece."""

    between: str
    test: Test


# By the lengths of its groups of digits.
SHAPES: dict[tuple[int, ...], list[Shape]] = {
    (13,): [Shape("", ahv)],
    (3, 4, 4, 2): [Shape(". ", ahv)],
    (3, 2, 4): [Shape("-", ssn)],
    (3, 3, 4): [Shape(" ", nhs)],
    (11,): [Shape("", steuer_id), Shape("", pesel), Shape("", fodselsnummer)],
    (2, 3, 3, 3): [Shape(" ", steuer_id)],
    (6, 5): [Shape(" ", fodselsnummer)],
    (15,): [Shape("", nir)],
    (13, 2): [Shape(" ", nir)],
    (1, 2, 2, 2, 3, 3, 2): [Shape(" ", nir)],
    (4, 6): [Shape(" ", svnr)],
    (2, 2, 2, 3, 2): [Shape(".-", belgian)],
    (6, 4): [Shape("-", personnummer)],
    (8, 4): [Shape("-", personnummer)],
    (3, 3, 3, 2): [Shape(".-", cpf)],
}
# By how many digits there are of it.
_TESTS: dict[int, list[Test]] = {}
for _lengths, _shapes in SHAPES.items():
    _TESTS.setdefault(sum(_lengths), []).extend(shape.test for shape in _shapes)


def is_of_a_person(digits: str) -> bool:
    """Whether `digits` can be an identity number of any of these countries, however they are written."""
    return any(test(digits) for test in _TESTS.get(len(digits), ()))
