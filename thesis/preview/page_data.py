"""The data of a preview for the Typst template: chapters with numbers, citations and pictures, and the front matter."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from core.errors import Refused
from thesis.assembly.draft_trailers import without_trailers
from thesis.assembly.expand_citing_commands import with_plain_citations
from thesis.front_matter.page_fields import values
from thesis.front_matter.pages import Block, front_pages
from thesis.manuscript import Chapter, Manuscript, picture_finder
from thesis.numbering import NumberedSection, native_counters, numbered_sections
from thesis.pandoc_ast.nodes import Node
from thesis.pandoc_ast.numbers import Line, Numbers
from thesis.pandoc_ast.text_order import Stretch
from thesis.preview.chapter_data import ChapterConverter, Shown, formulas_of
from thesis.preview.chapters import (
    Part,
    body_of,
    chapter_part,
    cited_works,
    count_chapter,
    name_elsewhere,
    prints_chapters,
    read_chapters,
    some_names,
)
from thesis.preview.citations import References
from thesis.preview.formulas import typst_formulas
from thesis.preview.pictures import ScaledPicture

if TYPE_CHECKING:
    from thesis.manuscript import File

LABEL = "Preview: not the final layout"
_LINE, _PAGE = 451.0, 560.0  # points: the width of a line, and the largest height of a picture
_MOST_TEXT = 4_000_000  # characters of a whole thesis, about 1,500 pages


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
        text = texts[chapter.id].latex
        body = body_of(manuscript, chapter, text, sections.get(chapter.id)) if only in (None, chapter.id) else ""
        total += len(body)
        if total > _MOST_TEXT:
            pages.notes.append(f"“{chapter.title}” is not shown: the thesis is too long for a preview.")
        elif body.strip():
            before = sections[chapter.id].before if chapter.id in sections else native_counters()
            kept.append((chapter, Stretch(body, chapter.title, counters=before)))
    entries = [entry for text in texts.values() for entry in text.entries]
    pages.references = cited_works(manuscript, [stretch.latex for _, stretch in kept], entries)
    if only is None:
        pages.front = _front_pages(manuscript)
    _fill(pages, manuscript, kept, sections)
    return pages


def _fill(
    pages: Pages, manuscript: Manuscript, kept: list[tuple[Chapter, Stretch]], sections: Mapping[str, NumberedSection]
) -> None:
    """Read, count and convert the chapters `kept`, each from the values of LaTeX's counters before it."""
    pages.numbers.has_chapters = prints_chapters(manuscript)
    chapters = read_chapters(manuscript, kept)
    appended = {chapter.id for chapter in manuscript.appendices}
    chapters.sort(key=lambda one: one[0].id in appended)
    for chapter, all_ in chapters:
        count_chapter(pages.numbers, chapter, all_)
    name_elsewhere(pages.numbers, sections, {chapter.id for chapter, _ in kept})
    assert pages.references is not None
    formulas = typst_formulas(formulas_of(pages.numbers))
    condensed = ChapterConverter(pages.numbers, pages.references.cite, formulas)
    for chapter, all_ in chapters:
        shown = pages.appendices if chapter.id in appended else pages.chapters
        part, notes = chapter_part(condensed, chapter, all_)
        shown.append(part)
        pages.notes += notes
    condensed.settle()
    pages.pictures, pages.anchors = condensed.pictures, condensed.anchors
    _find_pictures(manuscript, pages)
    if keys := pages.references.unknown:
        pages.notes.append(f"Cited but not in the references: {some_names(keys)}.")


def _find_pictures(manuscript: Manuscript, pages: Pages) -> None:
    find = picture_finder(manuscript.files)
    found = {path: find(path) for path in dict.fromkeys(one.path for _, one in pages.pictures)}
    pages.found = {path: file.path for path, file in found.items() if file}
    pages.files = {file.path: file for file in found.values() if file}
    if gone := [path for path, file in found.items() if file is None]:
        pages.notes.append(f"Missing pictures: {some_names(gone)}.")


def _front_pages(manuscript: Manuscript) -> list[dict[str, Any]]:
    if not manuscript.is_brought:
        return [_front(page.blocks, page.name == "title") for page in front_pages(manuscript)]
    title = (Block("gap"), Block("name", manuscript.title), Block("gap"), Block("strong", values(manuscript)["author"]))
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
