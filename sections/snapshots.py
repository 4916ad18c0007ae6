"""Named states of the whole thesis: kept, compared, brought back (SPEC T2)."""

from uuid import UUID

from django.db.models import OuterRef, Q, Subquery

from core.errors import Refused
from projects.models import Project, User
from sections.models import Section, SectionVersion, Snapshot

MOST = 500  # of one thesis


def take(project: Project, name: str, *, by: User) -> Snapshot:
    """Keep the present text of every section of `project` under `name`. Raises Refused beyond 500 of them."""
    with Project.objects.held(project.pk):
        if project.snapshots.count() >= MOST:
            raise Refused(f"A thesis holds at most {MOST} kept states. Delete some first.", field="name")
        made: Snapshot = project.snapshots.create(name=name, made_by=by)
        made.versions.set([section.row_now() for section in Section.objects.filter(project=project).outline()])
    return made


def kept_in(snapshot: Snapshot) -> list[SectionVersion]:
    """Return what each section was, `changed` where its text is another now. In the order the sections have now; those in the
    bin come last. One query."""
    texts = SectionVersion.objects.filter(section=OuterRef("section_id")).exclude(kind=SectionVersion.Kind.KEPT)
    rows = snapshot.versions.select_related("section").defer("latex", "section__latex")
    rows = rows.annotate(changed=~Q(version=Subquery(texts.order_by("-version").values("version")[:1])))
    return sorted(rows, key=lambda row: (row.section.removed_at is not None, row.section.number))


def restore(snapshot: Snapshot, *, by: User, section: UUID | None = None) -> list[Section]:
    """Make the text of one section, or of all, what it was in `snapshot`, as new versions. The sections that changed.

    Sections in the bin stay as they are, and so do those that are newer than the snapshot. All or nothing: raises Stale
    when somebody saves at the same moment, Refused when the one section is not there.
    """
    with Project.objects.held(snapshot.project_id):
        rows = snapshot.versions.filter(section__removed_at=None).select_related("section")
        if section is not None:
            rows = rows.filter(section_id=section)
        found = list(rows.defer("latex", "section__latex").order_by("section__number"))
        if section is not None and not found:
            raise Refused("This section is not in what was kept, or it is in the bin. Put it back first.")
        saved = [(row.section, row.section.restore(row, by=by)) for row in found]
    return [after for before, after in saved if after.version != before.version]
