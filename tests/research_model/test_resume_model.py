"""R16, R12: a run over catalogues and pages stops at any step while its siblings work, goes on,
and comes out the same."""

import time
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from jobs.models import JobEvent, State
from jobs.work import perform
from research.deduplication.works import Works
from research.journal.journal import Journal
from research.journal.provenance import log_of, verify_run
from research.models import Run
from research.replay import replay
from sources.work import Work
from tests.research.forest_thesis import QUESTION
from tests.research_model.catalogue_works import (
    OPENALEX,
    S2,
    quoting,
)
from tests.research_model.conversation import done, plays, search
from tests.research_model.two_part_run import (
    PowerCut,
    Town,
    begin_again,
    cut_at,
    ended,
    of_catalogue,
    of_model,
    of_page,
    peaceful,
    shelve,
    town,
    unstarted_run,
)
from tests.servers.catalogues import Answer, ReceivedRequest
from tests.sources.conftest import PROVIDERS
from tests.start_run import start_run

__all__ = ["peaceful", "town"]

pytestmark = [pytest.mark.django_db, pytest.mark.long]


# Of one question after the other, since what its sibling has stored meanwhile is not certain.
KEYS_OF_STEPS = {
    "of the first question": [
        "1/plan",
        "1.1/search/2/pubmed",
        "1.1/extract/1",
        "1.1/research/3",
        "1/joined",
        "synthesis/1",
    ],
    "of the second question": [
        "1.2/research/1",
        "1.2/search/1/library",
        "1.2/condense",
        "supervision/1",
        "verification/1",
    ],
}


