"""RIS for reference managers (SPEC R14, C10): another program's parser gets all of it back."""

import string
from typing import Any

import pytest
import rispy
from hypothesis import given
from hypothesis import strategies as st

from citations.formats.ris_writer import write_ris
from tests.citations.test_round_trip import NAME, TEXT
from tests.examples import examples

ARTICLE: dict[str, Any] = {
    "type": "article-journal",
    "title": "Alder & soil: {50%} $more_ \\ a — b",
    "author": [
        {"family": "Lunteren", "given": "J.", "non-dropping-particle": "van", "suffix": "Jr."},
        {"literal": "World Health Organization"},
        {"family": "Plato"},
    ],
    "editor": [{"family": "Ed", "given": "I. T."}],
    "container-title": "Forest Letters",
    "volume": "12",
    "issue": "3",
    "page": "10–19",
    "issued": {"date-parts": [[2021, 3, 4]]},
    "accessed": {"date-parts": [[2022, 1]]},
    "DOI": "10.5555/a_b<1>",
    "PMID": "123",
    "PMCID": "PMC9",
    "URL": "https://example.org/a_b?c=d&e=f",
    "ISSN": "1234-5678",
    "publisher": "Wood Press",
    "abstract": "One.\n\nER  - \nTY  - two",
    "keyword": "alder, soil; roots",
    "custom": {"retracted": True},
}


def read(*entries: str) -> list[dict[str, Any]]:
    return list(rispy.loads("\n".join(entries)))


def test_every_part_of_an_article_is_there() -> None:
    written = write_ris(ARTICLE, "lunteren2021")
    for tag in ("TY", "AU", "TI", "JO", "PY", "DO", "UR", "ER", "VL", "IS", "SP", "EP", "SN", "AB"):
        assert f"\n{tag}  - " in f"\n{written}", tag
    (entry,) = read(written)
    assert entry["type_of_reference"] == "JOUR"
    assert entry["id"] == "lunteren2021"
    assert entry["authors"] == ["van Lunteren, J., Jr.", "World Health Organization", "Plato"]
    assert entry["unknown_tag"]["ED"] == ["Ed, I. T."]  # rispy has no name of its own for editors
    assert entry["title"] == ARTICLE["title"]
    assert entry["secondary_title"] == "Forest Letters"
    assert (entry["year"], entry["date"]) == ("2021", "2021/03/04/")
    assert (entry["start_page"], entry["end_page"]) == ("10", "19")
    assert entry["doi"] == ARTICLE["DOI"]
    assert entry["accession_number"] == "123"
    assert entry["urls"] == [ARTICLE["URL"]]
    assert entry["issn"] == "1234-5678"
    assert entry["keywords"] == ["alder", "soil", "roots"]
    assert entry["abstract"] == "One. ER - TY - two"
    assert entry["notes"] == ["Retracted."]


@pytest.mark.parametrize(
    ("kind", "type_of_reference"),
    [
        ("paper-conference", "CPAPER"),
        ("book", "BOOK"),
        ("chapter", "CHAP"),
        ("thesis", "THES"),
        ("report", "RPRT"),
        ("webpage", "ELEC"),
        ("dataset", "DATA"),
        ("something-new", "GEN"),
    ],
)
def test_kinds_of_works(kind: str, type_of_reference: str) -> None:
    assert read(write_ris({"type": kind, "title": "T"}, "k"))[0]["type_of_reference"] == type_of_reference


@pytest.mark.parametrize(
    ("issued", "year", "date"),
    [
        ({"date-parts": [[2021]]}, "2021", None),
        ({"literal": "in press"}, None, "in press"),
        ({"date-parts": [[2020, 1], [2020, 2]]}, "2020", "2020-01 2020-02"),
        (None, None, None),
    ],
)
def test_a_date_that_is_no_year_is_kept_in_words(issued: Any, year: str | None, date: str | None) -> None:
    (entry,) = read(write_ris({"type": "book", "title": "T", "issued": issued}, "k"))
    assert (entry.get("year"), entry.get("date")) == (year, date)


def _shown(name: dict[str, str]) -> str:
    """A name as RIS has it; an empty part between two others stays, so that a suffix is no given name."""
    if "literal" in name:
        return name["literal"]
    family = " ".join(filter(None, [name.get("non-dropping-particle"), name["family"]]))
    if "suffix" in name:
        return f"{family}, {name.get('given', '')}, {name['suffix']}"
    return f"{family}, {name['given']}" if "given" in name else family


KEYS = st.text(string.ascii_lowercase + string.digits, min_size=1)


@given(st.lists(st.tuples(KEYS, TEXT, st.lists(NAME, max_size=4), st.none() | st.integers(1, 9999)), max_size=4))
@examples(50)
def test_whatever_a_title_or_a_name_holds(works: list[tuple[str, str, list[dict[str, str]], int | None]]) -> None:
    written = []
    for key, title, names, year in works:
        csl: dict[str, Any] = {"type": "book", "title": title, "author": names}
        written.append(write_ris(csl | ({"issued": {"date-parts": [[year]]}} if year else {}), key))
    entries = read(*written)
    assert len(entries) == len(works)
    for entry, (key, title, names, year) in zip(entries, works, strict=True):
        assert (entry["id"], entry["title"]) == (key, title)
        assert entry.get("authors", []) == [_shown(name) for name in names]
        assert entry.get("year") == (f"{year:04d}" if year else None)


def test_the_editors_of_what_a_chapter_stands_in() -> None:
    (entry,) = read(write_ris({"type": "chapter", "title": "T", "editor": [{"family": "Ed", "given": "I."}]}, "k"))
    assert entry["secondary_authors"] == ["Ed, I."]


def test_two_hundred_authors() -> None:
    names = [{"family": f"Ö{number}", "given": "A."} for number in range(200)]
    (entry,) = read(write_ris({"type": "book", "title": "T", "author": names}, "k"))
    assert entry["authors"] == [f"Ö{number}, A." for number in range(200)]
