r"""The text of a thesis as pieces of LaTeX in printed order, with \input resolved, for pandoc (SPEC T6)."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from citations.formats.reading import Entry
from latex.cite_keys import visible
from latex.headings import headings, nested, shown
from latex.includes import with_includes
from latex.numbering import Counters, counters_of, has_chapter, walk
from latex.printable_characters import escape_latex
from latex.project_source import write_tex
from thesis.assembly.draft_trailers import without_trailers
from thesis.front_matter.page_fields import front_text
from thesis.manuscript import ABSTRACT, FRONT, Chapter, Manuscript
from thesis.numbering import decoded, joined, numbered_sections

_STATE = re.compile(r"\\(frontmatter|mainmatter|backmatter|appendix|begin\s*\{appendices\})(?![A-Za-z])")
_SETS = re.compile(
    r"\\(?:setcounter|addtocounter)\s*\{(?:part|chapter|(?:sub){0,2}section|figure|table|equation|secnumdepth)\}"
)
_NAMED = re.compile(r"(?:appendix|annexure|annex)\s+([A-Z])\b[\s:.\u2013\u2014-]*", re.IGNORECASE)
_DEFINED = re.compile(
    r"\\(?:(?:newcommand|renewcommand|providecommand)\*?|DeclareMathOperator\*?|def|newtheorem\*?|theoremstyle|newacronym"
    r"|DeclareSIUnit|sisetup|setlist|declaretheorem|DeclarePairedDelimiter)(?![A-Za-z])"
)
_SHARED = re.compile(
    r"\\(?:newcommand\*?|newtheorem\*?|DeclareMathOperator\*?|DeclareSIUnit|sisetup|setlist|declaretheorem)(?![A-Za-z])"
)
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*\n?[ \t]*")  # with its line end, as TeX skips it
_MOST_MACROS = 60_000  # characters


class Stretch(NamedTuple):
    """A piece of text, with LaTeX's `counters` at its start.

    `place` is "front" (before the contents), "opening" (after them, with Roman page numbers), "body" or "back" (after
    the references).
    """

    latex: str
    title: str = ""
    place: str = "body"
    counters: Counters = Counters()


class Text(NamedTuple):
    r"""The whole text. `entries` are from BibTeX trailers; `macros` are the definitions in an imported preamble."""

    stretches: list[Stretch]
    entries: list[Entry]
    macros: str = ""
    has_chapters: bool = True  # else its highest headings are sections

    @property
    def depth(self) -> int:
        """Return how many levels of headings have numbers."""
        deepest = self.stretches[0].counters.depth if self.stretches else 0
        return max(0, min(deepest + self.has_chapters, 6))


def text_of(manuscript: Manuscript) -> Text:
    """Return the text of `manuscript` in the order of its PDF."""
    made = _imported_text(manuscript) if manuscript.is_brought else _native_text(manuscript)
    return made._replace(stretches=[part for stretch in made.stretches for part in at_counters(stretch)])


def at_counters(stretch: Stretch) -> Iterator[Stretch]:
    r"""Yield `stretch` split where it sets counters (\setcounter{figure}{6}), since pandoc ignores these commands."""
    seen = shown(stretch.latex)
    found = [one.start() for one in _SETS.finditer(seen)]
    inside = nested(seen, found)
    cuts = [0, *(at for at in found if at not in inside and at), len(stretch.latex)]
    counters = stretch.counters.copy()
    for start, end in zip(cuts, cuts[1:], strict=False):
        latex, before = stretch.latex[start:end], counters.copy()
        before.apply(latex)  # a piece starts with the commands that set counters
        before.declare(latex)
        yield stretch._replace(latex=latex, title="" if start else stretch.title, counters=before)
        list(walk(latex, counters))


def _native_text(manuscript: Manuscript) -> Text:
    entries: list[Entry] = []
    made = []
    before = {key: one.before for key, one in numbered_sections(manuscript).items()}
    lettered = 0
    has_begun = False  # whether the first numbered chapter has been reached
    for chapter in [*manuscript.body, *manuscript.appendices]:
        text = without_trailers(front_text(chapter.latex) if chapter.slug == FRONT else chapter.latex)
        entries += text.entries
        is_appendix = before[chapter.id].is_lettered
        has_begun = has_begun or chapter.slug not in (FRONT, ABSTRACT)
        early = "body" if has_begun else "front" if chapter.slug == FRONT else "opening"
        lettered += is_appendix
        headed = text.latex
        if chapter.slug != FRONT and not has_chapter(text.latex):
            headed = f"{_heading(chapter, chr(64 + lettered) if is_appendix else '')}\n{text.latex}"
        made.append(Stretch(headed, chapter.title, "back" if is_appendix else early, before[chapter.id]))
    return Text(made, entries, _shared(manuscript.chapters))


def _heading(chapter: Chapter, letter: str) -> str:
    """Return the heading of a chapter, without "Appendix B: " in its title when Word adds that `letter` itself."""
    title = chapter.title
    named = _NAMED.match(title) if letter else None
    if named and named[1].upper() == letter and named.end() < len(title):
        title = title[named.end() :]
    return f"\\chapter{'*' if chapter.slug == ABSTRACT else ''}{{{escape_latex(title)}}}"


def macros_of(manuscript: Manuscript) -> str:
    """Return the definitions in the preamble of an imported thesis, and those that its text makes, on one line."""
    head = _macros(_head_and_body(manuscript, manuscript.chapters)[0]) if manuscript.is_brought else ""
    return head + _shared(manuscript.chapters)


def _shared(chapters: Sequence[Chapter]) -> str:
    r"""Return what the text itself defines, and later chapters use: \newtheorem, \newcommand, \sisetup."""
    return "".join(_macros(one.latex, _SHARED) for one in chapters if _SHARED.search(one.latex))


def _head_and_body(manuscript: Manuscript, chapters: Sequence[Chapter]) -> tuple[str, str]:
    """Return the preamble and the text of an imported thesis, with its included files in place."""
    main = manuscript.main
    assert main is not None
    texts = decoded(manuscript, write_tex(manuscript.files, chapters).files)
    whole = joined(with_includes(texts.get(main.path, ""), texts, root=posixpath.dirname(main.path)))
    begun = re.search(r"\\begin\s*\{document\}", visible(whole))
    return (whole[: begun.start()], whole[begun.end() :]) if begun else ("", whole)


def _imported_text(manuscript: Manuscript) -> Text:
    texts_of = [(chapter, without_trailers(chapter.latex)) for chapter in manuscript.chapters]
    head, body = _head_and_body(manuscript, [chapter._replace(latex=text.latex) for chapter, text in texts_of])
    ended = re.search(r"\\end\s*\{document\}", visible(body))
    body = body[: ended.start()] if ended else body
    counters = counters_of(head, body)
    has_chapters = has_chapter(body)
    entries = [entry for _, text in texts_of for entry in text.entries]
    return Text(
        list(_parted(body, has_chapters, counters)), entries, _macros(head) + _shared(manuscript.chapters), has_chapters
    )


def _parted(body: str, has_chapters: bool, counters: Counters) -> Iterator[Stretch]:
    """Yield the chapters of `body` (or its sections when it has none), so that one error does not affect the others."""
    seen = shown(body)
    titles = {one.start: one.title for one in headings(seen, "chapter" if has_chapters else "section")}
    cuts = sorted({0, len(body), *titles, *(found.start() for found in _STATE.finditer(seen))})
    for start, end in zip(cuts, cuts[1:], strict=False):
        place = "body" if any(at <= start for at in titles) else "front"
        yield Stretch(body[start:end], titles.get(start, ""), place, counters.copy())
        list(walk(body[start:end], counters))


def _macros(head: str, defined: re.Pattern[str] = _DEFINED) -> str:
    """Return the complete definitions of a preamble on one line."""
    seen = visible(head)
    made: list[str] = []
    done = 0
    for found in defined.finditer(seen):
        if found.start() < done:
            continue
        done = _definition_end(seen, found.end())
        made.append(" ".join(_COMMENT.sub(r"\1", head[found.start() : done]).split()))
    text = "".join(made)
    return text if len(text) <= _MOST_MACROS else ""


def _definition_end(seen: str, at: int) -> int:
    """Return the end of a definition: after the last of its groups."""
    depth, end = 0, at
    for place in range(at, min(len(seen), at + 5_000)):
        sign = seen[place]
        if sign == "{" and seen[place - 1] != "\\":
            depth += 1
        elif sign == "}" and seen[place - 1] != "\\":
            depth -= 1
            end = place + 1
            if depth < 0:
                return place
        elif not depth and sign == "\n" and not seen[place:].lstrip().startswith(("{", "[")):
            return max(end, place)
    return end
