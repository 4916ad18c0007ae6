"""The data of a preview for the Typst template: chapters with numbers, citations and pictures, and the front matter."""

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from citations.formats.reading import Entry
from core.errors import Refused
from latex.cite_keys import EVERYTHING
from latex.numbering import has_chapter
from latex.printable_characters import escape_latex
from thesis.assembly.draft_trailers import without_trailers
from thesis.assembly.expand_citing_commands import with_plain_citations
from thesis.assembly.latex_checks import keys_in
from thesis.assembly.references import references_of
from thesis.front_matter.page_fields import front_text
from thesis.front_matter.pages import Block, front_pages
from thesis.manuscript import ABSTRACT, FRONT, Chapter, Manuscript, picture_finder
from thesis.numbering import NumberedSection, native_counters, numbered_sections
from thesis.pandoc_ast.nodes import Node
from thesis.pandoc_ast.numbers import Line, Numbers, Target
from thesis.pandoc_ast.read import Read, read_latex
from thesis.pandoc_ast.text_order import Stretch, at_counters, macros_of
from thesis.preview.chapter_data import ChapterConverter, Shown, formula_of
from thesis.preview.citations import References
from thesis.preview.formulas import typst_formulas
from thesis.preview.pictures import ScaledPicture
from untrusted.pandoc import side_by_side

if TYPE_CHECKING:
    from thesis.manuscript import File

log = logging.getLogger(__name__)

LABEL = "Preview: not the final layout"
LONGEST = 600_000  # characters of a chapter that is read at all, about 200 pages
_HEAP = "768m"  # for one chapter; several are read at a time
_SECONDS = 6  # for one chapter, by the clock; 20 pages take a fifth of a second
_TOO_DEEP = "It is nested too deeply."
_LINE, _PAGE = 451.0, 560.0  # points: the width of a line, and the largest height of a picture
_LONGEST_SOURCE = 60_000  # characters of a chapter that is shown as source
_MOST_TEXT = 4_000_000  # characters of a whole thesis, about 1,500 pages


Part = dict[str, Any]  # one chapter of a preview: its "blocks" as data, or its "source" and the reason ("said")


@dataclass
class Pages:
    """All that a preview shows. `as_json` returns it for the template, once the pictures are scaled."""

    title: str
    part: bool  # a single chapter
    front: list[dict[str, Any]] = field(default_factory=list)
    chapters: list[Part] = field(default_factory=list)
    appendices: list[Part] = field(default_factory=list)
    numbers: Numbers = field(default_factory=Numbers)
    references: References | None = None
    anchors: set[str] = field(default_factory=set)  # names of link targets on the pages
    pictures: list[tuple[Node, Shown]] = field(default_factory=list)
    files: dict[str, "File"] = field(default_factory=dict)  # the picture files that the text uses, by path
    found: dict[str, str] = field(default_factory=dict)  # path of the file, by the path in the text
    notes: list[str] = field(default_factory=list)

    def as_json(self, small: Mapping[str, ScaledPicture | None], names: Mapping[str, str]) -> str:
        """Return the data as JSON. `names` has the file name of each scaled picture, by its path in the thesis."""
        for node, shown in self.pictures:
            node.update(self._picture(shown, small, names))
        data = {
            "title": self.title,
            "short": self.title if len(self.title) <= 60 else f"{self.title[:58].rstrip()}…",
            "label": LABEL,
            "part": self.part,
            "front": self.front,
            "references": self.references.lines() if self.references else [],
            "contents": self._listed(self.numbers.headings),
            "tables": self._listed(self.numbers.tables),
            "figures": self._listed(self.numbers.figures),
            "chapters": self.chapters,
            "appendices": self.appendices,
        }
        return json.dumps(data, ensure_ascii=False)

    def _listed(self, lines: Iterable[Line]) -> list[dict[str, Any]]:
        """Return the entries of a list that are on a page: for the contents, all chapters and all numbered headings."""
        return [
            {"l": one.level - 1, "n": one.number, "c": one.text, "to": one.bookmark}
            for one in (() if self.part else lines)
            if one.bookmark in self.anchors and one.text.strip() and (one.level <= 1 or one.number)
        ]

    def _picture(
        self, one: Shown, small: Mapping[str, ScaledPicture | None], names: Mapping[str, str]
    ) -> dict[str, Any]:
        file = self.found.get(one.path, "")
        picture = small.get(file)
        shown = one.path[:80]
        if picture is None or file not in names:
            return {"said": f"{shown} cannot be shown." if file else f"The picture {shown} is missing."}
        width = min(_LINE * one.part if one.part else one.points or picture.width, _LINE)
        if picture.width > 0 and width * picture.height / picture.width > _PAGE:
            width = _PAGE * picture.width / picture.height
        return {"f": names[file], "w": round(max(width, 1), 1), "alt": shown}


