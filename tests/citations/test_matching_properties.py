"""Matching, whatever is in an entry or a record (SPEC C2)."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from citations.identity.gate import compare_fields, gate, types_compatible
from citations.identity.grade import grade
from citations.identity.normalise import LONGEST, first_page, plain, plain_german, volume
from citations.identity.reference import reference_from_csl, reference_from_work, without_retraction_mark
from citations.identity.title_similarity import likeness, numbers, opening_kind, same_numbers
from citations.identity.venues import same_venue
from citations.identity.verdict import judge
from citations.identity.verdict_types import Lookup, Search
from sources.work import Person, Work
from tests.citations.real_works import WORKS, entry
from tests.time_limits import HANGS

PIECES = st.sampled_from(
    [
        "<i>",
        "</sub>",
        "&amp;",
        "{",
        "}",
        "\\",
        "\\'e",
        "$",
        "$x_2$",
        "^",
        "ß",
        "ø",
        "Ü",
        "ü",
        "α",
        "αβ",
        "ς",
        "Ж",
        "ѓ",
        "漢",
        "हि",
    ]
    + [
        "II",
        "iv",
        "Part",
        "2",
        "20 133",
        ": ",
        " — ",
        "RETRACTED: ",
        "Reply",
        "The ",
        "\0",
        "\u202e",
        "ﬁ",
        "İ",
        "½",
        "²",
        "ǆ",
    ]
)
TEXT = st.lists(PIECES | st.text(max_size=6), max_size=10).map("".join) | st.text(max_size=60)
TITLES = TEXT.filter(lambda text: len(plain(without_retraction_mark(text))) > 0)
YEARS = st.none() | st.integers(1400, 2100)
TYPES = st.sampled_from(
    ["article-journal", "paper-conference", "book", "chapter", "article", "document", "thesis", "dataset"]
)
PEOPLE = st.builds(Person, family=TEXT.filter(bool), given=st.none() | TEXT) | st.builds(
    Person, literal=TEXT.filter(bool)
)
RECORDS = st.builds(
    Work,
    provider=st.just("crossref"),
    provider_id=st.just("x"),
    title=TEXT,
    authors=st.lists(PEOPLE, max_size=5).map(tuple),
    year=YEARS,
    venue=st.none() | TEXT,
    volume=st.none() | TEXT,
    pages=st.none() | TEXT,
    doi=st.none() | st.just("10.1000/x"),
    pmid=st.none() | st.just("123"),
    isbn=st.none() | st.just("9780521314190"),
    type=TYPES,
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["family", "given", "literal"]), inner, max_size=3)
    ),
    max_leaves=8,
)
VARIABLES = st.sampled_from(
    [
        "title",
        "author",
        "editor",
        "issued",
        "DOI",
        "PMID",
        "ISBN",
        "URL",
        "container-title",
        "volume",
        "page",
        "type",
        "custom",
    ]
    + ["number"]
)


@given(TEXT)
@example("RETRACTED: RETRACTED: x")
@example("&amp;lt;i&gt;")
@example("α β αβ ς")
@example("\\" + "{" * 900)
def test_normalising_twice_is_normalising_once(text: str) -> None:
    once = plain(text)
    assert plain(once) == once
    assert plain_german(plain_german(text)) == plain_german(text)
    assert once == " ".join(once.split())
    assert once == once.casefold()


@given(TEXT, TEXT)
def test_titles_compare_the_same_both_ways(one: str, other: str) -> None:
    assert likeness(one, other) == likeness(other, one)
    assert 0 <= likeness(one, other).similarity <= 1
    assert numbers(one).agree(numbers(other)) == numbers(other).agree(numbers(one))
    assert same_numbers(one, other) == same_numbers(other, one)
    assert same_venue(one, other) == same_venue(other, one)


@given(TITLES)
def test_a_title_is_like_itself(title: str) -> None:
    assert likeness(title, title).how == "same"
    assert same_numbers(title, title)
    assert opening_kind(title) == opening_kind(f" {title}")


@given(RECORDS, RECORDS)
def test_year_numbers_kind_and_type_are_tested_the_same_both_ways(one: Work, other: Work) -> None:
    """Authors are not: 60 % are asked of those that are claimed."""
    there, back = (
        gate(reference_from_work(mine), reference_from_work(theirs)) for mine, theirs in ((one, other), (other, one))
    )
    sides = [{test.name: test.passed for test in passed.tests} for passed in (there, back)]
    for name in ("year", "numbers", "kind", "type"):
        assert sides[0][name] == sides[1][name]
    assert types_compatible(one.type, other.type) == types_compatible(other.type, one.type)


@given(RECORDS)
def test_a_record_passes_the_gate_against_its_own_csl(record: Work) -> None:
    claim, own = reference_from_csl(record.csl()), reference_from_work(record)
    passed = gate(claim, own)
    assert passed.passed, passed.failed
    assert grade(claim, record, "doi").grade in {"proven", "probable"}
    assert all(row.agrees is not False for row in compare_fields(claim, own))


@given(
    RECORDS.filter(lambda record: bool(plain(without_retraction_mark(record.title)) and record.doi and record.authors))
)
def test_a_record_proves_its_own_csl(record: Work) -> None:
    lookups = [Lookup("doi", "10.1000/x", (record,)), Lookup("pmid", "123", (record,))]
    verdict = judge(reference_from_csl(record.csl()), lookups)
    assert (verdict.status, verdict.tier) == ("verified", "A"), verdict.reason


@given(st.dictionaries(VARIABLES, ANYTHING, max_size=8), RECORDS)
def test_no_entry_is_too_odd(csl: dict[str, Any], record: Work) -> None:
    claim = reference_from_csl(csl)
    for lookups in (
        [],
        [Lookup("doi", "10.1000/x", (record,))],
        [Lookup("isbn", "9780521314190", (record,), ("a service",))],
    ):
        for search in (None, Search((record,)), Search((), ("Crossref",))):
            verdict = judge(claim, lookups, search)
            assert verdict.reason
            assert (verdict.tier == "D") == (verdict.status in {"conflict", "not_found"})
            assert (verdict.tier in {"A", "B"}) == (verdict.status == "verified")


@given(TEXT)
def test_volumes_and_pages_of_any_text(text: str) -> None:
    assert first_page(text) == first_page(first_page(text))
    assert isinstance(volume(text), str)


@pytest.mark.timeout(HANGS)
def test_entries_of_great_length_are_compared_at_once() -> None:
    many = [{"family": f"Author{place}", "given": "A."} for place in range(500)]
    record = WORKS["i2"].model_copy(update={"authors": tuple(Person(**one) for one in many)})
    other = WORKS["i2"].model_copy(
        update={"authors": tuple(Person(family=f"Someone{place}") for place in range(3_000))}
    )
    title = "Measuring alder. " * 300_000
    assert len(title) > 5_000_000
    assert (
        judge(
            reference_from_csl(entry(record, author=many, PMID=None)), [Lookup("doi", str(record.doi), (record,))]
        ).tier
        == "A"
    )
    assert grade(reference_from_csl(entry(record, author=many)), other, "doi").grade == "other"
    for csl in (entry(record, title=title), entry(record, author=[{"family": title}, {"literal": title}], DOI=title)):
        judge(
            reference_from_csl(csl),
            [Lookup("doi", "10.1000/x", (record.model_copy(update={"title": title}),))],
            Search((record,)),
        )
    assert len(plain(title)) <= LONGEST


@pytest.mark.parametrize("bomb", ["\\sqrt[", "\\frac{", "\\href{", "]\\sqrt[", "\\frac{\\}", "\\(", "$x_{"])
@pytest.mark.timeout(HANGS)
def test_latex_that_never_closes_is_read_at_once(bomb: str) -> None:
    """The parser takes twice as long for each command more that stands inside another and does not end."""
    assert all(plain(bomb * times) is not None for times in (25, 300))


@pytest.mark.timeout(HANGS)
def test_thousands_of_verdicts_are_reached() -> None:
    entries = [reference_from_csl(entry(one)) for one in WORKS.values()]
    works = tuple(WORKS.values())
    lookups = [
        [Lookup("doi", one.doi or "", (work,)), Lookup("pmid", one.pmid or "", (work,))]
        for one, work in zip(entries, works, strict=True)
    ]
    for _ in range(15):
        for place, claim in enumerate(entries):
            judge(claim, lookups[place], Search(works[place : place + 5]))
