"""Records of one work are one source, and only they are (SPEC R8)."""

import itertools
import json
import os
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research.deduplication.merge_records import merged
from research.deduplication.same_work import KnownRecords
from research.deduplication.work_keys import document_id
from sources import crossref, google, openalex, pubmed_records, semantic_scholar, tavily
from sources.retractions import Update
from sources.work import Work
from tests.research.work_records import TITLE, anything, four_catalogues, groups, page, record, titled, unhurried
from tests.sources.test_recordings import good, recordings
from tests.time_limits import HANGS


def codes(*works: Work) -> list[str | None]:
    known = KnownRecords()
    return [same.code if (same := known.add(str(place), work)) else None for place, work in enumerate(works)]


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_one_work_in_four_catalogues_is_one(order: tuple[int, ...]) -> None:
    works = four_catalogues()
    assert groups(*(works[place] for place in order)) == [[0, 1, 2, 3]]


def test_each_kind_of_key_with_its_reason() -> None:
    url = "https://river.example/alder"
    for one, other, code, reason in (
        ({"doi": "10.5555/a"}, {"doi": "10.5555/A", "title": "Another title"}, "doi",
         "It has the same DOI, 10.5555/a."),
        ({"pmid": "12"}, {"pmid": "12", "doi": "10.5555/a"}, "pmid", "It has the same PMID, 12."),
        ({"pmcid": "PMC3"}, {"pmcid": "PMC3"}, "pmcid", "It has the same PMCID, PMC3."),
        ({"arxiv": "1901.01234"}, {"doi": "10.48550/arXiv.1901.01234"}, "arxiv",
         "It has the same arXiv id, 1901.01234."),
        ({"url": url}, {"url": f"{url}/#top"}, "url", "It has the same address, river.example/alder."),
        (dict(titled()), dict(titled()), "title", "It has the same title, year and first author."),
    ):  # fmt: skip
        known = KnownRecords()
        assert known.add("first", Work(**{**one, "provider": "crossref", "provider_id": "1"})) is None
        same = known.add("second", Work(**{**other, "provider": "openalex", "provider_id": "2"}))
        assert same == ("first", code, reason, ())


def test_a_catalogues_record_that_comes_again() -> None:
    known = KnownRecords()
    assert known.add("a", record("semantic_scholar", "abc", title="Alders")) is None
    assert known.add("b", record("openalex", "abc", title="Alders")) is None
    same = known.add("c", record("semantic_scholar", "abc", title="Alders"))
    assert same == ("a", "record", "It is the same record.", ())


def test_the_same_of_the_same_is_the_same() -> None:
    known = KnownRecords()
    assert known.add("a", record(doi="10.5555/a")) is None
    assert known.add("other", record(number="2", doi="10.5555/z")) is None
    assert known.add("b", record("pubmed", doi="10.5555/a", pmid="12"))
    same = known.add("c", record("openalex", pmid="12"))
    assert same is not None
    assert (same.of, same.code) == ("a", "pmid")


def test_a_record_that_ties_two_works_makes_them_one() -> None:
    known = KnownRecords()
    for id, work in (
        ("page", page("https://river.example/alder")),
        ("pmid", record("pubmed", pmid="12")),
        ("doi", record(doi="10.5555/a")),
    ):
        assert known.add(id, work) is None
    same = known.add("all", record("openalex", doi="10.5555/a", pmid="12", url="http://www.river.example/alder"))
    assert same == ("page", "url", "It has the same address, river.example/alder.", ("pmid", "doi"))
    again = known.add("late", record("semantic_scholar", doi="10.5555/a"))
    assert again is not None
    assert (again.of, again.code, again.joined) == ("page", "doi", ())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"doi": "10.5555/a"}, {"doi": "10.5555/b"}),
        ({"pmid": "12"}, {"pmid": "13"}),
        ({"pmcid": "PMC12"}, {"pmcid": "PMC13"}),
        ({"arxiv": "1901.01234"}, {"arxiv": "1901.99999"}),
        (
            {"arxiv": "1901.01234", "type": "article"},
            {"doi": "10.5555/a"},
        ),  # perhaps the preprint of it; no catalogue says so
        ({"doi": "10.48550/arxiv.1901.01234"}, {"doi": "10.5555/a"}),
        ({"doi": "10.1101/2019.01.01"}, {"doi": "10.5555/a", "pmid": "12"}),
    ],
)
def test_identifiers_that_differ_outweigh_title_and_address(one: dict[str, Any], other: dict[str, Any]) -> None:
    url = "https://river.example/alder"
    assert groups(titled(url=url, **one), titled("openalex", "2", url=url, **other)) == [[0], [1]]