def pages_of(manuscript: Manuscript, only: str | None = None) -> Pages:
    """Return the preview of `manuscript`, or of its section `only` (an id). Raises Refused for an unknown section."""
    if only is not None and only not in {chapter.id for chapter in manuscript.chapters}:
        raise Refused("This section is no longer in the thesis.", code="gone", status=404)
    manuscript = with_plain_citations(manuscript)
    texts = {chapter.id: without_trailers(chapter.latex) for chapter in manuscript.chapters}
    sections = numbered_sections(manuscript)
    pages = Pages(manuscript.title, part=only is not None)
    kept, total = [], 0
    for chapter in manuscript.chapters:
        body = _body(manuscript, chapter, texts[chapter.id].latex) if only in (None, chapter.id) else ""
        total += len(body)
        if total > _MOST_TEXT:
            pages.notes.append(f"“{chapter.title}” is not shown: the thesis is too long for a preview.")
        elif body.strip():
            before = sections[chapter.id].before if chapter.id in sections else native_counters()
            kept.append((chapter, Stretch(body, chapter.title, counters=before)))
    entries = [entry for text in texts.values() for entry in text.entries]
    pages.references = _references(manuscript, [stretch.latex for _, stretch in kept], entries)
    if only is None:
        pages.front = _front_pages(manuscript)
    _fill(pages, manuscript, kept, sections.values())
    return pages


def _fill(
    pages: Pages, manuscript: Manuscript, kept: list[tuple[Chapter, Stretch]], sections: Iterable[NumberedSection]
) -> None:
    """Read, count and convert the chapters `kept`, each from the values of LaTeX's counters before it."""
    pages.numbers.has_chapters = not manuscript.is_brought or any(has_chapter(one.latex) for one in manuscript.chapters)
    stretches = [(chapter, list(at_counters(stretch))) for chapter, stretch in kept]
    read = partial(
        read_latex,
        macros=macros_of(manuscript),
        has_chapters=pages.numbers.has_chapters,
        seconds=_SECONDS,
        heap=_HEAP,
        longest=LONGEST,
    )
    reads = iter(
        side_by_side(lambda latex, tick: read(latex, tick=tick), [one.latex for _, all_ in stretches for one in all_])
    )
    chapters = [(chapter, [(one, next(reads)) for one in all_]) for chapter, all_ in stretches]
    appended = {chapter.id for chapter in manuscript.appendices}
    chapters.sort(key=lambda one: one[0].id in appended)
    for chapter, all_ in chapters:
        _count(pages.numbers, chapter, all_)
    _name_elsewhere(pages.numbers, sections)
    assert pages.references is not None
    formulas = typst_formulas(map(formula_of, pages.numbers.formulas))
    condensed = ChapterConverter(pages.numbers, pages.references.cite, formulas)
    for chapter, all_ in chapters:
        shown = pages.appendices if chapter.id in appended else pages.chapters
        shown.append(_part(pages, condensed, chapter, all_))
    condensed.settle()
    pages.pictures, pages.anchors = condensed.pictures, condensed.anchors
    _find_pictures(manuscript, pages)
    if keys := pages.references.unknown:
        pages.notes.append(f"Cited but not in the references: {_some(keys)}.")


def _count(numbers: Numbers, chapter: Chapter, all_: list[tuple[Stretch, Read]]) -> None:
    """Count the pieces of a chapter; if one cannot be read, keep the heading only: the chapter is shown as source."""
    why = next((read.why for _, read in all_ if read.why), "")
    if not why:
        try:
            for stretch, read in all_:
                numbers.counters = stretch.counters.copy()
                numbers.count(read.blocks)
        except RecursionError:
            why = _TOO_DEEP
    if why:
        heading = {"t": "Header", "c": [1, ["", [], []], [{"t": "Str", "c": chapter.title}]]}
        stretch = all_[0][0]
        all_[:] = [(stretch, Read([heading], why=why))]
        numbers.counters = stretch.counters.copy()
        numbers.count([heading])


