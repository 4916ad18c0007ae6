"""What looks like data of persons in a text: where each of it stands, and how much there is by kind (SPEC X2, T4).

Found are e-mail addresses, telephone numbers, dates of birth, numbers of persons with check digits, bank accounts, and
beside a word that says so hospital and insurance numbers, postal addresses and names; and the rows of a table whose
columns are called so (text.personal_data.table_columns). Each is counted once, however often it stands there; rows are counted.

The text is mostly a paper or a protocol full of figures, so a number counts only by its shape, its check digits or a
word beside it: trial ids, DOIs, ISBNs, grants, ranges of pages and years have none of these. Left out are names without
a word beside them (authors, people who are thanked), affiliations, ORCIDs, addresses for correspondence, what stands in
links, years of birth alone, dates between which people were born, and short numbers of patients ("patient 17"), which
say who somebody is only to those who have the list. The e-mail address of an author is one like any other.

These are patterns: they can be wrong, and miss what there is no pattern for.
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
    "kept_private": "name or word kept private",  # of a list that people keep: never found by a pattern
}
LINK = "link"  # what stands in links is of nobody
_PLURALS = {
    "patient_name": "names of persons",
    "birth_date": "dates of birth",
    "address": "postal addresses",
    "email": "e-mail addresses",
    "kept_private": "names and words kept private",
}
# Figures of other scripts, which python-stdnum and the patterns know as 0 to 9.
_FIGURES = {
    code: str(unicodedata.decimal(chr(code)))
    for code in range(0x660, 0xFF1A)
    if unicodedata.category(chr(code)) == "Nd"
}
# Signs that are read as a space or a hyphen; each stays one character, so that places stay what they are.
_ALIKE = (
    *((sign, " ") for sign in "\t\u00a0\u2007\u2009\u200a\u202f"),
    *((sign, "-") for sign in "\u2010\u2011\u2012\u2013\u2212"),
)
_LINK = re.compile(r"(?:https?://|www\.)[^\s<>\"]{1,500}|10\.[0-9]{4,9}/[^\s<>\"]{1,200}")

# Before the @, read backwards, and behind it. What ends in no common domain is a line of code: "object@slot.data".
_LOCAL = re.compile(r"[\w.+%&'*=/-]{0,63}\w")
_DOMAIN = re.compile(r"(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,6}([^\W\d_]{2,12})(?![^\W_])")
_ENDINGS = {
    "com", "org", "net", "edu", "gov", "mil", "int", "info", "biz", "name", "swiss", "wien", "berlin", "hamburg", "koeln",
    "health", "hospital", "clinic", "care", "doctor", "academy", "university", "institute", "science", "online", "email",
    "example", "test", "invalid",
}  # fmt: skip

_ACCOUNT = re.compile(r"(?<![^\W_])([A-Z]{2})[0-9]{2}(?: ?[A-Z0-9]){11,31}")
_MAYBE_ACCOUNT = re.compile(r"[A-Z]{2}[0-9]{2}")  # in each of them, and looked for at a fraction of the time
_WITH_LETTERS = [number for number in NUMBERS if number.letters]
_CODED = re.compile(
    rf"(?<![^\W_])(?:{'|'.join(f'(?P<at{place}>{one.letters})' for place, one in enumerate(_WITH_LETTERS))})(?![^\W_])"
)
_MAYBE_CODED = re.compile("[0-9]")  # in each of them
_BLANKS = re.compile("[ ./]")


def personal_in(text: str) -> dict[str, int]:
    """Return how much of each kind of LABELS stands in `text`; kinds of which there is nothing are left out.

    In time proportional to the length of `text`.
    """
    number = Counter(kind for kind, _ in {(mark.kind, mark.value) for mark in _found(text)})
    # Somebody whose names stand in two places of a form is one person.
    number["patient_name"] += max(number["first_name"], number["last_name"])
    return {kind: number[kind] for kind in LABELS if number[kind]}


def marks_in(text: str) -> list[Mark]:
    """Everything that `personal_in` counts, in the order of the text; no two overlap. The kinds are those of LABELS.

    `text[mark.start:mark.end]` is what stands there, `mark.value` is alike for the same thing written twice.
    """
    marks = sorted(_found(text), key=lambda mark: mark.start)
    kinds = {"first_name": "patient_name", "last_name": "patient_name"}
    return [mark._replace(kind=kinds.get(mark.kind, mark.kind)) for mark in marks if mark.kind != LINK]


def _found(text: str) -> Iterator[Mark]:
    """Yield what stands in `text`, each place of it as something of one kind at most: of what was found first."""
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


def told(counts: Mapping[str, int]) -> str:
    """Counts in words: "2 e-mail addresses and 1 date of birth"; "" for none."""
    parts = [
        f"{counts[kind]:,} {LABELS.get(kind, kind.replace('_', ' ')) if counts[kind] == 1 else plural(kind)}"
        for kind in sorted(counts, key=lambda kind: list(LABELS).index(kind) if kind in LABELS else len(LABELS))
    ]
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def plural(kind: str) -> str:
    """Return what several of a kind are called: "dates of birth"."""
    return _PLURALS.get(kind, f"{LABELS.get(kind, kind.replace('_', ' '))}s")


def _rosters(text: str) -> Iterator[Mark]:
    """Yield the rows of tables of persons; one with first and last name is one name. Each row counts, also two alike."""
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
        # A hyphen can be part of it, as in Finland.
        if number.test(_BLANKS.sub("", found[0]).upper()):
            yield Mark("national_id", *found.span(), compact(found[0]))


# In a column of data

LOOKED_AT = 200  # different cells
_OFTEN = 0.3  # of them hold it: then the column does
_SHARES = {"phone": 0.6}  # of any numbers with ten figures, four in ten could be Indian mobile numbers
_A_COLUMN = 5  # different cells, of which nearly all
_NEARLY_ALL = 0.9  # have the same check digits: by chance one column in 10,000 has
_ALWAYS = ("email", "iban")  # that count however seldom they stand there


def kind_of_column(name: str, cells: Sequence[str]) -> str:
    """Return the kind of LABELS that a column called `name` with `cells` seems to hold; "" for none.

    A column named so counts when anything stands in it, or half of it where the name may mean another thing ("contact", yes
    or no) or its values may be a pseudonym ("Patient ID", P001); else what `personal_in` finds in its cells counts, as in any text.
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
    found = personal_in("\n\n".join(text[:300] for text in looked))
    least = {kind: 1 if kind in _ALWAYS else max(1, _SHARES.get(kind, _OFTEN) * len(looked)) for kind in found}
    return max((kind for kind in found if found[kind] >= least[kind]), key=found.__getitem__, default="")


def _are_numbers(cells: Sequence[str]) -> bool:
    """Return whether the cells are identity numbers of one country, however they are written: in one piece, in small letters."""
    return len(cells) >= _A_COLUMN and any(
        sum(is_one(number, text) for text in cells) >= _NEARLY_ALL * len(cells)
        for number in NUMBERS
        if number.has_check_digit
    )
