"""A file of references on its way into a thesis: at once where that is quick, else as a job (SPEC C10, P1).

What a person brings is looked up once it is in (SPEC C2). A job takes it in a few hundred entries at a time, each time
with its report in one transaction: one that was killed goes on where it stopped, one that is stopped leaves what came.
"""

from dataclasses import asdict
from typing import Any

from django.db import transaction

from citations.arriving.file_entries import AT_ONCE, MOST_AT_ONCE, PATIENCE, TookLong, within
from citations.arriving.importing import Format, Imported, checked, read_text, take_in
from citations.check.checking import start_check
from citations.formats.entries import Problem, Tick
from citations.models import Import
from core.errors import Refused
from jobs.models import Job, JobEvent, State
from jobs.work import Stopped, asked_of, set_progress
from projects.models import Project, User

BRING = "bring"  # the kind of the job; its subject is the Import
STEP = "references_in"  # the kind of the events that tell what it did


def bring(
    project: Project, user: User, text: str, *, name: str = "", format: Format | None = None
) -> Imported | Import:
    """Import `text` for `user` and have it checked: the report, or the import that goes on as a job.

    `name` is what people call the file. Raises Refused as `checked`, and while another import is under way.
    """
    text = checked(text)
    if len(text) <= AT_ONCE:
        try:
            reading, result = read_text(text, format, within(PATIENCE))
        except TookLong:
            pass
        else:
            if len(reading.entries) <= MOST_AT_ONCE:
                with transaction.atomic():
                    take_in(project, reading.entries, result, check=True)
                start_check(project, user)
                return result
    with Project.objects.held(project.pk):  # two clicks at once: one import
        if under_way(project):
            raise Refused(
                "An import is under way. Wait until it is done, or stop it.", field="text", code="busy", status=409
            )
        made: Import = Import.objects.create(project=project, name=name[:200], format=format or "", text=text)
        Job.objects.start(project=project, kind=BRING, subject=made.pk, user=user)
    return made


def under_way(project: Project) -> Job | None:
    """The job of the import that is under way in a thesis, if one is."""
    return Job.objects.alive().filter(project=project, kind=BRING).first()


def job_of(brought: Import) -> Job | None:
    """The job that takes an import in, or did."""
    return Job.objects.filter(project=brought.project_id, kind=BRING, subject=brought.pk).first()


def report(brought: Import, job: Job | None) -> Imported | None:
    """What came of an import so far; None before its file is read."""
    parts = [brought.result] if brought.result is not None else [event.details for event in _steps(job)]
    if not parts:
        return None
    whole = Imported(counted=parts[0]["counted"])
    for part in parts:
        problems = [Problem(**problem) for problem in part["problems"]]
        whole.add(Imported(part["added"], part["updated"], part["unchanged"], problems))
    return whole


def carry_on(job: Job, tick: Tick) -> None:
    """Take the import of `job` in, from where an earlier attempt left off. `tick` is told how much of it is read.

    What became of the entries is told as an event each time, and put together at the end: were it in the row that
    holds the text, SQLite would write all of that again each time.
    """
    brought: Import | None = Import.objects.select_related("project").filter(pk=job.subject).first()
    if brought is None:
        raise Stopped("This import is gone. Nothing was imported.")
    project = brought.project
    if brought.result is None:
        reading, result = read_text(brought.text, brought.format or None, tick)  # type: ignore[arg-type]
        total = len(reading.entries)

        def tell(done: int, part: Imported) -> None:
            asked_of(job)
            said = f"{done:,} of {total:,} entries are in."
            counters = {"done": done, "total": total}
            job.emit(STEP, said, counters=counters, details=asdict(part), sure_of_lease=job.lease_by)
            set_progress(job, done, total)

        before = _steps(job)
        if not before:
            tell(0, result)
        done = before[-1].counters["done"] if before else 0
        take_in(project, reading.entries, result, check=True, done=done, after=tell)
    start_check(project, job.created_by or project.owner)


def close(job: Job) -> None:
    """What an import leaves at its end, however it came to it: its report. The text is dropped."""
    brought: Import | None = Import.objects.filter(pk=job.subject).defer("text").first()
    if brought is None or brought.result is not None:
        return
    whole = report(brought, job)
    result = {**asdict(whole), **_counted(job)} if whole else None
    Import.objects.filter(pk=brought.pk).update(text="", result=result)


def _steps(job: Job | None) -> list[JobEvent]:
    """What was told of an import: first of its file, then of each part that is in."""
    return list(JobEvent.objects.filter(job=job, kind=STEP)) if job else []


def _counted(job: Job | None) -> dict[str, int]:
    """How many entries of how many are in."""
    counters = job.counters if job else {}
    return {name: int(counters.get(name, 0)) for name in ("done", "total")}


def told(brought: Import, job: Job | None) -> dict[str, Any]:
    """Where an import stands, for a page or a program: `state` of its job, `done` of `total` entries are in, `reason`."""
    result = brought.result
    state = job.state if job else State.DONE
    return {
        "state": str(state),
        "is_alive": bool(job and not job.has_ended),
        "is_read": result is not None or bool(job and "total" in job.counters),
        "read": job.progress if job else 0,  # of `to_read` parts of the file, while it is read
        "to_read": job.progress_total if job else 0,
        **({"done": result["done"], "total": result["total"]} if result else _counted(job)),
        "reason": job.reason if job else "",
    }