def test_what_stands_between_two_works_does_not_tie_them() -> None:
    """A record without DOI has the title of both and the PMID of one."""
    works = (
        titled(doi="10.5555/a"),
        titled("openalex", "2", doi="10.5555/b", pmid="12"),
        titled("pubmed", "12", pmid="12"),
    )
    assert [len(groups(*order)) for order in itertools.permutations(works)] == [2] * 6


def test_a_number_a_catalogue_put_to_the_wrong_work() -> None:
    wrong = titled(
        "semantic_scholar", "2", title="Beetles in the shade of old willow trees", doi="10.5555/b", pmid="12"
    )
    assert groups(titled(doi="10.5555/a", pmid="12"), wrong) == [[0], [1]]
    assert groups(titled(doi="10.5555/a", pmid="12"), titled("openalex", "2", doi="10.5555/b", pmid="12")) == [[0, 1]]


@pytest.mark.parametrize(
    ("preprint", "published"),
    [
        ({"doi": "10.1101/7", "published_version_doi": "10.5555/a"}, {"doi": "10.5555/a"}),
        ({"doi": "10.1101/7"}, {"doi": "10.5555/a", "preprint_doi": "10.1101/7"}),
        ({"arxiv": "1901.01234"}, {"doi": "10.5555/a", "preprint_doi": "10.48550/arXiv.1901.01234"}),
        ({"doi": "10.48550/arxiv.1901.01234"}, {"doi": "10.5555/a", "arxiv": "1901.01234"}),
        ({"doi": "10.1101/7", "updates": (Update(type="update", pmid="12"),)}, {"doi": "10.5555/a", "pmid": "12"}),
    ],
)
def test_a_preprint_is_its_article_where_a_catalogue_says_so(
    preprint: dict[str, Any], published: dict[str, Any]
) -> None:
    early = record(type="article", title="Alders in shade: first results of a trial", **preprint)
    late = record("pubmed", "2", type="article-journal", title="Shade slows alders", **published)
    assert groups(early, late) == groups(late, early) == [[0, 1]]
    assert groups(early.model_copy(update={"published_version_doi": None, "updates": ()}),
        late.model_copy(update={"preprint_doi": None, "arxiv": None})) == [[0], [1]]  # fmt: skip


def test_the_link_between_versions_is_the_reason_given() -> None:
    known = KnownRecords()
    known.add("published", record(doi="10.5555/a"))
    same = known.add("preprint", record(number="2", doi="10.1101/7", published_version_doi="10.5555/a"))
    assert same == ("published", "doi", "A catalogue says that DOI 10.5555/a is another version of it.", ())


def test_notices_are_not_the_work() -> None:
    work = titled(doi="10.5555/a", pmid="12")
    notice = (Update(type="retraction", doi="10.5555/a", pmid="12"),)
    for about in (
        titled(number="2", doi="10.5555/r", notice_of=notice),
        titled("pubmed", "13", pmid="13", notice_of=notice),
        titled("pubmed", "13", notice_of=notice),
        titled("semantic_scholar", "3", title=f"Retraction: {TITLE}"),
        titled("semantic_scholar", "4", title=f"Comment on “{TITLE}”"),
    ):
        assert groups(work, about) == groups(about, work) == [[0], [1]]
    assert groups(work, titled("semantic_scholar", "5", title=f"RETRACTED: {TITLE}")) == [[0, 1]]


def test_pages_of_a_work_are_the_work() -> None:
    work = titled(doi="10.5555/a", pmid="12", pmcid="PMC3", arxiv="1901.01234", url="https://river.example/alder")
    urls = (
        "https://doi.org/10.5555/A?utm_source=mail",
        "https://pubmed.ncbi.nlm.nih.gov/12/",
        "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC3/",
        "https://arxiv.org/pdf/1901.01234v3",
        "http://www.river.example/alder/#abstract",
    )
    assert codes(work, *(page(url) for url in urls)) == [None, "doi", "pmid", "pmcid", "arxiv", "url"]
    assert groups(page("https://river.example/alder?page=2"), work) == [[0], [1]]


TRUE_WORKS = [
    {"doi": f"10.5555/{letter}", "pmid": str(10 + place), "pmcid": f"PMC{place + 1}", "arxiv": f"1901.0000{place}"}
    for place, letter in enumerate("abcd")
]


@unhurried
@given(
    st.lists(
        st.tuples(
            st.sampled_from(TRUE_WORKS),
            st.sets(st.sampled_from(["doi", "pmid", "pmcid", "arxiv"]), min_size=1),
        ),
        max_size=12,
    ),
    st.randoms(use_true_random=False),
)
def test_by_identifiers_the_order_makes_no_difference(
    drawn: list[tuple[dict[str, str], set[str]]], random: Any
) -> None:
    """Groups are what shared identifiers connect, found here by brute force."""
    sets = [{(name, work[name]) for name in names} for work, names in drawn]
    parts: list[tuple[set[int], set[tuple[str, str]]]] = []
    for place, keys in enumerate(sets):
        touching = [part for part in parts if part[1] & keys]
        parts = [part for part in parts if part not in touching]
        parts.append(({place}.union(*(part[0] for part in touching)), keys.union(*(part[1] for part in touching))))
    order = list(range(len(sets)))
    random.shuffle(order)
    found = groups(*(record(number=str(place), title=TITLE, **dict(sets[place])) for place in order))
    assert sorted(sorted(order[place] for place in group) for group in found) == sorted(
        sorted(part[0]) for part in parts
    )


