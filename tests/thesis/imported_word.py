"""Importing Word files made of paragraphs, and reading the outcome."""

from typing import Any

from jobs.models import State
from projects.models import Project, User
from sections.models import Section
from tests.thesis.make_thesis import imported_file
from tests.thesis.word_files import heading, word_file

BOLD = "<w:rPr><w:b/></w:rPr>"
RAISED = '<w:rPr><w:vertAlign w:val="superscript"/></w:rPr>'
# A text box, whose words Word writes twice
BOX = (
    '<w:r><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice '
    'Requires="wps"><w:drawing><w:txbxContent>{0}</w:txbxContent></w:drawing></mc:Choice><mc:Fallback><w:pict>'
    "<w:txbxContent>{0}</w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
)


def imported(user: User, *paragraphs: str, into: Project | None = None, **more: Any) -> tuple[str, dict[str, Any]]:
    """The LaTeX of all sections of an imported Word file, and the report of its import."""
    made, job = imported_file(user, word_file(heading("Introduction"), *paragraphs, **more), "draft.docx", into=into)
    assert job.state == State.DONE, job.reason
    sections = Section.objects.filter(project=made.project).order_by("number")
    return "\n".join(section.latex for section in sections), made.result or {}


def body(latex: str) -> str:
    """The text after the first heading."""
    return latex.partition("\\label{introduction}")[2].strip()


def unplaced(result: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one["text"], one["why"]) for one in result["word"]["unplaced"]]
