"""What a column of a table of data holds about persons, by its name and by what stands in it."""

from collections.abc import Sequence

from text.personal.checkdigits import NUMBERS, is_one
from text.personal.column_names import is_filled, kind_of_name
from text.personal.found import personal_in

LOOKED_AT = 200  # different cells
_OFTEN = 0.3  # of them hold it: then the column does
_SHARES = {"phone": 0.6}  # of any numbers with ten figures, four in ten could be Indian mobile numbers
_A_COLUMN = 5  # different cells, of which nearly all
_NEARLY_ALL = 0.9  # have the same check digits: by chance one column in 10,000 has
_ALWAYS = ("email", "iban")  # that count however seldom they stand there


def kind_of_column(name: str, cells: Sequence[str]) -> str:
    """The kind of LABELS that a column called `name` with `cells` seems to hold; "" for none.

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
    often = {
        kind: count
        for kind, count in found.items()
        if kind in _ALWAYS or count >= max(1, _SHARES.get(kind, _OFTEN) * len(looked))
    }
    return max(often, key=lambda one: often[one], default="")


def _are_numbers(cells: Sequence[str]) -> bool:
    """Whether the cells are identity numbers of one country, however they are written: in one piece, in small letters."""
    return len(cells) >= _A_COLUMN and any(
        sum(is_one(number, text) for text in cells) >= _NEARLY_ALL * len(cells)
        for number in NUMBERS
        if number.has_check_digit
    )
