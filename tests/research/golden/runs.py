"""Runs of every kind, ended and not, for the golden files: of the offline engine, and of the stand-in for a model."""

import tempfile
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

from asgiref.sync import sync_to_async
from django.test import override_settings

from jobs.work import perform
from projects.models import Project
from research.follow_ups.start import ask, extend, rerun
from research.journal.journal import Journal
from research.models import Run
from tests.people import asha, her_thesis
from tests.research.follow_up_run import worked
from tests.research.forest_thesis import QUESTION, plant, researched
from tests.research_model.catalogue_works import ASKED, FELL, ROSE, article, hold, quoting
from tests.research_model.conversation import done, read, search, turn_of
from tests.research_model.script import KEY, reply, role_of, text_of
from tests.servers.catalogues import Site
from tests.servers.messages import Request, Service, model_answer, serving
from tests.sources.conftest import BASES, KEYS, PROVIDERS
from tests.start_run import start_run

PARTS = ("shade", "mixture")
ENDED = (
    "offline-files",
    "offline-nothing",
    "offline-failed",
    "academic",
    "general",
    "follow-ups",
    "partial",
    "cancelled",
    "failed",
)
ALONE: dict[str, Any] = {"profile": "general", "overrides": {"providers": []}}  # with a model and no catalogue
WITH_CATALOGUES: dict[str, Any] = {"profile": "academic", "overrides": ASKED}


class PowerCut(BaseException):
    """Nothing in the product catches this: the process is gone."""


def make_runs() -> dict[str, Run]:
    """The runs by their names: all ENDED ones, and others that have not ended."""
    owner = asha()
    forest = plant(her_thesis(owner), owner, Path(tempfile.mkdtemp()))
    runs = offline(forest, her_thesis(owner))
    with serving() as service, Site() as shelves, Site() as web:
        places = {**dict.fromkeys(BASES, shelves.base), **KEYS, "FETCH_ALLOW_PRIVATE": [f"127.0.0.1:{web.port}"]}
        engine = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": service.url}
        with override_settings(**places, **engine, SOURCE_PACE=dict.fromkeys(PROVIDERS, 1000.0)):
            hold(shelves)
            web.answer("/shade", article(ROSE))
            web.answer("/mixture", article(FELL))
            runs |= over_catalogues(forest, service, web)
            runs |= followed(forest, service)
            runs |= limited(forest)
    return {name: Run.objects.select_related("job").get(pk=run.pk) for name, run in runs.items()}


def offline(forest: Project, empty: Project) -> dict[str, Run]:
    """Runs of the offline engine, over two files and two references."""
    return {
        "offline-files": researched(forest, forest.owner),
        "offline-nothing": researched(forest, forest.owner, "Which language did the builders of Stonehenge speak?"),
        "offline-failed": researched(empty, empty.owner),
        "waiting-offline": researched(forest, forest.owner, wants_approval=True),
        "killed-offline": killed(unstarted_run(forest, profile="local-only"), "1/search/1/library"),
    }


def over_catalogues(forest: Project, service: Service, web: Site) -> dict[str, Run]:
    """Runs of a model that splits the question in two; of each a batch of queries, a page, and the end."""

    def answer(request: Request) -> Any:
        if role_of(request) == "decompose":
            parts = [
                {"topic": part, "question": f"What of {part}?", "perspective": "", "priority": 1, "evidence_needed": ""}
                for part in PARTS
            ]
            return model_answer(answer={"directives": parts, "rationale": "Two things are asked."})
        if role_of(request) != "research":
            return quoting(request)
        part = next((part for part in PARTS if f"What of {part}?" in text_of(request)), PARTS[0])
        turns = [[search(part, f"alder {part}")], [read(f"{web.base}/{part}")], [done()]]
        return model_answer(calls=turns[min(turn_of(request), len(turns)) - 1])

    service.otherwise = answer
    return {
        "academic": researched(forest, forest.owner, **WITH_CATALOGUES),
        "killed": killed(unstarted_run(forest, **WITH_CATALOGUES), "1.2/search/1/openalex"),
        "killed-writing": killed(unstarted_run(forest, **WITH_CATALOGUES), "synthesis/1"),
        "waiting": researched(forest, forest.owner, **WITH_CATALOGUES, wants_approval=True),
        "paused": stopped(unstarted_run(forest, **WITH_CATALOGUES), "1.1/condense", "pause"),
        "cancelled": stopped(unstarted_run(forest, **WITH_CATALOGUES), "1.1/condense", "cancel"),
        "queued": unstarted_run(forest, **WITH_CATALOGUES),
    }


