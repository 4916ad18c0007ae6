"""The request for a run, and starting it; every page, API call and command starts runs here (SPEC R1, R2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain, count
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction

from analysis.datasets.uploaded_copies import files_that_are_data
from contextfiles.models import ContextFile
from core.errors import Refused
from core.storable_text import check_storable
from jobs.models import Job
from llm.engine import EngineUnavailable, choose_engine
from llm.offline import OfflineEngine
from projects.models import Project, User
from research.journal.pipeline_version import PIPELINE_VERSION
from research.models import Run
from research.setup.budget import Budget, spending
from research.setup.cost_estimate import (
    Costs,
    ServicesUsed,
    check_enough,
    costs_of,
    limits_of,
    services_used_by,
    sizes_of,
)
from research.setup.limits import LONGEST_QUESTION
from research.setup.profile_registry import resolve
from research.setup.profiles import ResearchProfile, narrowed


@dataclass(frozen=True)
class RunRequest:
    """A question and how to work on it.

    `mode` is the legacy name of a profile, `overrides` are changed keys of the profile. `file_ids` are context files of
    the thesis to use; `turned_away` are the names of files that were refused, each with the reason. With
    `wants_approval` the run waits for a person to review brief and plan before the search starts (R3). With `narrow` it
    researches one question once (research.setup.profiles.narrowed).
    """

    question: str
    profile: str = ""
    mode: str = ""
    overrides: Mapping[str, Any] | None = None
    file_ids: Sequence[UUID] = ()
    turned_away: Sequence[tuple[str, str]] = ()
    budget: Budget = Budget()
    wants_approval: bool = False
    narrow: bool = False

    def profile_for(self, project: Project, user: User) -> tuple[ResearchProfile, list[str]]:
        """Return the requested profile and the warnings to show with it. Raise Refused as `resolve`."""
        chosen, warnings = resolve(
            profile=self.profile,
            mode=self.mode,
            project_default=project.default_profile,
            overrides=self.overrides,
            user=user,
        )
        return (narrowed(chosen) if self.narrow else chosen), warnings


def start_run(project: Project, user: User, asked: RunRequest, *, enqueue: bool = True) -> Run:
    """Create a run of `project` and return it; it is handed to a worker unless `enqueue` is False.

    Files that were deleted meanwhile, or refused, count as errors of the run; the others are used. A budget in USD that
    is not given is RESEARCH_DEFAULT_BUDGET_USD where the model is a remote service. Raises Refused, with nothing
    created, for an empty or too long question, an unknown profile, mode or override, files none of which belongs to the
    project, limits out of range, and a budget too small to write a report.
    """
    question = question_of(asked.question)
    chosen, warnings = asked.profile_for(project, user)
    files = _chosen(project, asked.file_ids)
    files += [_none(str(uuid4()), name, why) for name, why in asked.turned_away]
    limits = limits_of(chosen, asked.budget)
    try:
        engine = choose_engine(project, local_only=chosen.is_local_only)
    except EngineUnavailable as error:
        raise Refused(str(error), field="engine", status=503) from None
    if engine.name != OfflineEngine.name:
        if data := files_that_are_data(project, files):
            raise Refused(no_rows(data), field="files", code="is_data", status=409)
        check_enough(chosen, sizes_of(project, asked.file_ids), limits)
    with transaction.atomic():
        run_id = uuid4()
        job = Job.objects.start(project=project, kind="research", subject=run_id, user=user, enqueue=enqueue)
        if engine.name != OfflineEngine.name:
            Job.objects.filter(pk=job.pk).update(counters=spending(Decimal(0), 0, 0))
        return Run.objects.create(
            id=run_id,
            project=project,
            job=job,
            question=question,
            profile=chosen.name,
            profile_config=chosen.model_dump(mode="json"),
            warnings=warnings,
            engine=engine.label,
            pipeline=PIPELINE_VERSION,
            files=_named(files),
            context_processing={
                "status": "pending" if files else "none",
                "files_total": len(files),
                "files_ready": 0,
                "files_error": 0,
            },
            wants_approval=asked.wants_approval,
            created_by=user,
            **limits,
        )


def no_rows(names: Sequence[str]) -> str:
    """Return why a model does not read these files, and what to do."""
    return (
        f"{', '.join(names)} is also data of this thesis, and rows of data are never shared with a model. Leave it out "
        "of this run, and use it in analyses."
    )


def question_of(question: str) -> str:
    """Return the question on one line. Raise Refused when it is empty or too long."""
    check_storable(question, "question")
    asked = " ".join(question.split())
    if not any(letter.isalnum() for letter in asked):
        raise Refused("Please write a question first.", field="question")
    if len(asked) > LONGEST_QUESTION:
        raise Refused(
            f"The question has {len(asked):,} characters; the maximum is {LONGEST_QUESTION:,}. "
            "Keep the question short and upload the rest as a file.",
            field="question",
        )
    return asked


def _chosen(project: Project, file_ids: Sequence[UUID]) -> list[dict[str, str]]:
    """Return the files with these ids as the run stores them. Ids that are not in the thesis count as deleted files."""
    files = ContextFile.objects.filter(project=project, pk__in=file_ids)
    found = [{"id": str(file.pk), "name": file.name, "sha256": file.sha256, "format": file.format} for file in files]
    there = {file["id"] for file in found}
    missing = [one for one in dict.fromkeys(map(str, file_ids)) if one not in there]
    if missing and not found:
        raise Refused("One of the chosen files is not in this thesis anymore. Check the list again.", field="files")
    return found + [_none(one, "a deleted file", "It was deleted before the run was started.") for one in missing]


def _none(file_id: str, name: str, why: str) -> dict[str, str]:
    return {"id": file_id, "name": name, "sha256": "", "format": "", "error": why}


def _named(files: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return the files with distinct names, by which a run tells them apart; the first of a name keeps it."""
    named: dict[str, dict[str, str]] = {}
    for file in files:
        numbered = (f"{file['name']} ({number})" for number in count(2))
        name = next(name for name in chain([file["name"]], numbered) if name not in named)
        named[name] = {**file, "name": name}
    return list(named.values())


def costs_of_run(project: Project, user: User, asked: RunRequest, more: tuple[int, ...] = ()) -> Costs:
    """Return the costs of the run that `start_run` would start.

    `more` are sizes in bytes of files that are not uploaded yet. Raises Refused as start_run for profile and budget.
    """
    return costs_of(asked.profile_for(project, user)[0], sizes_of(project, asked.file_ids) + more, asked.budget)


def services_of_run(project: Project, user: User, asked: RunRequest) -> ServicesUsed:
    """Return the services that the run that `start_run` would start uses. Raises Refused as start_run for profile."""
    return services_used_by(asked.profile_for(project, user)[0])
