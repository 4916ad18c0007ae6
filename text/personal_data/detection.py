"""Detection of personal data in a text: the position of each item, and counts by kind (SPEC X2, T4).

Detected are e-mail addresses, telephone numbers, dates of birth, identity numbers with check digits and bank accounts;
next to a label, hospital and insurance numbers, postal addresses and names; and the rows of tables with such columns
(text.personal_data.table_columns). Each item is counted once, however often it occurs; each table row counts.

Texts are mostly papers or protocols full of numbers, so a number counts only by its format, its check digits or a
label: trial ids, DOIs, ISBNs, grants, page ranges and years have none of these. Not detected are names without a label
(authors, acknowledgements), affiliations, ORCIDs, addresses for correspondence, anything within links, birth years
alone, ranges of birth dates, and short patient numbers ("patient 17"), which identify somebody only to people who
have the list. The e-mail address of an author counts like any other.

Patterns can be wrong, and miss what no pattern covers.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from stdnum import iban

from text.personal_data.identity_numbers import IBAN_LENGTHS, NUMBERS, compact, is_one
from text.personal_data.labelled_data import beside_cues
from text.personal_data.phone_and_record_numbers import Mark, mobiles_in_a_list, numbers_by_shape, phones_by_prefix
from text.personal_data.plain_view import untied
from text.personal_data.table_columns import is_filled, kind_of_name, roster_cells

LABELS: dict[str, str] = {
    "patient_name": "name of a person",
    "birth_date": "date of birth",
    "national_id": "national identity number",
    "patient_number": "hospital or insurance number",
    "iban": "bank account",
    "address": "postal address",
    "phone": "telephone number",
    "email": "e-mail address",
    "kept_private": "private name or word",  # from the user's list, never found by a pattern
}
LINK = "link"  # anything within a link belongs to nobody
_PLURALS = {
    "patient_name": "names of persons",
    "birth_date": "dates of birth",
    "address": "postal addresses",
    "email": "e-mail addresses",
    "kept_private": "private names and words",
}
# Digits of other scripts, mapped to 0 to 9 for python-stdnum and the patterns.
_FIGURES = {
    code: str(unicodedata.decimal(chr(code)))
    for code in range(0x660, 0xFF1A)
    if unicodedata.category(chr(code)) == "Nd"
}
# Characters treated as a space or hyphen; each stays one character, so that positions do not change.
_ALIKE = (
    *((sign, " ") for sign in "\t\u00a0\u2007\u2009\u200a\u202f"),
    *((sign, "-") for sign in "\u2010\u2011\u2012\u2013\u2212"),
)
_LINK = re.compile(r"(?:https?://|www\.)[^\s<>\"]{1,500}|10\.[0-9]{4,9}/[^\s<>\"]{1,200}")

# The part before the @ (matched backwards) and after it. Without a common domain ending it is code: "object@slot.data".
_LOCAL = re.compile(r"[\w.+%&'*=/-]{0,63}\w")
_DOMAIN = re.compile(r"(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,6}([^\W\d_]{2,12})(?![^\W_])")
_ENDINGS = {
    "com", "org", "net", "edu", "gov", "mil", "int", "info", "biz", "name", "swiss", "wien", "berlin", "hamburg",
    "koeln", "health", "hospital", "clinic", "care", "doctor", "academy", "university", "institute", "science",
    "online", "email", "example", "test", "invalid",
}  # fmt: skip

_ACCOUNT = re.compile(r"(?<![^\W_])([A-Z]{2})[0-9]{2}(?: ?[A-Z0-9]){11,31}")
_MAYBE_ACCOUNT = re.compile(r"[A-Z]{2}[0-9]{2}")  # part of every account; searched first, since it is much faster
_WITH_LETTERS = [number for number in NUMBERS if number.letters]
_CODED = re.compile(
    rf"(?<![^\W_])(?:{'|'.join(f'(?P<at{place}>{one.letters})' for place, one in enumerate(_WITH_LETTERS))})(?![^\W_])"
)
_MAYBE_CODED = re.compile("[0-9]")  # part of every code
_BLANKS = re.compile("[ ./]")


def count_personal_data(text: str) -> dict[str, int]:
    """Return the number of items of each kind of LABELS in `text`; kinds without items are left out.

    Runs in linear time.
    """
    number = Counter(kind for kind, _ in {(mark.kind, mark.value) for mark in _found(text)})
    # First and last name in two fields of a form are one person.
    number["patient_name"] += max(number["first_name"], number["last_name"])
    return {kind: number[kind] for kind in LABELS if number[kind]}


def marks_in(text: str) -> list[Mark]:
    """Return all items that `count_personal_data` counts, in order and without overlaps. Kinds are those of LABELS.

    `text[mark.start:mark.end]` is the item as written; `mark.value` is the same for different spellings of one item.
    """
    marks = sorted(_found(text), key=lambda mark: mark.start)
    kinds = {"first_name": "patient_name", "last_name": "patient_name"}
    return [mark._replace(kind=kinds.get(mark.kind, mark.kind)) for mark in marks if mark.kind != LINK]


def _found(text: str) -> Iterator[Mark]:
    """Yield the items in `text`. A position belongs to at most one item, the one found first."""
    view = untied(text)
    plain = view.text if view.text.isascii() else view.text.translate(_FIGURES)
    for sign, read in _ALIKE:
        plain = plain.replace(sign, read)

    numbers = list(numbers_by_shape(plain))
    in_turn = chain(
        _emails(plain),
        (Mark(LINK, *link.span(), "") for link in _LINK.finditer(plain)),
        _accounts(plain),
        _codes(plain),
        (mark for mark in numbers if mark.kind == "national_id"),
        beside_cues(plain),
        phones_by_prefix(plain),
        numbers,
        mobiles_in_a_list(plain),
    )
    as_written = (mark._replace(start=view.place(mark.start), end=view.place(mark.end)) for mark in in_turn)
    taken = bytearray(len(text))
    for mark in chain(_rosters(text), as_written):
        if 1 not in taken[mark.start : mark.end]:
            taken[mark.start : mark.end] = b"\1" * (mark.end - mark.start)
            yield mark


def counts_in_words(counts: Mapping[str, int]) -> str:
    """Return counts in words: "2 e-mail addresses and 1 date of birth"; "" for none."""
    parts = [
        f"{counts[kind]:,} {LABELS.get(kind, kind.replace('_', ' ')) if counts[kind] == 1 else plural(kind)}"
        for kind in sorted(counts, key=lambda kind: list(LABELS).index(kind) if kind in LABELS else len(LABELS))
    ]
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def plural(kind: str) -> str:
    """Return the plural name of a kind: "dates of birth"."""
    return _PLURALS.get(kind, f"{LABELS.get(kind, kind.replace('_', ' '))}s")


def _rosters(text: str) -> Iterator[Mark]:
    """Yield the rows of tables of persons; first and last name are one name. Identical rows count separately."""
    yield from (Mark(*cell, f"row {number}") for number, row in enumerate(roster_cells(text)) for cell in row)


def _emails(text: str) -> Iterator[Mark]:
    at = text.find("@")
    while at >= 0:
        domain = _DOMAIN.match(text, at + 1)
        local = _LOCAL.match(text[max(0, at - 64) : at][::-1]) if domain else None
        if local and domain and local[0] != "tig" and (len(domain[1]) == 2 or domain[1].lower() in _ENDINGS):
            yield Mark("email", at - local.end(), domain.end(), f"{local[0][::-1]}@{domain[0]}".lower())
        at = text.find("@", at + 1)


def _accounts(text: str) -> Iterator[Mark]:
    for found in _ACCOUNT.finditer(text) if _MAYBE_ACCOUNT.search(text) else ():
        length = IBAN_LENGTHS.get(found[1], 0)
        account, end = "", found.start()
        while len(account) < length and end < found.end():
            account, end = account + text[end].strip(), end + 1
        if (
            0 < len(account) == length
            and not text[end : end + 1].isalnum()
            and iban.is_valid(account, check_country=False)
        ):
            yield Mark("iban", found.start(), end, account)


def _codes(text: str) -> Iterator[Mark]:
    for found in _CODED.finditer(text) if _MAYBE_CODED.search(text) else ():
        number = _WITH_LETTERS[int((found.lastgroup or "at0")[2:])]
        # A hyphen can be part of the number, as in Finland.
        if number.test(_BLANKS.sub("", found[0]).upper()):
            yield Mark("national_id", *found.span(), compact(found[0]))


# In a column of data

LOOKED_AT = 200  # different cells
_OFTEN = 0.3  # share of cells with an item from which the column counts
_SHARES = {"phone": 0.6}  # of random ten-digit numbers, four in ten look like Indian mobile numbers
_A_COLUMN = 5  # different cells, of which nearly all
_NEARLY_ALL = 0.9  # must have valid check digits; by chance one column in 10,000 has
_ALWAYS = ("email", "iban")  # kinds that count even in a single cell


def kind_of_column(name: str, cells: Sequence[str]) -> str:
    """Return the kind of LABELS that a column called `name` with `cells` seems to contain, or "".

    A column with a matching name counts if any cell is filled, or half of the cells if the name is ambiguous
    ("contact", yes or no) or the values may be pseudonyms ("Patient ID", P001). Otherwise the items that
    `count_personal_data` finds in its cells count, as in any text.
    """
    looked = [text for text in dict.fromkeys(cells[: 20 * LOOKED_AT]) if text][:LOOKED_AT]
    if not looked:
        return ""
    kind, is_sure = kind_of_name(name)
    is_sure = is_sure and not (kind == "patient_number" and name.strip().lower().startswith("patient"))
    if kind and (is_sure or 2 * sum(is_filled(text, kind) for text in looked) >= len(looked)):
        return kind
    if _are_numbers(looked):
        return "national_id"
    found = count_personal_data("\n\n".join(text[:300] for text in looked))
    least = {kind: 1 if kind in _ALWAYS else max(1, _SHARES.get(kind, _OFTEN) * len(looked)) for kind in found}
    return max((kind for kind in found if found[kind] >= least[kind]), key=found.__getitem__, default="")


def _are_numbers(cells: Sequence[str]) -> bool:
    """Return whether the cells are identity numbers of one country, in any spelling."""
    return len(cells) >= _A_COLUMN and any(
        sum(is_one(number, text) for text in cells) >= _NEARLY_ALL * len(cells)
        for number in NUMBERS
        if number.has_check_digit
    )
