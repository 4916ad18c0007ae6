"""The identity gate: pairs of real works that look like one, and what each test of it says (SPEC C2)."""

from dataclasses import replace

import pytest

from citations.identity.gate import ComparedField, compare_fields, gate, types_compatible
from citations.identity.grade import grade
from citations.identity.reference import Reference, reference_from_csl, reference_from_work
from citations.identity.title_similarity import likeness
from sources.retractions import Update
from sources.work import Work
from tests.citations.real_works import WORKS, work

BOOK = work("Human Error", "Reason, James", 1990, "", isbn="9780521314190", type="book")
REVIEW = work(
    "Human Error", "Wiener, Earl L.", 1991, "The American Journal of Psychology", "104, 605-611", doi="10.2307/1422948"
)

HAZARDS: list[tuple[str, Work, Work, str]] = [
    ("the second part", WORKS["jaynes1"], WORKS["jaynes2"], "numbers"),
    (
        "I and II",
        work("Predictive coding I: Introduction", "Spratling, M. W.; Rao, R.", 2017),
        work("Predictive coding II: The computational level", "Spratling, M. W.; Rao, R.", 2017),
        "numbers",
    ),
    (
        "parts that differ in one figure",
        work("Harms from uptitrated drugs in primary care: Part 1", "Moss, D.; Ibe, C.", 2018),
        work("Harms from uptitrated drugs in primary care: Part 2", "Moss, D.; Ibe, C.", 2018),
        "numbers",
    ),
    (
        "two oxides",
        work("Optical properties of Cu2O", "Ito, T.; Yamaguchi, H.", 1998, doi="10.1000/1"),
        work("Optical properties of CuO", "Ito, T.; Yamaguchi, H.", 1998, doi="10.1000/2"),
        "numbers",
    ),
    (
        "two oxides, set as formulas",
        work("Optical properties of Cu$_2$O", "Ito, T.; Yamaguchi, H.", 1998),
        work("Optical properties of CuO", "Ito, T.; Yamaguchi, H.", 1998),
        "numbers",
    ),
    ("two updates", WORKS["ctd2011"], WORKS["ctd2013"], "numbers"),
    ("one title, two authors, fifteen years", WORKS["starr"], WORKS["brattain"], "first author"),
    ("a review of the book", BOOK, REVIEW, "first author"),
    ("a book and a paper of one author", BOOK, work("Human Error", "Reason, James", 1990, "BMJ"), "type"),
    (
        "a reply",
        work("Measuring inconsistency in meta-analyses", "Higgins, J.", 2003),
        work("Reply: Measuring inconsistency in meta-analyses", "Higgins, J.", 2003),
        "kind",
    ),
    (
        "a comment",
        work("Measuring inconsistency in meta-analyses", "Higgins, J.", 2003),
        work("Comment on “Measuring inconsistency in meta-analyses”", "Higgins, J.", 2003),
        "kind",
    ),
    (
        "an erratum",
        work("Measuring inconsistency in meta-analyses", "Higgins, J.", 2003),
        work("Erratum: Measuring inconsistency in meta-analyses", "Higgins, J.", 2003),
        "kind",
    ),
    (
        "the notice of a retraction",
        WORKS["mehra"],
        WORKS["mehra"].model_copy(
            update={"title": WORKS["mehra"].title.replace("RETRACTED: ", "Retraction—"), "doi": None}
        ),
        "kind",
    ),
    (
        "a thesis",
        work("Alder in mixed stands of beech", "Ibe, C.", 2012, type="thesis"),
        work("Alder in mixed stands of beech", "Ibe, C.", 2012),
        "type",
    ),
    (
        "the data of a paper",
        WORKS["i2"],
        WORKS["i2"].model_copy(update={"type": "dataset", "doi": "10.5061/x"}),
        "type",
    ),
]


