"""What the first page of a PDF says: title, DOIs, words; and which reference that is (SPEC C2). Property tests."""

from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citations.identity.grade import grade
from citations.identity.reference import reference_from_csl
from thesis.attached_pdfs.first_page import MOST_DOIS, MOST_TITLES, FirstPage, read_first_page
from thesis.attached_pdfs.identify import Identified, KnownReference, identify, printed_work
from untrusted.pdf_words import PrintedPage, PrintedWord

TITLE = "Alder and soil nitrogen in young stands"
BODY = ["The leaves of the trees were counted by hand in each of the plots that were sampled."] * 20


def line(words: str, size: int, *, top: int = 0) -> list[PrintedWord]:
    """A line of words in letters of this height, in tenths of a point."""
    left, made = 600, []
    for word in words.split():
        right = left + max(len(word), 1) * size // 2
        made.append(PrintedWord(word, left, top, right, top + size))
        left = right + size // 3
    return made


def page(*lines: tuple[str, int]) -> FirstPage:
    return read_first_page(PrintedPage(5950, 8420, [line(words, size) for words, size in lines if words.split()]))


def body() -> list[tuple[str, int]]:
    return [(words, 100) for words in BODY]


def known(key: str = "menon2021", **csl: Any) -> KnownReference:
    made = {"type": "article-journal", "title": TITLE, "author": [{"family": "Menon"}],
            "issued": {"date-parts": [[2021]]}} | csl  # fmt: skip
    reference = reference_from_csl(made)
    return KnownReference(uuid4(), key, reference, frozenset(filter(None, [reference.doi])))


def test_the_title_is_in_the_largest_letters() -> None:
    read = page(("Alder and soil nitro\u00ad", 180), ("gen in young stands", 180), ("Asha Menon", 120), *body())
    assert read.titles[0] == TITLE


def test_a_masthead_is_larger_and_a_subtitle_smaller() -> None:
    read = page(("FOREST JOURNAL", 300), ("Alder and soil nitrogen", 200), ("A study in young stands", 150), *body())
    assert read.titles[0] == "Alder and soil nitrogen"
    assert "Alder and soil nitrogen: A study in young stands" in read.titles
    assert read.titles.index("FOREST JOURNAL") > read.titles.index("A study in young stands")


def test_a_page_in_one_size() -> None:
    read = page((TITLE, 100), ("Asha Menon 2021", 100), *body())
    assert read.titles[0] == TITLE


def test_what_runs_up_the_margin_is_no_title() -> None:
    stamp = PrintedWord("arXiv:2101.00001v2", 100, 1000, 250, 4000)
    lines = [[stamp], line(TITLE, 180), *[line(words, 100) for words in BODY]]
    read = read_first_page(PrintedPage(5950, 8420, lines))
    assert read.titles[0] == TITLE
    assert read.dois == ("10.48550/arxiv.2101.00001",)


@pytest.mark.parametrize(
    ("words", "dois"),
    [
        ("https://doi.org/10.1000/ALDER.", ("10.1000/alder",)),
        ("(doi: 10.1000/alder) and 10.1000/birch;", ("10.1000/alder", "10.1000/birch")),
        ("10.1000/alder 10.1000/alder", ("10.1000/alder",)),
        ("no doi 10.5 here", ()),
    ],
)
def test_dois(words: str, dois: tuple[str, ...]) -> None:
    assert page((words, 100), *body()).dois == dois


def test_two_dois_on_the_page_and_one_is_of_a_cited_work() -> None:
    cited = known("lund2019", title="Birch pollen in spring and its seasons", DOI="10.1000/birch")
    own = known(DOI="10.1000/alder")
    lines = [(TITLE, 180), ("Asha Menon 2021", 100), ("10.1000/birch 10.1000/alder", 90), *body()]
    found = identify(page(*lines), [cited, own])
    assert found.match == own
    alone = identify(page(*lines), [cited])
    assert (alone.match, alone.new_dois) == (None, ["10.1000/alder"])


