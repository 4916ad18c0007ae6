"""Is a node answered? Emptiness never is (R6, R7)."""

from llm.offline.sufficiency import sufficiency
from llm.roles import FindingDraft, Sufficiency, SufficiencyAsked

QUESTION = "Do corticosteroids, compared with placebo, reduce mortality in pneumonia?"


def judged(*categories: str, depth: int = 0, documents: int = 2, perspective: str = "") -> Sufficiency:
    findings = [
        FindingDraft(content=f"It fell {n}.", source_id="a", quote=f"It fell {n}.", confidence=0.5, category=category)
        for n, category in enumerate(categories)
    ]
    return sufficiency(
        SufficiencyAsked(
            question=QUESTION,
            node_question=QUESTION,
            perspective=perspective,
            depth=depth,
            findings=findings,
            documents=documents if findings else 0,
            min_sources=2,
        )
    )


def test_nothing_is_never_enough() -> None:
    answer = judged()
    assert not answer.is_sufficient
    assert answer.gaps[0].description == "Nothing found on: corticosteroids, mortality, pneumonia"
    assert answer.gaps[0].suggested_queries


def test_nothing_at_a_part_names_the_part() -> None:
    assert judged(depth=1, perspective="comparison").gaps[0].description == "Nothing found on: comparison (placebo)"


def test_a_root_with_several_sides_is_looked_at_one_by_one() -> None:
    answer = judged("outcome", "population", "exposure")
    assert not answer.is_sufficient
    assert [gap.description for gap in answer.gaps] == ["Nothing found on: comparison (placebo)"]


def test_a_root_with_one_side_needs_enough_sources() -> None:
    assert judged("outcome").is_sufficient
    assert not judged("outcome", documents=1).is_sufficient


def test_a_part_that_rests_on_one_source_names_that_as_a_gap() -> None:
    answer = judged("outcome", depth=1, documents=1)
    assert not answer.is_sufficient
    assert answer.reasoning.endswith("2 sources are wanted.")
    assert len(answer.gaps) == 1
    assert "only 1 source found" in answer.gaps[0].description.lower()
    assert judged("outcome", depth=1, documents=2).is_sufficient
