"""The rows of a thesis as one manuscript."""

from dataclasses import replace
from functools import partial

from citations.models import Citation, OtherKey
from projects.models import Project
from sections.models import Section, ThesisFile
from sections.thesis_files import bytes_of
from thesis.authorship.statement import ai_use_of
from thesis.layout import layout_of
from thesis.manuscript import AiUse, Chapter, File, Manuscript, Work


def manuscript_of(project: Project, *, whole: bool = True) -> Manuscript:
    """`project` as it stands, without what is in the bin, in a constant number of queries; no file is read yet.

    `whole` False is for what prints no title page and forms: what is said there about the use of AI is left out.
    """
    text = text_of(project)
    works = Citation.objects.filter(project=project).values_list("cite_key", "csl", "tier", "status")
    return replace(
        text,
        style=project.citation_style,
        works=[Work(*columns) for columns in works],
        other_keys=OtherKey.objects.by_key(project),
        discipline=project.discipline,
        degree=project.degree,
        ai_use=ai_use_of(project) if whole else AiUse(),
    )


def text_of(project: Project) -> Manuscript:
    """The text of `project` and how it is laid out, without its references and what its forms say."""
    sections = Section.objects.filter(project=project).order_by("number", "pk")
    columns = sections.values_list("pk", "number", "slug", "title", "latex", "words")
    chapters = [Chapter(str(pk), *rest) for pk, *rest in columns]
    files = [_file(row) for row in ThesisFile.objects.filter(project=project).order_by("path")]
    return Manuscript(
        project.title, project.owner.name, chapters=chapters, files=files, layout=layout_of(project, chapters)
    )


def _file(row: ThesisFile) -> File:
    read = partial(bytes_of, row) if row.blob else bytes
    return File(row.path, row.kind, row.is_main, row.pieces, row.encoding, row.media_type, read)
