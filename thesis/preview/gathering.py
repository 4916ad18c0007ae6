"""What a preview shows of a thesis, as data for the template: chapters read, numbered, cited, with their pictures."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from citations.formats.entries import Entry
from core.errors import Refused
from latex.keys import EVERYTHING, visible
from latex.numbering import Counters, has_chapter
from thesis.assembly.checks import keys_in
from thesis.assembly.references import references_of
from thesis.assembly.spelt_out import with_plain_citations
from thesis.assembly.trailers import without_trailers
from thesis.front.facts import front_text
from thesis.front.pages import Block, front_pages
from thesis.manuscript import ABSTRACT, FRONT, Chapter, Manuscript
from thesis.numbering import Counted as CountedSection
from thesis.numbering import counted, ours
from thesis.preview.citing import References
from thesis.preview.numbering import Counted, Counting, Target, refers, word_of
from thesis.preview.pictures import Pictures, Small
from thesis.preview.reading import read_all
from thesis.preview.tree import Inline, Numbered, Read

if TYPE_CHECKING:
    from thesis.manuscript import File

LABEL = "Preview: not the final layout"
_LINE, _PAGE = 451.0, 560.0  # points that a line is long, and that a picture may be high
_LONGEST_SOURCE = 60_000  # characters of a chapter that is shown as source
_MOST_TEXT = 4_000_000  # characters of a whole thesis: some 1,500 pages
_MACRO = re.compile(r"\\(?:(?:re|provide)?newcommand|DeclareMathOperator|def)\*?(?=[\s{\\])")
_MOST_MACROS = 20_000  # characters


@dataclass
class Part:
    """One chapter of a preview: what was read of it, and its numbers."""

    chapter: Chapter
    read: Read
    text: str
    counted: Counted
    word: str = "Chapter"


@dataclass
class Pages:
    """All that is shown. `as_json` is what the template takes, once the pictures are known."""

    title: str
    part: bool  # of a chapter alone
    front: list[dict[str, Any]] = field(default_factory=list)
    chapters: list[Part] = field(default_factory=list)
    appendices: list[Part] = field(default_factory=list)
    counting: Counting = field(default_factory=Counting)
    references: References | None = None
    files: dict[str, "File"] = field(default_factory=dict)  # the pictures of the text, by the path of the file
    found: dict[str, str] = field(default_factory=dict)  # path of the file, by the path the text has
    notes: list[str] = field(default_factory=list)

    def as_json(self, small: Mapping[str, Small | None], names: Mapping[str, str]) -> str:
        """The data as JSON. `names` are the files that pictures lie in, by their path in the thesis."""
        rest = {
            "title": self.title,
            "short": self.title if len(self.title) <= 60 else f"{self.title[:58].rstrip()}…",
            "label": LABEL,
            "part": self.part,
            "front": self.front,
            "references": self.references.lines() if self.references else [],
            "contents": [] if self.part else self._contents(),
            "tables": [] if self.part else self._floats("tab"),
            "figures": [] if self.part else self._floats("fig"),
        }
        whole = json.dumps(rest, ensure_ascii=False)[:-1]
        chapters = ",".join(self._chapter(part, small, names) for part in self.chapters)
        appendices = ",".join(self._chapter(part, small, names) for part in self.appendices)
        return f'{whole},"chapters":[{chapters}],"appendices":[{appendices}]}}'

    def _chapter(self, part: Part, small: Mapping[str, Small | None], names: Mapping[str, str]) -> str:
        read, targets = part.read, self.counting.targets
        failed = bool(read.failed)
        rest = {
            "title": part.chapter.title,
            "word": part.word,
            "source": (part.text[:_LONGEST_SOURCE] or " ") if failed else "",
            "said": f"This chapter is shown as source. {read.failed}" if failed else "",
            "numbers": part.counted.numbers,
            "anchors": part.counted.anchors,
            "refs": [refers(command, targets.get(label)) for command, label in read.refs],
            "cites": [self.references.cite(one) for one in read.cites] if self.references else [],
            "pictures": [self._picture(one.path, one.part, one.points, small, names) for one in read.pictures],
            "maths": read.maths,
        }
        return f'{json.dumps(rest, ensure_ascii=False)[:-1]},"blocks":{read.blocks}}}'

    def _picture(
        self, path: str, part: float, points: float, small: Mapping[str, Small | None], names: Mapping[str, str]
    ) -> dict[str, Any]:
        file = self.found.get(path, "")
        one = small.get(file)
        shown = path[:80]
        if one is None or file not in names:
            return {"said": f"{shown} cannot be shown." if file else f"There is no picture {shown}."}
        width = min(_LINE * part if part else points or one.width, _LINE)
        if one.width > 0 and width * one.height / one.width > _PAGE:
            width = _PAGE * one.width / one.height
        return {"f": names[file], "w": round(max(width, 1), 1), "alt": shown}

    def _contents(self) -> list[dict[str, Any]]:
        made = []
        for part in [*self.chapters, *self.appendices]:
            for one, number, anchor in zip(part.read.numbered, part.counted.numbers, part.counted.anchors, strict=True):
                if one.kind == "h" and one.level <= 3 and one.title.strip() and (one.level <= 1 or not one.plain):
                    made.append({"l": max(one.level - 1, 0), "n": number, "c": one.title, "to": anchor})
        return made

    def _floats(self, kind: str) -> list[dict[str, Any]]:
        made = []
        for part in [*self.chapters, *self.appendices]:
            for one, number, anchor in zip(part.read.numbered, part.counted.numbers, part.counted.anchors, strict=True):
                if one.kind == kind and number:
                    made.append({"l": 0, "n": number, "c": one.title, "to": anchor})
        return made


def pages_of(manuscript: Manuscript, only: str | None = None) -> Pages:
    """What is shown of `manuscript`, or of its section with the id `only`. Raises Refused for a section that is not there."""
    chosen = [chapter for chapter in manuscript.chapters if only in (None, chapter.id)]
    if only is not None and not chosen:
        raise Refused("This section is not in the thesis any more.", code="gone", status=404)
    manuscript = with_plain_citations(manuscript)
    chosen = [chapter for chapter in manuscript.chapters if only in (None, chapter.id)]
    texts = {chapter.id: without_trailers(chapter.latex) for chapter in manuscript.chapters}
    pages = Pages(manuscript.title, part=only is not None)
    macros = _macros(manuscript)
    bodies = {chapter.id: _body(manuscript, chapter, texts[chapter.id].latex) for chapter in chosen}
    kept, total = [], 0
    for chapter in chosen:
        total += len(bodies[chapter.id])
        if total > _MOST_TEXT:
            pages.notes.append(f"“{chapter.title}” is not shown: the thesis is longer than a preview can hold.")
        elif bodies[chapter.id].strip():
            kept.append(chapter)
    reads = dict(zip((one.id for one in kept), read_all([bodies[one.id] for one in kept], macros), strict=True))
    appended = {chapter.id for chapter in manuscript.appendices}
    body = [chapter for chapter in kept if chapter.id not in appended]
    behind = [chapter for chapter in kept if chapter.id in appended]
    sections = counted(manuscript)

    def part(chapter: Chapter) -> Part:
        before = sections[chapter.id].before if chapter.id in sections else ours()
        return _part(pages.counting, chapter, reads[chapter.id], texts[chapter.id].latex, before)

    pages.chapters = [part(chapter) for chapter in body]
    pages.appendices = [part(chapter) for chapter in behind]
    pages.references = _references(
        manuscript, [bodies[one.id] for one in kept], [entry for text in texts.values() for entry in text.entries]
    )
    if only is None:
        pages.front = [_front(page.blocks, page.name == "title") for page in front_pages(manuscript)]
        if manuscript.is_brought:
            pages.front = [
                _front(
                    (Block("gap"), Block("name", manuscript.title), Block("gap"), Block("strong", manuscript.author)),
                    True,
                )
            ]
    _look_elsewhere(pages, sections.values())
    _find_pictures(manuscript, pages)
    _say(pages)
    return pages


def _references(manuscript: Manuscript, texts: list[str], entries: list[Entry]) -> References:
    """The works that `texts` cite, as they are printed in the PDF and in Word."""
    cited = dict.fromkeys(key for text in texts for key in keys_in(text))
    everything = cited.pop(EVERYTHING, cited) is None
    found = references_of(manuscript, cited, everything, entries, strip=True)
    return References(list(found.by_key.values()), texts, manuscript.style, found.same)


def _part(counting: Counting, chapter: Chapter, read: Read, text: str, before: Counters) -> Part:
    if read.failed:
        read = Read(failed=read.failed, numbered=[Numbered("h", 1, plain=False, title=chapter.title)])
    made = counting.count(read, f"s{chapter.number}-{chapter.id[:8]}", before.copy())
    return Part(chapter, read, text, made, "Appendix" if before.is_lettered else "Chapter")


def _body(manuscript: Manuscript, chapter: Chapter, latex: str) -> str:
    """The text of a chapter as it is printed: under its title where it has no heading of a chapter itself.

    The heading is put on its first line, so that the lines that messages name are the section's own.
    """
    if manuscript.is_brought:
        return latex
    if chapter.slug == FRONT:
        return front_text(latex)
    if has_chapter(latex):
        return latex
    star = "*" if chapter.slug == ABSTRACT else ""
    return f"\\chapter{star}{{{_escaped(chapter.title)}}}{latex if latex.strip() else ' '}"


def _look_elsewhere(pages: Pages, sections: Iterable[CountedSection]) -> None:
    """What is referred to and stands in no chapter that is shown has its number all the same."""
    for section in sections:
        for one in section.numbered:
            target = Target(one.refers, word_of(one.kind, one.level, is_lettered=section.before.is_lettered), "", "")
            for label in one.labels:
                pages.counting.targets.setdefault(label, target)  # on no page here


def _find_pictures(manuscript: Manuscript, pages: Pages) -> None:
    pictures = Pictures(manuscript)
    for part in [*pages.chapters, *pages.appendices]:
        for one in part.read.pictures:
            if one.path not in pages.found and (file := pictures.find(one.path)) is not None:
                pages.found[one.path] = file.path
                pages.files[file.path] = file


def _say(pages: Pages) -> None:
    """Notes on what is shown otherwise than it will be printed."""
    for part in [*pages.chapters, *pages.appendices]:
        title, read = part.chapter.title, part.read
        if read.failed:
            pages.notes.append(f"“{title}” is shown as source. {read.failed}")
        if read.as_source:
            named = list(dict.fromkeys(read.as_source))
            more = f" and {len(named) - 5} more" if len(named) > 5 else ""
            pages.notes.append(
                f"“{title}”: shown as it stands, since only LaTeX sets it: {', '.join(named[:5])}{more}."
            )
        lost = list(dict.fromkeys(label for _, label in read.refs if label not in pages.counting.targets))
        if lost:
            pages.notes.append(f"“{title}” refers to what has no label here: {', '.join(lost[:5])}.")
        gone = list(dict.fromkeys(one.path for one in read.pictures if one.path not in pages.found))
        if gone:
            pages.notes.append(f"“{title}” shows pictures that are not here: {', '.join(gone[:5])}.")
    if pages.references and pages.references.unknown:
        keys = pages.references.unknown
        more = f" and {len(keys) - 5} more" if len(keys) > 5 else ""
        pages.notes.append(f"Not in the list of references: {', '.join(keys[:5])}{more}.")


def _front(blocks: Sequence[Block], centred: bool) -> dict[str, Any]:
    """A page in front as the template takes a chapter."""
    made: list[dict[str, Any]] = []
    title = next((block.text for block in blocks if block.kind == "heading"), "")
    pairs = [block for block in blocks if block.kind == "pair"]
    for block in blocks:
        content: list[Inline] = [block.text]
        if block.kind == "gap":
            made.append({"k": "gap"})
        elif block.kind == "name":
            made.append({"k": "centre", "c": [{"k": "large", "c": content}]})
        elif block.kind in ("strong", "line"):
            inside: list[Inline] = [{"k": "b", "c": content}] if block.kind == "strong" else content
            made.append({"k": "centre", "c": [{"k": "p", "c": inside}]})
        elif block.kind == "signature":
            made.append({"k": "sign", "c": [block.text], "more": [block.more] if block.more else []})
        elif block.kind == "words":
            made.append({"k": "p", "c": content})
    if pairs:
        made.append({"k": "dl", "c": [{"t": [one.text], "c": [[{"k": "p", "c": [one.more]}]]} for one in pairs]})
    return {"title": title, "centred": centred, "blocks": made, "maths": [], "numbers": [], "anchors": []}


def _macros(manuscript: Manuscript) -> str:
    r"""The definitions (\newcommand ...) in the preamble of a thesis that was brought, on one line."""
    if manuscript.main is None:
        return ""
    text = visible("".join(piece.get("text", "") for piece in manuscript.main.pieces or []))
    text = text.partition("\\begin{document}")[0]
    made = []
    for found in _MACRO.finditer(text):
        end = _end_of_definition(text, found.end())
        if end and len(one := " ".join(text[found.start() : end].split())) < 2_000:
            made.append(one)
    whole = "".join(made)
    return whole if len(whole) <= _MOST_MACROS else ""


def _end_of_definition(text: str, at: int) -> int:
    r"""Where a definition ends whose name begins at `at`: behind the braces of what it stands for; 0 where it is none."""
    found = re.compile(
        r"\s*(?:\{\s*\\[A-Za-z]+\s*\}|\\[A-Za-z]+)\s*(?:\[\d\]\s*(?:\[[^\[\]]*\])?|(?:#\d)*)\s*(?=\{)"
    ).match(text, at)
    if found is None:
        return 0
    depth = 0
    for place in range(found.end(), min(len(text), found.end() + 2_000)):
        if text[place - 1] != "\\":
            depth += (text[place] == "{") - (text[place] == "}")
        if not depth:
            return place + 1
    return 0


def _escaped(text: str) -> str:
    signs = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(signs.get(sign) or (f"\\{sign}" if sign in "&%$#_{}" else sign) for sign in " ".join(text.split()))
