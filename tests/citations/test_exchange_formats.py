"""References through files: whole, as they came in, and as other programs read them (SPEC C5, C10)."""

import json
import subprocess
from pathlib import Path

import pypandoc
import pytest
from bibtexparser.entrypoint import parse_string
from django.urls import reverse
from hypothesis import example, given
from hypothesis import strategies as st

from citations.editing.edit import edit
from citations.formats.bibtex import MAX_IMPORTED, read_bibtex, write_bibtex
from citations.formats.csl import read_csl
from citations.formats.export import as_bibtex, as_csl
from citations.formats.reading import Csl, decode
from citations.formats.ris_reader import read_ris
from citations.formats.ris_writer import write_ris
from citations.importing.file_import import import_entries
from citations.models import Citation, OtherKey
from projects.models import Project, User
from tests.citations.exchange_entries import GOOD, fields, out, single_entry
from tests.examples import examples
from tests.people import signed_in
from tests.time_limits import HANGS

# Whole


def test_a_paper_of_700_authors_and_a_long_abstract(project: Project, owner: User) -> None:
    authors = " and ".join(f"Surname{number}, Given{number}" for number in range(700))
    abstract = "Alder fixes nitrogen. " * 2_000
    text = f"@article{{atlas, title={{One particle}}, author={{{authors}}}, abstract={{{abstract}}}, year=2012}}\n"
    imported = import_entries(project, text + GOOD % (1, 1))
    assert (imported.added, imported.problems) == (["atlas", "good1"], [])
    row = Citation.objects.get(cite_key="atlas")
    assert len(row.csl["author"]) == 700
    assert row.bibtex == text.strip()
    assert row.note == abstract.strip()
    assert single_entry(as_bibtex([row])).csl["author"] == row.csl["author"]
    ris = write_ris({**row.csl, "abstract": row.note}, "atlas")
    assert read_ris(ris).entries[0].csl["author"] == row.csl["author"]
    assert read_csl(as_csl([row])).entries[0].csl["author"] == row.csl["author"]
    edited = edit(row, row.bibtex.replace("One particle", "Two particles"), owner)
    assert (edited.title, len(edited.csl["author"])) == ("Two particles", 700)


def test_what_is_typed_has_its_limit(project: Project, owner: User) -> None:
    body = {"bibtex_entry": "@misc{a, title={T}, abstract={" + "x" * 10_000 + "}}"}
    address = f"/api/projects/{project.pk}/citations"
    assert signed_in(owner).post(address, body, content_type="application/json").status_code == 422


# Repaired


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("text", "key", "said"),
    [
        ("@article{, author={Roe, Jane}, title={Alder}, year=2020}", "roe2020", "no key"),
        ("@article{author={Roe, Jane}, title={Alder}, year=2020}", "roe2020", "no key"),
        ("@article{\n  author = {Roe, Jane},\n  title = {Alder},\n  year = 2020\n}", "roe2020", "no key"),
        ("@article(title = {Alder}, author = {Roe, Jane}, year = {2020})", "roe2020", "no key"),
        ("@article{a,, author={Roe, Jane}, title={Alder}, year=2020}", "a", "extra comma"),
        ("@article{a, author={Roe, Jane},, title={Alder},,, year=2020}", "a", "extra comma"),
        ("@article{a, author={Roe, Jane}, title={Alder}, year=2020,,}", "a", "extra comma at the end"),
        ("@article{a author={Roe, Jane}, title={Alder}, year=2020}", "a", "comma is missing after the key"),
        ("@article{a, author={Roe, Jane} title={Alder} year=2020}", "a", "comma is missing after the field"),
        ('@article{a,, author="Roe, Jane" title="Alder" year=2020}', "a", "comma is missing before the field"),
    ],
)
def test_what_is_repaired_comes_in_and_is_told(project: Project, owner: User, text: str, key: str, said: str) -> None:
    whole = GOOD % (1, 1) + text + "\n" + GOOD % (2, 2)
    response = signed_in(owner).post(
        f"/api/projects/{project.pk}/citations/import", {"text": whole}, content_type="application/json"
    )
    report = response.json()
    row = Citation.objects.get(cite_key=key)
    assert (row.title, row.authors, row.year, row.bibtex) == ("Alder", "Roe", 2020, text)
    assert report["added"] == 3
    assert {problem["outcome"] for problem in report["problems"]} == {"repaired"}
    assert any(said in problem["message"] and problem["line"] == 2 for problem in report["problems"])
    page = signed_in(owner).post(reverse("citations:import", args=[project.pk]), {"text": whole}).content.decode()
    assert "0 updated, 3 unchanged" in page
    assert Citation.objects.count() == 3, "a second import finds them again"


