"""The numbers of a whole thesis in the order it is printed (SPEC T2, T6): what LaTeX's counters are where each section begins."""

import posixpath
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import NamedTuple

from latex.cite_keys import visible
from latex.includes import flat
from latex.numbering import Counters, Numbered, counters_of, has_chapter, walk
from latex.project_source import write_tex
from thesis.manuscript import ABSTRACT, FRONT, Chapter, Manuscript

_MARK = re.compile("\ue010(\\d+)\ue011")  # where a section stands in a file


class Counted(NamedTuple):
    """A section: the counters where its text begins, its heading included where Scholium prints that, and what has a number."""

    before: Counters
    heading: str  # the number that Scholium prints over it, "" for none
    numbered: list[Numbered]  # in its own text


def ours() -> Counters:
    """Return the counters of a thesis that was begun here, as front/preamble.py sets them up."""
    return counters_of(r"\documentclass{book}\setcounter{secnumdepth}{3}")


def brings_its_number(chapter: Chapter) -> bool:
    """Return whether the title of an appendix says which it is: "Appendix B: Consent form"."""
    return (
        re.match(r"(?:appendix|annexure|annex)\s+(?:[A-Z]|[IVX]+|\d+)\b", chapter.title, flags=re.IGNORECASE)
        is not None
    )


def counted(manuscript: Manuscript) -> dict[str, Counted]:
    """Return each section of `manuscript` by its id, in the order of print; one that no file takes in is left out."""
    return dict(_imported(manuscript) if manuscript.is_brought else _begun(manuscript))


def counters_before(manuscript: Manuscript, section: str) -> Counters:
    """Return the counters where the section with the id `section` begins."""
    found = counted(manuscript).get(section)
    return found.before if found else ours()


def _begun(manuscript: Manuscript) -> Iterator[tuple[str, Counted]]:
    counters = ours()
    counters.is_main = False
    for chapter in manuscript.body:
        counters.is_main = counters.is_main or chapter.slug not in (FRONT, ABSTRACT)
        yield chapter.id, _one(chapter, counters)
    counters.begin_appendices()
    for chapter in manuscript.appendices:
        yield chapter.id, _one(chapter, counters)


def _one(chapter: Chapter, counters: Counters) -> Counted:
    before, heading = counters.copy(), ""
    if chapter.slug != FRONT and not has_chapter(chapter.latex):
        if chapter.slug != ABSTRACT and brings_its_number(chapter):
            counters.step("chapter")
        elif chapter.slug != ABSTRACT:
            heading = counters.heading("chapter")
    return Counted(before, heading, list(walk(chapter.latex, counters)))


def _imported(manuscript: Manuscript) -> Iterator[tuple[str, Counted]]:
    main = manuscript.main
    assert main is not None
    marks = [chapter._replace(latex=f"\ue010{place}\ue011") for place, chapter in enumerate(manuscript.chapters)]
    texts = decoded(manuscript, write_tex(manuscript.files, marks).files)
    root = posixpath.dirname(main.path)
    whole = joined(flat(texts.get(main.path, ""), texts, root=root))
    begins = re.search(r"\\begin\s*\{document\}", visible(whole))
    head, body = (whole[: begins.start()], whole[begins.end() :]) if begins else ("", whole)
    counters = counters_of(head, "\n".join([body, *(chapter.latex for chapter in manuscript.chapters)]))
    at = 0
    for mark in _MARK.finditer(body):
        list(walk(body[at : mark.start()], counters))
        at = mark.end()
        chapter = manuscript.chapters[int(mark[1])]
        yield chapter.id, Counted(counters.copy(), "", _in_own_text(flat(chapter.latex, texts, root=root), counters))


def _in_own_text(pieces: list[tuple[int, str]], counters: Counters) -> list[Numbered]:
    """Return what has a number in a text, at its places there; what stands in files that the text takes in only counts."""
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
    return "".join(piece for _, piece in pieces)


def decoded(manuscript: Manuscript, files: Mapping[str, bytes]) -> dict[str, str]:
    """Return the texts of `files`; what is not of its file's encoding is read as UTF-8, with signs for what cannot be read."""
    encodings = {file.path: file.encoding for file in manuscript.files}

    def text_of(path: str, data: bytes) -> str:
        try:
            return data.decode(encodings.get(path, "utf-8"))
        except (UnicodeDecodeError, LookupError):
            return data.decode("utf-8", "replace")

    return {path: text_of(path, data) for path, data in files.items()}
