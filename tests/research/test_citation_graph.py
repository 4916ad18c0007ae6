"""The graph of who cites whom, and its picture (SPEC R15)."""

import re
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from research.models import Source
from research.review.citation_graph import SHOWN, Graph, threshold
from research.review.citation_network_diagram import WIDTH, picture_of
from sources.work import Person, Work


def work(name: str, year: int | None = 2001, **fields: Any) -> Work:
    given = {"provider": "openalex", "provider_id": name, "title": f"On {name}", "doi": f"10.5555/{name}", "year": year}
    return Work(**{**given, "authors": (Person(family=name.title(), given="A."),), **fields})


def planted(*names: str, year: int = 2010) -> Graph:
    graph = Graph()
    for name in names:
        one = work(name, year)
        row = Source(
            document=f"doi:10.5555/{name}", title=one.title, url=one.link or "", csl=one.csl(), citation_count=5
        )
        graph.plant(row, [one])
    return graph


def doc(name: str) -> str:
    return f"doi:10.5555/{name}"


@pytest.mark.parametrize(("works", "least"), [(0, 1), (3, 1), (6, 1), (7, 2), (9, 2), (10, 3), (20, 3)])
def test_the_threshold(works: int, least: int) -> None:
    assert threshold(works) == least


def test_roles_by_the_number_of_works_they_are_linked_to() -> None:
    names = [f"seed{n}" for n in range(7)]
    graph = planted(*names)
    graph.link(doc("seed0"), work("old", 1970), is_citing=False)
    graph.link(doc("seed1"), work("old", 1970), is_citing=False)
    graph.link(doc("seed1"), work("once", 1971), is_citing=False)
    graph.link(doc("seed2"), work("new", 2020), is_citing=True)
    graph.link(doc("seed3"), work("new", 2020), is_citing=True)
    graph.link(doc("seed4"), work("seed5"), is_citing=False)
    data = graph.as_data()
    roles = {paper["id"]: paper["roles"] for paper in data["papers"] if paper["roles"]}
    assert roles == {doc("old"): ["foundational"], doc("new"): ["extending"]}
    assert {"from": doc("seed4"), "to": doc("seed5")} in data["links"], "one of the run cites another"
    assert {"from": doc("new"), "to": doc("seed2")} in data["links"]


def test_threads_are_connected_parts_of_three_or_more() -> None:
    graph = planted("a", "b", "c", "d", "lone")
    for of in "ab":
        graph.link(doc(of), work("root", 1980), is_citing=False)
    graph.link(doc("c"), work("d"), is_citing=False)
    threads = graph.as_data()["threads"]
    assert [(thread["id"], thread["size"], thread["title"], thread["years"]) for thread in threads] == [
        ("T1", 3, "On root", [1980, 2010])
    ]
    assert set(threads[0]["papers"]) == {doc("a"), doc("b"), doc("root")}


def test_papers_that_two_catalogues_name_differently_are_one() -> None:
    graph = planted("a", "b")
    graph.link(doc("a"), work("first", doi=None, pmid="30000009"), is_citing=False)
    graph.link(doc("b"), work("other", doi="10.5555/same"), is_citing=False)
    graph.link(doc("b"), work("both", doi="10.5555/same", pmid="30000009"), is_citing=False)
    data = graph.as_data()
    assert len(data["papers"]) == 3
    assert sorted(link["to"] for link in data["links"]) == ["pmid:30000009"] * 2


def test_a_paper_that_cites_itself_is_no_link() -> None:
    graph = planted("a")
    graph.link(doc("a"), work("a"), is_citing=True)
    assert graph.as_data()["links"] == []


def test_what_is_left_out_is_counted() -> None:
    graph = planted("a", "b")
    for number in range(SHOWN + 10):
        graph.link(doc("a"), work(f"ref{number:03}", citation_count=number), is_citing=False)
    graph.link(doc("b"), work("ref000", citation_count=0), is_citing=False)
    data = graph.as_data()
    shown = [paper["id"] for paper in data["papers"]]
    assert len(shown) == SHOWN
    assert data["left_out"] == 12
    assert shown[:4] == [doc("a"), doc("b"), doc("ref000"), doc(f"ref{SHOWN + 9:03}")], "own, most linked, most cited"
    assert data["threads"][0]["size"] == SHOWN + 12


names = st.sampled_from([f"n{number}" for number in range(12)])
links = st.lists(
    st.tuples(st.sampled_from(["s0", "s1", "s2"]), names, st.booleans(), st.none() | st.integers(1900, 2025))
)


def linked(of: list[tuple[str, str, bool, int | None]]) -> dict[str, Any]:
    graph = planted("s0", "s1", "s2")
    for seed, name, is_citing, year in of:
        graph.link(doc(seed), work(name, year), is_citing=is_citing)
    return graph.as_data()


@settings(deadline=None)
@given(links)
def test_the_picture_holds_every_paper_and_link_once(of: list[tuple[str, str, bool, int | None]]) -> None:
    data = linked(of)
    picture = picture_of(data)
    assert [mark.row for mark in picture.marks] == list(range(1, len(data["papers"]) + 1))
    assert len(picture.lines) == len(data["links"])
    assert all(0 < mark.x < WIDTH and 0 < mark.y < picture.height for mark in picture.marks)
    for one, other in combinations(picture.marks, 2):
        assert (one.x, one.y) != (other.x, other.y)
    years = {paper["title"]: paper["year"] for paper in data["papers"] if paper["year"] is not None}
    for one, other in combinations([mark for mark in picture.marks if mark.title in years], 2):
        if one.x < other.x:
            assert years[one.title] < years[other.title], "the older stands on the left"
    assert all(re.fullmatch(r"M[\d.]+ [\d.]+C[-\d. ]+", line) for line in picture.lines)


@settings(deadline=None)
@given(links)
def test_the_same_answers_make_the_same_network(of: list[tuple[str, str, bool, int | None]]) -> None:
    assert linked(of) == linked(of)
    assert picture_of(linked(of)) == picture_of(linked(of))
