"""The rows of a thesis as one manuscript."""

from functools import partial

from citations.models import Citation
from projects.models import Project
from sections.models import Section, ThesisFile
from sections.thesis_files import bytes_of
from thesis.assembly.manuscript import Chapter, File, Manuscript, Work
from thesis.front.laid import layout_of


def manuscript_of(project: Project) -> Manuscript:
    """`project` as it stands, without what is in the bin. Five queries; no file is read yet."""
    sections = Section.objects.filter(project=project).order_by("number", "pk")
    columns = sections.values_list("pk", "number", "slug", "title", "latex", "words")
    chapters = [Chapter(str(pk), *rest) for pk, *rest in columns]
    files = [_file(row) for row in ThesisFile.objects.filter(project=project).order_by("path")]
    works = Citation.objects.filter(project=project).values_list("cite_key", "csl", "tier", "status", "former_key")
    return Manuscript(
        title=project.title,
        author=project.owner.name,
        style=project.citation_style,
        chapters=chapters,
        files=files,
        works=[Work(*columns) for columns in works],
        layout=layout_of(project, chapters),
        discipline=project.discipline,
        degree=project.degree,
    )


def _file(row: ThesisFile) -> File:
    read = partial(bytes_of, row) if row.blob else bytes
    return File(row.path, row.kind, row.is_main, row.pieces, row.encoding, row.media_type, read)
