"""Reading RIS (SPEC C10): of any program that writes it,
good entries come in whatever is wrong with their neighbours."""

import re
import string
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from citations.formats.reading import Entry, Reading, decode
from citations.formats.ris_reader import MAX_ENTRY, read_ris
from citations.formats.ris_writer import TYPES, write_ris
from citations.importing.file_import import import_entries
from citations.models import Citation
from projects.models import Project
from tests.citations.test_ris import ARTICLE
from tests.citations.test_round_trip import NAME, TEXT
from tests.examples import examples
from tests.time_limits import HANGS

GOOD = "TY  - JOUR\nID  - good%d\nTI  - Alder roots\nAU  - Menon, Asha\nPY  - 2021\nER  - \n"
EXPORTED = """Provider: Some Database
Content: text/plain; charset="UTF-8"

TY  - JOUR
T1  - Alder and soil
  over forty years
A1  - Menon, Asha
A1  - van der Berg, Jan, Jr.
A1  - World Health Organization
JF  - Forest Ecology
JO  - For Ecol
VL  - 12
IS  - 3
SP  - 10
EP  - 19
Y1  - 2021/03/04/Spring
SN  - 1234-567X
DO  - https://doi.org/10.1000/forest;12
AN  - 31415926
DB  - PubMed
UR  - https://example.org/a;b
KW  - alder
soil nitrogen
KW  - roots
N2  - Forty plots
were measured.
N1  - PMID: 31415926
M9  - nobody knows
ER  -
"""


def single_entry(text: str) -> Entry:
    (entry,) = read_ris(text).entries
    return entry


def csl(*lines: str) -> Any:
    return single_entry("\n".join(["TY  - JOUR", "TI  - T", *lines, "ER  - "])).csl


def test_an_entry_of_a_database_becomes_csl() -> None:
    reading = read_ris(EXPORTED)
    (entry,) = reading.entries
    assert (entry.key, entry.bibtex, entry.line) == ("", "", 4)
    assert entry.note == "Forty plots were measured.\n\nPMID: 31415926"
    assert entry.csl == {
        "type": "article-journal",
        "title": "Alder and soil over forty years",
        "author": [
            {"family": "Menon", "given": "Asha"},
            {"family": "Berg", "given": "Jan", "non-dropping-particle": "van der", "suffix": "Jr."},
            {"literal": "World Health Organization"},
        ],
        "container-title": "For Ecol",
        "volume": "12",
        "issue": "3",
        "page": "10-19",
        "issued": {"date-parts": [[2021, 3, 4]]},
        "DOI": "10.1000/forest;12",
        "PMID": "31415926",
        "ISSN": "1234-567X",
        "URL": "https://example.org/a;b",
        "keyword": "alder, soil nitrogen, roots",
    }
    (problem,) = reading.problems
    assert (problem.line, problem.text.splitlines()[0]) == (1, "Provider: Some Database")


def test_what_we_write_comes_back() -> None:
    entry = single_entry(write_ris(ARTICLE | {"note": "Read twice."}, "lunteren2021"))
    assert entry.key == "lunteren2021"
    assert entry.note == "One. ER - TY - two\n\nRead twice."
    lost = {"abstract", "page", "keyword"}
    assert {name: value for name, value in entry.csl.items() if name not in lost} == {
        name: value for name, value in ARTICLE.items() if name not in lost
    }
    assert (entry.csl["page"], entry.csl["keyword"]) == ("10-19", "alder, soil, roots")


@pytest.mark.parametrize("kind", sorted(set(TYPES) - {"article", "speech", "post"}))
def test_every_kind_we_write_comes_back(kind: str) -> None:
    assert single_entry(write_ris({"type": kind, "title": "T"}, "k")).csl["type"] == kind


@pytest.mark.parametrize(("written", "kind"), [("EJOUR", "article-journal"), ("GOVDOC", "report"), ("CONF", None)])
def test_kinds_that_others_write(written: str, kind: str | None) -> None:
    assert single_entry(f"TY  - {written}\nTI  - T\nER  - ").csl["type"] == (kind or "paper-conference")


@pytest.mark.parametrize("written", ["XYZ", "", "jour nal"])
def test_an_unknown_kind_is_a_document(written: str) -> None:
    assert single_entry(f"TY  - {written}\nTI  - T\nER  - ").csl["type"] == "document"


@pytest.mark.parametrize(
    ("lines", "issued"),
    [
        (["PY  - 2021"], {"date-parts": [[2021]]}),
        (["Y1  - 2021///"], {"date-parts": [[2021]]}),
        (["PY  - 2021/12"], {"date-parts": [[2021, 12]]}),
        (["PY  - 2021", "DA  - 2021/03/04/"], {"date-parts": [[2021, 3, 4]]}),
        (["PY  - 2021", "DA  - 2019/03/04/"], {"date-parts": [[2021]]}),
        (["DA  - 2021-03-04"], {"date-parts": [[2021, 3, 4]]}),
        (["PY  - 2020", "DA  - 2020-01 2020-02"], {"date-parts": [[2020, 1], [2020, 2]]}),
        (["PY  - in press"], {"literal": "in press"}),
        (["PY  - 2021/99/99"], {"literal": "2021/99/99"}),
        ([], None),
    ],
)
def test_dates(lines: list[str], issued: Any) -> None:
    assert csl(*lines).get("issued") == issued


