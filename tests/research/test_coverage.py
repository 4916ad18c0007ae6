"""R7: how well questions are covered, in numbers, and the picture of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projects.models import Project, User
from research.models import Node, Run
from research.pages.coverage_chart import chart_of
from research.rounds.coverage import coverage_of, host_of, influence
from research.setup.start import start_run
from tests.research.finished import finished, forest, owner, project, run

__all__ = ["finished", "forest", "owner", "project", "run"]


@pytest.mark.parametrize(
    ("counts", "score"),
    [
        ([], 0.0),
        ([(100, False)], 3 / 3.5),
        ([(100, True)], 1.0),
        ([(20, False), (5, False)], 3 / 7),
        ([(4, False), (None, False)], 1 / 7),
        ([(None, True)], 1 / 3.5),
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
    chart = chart_of([*rows, {"round": len(rows) + 1, "asked": {}}])
    assert chart is not None
    assert len(chart["points"]) == len(values)
    places = [float(point["x"]) for point in chart["points"]]
    assert places == sorted(places)
    assert 28 < places[0] <= places[-1] < 276
    assert all(10 <= float(point["y"]) <= 92 for point in chart["points"])
    assert all(f"{value:.2f} after round {n}" in chart["said"] for n, value in enumerate(values, start=1))


def test_no_picture_before_the_first_round() -> None:
    assert chart_of([]) is None
    assert chart_of([{"round": 1, "asked": {}}]) is None
