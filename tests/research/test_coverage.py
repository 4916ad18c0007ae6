"""R7: how well questions are covered, in numbers, and the picture of them."""

from typing import Any

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from projects.models import Project, User
from research.models import Finding, Node, Run, Source
from research.pages.run import coverage_chart
from research.supervision.coverage import ENOUGH, Found, Question, coverage_of, host_of, influence, origin_of, scores_of
from tests.benchmarks.coverage import CASES, Case, rounds_of
from tests.research.finished_run import finished, forest, owner, project, run
from tests.start_run import start_run

__all__ = ["finished", "forest", "owner", "project", "run"]


@pytest.mark.parametrize(
    ("counts", "score"),
    [
        ([], 0.0),
        ([(100, False)], 3 / 4.5),
        ([(100, True)], 3.5 / 4.5),
        ([(20, False), (5, False)], 3 / 4.5),
        ([(4, False), (None, False)], 1 / 4.5),
        ([(None, True)], 1 / 4.5),
        ([(100, False)] * 2 + [(None, False)] * 50, 1.0),
    ],
)
def test_influence(counts: list[tuple[int | None, bool]], score: float) -> None:
    assert influence(counts) == pytest.approx(score)


@given(st.lists(st.tuples(st.none() | st.integers(0, 10**6), st.booleans())))
def test_influence_is_a_share(counts: list[tuple[int | None, bool]]) -> None:
    assert 0 <= influence(counts) <= 1


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://www.river.example/11", "river.example"),
        ("https://doi.org/10.1056/NEJMoa1", "doi:10.1056"),
        ("http://[oops", "alder.md"),
        ("", "alder.md"),
    ],
)
def test_where_a_source_comes_from(url: str, host: str) -> None:
    assert host_of(url, "alder.md") == host


@given(st.text(), st.text(min_size=1))
def test_every_address_has_an_origin(url: str, document: str) -> None:
    assert host_of(url, document)


@pytest.mark.django_db
def test_with_nothing_completed_the_score_is_nothing(project: Project, owner: User) -> None:
    new = start_run(project, owner, "What of lupins?", profile="academic", enqueue=False)
    assert set(coverage_of(new).values()) == {0.0}
    Node.objects.create(run=new, number="1", depth=0, question="What?", state=Node.State.FAILED, searches=3)
    assert coverage_of(new)["overall"] == 0
    assert coverage_of(new)["query_completion_rate"] == 0


@pytest.mark.django_db
def test_scores_of_a_run(run: Run) -> None:
    scores = coverage_of(run)
    assert "source_influence" not in scores
    weighed = 0.5 * scores["source_adequacy"] + 0.2 * scores["domain_diversity"] + 0.3 * scores["query_completion_rate"]
    assert scores["overall"] == pytest.approx(weighed, abs=0.002)
    assert scores["weakest_node"] <= scores["source_adequacy"]
    run.profile_config["source_quality_mode"] = "academic"
    academic = coverage_of(run)
    assert 0 < academic["source_influence"] < 1
    weights = {"source_adequacy": 0.3, "domain_diversity": 0.15, "query_completion_rate": 0.2, "source_influence": 0.35}
    assert academic["overall"] == pytest.approx(sum(w * academic[name] for name, w in weights.items()), abs=0.002)


# What is found never lowers a score

COUNTS = st.tuples(st.none() | st.integers(0, 10**6), st.booleans())
NAMES = st.sampled_from("abcdefgh")
QUESTIONS = st.lists(st.builds(Question, st.booleans(), st.sets(NAMES)), max_size=8)
FOUND = st.builds(Found, st.sets(NAMES), st.sets(NAMES), st.lists(COUNTS, max_size=12))


def no_lower(before: dict[str, float], after: dict[str, float]) -> bool:
    return all(after[name] >= score for name, score in before.items())


@given(QUESTIONS, FOUND, st.booleans())
def test_scores_are_shares(questions: list[Question], found: Found, academic: bool) -> None:
    assert all(0 <= score <= 1 for score in scores_of(questions, found, academic=academic).values())


@given(QUESTIONS, FOUND, st.booleans(), NAMES, NAMES, COUNTS, st.integers(0, 7))
def test_another_source_or_worked_question_lowers_nothing(
    questions: list[Question], found: Found, academic: bool, document: str, origin: str, counts: Any, place: int
) -> None:
    before = scores_of(questions, found, academic=academic)
    more = Found({*found.documents, document}, {*found.origins, origin}, [*found.counts, counts])
    assert no_lower(before, scores_of(questions, more, academic=academic))
    if place < len(questions):
        questions[place].worked = True
        assert no_lower(before, scores_of(questions, found, academic=academic))
        questions[place].documents.add(document)
    assert no_lower(before, scores_of(questions, more, academic=academic))


@given(QUESTIONS, FOUND, st.booleans())
def test_total_failure_is_never_enough(questions: list[Question], found: Found, academic: bool) -> None:
    for question in questions:
        question.worked = False
    assert scores_of(questions, found, academic=academic)["overall"] == 0
    assert scores_of(questions, Found(set(), set(), []), academic=academic)["overall"] == 0


