"""Several rows per person: which column identifies people, and how many of them have more than one row.

A column identifies people when the user said so (column["identifies"] is "person"), else when it is named like an id of
a person. The code of a group (ward, hospital, district) repeats too and identifies nobody.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from analysis.models import DatasetVersion

Cells = Callable[[list[str]], Mapping[str, Sequence[str]]]  # the texts of columns by their ids
EMPTY_IDS = frozenset((
    "", "-", "--", "?", "na", "n/a", "nk", "n/k", "none", "nil", "null", "unknown", "notknown", "unbekannt", "missing",
    "xx", "xxx", "anonymous",
))  # fmt: skip
FEW = 5  # different values that may still be categories
PERSON, OTHER = "person", "other"  # what a column identifies according to the user; "" when not decided
_PEOPLE = {
    "patient": "patients", "pat": "patients", "pt": "patients", "patienten": "patients", "paciente": "patients",
    "paziente": "patients", "subject": "subjects", "subj": "subjects", "sub": "subjects", "sujet": "subjects",
    "participant": "participants", "proband": "participants", "probanden": "participants", "respondent": "respondents",
    "volunteer": "volunteers", "person": "persons", "personen": "persons", "case": "cases", "client": "clients",
    "child": "children", "infant": "infants", "baby": "infants", "neonate": "neonates", "mother": "mothers",
    "woman": "women", "animal": "animals", "rat": "animals", "mouse": "animals", "donor": "donors",
    "student": "students", "individual": "individuals", "enrolment": "persons", "enrollment": "persons",
    "uhid": "patients", "pacient": "patients", "pacjent": "patients", "pacjenta": "patients", "chorego": "patients",
    "patiënt": "patients", "hasta": "patients", "пациент": "patients", "пациента": "patients", "रोगी": "patients",
    "मरीज": "patients", "मरीज़": "patients", "患者": "patients", "participante": "participants", "sujeto": "subjects",
    "soggetto": "subjects", "badanego": "subjects", "deelnemer": "participants", "historia": "patients",
    "dossier": "patients", "mrn": "patients", "mrd": "patients", "crno": "patients", "opd": "patients",
    "ipd": "patients", "ip": "patients", "op": "patients", "cr": "patients", "hospital": "patients",
    "registration": "patients", "reg": "patients", "study": "participants", "record": "persons",
}  # fmt: skip
_ALONE = {
    "uhid", "mrn", "mrd", "crno", "patientid", "patid", "patnr", "ptid", "subjectid", "subjid", "personid", "pid",
    "caseid", "caseno", "recordid", "participantid", "studyid", "patientennummer", "patientennr", "fallnummer",
    "fallnr", "probandennummer", "usubjid", "患者番号", "患者id", "病例号", "住院号",
}  # fmt: skip
_WHICH = {
    "id", "ids", "no", "nr", "num", "number", "nummer", "code", "key", "identifier", "identifiant", "kennung", "numero",
    "uid", "numer", "número", "numéro", "codigo", "código", "codice", "kod", "identyfikator", "identificador",
    "identificativo", "номер", "код", "क्रमांक", "संख्या", "आईडी", "番号",
}  # fmt: skip
# With "number" these words name a person's id; with "id" or "code" they may name a place.
_NUMBERED = {"hospital", "ip", "op", "cr", "opd", "ipd", "registration", "reg"}
_GROUPS = {
    "ward", "centre", "center", "site", "clinic", "group", "arm", "cluster", "family", "household", "district",
    "village", "school", "class", "doctor", "surgeon", "rater", "observer", "visit", "sample", "specimen", "episode",
    "batch", "set", "pair", "team", "unit", "room", "bed", "box", "strain", "stratum", "block", "city", "state",
    "region", "country", "type",
}  # fmt: skip
_FILLERS = (
    "s",
    "of",
    "the",
    "de",
    "du",
    "der",
    "unique",
    "anonymous",
    "anonymised",
    "anonymized",
    "pseudo",
    "new",
    "research",
)


@dataclass(frozen=True)
class Repeats:
    """The people in a column and their rows.

    `people` is the number of different people in `rows` rows; `repeated` of them have more than one row, at most
    `most`, and `blank` rows have no id. `who` is the word for them: "patients". `is_said` is True when the user chose
    the column, `is_above` when empty cells were read as the person above.
    """

    column: str
    name: str
    who: str
    people: int
    repeated: int
    most: int
    rows: int
    blank: int
    is_said: bool = False
    is_above: bool = False

    @property
    def sentence(self) -> str:
        """How many people have more than one row, as a sentence."""
        has = f"{'has' if self.repeated == 1 else 'have'} {'two rows' if self.most == 2 else 'more than one row'}"
        blank = f"; {self.blank:,} {'row has' if self.blank == 1 else 'rows have'} no value there" if self.blank else ""
        if self.is_above:
            blank = "; an empty cell there is read as the person above"
        return f"{self.repeated:,} of {self.people:,} {self.who} {has} (column “{self.name[:60]}”{blank})."


def repeats_of(version: "DatasetVersion", ids: Iterable[str] = ()) -> Repeats | None:
    """Return the people with more than one row in a version; None when there are none or no column identifies people.

    Rows with a missing value in one of the columns `ids` do not count. Cells are read only when some ids repeat.
    """
    from analysis.datasets.storage import cells_of

    known = {one["id"] for one in version.columns}
    return repeats_in(
        version.columns, version.summary, lambda wanted: cells_of(version, wanted), [one for one in ids if one in known]
    )


def repeats_in(
    columns: Sequence[Mapping[str, Any]], summary: Mapping[str, Any], cells: Cells, ids: Sequence[str] = ()
) -> Repeats | None:
    """Return the same as `repeats_of`, for the columns of a table; `cells` returns the texts of columns by ids."""
    for column in people_columns(columns):
        about = summary.get(column["id"]) or {}
        told = about.get("as_id") or _as_id(column, cells)
        is_block = not told["repeated"] and int(about.get("missing") or 0) >= told["values"] > 0
        if is_block and (found := _counted(column, columns, cells, ids, is_above=True)):
            return found
        if told["repeated"] and not _is_grouping(column, told):
            return _counted(column, columns, cells, ids) if ids else _repeats_from(column, told, about)
    return None


def _as_id(column: Mapping[str, Any], cells: Cells) -> dict[str, int]:
    """Return `as_id` of a column in an old version, whose summary does not contain it."""
    from analysis.datasets.export import cell_meaning

    return as_id(Counter(cell_meaning(column, text) for text in cells([column["id"]])[column["id"]]))


def _is_grouping(column: Mapping[str, Any], told: Mapping[str, int]) -> bool:
    """Return whether a column just named "patient" or "subject" contains a few categories (yes, no), not people."""
    words = _words(str(column["name"]))
    is_id = column.get("identifies") == PERSON or bool(set(words) & _WHICH) or "".join(words) in _ALONE
    return not is_id and told["values"] <= FEW


def _counted(
    column: Mapping[str, Any],
    columns: Sequence[Mapping[str, Any]],
    cells: Cells,
    ids: Sequence[str],
    *,
    is_above: bool = False,
) -> Repeats | None:
    """Return the repeats counted from the rows without missing values in `ids`; None when nobody has two rows.

    With `is_above` an empty cell means the person above, as where an id is written once for a block of rows.
    """
    from analysis.datasets.export import cell_meaning

    wanted = list(dict.fromkeys([column["id"], *ids]))
    texts = cells(wanted)
    described = {one["id"]: one for one in columns}
    people = [normalised_id(cell_meaning(column, text)) for text in texts[column["id"]]]
    if is_above:
        people = _from_above(people, texts[column["id"]])
    if len(wanted) > 1:
        given = (
            [bool(cell_meaning(described[one], text)) for text in texts[one]] for one in wanted if one != column["id"]
        )
        people = list(compress(people, map(all, zip(*given, strict=True))))
    told = as_id(Counter(one for one in people if one))
    if not told["repeated"]:
        return None
    blank = sum(not one for one in people)
    return _repeats_from(column, told, {"n": len(people) - blank, "missing": blank}, is_above=is_above)


def _from_above(people: Sequence[str], texts: Sequence[str]) -> list[str]:
    """Return `people` with the person above in place of empty cells."""
    found: list[str] = []
    for person, text in zip(people, texts, strict=True):
        found.append(found[-1] if not text and found else person)
    return found


def _repeats_from(
    column: Mapping[str, Any], told: Mapping[str, int], summary: Mapping[str, Any], *, is_above: bool = False
) -> Repeats:
    name, blank = str(column["name"]), int(summary.get("missing") or 0)
    who, is_said = _who(name) or "persons", column.get("identifies") == PERSON
    return Repeats(
        column=column["id"],
        name=name,
        who=who,
        people=told["values"],
        repeated=told["repeated"],
        most=told["most"],
        rows=int(summary.get("n") or 0) + blank,
        blank=blank,
        is_said=is_said,
        is_above=is_above,
    )


def as_id(counts: Mapping[str, int]) -> dict[str, int]:
    """Return counts of the texts of a column as ids: {values, repeated, most}. Capitals and spaces do not matter."""
    people: Counter[str] = Counter()
    for text, count in counts.items():
        if (one := normalised_id(text)) not in EMPTY_IDS:
            people[one] += count
    return {
        "values": len(people),
        "repeated": sum(count > 1 for count in people.values()),
        "most": max(people.values(), default=0),
    }


def normalised_id(text: str) -> str:
    """Return an id in a normal form, without differences in capitals, spaces and character widths."""
    if text.isascii() and text.isalnum():
        return text.lower()
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def people_columns(columns: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the columns that identify people: those the user chose, else by a name for people, else a bare "id"."""
    if said := [one for one in columns if one.get("identifies") == PERSON]:
        return said
    able = [one for one in columns if one.get("identifies") != OTHER and one.get("type") not in ("date", "logical")]
    ranked = [(rank, one) for one in able if (rank := _rank(str(one["name"])))]
    best = min((rank for rank, _ in ranked), default=0)
    return [one for rank, one in ranked if rank == best]


