"""The numbers of a whole thesis: the values of LaTeX's counters at the start of each section (SPEC T2, T6)."""

import posixpath
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import NamedTuple

from latex.cite_keys import visible
from latex.headings import opening_before, shown
from latex.includes import with_includes
from latex.label_places import with_title
from latex.list_marks import labelled_items
from latex.numbering import Counters, Numbered, counters_of, has_chapter, walk
from latex.project_source import write_tex
from thesis.manuscript import ABSTRACT, FRONT, Chapter, Manuscript

_MARK = re.compile("\ue010(\\d+)\ue011")  # stands for the text of a section in a file


class NumberedSection(NamedTuple):
    """A section: the counters before it and its headings, and its numbered parts."""

    before: Counters
    heading: str  # the number of a heading that Scholium adds, "" for none
    numbered: list[Numbered]  # in its own text
    opening: str = ""  # the LaTeX of headings that are in another file, before the command that includes this one
    heads: tuple[Numbered, ...] = ()  # these headings, or the one that Scholium adds

    @property
    def labelled(self) -> list[Numbered]:
        """Return all that its labels can point to: the headings before its text, and the parts of its text."""
        return [*self.heads, *self.numbered]


def native_counters() -> Counters:
    """Return the counters of a thesis started in Scholium, as front_matter/preamble.py sets them."""
    return counters_of(r"\documentclass{book}\setcounter{secnumdepth}{3}")


def brings_its_number(chapter: Chapter) -> bool:
    """Return whether the title of an appendix has its number in it: "Appendix B: Consent form"."""
    return (
        re.match(r"(?:appendix|annexure|annex)\s+(?:[A-Z]|[IVX]+|\d+)\b", chapter.title, flags=re.IGNORECASE)
        is not None
    )


def numbered_sections(manuscript: Manuscript) -> dict[str, NumberedSection]:
    """Return the sections of `manuscript` by id in printed order, without those that no file includes."""
    return dict(_imported(manuscript) if manuscript.is_brought else _number_native(manuscript))


def number_of_title(chapter: Chapter, section: NumberedSection | None) -> str:
    """Return the number of a section: of the heading that Scholium adds, or of the heading that it begins with."""
    if section is None or section.heading:
        return section.heading if section else ""
    first = next((one for one in section.numbered if one.kind == "heading"), None)
    if first is not None and chapter.latex[: first.start].strip():
        first = None
    if section.heads and (first is None or first.level > section.heads[-1].level):
        first = section.heads[-1]
    return first.number if first is not None else ""


def counters_before(manuscript: Manuscript, section: str) -> Counters:
    """Return the counters before the section with the id `section`."""
    return section_numbers(manuscript, section).before


def section_numbers(manuscript: Manuscript, section: str) -> NumberedSection:
    """Return the counters before the section with the id `section`, its headings and its numbered parts."""
    return numbered_sections(manuscript).get(section) or NumberedSection(native_counters(), "", [])


def _number_native(manuscript: Manuscript) -> Iterator[tuple[str, NumberedSection]]:
    counters = native_counters()
    counters.is_main = False
    for chapter in manuscript.body:
        counters.is_main = counters.is_main or chapter.slug not in (FRONT, ABSTRACT)
        yield chapter.id, _number_chapter(chapter, counters)
    counters.begin_appendices()
    for chapter in manuscript.appendices:
        yield chapter.id, _number_chapter(chapter, counters)


def _number_chapter(chapter: Chapter, counters: Counters) -> NumberedSection:
    before = counters.copy()
    if chapter.slug in (FRONT, ABSTRACT) or has_chapter(chapter.latex):
        return NumberedSection(before, "", _with_items(chapter.latex, list(walk(chapter.latex, counters))))
    if brings_its_number(chapter):
        counters.step("chapter")
        return NumberedSection(before, "", _with_items(chapter.latex, list(walk(chapter.latex, counters))))
    title, *found = with_title(chapter.latex, counters)
    head = title._replace(title=chapter.title)
    return NumberedSection(before, head.number, _with_items(chapter.latex, found), heads=(head,))


def _with_items(latex: str, found: list[Numbered], head: str = "") -> list[Numbered]:
    """Return the numbered parts `found` in a text, and the items of lists that have labels."""
    known = {label for one in found for label in one.labels}
    return [
        *found,
        *(
            Numbered("item", "", max(latex.find(f"{{{label}}}"), 0), 0, (label,), refers)
            for label, refers in labelled_items(latex, head).items()
            if label not in known
        ),
    ]


def _imported(manuscript: Manuscript) -> Iterator[tuple[str, NumberedSection]]:
    main = manuscript.main
    assert main is not None
    marks = [chapter._replace(latex=f"\ue010{place}\ue011") for place, chapter in enumerate(manuscript.chapters)]
    texts = decoded(manuscript, write_tex(manuscript.files, marks).files)
    root = posixpath.dirname(main.path)
    whole = joined(with_includes(texts.get(main.path, ""), texts, root=root))
    begins = re.search(r"\\begin\s*\{document\}", visible(whole))
    head, body = (whole[: begins.start()], whole[begins.end() :]) if begins else ("", whole)
    counters = counters_of(head, "\n".join([body, *(chapter.latex for chapter in manuscript.chapters)]))
    at = 0
    for mark in _MARK.finditer(body):
        between = body[at : mark.start()]
        seen = shown(between)
        opens = opening_before(seen)
        list(walk(between[:opens], counters))
        before, heads = counters.copy(), tuple(walk(between[opens:], counters))
        at = mark.end()
        chapter = manuscript.chapters[int(mark[1])]
        yield (
            chapter.id,
            NumberedSection(
                before,
                "",
                _with_items(
                    chapter.latex, _in_own_text(with_includes(chapter.latex, texts, root=root), counters), head
                ),
                " ".join(seen[opens:].split()),
                heads,
            ),
        )


def _in_own_text(pieces: list[tuple[int, str]], counters: Counters) -> list[Numbered]:
    """Return the numbered parts of a text with their positions; parts in files that it includes are only counted."""
    found = walk(joined(pieces), counters)
    if len(pieces) == 1:
        return list(found)
    ends = list(accumulate(len(piece) for _, piece in pieces))
    made = []
    for one in found:
        piece = bisect_right(ends, one.start)
        place, text = pieces[piece]
        if place >= 0:
            made.append(one._replace(start=place + one.start - (ends[piece] - len(text))))
    return made


def joined(pieces: list[tuple[int, str]]) -> str:
    """Return the pieces that latex.includes.with_includes returns as one text."""
    return "".join(piece for _, piece in pieces)


def decoded(manuscript: Manuscript, files: Mapping[str, bytes]) -> dict[str, str]:
    """Return `files` decoded by their encodings, or as UTF-8 with replacement characters if that fails."""
    encodings = {file.path: file.encoding for file in manuscript.files}

    def text_of(path: str, data: bytes) -> str:
        try:
            return data.decode(encodings.get(path, "utf-8"))
        except (UnicodeDecodeError, LookupError):
            return data.decode("utf-8", "replace")

    return {path: text_of(path, data) for path, data in files.items()}
