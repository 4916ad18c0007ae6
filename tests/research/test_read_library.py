"""A library that a run has read is not asked again by each part of the question, and that is said once (SPEC R5)."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research.journal.provenance import log_of, verify_run
from research.models import Run
from research.replay import replay
from research.run_context.library_answers import LibraryAnswers, terms_of
from research.search.search_library import READ_THROUGH
from tests.research.finished_run import finished, forest, owner, project, run

__all__ = ["finished", "forest", "owner", "project", "run"]

WORDS = st.lists(st.sampled_from(["red", "alder", "soil", "nitrogen"]), min_size=1, max_size=4)


def queries(run: Run) -> list[str]:
    asked = run.provenance.filter(event_type="provider_query", details__provider="library")
    return list(asked.values_list("details__query", flat=True))


@pytest.mark.django_db
def test_no_query_is_made_twice(run: Run) -> None:
    assert run.nodes.count() > 2, "several parts have looked"
    made = Counter(terms_of(query) for query in queries(run))
    assert set(made.values()) == {1}
    assert sum(run.nodes.values_list("searches", flat=True)) == len(queries(run))
    listed = [line for event in run.job.events.filter(kind="search_completed") for line in event.details["lines"]]
    assert len(listed) == len(set(listed)) == len(queries(run))


@pytest.mark.django_db
def test_that_it_was_read_through_is_said_once(run: Run) -> None:
    (event,) = run.job.events.filter(kind=READ_THROUGH)
    assert event.text.startswith("The library has been read through: this run has all its ")
    assert run.provenance.filter(event_type=READ_THROUGH).count() == 1
    note = run.report.splitlines()[2]
    assert f"The library was asked {len(queries(run))} times and gave" in note
    assert "which is all it holds." in note
    said = [node.reasoning for node in run.nodes.all()]
    assert not any("calls of this question are used up" in one for one in [run.report, *said])
    assert verify_run(run).ok
    assert replay(log_of(run)).same


@pytest.mark.django_db
def test_an_attempt_that_goes_on_knows_at_once_what_was_read(run: Run) -> None:
    """Parts go on at the same time, and which of them comes first must not matter."""
    shelf = LibraryAnswers.of(run)
    assert shelf.is_told
    assert shelf.given == set(run.sources.filter(provider="library").values_list("source_id", flat=True))


@given(WORDS)
def test_the_order_and_case_of_words_make_no_other_query(words: list[str]) -> None:
    assert terms_of(" ".join(words)) == terms_of(", ".join(sorted(words, reverse=True)).upper())


@given(st.lists(st.sets(st.sampled_from("abcdef"), max_size=4), max_size=6))
def test_what_came_back_is_counted_once(answers: list[set[str]]) -> None:
    """After an interruption too: the shelf is filled from what the journal has."""
    live, resumed = LibraryAnswers(), LibraryAnswers()
    for ids in answers:
        response = {"results": [[{"source_id": id} for id in sorted(ids)]]}
        live.take(response)
        resumed.note(["q"], response)
        resumed.note(["q"], response)
    assert live.given == resumed.given == set().union(*answers)
    assert resumed.is_read(len(live.given))
    assert not resumed.is_read(len(live.given) + 1)
