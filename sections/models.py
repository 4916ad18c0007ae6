"""Models of the text of a thesis: sections in LaTeX, their versions, snapshots, comments and files (SPEC T1, T2)."""

import uuid
from datetime import timedelta
from typing import Any, Self

from django.db import models, transaction
from django.db.models import Count, Max, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.text import slugify

from core.errors import Refused
from core.storable_text import check_storable
from latex.word_count import count_words
from projects.models import Project, User
from sections.replacement import ReplacedText as ReplacedText
from sections.replacement import Replacement as Replacement

MOST_CHARACTERS = 6_000_000  # per section: thirty times the usual length of a whole thesis
MOST_SECTIONS = 200  # per thesis
MOST_WITH_BIN = 2_000  # per thesis, including the bin
TYPING_WINDOW = timedelta(minutes=5)  # typing of one person within this time is one version in the history (SPEC T2)


def _check_text(latex: str) -> None:
    """Raise Refused unless `latex` can be the text of a section."""
    if len(latex) > MOST_CHARACTERS:
        raise Refused(
            f"This text has {len(latex):,} characters; a section can have at most {MOST_CHARACTERS:,}. "
            "Move a part of it into another section.",
            field="latex",
            code="too_long",
        )
    check_storable(latex, "latex")


class Stale(Refused):
    """The section was saved by somebody else in the meantime. `current` is the present section."""

    def __init__(self, current: "Section") -> None:
        super().__init__("This section was changed elsewhere in the meantime.", code="stale", status=409)
        self.current = current


class SectionQuerySet(models.QuerySet["Section"]):
    """Queries and changes on the sections of a thesis."""

    def outline(self) -> Self:
        """Return the sections in order, without their text, which may be long."""
        return self.order_by("number", "pk").defer("latex")

    def with_comments(self) -> Self:
        """Add `open_comments`, the number of unresolved comment threads of each section."""
        open_ones = Comment.objects.filter(section=OuterRef("pk"), replies_to=None, resolved_at=None)
        counted = open_ones.order_by().values("section").annotate(number=Count("pk")).values("number")
        return self.annotate(open_comments=Coalesce(Subquery(counted), 0))

    def renumber(self, order: list["Section"]) -> None:
        """Number the sections of `order` from 0 and save those that changed."""
        changed = [section for number, section in enumerate(order) if section.number != number]
        for number, section in enumerate(order):
            section.number = number
        self.bulk_update(changed, ["number"])

    def add(self, project: Project, title: str) -> "Section":
        """Create an empty section at the end of `project` and return it. Raises Refused beyond `MOST_SECTIONS`."""
        with Project.objects.held(project.pk):
            if project.sections.count() >= MOST_SECTIONS:
                raise Refused(f"A thesis can have at most {MOST_SECTIONS} sections.", field="title")
            # Sections in the bin keep their slugs, so that they can be restored.
            slugs = set(Section.everything.filter(project=project).values_list("slug", flat=True))
            if len(slugs) >= MOST_WITH_BIN:
                raise Refused("The bin is full. Restore a section and rename it instead.", field="title")
            last = project.sections.aggregate(last=Max("number"))["last"]
            section: Section = self.create(
                project=project,
                number=0 if last is None else last + 1,
                slug=_free_slug(title, slugs),
                title=title,
            )
            section.touch_project()
        return section


class Present(models.Manager.from_queryset(SectionQuerySet)):  # type: ignore[misc]
    """The sections of a thesis, without those in the bin."""

    def get_queryset(self) -> SectionQuerySet:
        present: SectionQuerySet = super().get_queryset().filter(removed_at=None)
        return present


def _free_slug(title: str, taken: set[str]) -> str:
    stem = slugify(title)[:70].strip("-_") or "section"
    return next(slug for n in range(1, len(taken) + 2) if (slug := stem if n == 1 else f"{stem}-{n}") not in taken)