def test_many_entries_without_a_key(project: Project) -> None:
    imported = import_entries(
        project, "".join(f"@book{{, title={{T{n}}}, author={{Roe, J}}, year=2020}}\n" for n in range(30))
    )
    assert len(imported.added) == 30
    assert imported.added[:3] == ["roe2020", "roe2020b", "roe2020c"]


MANGLED = st.lists(
    st.sampled_from(
        [",", ",,", "{", "}", '"', "=", "#", "\n", " ", "title", "author={Roe}", "year=2020", "@book{", "k", "x"]
    ),
    max_size=14,
).map("".join)


@given(MANGLED)
@example("@article{,,}")
@example("title={x}")
@examples(300)
def test_mangled_text_costs_no_neighbour(mangled: str) -> None:
    reading = read_bibtex(GOOD % (1, 1) + "@article{bad, " + mangled + "\n\n" + GOOD % (2, 2))
    keys = [entry.key for entry in reading.entries]
    assert keys[0] == "good1"
    assert "good2" in keys or any(problem.text for problem in reading.problems)
    if mangled.count("{") == mangled.count("}") == mangled.count('"') == 0:
        assert keys[-1] == "good2"


# As it came in


@pytest.mark.parametrize(
    "kind",
    [
        *(
            "article",
            "book",
            "booklet",
            "conference",
            "inbook",
            "incollection",
            "inproceedings",
            "manual",
            "mastersthesis",
        ),
        *("misc", "phdthesis", "proceedings", "techreport", "unpublished"),
        *("online", "dataset", "software", "patent", "thesis", "report", "collection", "mvbook", "electronic", "www"),
        *("periodical", "standard", "video"),
    ],
)
def test_a_type_comes_out_as_it_went_in(kind: str) -> None:
    written = f"@{kind}{{k, title={{Alder in Kenya}}, author={{Roe, Jane}}, year=2020}}"
    assert fields(out(single_entry(written)))["ENTRYTYPE"] == kind
    through_csl = read_csl(f"[{json.dumps({**single_entry(written).csl, 'id': 'k'})}]").entries[0]
    assert fields(out(through_csl))["ENTRYTYPE"] == kind


def test_a_record_of_another_kind_of_work_has_its_own_type() -> None:
    entry = single_entry("@mastersthesis{k, title={{Alder}}, year=2020}")
    assert (
        fields(write_bibtex({**entry.csl, "type": "article-journal"}, "k", reference_manager=True))["ENTRYTYPE"]
        == "article"
    )


@pytest.mark.parametrize(
    "title",
    [
        "{Alder in Kenya}",
        "{{Alder in Kenya}}",
        "{The {DNA} of {Kenya}}",
        "{{The} DNA}",
        "{{{The}}}",
        "{A \\& B in {\\'E}vora}",
    ],
)
def test_a_title_comes_out_as_it_went_in(title: str) -> None:
    entry = single_entry(f"@article{{k, title = {title}}}")
    once = out(entry)
    assert fields(once)["title"] == title[1:-1]
    assert out(single_entry(once)) == once
    other = write_bibtex({**entry.csl, "title": "Another title"}, "k", reference_manager=True)
    assert fields(other)["title"] == "{Another title}", "a record's title is written as a record's"


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        *(("article", name) for name in ("journal", "booktitle", "howpublished")),
        *(("inproceedings", name) for name in ("journal", "booktitle")),
        *(("incollection", name) for name in ("journal", "booktitle")),
        *(("inbook", "booktitle"), ("proceedings", "journal"), ("booklet", "howpublished"), ("misc", "howpublished")),
    ],
)
def test_a_journal_is_no_book_and_a_book_no_journal(kind: str, name: str) -> None:
    entry = single_entry(f"@{kind}{{k, title={{T}}, {name}={{Forest Letters}}}}")
    assert entry.csl["container-title"] == "Forest Letters"
    again = fields(out(entry))
    assert again[name].strip("{}") == "Forest Letters"
    assert not {"journal", "booktitle", "howpublished"} - {name} & again.keys()


