"""Snapshots: saved versions of the whole thesis, with comparing and restoring (SPEC T2)."""

from uuid import UUID

from django.db.models import F, Q

from core.errors import Refused
from projects.models import Project, User
from sections.models import Section, SectionVersion, Snapshot

MOST = 500  # per thesis


def save_snapshot(project: Project, name: str, *, by: User) -> Snapshot:
    """Save the present text of all sections as a snapshot called `name` and return it. Raises Refused beyond 500."""
    with Project.objects.held(project.pk):
        if project.snapshots.count() >= MOST:
            raise Refused(f"A thesis can have at most {MOST} saved versions. Delete some first.", field="name")
        made: Snapshot = project.snapshots.create(name=name, made_by=by)
        made.versions.set(
            [section.current_version_row() for section in Section.objects.filter(project=project).outline()]
        )
    return made


def snapshot_versions(snapshot: Snapshot) -> list[SectionVersion]:
    """Return the version of each section in `snapshot`, with `changed` if the text is different now. Takes one query.

    They have the present order of the sections; those in the bin come last.
    """
    rows = snapshot.versions.select_related("section").defer("latex", "section__latex")
    rows = rows.annotate(changed=~Q(latex=F("section__latex")))
    return sorted(rows, key=lambda row: (row.section.removed_at is not None, row.section.number))


def restore(snapshot: Snapshot, *, by: User, section: UUID | None = None) -> list[Section]:
    """Restore the text of one section, or of all, from `snapshot` as new versions. Return the sections that changed.

    Sections in the bin and sections newer than the snapshot are not changed. Either all are restored or none: raises
    Stale if somebody saves at the same moment, and Refused if the one section is not available.
    """
    with Project.objects.held(snapshot.project_id):
        rows = snapshot.versions.filter(section__removed_at=None).select_related("section")
        if section is not None:
            rows = rows.filter(section_id=section)
        found = list(rows.defer("latex", "section__latex").order_by("section__number"))
        if section is not None and not found:
            raise Refused(
                "This section is not in the saved version, or it is in the bin. Restore it from the bin first."
            )
        saved = [(row.section, row.section.restore(row, by=by)) for row in found]
    return [after for before, after in saved if after.version != before.version]
