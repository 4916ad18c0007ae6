"""The text of a thesis: LaTeX, section by section, with every version kept (SPEC T1, T2)."""

import re
import uuid
from typing import Any, ClassVar, Self

from django.db import models, transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.text import slugify

from projects.errors import Refused
from projects.models import Project, User
from projects.text import check_storable

MOST_CHARACTERS = 2_000_000  # of one section: a thesis of ten times the usual length in one chapter
MOST_SECTIONS = 200  # of one thesis

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
# A key ends at a brace or backslash, an option at a bracket, and a name has an end, so that each scan is short
# however long the text and however broken its LaTeX.
_NOT_PROSE = re.compile(
    r"\\(?:[a-zA-Z]{0,12}cite[a-zA-Z]{0,12}|ref|eqref|label|input|begin|end|includegraphics)"
    r"\*?(?:\[[^\[\]]*\])*\{[^{}\\]*\}"
    r"|\\[a-zA-Z]+\*?"
    r"|\\."
    r"|%.*"
)


def count_words(latex: str) -> int:
    """Words of prose in `latex`: commands, keys and comments do not count."""
    return len(_WORD.findall(_NOT_PROSE.sub(" ", latex)))


class Stale(Exception):
    """Somebody else saved in between; `current` is the section as it stands now."""

    def __init__(self, current: "Section") -> None:
        super().__init__("This section was changed elsewhere in the meantime.")
        self.current = current


class SectionQuerySet(models.QuerySet["Section"]):
    def visible_to(self, user: Any) -> Self:
        return self.filter(project__in=Project.objects.visible_to(user))

    def outline(self) -> Self:
        """In order and without their text, which may be long."""
        return self.order_by("number", "pk").defer("latex")

    def add(self, project: Project, title: str) -> "Section":
        """An empty section after the last of `project`. Raises Refused beyond `MOST_SECTIONS`."""
        with transaction.atomic():
            Project.objects.select_for_update().get(pk=project.pk)
            slugs = set(project.sections.values_list("slug", flat=True))
            if len(slugs) >= MOST_SECTIONS:
                raise Refused(f"A thesis holds at most {MOST_SECTIONS} sections.", field="title")
            last = project.sections.aggregate(last=Max("number"))["last"]
            section: Section = self.create(
                project=project,
                number=0 if last is None else last + 1,
                slug=_free_slug(title, slugs),
                title=title,
            )
            section.touch_project()
        return section


def _free_slug(title: str, taken: set[str]) -> str:
    stem = slugify(title)[:70].strip("-_") or "section"
    return next(slug for n in range(1, len(taken) + 2) if (slug := stem if n == 1 else f"{stem}-{n}") not in taken)


class Section(models.Model):
    """One chapter. `latex` is its only truth; `version` grows by one with every save."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="sections")
    number = models.PositiveSmallIntegerField()
    slug = models.SlugField(max_length=80)
    title = models.CharField(max_length=200)
    latex = models.TextField(blank=True)
    words = models.PositiveIntegerField(default=0)
    version = models.PositiveIntegerField(default=0)
    updated_at = models.DateTimeField(auto_now=True)

    objects: ClassVar[Any] = SectionQuerySet.as_manager()

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["project", "slug"], name="one_section_per_slug")]

    def __str__(self) -> str:
        return self.title

    def write(self, latex: str, *, based_on: int, by: User) -> "Section":
        """Save `latex`, written over version `based_on`, and add it to the history.

        `latex` is kept character for character, line endings included. Raises Refused when it is too long or
        cannot be stored, and Stale when the section has moved on since `based_on`; nothing is written then.
        """
        if len(latex) > MOST_CHARACTERS:
            raise Refused(
                f"This text has {len(latex):,} characters; a section holds at most {MOST_CHARACTERS:,}. "
                "Move a part of it into another section.",
                field="latex",
                code="too_long",
            )
        check_storable(latex, "latex")
        with transaction.atomic():
            current: Section = Section.objects.select_for_update().get(pk=self.pk)
            if current.version != based_on:
                raise Stale(current)
            if current.latex == latex:
                return current
            current._keep_first_text()
            current.latex, current.words, current.version = latex, count_words(latex), based_on + 1
            current.save(update_fields=["latex", "words", "version", "updated_at"])
            SectionVersion.objects.create(section=current, version=current.version, latex=latex, saved_by=by)
            current.touch_project()
        return current

    def _keep_first_text(self) -> None:
        """A section made with text in it has no version of that text yet; the first save must not lose it."""
        if self.version == 0 and self.latex:
            SectionVersion.objects.create(section=self, version=0, latex=self.latex)

    def yield_to(self, theirs: int, *, mine: str, by: User) -> "Section":
        """Settle a conflict for the other side: `mine` goes into the history, version `theirs` becomes the text.

        Raises as `write`; `theirs` is the version that was current when the person chose.
        """
        with transaction.atomic():
            latex = Section.objects.get(pk=self.pk).latex
            mine_saved = self.write(mine, based_on=theirs, by=by)
            return mine_saved.write(latex, based_on=mine_saved.version, by=by)

    def rename(self, title: str) -> None:
        """Give it another title. The slug stays, and so do the addresses people have kept."""
        self.title = title
        self.save(update_fields=["title", "updated_at"])
        self.touch_project()

    def move_to(self, place: int) -> None:
        """Put it at `place` (0 is first; beyond the ends means the end) and number all sections from 0."""
        with transaction.atomic():
            Project.objects.select_for_update().get(pk=self.project_id)
            order = list(Section.objects.filter(project_id=self.project_id).outline())
            moved = order.pop(order.index(self))
            order.insert(max(0, min(place, len(order))), moved)
            changed = [section for number, section in enumerate(order) if section.number != number]
            for number, section in enumerate(order):
                section.number = number
            Section.objects.bulk_update(changed, ["number"])
            self.number = moved.number
            self.touch_project()

    def touch_project(self) -> None:
        """The thesis was worked on: it comes first among the person's theses."""
        Project.objects.filter(pk=self.project_id).update(updated_at=timezone.now())


class SectionVersion(models.Model):
    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="versions")
    version = models.PositiveIntegerField()
    latex = models.TextField(blank=True)
    saved_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True)
    saved_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-version"]
        constraints = [models.UniqueConstraint(fields=["section", "version"], name="one_row_per_version")]

    def __str__(self) -> str:
        return f"{self.section_id} v{self.version}"
