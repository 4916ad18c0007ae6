"""What is exported is read by other programs with nothing lost (SPEC C10): rispy, bibtexparser and pandoc."""

import json
import subprocess
from typing import Any

import pypandoc
import pytest
import rispy
from bibtexparser.entrypoint import parse_string
from django.urls import reverse

from citations.importing.file_import import import_entries
from citations.models import Citation
from latex.bibtex_unicode import to_unicode
from projects.models import Project, User
from tests.people import signed_in

WORKS: list[dict[str, Any]] = [
    {
        "id": "lunteren2021",
        "type": "article-journal",
        "title": "Alder & soil in Kenya: {50%} of COVID-19 — Über $5_x#",
        "author": [
            {"family": "Lunteren", "given": "Jan A.", "non-dropping-particle": "van"},
            {"family": "Dvořák", "given": "Antonín"},
            {"literal": "World Health Organization"},
        ],
        "container-title": "Forest Letters & More",
        "volume": "12",
        "issue": "3",
        "page": "10-19",
        "issued": {"date-parts": [[2021, 3, 4]]},
        "DOI": "10.1002/(SICI)1521-3951(199911)216:1<135::AID-PSSB135>3.0.CO;2-#",
        "PMID": "10376620",
        "PMCID": "PMC9",
        "ISSN": "1234-5678",
        "URL": "https://example.org/a_b?c=d&e=f%20#g",
        "abstract": "Forty plots & more.",
    },
    {
        "id": "lund2019",
        "type": "chapter",
        "title": "Roots of the Birch in Norway",
        "author": [{"family": "Lund", "given": "Oskar"}],
        "editor": [{"family": "Berg", "given": "Edda"}],
        "container-title": "The Book of Trees",
        "publisher": "Wood Press",
        "publisher-place": "Bergen",
        "collection-title": "Trees",
        "collection-number": "4",
        "edition": "2",
        "page": "1-9",
        "issued": {"date-parts": [[2019]]},
        "DOI": "10.1000/a_b",
        "ISBN": "978-1-119-53662-8",
        "ISSN": "2345-6789",
    },
    {
        "id": "menon2020",
        "type": "thesis",
        "title": "Alder",
        "author": [{"family": "Menon", "given": "Asha"}],
        "publisher": "University of Bergen",
        "genre": "MSc thesis",
        "issued": {"date-parts": [[2020]]},
        "PMID": "321",
    },
    {
        "id": "who2024",
        "type": "webpage",
        "title": "Global Health Estimates",
        "author": [{"literal": "World Health Organization"}],
        "URL": "https://www.who.int/data/a_b",
        "issued": {"date-parts": [[2024]]},
        "accessed": {"date-parts": [[2024, 5, 6]]},
    },
]
KEYS = [work["id"] for work in WORKS]


@pytest.fixture
def full(project: Project) -> Project:
    assert import_entries(project, json.dumps(WORKS)).added == KEYS
    return project


def exported(project: Project, format: str) -> str:
    address = reverse("citations:export", args=[project.pk])
    return str(signed_in(project.owner).get(address, {"format": format}).content.decode())


def by_pandoc(text: str, format: str) -> dict[str, dict[str, Any]]:
    """The items that pandoc reads, by their keys."""
    command = [pypandoc.get_pandoc_path(), "--sandbox", f"--from={format}", "--to=csljson"]
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=True)
    return {item["id"]: item for item in json.loads(done.stdout)}


def people(item: dict[str, Any], variable: str = "author") -> list[str]:
    parts = ("dropping-particle", "non-dropping-particle", "family", "literal", "given")
    return [" ".join(filter(None, (person.get(part) for part in parts))) for person in item.get(variable, [])]


def same(work: dict[str, Any], item: dict[str, Any], *, left_out: tuple[str, ...] = ()) -> None:
    for name in {*work} - {"id", "author", "editor", "abstract", "type", *left_out}:
        assert item.get(name) == work[name], name
    assert (people(item), people(item, "editor")) == (people(work), people(work, "editor"))


def test_pandoc_reads_the_bibtex(full: Project) -> None:
    items = by_pandoc(exported(full, "bibtex"), "bibtex")
    assert list(items) == KEYS
    for work in WORKS:
        # Of these pandoc knows no field; our own reader does.
        same(work, items[work["id"]], left_out=("collection-number", "accessed"))
    assert items["lunteren2021"]["abstract"] == "Forty plots & more."
    assert [item["type"] for item in items.values()][:3] == ["article-journal", "chapter", "thesis"]


