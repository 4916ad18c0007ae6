"""A thesis as chapters of HTML, each rendered once and stored until something that it shows changes (SPEC G1)."""

import re
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, cached_property
from hashlib import sha256
from importlib.metadata import version
from math import inf
from time import monotonic
from typing import NamedTuple
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError, transaction
from django.db.models import Count, Max
from django.urls import reverse
from django.utils.html import escape

from citations.badges import badge_of
from citations.models import Citation, OtherKey
from projects.models import Project
from sections.models import Section, ThesisFile
from thesis.assembly.draft_trailers import without_trailers
from thesis.assembly.expand_citing_commands import with_plain_citations
from thesis.assembly.latex_checks import keys_in, labels_used
from thesis.manuscript import Chapter, Manuscript, picture_finder
from thesis.manuscript_data import manuscript_of
from thesis.manuscript_page.chapter_html import CitedWork, HtmlWriter, Picture
from thesis.manuscript_page.mathml import mathml_formulas
from thesis.manuscript_page.source_map import source_maps
from thesis.models import ChapterHtml, Layout
from thesis.numbering import NumberedSection, native_counters, number_of_title, numbered_sections
from thesis.pandoc_ast.numbers import Numbers
from thesis.pandoc_ast.references import Target
from thesis.pandoc_ast.text_order import Stretch, macros_of
from thesis.preview.chapter_data import ChapterConverter, formulas_of
from thesis.preview.chapters import (
    as_source,
    body_of,
    chapter_part,
    cited_works,
    count_chapter,
    name_elsewhere,
    prints_chapters,
    read_chapters,
)
from thesis.preview.citations import References

_DOCUMENTS = 16  # theses in the cache of a process
_CHAPTERS = 40_000_000  # characters of chapters in the cache of a process
_AGAIN = 60  # seconds until a chapter that could not be read is tried again
_LEAF = re.compile(' data-map="\0(\\d+)\0"')


class Heading(NamedTuple):
    """A heading for the outline: its level (2 for a chapter's own sections), number, title and id on the page."""

    level: int
    number: str
    title: str
    anchor: str


class ChapterPage(NamedTuple):
    """A chapter as HTML, its headings, and what differs from the printed thesis.

    `until`: one that could not be read is tried again after this time (of time.monotonic); pandoc may have been busy.
    """

    html: str
    headings: tuple[Heading, ...] = ()
    notes: tuple[str, ...] = ()
    until: float = inf


_chapters: OrderedDict[str, ChapterPage] = OrderedDict()
_documents: OrderedDict[UUID, tuple[object, "Document"]] = OrderedDict()


def document_of(project: Project) -> "Document":
    """Return the thesis as it is now; cached until a text, a reference, a file or the layout changes."""
    cited = Citation.objects.filter(project=project).aggregate(Count("pk"), Max("updated_at"))
    state = [
        (project.title, project.citation_style),
        Layout.objects.filter(project=project).values_list("appendices", flat=True).first(),
        list(Section.objects.filter(project=project).order_by("number", "pk").values_list("pk", "version", "title")),
        list(ThesisFile.objects.filter(project=project).order_by("pk").values_list("pk", "sha256")),
        (*cited.values(), OtherKey.objects.filter(project=project).count()),
    ]
    found = _documents.get(project.pk)
    if found is None or found[0] != state:
        found = _documents[project.pk] = (
            state,
            Document(project.pk, manuscript_of(project, whole=False), is_stored=True),
        )
        while len(_documents) > _DOCUMENTS:
            _documents.popitem(last=False)
    return found[1]


