"""The manuscript of a project, read from the database: whole, or only as much as its forms need (SPEC T5)."""

from dataclasses import replace
from functools import partial

from citations.models import Citation, OtherKey
from projects.models import Project
from sections.models import Section, ThesisFile
from sections.thesis_files import bytes_of
from thesis.authorship.statement import authorship_of
from thesis.front_matter.pages import is_appendix
from thesis.manuscript import AiUse, Chapter, File, LayoutValues, Manuscript, Work
from thesis.models import Layout


def layout_manuscript(project: Project, ai_use: AiUse | None = None) -> Manuscript:
    """Return the part of the manuscript that the title page and the forms need: no works and no other files.

    `ai_use` is passed by callers that have read it already.
    """
    chapters = _chapters(project)
    mains = ThesisFile.objects.filter(project=project, is_main=True, pieces__isnull=False)
    return Manuscript(
        title=project.title,
        author=project.owner.name,
        style=project.citation_style,
        chapters=chapters,
        files=[
            File(path, kind, is_main=True, pieces=pieces)
            for path, kind, pieces in mains.values_list("path", "kind", "pieces")
        ],
        layout=layout_of(project, chapters),
        discipline=project.discipline,
        degree=project.degree,
        ai_use=authorship_of(project).printed if ai_use is None else ai_use,
    )


def layout_of(project: Project, chapters: list[Chapter]) -> LayoutValues:
    """Return the saved layout of `project`, else that of a report, with appendices chosen by their titles."""
    row = Layout.objects.filter(project=project).first()
    if row is None:
        return LayoutValues(appendices=[chapter.id for chapter in chapters if is_appendix(chapter.title)])
    appendices = [str(one) for one in row.appendices]
    return LayoutValues(
        row.template, dict(row.facts), dict(row.pages), row.acknowledgements, row.abbreviations, appendices
    )


def manuscript_of(project: Project, *, whole: bool = True) -> Manuscript:
    """Return the manuscript of `project`, without deleted sections, in a constant number of queries.

    Files are read later, when needed. `whole` False leaves out the use of AI, for callers that print no forms.
    """
    return replace(
        text_of(project),
        style=project.citation_style,
        works=[
            Work(*columns)
            for columns in Citation.objects.filter(project=project).values_list("cite_key", "csl", "tier", "status")
        ],
        other_keys=OtherKey.objects.by_key(project),
        discipline=project.discipline,
        degree=project.degree,
        ai_use=authorship_of(project).printed if whole else AiUse(),
    )


def text_of(project: Project) -> Manuscript:
    """Return the text, files and layout of `project`, without its references and the use of AI."""
    chapters = _chapters(project)
    return Manuscript(
        project.title,
        project.owner.name,
        chapters=chapters,
        files=[
            File(
                row.path,
                row.kind,
                row.is_main,
                row.pieces,
                row.encoding,
                row.media_type,
                partial(bytes_of, row) if row.blob else bytes,
            )
            for row in ThesisFile.objects.filter(project=project).order_by("path")
        ],
        layout=layout_of(project, chapters),
    )


def _chapters(project: Project) -> list[Chapter]:
    rows = Section.objects.filter(project=project).order_by("number", "pk")
    return [
        Chapter(str(pk), *rest) for pk, *rest in rows.values_list("pk", "number", "slug", "title", "latex", "words")
    ]