class Section(models.Model):
    """One chapter. All its text is in `latex`; `version` grows by one with every save."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="sections")
    number = models.PositiveSmallIntegerField()
    slug = models.SlugField(max_length=80)
    title = models.CharField(max_length=200)
    latex = models.TextField(blank=True)
    words = models.PositiveIntegerField(default=0)
    version = models.PositiveIntegerField(default=0)
    updated_at = models.DateTimeField(auto_now=True)
    removed_at = models.DateTimeField(null=True, blank=True)  # when it was moved to the bin; None if it is not there

    objects = Present()
    everything = SectionQuerySet.as_manager()

    class Meta:
        ordering = ["number"]
        default_manager_name = "objects"
        constraints = [models.UniqueConstraint(fields=["project", "slug"], name="one_section_per_slug")]

    def __str__(self) -> str:
        return self.title

    def write(self, latex: str, *, based_on: int, by: User, kind: str = "typed") -> "Section":
        """Save `latex`, an edit of version `based_on`, in the history as `kind` (SectionVersion.Kind). Return the
        section.

        `latex` is stored exactly, line endings included. Typing of one person within five minutes is one row of the
        history, whose number grows with that of the section; every save of another kind is a row of its own. Raises
        Refused if the text is too long or cannot be stored, and Stale if the present text differs from that of version
        `based_on`. Then nothing is written.
        """
        _check_text(latex)
        with transaction.atomic():
            current: Section = Section.everything.select_for_update().get(pk=self.pk)
            if not current._has_text_of(based_on):
                raise Stale(current)
            if current.latex == latex:
                return current
            current._keep_first_text()
            burst = current._burst_of(by) if kind == SectionVersion.Kind.TYPED else None
            current.latex, current.words, current.version = latex, count_words(latex), current.version + 1
            current.save(update_fields=["latex", "words", "version", "updated_at"])
            if burst is None:
                current.versions.create(version=current.version, latex=latex, saved_by=by, kind=kind)
            else:
                burst.latex, burst.version, burst.saved_at = latex, current.version, timezone.now()
                burst.save(update_fields=["latex", "version", "saved_at"])
        current.touch_project()  # after the section's lock: others lock the project first (decisions/postgresql.md)
        return current

    def take_in(self, latex: str, *, by: User) -> "Section":
        """Save `latex`, which `by` accepted from a proposal. The text before it is a version of its own in the history.

        To be called in a transaction that locks the section. Raises Refused as `write` does.
        """
        self.current_version_row()
        self.refresh_from_db()
        return self.write(latex, based_on=self.version, by=by, kind=SectionVersion.Kind.PROPOSED)

    def keep(self, latex: str, *, by: User) -> "SectionVersion":
        """Store a text that was not chosen in a conflict in the history, without changing the text of the section.

        It gets the section's next number, so that the address of a version never changes its meaning. A save based on
        the number before is not stale, because the text is the same. A text sent twice is stored once. Raises Refused
        as `write` does.
        """
        _check_text(latex)
        with transaction.atomic():
            current: Section = Section.everything.select_for_update().get(pk=self.pk)
            last: SectionVersion | None = current.versions.select_related("saved_by").first()
            if last is not None and last.saved_by == by and last.latex == latex:
                return last
            current._keep_first_text()
            current.version += 1
            current.save(update_fields=["version"])
            kept: SectionVersion = current.versions.create(
                version=current.version, latex=latex, saved_by=by, kind=SectionVersion.Kind.KEPT
            )
        return kept

    def restore(self, earlier: "SectionVersion", *, by: User) -> "Section":
        """Restore the text of `earlier` as a new version. The present text stays in the history.

        Raises Stale if somebody saves at the same moment.
        """
        return self.write(earlier.latex, based_on=self.version, by=by, kind=SectionVersion.Kind.RESTORED)

    def yield_to(self, theirs: int, *, mine: str, by: User) -> "Section":
        """Resolve a conflict in favour of the other side: `mine` goes into the history, version `theirs` stays the
        text.

        `theirs` is the version that was current when the person chose. Raises as `write` does.
        """
        _check_text(mine)
        with transaction.atomic():
            current: Section = Section.objects.select_for_update().get(pk=self.pk)
            if not current._has_text_of(theirs):
                raise Stale(current)
            if current.latex != mine:
                current.keep(mine, by=by)
            settled: Section = Section.objects.get(pk=self.pk)
        return settled

    def version_row(self, version: int) -> "SectionVersion | None":
        """Return the row with version `version`, or the row of typing that a save with this number became part of."""
        rows = self.versions.select_related("saved_by").filter(version__gte=version).order_by("version")
        return rows.first() if version <= self.version else None

    def current_version_row(self) -> "SectionVersion":
        """Return the row of the history with the present text. It is created if the text was never saved."""
        with transaction.atomic():
            current: Section = Section.everything.select_for_update().get(pk=self.pk)
            row: SectionVersion | None = current.versions.exclude(kind=SectionVersion.Kind.KEPT).first()
            if row is not None and row.latex == current.latex:
                return row
            if row is None and not current.versions.filter(version=0).exists():
                return current.versions.create(version=0, latex=current.latex)
            current.version += 1
            current.save(update_fields=["version"])
            return current.versions.create(version=current.version, latex=current.latex)

    def _has_text_of(self, version: int) -> bool:
        """Return whether the text is still that of `version`: only texts kept from conflicts were added since."""
        if version == self.version:
            return True
        since = self.versions.filter(version__gt=version, kind=SectionVersion.Kind.KEPT).count()
        return bool(version < self.version == version + since)

    def _burst_of(self, by: User) -> "SectionVersion | None":
        """Return the row that a save by `by` continues, or None: the newest, their typing, recent, in no snapshot."""
        last: SectionVersion | None = self.versions.defer("latex").first()
        if last is None or last.kind != SectionVersion.Kind.TYPED or last.saved_by_id != by.pk:
            return None
        return None if timezone.now() - last.began_at >= TYPING_WINDOW or last.snapshots.exists() else last

    def _keep_first_text(self) -> None:
        """Store the text that a new section started with as version 0, so that the first save does not lose it."""
        if self.version == 0 and self.latex:
            self.versions.get_or_create(version=0, defaults={"latex": self.latex})

    def rename(self, title: str) -> None:
        """Change the title. The slug stays the same, so that links still work."""
        self.title = title
        self.save(update_fields=["title", "updated_at"])
        self.touch_project()

    def move_to(self, place: int) -> None:
        """Move the section to `place` (0 is first; out of range means the first or last) and renumber all sections.

        Raises Refused if it was moved to the bin in the meantime.
        """
        with Project.objects.held(self.project_id):
            order = list(Section.objects.filter(project_id=self.project_id).outline())
            if self not in order:
                raise Refused("This section is in the bin. Restore it before you move it.", code="removed", status=409)
            moved = order.pop(order.index(self))
            order.insert(max(0, min(place, len(order))), moved)
            Section.objects.renumber(order)
            self.number = moved.number
            self.touch_project()

    def touch_project(self) -> None:
        """Update the time of the last change of the thesis, by which theses are sorted."""
        Project.objects.filter(pk=self.project_id).update(updated_at=timezone.now())


class SectionVersion(models.Model):
    """The text of a section after a save. Typing of one person within five minutes is one row (SPEC T2)."""

    class Kind(models.TextChoices):
        TYPED = "typed", "Typed"
        RESTORED = "restored", "Restored"
        IMPORTED = "imported", "Imported"
        MERGED = "merged", "Put together after a conflict"
        PROPOSED = "proposed", "Accepted from a proposal"
        KEPT = "kept", "Kept from a conflict"
        REPLACED = "replaced", "Words replaced"

    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="versions")
    version = models.PositiveIntegerField()
    latex = models.TextField(blank=True)
    saved_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True)
    kind = models.CharField(max_length=8, choices=Kind.choices, default=Kind.TYPED)
    began_at = models.DateTimeField(default=timezone.now)  # first save of the five minutes of typing
    saved_at = models.DateTimeField(default=timezone.now)  # last save

    class Meta:
        ordering = ["-version"]
        constraints = [models.UniqueConstraint(fields=["section", "version"], name="one_row_per_version")]

    def __str__(self) -> str:
        return f"{self.section_id} v{self.version}"


class Snapshot(models.Model):
    """A saved version of the whole thesis with a name that a person gave it, such as "Sent to Dr Iyer"."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="snapshots")
    name = models.CharField(max_length=120)
    made_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True)
    made_at = models.DateTimeField(default=timezone.now)
    versions: "models.ManyToManyField[SectionVersion, Any]" = models.ManyToManyField(
        SectionVersion, related_name="snapshots"
    )

    class Meta:
        ordering = ["-made_at"]

    def __str__(self) -> str:
        return self.name


