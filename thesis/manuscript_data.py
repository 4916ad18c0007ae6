"""The rows of a thesis as one manuscript."""

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
    sections = Section.objects.filter(project=project).order_by("number", "pk")
    columns = sections.values_list("pk", "number", "slug", "title", "latex", "words")
    chapters = [Chapter(str(pk), *rest) for pk, *rest in columns]
    files = [_file(row) for row in ThesisFile.objects.filter(project=project).order_by("path")]
    works = Citation.objects.filter(project=project).values_list("cite_key", "csl", "tier", "status")
    return Manuscript(
        title=project.title,
        author=project.owner.name,
        style=project.citation_style,
        chapters=chapters,
        files=files,
        works=[Work(*columns) for columns in works],
        other_keys=OtherKey.objects.by_key(project),
        layout=layout_of(project, chapters),
        discipline=project.discipline,
        degree=project.degree,
        ai_use=ai_use_of(project) if whole else AiUse(),
    )


def _file(row: ThesisFile) -> File:
    read = partial(bytes_of, row) if row.blob else bytes
    return File(row.path, row.kind, row.is_main, row.pieces, row.encoding, row.media_type, read)