def followed(forest: Project, service: Service) -> dict[str, Run]:
    """Runs of which more was asked: three things in turn; one that waits; one under way when the process ended."""
    owner = forest.owner
    gap = {"description": "Nothing on roots", "priority": 4, "suggested_queries": ["alder roots", "nodules"]}
    lacking = {"is_sufficient": False, "reasoning": "No roots.", "gaps": [gap]}
    service.otherwise = lambda request: (
        model_answer(answer=lacking) if role_of(request) == "sufficiency" else quoting(request)
    )
    whole = researched(forest, owner, profile="general", overrides={"providers": ["library"]})
    service.otherwise = quoting
    worked(ask(whole, owner, "How tall was Douglas-fir next to red alder?"))
    worked(extend(whole, owner, whole.gaps.open().earliest("id").gap_id))
    worked(rerun(whole, owner, answered_part(whole)))
    service.otherwise = reply
    opened = researched(forest, owner, **ALONE)
    ask(opened, owner, "What is not known of roots?")
    broken = researched(forest, owner, **ALONE)
    rerun(broken, owner, answered_part(broken))
    return {"follow-ups": whole, "reopened": opened, "killed-follow-up": killed(broken, "synthesis/1")}


def answered_part(run: Run) -> str:
    """The number of the first part of the question that has findings."""
    return str(run.nodes.exclude(findings=None).earliest("id").number)


def limited(forest: Project) -> dict[str, Run]:
    """Runs without a limit, with a budget that ends before the report, and with one that allows nothing."""
    return {
        "general": researched(forest, forest.owner, **ALONE),
        "partial": worked_with(unstarted_run(forest, **ALONE), Decimal("0.30")),
        "failed": worked_with(unstarted_run(forest, **ALONE), Decimal("0.01")),
    }


def worked_with(run: Run, usd: Decimal) -> Run:
    """`run` after a worker has had it, with so much money, which is less than a run is begun with."""
    Run.objects.filter(pk=run.pk).update(budget_usd=usd)
    perform(str(run.job_id))
    return run


def unstarted_run(project: Project, **options: Any) -> Run:
    """A run of all files of `project` that nobody works on yet."""
    files = [file.pk for file in project.context_files.all()]
    return start_run(project, project.owner, QUESTION, file_ids=files, enqueue=False, **options)


def killed(run: Run, key: str) -> Run:
    """`run` whose process ends when the step `key` was stored."""

    def cut(run: Run) -> None:
        raise PowerCut

    with suppress(PowerCut):
        until(run, key, cut)
    run.job.refresh_from_db()
    assert run.job.state == "running", (run.job.state, key)
    return run


def stopped(run: Run, key: str, act: str) -> Run:
    """`run` that is asked to pause or to be cancelled when the step `key` was stored."""
    until(run, key, lambda run: run.job.ask(act))
    run.job.refresh_from_db()
    assert run.job.state == {"pause": "paused", "cancel": "cancelled"}[act], run.job.state
    return run


def until(run: Run, key: str, then: Callable[[Run], Any]) -> None:
    """Work on `run`, and do `then(run)` once the step `key` was stored."""
    real = Journal.step

    async def step(self: Journal, this: str, *rest: Any, **how: Any) -> Any:
        response = await real(self, this, *rest, **how)
        if this == key:
            await sync_to_async(then)(run)
        return response

    Journal.step = step  # type: ignore[method-assign, assignment]
    try:
        perform(str(run.job_id))
    finally:
        Journal.step = real  # type: ignore[method-assign]
