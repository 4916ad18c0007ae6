"""A run of two questions that are searched at once, over catalogues and pages, for tests that interrupt it."""

import random
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, NamedTuple

import pytest
from django.db import transaction
from django.test import override_settings
from django.utils import timezone

from citations.importing.file_import import import_entries
from jobs.models import Job, State
from jobs.work import perform
from projects.models import Project
from research.journal.journal import Journal
from research.models import Run
from sources.models import CachedResponse
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
from tests.research_model.conversation import done, read, search, turn_of
from tests.research_model.script import KEY, role_of, text_of
from tests.servers.catalogues import Answer, ReceivedRequest, Site, esearch, esummary
from tests.servers.messages import Request, Service, model_answer, serving
from tests.sources.conftest import BASES, KEYS, PROVIDERS
from tests.start_run import start_run

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