def test_bibtexparser_reads_the_bibtex(full: Project) -> None:
    library = parse_string(exported(full, "bibtex"))
    assert not library.failed_blocks
    assert [entry.key for entry in library.entries] == KEYS
    article, chapter, thesis, page = ({f.key: f.value for f in entry.fields} for entry in library.entries)
    first = WORKS[0]
    assert (article["doi"], article["pmid"], article["pmcid"]) == (first["DOI"], first["PMID"], first["PMCID"])
    assert (article["url"], to_unicode(article["title"])) == (first["URL"], first["title"])
    assert (chapter["isbn"], chapter["issn"], chapter["collection-number"]) == ("978-1-119-53662-8", "2345-6789", "4")
    assert (thesis["pmid"], thesis["school"]) == ("321", "University of Bergen")
    assert (page["url"], page["urldate"]) == ("https://www.who.int/data/a_b", "2024-05-06")


def test_rispy_reads_the_ris(full: Project) -> None:
    article, chapter, thesis, page = rispy.loads(exported(full, "ris"))
    first = WORKS[0]
    assert (article["doi"], article["accession_number"], article["custom2"]) == (first["DOI"], first["PMID"], "PMC9")
    assert (article["title"], article["urls"]) == (first["title"], [first["URL"]])
    assert article["authors"] == ["van Lunteren, Jan A.", "Dvořák, Antonín", "World Health Organization"]
    assert (article["year"], article["volume"], article["number"]) == ("2021", "12", "3")
    assert (article["start_page"], article["end_page"], article["issn"]) == ("10", "19", "1234-5678")
    assert (article["journal_name"], article["abstract"]) == ("Forest Letters & More", "Forty plots & more.")
    assert (chapter["secondary_title"], chapter["issn"], chapter["doi"]) == (
        "The Book of Trees",
        "978-1-119-53662-8",
        "10.1000/a_b",
    )
    assert (thesis["type_of_reference"], thesis["accession_number"]) == ("THES", "321")
    assert page["access_date"] == "2024/05/06"
    assert [entry["id"] for entry in (article, chapter, thesis, page)] == KEYS


def test_pandoc_reads_the_ris(full: Project) -> None:
    """It knows fewer tags than others do, and takes the last word of a group for a family name."""
    items = by_pandoc(exported(full, "ris"), "ris")
    for work in WORKS[:3]:
        item = items[work["id"]]
        assert (item["title"], item.get("DOI"), item.get("volume")) == (
            work["title"],
            work.get("DOI"),
            work.get("volume"),
        )
        assert len(item["author"]) == len(work["author"])


def test_pandoc_reads_the_csl(full: Project) -> None:
    items = by_pandoc(exported(full, "csl"), "csljson")
    for work in WORKS:
        same(work, items[work["id"]])


@pytest.mark.parametrize("format", ["bibtex", "csl", "ris"])
def test_scholium_reads_its_own(format: str, full: Project, owner: User) -> None:
    other = Project.objects.create_for(owner, title="Another")
    imported = import_entries(other, exported(full, format))
    assert (imported.added, imported.problems) == (KEYS, [])
    before, after = ({row.cite_key: row for row in Citation.objects.filter(project=one)} for one in (full, other))
    for key in KEYS:
        mine, theirs = dict(before[key].csl), dict(after[key].csl)
        if format == "ris":  # which has no place for it
            mine.pop("collection-number", None)
        assert theirs == mine
        assert (after[key].note, after[key].doi, after[key].pmid) == (
            before[key].note,
            before[key].doi,
            before[key].pmid,
        )


def test_the_page_offers_all_three(full: Project, owner: User) -> None:
    page = signed_in(owner).get(reverse("citations:list", args=[full.pk])).content.decode()
    for format in ("bibtex", "ris", "csl"):
        assert f"{reverse('citations:export', args=[full.pk])}?format={format}" in page


@pytest.mark.parametrize(("format", "suffix"), [("bibtex", "bib"), ("ris", "ris"), ("csl", "json")])
def test_the_api_exports_the_same(format: str, suffix: str, full: Project, owner: User) -> None:
    answer = signed_in(owner).get(f"/api/projects/{full.pk}/citations/export", {"format": format})
    assert answer.content.decode() == exported(full, format)
    assert answer.headers["Content-Disposition"].endswith(f'.{suffix}"')
