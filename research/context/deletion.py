"""Erasing the text of a deleted file from everything that the runs which read it have stored (docs/privacy.md).

The deletion itself is noted at once; a job erases the text, since a run can be long. Rows, their numbers and hashes
stay. The text of reports, of follow-ups and of sections stays as well, and the user is told so before deleting. A run
that is still working with the file is stopped first, and its answers so far are erased too.
"""

from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from contextfiles.models import NodeContextSlice
from jobs.models import Job, JobEvent, State
from projects.models import Project, User
from projects.signals import run_text_deleted
from research.journal.erasure import (
    DELETED,
    KEPT_STEP,
    NOTE,
    erased_entry,
    erased_response,
    erased_value,
    hash_before,
)
from research.journal.provenance import Entry, append, as_dict, digest, hash_of
from research.models import Claim, Contradiction, Finding, Gap, Node, ProvenanceEntry, Run, Source, Step

KIND = "delete_text"
DELETION_CHECK_INTERVAL = 10.0  # seconds between two checks whether a run that had to be stopped has ended
_AT_ONCE = 500  # rows per statement


def runs_that_read(project: Project, file_id: UUID) -> list[Run]:
    """Return the runs of `project` for which the file was chosen. One query."""
    rows = Run.objects.filter(project=project).select_related("job").only("project", "job", "files", "deleted_files")
    return [run for run in rows if any(file["id"] == str(file_id) for file in run.files)]


def note_deletion(
    sender: Any, project: Project, file_id: UUID, name: str, sha256: str, by: User | None, **_: Any
) -> None:
    """Note on each run that read the file that it was deleted, and start erasing its text. Receives `file_removed`."""
    gone = {"id": str(file_id), "sha256": sha256, "at": timezone.now().isoformat(), "by": str(by or "")}
    for run in (
        Run.objects.select_for_update(of=("self",))
        .select_related("project", "job")
        .filter(pk__in=[one.pk for one in runs_that_read(project, file_id)])
    ):
        if run.job.state == State.QUEUED and not run.steps.exists():
            continue  # it has read nothing yet, and will not find the file
        here = next(file["name"] for file in run.files if file["id"] == str(file_id))  # its name in this run
        run.deleted_files = [*run.deleted_files, {**gone, "name": here}]
        run.has_text_to_delete = True
        run.save(update_fields=["deleted_files", "has_text_to_delete"])
        if not run.job.has_ended:
            run.job.ask("cancel")
        transaction.on_commit(partial(start_deletion, run.pk))


def start_deletion(run_id: UUID) -> None:
    """Start a job that erases the text from a run, if the run has ended and no such job exists yet."""
    with transaction.atomic():
        run = Run.objects.select_for_update(of=("self",)).select_related("project", "job").filter(pk=run_id).first()
        is_due = run is not None and run.has_text_to_delete and run.job.has_ended
        if run and is_due and not Job.objects.alive().filter(kind=KIND, subject=run_id).exists():
            Job.objects.start(project=run.project, kind=KIND, subject=run_id, user=run.created_by or run.project.owner)


def start_pending_deletions() -> None:
    """Start erasing for runs that had to be stopped first, and again where it broke off. The watchdog calls this."""
    for run_id in Run.objects.filter(has_text_to_delete=True).values_list("pk", flat=True)[:_AT_ONCE]:
        start_deletion(run_id)


def delete_text(run: Run) -> None:
    """Erase the text of its deleted files from `run`, all or nothing. Doing it again changes nothing."""
    with transaction.atomic():
        run = Run.objects.select_for_update(of=("self",)).select_related("job", "context", "project").get(pk=run.pk)
        if not run.has_text_to_delete:
            return
        findings = _of_sources(run)
        _notes(run)
        _events(run)
        steps, entries = _journal(run), _log(run)
        gone = _untold(run)
        # The text of a second file may have been erased with the first; the log names it all the same.
        if steps or entries or (gone and run.provenance.exists()):
            append(run, _entry(gone or run.deleted_files, steps, entries))
        Run.objects.filter(pk=run.pk).update(has_text_to_delete=False)
        run_text_deleted.send(Run, run=run, findings=findings)


