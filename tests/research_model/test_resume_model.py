"""R16, R12: a run over catalogues and pages stops at any step while its siblings work, goes on, and comes out the same."""

import random
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, NamedTuple

import pytest
from asgiref.sync import sync_to_async
from django.db import transaction
from django.test import override_settings
from django.utils import timezone

from citations.importing.file_import import import_entries
from jobs.models import Job, JobEvent, State
from jobs.work import perform
from projects.models import Project
from research.deduplication.works import Works
from research.journal.journal import Journal
from research.journal.provenance import log_of, verify_run
from research.models import Run
from research.replay import replay
from sources.models import CachedResponse
from sources.work import Work
from tests.people import asha, her_thesis
from tests.research.forest_thesis import QUESTION, REFERENCES
from tests.research_model.catalogue_works import (
    ABSTRACTS,
    ASKED,
    FELL,
    OPENALEX,
    PAPERS,
    RECORDS,
    ROSE,
    S2,
    WORKS,
    article,
    quoting,
)
from tests.research_model.conversation import done, plays, read, search, turn_of
from tests.research_model.script import KEY, role_of, text_of
from tests.servers.catalogues import Answer, ReceivedRequest, Site, esearch, esummary
from tests.servers.messages import Request, Service, model_answer, serving
from tests.sources.conftest import BASES, KEYS, PROVIDERS
from tests.start_run import start_run

pytestmark = pytest.mark.django_db

PARTS = ("shade", "mixture")


class PowerCut(BaseException):
    """Nothing in the product catches this: the process is gone."""


class Town(NamedTuple):
    """Everything that a run asks, and what came of one that was left in peace."""

    project: Project
    service: Service
    shelves: Site
    web: Site
    whole: Run


def answers(request: Request) -> Any:
    """A model that splits the question in two, which are worked on at once."""
    if role_of(request) == "decompose":
        parts = [
            {"topic": part, "question": f"What of {part}?", "perspective": "", "priority": 1, "evidence_needed": ""}
            for part in PARTS
        ]
        return model_answer(answer={"directives": parts, "rationale": "Two things are asked."})
    return quoting(request)


def searching(web: Site) -> Any:
    """A researcher of each part: a batch, its page, another search, the end."""

    def answer(request: Request) -> Any:
        if role_of(request) != "research":
            return answers(request)
        part = PARTS[number_of(request) - 1]
        turns = [[search(part, f"alder {part}")], [read(f"{web.base}/{part}"), search(f"{part} {part}")], [done()]]
        return model_answer(calls=turns[turn_of(request) - 1], seconds=0.001)

    return answer


def shelve(shelves: Site, web: Site, *, seed: int) -> None:
    """The catalogues hold what they hold, and answer in an order of their own."""
    order = random.Random(seed)
    pages = {0: f"{web.base}/shade", 3: f"{web.base}/mixture"}
    papers = [{**one, "openAccessPdf": {"url": pages.get(place)}} for place, one in enumerate(PAPERS)]
    held: dict[str, Any] = {
        S2: {"total": len(papers), "data": papers},
        OPENALEX: {"results": WORKS},
        "/esearch.fcgi": esearch(*(record["uid"] for record in RECORDS)),
        "/esummary.fcgi": esummary(*RECORDS),
    }

    def late(body: Any, **how: Any) -> Any:
        return lambda asked: Answer(body, delay=order.choice((0, 0, 0.02, 0.05)), **how)

    for path, body in held.items():
        shelves.answer(path, late(body))
    shelves.answer("/efetch.fcgi", late(f"<PubmedArticleSet>{ABSTRACTS}</PubmedArticleSet>", kind="text/xml"))


# Which step of the journal a request is for


def number_of(request: Request) -> int:
    return next(number for number, part in enumerate(PARTS, 1) if f"What of {part}?" in text_of(request))


def of_model(request: Request) -> str:
    once = {"brief": "brief", "decompose": "1/plan", "synthesize": "synthesis/1", "verify": "verification/1"}
    role = role_of(request)
    if role in once:
        return once[role]
    turn = f"/{turn_of(request)}" if role == "research" else ""
    return f"1.{number_of(request)}/{role}{turn}"


def of_catalogue(asked: ReceivedRequest) -> str:
    """ "" for what PubMed is asked after its search, which is the same for every query."""
    names = {S2: ("query", "semantic_scholar"), OPENALEX: ("search", "openalex"), "/esearch.fcgi": ("term", "pubmed")}
    if asked.path not in names:
        return ""
    field, provider = names[asked.path]
    number, part = next((n, part) for n, part in enumerate(PARTS, 1) if part in asked.query[field])
    position = [part, f"alder {part}", f"{part} {part}"].index(asked.query[field]) + 1
    return f"1.{number}/search/{position}/{provider}"


def of_page(asked: ReceivedRequest) -> str:
    return f"1.{PARTS.index(asked.path[1:]) + 1}/extract/1" if asked.path != "/robots.txt" else ""


@pytest.fixture(scope="module")
def peaceful(django_db_setup: None, django_db_blocker: Any) -> Iterator[Town]:
    with django_db_blocker.unblock(), transaction.atomic(), serving() as service, Site() as shelves, Site() as web:
        places = {**dict.fromkeys(BASES, shelves.base), **KEYS, "FETCH_ALLOW_PRIVATE": [f"127.0.0.1:{web.port}"]}
        engine = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": service.url}
        with override_settings(**places, **engine, SOURCE_PACE=dict.fromkeys(PROVIDERS, 1000.0)):
            service.otherwise = searching(web)
            web.answer("/shade", article(ROSE))
            web.answer("/mixture", article(FELL))
            shelve(shelves, web, seed=0)
            project = her_thesis(asha())
            import_entries(project, REFERENCES)
            project.citations.update(tier="A")
            run = unstarted_run(project)
            perform(str(run.job_id))
            yield Town(project, service, shelves, web, ended(run))
        transaction.set_rollback(True)


@pytest.fixture
def town(peaceful: Town, db: None) -> Town:
    CachedResponse.objects.all().delete()
    for site in (peaceful.shelves, peaceful.web):
        site.asked.clear()
    peaceful.service.requests.clear()
    return peaceful


def unstarted_run(project: Project) -> Run:
    return start_run(project, project.owner, QUESTION, profile="general", overrides=ASKED, enqueue=False)


def ended(run: Run) -> Run:
    run = Run.objects.select_related("job").get(pk=run.pk)
    assert run.job.state == State.DONE, run.job.reason
    return run


def cut_at(monkeypatch: pytest.MonkeyPatch, key: str, *, is_stored: bool) -> None:
    """End the process when the step `key` was answered: before its answer is stored, or after."""
    real = Journal.step

    async def step(self: Journal, this: str, kind: str, request: Any, call: Any, *rest: Any, **how: Any) -> Any:
        async def answered() -> Any:
            response = await call()
            if this == key and not is_stored:
                raise PowerCut
            return response

        response = await real(self, this, kind, request, answered, *rest, **how)
        if this == key and is_stored:
            raise PowerCut
        return response

    monkeypatch.setattr(Journal, "step", step)


def begin_again(run: Run) -> None:
    """Another worker takes over."""
    Job.objects.filter(pk=run.job_id).update(lease_until=timezone.now() - timedelta(seconds=1))
    perform(str(run.job_id))


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
    """One before each answer is stored, one after: what was stored is never asked for again, what follows is the same."""
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
        [record(1, OLD, doi="10.5555/a"), record(2, NEW, doi="10.5555/a", url=PAGE), record(3, OTHER, doi="10.5555/b", url=PAGE)],
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
