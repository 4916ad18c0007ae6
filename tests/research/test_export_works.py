"""The works of a run for reference managers (SPEC R14): which, under which keys, and nothing lost on the way."""

import json
import subprocess
from datetime import UTC, datetime
from typing import Any

import pypandoc
import pytest
import rispy
from bibtexparser.entrypoint import parse_string
from hypothesis import given
from hypothesis import strategies as st

from citations.formats.bibtex import read_bibtex, write_bibtex
from citations.formats.export import csl_list
from citations.formats.ris_writer import write_ris
from latex.bibtex_unicode import to_unicode
from projects.models import User
from research.export.bibliography import Choice, bibtex_of, csl_of, keys_of, ris_of, works_of
from research.models import Run, Source
from sources.work import Person, Work
from tests.citations.test_round_trip import TEXT
from tests.examples import examples
from tests.research.finished_run import finished, owner, run

__all__ = ["finished", "owner", "run"]

AT = datetime(2026, 5, 1, tzinfo=UTC)


def row(csl: dict[str, Any], document: str, **more: Any) -> Source:
    values = {
        "kind": Source.Kind.WORK,
        "source_id": f"{document}::x",
        "provider": "openalex",
        "text": "",
        "text_hash": "",
    }
    values |= {"document": document, "title": csl.get("title", ""), "source_type": csl.get("type", "document")}
    return Source(csl=csl, retrieved_at=AT, **(values | more))


def csl_by(family: str, year: int | None, title: str) -> dict[str, Any]:
    csl: dict[str, Any] = {"type": "article-journal", "title": title, "author": [{"family": family}]}
    return csl | ({"issued": {"date-parts": [[year]]}} if year else {})


# Keys


@pytest.mark.parametrize(
    ("csl", "key"),
    [
        (csl_by("Binkley", 2003, "Red alder and Douglas-fir in mixture"), "binkley2003redalder"),
        (csl_by("Møller-Larsen", 2020, "The role of the soil"), "mollerlarsen2020rolesoil"),
        (csl_by("Ng", None, "Is it?"), "ngndit"),
        ({"title": "漢字", "author": [{"literal": "World Health Organization"}]}, "worldndhanzi"),
        (csl_by("Щербаков", 2019, "Диагностика туберкулёза"), "shcherbakov2019diagnostikatuberkuleza"),
        ({"title": "?!"}, "refnd"),
    ],
)
def test_a_key_is_author_year_and_title_words(csl: dict[str, Any], key: str) -> None:
    assert keys_of([row(csl, "doi:1")]) == {"doi:1": key}


def test_keys_do_not_depend_on_order_or_on_other_works() -> None:
    works = [row(csl_by("Ng", 2020, f"Alder {word}"), f"doi:{word}") for word in ("roots", "leaves", "bark")]
    twins = [row(csl_by("Ng", 2020, "Alder roots"), f"doi:{number}") for number in range(3)]
    keys = keys_of([*works, *twins])
    assert len(set(keys.values())) == 6
    assert keys == keys_of([*twins[::-1], *works[::-1]])
    assert keys_of(works[1:]) == {one: keys[one] for one in ("doi:leaves", "doi:bark")}


def test_the_thesis_s_own_references_keep_their_key() -> None:
    own = row(csl_by("Ng", 2020, "Something"), "ng2020alderroots", kind=Source.Kind.REFERENCE)
    other = row(csl_by("Ng", 2020, "Alder roots"), "doi:1")
    keys = keys_of([other, own])
    assert keys["ng2020alderroots"] == "ng2020alderroots"
    assert keys["doi:1"].startswith("ng2020alderroots-")


# Which works


@pytest.fixture
def run_with_uncited(run: Run) -> Run:
    """The finished run with two works more that it does not cite."""
    paper = Work(
        provider="openalex",
        provider_id="W1",
        title="Roots & shoots",
        authors=(Person(family="Ng"),),
        year=2020,
        doi="10.5555/roots",
        arxiv="2101.00001",
        type="paper-conference",
        venue="Proceedings",
        is_retracted=True,
    )
    page = Work(
        provider="tavily", provider_id="x", title="A blog on alder", url="https://example.org/a", type="webpage"
    )
    for work, document in ((paper, "doi:10.5555/roots"), (page, "url:example.org/a")):
        made = row(work.csl(), document, provider=work.provider, url=work.link, retracted=work.is_retracted)
        made.run, made.work = run, work.model_dump(mode="json", exclude_defaults=True)
        made.save()
    return run


@pytest.mark.django_db
def test_cited_ones_or_all_and_academic_ones_only(run_with_uncited: Run) -> None:
    def keys(**choice: bool) -> list[str]:
        return [key for key, _ in works_of(run_with_uncited, Choice(**choice))]

    assert keys() == keys(academic=True) == ["binkley2003"]
    assert keys(everything=True) == ["binkley2003", "blogndblogalder", "ng2020rootsshoots", "rossi1999"]
    assert keys(everything=True, academic=True) == ["binkley2003", "ng2020rootsshoots", "rossi1999"]


@pytest.mark.django_db
def test_each_kind_of_entry_carries_doi_and_url(run_with_uncited: Run) -> None:
    library = parse_string(bibtex_of(run_with_uncited, Choice(everything=True)))
    assert not library.failed_blocks
    entries = {entry.key: entry for entry in library.entries}
    assert {key: entry.entry_type for key, entry in entries.items()} == {
        "binkley2003": "article", "ng2020rootsshoots": "inproceedings", "blogndblogalder": "misc",
        "rossi1999": "book",
    }  # fmt: skip
    paper = entries["ng2020rootsshoots"].fields_dict
    assert paper["doi"].value == "10.5555/roots"
    assert paper["url"].value == "https://doi.org/10.5555/roots"
    assert (paper["eprint"].value, paper["archiveprefix"].value) == ("2101.00001", "arXiv")
    assert paper["retracted"].value == "true"
    ris = {entry["id"]: entry for entry in rispy.loads(ris_of(run_with_uncited, Choice(everything=True)))}
    assert ris["ng2020rootsshoots"]["notes"] == ["Retracted."]
    csl = {item["id"]: item for item in json.loads(csl_of(run_with_uncited, Choice(everything=True)))}
    assert list(ris) == list(csl) == list(entries)
    assert csl["blogndblogalder"]["URL"] == "https://example.org/a"