@pytest.mark.parametrize(
    ("lines", "pmid"),
    [
        (["AN  - 12345678"], "12345678"),
        (["AN  - PMID: 123"], "123"),
        (["AN  - 12345678", "DB  - MEDLINE"], "12345678"),
        (["AN  - 12345678", "DB  - a9h", "DP  - EBSCOhost"], None),
        (["AN  - 123456789"], None),
        (["AN  - WOS:000123"], None),
        (["AN  - WOS:1", "N1  - Cited 3 times. PMID: 77"], "77"),
    ],
)
def test_only_a_number_of_pubmed_is_a_pmid(lines: list[str], pmid: str | None) -> None:
    assert csl(*lines).get("PMID") == pmid


@pytest.mark.parametrize(
    ("lines", "doi"),
    [
        (["DO  - doi:10.1000/a"], "10.1000/a"),
        (["UR  - https://doi.org/10.1000/a"], "10.1000/a"),
        (["M3  - 10.1000/a"], "10.1000/a"),
        (["L3  - 10.1000/a"], "10.1000/a"),
        (["UR  - https://example.org/"], None),
    ],
)
def test_a_doi_is_found_where_programs_put_it(lines: list[str], doi: str | None) -> None:
    assert csl(*lines).get("DOI") == doi


def test_numbers_of_books_and_journals() -> None:
    book = single_entry("TY  - BOOK\nTI  - T\nSN  - 978-0-14-044914-3 (pbk)\nER  - ").csl
    assert (book["ISBN"], "ISSN" in book) == ("978-0-14-044914-3", False)
    assert csl("SN  - 1234-5678 (Print) 8765-4321 (Electronic)")["ISSN"] == "1234-5678"
    assert single_entry("TY  - BOOK\nTI  - T\nSN  - odd\nER  - ").csl["ISBN"] == "odd"


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Menon, Asha", {"family": "Menon", "given": "Asha"}),
        ("Plato", {"family": "Plato"}),
        ("World Health Organization", {"literal": "World Health Organization"}),
        ("de la Cruz, Ana", {"family": "Cruz", "given": "Ana", "non-dropping-particle": "de la"}),
        ("King, Martin, Jr.", {"family": "King", "given": "Martin", "suffix": "Jr."}),
        ("Menon,", {"family": "Menon"}),
        (", Asha", {"literal": "Asha"}),
    ],
)
def test_names(written: str, name: dict[str, str]) -> None:
    assert csl(f"AU  - {written}")["author"] == [name]


def test_who_else_and_who_edited() -> None:
    found = csl("AU  - Menon, Asha", "AU  - et al.", "A2  - Ed, I.", "ED  - Or, A.", "A4  - Trans, T.", "A3  - Se, R.")
    assert found["custom"] == {"others": True}
    assert found["author"] == [{"family": "Menon", "given": "Asha"}]
    assert [name["family"] for name in found["editor"]] == ["Ed", "Or"]
    assert (found["translator"][0]["family"], found["collection-editor"][0]["family"]) == ("Trans", "Se")


def test_an_entry_without_its_end_is_read_and_told() -> None:
    reading = read_ris((GOOD % 1).replace("ER  - \n", "") + GOOD % 2)
    assert [entry.key for entry in reading.entries] == ["good1", "good2"]
    (problem,) = reading.problems
    assert (problem.line, problem.key, problem.text) == (1, "good1", "")
    assert "ER" in problem.message


def test_a_file_cut_off_loses_nothing() -> None:
    reading = read_ris((GOOD % 1) + "TY  - JOUR\nTI  - Cut of")
    assert [entry.csl["title"] for entry in reading.entries] == ["Alder roots", "Cut of"]


def test_what_stands_outside_is_told_with_its_text() -> None:
    reading = read_ris(f"Provider\n\n{GOOD % 1}\n\nAU  - Lost, One\nwords\n{GOOD % 2}ER  - \n  \nER  - \n")
    assert len(reading.entries) == 2
    assert [(one.line, one.text) for one in reading.problems] == [(1, "Provider"), (11, "AU  - Lost, One\nwords")]


def test_an_entry_without_title_and_authors_is_left_out_alone() -> None:
    reading = read_ris(f"{GOOD % 1}TY  - JOUR\nPY  - 2020\nER  - \n{GOOD % 2}")
    assert [entry.key for entry in reading.entries] == ["good1", "good2"]
    assert [(one.line, one.text) for one in reading.problems] == [(7, "TY  - JOUR\nPY  - 2020")]


@pytest.mark.parametrize("key", ["12345", "two words", "a{b", "https://x.org/1", ""])
def test_a_key_that_cannot_be_cited_is_none(key: str) -> None:
    assert single_entry(f"TY  - JOUR\nID  - {key}\nTI  - T\nER  - ").key == ""


