"""A person deletes a dataset: its files go, and its cells out of what was kept of its reading and of its analyses.

Results on it stay, and the hash of the file they were made on; they say that the data are deleted (docs/privacy.md).
"""

from collections.abc import Collection
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from analysis.models import Analysis, Dataset, Figure
from jobs.models import Job, JobEvent
from projects.models import User

NOTE = "[deleted with the data]"
_NO_RESULT = "There was no result. Why was deleted with the data, since it may have quoted them."


def delete_dataset(dataset: Dataset, by: User | None) -> None:
    """Delete `dataset` with its versions and their bytes. What reads it, or computes on it, is stopped.

    Figures that were asked for by themselves go as well: they draw the data, and no number of a result is in them.
    """
    with transaction.atomic():
        analyses = list(Analysis.objects.filter(data__dataset=dataset).select_related("data", "job"))
        jobs = set(dataset.versions.exclude(job=None).values_list("job", flat=True))
        jobs |= {one.job_id for one in analyses if one.job_id is not None}
        for job in Job.objects.filter(pk__in=jobs):
            job.ask("cancel")
        forget_reasons(analyses, jobs)
        for one in analyses:
            _mark(one, dataset, by)
        Analysis.objects.bulk_update(analyses, ["request"], batch_size=200)
        drop_pictures([one for one in analyses if one.kind == Analysis.Kind.FIGURE])
        dataset.delete()


def forget_reasons(analyses: Collection[Analysis], jobs: Collection[UUID]) -> None:
    """Take out why `jobs` failed, and why `analyses` have no result: both say it in words of the file."""
    Job.objects.filter(pk__in=jobs).exclude(reason="").update(reason=NOTE)
    JobEvent.objects.filter(job__in=jobs, kind="job_failed").update(text=NOTE, details={})
    failed = [one for one in analyses if one.error]
    for one in failed:
        kept = {name: (one.error or {}).get(name, "") for name in ("code", "field", "column")}
        one.error = {**kept, "message": _NO_RESULT, "hint": "", "suggest": ""}
    Analysis.objects.bulk_update(failed, ["error"], batch_size=200)


def uses_of(dataset: Dataset) -> dict[str, int]:
    """What the page says before it deletes: how many `versions`, `analyses` on them, and `figures` that go."""
    analyses = Analysis.objects.filter(data__dataset=dataset)
    return {
        "versions": dataset.versions.count(),
        "analyses": analyses.count(),
        "figures": Figure.objects.filter(analysis__in=analyses.filter(kind=Analysis.Kind.FIGURE)).count(),
    }


def deleted_data(analysis: Analysis) -> dict[str, Any] | None:
    """{dataset, number, sha256, deleted_at, deleted_by} of data that `analysis` was made on and that were deleted; of
    data that went before this was noted without the last two. None where they are there, or it had none.
    """
    if analysis.data_id is not None or not isinstance(analysis.request, dict):
        return None
    return analysis.request.get("data_version") or None


def _mark(analysis: Analysis, dataset: Dataset, by: User | None) -> None:
    data = analysis.data
    assert data is not None
    version = {"dataset": dataset.name, "number": data.number, "rows": data.row_count, "sha256": data.sha256}
    gone = {"deleted_at": timezone.now().isoformat(), "deleted_by": str(by or "")}
    # It may have waited for R: then nothing says yet what it was asked of.
    analysis.request = {**analysis.request, "data_version": {**version, **gone}}


def drop_pictures(analyses: Collection[Analysis]) -> None:
    """Delete the figures of `analyses`, and say so in their place."""
    figures = Figure.objects.filter(analysis__in=analyses)
    for figure in figures:
        for file in (figure.png, figure.pdf):
            if file:
                transaction.on_commit(lambda storage=file.storage, name=str(file.name): storage.delete(name))  # type: ignore[misc]
    figures.update(svg="", png="", pdf="", caption=NOTE, alt="")