@pytest.mark.parametrize(("one", "other", "test"), [pytest.param(*rest, id=name) for name, *rest in HAZARDS])
def test_works_that_look_like_one(one: Work, other: Work, test: str) -> None:
    """Whichever of the two is claimed, the other is refused, by that test among others, and never proves it."""
    for claim, found in ((reference_from_csl(one.csl()), other), (reference_from_csl(other.csl()), one)):
        failed = {
            failure.name: failure.reason for failure in gate(claim, reference_from_work(found), doi_matches=True).failed
        }
        assert test in failed
        assert all(reason.endswith(".") for reason in failed.values())
        assert grade(claim, found, "doi").grade == "other"
        assert grade(claim, found, "search").grade == "other"


def test_a_record_passes_the_gate_against_itself() -> None:
    for one in WORKS.values():
        passed = gate(reference_from_csl(one.csl()), reference_from_work(one))
        assert passed.passed, passed.failed


@pytest.mark.parametrize(
    ("claimed_year", "year", "doi_matches", "version", "passed"),
    [
        (2020, 2021, False, None, True),
        (2021, 2020, False, None, True),
        (2019, 2021, True, None, False),
        (2018, 2021, True, "10.1101/2018.01.01.111111", True),
        (2018, 2021, False, "10.1101/2018.01.01.111111", False),
        (2017, 2021, True, "10.1101/2018.01.01.111111", False),
        (None, 2021, True, None, None),
        (2021, None, True, None, None),
    ],
)
def test_years(
    claimed_year: int | None, year: int | None, doi_matches: bool, version: str | None, passed: bool | None
) -> None:
    record = reference_from_work(work("A title", "Adams, A.", year, preprint_doi=version))
    found = gate(Reference(year=claimed_year), record, doi_matches=doi_matches).tests[2]
    assert (found.name, found.passed) == ("year", passed)


@pytest.mark.parametrize(
    ("claim", "record", "agree"),
    [
        ("Trends: part two", "Trends: Part II", True),
        ("Trends, second edition", "Trends, 2nd edition", True),
        ("Phase IIb trial of alder", "Phase 2b trial of alder", True),
        ("Features of 20 133 patients", "Features of 20,133 patients", True),
        ("Features of 20133 patients", "Features of 20 133 patients", True),
        ("Steroids within 14 days", "Steroids within 1.4 days", False),
        ("COVID-19 in adults", "Covid 19 in adults", True),
        ("Beech v oak", "Beech versus oak", True),
        ("X-ray imaging", "Xray imaging", True),
        ("Uptake of CO₂", "Uptake of CO<sub>2</sub>", True),
        ("Trends in alder", "Trends in alder: an update", False),
        ("Trends in alder", "Trends in alder revisited", False),
        ("Trends in alder 2011", "Trends in alder 2013", False),
        ("Type 1 diabetes", "Type 2 diabetes", False),
        ("Type I error", "Type II error", False),
    ],
)
def test_numbers_of_titles(claim: str, record: str, agree: bool) -> None:
    tests = {test.name: test.passed for test in gate(Reference(title=claim), Reference(title=record)).tests}
    assert tests["numbers"] is agree


def test_numbers_of_a_subtitle_that_is_left_out() -> None:
    """Where only the DOI can tell which one is meant, it does; without one, a person is asked."""
    one = work(
        "Global burden of alder disease: a systematic analysis of the 2019 survey",
        "Adams, A.",
        2020,
        "BMJ",
        doi="10.1000/x",
    )
    claim = reference_from_csl({**one.csl(), "title": "Global burden of alder disease"})
    assert gate(claim, reference_from_work(one)).tests[3].passed is None
    assert grade(claim, one, "doi").grade == "proven"
    assert grade(claim, one, "search").grade == "probable"


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        ("article-journal", "paper-conference", True),
        ("paper-conference", "chapter", True),
        ("article-journal", "article", True),
        ("document", "book", True),
        ("webpage", "report", True),
        ("report", "book", True),
        ("book", "article-journal", False),
        ("book", "chapter", False),
        ("book", "review-book", False),
        ("article-journal", "review", False),
        ("article-journal", "dataset", False),
        ("article-journal", "periodical", False),
        ("thesis", "book", False),
    ],
)
def test_types(one: str, other: str, agree: bool) -> None:
    assert types_compatible(one, other) is agree
    assert types_compatible(other, one) is agree