def test_a_key_used_twice_is_the_first_entrys() -> None:
    assert [entry.key for entry in read_ris(GOOD % 1 + GOOD % 1).entries] == ["good1", ""]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_encodings_and_line_ends(encoding: str, newline: str) -> None:
    data = (GOOD % 1).replace("Menon", "Müller").replace("\n", newline).encode(encoding)
    entry = single_entry(decode(data))
    assert entry.csl["author"] == [{"family": "Müller", "given": "Asha"}]
    assert entry.csl["issued"] == {"date-parts": [[2021]]}


def test_joined_files_and_indented_or_tight_tags() -> None:
    text = f"\ufeff{GOOD % 1}\ufeff{GOOD % 2}  TY  - JOUR\n  TI  -Tight\n  ER  -\n"
    assert [entry.csl["title"] for entry in read_ris(text).entries] == ["Alder roots", "Alder roots", "Tight"]


@pytest.mark.parametrize(
    "bad",
    [
        "TY  - JOUR\nTI  - T\nAB  - " + "x" * 5_000_000 + "\nER  - \n",
        "TY  - JOUR\nTI  - T\nAB  - x\n" + "y\n" * MAX_ENTRY + "ER  - \n",
    ],
    ids=["a field of 5 MB", "a field of many lines"],
)
@pytest.mark.timeout(HANGS)
def test_a_field_without_end_costs_one_entry(bad: str) -> None:
    reading = read_ris(GOOD % 1 + bad + GOOD % 2)
    assert [entry.key for entry in reading.entries] == ["good1", "good2"]
    (problem,) = reading.problems
    assert "longer than 300,000 characters" in problem.message


PIECES = st.sampled_from(
    ["TY  - JOUR", "TY  -", "ER  - ", "ER  -x", "TI  - T", "AU  - ,", "AU  - , ,", "DA  - /", "PY  - 2021/", "KW  - "]
    + ["SN  - -", "UR  - ;", "ID  - a b", "UK  - x", "  -", "A", "AB  - ", "N1  - Retracted.", "\ufeff", "\x00", "\x85"]
)


@given(st.lists(PIECES | st.text(max_size=20), max_size=30), st.sampled_from(["\n", "\r\n", "\r"]))
@example(["TY  - JOUR", "x", "UK  - y", "z", "TI  - T", "ER  - "], "\n")
@examples(200)
def test_nothing_stops_the_reader_or_costs_a_neighbour(lines: list[str], newline: str) -> None:
    reading: Reading = read_ris(newline.join([GOOD % 1, *lines, "ER  - ", GOOD % 2]))
    keys = [entry.key for entry in reading.entries]
    assert keys[0] == "good1"
    assert keys[-1] == "good2"
    for entry in reading.entries:
        assert entry.csl.get("title") or entry.csl.get("author")


# What means something in a name of RIS, and so is no part of one: a comma, and "and others".
OF_RIS = re.compile(r",|and others", re.IGNORECASE)


@given(
    title=TEXT,
    names=st.lists(NAME.filter(lambda name: not OF_RIS.search(" ".join(name.values()))), max_size=4),
    key=st.text(string.ascii_lowercase, min_size=1),
    note=st.none() | TEXT,
    year=st.none() | st.integers(1, 9999),
)
@example(title="TY - JOUR", names=[{"family": "ER"}, {"literal": "ER -"}], key="er", note="ER -", year=1)
@examples(100)
def test_what_goes_out_comes_back(title: str, names: Any, key: str, note: str | None, year: int | None) -> None:
    work: dict[str, Any] = {"type": "book", "title": title, "author": names}
    work |= {"abstract": note} if note else {}
    work |= {"issued": {"date-parts": [[year]]}} if year else {}
    entry = single_entry(write_ris(work, key))
    assert (entry.key, entry.csl["title"], entry.note) == (key, title, note or "")
    assert entry.csl.get("issued") == work.get("issued")
    written = [" ".join(_words(name)) for name in names]
    assert [" ".join(_words(name)) for name in entry.csl.get("author", [])] == written


def _words(name: dict[str, str]) -> list[str]:
    """The words of a name in the order they are printed in; which part each is of, RIS does not always say."""
    order = ("given", "non-dropping-particle", "family", "literal", "suffix")
    return [word for part in order for word in name.get(part, "").split()]


def test_ris_is_imported_by_the_same_door(project: Project) -> None:
    text = EXPORTED + GOOD % 1
    assert import_entries(project, text).added == ["menon2021", "good1"]
    again = import_entries(project, text, format="ris")
    assert (again.added, again.unchanged) == ([], ["menon2021", "good1"])
    row = Citation.objects.get(cite_key="menon2021")
    assert (row.authors, row.year, row.status, row.tier) == ("Menon, van der Berg and others", 2021, "unresolved", "")


def test_bibtex_that_speaks_of_ris_is_bibtex(project: Project) -> None:
    assert import_entries(project, "@misc{a, title={T}, note={\nTY  - JOUR\n}}").added == ["a"]