@pytest.mark.django_db
@pytest.mark.parametrize("mode", ["general", "academic"])
def test_what_a_run_finds_lowers_none_of_its_scores(run: Run, mode: str) -> None:
    """In rows: more queries, another source, one of an origin that is known, a finding, a question of a later round."""
    run.profile_config["source_quality_mode"] = mode
    root = run.nodes.get(number="1")
    scores = coverage_of(run)

    def still() -> None:
        nonlocal scores
        before, scores = scores, coverage_of(run)
        assert no_lower(before, scores), (before, scores)

    run.nodes.update(searches=500)
    still()
    source = Source.objects.create(
        run=run, source_id="x", document="x", kind="work", provider="crossref", title="X", text="Words.",
        url="https://doi.org/10.1/x", retrieved_at=timezone.now(), citation_count=0,
    )  # fmt: skip
    still()
    later = Node.objects.create(
        run=run, parent=root, number="1.90", depth=1, question="More?", round=2, state=Node.State.GAP, searches=9
    )
    still()
    Finding.objects.create(
        run=run, node=later, source=source, finding_id="F9", content="Words.", start=0, end=6, confidence=0.1,
        category="other",
    )  # fmt: skip
    still()
    Node.objects.create(run=run, parent=root, number="1.91", depth=1, question="What?", round=2, state="failed")
    still()


@pytest.mark.django_db
def test_what_a_later_round_finds_counts_for_the_question_whose_gap_it_fills(run: Run) -> None:
    run.findings.all().delete()
    run.nodes.exclude(number="1").delete()
    root = run.nodes.get(number="1")
    for number, of, state in (("1.1", 1, "enough"), ("1.2", 1, "failed"), ("1.3", 2, "enough")):
        Node.objects.create(
            run=run, parent=root, number=number, depth=1, question=number, round=of, state=state, searches=1
        )
    source = run.sources.first()
    assert source is not None
    Finding.objects.create(
        run=run, node=run.nodes.get(number="1.3"), source=source, finding_id="F1", content="x", start=0, end=1,
        confidence=1, category="other",
    )  # fmt: skip
    run.rounds = [{"round": 1, "asked": {}}, {"round": 2, "asked": {"1.3": []}}]
    assert coverage_of(run)["query_completion_rate"] == 0.5
    assert coverage_of(run)["source_adequacy"] == 0
    run.rounds[1]["asked"] = {"1.3": ["G1.2-1"]}
    assert coverage_of(run)["query_completion_rate"] == 1
    assert coverage_of(run)["source_adequacy"] == 0.25


@pytest.mark.parametrize(
    ("csl", "origin"),
    [
        ({"container-title": "The  Lancet"}, "the lancet"),
        ({"container-title": ["odd"]}, "doi:10.1016"),
        ({}, "doi:10.1016"),
    ],
)
def test_journals_of_one_publisher_are_two_origins(csl: dict[str, Any], origin: str) -> None:
    assert origin_of("https://doi.org/10.1016/s1", "doi:10.1016/s1", csl) == origin


@pytest.mark.django_db
def test_findings_that_were_superseded_do_not_count(run: Run) -> None:
    run.findings.update(is_superseded=True)
    assert coverage_of(run)["overall"] == 0


ROUNDS = st.lists(st.floats(0, 1), min_size=1, max_size=8)


@given(ROUNDS)
def test_the_picture_has_a_point_for_each_round(values: list[float]) -> None:
    rows = [
        {"round": n, "scores": {"overall": value}, "decision": "go on", "sources": 1, "findings": 1}
        for n, value in enumerate(values, start=1)
    ]
    chart = coverage_chart([*rows, {"round": len(rows) + 1, "asked": {}}])
    assert chart is not None
    assert len(chart["points"]) == len(values)
    places = [float(point["x"]) for point in chart["points"]]
    assert places == sorted(places)
    assert 28 < places[0] <= places[-1] < 276
    assert all(10 <= float(point["y"]) <= 92 for point in chart["points"])
    assert all(f"{value:.2f} after round {n}" in chart["said"] for n, value in enumerate(values, start=1))


def test_no_picture_before_the_first_round() -> None:
    assert coverage_chart([]) is None
    assert coverage_chart([{"round": 1, "asked": {}}]) is None


@pytest.mark.parametrize("academic", [True, False])
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_how_made_up_runs_end(case: Case, academic: bool) -> None:
    """Good ones are enough after two rounds, poor ones never, and whoever names gaps without end ends all the same."""
    rows = list(rounds_of(case, academic=academic))
    number, scores, _, decision = rows[-1]
    is_good = case.name.startswith(("good", "slow", "own"))
    assert (decision == "enough") == is_good
    assert (scores["overall"] >= ENOUGH) == is_good
    assert number <= (2 if is_good else 3)
    overall = [one["overall"] for _, one, _, _ in rows]
    assert overall == sorted(overall)
    if case.fails:
        assert scores["overall"] == 0
