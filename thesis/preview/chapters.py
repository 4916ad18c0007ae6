"""The chapters of a thesis as data: read by pandoc, counted and converted. For the preview and the manuscript page."""

import logging
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from citations.formats.reading import Entry
from latex.cite_keys import EVERYTHING
from latex.numbering import Numbered, has_chapter
from latex.printable_characters import escape_latex
from thesis.assembly.latex_checks import keys_in
from thesis.assembly.references import references_of
from thesis.front_matter.page_fields import front_text
from thesis.manuscript import ABSTRACT, FRONT, Chapter, Manuscript
from thesis.numbering import NumberedSection
from thesis.pandoc_ast.numbers import Numbers
from thesis.pandoc_ast.read import Read, read_latex
from thesis.pandoc_ast.references import Target
from thesis.pandoc_ast.text_order import Stretch, at_counters, macros_of
from thesis.preview.chapter_data import ChapterConverter
from thesis.preview.citations import References
from untrusted.pandoc import side_by_side

log = logging.getLogger(__name__)

LONGEST = 600_000  # characters of a chapter that is read at all, about 200 pages
_HEAP = "768m"  # for one chapter; several are read at a time
_SECONDS = 6  # for one chapter, by the clock; 20 pages take a fifth of a second
_TOO_DEEP = "It is nested too deeply."
_LONGEST_SOURCE = 60_000  # characters of a chapter that is shown as source

Part = dict[str, Any]  # one chapter: its "blocks" as data, or its "source" and the reason ("said")
ReadChapter = tuple[Chapter, list[tuple[Stretch, Read]]]


def prints_chapters(manuscript: Manuscript) -> bool:
    """Return whether the highest headings of the thesis are chapters; else they are sections."""
    main = manuscript.main
    around = [piece.get("text", "") for piece in main.pieces or []] if main else []
    return main is None or any(map(has_chapter, [*(one.latex for one in manuscript.chapters), *around]))


def read_chapters(manuscript: Manuscript, kept: list[tuple[Chapter, Stretch]]) -> list[ReadChapter]:
    """Return pandoc's trees of the chapters `kept`, read side by side, split where a text sets LaTeX's counters."""
    stretches = [(chapter, list(at_counters(stretch))) for chapter, stretch in kept]
    read = partial(
        read_latex,
        macros=macros_of(manuscript),
        has_chapters=prints_chapters(manuscript),
        seconds=_SECONDS,
        heap=_HEAP,
        longest=LONGEST,
    )
    lined = [pair for _, all_ in stretches for pair in _with_first_lines(all_)]
    reads = iter(side_by_side(lambda pair, tick: read(pair[0], first_line=pair[1], tick=tick), lined))
    return [(chapter, [(one, next(reads)) for one in all_]) for chapter, all_ in stretches]


def _with_first_lines(stretches: Sequence[Stretch]) -> Iterator[tuple[str, int]]:
    line = 1
    for one in stretches:
        yield one.latex, line
        line += one.latex.count("\n")


def count_chapter(numbers: Numbers, chapter: Chapter, all_: list[tuple[Stretch, Read]]) -> None:
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


def chapter_part(
    converter: ChapterConverter, chapter: Chapter, all_: list[tuple[Stretch, Read]]
) -> tuple[Part, list[str]]:
    """Return one counted chapter as data, with notes on what differs from the printed thesis."""
    title, notes = chapter.title, []
    why = next((read.why for _, read in all_ if read.why), "")
    anchors = set(converter.anchors)
    try:
        blocks = [made for _, read in all_ for made in converter.blocks(read.blocks)]
    except (RecursionError, ValueError, KeyError, TypeError, IndexError) as error:
        why = _TOO_DEEP if isinstance(error, RecursionError) else "Its LaTeX could not be parsed."
        log.warning("A chapter could not be shown", exc_info=error)
        converter.anchors = anchors  # its blocks are on no page now, but for the heading
        blocks = converter.blocks([one for _, read in all_ for one in read.blocks if one["t"] == "Header"][:1])
    if unknown := list(dict.fromkeys(name for _, read in all_ for name in read.unknown)):
        notes.append(f"“{title}”: only LaTeX can render {some_names(unknown)}; here only the text is shown.")
    notes += [f"“{title}”: {said}" for _, read in all_ for said in read.unread]
    notes += [f"“{title}”: {note}." for note in converter.notes]
    converter.notes.clear()
    if converter.lost:
        notes.append(f"“{title}” refers to unknown labels: {some_names(list(converter.lost))}.")
        converter.lost.clear()
    if not why:
        return {"blocks": blocks, "source": "", "said": ""}, notes
    notes.append(f"“{title}” is shown as source. {why}")
    source = chapter.latex[:_LONGEST_SOURCE] or " "
    return {"blocks": blocks, "source": source, "said": f"This chapter is shown as source. {why}"}, notes


def as_source(chapter: Chapter) -> Part:
    """Return a chapter that is nested too deeply as its source."""
    said = f"This chapter is shown as source. {_TOO_DEEP}"
    return {"blocks": [], "source": chapter.latex[:_LONGEST_SOURCE] or " ", "said": said}


def name_elsewhere(numbers: Numbers, sections: Mapping[str, NumberedSection], shown: Container[str] = ()) -> None:
    """Add the numbers of labels in chapters other than `shown` (ids), for references to them.

    Of a label that stands in two chapters the last one counts, as in LaTeX.
    """
    last: dict[str, tuple[str, Target]] = {}
    for key, section in sections.items():
        for one in section.labelled:
            target = target_of(one, is_lettered=section.before.is_lettered)
            for label in one.labels:
                last[label] = key, target
    for label, (key, target) in last.items():
        if key not in shown or label not in numbers.labels:
            numbers.labels[label] = target  # without a link: it is on no page here


def target_of(one: Numbered, *, is_lettered: bool = False) -> Target:
    """Return what the labels of a numbered part point to, without a link."""
    level = one.level + 1
    return Target(one.kind, one.refers, one.title, "", level, is_lettered, one.type, one.word)


def cited_works(manuscript: Manuscript, texts: list[str], entries: list[Entry]) -> References:
    """Return the works that `texts` cite, the same as in the PDF and in Word."""
    cited = dict.fromkeys(key for text in texts for key in keys_in(text))
    everything = cited.pop(EVERYTHING, cited) is None
    found = references_of(manuscript, cited, everything, entries, strip=True)
    return References(found, cited, manuscript.style)


def body_of(manuscript: Manuscript, chapter: Chapter, latex: str, section: NumberedSection | None) -> str:
    """Return the text of a chapter as it is printed, with the heading that it has not in its own text.

    The heading is added to the first line, so that line numbers stay as in the section.
    """
    if chapter.slug == FRONT and not manuscript.is_brought:
        return front_text(latex)
    if manuscript.is_brought:
        return f"{section.opening} {latex}" if section and section.opening else latex
    if has_chapter(latex):
        return latex
    star = "*" if chapter.slug == ABSTRACT else ""
    return f"\\chapter{star}{{{escape_latex(chapter.title)}}}{latex if latex.strip() else ' '}"


def some_names(names: Sequence[str]) -> str:
    """Return the first five of `names`, and how many more there are."""
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
