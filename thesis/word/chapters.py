r"""The text of a thesis as stretches of LaTeX in the order they are printed, for a reader that follows no \input (SPEC T6)."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from citations.formats.entries import Entry
from latex.chapter_headings import headings, shown
from latex.includes import Nowhere, find, includes
from latex.keys import visible
from latex.letters import tex
from latex.writing import write_tex
from thesis.assembly.numbering import has_chapter
from thesis.assembly.trailers import without_trailers
from thesis.front.facts import front_text
from thesis.manuscript import ABSTRACT, FRONT, Chapter, Manuscript

_MOST = 12_000_000  # characters of all that is taken in
_DEEPEST = 12  # files that take in files
_CHAPTER = re.compile(r"\\(?:chapter|addchap)(?![A-Za-z@])")
_STATE = re.compile(r"\\(frontmatter|mainmatter|backmatter|appendix|begin\s*\{appendices\})(?![A-Za-z])")
_CLASS = re.compile(r"\\documentclass\s*(?:\[[^\[\]]*\])?\s*\{([^{}]*)\}")
_DEPTH = re.compile(r"\\setcounter\s*\{secnumdepth\}\s*\{(-?\d)\}")
_NAMED = re.compile(r"(?:appendix|annexure|annex)\s+([A-Z])\b[\s:.\u2013\u2014-]*", re.IGNORECASE)
_DEFINED = re.compile(
    r"\\(?:(?:re|provide)?newcommand\*?|DeclareMathOperator\*?|def|newtheorem\*?|theoremstyle|newacronym)(?![A-Za-z])"
)
_MOST_MACROS = 60_000  # characters


class Stretch(NamedTuple):
    """A piece of text. `place` is "front" (before the contents), "opening" (behind them, with their page numbers), "body" or
    "back" (behind the references)."""

    latex: str
    title: str = ""
    place: str = "body"
    is_numbered: bool = True
    is_appendix: bool = False


class Text(NamedTuple):
    r"""All of it. `entries` stand in trailers; `by_chapter`: it has chapters, so that figures are numbered within them;
    `depth` levels of headings have numbers; `macros` are the definitions of a preamble that was brought."""

    stretches: list[Stretch]
    entries: list[Entry]
    macros: str = ""
    by_chapter: bool = True
    depth: int = 4
    has_chapters: bool = True  # else its highest headings are sections


def text_of(manuscript: Manuscript) -> Text:
    """What is to be read of `manuscript`, in the order in which its PDF has it."""
    return _brought(manuscript) if manuscript.is_brought else _begun(manuscript)


def _begun(manuscript: Manuscript) -> Text:
    entries: list[Entry] = []
    appendices = set(manuscript.layout.appendices)
    made = []
    lettered = 0
    has_begun = False  # the first numbered chapter stood
    for chapter in [*manuscript.body, *manuscript.appendices]:
        text = without_trailers(front_text(chapter.latex) if chapter.slug == FRONT else chapter.latex)
        entries += text.entries
        is_appendix = chapter.id in appendices
        has_begun = has_begun or chapter.slug not in (FRONT, ABSTRACT)
        early = "body" if has_begun else "front" if chapter.slug == FRONT else "opening"
        lettered += is_appendix
        headed = text.latex
        if chapter.slug != FRONT and not has_chapter(text.latex):
            headed = f"{_heading(chapter, chr(64 + lettered) if is_appendix else '')}\n{text.latex}"
        made.append(Stretch(headed, chapter.title, "back" if is_appendix else early, is_appendix=is_appendix))
    return Text(made, entries)


def _heading(chapter: Chapter, letter: str) -> str:
    """`letter`: that of an appendix, which "Appendix B: Consent form" brings itself and Word puts there."""
    title = chapter.title
    named = _NAMED.match(title) if letter else None
    if named and named[1].upper() == letter and named.end() < len(title):
        title = title[named.end() :]
    return f"\\chapter{'*' if chapter.slug == ABSTRACT else ''}{{{tex(title)}}}"


def _brought(manuscript: Manuscript) -> Text:
    main = manuscript.main
    assert main is not None
    texts_of = [(chapter, without_trailers(chapter.latex)) for chapter in manuscript.chapters]
    written = write_tex(manuscript.files, [chapter._replace(latex=text.latex) for chapter, text in texts_of])
    encodings = {file.path: file.encoding for file in manuscript.files}
    texts = {path: _decoded(data, encodings.get(path, "utf-8")) for path, data in written.files.items()}
    whole = "".join(_flat(main.path, texts, posixpath.dirname(main.path), 0, [_MOST]))
    begun = re.search(r"\\begin\s*\{document\}", visible(whole))
    head, body = (whole[: begun.start()], whole[begun.end() :]) if begun else ("", whole)
    ended = re.search(r"\\end\s*\{document\}", visible(body))
    body = body[: ended.start()] if ended else body
    named = _CLASS.search(visible(head))
    has_chapters = _CHAPTER.search(visible(body)) is not None
    asked = _DEPTH.search(visible(head))
    depth = int(asked[1]) + 1 if asked else 3 if has_chapters else 4
    depth = depth if has_chapters else depth - 1
    by_chapter = has_chapters and not (named and "article" in named[1])
    entries = [entry for _, text in texts_of for entry in text.entries]
    return Text(
        list(_parted(body, has_chapters)), entries, _macros(head), by_chapter, max(0, min(depth, 6)), has_chapters
    )


def _decoded(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return data.decode("utf-8", "replace")


def _flat(path: str, texts: Mapping[str, str], root: str, depth: int, left: list[int]) -> Iterator[str]:
    """The text of a file with the files that it takes in, as far as they are the thesis's."""
    text = texts.get(path, "")
    left[0] -= len(text)
    if left[0] < 0:
        return
    done = 0
    for include in includes(shown(text)) if depth < _DEEPEST else ():
        try:
            target = find(include, texts.keys(), root=root, beside=posixpath.dirname(path))
        except Nowhere:
            continue
        yield text[done : include.start]
        yield "\n"
        yield from _flat(target, texts, root, depth + 1, left)
        yield "\n"
        done = include.end
    yield text[done:]


def _parted(body: str, has_chapters: bool) -> Iterator[Stretch]:
    """`body` at its chapters, or sections where it has none: one that cannot be read costs no other."""
    seen = shown(body)
    level = "chapter" if has_chapters else "section"
    heads = headings(seen, level)
    states = [(found.start(), found[1].partition("{")[0]) for found in _STATE.finditer(seen)]
    cuts = sorted({0, len(body), *(one.start for one in heads), *(at for at, _ in states)})
    titles = {one.start: one.title for one in heads}
    named = dict(states)
    numbered, appendix = True, False
    for start, end in zip(cuts, cuts[1:], strict=False):
        if (state := named.get(start, "")).strip():
            numbered = state.strip() not in {"frontmatter", "backmatter"}
            appendix = appendix or state.strip() in {"appendix", "begin"}
        place = "front" if not any(at <= start for at in titles) else "body"
        yield Stretch(body[start:end], titles.get(start, ""), place, numbered, appendix)


def _macros(head: str) -> str:
    """The definitions of a preamble, each whole."""
    seen = visible(head)
    made: list[str] = []
    done = 0
    for found in _DEFINED.finditer(seen):
        if found.start() < done:
            continue
        done = _definition_end(seen, found.end())
        made.append(head[found.start() : done])
    text = "\n".join(made)
    return text if len(text) <= _MOST_MACROS else ""


def _definition_end(seen: str, at: int) -> int:
    """Where a definition ends: behind the last of its groups."""
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
