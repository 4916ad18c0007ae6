"""The sections a new thesis starts with (SPEC T1)."""

from typing import Any

from projects.models import Project
from projects.outlines import UNCHOSEN, find_outline
from sections.models import Section

CHAPTERS = [(part.slug, part.title) for part in UNCHOSEN.parts]


def make_chapters(sender: Any, project: Project, **kwargs: Any) -> None:
    """Give a new project the sections of its outline, numbered from 0. Called inside the transaction that creates it.

    The headings they start with count no words: nobody has written any yet. Raises Refused for an unknown outline.
    """
    Section.objects.bulk_create(
        Section(project=project, number=number, slug=part.slug, title=part.title, latex=part.starter)
        for number, part in enumerate(find_outline(project.outline).parts)
    )
