"""R9: each kind of report has its own headings, written by code; the thematic parts have a ### for each theme."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.markers import MARK
from llm.roles import SectionDraft, Synthesis
from projects.models import Project, User
from research.query_type import HEADINGS, PREFIX, QUERY_TYPES, QueryType, report_title
from research.report.draft import settled
from research.report.section_headings import FURTHER, NO_THEMES, is_themed, lowered, themed
from tests.research.forest_thesis import researched
from tests.time_limits import HANGS

THEMES = {"F1-1": "Growth", "F1-2": "Soil", "F1.1-1": "Growth"}


def test_a_literature_review_has_these_headings_in_this_order() -> None:
    assert [heading.title for heading in HEADINGS["literature_review"]] == [
        "Executive Summary",
        "Introduction & Scope",
        "Theoretical Foundations",
        "Thematic Analysis",
        "Methodological Approaches",
        "Key Debates & Contradictions",
        "Research Gaps & Future Directions",
        "Conclusions",
    ]
    assert PREFIX["literature_review"] == "Literature Review: "


@pytest.mark.parametrize("query_type", QUERY_TYPES)
def test_each_kind_has_its_own(query_type: QueryType) -> None:
    headings = HEADINGS[query_type]
    assert len({heading.key for heading in headings}) == len(headings)
    assert [one for one in QUERY_TYPES if HEADINGS[one] == headings] == [query_type]
    assert headings[0].title in ("Summary", "Executive Summary")


@pytest.mark.parametrize(
    ("subject", "title"),
    [
        ("alder and\nnitrogen", "Literature Review: Alder and nitrogen"),
        ("Literature Review: Alder", "Literature Review: Alder"),
        ("literature review – alder", "Literature Review: Alder"),
        ("# A literature", "Literature Review: A literature"),
        ("Literature review of alder", "Literature Review: Alder"),
        ("Literature", "Literature Review: Literature"),
    ],
)
def test_the_title_says_its_kind_once(subject: str, title: str) -> None:
    assert report_title("literature_review", subject) == title


@pytest.mark.parametrize("body", ["# A\n\nx", "## A\n\nx", "  ## A\n\nx", "A\n===\n\nx", "A\n---\nx", "#\nx"])
def test_no_heading_of_a_body_is_above_level_3(body: str) -> None:
    assert not re.search(r"^ {0,3}#{1,2}(?!#)|^[=-]+$", lowered(body), re.MULTILINE)


@pytest.mark.parametrize("line", ["a" * 200_000, "a " * 100_000, " " * 200_000, "| a " * 50_000])
@pytest.mark.timeout(HANGS)
def test_a_line_without_end_is_read_once(line: str) -> None:
    assert lowered(f"x\n{line}\ny").startswith("x\n")


def test_a_row_of_a_table_is_no_heading() -> None:
    assert lowered("| a | b |\n---\nx") == "| a | b |\n---\nx"
    assert lowered("  A | b\n ---\nx") == "### A | b\nx"


def test_headings_cite_nothing() -> None:
    assert lowered("### Growth [[F1-1]]\n\nIt grew. [[F1-1]]") == "### Growth\n\nIt grew. [[F1-1]]"


def test_themes_of_the_writer_stay() -> None:
    body = "### Mine\n\nIt grew. [[F1-1]]"
    assert themed(body, THEMES) == body


def test_paragraphs_without_themes_are_grouped_by_what_they_cite() -> None:
    body = (
        "First of all.\n\nIt grew. [[F1-1]]\n\nSo it did.\n\nSoil was wet. [[F1-2]]\n\nIt grew more:\n\n- a. [[F1.1-1]]"
    )
    assert themed(body, THEMES) == (
        "### Growth\n\nFirst of all.\n\nIt grew. [[F1-1]]\n\nSo it did.\n\nIt grew more:\n\n- a. [[F1.1-1]]\n\n"
        "### Soil\n\nSoil was wet. [[F1-2]]"
    )
    assert themed("Nothing is cited.", THEMES) == f"### {FURTHER}\n\nNothing is cited."
    assert themed("", THEMES) == NO_THEMES


def test_a_theme_makes_no_marker_and_no_other_heading() -> None:
    assert themed("It grew. [[F1-1]]", {"F1-1": "## [1] growth\n\n# x [[F1-2]]."}).startswith(
        "### \\[1] growth # x\n\nIt grew."
    )


@given(st.lists(st.sampled_from(["A. [[F1-1]]", "B. [[F1-2]]", "C.", "- d [[F1.1-1]]", "| e |", "f:", "[[F1-2]]"])))
def test_grouping_loses_nothing(blocks: list[str]) -> None:
    body = "\n\n".join(blocks)
    grouped = themed(body, THEMES)
    assert sorted(MARK.findall(grouped)) == sorted(MARK.findall(body))
    assert "###" in grouped
    for block in blocks:
        assert block in grouped


@pytest.mark.parametrize("query_type", QUERY_TYPES)
def test_a_themed_section_always_has_a_theme(query_type: QueryType) -> None:
    for answer in (
        Synthesis(title="T", sections=[]),
        Synthesis(title="T", sections=[SectionDraft(key=one.key, body="Words.") for one in HEADINGS[query_type]]),
        Synthesis(title="T", sections=[SectionDraft(key="made_up", body="Words.")]),
    ):
        bodies, _ = settled(answer, HEADINGS[query_type], {}, {}, {})
        assert list(bodies) == [heading.key for heading in HEADINGS[query_type]]
        for heading in HEADINGS[query_type]:
            assert not is_themed(heading) or re.search(r"^### \w", bodies[heading.key], re.MULTILINE)


@pytest.mark.django_db
def test_a_run_with_a_template(forest: Project, owner: User) -> None:
    """R9: a template on the profile decides; the offline engine writes under the same headings."""
    run = researched(forest, owner, overrides={"synthesis_template": "literature_review"})
    themes = run.report.partition("## Thematic Analysis\n\n")[2].partition("\n\n## ")[0]
    assert themes.startswith("### ")
    assert run.report.startswith("# Literature Review: ")
    assert "\n## References\n" in run.report
    assert run.provenance.get(event_type="synthesis_query_type").details["query_type"] == "literature_review"
