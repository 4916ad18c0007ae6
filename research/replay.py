"""Running a run again from its provenance file alone: no engine, no library, no network (SPEC R12).

Everything the run was answered stands in the file's journal. What is run again makes its rows in a thesis of
its own, inside a transaction that is rolled back, so a replay leaves nothing behind.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any, NamedTuple, Self, TypeVar

from asgiref.sync import async_to_sync
from django.db import transaction
from pydantic import BaseModel

from jobs.models import Job, JobSignal
from llm.result import Answered
from llm.roles import Asked
from projects.models import Project, User
from research.deduplication.works import Works
from research.follow_ups.follow_up_job import recall
from research.journal.journal import Diverged, Recording, Unrecorded
from research.journal.pipeline_version import PIPELINE_VERSION, said_of, versions_in
from research.journal.provenance import LAST, REOPENED, deletions_in, digest, said_of_deletions
from research.models import Run
from research.run import pursue
from research.run_context.run_context import BoundFile, Inquiry
from research.setup.budget import RunPurse
from research.setup.profiles import ResearchProfile
from research.words import counted
from sources.http_client import Client

A = TypeVar("A", bound=BaseModel)


class Replayed(NamedTuple):
    """Whether the report came out the same, in a sentence; `report` is what came out."""

    same: bool
    sentence: str
    report: str


class OtherVersion(Diverged):
    """Another version of the pipeline has worked on the run: it went in other steps."""


class TextDeleted(Diverged):
    """A file that the run read was deleted, and what was answered of it with it."""


class Silent:
    """Stands where the engine stood; it has its name and says nothing."""

    is_remote = False

    def __init__(self, name: str, label: str) -> None:
        self.name, self.label = name, label

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    async def ask(self, asked: Asked[A], **_: Any) -> Answered[A]:
        raise Diverged(f"The replay asked for something new: {asked.role}.")


def replay(log: Mapping[str, Any]) -> Replayed:
    """Run `log`, a provenance file, again and compare the report with the one the log vouches for.

    Raises TextDeleted when a file that it read was deleted since, OtherVersion when another version of the pipeline made the file, Diverged when the journal does not hold what
    the run asks for, KeyError or TypeError for a file of another shape.
    """
    check_text(deletions_in(log))
    check_versions(versions_in(log))
    # The last one: a follow-up has the report written anew, or put back.
    hashes = [entry["details"]["report_hash"] for entry in log["entries"] if "report_hash" in entry["details"]]
    report, more = _run_again(log)
    if not hashes:
        return Replayed(not report, "The run left no report, and none came out again.", report)
    if digest(report) != hashes[-1]:
        return Replayed(False, "Another report came out than the one the log vouches for.", report)
    answers = [entry["details"] for entry in log["entries"] if entry["event_type"] == "follow_up_answered"]
    if another := [
        vouched["number"]
        for vouched in answers
        if more.get(vouched["number"]) != (vouched["answer_hash"], vouched.get("report_before_hash", ""))
    ]:
        said = f"Follow-up {another[0]} came out otherwise than the log vouches for."
        return Replayed(False, f"The report came out the same. {said}", report)
    so_did = f" So did {counted(len(answers), 'follow-up')}." if answers else ""
    said = f"The report came out the same, byte for byte: {len(report.encode()):,} bytes.{so_did}"
    return Replayed(True, said, report)


def check_text(deletions: Iterable[Mapping[str, Any]]) -> None:
    """Raise TextDeleted when there are any: what is replayed is not there any more."""
    if said := said_of_deletions(deletions):
        raise TextDeleted(
            f"{said} What the run was answered went with it, so it cannot be replayed. Its log can still be verified."
        )


def check_versions(versions: list[int]) -> None:
    """Raise OtherVersion when `versions`, which have worked on a run, are not just the one that is here."""
    if set(versions) != {PIPELINE_VERSION}:
        raise OtherVersion(
            f"This run was made by {said_of(versions)} of Scholium’s research pipeline. Here is version {PIPELINE_VERSION}, "
            "which goes in other steps and so cannot replay it. Its log can be verified and read as ever."
        )


def _run_again(log: Mapping[str, Any]) -> tuple[str, dict[int, tuple[str, str]]]:
    """Return the report, and by its number the hashes of each follow-up: of its answer, and of the report it replaced, "" for none."""
    begun = next((step["response"] for step in log["journal"] if step["key"] == "begin"), None)
    if begun is None:
        raise Diverged("The journal is empty: the run was never begun.")
    with transaction.atomic():
        inquiry = _inquiry(log, begun)
        # It stops where the run it repeats stopped; what it left is compared.
        ends = [entry["event_type"] for entry in log["entries"] if entry["event_type"] in (*LAST, REOPENED)]
        with suppress(JobSignal) if ends[-1:] == ["run_completed"] else suppress(JobSignal, Unrecorded):
            async_to_sync(pursue)(inquiry)
        inquiry.run.refresh_from_db()
        more = {
            asked.number: (digest(asked.answer), digest(asked.report_before) if asked.report_before else "")
            for asked in inquiry.run.follow_ups.all()
        }
        transaction.set_rollback(True)
    return inquiry.run.report, more


def _inquiry(log: Mapping[str, Any], begun: Mapping[str, Any]) -> Inquiry:
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
    # The day on which it was begun is part of what was asked.
    run.created_at = datetime.fromisoformat(header["started_at"])
    run.save(update_fields=["created_at"])
    recall(run, log["journal"])
    return Inquiry(
        run=run,
        job=job,
        engine=Silent(**begun["engine"]),
        journal=Recording(run, job, log["journal"]),
        profile=ResearchProfile.model_validate(header["profile_config"]),
        files=[BoundFile(**file) for file in files],
        purse=RunPurse(run),
        client=Client(),
        works=Works.of(run),
    )
