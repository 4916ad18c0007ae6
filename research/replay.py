"""Replaying a run from its provenance file alone, without engine, library or network (SPEC R12).

All answers come from the file's journal. The replay creates its rows in a thesis of its own, in a transaction that is
rolled back, so it leaves nothing behind.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any, NamedTuple, Self, TypeVar

from asgiref.sync import async_to_sync
from django.db import transaction
from pydantic import BaseModel

from jobs.models import Job, JobSignal
from llm.result import EngineResult
from llm.roles import RoleRequest
from projects.models import Project, User
from research.deduplication.works import Works
from research.follow_ups.follow_up_job import recreate_follow_ups
from research.journal.journal import Diverged, ReplayJournal, StepNotRecorded
from research.journal.pipeline_version import PIPELINE_VERSION, versions_in, versions_text
from research.journal.provenance import END_EVENTS, REOPENED, deletions_in, deletions_sentence, digest
from research.models import Run
from research.plurals import counted
from research.run import run_phases
from research.run_context.run_context import BoundFile, RunContext
from research.setup.budget import RunBudget
from research.setup.profiles import ResearchProfile
from sources.http_client import Client

A = TypeVar("A", bound=BaseModel)


class Replayed(NamedTuple):
    """The result of a replay: whether the report is the same, a sentence that says so, and the replayed report."""

    same: bool
    sentence: str
    report: str


class OtherVersion(Diverged):
    """Error: another version of the pipeline, with other steps, has worked on the run."""


class TextDeleted(Diverged):
    """Error: a file that the run read was deleted, and with it the answers in the journal."""


class ReplayEngine:
    """An engine for replays: it has the name of the original and answers nothing."""

    is_remote = False

    def __init__(self, name: str, label: str) -> None:
        self.name, self.label = name, label

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    async def ask(self, asked: RoleRequest[A], **_: Any) -> EngineResult[A]:
        """Raise Diverged, since a replay must not ask the engine."""
        raise Diverged(f"The replay asked for something new: {asked.role}.")


def replay(log: Mapping[str, Any]) -> Replayed:
    """Replay `log`, a provenance file, and compare the report with the hash in the log.

    Raises TextDeleted if a file that the run read was deleted, OtherVersion if another version of the pipeline made the
    log, Diverged if the journal lacks a step that the run asks for, and KeyError or TypeError for anything that is not
    a provenance file.
    """
    check_text(deletions_in(log))
    check_versions(versions_in(log))
    # The last hash counts: follow-ups may have rewritten or restored the report.
    hashes = [entry["details"]["report_hash"] for entry in log["entries"] if "report_hash" in entry["details"]]
    report, more = _run_again(log)
    if not hashes:
        return Replayed(not report, "The run has no report to compare.", report)
    if digest(report) != hashes[-1]:
        return Replayed(False, "The replayed report differs from the one in the log.", report)
    answers = [entry["details"] for entry in log["entries"] if entry["event_type"] == "follow_up_answered"]
    if another := [
        vouched["number"]
        for vouched in answers
        if more.get(vouched["number"]) != (vouched["answer_hash"], vouched.get("report_before_hash", ""))
    ]:
        said = f"But follow-up {another[0]} differs from the one in the log."
        return Replayed(False, f"The replayed report is the same. {said}", report)
    so_did = f" So did {counted(len(answers), 'follow-up')}." if answers else ""
    said = f"The report came out the same, byte for byte: {len(report.encode()):,} bytes.{so_did}"
    return Replayed(True, said, report)


def check_text(deletions: Iterable[Mapping[str, Any]]) -> None:
    """Raise TextDeleted if there are any `deletions`, since a replay needs the answers that were deleted."""
    if said := deletions_sentence(deletions):
        raise TextDeleted(
            f"{said} The answers in its journal were deleted with it, so the run cannot be replayed. Its log can still "
            "be verified."
        )


def check_versions(versions: list[int]) -> None:
    """Raise OtherVersion if any of `versions`, which have worked on a run, is not the version of this installation."""
    if set(versions) != {PIPELINE_VERSION}:
        raise OtherVersion(
            f"This run was made by {versions_text(versions)} of Scholium’s research pipeline. "
            f"This installation has version {PIPELINE_VERSION}, which has other steps and cannot replay it. "
            "Its log can still be verified and read."
        )


def _run_again(log: Mapping[str, Any]) -> tuple[str, dict[int, tuple[str, str]]]:
    """Return the replayed report, and by number the hashes of each follow-up: (answer, replaced report or "")."""
    begun = next((step["response"] for step in log["journal"] if step["key"] == "begin"), None)
    if begun is None:
        raise Diverged("The journal is empty: the run never started.")
    with transaction.atomic():
        inquiry = _inquiry(log, begun)
        # The replay stops where the run stopped; what it stored until then is compared.
        ends = [entry["event_type"] for entry in log["entries"] if entry["event_type"] in (*END_EVENTS, REOPENED)]
        with suppress(JobSignal) if ends[-1:] == ["run_completed"] else suppress(JobSignal, StepNotRecorded):
            async_to_sync(run_phases)(inquiry)
        inquiry.run.refresh_from_db()
        more = {
            asked.number: (digest(asked.answer), digest(asked.report_before) if asked.report_before else "")
            for asked in inquiry.run.follow_ups.all()
        }
        transaction.set_rollback(True)
    return inquiry.run.report, more


def _inquiry(log: Mapping[str, Any], begun: Mapping[str, Any]) -> RunContext:
    header, files = log["header"], begun["files"]
    user = User.objects.create_user(f"replay-{header['session_id']}@scholium.local", None)
    project = Project.objects.create_for(user, title="Replay")
    job = Job.objects.start(project=project, kind="replay", subject=project.pk, user=user, enqueue=False)
    run = Run.objects.create(
        project=project,
        job=job,
        question=header["query"],
        profile=header["profile"],
        profile_config=header["profile_config"],
        engine=begun["engine"]["label"],
        pipeline=PIPELINE_VERSION,
        files=files,
        context_processing={"status": "none", "files_total": len(files), "files_ready": 0, "files_error": 0},
    )
    # The date on which it started is part of its prompts.
    run.created_at = datetime.fromisoformat(header["started_at"])
    run.save(update_fields=["created_at"])
    recreate_follow_ups(run, log["journal"])
    return RunContext(
        run=run,
        job=job,
        engine=ReplayEngine(**begun["engine"]),
        journal=ReplayJournal(run, job, log["journal"]),
        profile=ResearchProfile.model_validate(header["profile_config"]),
        files=[BoundFile(**file) for file in files],
        purse=RunBudget(run),
        client=Client(),
        works=Works.of(run),
    )