@pytest.mark.parametrize(
    ("kind", "own"), [("article", "journal"), ("inproceedings", "booktitle"), ("incollection", "booktitle")]
)
def test_of_a_journal_and_a_book_the_one_that_fits_is_printed(kind: str, own: str) -> None:
    entry = single_entry(f"@{kind}{{k, title={{T}}, journal={{Letters}}, booktitle={{Proceedings}}}}")
    assert entry.csl["container-title"] == {"journal": "Letters", "booktitle": "Proceedings"}[own]
    again = fields(out(entry))
    assert (again["journal"], again["booktitle"].strip("{}")) == ("Letters", "Proceedings")
    ris = read_ris(write_ris(entry.csl, "k")).entries[0]
    assert (ris.csl["type"], ris.csl["container-title"]) == (entry.csl["type"], entry.csl["container-title"])


def test_who_published_it_comes_out_in_its_field() -> None:
    for kind, name in (
        ("inproceedings", "organization"),
        ("online", "organization"),
        ("mastersthesis", "school"),
        ("book", "publisher"),
    ):
        assert fields(out(single_entry(f"@{kind}{{k, title={{T}}, {name}={{Wood Press}}}}")))[name] == "Wood Press"


def test_words_beside_an_address_stay() -> None:
    again = fields(out(single_entry(r"@misc{k, title={T}, howpublished={Blog post, \url{https://example.org/a_b}}}")))
    assert again["url"] == "https://example.org/a_b"
    assert "Blog post" in again["howpublished"]


@pytest.mark.parametrize(
    "csl",
    [
        {"type": "book", "container-title": "The Forest Series", "issued": {"date-parts": [[2020]]}},
        {"type": "book", "collection-title": "The Forest Series", "volume": "3"},
        {"type": "book", "editor": [{"family": "Roe", "given": "Jane"}], "publisher": "Wood Press"},
        {"type": "book", "editor": [{"family": "Roe"}], "container-title": "The Forest Series"},
    ],
)
def test_a_collection_without_a_title_survives(csl: Csl) -> None:
    (ris,) = read_ris(write_ris(csl, "k")).entries
    assert ris.csl == csl
    (item,) = read_csl(f"[{json.dumps({**csl, 'id': 'k'})}]").entries
    assert item.csl == csl
    assert single_entry(write_bibtex(csl, "k", reference_manager=True)).csl == csl


# Elsewhere


def whole_file(project: Project) -> str:
    import_entries(
        project,
        r"""@article{a, title={Alder in {Kenya}}, author={Roe, Jane and {World Health Organization}},
  journal={Letters}, year=2020, volume=3, number=2, pages={1--9}, doi={10.1000/a_b}, pmid={321}, ids={older}}
@mastersthesis{m, title={{Soil}}, author={Roe, Jane}, school={Bergen}, year=2019}
@techreport{t, title={Report}, author={Roe, J}, institution={WHO}, year=2018, number={7}}
@inproceedings{p, title={Talk}, author={Roe, J}, booktitle={Proceedings of {DNA}}, organization={IEEE}, year=2018}
@incollection{c, title={Part}, author={Roe, J}, editor={Berg, E}, booktitle={Whole}, publisher={Press},
  address={Oslo}, year=2017}
@online{o, title={Page}, author={Roe, J}, url={https://example.org/a_b}, organization={WHO}, year=2021,
  urldate={2022-01-02}}
@dataset{d, title={Data}, author={Roe, J}, publisher={Zenodo}, version={1.0}, year=2021, doi={10.5281/z.1}}
@software{s, title={Tool}, author={Roe, J}, version={2}, year=2021, url={https://example.org}}
@misc{x, title={Preprint}, author={Roe, J}, eprint={2101.00001}, archiveprefix={arXiv}, primaryclass={cs.LG}, year=2021}
@book{e, title={Edited}, editor={Berg, Edda}, publisher={Press}, year=2001, isbn={978-1-119-53662-8}}
@unpublished{u, title={Draft}, author={Roe, J}, note={In press}, year=2022}
@phdthesis{h, title={Roots}, author={Roe, J}, school={Bergen}, year=2010}
""",
    )
    OtherKey.objects.get(key="older")
    return str(
        signed_in(project.owner).get(f"/api/projects/{project.pk}/citations/export?format=biblatex").content.decode()
    )