@pytest.mark.parametrize(
    ("one", "other", "how"),
    [
        ("Alder in mixed stands of beech", "ALDER IN MIXED STANDS OF BEECH.", "same"),
        ("Multidrug resistance in alder", "Multi-drug resistance in alder", "same"),
        ("The effect of alder", "Effect of alder", "same"),
        ("TNF-α in alder & beech", "TNF-alpha in alder and beech", "same"),
        (r"{\"U}ber Erlen und $\beta$-Blocker", "Ueber Erlen und beta-Blocker", "same"),
        ("Alder in mixed stands", "Alder in mixed stands: a cohort study", "part"),
        ("Alder in mixed stands", "Alder in mixed stands — a cohort study", "part"),
        (
            "Tumour growth in paediatric haematology patients",
            "Tumor growth in pediatric hematology patients",
            "spelling",
        ),
        ("Randomised trial of dexamethasone in hospital", "Randomized trial of dexamethsone in hospital", "spelling"),
        (
            "Prevalence of typhoid fever in hospital patients of Kenya",
            "Prevalence of typhus fever in hospital patients of Kenya",
            "words",
        ),
        (
            "Effect of zinc sulfate on the growth of black alder",
            "Effect of zinc sulfite on the growth of black alder",
            "words",
        ),
        (
            "Models of the growth of black alder in wet stands",
            "Model of the growth of black alder in wet stands",
            "words",
        ),
        (
            "Hypotension in adults who were given dexamethasone",
            "Hypertension in adults who were given dexamethasone",
            "words",
        ),
        ("Alder in mixed stands of beech", "Alder in mixed stands of beech that grow on wet soil by the sea", "cut"),
        ("Alder", "Alder: growth in mixed stands", "cut"),
        ("Alder in mixed stands", "Oak trees of the southern hills", "other"),
        ("", "Oak trees of the southern hills", "unknown"),
    ],
)
def test_likeness_of_titles(one: str, other: str, how: str) -> None:
    assert likeness(one, other).how == how
    turned = likeness(other, one)
    assert turned.how == ("longer" if how == "part" else how)
    assert turned.similarity == likeness(one, other).similarity


def test_the_difference_is_told_field_by_field() -> None:
    claim = replace(
        reference_from_csl(WORKS["rob2"].csl()), year=2018, venue="Nature", volume="366", pages="1-4", pmid=None
    )
    rows = {row.field: row for row in compare_fields(claim, reference_from_work(WORKS["rob2"]))}
    assert rows["title"].agrees is True
    assert rows["authors"] == ComparedField(
        "authors",
        "Sterne, Jonathan A C; Savović, Jelena; Page, Matthew J; Elbers, Roy G; Blencowe, Natalie S",
        "Sterne, Jonathan A C; Savović, Jelena; Page, Matthew J; Elbers, Roy G; Blencowe, Natalie S",
        True,
    )
    assert rows["year"] == ComparedField("year", "2018", "2019", False)
    assert rows["venue"] == ComparedField("venue", "Nature", "BMJ", False)
    assert rows["volume"] == ComparedField("volume", "366", "366", True)
    assert rows["pages"] == ComparedField("pages", "1-4", "l4898", False)
    assert rows["doi"] == ComparedField("doi", "10.1136/bmj.l4898", "10.1136/bmj.l4898", True)
    assert rows["pmid"] == ComparedField("pmid", "", "31462531", None)


def test_a_record_of_a_notice_is_no_proof() -> None:
    """Some notices have the title of the work they are about."""
    notice = WORKS["i2"].model_copy(update={"notice_of": (Update(type="retraction", doi="10.1000/y"),)})
    found = grade(reference_from_csl(WORKS["i2"].csl()), notice, "doi")
    assert (found.grade, found.doubts) == ("probable", ("The record is a notice about another work.",))
