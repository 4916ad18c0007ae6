"""Identity and telephone numbers recognised by their format alone (SPEC X2).

A number attached to another one ("10.061 234 56 78") does not count, nor one in a row of numbers with the same
separator as its groups.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from core.grouping import grouped
from text.personal_data.identity_numbers import SHAPES, Shape


class Mark(NamedTuple):
    """An item of personal data at `text[start:end]`; `value` is the same for different spellings of one item."""

    kind: str
    start: int
    end: int
    value: str


_AREA = re.compile(r"[0-9](?:[ .\-/]?[0-9]){6,}")
_GROUP = re.compile(r"[0-9]+")
_PLUS = re.compile(r"(?:(?<![^\W_])\+ ?|(?<![\w/.,-])00(?=[1-9][0-9]{0,2} ))([1-9][0-9 ().\-/]{6,24})")
_PLUS_OR_ZEROS = re.compile(r"\+|0(?=0)")  # every number begins with one of these
_AMERICAN = re.compile(r"(?<![^\W_])\(([2-9][0-9]{2})\) ?([0-9]{3})[-. ]([0-9]{4})(?![0-9])")


def _starts(*starts: str) -> Callable[[str], bool]:
    return lambda digits: digits.startswith(starts) and len(set(digits)) > 2


def _french(digits: str) -> bool:
    """Return whether this is a French telephone number, and not a list such as "01 02 03 04 05"."""
    pairs = [int(digits[place : place + 2]) for place in range(0, 10, 2)]
    steps = {after - before for before, after in pairwise(pairs)}
    return digits[0] == "0" and digits[1] != "0" and len(steps) > 1


_TRUNK = _starts(*(f"0{digit}" for digit in range(1, 10)))  # a national number with its leading zero
_MOBILE = _starts("015", "016", "017")
_AREA_CODE = _starts(*"23456789")

# National telephone numbers recognisable without a label: Switzerland, France, the United States, the United Kingdom
# and Germany.
_PHONES: dict[tuple[int, ...], list[Shape]] = {
    (3, 3, 2, 2): [Shape(" ./-", _TRUNK)],
    (2, 2, 2, 2, 2): [Shape(" .-", _french)],
    (3, 3, 4): [Shape("-.", _AREA_CODE)],
    (5, 6): [Shape(" ", _TRUNK)],
    (4, 3, 4): [Shape(" ", _TRUNK)],
    (3, 4, 4): [Shape(" ", _starts("02"))],
    (4, 7): [Shape(" /-", _MOBILE)],
    (4, 8): [Shape(" /-", _MOBILE)],
}
for _first, _second in ((first, second) for first in (3, 4, 5) for second in range(5, 9)):
    _PHONES.setdefault((_first, _second), []).append(Shape("/", _TRUNK))


_SHAPES = grouped(
    (lengths, (kind, shape))
    for kind, known in (("national_id", SHAPES), ("phone", _PHONES))
    for lengths, shapes in known.items()
    for shape in shapes
)
# By the length of the first group: the possible numbers of groups.
_COUNTS = {first: sorted({len(shape) for shape in _SHAPES if shape[0] == first}) for first in {s[0] for s in _SHAPES}}


def phones_by_prefix(text: str) -> Iterator[Mark]:
    """Yield telephone numbers with a plus and a country code, or with an area code in brackets."""
    after = 0
    for begin in _PLUS_OR_ZEROS.finditer(text):
        found = _PLUS.match(text, begin.start()) if begin.start() >= after else None
        if not found:
            continue
        after = found.end()
        if number := international(found[1], is_sure=found[0][0] == "+"):
            yield Mark("phone", found.start(), found.start(1) + len(number), digits_of(number)[-8:])
    for found in _AMERICAN.finditer(text) if "(" in text else ():
        yield Mark("phone", *found.span(), "".join(found.groups())[-8:])


_BARE_MOBILE = re.compile(r"(?<![\w.,+/-])(?<![0-9:] )[6-9][0-9]{4} ?[0-9]{5}(?![\w/-]|[., ][0-9+-])")
_A_LIST = 3


def mobiles_in_a_list(text: str) -> list[Mark]:
    """Return Indian mobile numbers (ten digits, first 6 to 9) if there are three: one alone may be any number."""
    found = [Mark("phone", *one.span(), digits_of(one[0])[-8:]) for one in _BARE_MOBILE.finditer(text)]
    return found if len({mark.value for mark in found}) >= _A_LIST else []


_TWO = {
    "20", "27", "30", "31", "32", "33", "34", "36", "39", "40", "41", "43", "44", "45", "46", "47", "48", "49", "51",
    "52", "53", "54", "55", "56", "57", "58", "60", "61", "62", "63", "64", "65", "66", "81", "82", "84", "86", "90",
    "91", "92", "93", "94", "95", "98",
}  # fmt: skip
_THREE = (
    "21", "22", "23", "24", "25", "26", "29", "35", "37", "38", "42", "50", "59", "67", "68", "69", "80", "85", "87",
    "88", "96", "97", "99",
)  # fmt: skip
_IN_PAIRS = ("33", "32", "45", "47", "262", "352", "590")  # countries that group all digits in pairs


def international(written: str, *, is_sure: bool) -> str:
    """Return the telephone number at the start of `written` (the text after a plus), 8 to 15 digits (E.164), or "".

    Unless `is_sure`, a number without groups does not count, since many numbers begin with "00".
    """
    groups = [found.span() for found in _GROUP.finditer(written)]
    digits = ""
    taken: list[tuple[int, int]] = []
    for place, (start, end) in enumerate(groups):
        between = written[groups[place - 1][1] : start] if place else ""
        if len(digits) + end - start > 15 or len(between.replace("(", "").replace(")", "")) > 1:
            break
        digits += written[start:end]
        taken.append((start, end))
    code = country_code(digits)
    if not code or not _is_grouped(written, taken, code, is_sure=is_sure):
        return ""
    is_whole = len(digits) == 11 if code in ("1", "7") else len(digits) >= 8
    return written[: taken[-1][1]] if is_whole else ""


def _is_grouped(written: str, taken: Sequence[tuple[int, int]], code: str, *, is_sure: bool) -> bool:
    """Return whether the groups are possible for a telephone number: table values may have a plus sign too."""
    lengths = [end - start for start, end in taken]
    if len(taken) == 1:
        return is_sure and lengths[0] >= 10
    between = written[taken[0][1] : taken[-1][0]]
    return (
        ("." not in between or set(between) <= set("0123456789."))
        and (lengths[0] > 3 or lengths[0] == len(code))
        and (max(lengths[1:]) > 2 or code in _IN_PAIRS)
    )


def country_code(digits: str) -> str:
    """Return the country code at the start of an international number, or ""."""
    if digits[:1] in ("1", "7"):
        return digits[0]
    if digits[:2] in _TWO:
        return digits[:2]
    return digits[:3] if digits.startswith(_THREE) else ""


def numbers_by_shape(text: str) -> Iterator[Mark]:
    """Yield identity numbers (text.personal_data.identity_numbers) and national telephone numbers."""
    for area in _AREA.finditer(text):
        spans = [found.span() for found in _GROUP.finditer(text, area.start(), area.end())]
        lengths = tuple(end - start for start, end in spans)
        for place, first in enumerate(lengths):
            for count in _COUNTS.get(first, ()):
                here = lengths[place : place + count]
                if len(here) == count and here in _SHAPES:
                    yield from _fitting(text, spans[place : place + count], _SHAPES[here])


def _fitting(text: str, spans: Sequence[tuple[int, int]], shapes: Sequence[tuple[str, Shape]]) -> Iterator[Mark]:
    start, end = spans[0][0], spans[-1][1]
    signs = {text[before[1] : after[0]] for before, after in pairwise(spans)}
    digits = "".join(text[first:last] for first, last in spans)
    for kind, shape in shapes:
        if (
            (kind != "phone" or "." not in signs or len(signs) == 1)
            and signs <= set(shape.between)
            and len(set(digits)) > 1
            and shape.test(digits)
            and _stands_free(text, start, end, signs)
        ):
            yield Mark(kind, start, end, digits[-8:] if kind == "phone" else digits)


def _stands_free(text: str, start: int, end: int, signs: set[str]) -> bool:
    """Return whether no letter or other number is attached to the range; `signs` are its own group separators."""
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    return not (
        before[-1:].isalnum()
        or after[:1].isalnum()
        or before.endswith("+")
        or _hangs(before[1:], before[:1], signs)
        or _hangs(after[:1], after[1:], signs)
    )


def _hangs(sign: str, other: str, signs: set[str]) -> bool:
    """Return whether `sign` connects the character `other` to a number with the group separators `signs`."""
    return (sign in signs and other.isalnum()) if sign in "-/" else (sign in {".", ",", *signs} and other.isdecimal())


def digits_of(written: str) -> str:
    """Return the digits of a number without separators."""
    return "".join(_GROUP.findall(written))
