"""The kind of personal data in a table column, by its name, for tables in texts and for datasets.

Names are compared by their letters in lower case: "Patient's Name:" is "patientsname".

Tables in a text count if each row is a person: rows under a header such as "first_name, last_name, dob". File readers
write a row as one line with " | " between its cells; in plain text the separator may be a comma, semicolon or tab.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from text.personal_data.identity_numbers import NUMBERS

_NUMBER = "no nr num number id"


def _each(firsts: str, lasts: str) -> str:
    return " ".join(first + last.rstrip("-") for first in firsts.split() for last in lasts.split())


def _letters(text: str) -> str:
    return "".join(_LETTERS.findall(text.lower()))


_LETTERS = re.compile(r"[^\W\d_]+")
_ADDRESSES = (
    "address addresses addr street village pincode pin postcode postalcode zip zipcode adresse wohnadresse anschrift "
    "strasse straße "
    "rue indirizzo via dirección direccion domicilio"
)
_NAMES = [
    ("patient_name", _each(
        "patient patients pt pts participant subject full first last middle sur given family maiden father fathers "
        "mother mothers "
        "husband husbands wife spouse guardian child childs baby doctor doctors nurse consultant surgeon attendant "
        "relative",
        "name names fullname",
    )),
    ("patient_name", _each("nameof nameofthe", "patient participant subject person mother father child doctor")),
    ("patient_name", "forename initials vorname nachname familienname rufname vorundnachname namevorname "
     "patientenname prénom prenom "
     "nomdefamille nometcognome cognome nomeecognome apellido apellidos nombreyapellidos voornaam achternaam name "
     "names nom nome "
     "nombre naam"),
    ("birth_date", "dob dateofbirth birthdate birthday birthdt geburtsdatum geburtstag gebdatum gebdat datenaissance "
     "datedenaissance "
     "naissance datanascita datadinascita fechanacimiento fechadenacimiento geboortedatum datadenascimento"),
    ("phone", "phone telephone tel mobile mobil mob cell cellphone contact contactphone mobilephone whatsapp ph "
     "landline telefon "
     "telefonnummer handy handynummer natel téléphone telefono teléfono cellulare móvil"),
    ("email", _each("email mail", "- address adresse")),
    ("address", _each("home postal permanent residential present current local", "address addresses")),
    ("address", _ADDRESSES),
    ("iban", _each("account bankaccount acct", "- no nr number") + " iban"),
    ("national_id", "aadhaar aadhar adhaar adhar uidai voter voters epic elector passport pan abha national "
     "identitycard "
     "nationalidentity steuer numérodesécuritésociale sozialversicherungsnummer health reisepass pass passeport"),
    ("national_id", " ".join(
        _letters(word) for number in NUMBERS for word in number.words.split(", ") if number.words
    )),
    ("patient_number", _each(
        "hospital insurance policy medicalrecord admission registration patient cr ip op reg", _NUMBER,
    )),
    ("patient_number", "uhid mrn mrd ipd opd pid patientennummer patientennr patientenid fallnummer fallnr fallid "
     "versichertennummer versicherungsnummer krankenversichertennummer"),
]  # fmt: skip
KIND = {name: kind for kind, names in _NAMES for name in names.split()}
# Suffixes that may follow a name: "Voter ID Card No" is "voter".
_BEHIND = re.compile(r"(?:id|card|nos?|nr|num|number|nummer|details)$")
# Ambiguous names: in a text they count only next to a column that is certain.
DOUBTFUL = {
    "name", "names", "nom", "nome", "nombre", "naam", "initials", "tel", "mobile", "mob", "mobil", "cell", "contact",
    "ph", "pid", "nie", "nif", "nir", "nhs", "avs", "insee", "niss", "pan", "pin", "epic", "voter", "voters", "account",
    "acct", "passport", "pass", "mail", "cpf", "elector", "national", "health", "steuer", "ipd", "opd", "opid", "ipid",
    "admissionnum", *_ADDRESSES.split(),
}  # fmt: skip
# Names that count only with a suffix for a number: "health", "national".
_ONLY_WITH_NUMBER = {"national", "health", "steuer", "pass", "socialsecurity"}
_DIGITS = {"birth_date": 4, "phone": 7, "patient_number": 5, "national_id": 5, "iban": 5, "address": 0, "email": 0}
_LONGEST_NAME = 60  # characters


def kind_of_name(name: str) -> tuple[str, bool]:
    """Return the kind of LABELS that a column called `name` contains ("" for none), and whether that is certain."""
    letters = whole = _letters(name)
    while letters:
        if letters in KIND and not (letters == whole and letters in _ONLY_WITH_NUMBER):
            return KIND[letters], letters not in DOUBTFUL
        shorter = _BEHIND.sub("", letters)
        if shorter == letters:
            break
        letters = shorter
    return "", False


def is_filled(cell: str, kind: str) -> bool:
    """Return whether a cell contains what its column is called: a code ("P01") is not a name, 17 not a patient id."""
    digits = sum(sign.isdigit() for sign in cell)
    letters = sum(sign.isalpha() for sign in cell)
    if kind == "patient_name":
        return letters > 1 and not digits and len(cell) <= _LONGEST_NAME
    if kind == "email":
        return "@" in cell
    if kind == "national_id" and 0 < digits < _DIGITS[kind]:
        return letters + digits >= 9 and len(cell.split()) == 1  # a PAN, a German passport number
    return digits >= _DIGITS[kind] and (letters > 1 or digits > 1)


# Tables of persons

_LONGEST = 1_000  # characters of a header or row

_AROUND = " \t\"'*:"
_COLUMN = re.compile(r"[\w .'’/-]+")
# A cell with a number that is not a year: the line is a data row, not a header.
_DATA = re.compile(r"(?:^|[|,;\t])[ \"]*-?(?!(?:19|20)[0-9]{2}[^0-9])[0-9][0-9.]*[ \"]*(?:$|[|,;\t])")
_RULE = re.compile(r"[\s|:+=-]+")  # the line under the header of a Markdown table


class Cell(NamedTuple):
    """A cell with personal data: `text[start:end]`."""

    kind: str
    start: int
    end: int


def roster_cells(text: str) -> Iterator[list[Cell]]:
    """Yield the cells with personal data of each row in tables of persons, in one pass over the lines of `text`."""
    parting, number, columns, header = "", 0, dict[int, str](), ""
    before = ""  # the line above, "" for a blank line
    at = 0
    for line in text.split("\n"):
        start, at = at, at + len(line) + 1
        above, before = before, line.strip()
        if not before and parting != "|":
            columns = {}
        if not before or (columns and (line == header or _RULE.fullmatch(line))):
            continue
        if columns and len(line) <= _LONGEST:
            cells = _cells(line, start, parting)
            # File readers leave out empty cells at the end of a row.
            if len(cells) == number or (parting == "|" and 1 < len(cells) < number):
                found = [Cell(kind, *cells[place]) for place, kind in columns.items() if place < len(cells)]
                yield [cell for cell in found if is_filled(text[cell.start : cell.end], cell.kind)]
                continue
        parting, number, columns = _header(line)
        header = line
        # A line under a row with as many cells is a row too, as in a list of variables.
        if columns and above.strip("|").count(parting) == number - 1:
            columns = {}


def _header(line: str) -> tuple[str, int, dict[int, str]]:
    """Return the separator of a header, its number of cells, and the kinds of its personal columns by position."""
    if len(line) > _LONGEST or _DATA.search(line):
        return "", 0, {}
    parting = max("|\t;,", key=line.count)
    cells = _cells(line, 0, parting)
    if len(cells) < 2 or any(end - start > 40 for start, end in cells):
        return "", 0, {}
    found = [
        kind_of_name(text) if _COLUMN.fullmatch(text := line[start:end].strip(_AROUND)) else ("", False)
        for start, end in cells
    ]
    kinds = {place: kind for place, (kind, _) in enumerate(found) if kind}
    return parting, len(cells), kinds if any(is_sure for _, is_sure in found) else {}


def _cells(line: str, at: int, parting: str) -> list[tuple[int, int]]:
    """Return the ranges of the cells of a line that begins at position `at` of the text, including quotes."""
    bare = line.strip().strip("|") if parting == "|" else line
    begin = line.index(bare) if bare else 0
    cells: list[tuple[int, int]] = []
    if '"' not in bare:
        start = at + begin
        for cell in bare.split(parting):
            cells.append((start, start + len(cell)))
            start += len(cell) + 1
        return cells
    start, quoted = begin, False
    for place in range(begin, begin + len(bare)):
        sign = line[place]
        if sign == '"':
            quoted = not quoted
        elif sign == parting and not quoted:
            cells.append((at + start, at + place))
            start = place + 1
    cells.append((at + start, at + begin + len(bare)))
    return cells