@pytest.mark.parametrize("keys", KEYS_OF_STEPS.values(), ids=KEYS_OF_STEPS)
def test_a_power_cut(town: Town, keys: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """One before each answer is stored, one after:
    what was stored is never asked for again, what follows is the same."""
    run = unstarted_run(town.project)
    for key in keys:
        for is_stored in (False, True):
            with monkeypatch.context() as cut:
                cut_at(cut, key, is_stored=is_stored)
                with pytest.raises(PowerCut):
                    goes_on(town, run)
            assert run.steps.filter(key=key).exists() == is_stored, key
    goes_on(town, run)
    run = ended(run)
    assert run.job.attempts == 2 * len(keys) + 1
    assert town.service.most_at_once > 1, "its siblings were at work"
    assert run.report == town.whole.report
    assert set(run.steps.values_list("key", flat=True)) == set(town.whole.steps.values_list("key", flat=True))
    assert verify_run(run).ok
    assert replay(log_of(run)).same
    seqs = list(JobEvent.objects.filter(job=run.job).values_list("seq", flat=True))
    assert seqs == list(range(1, len(seqs) + 1))


def goes_on(town: Town, run: Run) -> None:
    """An attempt at `run`, however it ends: it asks for nothing that was stored, and for all that it stores."""
    stored = dict(run.steps.values_list("key", "finished_at"))
    before = len(town.service.requests), len(town.shelves.asked), len(town.web.asked)
    try:
        begin_again(run)
    finally:
        asked = {
            *(of_model(request) for request in town.service.requests[before[0] :]),
            *(of_catalogue(one) for one in town.shelves.asked[before[1] :]),
            *(of_page(one) for one in town.web.asked[before[2] :]),
        }
        assert not asked & set(stored)
        calls = set(run.steps.exclude(key__in=stored).filter(kind="model").values_list("key", flat=True))
        assert calls <= asked
        assert dict(run.steps.filter(key__in=stored).values_list("key", "finished_at")) == stored


@pytest.mark.parametrize("seed", [1, 2])
def test_whoever_answers_first(town: Town, seed: int) -> None:
    """Two questions at once, catalogues in any order: the same report, and a replay in the order that it was."""
    shelve(town.shelves, town.web, seed=seed)
    run = unstarted_run(town.project)
    perform(str(run.job_id))
    run = ended(run)
    assert run.report == town.whole.report
    assert replay(log_of(run)).same
    works = [works_of(one) for one in (run, town.whole)]
    assert works[0] == works[1]


def works_of(run: Run) -> dict[str, Any]:
    rows = run.sources.distinct_works()
    return {row.csl["title"]: (row.kind, row.csl, row.retracted, row.citation_count) for row in rows}


def test_a_pause_while_catalogues_are_asked(town: Town, monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    """Requests that wait for their turn are not made any more; resumed, the run asks for what is missing."""
    settings.SOURCE_PACE = {**dict.fromkeys(PROVIDERS, 1000.0), "semantic_scholar": 10.0}
    monkeypatch.setattr(town.service, "otherwise", town.service.otherwise)  # as it shall be again
    queries = [f"alder {number}" for number in range(8)]
    plays(town.service, [search(*queries)], [done()], then=quoting)
    real = Journal.step
    paused: list[str] = []

    async def step(self: Journal, key: str, kind: str, request: Any, call: Any, *rest: Any, **how: Any) -> Any:
        async def answered() -> Any:
            response = await call()
            if key.endswith("/semantic_scholar") and not paused:
                paused.append(key)
                await sync_to_async(run.job.ask)("pause")
            return response

        return await real(self, key, kind, request, answered, *rest, **how)

    def asked() -> list[str]:
        return [one.query["query"] for one in town.shelves.asked if one.path == S2]

    run = unstarted_run(town.project)
    monkeypatch.setattr(Journal, "step", step)
    perform(str(run.job_id))
    run.job.refresh_from_db()
    assert run.job.state == State.PAUSED
    assert len(asked()) <= 4, "of eight: that one, and what was under way"
    kept = [
        queries[int(key.split("/")[2]) - 1]
        for key in run.steps.values_list("key", flat=True)
        if key.endswith("/semantic_scholar")
    ]
    settings.SOURCE_PACE = dict.fromkeys(PROVIDERS, 1000.0)
    assert run.job.resume()
    perform(str(run.job_id))
    run = ended(run)
    assert sorted(set(asked())) == queries
    assert [asked().count(query) for query in kept] == [1] * len(kept)
    assert replay(log_of(run)).same


def test_a_cancelled_run_keeps_what_it_found(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Journal.step

    async def step(self: Journal, key: str, *rest: Any, **how: Any) -> Any:
        response = await real(self, key, *rest, **how)
        if key == "1.1/condense":
            await sync_to_async(run.job.ask)("cancel")
        return response

    run = unstarted_run(town.project)
    monkeypatch.setattr(Journal, "step", step)
    perform(str(run.job_id))
    run.refresh_from_db()
    run.job.refresh_from_db()
    assert run.job.state == State.CANCELLED
    assert run.findings.exists()
    assert run.sources.exists()
    assert verify_run(run).ok
    assert replay(log_of(run)).same
    assert not run.job.resume()


def test_calls_under_way_are_limited(town: Town, settings: Any) -> None:
    """R6: all questions and all catalogues together."""
    settings.RESEARCH_CONCURRENCY = 2
    under_way: list[str] = []
    most: list[int] = []

    def slowly(asked: ReceivedRequest) -> Answer:
        under_way.append(asked.path)
        most.append(len(under_way))
        time.sleep(0.005)
        under_way.remove(asked.path)
        return Answer({"total": 0} if asked.path == S2 else {"results": []})

    town.shelves.answer(S2, slowly)
    town.shelves.answer(OPENALEX, slowly)
    run = start_run(
        town.project,
        town.project.owner,
        QUESTION,
        profile="general",
        overrides={"providers": "semantic_scholar,openalex"},
        enqueue=False,
    )
    perform(str(run.job_id))
    shelve(town.shelves, town.web, seed=0)
    assert len(most) == 12
    assert max(most) == 2


# Records of one work, told apart by an attempt that has seen all of them come, and by one that took over in between


def record(number: int, title: str, **known: Any) -> Work:
    given = {"provider": "crossref", "year": 2019, "abstract": f"It is told in {number}.", "type": "article-journal"}
    return Work(**{**given, "provider_id": str(number), "title": title, **known})


OLD, NEW, OTHER = "Alder in the shade of firs", "Shade and alder growth by rivers", "What roots of alder do to soils"
PAGE = "https://river.example/alder"
COMING: dict[str, tuple[int, list[list[Work]]]] = {
    # What the published version is called must not hide what its preprint was called.
    "a preprint": (1, [
        [record(1, OLD, arxiv="1901.00001", type="article")],
        [record(2, NEW, arxiv="1901.00001", doi="10.5555/a", year=2020, provider="openalex")],
        [record(3, OLD, provider="semantic_scholar")],
    ]),
    # An address belongs to the work that had it first, though the second stands for a work and the first does not.
    "an address": (2, [
        [record(1, OLD, doi="10.5555/a"), record(2, NEW, doi="10.5555/a", url=PAGE),
         record(3, OTHER, doi="10.5555/b", url=PAGE)],
        [record(4, "Alders", url=PAGE, year=None)],
    ]),
}  # fmt: skip


@pytest.mark.parametrize(("count", "batches"), COMING.values(), ids=list(COMING))
def test_who_takes_over_knows_the_same_works(town: Town, count: int, batches: list[list[Work]]) -> None:
    found = []
    for takes_over in (False, True):
        run = unstarted_run(town.project)
        works = Works.of(run)
        for batch in batches:
            works = Works.of(run) if takes_over else works
            works.keep(batch, "crossref")
        rows = run.sources.select_related("duplicate_of")
        found.append({row.source_id: (row.document, row.duplicate_of and row.duplicate_of.source_id) for row in rows})
    assert found[0] == found[1]
    assert sum(of is None for _, of in found[0].values()) == count
