"""The first steps in a new thesis, each done by what is true in rows (docs/decisions/first-steps.md)."""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse

from analysis.models import Dataset
from citations.models import Citation
from contextfiles.models import ContextFile
from projects.models import Membership, Project, User
from sections.models import Section
from thesis.models import Build

_CITES = r"\\[A-Za-z]*cite[A-Za-z]*\*?(\[|\{)"


@dataclass(frozen=True)
class Step:
    """A step: its name for programs, what to do, where, and whether it is done."""

    name: str
    title: str
    href: str
    is_done: bool


@dataclass(frozen=True)
class FirstSteps:
    """The steps of a thesis, and whether this person has put the list away."""

    steps: list[Step]
    is_put_away: bool

    @property
    def done(self) -> int:
        """The number of steps that are done."""
        return sum(step.is_done for step in self.steps)

    @property
    def is_shown(self) -> bool:
        """Whether the list is shown: something is left to do, and the person has not put it away."""
        return not self.is_put_away and self.done < len(self.steps)


def first_steps(project: Project, user: User) -> FirstSteps:
    """Return the first steps of `user` in `project`, in one query."""
    of_project = {"project": OuterRef("project")}
    sections = Section.objects.filter(**of_project)
    has: dict[str, Exists | Q] = {
        "has_words": Exists(sections.filter(words__gt=0)),
        "has_reference": Exists(Citation.objects.filter(**of_project)),
        "has_citation": Exists(sections.filter(latex__regex=_CITES)),
        "has_file": Exists(ContextFile.objects.filter(**of_project)) | Exists(Dataset.objects.filter(**of_project)),
        "has_pdf": Exists(_good_pdfs().filter(**of_project)),
    }
    row = Membership.objects.filter(project=project, user=user).annotate(**has).get()
    write = reverse("sections:workspace", args=[project.pk])
    places = {
        "has_words": ("write", "Write a sentence", write),
        "has_reference": ("reference", "Add a reference", reverse("citations:add", args=[project.pk])),
        "has_citation": ("cite", "Cite it in your text", write),
        "has_file": ("upload", "Upload a file or data", reverse("contextfiles:list", args=[project.pk])),
        "has_pdf": ("build", "Make the PDF", reverse("thesis:build", args=[project.pk])),
    }
    steps = [Step(*place, getattr(row, column)) for column, place in places.items()]
    return FirstSteps(steps, row.first_steps_put_away)


def put_away(project: Project, user: User, *, away: bool) -> None:
    """Put the list away for `user` in `project`, or bring it back."""
    Membership.objects.filter(project=project, user=user).update(first_steps_put_away=away)


def _good_pdfs() -> "QuerySet[Build]":
    """Return the PDFs of whole theses that were built without an error."""
    return Build.objects.filter(kind=Build.Kind.PDF, is_chapter=False).exclude(output="")