def _words(name: str) -> list[str]:
    apart = re.sub(r"(?<=[a-zà-ÿ])(?=[A-Z])", " ", unicodedata.normalize("NFKC", name))
    # Vowel signs are not letters for the re module: "रोगी" would be split.
    apart = apart.casefold().replace("n°", "no ")
    return "".join(one if one.isalpha() or unicodedata.category(one) in ("Mc", "Mn") else " " for one in apart).split()


def _rank(name: str) -> int:
    """Return 1 for the name of a person's id, 2 for a bare "id", 0 for other names."""
    words = _words(name)
    if not words or set(words) & _GROUPS:
        return 0
    if "".join(words) in _ALONE:
        return 1
    whose = [word for word in words if word in _PEOPLE]
    which = [word for word in words if word in _WHICH]
    if len(words) > 4 or len(whose) + len(which) < len([word for word in words if word not in _FILLERS]):
        return 0
    if whose and (which or words == ["patient"] or words == ["subject"] or words == ["participant"]):
        is_place = set(whose) <= _NUMBERED and not set(which) & {"no", "nr", "num", "number", "nummer", "n"}
        return 0 if is_place else 1
    return 2 if which and set(which) & {"id", "ids", "identifier", "uid", "identifiant"} else 0


def _who(name: str) -> str:
    """Return the word for the people that a column name means: "patients"; "" for a bare "id"."""
    words = _words(name)
    found = next((_PEOPLE[word] for word in words if word in _PEOPLE), "")
    if not found and "".join(words) in _ALONE:
        found = next(
            (who for word, who in _PEOPLE.items() if len(word) > 2 and "".join(words).startswith(word)), "persons"
        )
    return found
