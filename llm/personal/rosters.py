"""Tables with a row for each person: rows below a header such as "first_name, last_name, dob" (llm.personal).

Readers write a row as one line with " | " between its cells; in plain text it may be commas, semicolons or tabs.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

_LONGEST = 1_000  # characters of a header, and of a row
_LONGEST_NAME = 60

# What the columns are called once letters alone are left of it; what is doubtful counts
# only beside another one.
_COLUMNS = {
    "patient_name": "firstname lastname givenname familyname surname forename fullname patientname patientsname nameofpatient "
    "vorname nachname familienname vorundnachname namevorname patientenname prénom prenom nomdefamille nometcognome cognome nomeecognome "
    "apellido apellidos nombreyapellidos voornaam achternaam name nom nome nombre naam",
    "birth_date": "dob dateofbirth birthdate birthday birthdt geburtsdatum geburtstag gebdatum gebdat datenaissance "
    "datedenaissance naissance datanascita datadinascita fechanacimiento fechadenacimiento geboortedatum datadenascimento",
    "phone": "phone phoneno phonenumber telephone telephonenumber tel telno telefon telefonnummer telefonnr mobile mobileno "
    "mobilenumber mobil handy handynummer natel téléphone telefono teléfono cellulare móvil",
    "address": "address homeaddress postaladdress street streetaddress adresse wohnadresse anschrift strasse straße rue "
    "indirizzo via dirección direccion domicilio",
    "patient_number": "mrn medicalrecordnumber patientnumber patientno patientid patientnr patientennummer patientennr "
    "patientenid fallnummer fallnr fallid hospitalnumber hospitalno insurancenumber insuranceno insuranceid "
    "versichertennummer versicherungsnummer pid ahv ahvnummer ahvnr ssn socialsecuritynumber nhsnumber nhsno nhs "
    "steuerid krankenversichertennummer nir numérodesécuritésociale codicefiscale dni nie bsn pesel personnummer",
}  # fmt: skip
_KIND = {name: kind for kind, names in _COLUMNS.items() for name in names.split()}
_DOUBTFUL = {"name", "nom", "nome", "nombre", "naam", "tel", "mobile", "pid", "nie", "nir", "nhs"}
_DOUBTFUL |= set(_COLUMNS["address"].split())
_MAYBE_HEADER = re.compile(
    r"name|nom|naam|birth|dob\b|geb|naiss|nasc|nacim|geboorte|phone|tel|mobil|handy|natel|address|adress|strasse|"
    r"mrn|patient|fall|versicher|ahv|ssn|apellido|cognome",
)
_DOT = "\u0307"  # what is left of "İ" in small letters
_COLUMN = re.compile(r"[\w .'’/-]+")
_RULE = re.compile(r"[\s|:+=-]+")  # the line below the header of a table in Markdown
_DIGITS = {"birth_date": 4, "phone": 7, "patient_number": 5, "address": 0, "patient_name": 0}  # a cell has at least


class Cell(NamedTuple):
    """A cell that holds something of a person: `text[start:end]`."""

    kind: str
    start: int
    end: int


def roster_cells(text: str) -> Iterator[list[Cell]]:
    """Row by row, the cells of tables of persons. One pass over the lines of `text`."""
    if not _may_be_header(text):
        return
    parting, number, columns, header = "", 0, dict[int, str](), ""
    before = ""  # the line above, "" for a blank one
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
            # Readers leave out empty cells at the end of a row.
            if len(cells) == number or (parting == "|" and 1 < len(cells) < number):
                found = [Cell(kind, *cells[place]) for place, kind in columns.items() if place < len(cells)]
                yield [cell for cell in found if _is_filled(text[cell.start : cell.end], cell.kind)]
                continue
        parting, number, columns = _header(line)
        header = line
        # What stands below a row as wide is a row itself, as in a list of variables.
        if columns and above.strip("|").count(parting) == number - 1:
            columns = {}


def _header(line: str) -> tuple[str, int, dict[int, str]]:
    """What parts the cells of a header, how many it has, and the kinds of its columns about persons, by place."""
    if len(line) > _LONGEST or not _may_be_header(line):
        return "", 0, {}
    parting = max("|\t;,", key=line.count)
    cells = _cells(line, 0, parting)
    if len(cells) < 2 or any(end - start > 40 for start, end in cells):
        return "", 0, {}
    names = [_name(line[start:end]) for start, end in cells]
    kinds = {place: _KIND[name] for place, name in enumerate(names) if name in _KIND}
    is_sure = any(names[place] not in _DOUBTFUL for place in kinds)
    return parting, len(cells), kinds if is_sure else {}


def _may_be_header(text: str) -> bool:
    """Whether any column in `text` may be one about persons."""
    return bool(_MAYBE_HEADER.search(text.lower().replace(_DOT, "")))


def _name(cell: str) -> str:
    """The letters of a cell that is a name of a column, small; "" for one that is something else."""
    name = cell.strip(" \t\"'*")
    return "".join(re.findall(r"[^\W\d_]", name.lower())) if _COLUMN.fullmatch(name) else ""


def _cells(line: str, at: int, parting: str) -> list[tuple[int, int]]:
    """Where the cells of a line begin and end, which itself begins at character `at` of the text; quotes are theirs."""
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


def _is_filled(cell: str, kind: str) -> bool:
    """Whether a cell holds what its column is called: no code ("P01") for a name, no number of a list for a patient."""
    digits = sum(sign.isdigit() for sign in cell)
    letters = sum(sign.isalpha() for sign in cell)
    if kind == "patient_name":
        return letters > 1 and not digits and len(cell) <= _LONGEST_NAME
    return digits >= _DIGITS[kind] and (letters > 1 or digits > 1)