@unhurried
@given(st.lists(anything, max_size=12))
def test_no_title_and_no_address_ever_ties_two_dois(works: list[Work]) -> None:
    alone = [
        work.model_copy(update={"pmid": None, "arxiv": None, "published_version_doi": None, "preprint_doi": None,
            "provider_id": str(place)})
        for place, work in enumerate(works)
        if "arxiv.org" not in (work.url or "")
    ]  # fmt: skip
    for group in groups(*alone):
        assert len({alone[place].doi for place in group} - {None}) <= 1


@unhurried
@given(st.lists(anything, max_size=12))
def test_records_with_one_id_are_one_work(works: list[Work]) -> None:
    found = groups(*works)
    for name in {document_id(work) for work in works}:
        assert sum(any(document_id(works[place]) == name for place in group) for group in found) == 1


@pytest.mark.long
@pytest.mark.timeout(HANGS)
def test_ten_thousand_records_are_told_apart() -> None:
    """Also where all of them clash: 50 million comparisons of pairs would take minutes."""
    clashing = [
        titled(number=str(n), doi=f"10.5555/{n}", pmid=str(n // 2 + 1), url="https://river.example/a")
        for n in range(5000)
    ]
    alike = [titled(number=f"x{n}", doi="10.5555/x", pmid=str(n + 9000), arxiv=f"1901.{n:05}") for n in range(5000)]
    known = KnownRecords()
    for place, work in enumerate(clashing + alike):
        known.add(str(place), work)


# Real records


def recorded() -> list[Work]:
    works: list[Work | None] = []
    for _, _, reply in good("crossref", r"/works(/|$)(?!.*(agency|transform))"):
        message = json.loads(reply.body)["message"]
        works += map(crossref.read_work, message.get("items", [message]) if isinstance(message, dict) else [])
    for _, request, reply in good("pubmed", "esummary"):
        if "db=pubmed" in request["url"] + str(request.get("body")) and reply.body.lstrip().startswith(b"{"):
            works += pubmed_records.read_summaries(reply).values()
    for _, request, reply in recordings("s2"):
        if reply.status == 200 and "/author" not in request["url"] and "/snippet" not in request["url"]:
            data = json.loads(reply.body)
            papers = data if isinstance(data, list) else data.get("data") or data.get("recommendedPapers") or [data]
            papers = [one.get("citingPaper") or one.get("citedPaper") or one for one in papers if one]
            works += map(semantic_scholar.read_work, papers)
    for _, _, reply in good("openalex", r"/works"):
        data = json.loads(reply.body)
        works += (openalex.read_work(one) for one in data.get("results", [data]) if "id" in one)
    for _, _, reply in good("tavily", "search"):
        works += map(tavily.read_work, json.loads(reply.body)["results"])
    for _, _, reply in good("google", "customsearch"):
        works += map(google.read_work, json.loads(reply.body)["items"])
    return [work for work in works if work]


@pytest.mark.recordings
@pytest.mark.skipif(not os.environ.get("RECORDINGS_DIR"), reason="RECORDINGS_DIR is not set")
def test_recorded_works_are_told_apart() -> None:
    """No two DOIs become one work, no DOI becomes two, and each work as four catalogues would have it is one."""
    works = recorded()
    assert len(works) > 1000
    views = [
        work.model_copy(update={"provider": provider, "provider_id": f"{provider} {work.doi}", **lacking})
        for work in works
        if work.doi
        for provider, lacking in (
            ("crossref", {"pmid": None, "arxiv": None, "url": None}),
            ("pubmed", {"arxiv": None, "title": work.title.upper(), "year": None}),
            ("openalex", {"url": f"https://doi.org/{work.doi}", "doi": None}),
            ("semantic_scholar", {"authors": (), "url": None}),
        )
    ]
    everything = works + views
    found = groups(*everything)
    dois = [{everything[place].doi for place in group} - {None} for group in found]
    assert max(map(len, dois)) == 1
    assert sum(map(len, dois)) == len({work.doi for work in works if work.doi})
    assert len(found) == len(groups(*works))
    for group in found:
        one = merged(*(everything[place] for place in group))
        assert one.doi in {everything[place].doi for place in group}
        assert len(one.authors) == max(len(everything[place].authors) for place in group)
