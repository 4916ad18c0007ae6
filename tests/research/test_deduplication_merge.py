"""The record that duplicates are merged into, and its id (SPEC R8)."""

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from research.deduplication.merge_records import merged
from research.deduplication.work_keys import document_id
from sources.work import Person, Work
from tests.research.work_records import PIECES, TITLE, anything, four_catalogues, page, record, titled, unhurried

# The record made of them


def test_the_richest_of_four_catalogues() -> None:
    work = merged(*four_catalogues())
    assert (work.provider, work.doi, work.pmid, work.pmcid) == (
        "crossref",
        "10.5555/alder.2019.7",
        "30123456",
        "PMC7654321",
    )
    assert work.title == "Shade and Alnus growth & form: A field trial"
    assert [person.family or person.literal for person in work.authors] == [
        "Okafor",
        "van der Moss",
        "River Woods Group",
    ]
    assert (work.year, work.volume, work.pages, work.type) == (2019, "12", "101-118", "article-journal")
    assert (work.citation_count, work.influential_citation_count, work.is_retracted) == (41, 4, True)
    assert {update.type for update in work.updates} == {"expression_of_concern", "retraction"}
    assert work.open_access_url
    assert work.abstract == "Alders grew less."


def test_the_published_version_is_cited() -> None:
    preprint = titled(
        doi="10.1101/7", pmid="11", year=2018, type="article", venue="bioRxiv", title="First results", publisher="CSHL",
        abstract="A long abstract of the preprint.", published_version_doi="10.5555/a", citation_count=90, url="https://biorxiv.example/7",
    )  # fmt: skip
    late = titled("semantic_scholar", "2", doi="10.5555/a", abstract="Shorter.", citation_count=5)
    work = merged(preprint, late)
    assert (work.doi, work.preprint_doi, work.published_version_doi) == ("10.5555/a", "10.1101/7", None)
    assert (work.year, work.title, work.type, work.abstract) == (2019, TITLE, "article-journal", "Shorter.")
    assert (work.venue, work.publisher, work.pmid) == (None, None, None)
    assert (work.citation_count, work.link) == (90, "https://doi.org/10.5555/a")
    alone = merged(preprint, titled("openalex", "3", doi="10.1101/7", type="article"))
    assert (alone.doi, alone.published_version_doi, alone.preprint_doi) == ("10.1101/7", "10.5555/a", None)
    assert (alone.year, alone.pmid, alone.venue) == (2018, "11", "bioRxiv")


def test_a_preprint_a_catalogue_calls_an_article() -> None:
    """Semantic Scholar knows no preprints but arXiv's; the other record says which of the two DOIs is one."""
    early = titled("semantic_scholar", "1", doi="10.1101/7", year=2018)
    late = titled("openalex", "2", doi="10.5555/a", preprint_doi="10.1101/7")
    assert (merged(early, late).doi, merged(early, late).year) == ("10.5555/a", 2019)


def test_a_page_adds_its_text_and_little_else() -> None:
    found = page(
        "https://doi.org/10.5555/a",
        title="Shade... | River",
        doi="10.5555/a",
        venue="River",
        abstract="A snippet of it.",
        text="All.",
    )
    work = merged(found, titled("openalex", doi="10.5555/a"))
    assert (work.provider, work.type, work.title, work.venue) == ("openalex", "article-journal", TITLE, None)
    assert (work.url, work.text, work.abstract) == (found.url, "All.", "A snippet of it.")


@pytest.mark.parametrize(
    ("types", "exact"),
    [
        ({"openalex": "article-journal", "semantic_scholar": "paper-conference"}, "paper-conference"),
        ({"crossref": "article-journal", "semantic_scholar": "paper-conference"}, "article-journal"),
        ({"crossref": "document", "openalex": "article-journal"}, "article-journal"),
        ({"crossref": "chapter", "pubmed": "article-journal"}, "chapter"),
    ],
)
def test_the_type_is_the_most_exact(types: dict[str, str], exact: str) -> None:
    assert merged(*(titled(name, type=kind) for name, kind in types.items())).type == exact