@pytest.mark.django_db
def test_queries_do_not_grow_with_works(run_with_uncited: Run, owner: User, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(2):
        bibtex_of(run_with_uncited, Choice(everything=True))


# Nothing lost, whatever a catalogue writes

PERSONS = st.one_of(
    st.builds(Person, family=TEXT, given=st.none() | TEXT),
    st.builds(Person, family=st.sampled_from(["van Lunteren", "de la Cruz", "O'Neill", "Ødegård-Ng"]), given=TEXT),
    st.builds(Person, literal=TEXT),
)
TYPES = ["article-journal", "paper-conference", "chapter", "book", "thesis", "report", "article", "webpage", "dataset"]
WORKS = st.builds(
    Work,
    provider=st.just("openalex"),
    provider_id=st.just("W1"),
    title=TEXT,
    authors=st.lists(PERSONS, max_size=4).map(tuple),
    year=st.none() | st.integers(1, 9999),
    venue=st.none() | TEXT,
    volume=st.none() | st.from_regex(r"[0-9]{1,3}", fullmatch=True),
    pages=st.none() | st.just("10-19") | st.just("e12"),
    doi=st.none() | st.from_regex(r"10\.[0-9]{4}/[a-z0-9_.()<>&#%;-]{1,12}[a-z0-9]", fullmatch=True),
    pmid=st.none() | st.from_regex(r"[1-9][0-9]{3,7}", fullmatch=True),
    type=st.sampled_from(TYPES),
)


def names(csl: dict[str, Any]) -> list[str]:
    return [
        name.get("literal") or ", ".join(filter(None, [name.get("family"), name.get("given")]))
        for name in csl.get("author", [])
    ]


@given(WORKS)
@examples(60)
def test_bibtexparser_and_rispy_read_back_what_was_written(work: Work) -> None:
    csl = work.csl()
    bibtex = write_bibtex(csl, "key", reference_manager=True)
    library = parse_string(bibtex)
    assert not library.failed_blocks
    (entry,) = library.entries
    fields = {field.key: field.value for field in entry.fields}
    assert to_unicode(fields["title"]) == work.title
    assert (fields.get("doi"), fields.get("pmid")) == (work.doi, work.pmid)
    assert fields.get("year") == (f"{work.year:04d}" if work.year else None)
    assert read_bibtex(bibtex).entries[0].csl == {**csl, **({"URL": csl["URL"]} if "URL" in csl else {})}
    (ris,) = rispy.loads(write_ris(csl, "key"))
    assert (ris["title"], ris.get("doi"), ris.get("secondary_title")) == (work.title, work.doi, work.venue)
    assert ris.get("authors", []) == names(csl)
    assert json.loads(csl_list([("key", csl)])) == [{"id": "key", "citation-key": "key", **csl}]


def by_pandoc(text: str, format: str) -> list[dict[str, Any]]:
    command = [pypandoc.get_pandoc_path(), f"--from={format}", "--to=csljson"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    items: list[dict[str, Any]] = json.loads(done.stdout)
    return items


HARD = [
    Work(provider="x", provider_id="1", title="COVID-19 & {soil}: 50% of $5_a ~ ^ \\ #1 “q” — é 漢字 β", year=2020,
         authors=(Person(family="van Lunteren", given="J."), Person(literal="RECOVERY Group and Friends")),
         doi="10.5555/a_b(1)", pmid="1234567", type="article-journal", venue="A & B", volume="1", pages="10-19"),
    Work(provider="x", provider_id="2", title="Two hundred", type="article-journal",
         authors=tuple(Person(family=f"Ñame{n}", given="A. B.") for n in range(200))),
    Work(provider="x", provider_id="3", title="No year", type="book", authors=(Person(family="Ng"),),
        publisher="Silva"),
    Work(provider="x", provider_id="4", title="A page", type="webpage", url="https://example.org/a_b?c=d&e=%20#f"),
    Work(provider="x", provider_id="5", title="A talk", type="paper-conference", venue="Proc. of X", year=1999),
]  # fmt: skip


def test_pandoc_reads_back_what_was_written() -> None:
    works = [(f"k{number}", work.csl()) for number, work in enumerate(HARD)]
    bibtex = "\n".join(write_bibtex(csl, key, reference_manager=True) for key, csl in works)
    ris = "\n".join(write_ris(csl, key) for key, csl in works)
    for format, text in (("bibtex", bibtex), ("ris", ris), ("csljson", csl_list(works))):
        items = {item["id"]: item for item in by_pandoc(text, format)}
        assert len(items) == len(works), format
        for key, csl in works:
            item = items[key]
            assert _plain(item["title"]) == csl["title"], format
            assert len(item.get("author", [])) == len(csl.get("author", [])), format
            assert (item.get("DOI"), item.get("URL")) == (csl.get("DOI"), csl.get("URL")), format
            assert item.get("issued", {}).get("date-parts") == csl.get("issued", {}).get("date-parts"), format


def _plain(title: str) -> str:
    """A title of pandoc's without the marks it sets around what keeps its capitals."""
    for mark in ('<span class="nocase">', "</span>"):
        title = title.replace(mark, "")
    return title
