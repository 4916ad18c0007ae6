"""The rows of a thesis as a manuscript, whole or as far as its forms need it, its layout written, and its numbers
for sections.printed (SPEC T2, T5)."""

from collections import OrderedDict
from dataclasses import dataclass, replace
from functools import partial
from uuid import UUID

from citations.models import Citation, OtherKey
from latex.letters import odd_letters
from latex.numbering import Numbered
from projects.models import Project
from sections.models import Section, ThesisFile
from sections.printed import Printed
from sections.thesis_files import bytes_of
from thesis.authorship.statement import ai_use_of
from thesis.front.facts import BY_NAME, TITLES, facts_of, unusual, values
from thesis.front.pages import is_appendix
from thesis.manuscript import AiUse, Chapter, File, LayoutOf, Manuscript, Work
from thesis.models import Layout
from thesis.numbering import Counted, counted


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
        ai_use=ai_use_of(project) if ai_use is None else ai_use,
    )


def layout_of(project: Project, chapters: list[Chapter]) -> LayoutOf:
    """What somebody chose for `project`, else a report with the sections behind the references whose titles say so."""
    row = Layout.objects.filter(project=project).first()
    if row is None:
        return LayoutOf(appendices=[chapter.id for chapter in chapters if is_appendix(chapter.title)])
    appendices = [str(one) for one in row.appendices]
    return LayoutOf(row.template, dict(row.facts), dict(row.pages), row.acknowledgements, row.abbreviations, appendices)


def lay(project: Project, layout: LayoutOf) -> None:
    """Keep `layout` for `project`. It was checked by LayoutForm."""
    Layout.objects.update_or_create(project=project, defaults=layout._asdict())
    project.save(update_fields=["updated_at"])


@dataclass(frozen=True)
class Advice:
    """Something about a field that is worth a look and stops nothing; `field` by name, `said` as a sentence."""

    field: str
    said: str


def advice(manuscript: Manuscript) -> list[Advice]:
    """What is odd about the words of the forms: letters that LaTeX cannot set, with field and line; numbers of another shape."""
    layout, have = manuscript.layout, values(manuscript)
    texts = [
        ("", "The title of this thesis", manuscript.title),
        *((fact.name, fact.label, have[fact.name]) for fact in facts_of(layout.template)),
        ("acknowledgements", "Acknowledgements", layout.acknowledgements),
        ("abbreviations", "Abbreviations", layout.abbreviations),
        ("ai_use", TITLES["ai_use"], manuscript.ai_use.statement),
    ]
    found = []
    for name, label, text in texts:
        lines: dict[int, list[str]] = {}
        for odd in odd_letters(text)[:12]:
            lines.setdefault(odd.line, []).append(odd.called)
        for line, letters in lines.items():
            where = f"{label}, line {line}" if "\n" in text else label
            found.append(Advice(name, f"{where}: LaTeX cannot set {', '.join(letters)}. Write it in Latin letters."))
        if name in BY_NAME and (strange := unusual(BY_NAME[name], text)):
            found.append(Advice(name, f"{label}: {strange}"))
    return found


def manuscript_of(project: Project, *, whole: bool = True) -> Manuscript:
    """`project` as it stands, without what is in the bin, in a constant number of queries; no file is read yet.

    `whole` False is for what prints no title page and forms: what is said there about the use of AI is left out.
    """
    works = Citation.objects.filter(project=project).values_list("cite_key", "csl", "tier", "status")
    return replace(
        text_of(project),
        style=project.citation_style,
        works=[Work(*columns) for columns in works],
        other_keys=OtherKey.objects.by_key(project),
        discipline=project.discipline,
        degree=project.degree,
        ai_use=ai_use_of(project) if whole else AiUse(),
    )


def text_of(project: Project) -> Manuscript:
    """The text of `project` and how it is laid out, without its references and what its forms say."""
    chapters = _chapters(project)
    files = [
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
    ]
    return Manuscript(
        project.title, project.owner.name, chapters=chapters, files=files, layout=layout_of(project, chapters)
    )


def _chapters(project: Project) -> list[Chapter]:
    sections = Section.objects.filter(project=project).order_by("number", "pk")
    columns = sections.values_list("pk", "number", "slug", "title", "latex", "words")
    return [Chapter(str(pk), *rest) for pk, *rest in columns]


_MOST = 64  # theses whose numbers a process keeps

_kept: OrderedDict[UUID, tuple[object, dict[str, str], dict[str, list[Numbered]]]] = OrderedDict()


def printed(project: Project, opened: Section | None) -> Printed:
    """The number before the title of each section, and what has one in `opened`. Texts are read again once one has changed."""
    rows = Section.objects.filter(project=project).order_by("number", "pk")
    layout = Layout.objects.filter(project=project).values_list("appendices", flat=True).first()
    files = ThesisFile.objects.filter(project=project, kind=ThesisFile.Kind.TEX).values_list("pk", "sha256")
    state = [list(rows.values_list("pk", "version", "number", "title")), layout, list(files)]
    found = _kept.get(project.pk)
    if found is None or found[0] != state:
        manuscript = text_of(project)
        sections = counted(manuscript)
        numbers = {chapter.id: _own(chapter, sections.get(chapter.id)) for chapter in manuscript.chapters}
        found = _kept[project.pk] = state, numbers, {key: one.numbered for key, one in sections.items()}
        if len(_kept) > _MOST:
            _kept.popitem(last=False)
    _, numbers, within = found
    return Printed(numbers, within.get(str(opened.pk), []) if opened else [])


def _own(chapter: Chapter, section: Counted | None) -> str:
    """The number over a section: that of the heading it begins with, where Scholium prints none over it."""
    if section is None or section.heading:
        return section.heading if section else ""
    first = next((one for one in section.numbered if one.kind == "heading"), None)
    return first.number if first is not None and not chapter.latex[: first.start].strip() else ""