def test_the_longest_list_of_authors_with_names_spelt_out() -> None:
    def authors(*works: Work) -> list[str | None]:
        return [person.given for person in merged(*works).authors]

    initials = titled("pubmed", authors=(Person(family="Okafor", given="A."), Person(family="Moss", given="P. Q.")))
    spelt = titled("openalex", authors=(Person(family="Okafor", given="Ada"), Person(family="Moss", given="Pia Q.")))
    assert authors(titled(), initials) == ["A.", "P. Q."]
    assert authors(titled(), initials, spelt) == ["Ada", "Pia Q."]


@unhurried
@given(st.lists(anything, min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_merged_in_any_order(works: list[Work], random: Any) -> None:
    other = random.sample(works, len(works))
    assert merged(*works) == merged(*other)
    assert merged(*works, works[0]) == merged(*works)
    assert merged(works[0], works[0]) == works[0]
    assert Work(**merged(*works).model_dump()) == merged(*works)


whole = st.builds(
    lambda provider, id, **says: titled(provider, f"{provider}{id}", **says),
    provider=st.sampled_from(["crossref", "pubmed", "openalex", "semantic_scholar"]),
    id=st.integers(0, 9),
    title=st.sampled_from([TITLE, "Alders", "Shade"]),
    year=st.sampled_from([2018, 2019]),
    doi=st.sampled_from(["10.5555/a", "10.5555/b"]),
    pmid=st.sampled_from([None, "12"]),
    venue=st.sampled_from(["River Woods", "River woods"]),
    url=st.sampled_from(["https://river.example/a", "https://river.example/b"]),
    abstract=anything.map(lambda work: work.abstract),
    citation_count=st.sampled_from([None, 0, 7]),
    is_retracted=st.booleans(),
    updates=anything.map(lambda work: work.updates),
)


@unhurried
@given(whole, whole, whole)
def test_merged_two_by_two(one: Work, two: Work, three: Work) -> None:
    assume(len({work.provider_id for work in (one, two, three)}) == len({one, two, three}))
    assert merged(merged(one, two), three) == merged(one, merged(two, three)) == merged(one, two, three)
    assert merged(merged(one, two), two) == merged(one, two)


@unhurried
@given(anything, anything, anything)
def test_nothing_that_matters_is_lost_two_by_two(one: Work, two: Work, three: Work) -> None:
    """Whatever the records lack: counts, notices and retractions."""
    for work in (merged(merged(one, two), three), merged(one, merged(two, three))):
        records = (one, two, three)
        assert work.is_retracted == any(each.is_retracted for each in records)
        assert set(work.updates) == {update for each in records for update in each.updates}
        assert work.citation_count == max(
            (each.citation_count for each in records if each.citation_count is not None), default=None
        )
        assert bool(work.title) == any(each.title for each in records)
        assert work.doi or not any(each.doi for each in records)


# Ids


@pytest.mark.parametrize(
    ("work", "id"),
    [
        (record(doi="10.1001/JAMA.2020.17023", pmid="32876694"), "doi:10.1001/jama.2020.17023"),
        (record("pubmed", "32876694", pmid="32876694", pmcid="PMC3"), "pmid:32876694"),
        (record("openalex", "W1", pmcid="PMC123", arxiv="1706.03762"), "pmc:PMC123"),
        (record("semantic_scholar", "ab", arxiv="1706.03762v5"), "arxiv:1706.03762"),
        (record("semantic_scholar", "ab", doi="10.48550/arXiv.1706.03762"), "arxiv:1706.03762"),
        (page("https://www.example.org/page/?utm_source=x"), "web:example.org/page"),
        (page("https://arxiv.org/html/1706.03762v7"), "arxiv:1706.03762"),
        (titled("semantic_scholar", "0a1b"), "semantic_scholar:0a1b"),
        (titled("openalex", "two words"), "openalex:two%20words"),
    ],
)
def test_ids(work: Work, id: str) -> None:
    assert document_id(work) == id


@unhurried
@given(
    st.builds(
        record,
        st.just("openalex"),
        st.text(max_size=300),
        url=st.one_of(st.none(), PIECES.map("https://x.org/".__add__)),
    )
)
def test_ids_are_short_and_without_white_space(work: Work) -> None:
    assert 0 < len(document_id(work)) <= 200
    assert not any(sign.isspace() for sign in document_id(work))


def test_long_ids_differ_at_their_end() -> None:
    one, other = (document_id(page(f"https://example.org/{'long/' * 60}{end}")) for end in "ab")
    assert one != other
    assert one[:180] == other[:180]
    assert len(one) == 200
