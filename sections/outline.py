"""The chapters a new thesis starts with (SPEC T1)."""

from typing import Any

from projects.models import Project
from sections.models import Section

CHAPTERS = [
    ("front-matter", "Front matter"),
    ("abstract", "Abstract"),
    ("introduction", "Introduction"),
    ("aims-and-objectives", "Aims and objectives"),
    ("review-of-literature", "Review of literature"),
    ("materials-and-methods", "Materials and methods"),
    ("results", "Results"),
    ("discussion", "Discussion"),
    ("summary-and-conclusion", "Summary and conclusion"),
]


def make_chapters(sender: Any, project: Project, **kwargs: Any) -> None:
    """Give a new project its chapters, numbered 0 to 8. Called inside the transaction that creates it."""
    Section.objects.bulk_create(
        Section(project=project, number=number, slug=slug, title=title) for number, (slug, title) in enumerate(CHAPTERS)
    )