@pytest.mark.parametrize(
    ("title", "authors", "matches"),
    [
        (TITLE, "Asha Menon 2021", True),
        (TITLE, "Asha Menon 2020", True),  # online one year, in print the next
        (TITLE, "Asha Menon1,2 2021", True),  # affiliations
        (TITLE, "Asha Menona,b,∗ 2021", True),
        (TITLE, "Asha Menona 2021", False),
        (TITLE, "Asha Menon 2016", False),
        (TITLE, "Ravi Iyer 2021", False),
        (TITLE.replace("young", "old"), "Asha Menon 2021", False),
        (f"Reply to: {TITLE}", "Asha Menon 2021", False),
        (f"{TITLE}. Part 2", "Asha Menon 2021", False),
        (f"Correction: {TITLE}", "Asha Menon 2021", False),
    ],
)
def test_only_what_the_gate_proves(title: str, authors: str, *, matches: bool) -> None:
    one = known()
    found = identify(page((title, 180), (authors, 100), *body()), [one])
    assert (found.match == one) is matches
    assert found.match or found.reason or found.new_dois == []


def test_the_doi_and_title_of_a_reference_and_other_authors() -> None:
    one = known(DOI="10.1000/alder")
    found = identify(page((TITLE, 180), ("Ravi Iyer 2021", 100), ("10.1000/alder", 90), *body()), [one])
    assert (found.match, found.suggested, found.is_conflict) == (None, one, False)
    assert found.reason == "It may be menon2021: The page names no author."
    two = known(DOI="10.1000/alder", author=[{"family": "Menon"}, {"family": "Lund"}])
    found = identify(page((TITLE, 180), ("Lund 2021", 100), ("10.1000/alder", 90), *body()), [two])
    assert (found.match, found.is_conflict) == (None, False)
    assert found.reason.startswith("Its DOI and title are those of menon2021. The first author is")


def test_a_surname_that_is_the_given_name_of_another_author() -> None:
    people = [{"family": "Dequin", "given": "Pierre-François"}, {"family": "François", "given": "Bruno"}]
    found = identify(
        page((TITLE, 180), ("Pierre-François Dequin, Bruno François 2021", 100), *body()), [known(author=people)]
    )
    assert found.match


def test_two_references_of_one_work() -> None:
    found = identify(page((TITLE, 180), ("Asha Menon 2021", 100), *body()), [known("a"), known("b")])
    assert (found.match, "a, b" in found.reason) == (None, True)


words = st.text(st.characters(blacklist_categories=["Cs"]), max_size=40)
lines = st.lists(st.tuples(words, st.integers(-50, 400)), max_size=30)


@given(lines)
def test_any_page_can_be_read(drawn: list[tuple[str, int]]) -> None:
    read = page(*drawn)
    assert len(read.titles) <= MOST_TITLES
    assert len(read.dois) <= MOST_DOIS
    assert all(title == " ".join(title.split()) and len(title) <= 500 for title in read.titles)
    assert "\0" not in read.text
    found = identify(read, [known(DOI="10.1000/alder"), known("bare", title="", author=[])])
    assert isinstance(found, Identified)


TITLE_WORDS = ("alder", "birch", "soil", "nitrogen", "young", "old", "stands", "growth", "part", "reply", "2", "3")
titles = st.lists(st.sampled_from(TITLE_WORDS), min_size=3).map(" ".join)


@given(
    titles.map(" ".join), titles.map(" ".join), st.sampled_from(["Menon", "Lund"]), st.sampled_from([2015, 2020, 2021])
)
def test_nothing_is_matched_that_the_gate_does_not_prove(printed: str, claimed: str, author: str, year: int) -> None:
    one = known(title=claimed)
    read = page((printed, 180), (f"Asha {author} {year}", 100), *body())
    found = identify(read, [one])
    graded = [grade(one.reference, printed_work(read, title, one), "search").grade for title in read.titles]
    assert (found.match is not None) == ("proven" in graded)
    assert not found.match or (author == "Menon" and year >= 2020)