def test_biber_finds_nothing_to_say_of_the_export(project: Project, tmp_path: Path) -> None:
    text = whole_file(project)
    kinds = {entry.key: entry.entry_type for entry in parse_string(text).entries}
    assert kinds == {
        **{"a": "article", "m": "thesis", "t": "report", "p": "inproceedings", "c": "incollection", "o": "online"},
        **{"d": "dataset", "s": "software", "x": "online", "e": "collection", "u": "unpublished", "h": "thesis"},
    }
    assert all(line in text for line in ("  type = {mathesis},", "  type = {phdthesis},", "  type = {techreport},"))
    assert all(line in text for line in ("  journaltitle = {Letters},", "  ids = {older},", "  eprinttype = {pubmed},"))
    assert all(line in text for line in ("  eprinttype = {arxiv},", "  eprintclass = {cs.LG},", "  location = {Oslo},"))
    assert _biber(text, tmp_path) == []
    assert _biber(text.replace("journaltitle", "howpublished"), tmp_path), "biber does look"
    import_entries(project, text)
    assert set(Citation.objects.values_list("cite_key", flat=True)) == set(kinds)


def _biber(text: str, folder: Path) -> list[str]:
    """What biber has to say of a file of references."""
    (folder / "x.bib").write_text(text)
    command = ["biber", "--tool", "--validate-datamodel", "--output-file", "out.bib", "x.bib"]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    except FileNotFoundError:
        pytest.skip("biber is not installed")
    return [line for line in done.stdout.splitlines() if line.startswith(("WARN", "ERROR"))]


def test_pandoc_reads_the_export_for_biblatex(project: Project) -> None:
    read = pypandoc.convert_text(whole_file(project), "csljson", format="biblatex")
    works = {work["id"]: work for work in json.loads(read)}
    assert works["a"]["container-title"] == "Letters"
    assert (works["a"]["DOI"], works["a"]["page"], works["m"]["type"], works["t"]["type"]) == (
        "10.1000/a_b",
        "1-9",
        "thesis",
        "report",
    )
    assert works["c"]["publisher-place"] == "Oslo"


# Hostile


def test_a_large_entry_costs_itself_alone(project: Project) -> None:
    imported = import_entries(project, GOOD % (1, 1) + "@misc{big, title={" + "x" * 5_000_000 + "}}\n" + GOOD % (2, 2))
    assert imported.added == ["good1", "good2"]
    assert [problem.message for problem in imported.by_outcome["refused"]] == [
        f"This entry is longer than {MAX_IMPORTED:,} characters. It was left out."
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
def test_an_encoding_of_older_programs(project: Project, encoding: str) -> None:
    text = "@article{a, title={Über die Erle}, author={Møller, Ève}, year=2020}\n" + GOOD % (1, 1)
    import_entries(project, decode(text.encode(encoding)))
    assert Citation.objects.get(cite_key="a").title == "Über die Erle"
    assert Citation.objects.get(cite_key="good1").year == 2021


def test_zeros_and_a_file_of_another_kind(project: Project) -> None:
    data = (GOOD % (1, 1)).encode().replace(b"Alder", b"Al\0der") + b"\0\0\0"
    assert import_entries(project, decode(data)).added == ["good1"]
    imported = import_entries(project, decode(b"PK\x03\x04" + bytes(range(256)) * 40))
    assert imported.added == []
    assert "No entries were found" in imported.by_outcome["refused"][0].message


@pytest.mark.long
@pytest.mark.timeout(HANGS)
def test_a_broken_entry_at_each_of_many_places_is_read_in_moments() -> None:
    text = "".join(
        f"@article{{k{n}, title={{T}},, year=2020}}\n@article{{title={{U}}, year=2020}}\n" for n in range(2_000)
    )
    reading = read_bibtex(text)
    assert len(reading.entries) == 4_000
