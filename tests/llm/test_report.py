"""Findings become a report; nothing is lost and nothing is made up (R9, R10)."""

import re

import pytest

from llm.offline.report import NOTHING, synthesize, title_of
from llm.roles import CitedFinding, ContradictionDraft, Heading, Synthesis, SynthesizeAsked

HEADINGS = [
    Heading(key="summary", title="Executive Summary", rule="the few strongest findings"),
    Heading(key="introduction", title="Introduction & Scope", rule="who and what was studied; definitions"),
    Heading(key="themes", title="Thematic Analysis", rule="a ### per theme; themes, not a list of studies"),
    Heading(key="methods", title="Methodological Approaches", rule="designs, samples, analysis methods"),
    Heading(key="debates", title="Key Debates & Contradictions", rule="both sides of each conflict"),
    Heading(key="gaps", title="Research Gaps & Future Directions", rule="what was not found"),
    Heading(key="conclusions", title="Conclusions", rule="what the evidence allows to say"),
]
TABLE = "| a | b |\n|---|---|\n| x | 3% |"


def finding(number: int, content: str, category: str, document: str = "a.md") -> CitedFinding:
    return CitedFinding(
        id=f"F1.1-{number}",
        content=content,
        category=category,
        source_id=f"{document}::S1",
        document=document,
        node="1.1",
        node_question="?",
        confidence=0.5,
    )


FINDINGS = [
    finding(1, "Mortality fell to 6.2%.", "outcome"),
    finding(2, "Adults were enrolled.", "population"),
    finding(3, "It was a randomised trial in 31 hospitals.", "population"),
    finding(4, "Mortality did not differ.", "disagreement", "b.md"),
    finding(5, "It was stopped early.", "limits"),
    finding(6, TABLE, "outcome"),
    finding(7, "Something else stood there.", "other"),
]
OPPOSED = ContradictionDraft(
    description="A says: “Mortality fell to 6.2%.” B says: “Mortality did not differ.”",
    source_ids=["a.md::S1", "b.md::S1"],
)


def synthesised(headings: list[Heading] = HEADINGS, gaps: tuple[str, ...] = ("Nothing found on: cost",)) -> Synthesis:
    return synthesize(
        SynthesizeAsked(
            question="Do corticosteroids help?",
            brief="",
            query_type="literature_review",
            headings=headings,
            findings=FINDINGS,
            contradictions=[OPPOSED],
            gaps=list(gaps),
        )
    )


@pytest.mark.parametrize("headings", [HEADINGS, HEADINGS[:1], HEADINGS[4:], [Heading(key="x", title="Y", rule="z")]])
def test_every_finding_is_cited_whatever_the_headings(headings: list[Heading]) -> None:
    sections = synthesised(headings).sections
    assert [section.key for section in sections] == [heading.key for heading in headings]
    cited = set(re.findall(r"\[\[(.+?)\]\]", "\n".join(section.body for section in sections)))
    assert cited == {each.id for each in FINDINGS}


def test_nothing_stands_there_that_is_not_quoted() -> None:
    """The engine writes headings, the gaps it names and one line for an empty section; the rest are quotes."""
    for section in synthesised().sections:
        rest = section.body
        for each in FINDINGS:
            rest = rest.replace(each.content, "").replace(f"[[{each.id}]]", "")
        rest = re.sub(r"^###.*$|^- Nothing found on: cost\.$", "", rest, flags=re.MULTILINE)
        assert rest.strip() in ("", NOTHING)


def test_sentences_go_where_they_belong() -> None:
    body = {section.key: section.body for section in synthesised().sections}
    assert "Adults were enrolled. [[F1.1-2]]" in body["introduction"]
    assert "randomised trial" in body["methods"]
    assert "### Limits" in body["themes"]
    assert "Mortality fell to 6.2%. [[F1.1-1]]\n\nMortality did not differ. [[F1.1-4]]" in body["debates"]
    assert body["gaps"] == "- Nothing found on: cost."


def test_the_marker_of_a_table_stands_behind_it() -> None:
    body = next(section.body for section in synthesised().sections if section.key == "themes")
    assert f"{TABLE} [[F1.1-6]]\n\n" in body


def test_the_summary_repeats_at_most_three() -> None:
    body = synthesised().sections[0].body
    assert 1 <= body.count("[[") <= 3


def test_a_question_becomes_a_title() -> None:
    assert title_of(" do  steroids help? ") == "Do steroids help"
    assert len(title_of("word " * 100)) <= 201