def _of_sources(run: Run) -> list[str]:
    """Erase the passages of the deleted files, and the findings, claims and contradictions based on them.

    Returns the ids of the findings.
    """
    names = [file["name"] for file in run.deleted_files]
    sources = Source.objects.filter(run=run, kind=Source.Kind.FILE, document__in=names)
    ids = dict(sources.values_list("source_id", "pk"))
    pks = list(ids.values())
    findings = Finding.objects.filter(run=run, source__in=pks)
    found = list(findings.values_list("finding_id", flat=True))
    findings.update(content=NOTE, start=0, end=0)
    # Sentences of the report stay; earlier versions of sentences that were repaired or removed are erased.
    claims = Claim.objects.filter(run=run, source__in=pks)
    claims.update(reason="", start=0, end=0, before={})
    claims.filter(outcome="removed").update(text=NOTE)
    sources.update(text=NOTE, heading="", assessment={})
    said = [row.pk for row in Contradiction.objects.filter(run=run) if not ids.keys().isdisjoint(row.source_ids)]
    Contradiction.objects.filter(pk__in=said).update(description=NOTE)
    return found


def _notes(run: Run) -> None:
    """Erase all notes on the run's files and what was derived from them: nothing says which file each came from."""
    if run.context is not None:
        bundle = run.context
        bundle.files = [{**file, "summary": []} for file in bundle.files]
        bundle.aggregate_digest, bundle.routing_index = [], {}
        bundle.save(update_fields=["files", "aggregate_digest", "routing_index"])
        NodeContextSlice.objects.filter(bundle=bundle).update(
            selected_items=[], selection_reason=NOTE, coverage_note=""
        )
    Run.objects.filter(pk=run.pk).update(
        brief=erased_value(run.brief),
        approved=erased_value(run.approved),
        rounds=erased_value(run.rounds),
        fidelity=erased_value(run.fidelity),
    )
    Node.objects.filter(run=run).exclude(parent=None).update(topic="", question=NOTE, evidence_needed="")
    Node.objects.filter(run=run).update(reasoning="", said="")
    Gap.objects.filter(run=run).update(description=NOTE, suggested_queries=[])
    Gap.objects.filter(run=run).exclude(resolution_notes="").update(resolution_notes=NOTE)


def _events(run: Run) -> None:
    """Erase the text of the run's events, except those about the job itself; numbers stay."""
    rows = JobEvent.objects.filter(job=run.job_id).exclude(Q(kind__startswith="job_") | Q(text=NOTE))
    for event in rows.iterator(_AT_ONCE):
        JobEvent.objects.filter(pk=event.pk).update(text=NOTE, details=erased_value(event.details))


def _journal(run: Run) -> int:
    """Replace each answer in the journal by the hash of its step. Returns how many were replaced."""
    changed = 0
    for row in Step.objects.filter(run=run).iterator(_AT_ONCE):
        step = {name: getattr(row, name) for name in ("key", "kind", "request_hash", "response")}
        if row.key != KEPT_STEP and not hash_before(step):
            changed += Step.objects.filter(pk=row.pk).update(response=erased_response(digest(step)))
    return changed


def _log(run: Run) -> list[dict[str, Any]]:
    """Erase the text of the log. Returns {seq, hash, left} of each changed entry: its hash in the chain, and now."""
    changed = []
    for row in ProvenanceEntry.objects.filter(run=run).iterator(_AT_ONCE):
        summary, details = erased_entry(row.event_type, row.summary, row.details)
        if (summary, details) != (row.summary, row.details):
            row.summary, row.details = summary, details
            ProvenanceEntry.objects.filter(pk=row.pk).update(summary=summary, details=details)
            changed.append({"seq": row.seq, "hash": row.hash, "left": hash_of(as_dict(row))})
    return changed


def _untold(run: Run) -> list[dict[str, Any]]:
    """Return the deleted files that the log does not mention yet."""
    told = {file["id"] for entry in run.provenance.filter(event_type=DELETED) for file in entry.details["gone"]}
    return [file for file in run.deleted_files if file["id"] not in told]


def _entry(gone: list[dict[str, Any]], steps: int, entries: list[dict[str, Any]]) -> Entry:
    """Return the log entry: which files, when, by whom, and the hashes by which the rest can still be verified."""
    names = [file["name"] for file in gone]
    return Entry(
        "supervision",
        DELETED,
        f"The text of {', '.join(names)} was deleted from this run.",
        {
            "files": names,
            "gone": gone,
            "deleted_at": gone[-1]["at"],
            "by": gone[-1]["by"],
            "steps": steps,
            "entries": entries,
        },
    )
