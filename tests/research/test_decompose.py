"""R4: no two directives alike, at most seven, and in academic mode the ones that must be there."""

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from llm.roles import Decomposition, Directive
from research.setup.limits import MAX_CHILDREN
from research.supervision.directives import (
    SAME,
    Academic,
    clean_plan,
    disciplines_of,
    is_recent,
    is_seminal,
    overlap,
)

QUESTION = "How does red alder change soil nitrogen?"
TODAY = date(2026, 11, 22)


def part(question: str, topic: str = "", **fields: object) -> Directive:
    return Directive.model_validate({"topic": topic or question, "question": question, "perspective": "", **fields})


def plan(*directives: Directive) -> Decomposition:
    return Decomposition(directives=list(directives), rationale="Why.")


def test_near_duplicates_become_one() -> None:
    answer = clean_plan(
        QUESTION,
        plan(
            part("How does red alder change soil nitrogen on dry sites?", evidence_needed="plots"),
            part("How does red alder change soil nitrogen on wet sites?"),
            part("On dry sites, how does soil nitrogen change with red alder?", priority=1, evidence_needed="years"),
        ),
    )
    assert [one.question[-10:] for one in answer.directives] == ["dry sites?", "wet sites?"]
    assert (answer.directives[0].priority, answer.directives[0].evidence_needed) == (1, "plots; years")
    assert answer.rationale.startswith("Why. Merged “On dry sites")


def test_numbers_tell_parts_apart() -> None:
    assert overlap("What of alder, part 1?", "What of alder, part 2?", "What of alder?") < SAME
    assert overlap("What of alder?", "What of alder?", "What of alder?") == 1


def test_an_academic_plan_gets_what_it_lacks() -> None:
    academic = Academic(TODAY, ["forestry", "soil science"])
    answer = clean_plan(QUESTION, plan(part("What does forestry say of growth?")), first_of=academic)
    assert [one.topic for one in answer.directives[1:]] == [
        "Seminal works",
        "Recent empirical studies",
        "Research in soil science",
    ]
    seminal, recent, _ = answer.directives[1:]
    assert seminal.perspective == "theory"
    assert "since 2021" in recent.question
    assert "effect sizes" in recent.evidence_needed
    assert "Added, since the plan had none: “Seminal works”" in answer.rationale
    assert clean_plan(QUESTION, answer, first_of=academic).directives == answer.directives, "once is enough"


def test_what_is_there_is_not_added() -> None:
    given_ = plan(
        part("Which landmark studies shaped the field?"),
        part("What was found in the last five years on growth?"),
        part("Which designs were used?"),
    )
    assert clean_plan(QUESTION, given_, first_of=Academic(TODAY, [])) == given_


def test_one_discipline_needs_no_directive_of_its_own() -> None:
    answer = clean_plan(QUESTION, plan(), first_of=Academic(TODAY, ["forestry"]))
    assert [one.topic for one in answer.directives] == [
        "The question as it stands",
        "Seminal works",
        "Recent empirical studies",
    ]


def test_recent_is_counted_from_the_day_of_the_run() -> None:
    assert is_recent(part("How has it changed since 2022?"), TODAY)
    assert not is_recent(part("How has it changed since 2010?"), TODAY)
    assert is_seminal(part("x", evidence_needed="the most cited works"))
    assert not is_seminal(part("Which works are new?"))


def test_disciplines_of_the_profile_come_before_those_of_the_brief() -> None:
    said = ["Red alder only.", "Disciplines: forestry, soil science and economics."]
    assert disciplines_of((), said) == ["forestry", "soil science", "economics"]
    assert disciplines_of(("law",), said) == ["law"]
    assert disciplines_of((), ["Red alder only."]) == []


def test_the_one_recent_study_stays_behind_many_seminal_ones() -> None:
    seminal = [
        part(f"seminal {word}", priority=0) for word in ("growth", "soil", "leaf", "water", "fire", "frost", "root")
    ]
    answer = clean_plan(QUESTION, plan(*seminal, part("recent shade", priority=9)), first_of=Academic(TODAY, []))
    assert len(answer.directives) == MAX_CHILDREN
    assert any(is_recent(one, TODAY) for one in answer.directives)


WORDS = st.sampled_from(
    [
        "growth",
        "soil",
        "leaf",
        "water",
        "fire",
        "frost",
        "cost",
        "root",
        "shade",
        "height",
        "seminal",
        "recent",
        "1",
        "2",
        "3",
    ]
)
PARTS = st.builds(lambda words, priority: part(" ".join(words), priority=priority), st.lists(WORDS), st.integers(-3, 9))


@given(st.lists(PARTS, max_size=12), st.none() | st.just(Academic(TODAY, ["forestry", "soil science", "law"])))
def test_whatever_is_answered(directives: list[Directive], first_of: Academic | None) -> None:
    answer = clean_plan(QUESTION, plan(*directives), first_of=first_of)
    assert len(answer.directives) <= MAX_CHILDREN
    assert all(one.question.strip() for one in answer.directives)
    if first_of:
        assert any(is_seminal(one) for one in answer.directives)
        assert any(is_recent(one, TODAY) for one in answer.directives)
    else:
        asked = [f"{one.topic} {one.question}" for one in answer.directives]
        assert all(overlap(a, b, QUESTION) < SAME for n, a in enumerate(asked) for b in asked[:n])