def _part(pages: Pages, condensed: ChapterConverter, chapter: Chapter, all_: list[tuple[Stretch, Read]]) -> Part:
    """Return one chapter as data, and add notes on what differs from the printed thesis."""
    title = chapter.title
    why = next((read.why for _, read in all_ if read.why), "")
    anchors = set(condensed.anchors)
    try:
        blocks = [made for _, read in all_ for made in condensed.blocks(read.blocks)]
    except (RecursionError, ValueError, KeyError, TypeError, IndexError) as error:
        why = _TOO_DEEP if isinstance(error, RecursionError) else "Its LaTeX could not be parsed."
        log.warning("A chapter could not be shown", exc_info=error)
        condensed.anchors = anchors  # its blocks are on no page now, but for the heading
        blocks = condensed.blocks([one for _, read in all_ for one in read.blocks if one["t"] == "Header"][:1])
    if unknown := list(dict.fromkeys(name for _, read in all_ for name in read.unknown)):
        pages.notes.append(f"“{title}”: only LaTeX can render {_some(unknown)}; here only the text is shown.")
    pages.notes += [f"“{title}”: {note}." for note in condensed.notes]
    condensed.notes.clear()
    if condensed.lost:
        pages.notes.append(f"“{title}” refers to unknown labels: {_some(list(condensed.lost))}.")
        condensed.lost.clear()
    if not why:
        return {"blocks": blocks, "source": "", "said": ""}
    pages.notes.append(f"“{title}” is shown as source. {why}")
    source = chapter.latex[:_LONGEST_SOURCE] or " "
    return {"blocks": blocks, "source": source, "said": f"This chapter is shown as source. {why}"}


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _references(manuscript: Manuscript, texts: list[str], entries: list[Entry]) -> References:
    """Return the works that `texts` cite, the same as in the PDF and in Word."""
    cited = dict.fromkeys(key for text in texts for key in keys_in(text))
    everything = cited.pop(EVERYTHING, cited) is None
    found = references_of(manuscript, cited, everything, entries, strip=True)
    return References(found, cited, manuscript.style)


def _body(manuscript: Manuscript, chapter: Chapter, latex: str) -> str:
    """Return the text of a chapter as it is printed, with its title added when it has no heading of its own.

    The heading is added to the first line, so that line numbers stay as in the section.
    """
    if chapter.slug == FRONT and not manuscript.is_brought:
        return front_text(latex)
    if manuscript.is_brought or has_chapter(latex):
        return latex
    star = "*" if chapter.slug == ABSTRACT else ""
    return f"\\chapter{star}{{{escape_latex(chapter.title)}}}{latex if latex.strip() else ' '}"


def _name_elsewhere(numbers: Numbers, sections: Iterable[NumberedSection]) -> None:
    """Add the numbers of labels in chapters that are not shown, for references to them."""
    for section in sections:
        for one in section.numbered:
            target = Target(one.kind, one.refers, "", "", one.level + 1, section.before.is_lettered)
            for label in one.labels:
                numbers.labels.setdefault(label, target)  # without a link: it is on no page here


def _find_pictures(manuscript: Manuscript, pages: Pages) -> None:
    find = picture_finder(manuscript.files)
    found = {path: find(path) for path in dict.fromkeys(one.path for _, one in pages.pictures)}
    pages.found = {path: file.path for path, file in found.items() if file}
    pages.files = {file.path: file for file in found.values() if file}
    if gone := [path for path, file in found.items() if file is None]:
        pages.notes.append(f"Missing pictures: {_some(gone)}.")


def _front_pages(manuscript: Manuscript) -> list[dict[str, Any]]:
    if not manuscript.is_brought:
        return [_front(page.blocks, page.name == "title") for page in front_pages(manuscript)]
    title = (Block("gap"), Block("name", manuscript.title), Block("gap"), Block("strong", manuscript.author))
    return [_front(title, True)]


def _front(blocks: Sequence[Block], centred: bool) -> dict[str, Any]:
    """Return a page of the front matter as data, in the form of a chapter."""
    made: list[dict[str, Any]] = []
    for block in blocks:
        match block.kind:
            case "gap":
                made.append({"k": "gap"})
            case "name":
                made.append({"k": "centre", "c": [{"k": "large", "c": [block.text]}]})
            case "strong":
                made.append({"k": "centre", "c": [{"k": "p", "c": [{"k": "b", "c": [block.text]}]}]})
            case "line":
                made.append({"k": "centre", "c": [{"k": "p", "c": [block.text]}]})
            case "signature":
                made.append({"k": "sign", "c": [block.text], "more": [block.more] if block.more else []})
            case "words":
                made.append({"k": "p", "c": [block.text]})
    if pairs := [block for block in blocks if block.kind == "pair"]:
        made.append({"k": "dl", "c": [{"t": [one.text], "c": [[{"k": "p", "c": [one.more]}]]} for one in pairs]})
    title = next((block.text for block in blocks if block.kind == "heading"), "")
    return {"title": title, "centred": centred, "blocks": made}