class Comment(models.Model):
    """A comment on a place in the text, or a reply (SPEC T2).

    The place is `quote`, the LaTeX at character `start` of version `version`. A little of the text before and after
    it is stored, so that the place is found again when the text changes. An empty quote means the whole section.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="comments")
    replies_to = models.ForeignKey("self", on_delete=models.CASCADE, null=True, blank=True, related_name="replies")
    author = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    body = models.TextField(max_length=10_000)
    quote = models.TextField(max_length=2_000, blank=True)
    before = models.CharField(max_length=100, blank=True)
    after = models.CharField(max_length=100, blank=True)
    start = models.PositiveIntegerField(default=0)  # characters (code points) from the start of the section
    version = models.PositiveIntegerField(default=0)
    made_at = models.DateTimeField(default=timezone.now)
    edited_at = models.DateTimeField(null=True, blank=True)
    resolved_at = models.DateTimeField(null=True, blank=True)
    resolved_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["made_at"]

    def __str__(self) -> str:
        return f"{self.author}: {self.body[:40]}"


def stored_at(file: "ThesisFile | TextImport", name: str) -> str:
    """Return the storage path of a file. It consists of ids only, so that no name a person chose becomes a path."""
    return f"thesis/{file.project_id}/{file.pk}"


class ThesisFile(models.Model):
    """A file that belongs to the text: of an imported LaTeX project, or a picture added while writing (SPEC T2, T5).

    `path` is its path in the LaTeX project ("figures/flow.png"). A TeX file whose text is in sections has `pieces`, the
    sections and the text between them in order: [{"text": "..."} | {"section": id}]. Joined, and encoded in `encoding`,
    they are the file.
    """

    class Kind(models.TextChoices):
        TEX = "tex", "LaTeX"
        PICTURE = "picture", "Picture"
        REFERENCES = "bib", "References"
        OTHER = "other", "Other"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="thesis_files")
    path = models.CharField(max_length=255)
    kind = models.CharField(max_length=8, choices=Kind.choices, default=Kind.OTHER)
    is_main = models.BooleanField(default=False)  # the file that LaTeX is run on
    blob = models.FileField(upload_to=stored_at, max_length=200, blank=True)
    size = models.PositiveBigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True)
    media_type = models.CharField(max_length=80, blank=True)
    pieces = models.JSONField(null=True, blank=True)
    encoding = models.CharField(max_length=20, default="utf-8")
    added_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True)
    added_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["path"]
        constraints = [models.UniqueConstraint(fields=["project", "path"], name="one_thesis_file_per_path")]

    def __str__(self) -> str:
        return self.path


class TextImport(models.Model):
    """An import of a text into a thesis, with its report file by file (SPEC T2)."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="text_imports")
    name = models.CharField(max_length=255)
    blob = models.FileField(upload_to=stored_at, max_length=200, blank=True)
    result = models.JSONField(null=True, blank=True)
    made_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True)
    made_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-made_at"]

    def __str__(self) -> str:
        return self.name
