"""References as a real check of them leaves them, for the tests of pages: proven, in conflict, not found, probable."""

from typing import Any

from django.utils import timezone

from citations.formats.csl import columns_of
from citations.formats.reading import Entry
from citations.models import Citation
from citations.resolution.check_job import start_check
from jobs.work import perform
from projects.models import Project, User
from sections.models import Section
from tests.citations.real_works import WORKS

CODEX = WORKS["codex"]
RECOVERY = WORKS["recovery"]


def unchecked_row(project: Project, key: str, csl: dict[str, Any], **fields: Any) -> Citation:
    """An entry that waits for its check."""
    serial = Citation.objects.next_serial(project)
    columns = {**columns_of(Entry(key, "", csl)), "serial": serial, "check_due_at": timezone.now(), **fields}
    row: Citation = Citation.objects.create(project=project, **columns)
    return row


def check(project: Project, user: User) -> None:
    """Check what is due, here and now."""
    job = start_check(project, user)
    assert job is not None
    perform(str(job.pk))


def four(project: Project, user: User) -> dict[str, Citation]:
    """Checked against `holdings`: "proven", "conflict", "missing" and "probable" by their keys."""
    unchecked_row(project, "proven", CODEX.csl())
    unchecked_row(project, "conflict", {**CODEX.csl(), "DOI": RECOVERY.doi, "PMID": ""})
    unchecked_row(
        project, "missing", {**WORKS["jaynes1"].csl(), "title": "Alder in mixed stands", "DOI": "10.9999/alder"}
    )
    unchecked_row(project, "probable", {**RECOVERY.csl(), "DOI": "10.9999/none", "PMID": ""})
    check(project, user)
    return {row.cite_key: row for row in Citation.objects.filter(project=project)}


def cite(project: Project, title: str, *keys: str) -> Section:
    """A section that cites `keys`."""
    section: Section = Section.objects.get(project=project, title=title)
    section.latex = " ".join(f"Words \\cite{{{key}}}." for key in keys)
    section.save()
    return section
