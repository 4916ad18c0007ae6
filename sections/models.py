"""The text of a thesis: LaTeX, section by section, with every version kept (SPEC T1, T2)."""

import re
import uuid
from typing import Any, ClassVar, Self

from django.db import models, transaction

from projects.models import Project, User

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_NOT_PROSE = re.compile(
    r"(?<!\\)%.*$|\\(?:cite\w*|ref|eqref|label|input|begin|end|includegraphics)\*?(?:\[[^\]]*\])*\{[^}]*\}|\\[a-zA-Z]+\*?",
    re.MULTILINE,
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
        """Save `latex`, written over version `based_on`, and keep what was there as a version.

        Raises Stale when the section has moved on since `based_on`; nothing is written then.
        """
        with transaction.atomic():
            current: Section = Section.objects.select_for_update().get(pk=self.pk)
            if current.version != based_on:
                raise Stale(current)
            if current.latex == latex:
                return current
            current.latex, current.words, current.version = latex, count_words(latex), based_on + 1
            current.save(update_fields=["latex", "words", "version", "updated_at"])
            SectionVersion.objects.create(section=current, version=current.version, latex=latex, saved_by=by)
        return current


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
