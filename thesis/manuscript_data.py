"""The rows of a thesis as a manuscript, whole or as far as its forms need it (SPEC T5)."""

from dataclasses import replace
from functools import partial

from citations.models import Citation, OtherKey
from projects.models import Project
from sections.models import Section, ThesisFile
from sections.thesis_files import bytes_of
from thesis.authorship.statement import authorship_of
from thesis.front_matter.pages import is_appendix
from thesis.manuscript import AiUse, Chapter, File, LayoutOf, Manuscript, Work
from thesis.models import Layout


def laid(project: Project, ai_use: AiUse | None = None) -> Manuscript:
    """`project` as far as its title page and forms need it: the text and the layout, no works and no file's bytes.

    `ai_use` is what is said about the use of AI, where the caller has it already.
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


def layout_of(project: Project, chapters: list[Chapter]) -> LayoutOf:
    """Return what somebody chose for `project`, else a report with the sections behind the references whose titles say so."""
    row = Layout.objects.filter(project=project).first()
    if row is None:
        return LayoutOf(appendices=[chapter.id for chapter in chapters if is_appendix(chapter.title)])
    appendices = [str(one) for one in row.appendices]
    return LayoutOf(row.template, dict(row.facts), dict(row.pages), row.acknowledgements, row.abbreviations, appendices)


def manuscript_of(project: Project, *, whole: bool = True) -> Manuscript:
    """`project` as it stands, without what is in the bin, in a constant number of queries; no file is read yet.

    `whole` False is for what prints no title page and forms: what is said there about the use of AI is left out.
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
    """Return the text of `project` and how it is laid out, without its references and what its forms say."""
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