@dataclass
class Document:
    """What the chapters of a thesis share, and the chapters as they are asked for.

    With `is_stored` their HTML is read from the database and written there.
    """

    project: UUID
    manuscript: Manuscript
    is_stored: bool = False
    plain: Manuscript = field(init=False)  # with its own citing commands expanded
    texts: dict[str, str] = field(init=False)  # the body of each chapter by its id, without trailers
    numbered: dict[str, NumberedSection] = field(init=False)
    references: References = field(init=False)
    has_read_stored: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        self.plain = with_plain_citations(self.manuscript)
        trailers = {chapter.id: without_trailers(chapter.latex) for chapter in self.plain.chapters}
        self.numbered = numbered_sections(self.plain)
        self.texts = {
            one.id: body_of(self.plain, one, trailers[one.id].latex, self.numbered.get(one.id)) for one in self.chapters
        }
        entries = [entry for text in trailers.values() for entry in text.entries]
        self.references = cited_works(self.plain, list(self.texts.values()), entries)

    @cached_property
    def chapters(self) -> list[Chapter]:
        """Return the chapters in the order of print."""
        return [*self.plain.body, *self.plain.appendices]

    def chapter(self, chapter: Chapter, *, only_cached: bool = False) -> ChapterPage | None:
        """Return a chapter; with `only_cached` None when it would have to be rendered, which takes up to seconds."""
        if not self.texts[chapter.id].strip():
            return ChapterPage("")
        key = self._key(chapter)
        if self.is_stored and not self.has_read_stored and key not in _chapters:
            self._read_stored()
        found = _chapters.get(key)
        if found is not None and monotonic() < found.until:
            _chapters.move_to_end(key)
            return found
        if only_cached:
            return None
        made = _chapters[key] = self._render(chapter)
        if self.is_stored and made.until == inf:
            _store(chapter, key, made)
        _drop_oldest()
        return made

    def _read_stored(self) -> None:
        """Read what another process, or this one before it was restarted, has rendered; once for each state."""
        self.has_read_stored = True
        rows = ChapterHtml.objects.filter(section__project=self.project)
        for key, html, headings, notes in rows.values_list("key", "html", "headings", "notes"):
            _chapters.setdefault(key, ChapterPage(html, tuple(Heading(*one) for one in headings), tuple(notes)))
        _drop_oldest()

    def number(self, chapter: Chapter) -> str:
        """Return the printed number of a chapter, "" for none."""
        return number_of_title(chapter, self.numbered.get(chapter.id))

    def references_as_html(self, *, only_cached: bool = False) -> list[str] | None:
        """Return the list of references; with `only_cached` None when it would have to be printed."""
        return None if only_cached and "_reference_lines" not in self.__dict__ else self._reference_lines

    @cached_property
    def _reference_lines(self) -> list[str]:
        """Return the list of references as HTML, each with the id that its citations link to."""
        writer = HtmlWriter("references")
        made = []
        for line in self.references.lines():
            number = f"<b>{escape(line['n'])}.</b> " if line["n"] else ""
            made.append(f'<li id="{line["id"]}">{number}{writer.inlines(line["c"])}</li>')
        return made

    @cached_property
    def _works(self) -> dict[str, CitedWork]:
        """Return the badge of each cited work by its key."""
        rows = Citation.objects.filter(project=self.project, cite_key__in=list(self.references.works)).only(
            *("cite_key", "status", "tier", "evidence_type", "retracted", "check_due_at", "failures")
        )
        made = {}
        for row in rows:
            badge = badge_of(row)
            address = reverse("citations:detail", args=[self.project, row.pk])
            made[row.cite_key] = CitedWork(address, badge.tier, badge.letter, badge.icon, badge.words)
        return made

    @cached_property
    def _targets(self) -> dict[str, Target]:
        """Return what each label of the thesis points to, with the id of its element on the page."""
        numbers = Numbers()
        name_elsewhere(numbers, self.numbered)
        firsts = {
            label: one.labels[0] for each in self.numbered.values() for one in each.labelled for label in one.labels
        }
        return {
            label: target._replace(bookmark=_anchor(firsts.get(label, label)))
            for label, target in numbers.labels.items()
        }

    @cached_property
    def _homes(self) -> dict[str, str]:
        """Return the id of the chapter that each label is in; of a label in two chapters, the last one."""
        return {label: key for key, each in self.numbered.items() for one in each.labelled for label in one.labels}

    @cached_property
    def _sources(self) -> dict[str, str]:
        """Return the text of each chapter as it is stored, which places on the page lead to."""
        return {chapter.id: chapter.latex for chapter in self.manuscript.chapters}

    @cached_property
    def _shared(self) -> object:
        """Return what the HTML of every chapter depends on."""
        paths = sorted(file.path for file in self.plain.files)
        shown = (self.plain.style, prints_chapters(self.plain), macros_of(self.plain), paths)
        return _renderer_version(), self.project, shown

    def _key(self, chapter: Chapter) -> str:
        """Return a digest of all that the HTML of a chapter depends on."""
        text = self.texts[chapter.id]
        cited = self.references
        keys = [cited.same.get(key, key) for key in keys_in(text)]
        shown = [
            self._shared,
            (chapter.slug, chapter.title, text, self._sources.get(chapter.id)),
            self.numbered.get(chapter.id, (None,))[0],
            [
                (key, self._works.get(key), cited.places.get(key), cited.author(key), cited.years.get(key))
                for key in keys
            ],
            [(label, self._targets.get(label), self._homes.get(label)) for label in labels_used(text)],
        ]
        return sha256(repr(shown).encode("utf-8", "replace")).hexdigest()

    def _render(self, chapter: Chapter) -> ChapterPage:
        text = self.texts[chapter.id]
        before = self.numbered[chapter.id].before if chapter.id in self.numbered else native_counters()
        [(_, stretches)] = read_chapters(self.plain, [(chapter, Stretch(text, chapter.title, counters=before))])
        numbers = Numbers(has_chapters=prints_chapters(self.plain))
        count_chapter(numbers, chapter, stretches)
        ids: dict[str, str] = {}  # the first label of each numbered part names its element
        for label, target in numbers.labels.items():
            known = self._targets.get(label)
            if self._homes.get(label, chapter.id) == chapter.id:
                ids.setdefault(target.bookmark, known.bookmark if known else _anchor(label))
        for label, target in self._targets.items():
            if label not in numbers.labels or self._homes[label] != chapter.id:
                numbers.labels[label] = target
        converter = ChapterConverter(numbers, self.references.cite, mathml_formulas(formulas_of(numbers)))
        part, notes = chapter_part(converter, chapter, stretches)
        converter.anchors |= {target.bookmark for target in self._targets.values()}
        converter.settle()
        ids |= {target.bookmark: target.bookmark for target in self._targets.values()}
        pictures = self._found(converter)
        writer = HtmlWriter(f"s-{chapter.slug}", self._by_link(), ids, pictures)
        try:
            html = writer.chapter(part)
        except RecursionError:
            part = as_source(chapter)
            writer = HtmlWriter(f"s-{chapter.slug}")
            html = writer.chapter(part)
        maps = source_maps(writer.pieces, writer.leaves, self._sources[chapter.id])
        headings = tuple(
            Heading(one.level, one.number, one.text, ids.get(one.bookmark) or f"{writer.slug}-{one.bookmark}")
            for one in numbers.headings
            if one.bookmark in converter.anchors and one.text.strip()
        )
        until = monotonic() + _AGAIN if part["source"] else inf
        return ChapterPage(_LEAF.sub(lambda found: _mapped(maps[int(found[1])]), html), headings, tuple(notes), until)

    def _by_link(self) -> dict[str, CitedWork]:
        return {f"w-{place}": self._works[key] for key, place in self.references.places.items() if key in self._works}

    def _found(self, converter: ChapterConverter) -> dict[str, Picture]:
        """Return the pictures that a chapter shows, by their paths in the text."""
        find = picture_finder(self.plain.files)
        found = {}
        for node, shown in converter.pictures:
            node.update(path=shown.path, part=shown.part, points=shown.points)
            file = find(shown.path)
            address = reverse("sections:file_by_path", args=[self.project, file.path]) if file else ""
            found[shown.path] = Picture(address, shown.path[:80])
        return found


def _store(chapter: Chapter, key: str, page: ChapterPage) -> None:
    """Store a chapter for other processes. It is shown all the same if the database is busy or the section is gone."""
    values = {"key": key, "html": page.html, "headings": page.headings, "notes": page.notes}
    with suppress(DatabaseError), transaction.atomic():
        ChapterHtml.objects.update_or_create(section_id=chapter.id, defaults=values)


def _drop_oldest() -> None:
    while len(_chapters) > 1 and sum(len(one.html) for one in list(_chapters.values())) > _CHAPTERS:
        _chapters.popitem(last=False)


@cache
def _renderer_version() -> str:
    """Return a digest of the code that renders chapters: what another version has stored is not shown."""
    digest = sha256(version("pypandoc_binary").encode())
    for room in ("thesis", "latex", "citations/styles"):
        for file in sorted((settings.BASE_DIR / room).rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()


def _mapped(steps: str) -> str:
    return f' data-map="{steps}"' if steps else ""


def _anchor(label: str) -> str:
    """Return the id on the page of what has `label`: letters that need no escaping in an address."""
    return f"l-{sha256(label.encode('utf-8', 'replace')).hexdigest()[:12]}"
