"""Brief, searches and the split of a question (R3, R4, R5)."""

from llm.offline.plan import brief, decompose, research
from llm.roles import BriefAsked, DecomposeAsked, Passage, ResearchAsked
from tests.llm.question_tree import passages_of

QUESTION = "In adults with pneumonia, do corticosteroids, compared with placebo, reduce 28-day mortality?"
NOTES = """# Corticosteroids in pneumonia

Adults with pneumonia, n = 800, were enrolled in 31 hospitals.

Hydrocortisone 200 mg a day was given for 8 days.

Mortality at day 28 was 6.2% with hydrocortisone and 11.9% with placebo.

Cautions: the trial was stopped early.
"""


def test_the_brief_is_in_the_first_person_with_the_key_terms() -> None:
    answer = brief(BriefAsked(question=QUESTION))
    assert answer.text.startswith("I am looking for ")
    assert QUESTION in answer.text
    assert answer.key_terms == ["adults", "pneumonia", "corticosteroids", "28-day mortality"]
    assert answer.source_preferences == []


def test_an_academic_brief_settles_the_scope() -> None:
    """R3: what the profile fixes is filled in, the rest has a default."""
    answer = brief(BriefAsked(question=QUESTION, academic=True, scope={"disciplinary_scope": ["medicine"]}))
    assert "Disciplines: medicine" in answer.scope_boundaries
    assert "Time period: seminal work of any age and the last 5 to 10 years" in answer.scope_boundaries
    assert answer.source_preferences[:2] == ["peer-reviewed articles", "systematic reviews"]


def research_request(**given: object) -> ResearchAsked:
    return ResearchAsked.model_validate({"question": QUESTION, "node_question": QUESTION, "calls_left": 10, **given})


def test_the_first_turn_asks_a_batch_of_different_queries() -> None:
    act = research(research_request())
    assert act.tool == "web_search"
    assert len({query.casefold() for query in act.queries}) == len(act.queries) > 3
    assert any("hydrocortisone" in query for query in act.queries)
    assert any("deaths" in query for query in act.queries)


def test_the_batch_keeps_to_the_calls_left() -> None:
    assert len(research(research_request(calls_left=2)).queries) == 2
    assert research(research_request(calls_left=0)).tool == "research_complete"


def test_a_part_asks_with_the_words_of_its_facet() -> None:
    assert "limitations" in research(research_request(perspective="limits", node_question="Limits: ...")).queries[0]


def test_a_later_turn_asks_for_abbreviations_that_were_found_and_then_ends() -> None:
    found = Passage(source_id="a", document="a", title="a", text="Community-acquired pneumonia (CAP) is common.")
    act = research(research_request(asked_before=["x"], found=[found], new_last_turn=1))
    assert act.queries == ["CAP"]
    assert (
        research(research_request(asked_before=["x", "cap"], found=[found], new_last_turn=1)).tool
        == "research_complete"
    )
    assert research(research_request(asked_before=["x"], found=[found], new_last_turn=0)).tool == "research_complete"


def split(notes: str, at_most: int = 7, perspective: str = "") -> DecomposeAsked:
    return DecomposeAsked(
        question=QUESTION,
        node_question=QUESTION,
        perspective=perspective,
        depth=0,
        at_most=at_most,
        passages=passages_of(notes),
    )


def test_a_question_is_split_into_the_facets_that_have_evidence() -> None:
    directives = decompose(split(NOTES)).directives
    assert {directive.perspective for directive in directives} == {"population", "exposure", "outcome", "limits"}
    assert directives[0].question == "Outcome: what is reported on 28-day mortality?"
    assert len({directive.topic for directive in directives}) == len(directives)
    assert all(directive.evidence_needed for directive in directives)


def test_no_more_parts_than_asked_for() -> None:
    assert len(decompose(split(NOTES, at_most=2)).directives) == 2


def test_fewer_than_two_facets_are_not_split_and_the_reason_is_said() -> None:
    answer = decompose(split("Mortality in pneumonia was 6.2% with hydrocortisone."))
    assert answer.directives == []
    assert "one side" in answer.rationale
    assert "no side" in decompose(split("Rye bread, 45 minutes.")).rationale
    assert decompose(split(NOTES, perspective="outcome")).directives == []
