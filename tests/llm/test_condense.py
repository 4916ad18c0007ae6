"""Passages become findings and contradictions, word for word (R7, R13)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm.offline.condense import condense
from llm.offline.facets import BY_KEY
from llm.roles import CondenseAsked, Condensed, Passage
from tests.llm.question_tree import passages_of

QUESTION = "Does alder raise soil nitrogen under spruce?"
NOTES = """# Alder under spruce

With alder soil nitrogen was 0.34%, without alder 0.21%. The stands were 40 years old, n = 12.

Soil nitrogen did not differ in the dry year. However, only three plots were measured then.
"""


def condensed(*passages: Passage, perspective: str = "", at_most: int = 12) -> Condensed:
    return condense(
        CondenseAsked(
            question=QUESTION,
            node_question=QUESTION,
            perspective=perspective,
            passages=list(passages),
            at_most=at_most,
        )
    )


def test_a_finding_is_a_sentence_of_its_source() -> None:
    passages = passages_of(NOTES)
    texts = {passage.source_id: passage.text for passage in passages}
    found = condensed(*passages).findings
    assert found
    assert all(finding.quote in texts[finding.source_id] and finding.content == finding.quote for finding in found)
    assert all(0 <= finding.confidence <= 1 for finding in found)


def test_the_same_passages_give_the_same_findings_in_whatever_order_they_come() -> None:
    passages = passages_of(NOTES) + passages_of(NOTES.replace("0.34", "0.35"), "other.md")
    assert condensed(*passages) == condensed(*reversed(passages))


def test_the_parts_share_no_sentence_and_the_root_has_all() -> None:
    """R4: each sentence belongs to one facet."""
    passages = passages_of(NOTES)
    parts = [finding.content for key in BY_KEY for finding in condensed(*passages, perspective=key).findings]
    assert len(parts) == len(set(parts))
    assert set(parts) <= {finding.content for finding in condensed(*passages, at_most=50).findings}


def test_what_two_files_both_say_is_quoted_once() -> None:
    found = condensed(*passages_of(NOTES), *passages_of(NOTES, "copy.md"), at_most=50).findings
    contents = [finding.content for finding in found]
    assert len(contents) == len(set(contents))


def test_no_more_than_asked_for_and_every_facet_first() -> None:
    found = condensed(*passages_of(NOTES), at_most=3).findings
    assert len(found) == 3
    assert len({finding.category for finding in found}) == 3


def test_sources_that_oppose_each_other_are_a_contradiction_of_two_quotes() -> None:
    up = passages_of("In the wet stands alder increased soil nitrogen by 30%.", "wet.md")
    none = passages_of("Alder had no effect on soil nitrogen in the sandy stands.", "sandy.md")
    (found,) = condensed(*up, *none).contradictions
    assert found.source_ids == ["sandy.md::S1", "wet.md::S1"]
    assert "“Alder had no effect on soil nitrogen in the sandy stands.”" in found.description
    assert "“In the wet stands alder increased soil nitrogen by 30%.”" in found.description


def test_disjoint_intervals_for_one_measure_are_a_contradiction() -> None:
    low = passages_of("Soil nitrogen under alder: mean difference 0.10 (95% CI 0.05 to 0.15).", "low.md")
    high = passages_of("Soil nitrogen under alder: mean difference 0.40 (95% CI 0.30 to 0.50).", "high.md")
    assert len(condensed(*low, *high).contradictions) == 1


def test_one_source_does_not_contradict_itself_here() -> None:
    both = "Alder increased soil nitrogen by 30%. Alder had no effect on soil nitrogen in sand."
    assert condensed(*passages_of(both)).contradictions == []


@pytest.mark.parametrize(
    "text",
    [
        (
            "The Wet trial found that alder increased soil nitrogen by 30%.\n\nIn the "
            "Sandy trial alder had no effect on soil nitrogen."
        ),
        (
            "Okafor (2003) found that alder increased soil nitrogen. Rossi "
            "(1999) found no effect of alder on soil nitrogen."
        ),
        (
            "# Wet stands\n\nAlder increased soil nitrogen by 30%.\n\n# Sandy "
            "stands\n\nAlder had no effect on soil nitrogen."
        ),
    ],
)  # fmt: skip
def test_two_studies_or_sections_of_one_file_can_disagree(text: str) -> None:
    (found,) = condensed(*passages_of(text, "notes.md")).contradictions
    assert {id.partition("::")[0] for id in found.source_ids} == {"notes.md"}
    assert len(found.sides) == 2
    assert all(side.says in text for side in found.sides)


def test_nothing_found_is_said() -> None:
    answer = condensed(*passages_of("Rye bread needs 45 minutes at 230 degrees."))
    assert answer.findings == []
    assert answer.summary == "Nothing in these passages speaks to the question."


@given(st.text(max_size=200), st.text(max_size=300), st.text(max_size=30))
def test_any_text_can_be_asked_and_answered(question: str, text: str, title: str) -> None:
    passage = Passage(source_id="x::S1", document="x", title=title, heading=title, text=f"{text}\n\n{question}. 12%")
    asked = CondenseAsked(question=question, node_question=question, passages=[passage])
    answer = condense(asked)
    assert all(finding.quote in passage.text for finding in answer.findings)
    assert answer == condense(asked)
