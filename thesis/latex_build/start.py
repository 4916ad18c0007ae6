"""Starting and stopping a build of the whole thesis or of one chapter (SPEC T6, N7)."""

from django.db.models import Q

from core.errors import Refused
from jobs.compute_slots import request_slots
from jobs.models import Job
from projects.models import Project, User
from sections.models import Section
from thesis.models import Build

KIND = "build"
PLACES = 2  # compute slots that a build takes (N7)
HAS_TEXT = Q(latex__regex=r"\S")  # the sections that can be built: headings alone are enough for a PDF


class BuildRunning(Refused):
    """Refusal to start a build because `build`, of the same thesis or chapter, is still running."""

    def __init__(self, build: Build) -> None:
        super().__init__("A build is already in progress. Wait until it ends, or stop it.", code="running", status=409)
        self.build = build


def start_build(
    project: Project,
    user: User,
    *,
    section: Section | None = None,
    kind: str = "pdf",
    from_scratch: bool = False,
    enqueue: bool = True,
) -> Build:
    """Queue a build of `project`, or of its one `section`, as `kind` (pdf or word), and return its row.

    `from_scratch` uses nothing of earlier builds. `enqueue` False is for a command that runs the job itself. Raises
    BuildRunning when the same build is already running, and Refused with the code `busy` (429) when the queue is full
    or `empty` when there is no text at all.
    """
    if kind not in (Build.Kind.PDF, Build.Kind.WORD):
        raise Refused("The kind of a build must be pdf or word.", field="kind")
    if section is not None and section.project_id != project.pk:
        raise Refused("This section belongs to another thesis.", field="section")
    with Project.objects.held(project.pk):  # two clicks at once: one build
        if under_way := running_build(project, section=section, kind=kind):
            raise BuildRunning(under_way)
        _check_text(project, section)
        build = Build(project=project, section=section, is_chapter=section is not None, kind=kind, created_by=user)
        build.from_scratch = from_scratch
        build.job = Job.objects.start(project=project, kind=KIND, subject=build.pk, user=user, enqueue=enqueue)
        request_slots(build.job, PLACES)  # its place in the queue counts from now, not from when a worker picks it up
        build.save(force_insert=True)
    return build


def stop_build(build: Build) -> None:
    """Ask the job of `build` to cancel; the files of earlier builds stay."""
    if build.job is not None:
        build.job.ask("cancel")


def running_build(project: Project, *, section: Section | None = None, kind: str = "pdf") -> Build | None:
    """Return the waiting or running build of the same thesis or section, or None."""
    rows = Build.objects.select_related("job").filter(project=project, kind=kind)
    rows = rows.filter(section=section) if section is not None else rows.filter(is_chapter=False)
    return rows.filter(job__in=Job.objects.alive()).first()


def _check_text(project: Project, section: Section | None) -> None:
    texts = Section.objects.filter(HAS_TEXT, project=project)
    if section is not None:
        texts = texts.filter(pk=section.pk)
    if not texts.exists():
        what = "thesis" if section is None else "section"
        raise Refused(f"This {what} has no text yet. Write something first.", code="empty", status=409)
