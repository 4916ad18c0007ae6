"""Which number each chapter has, so that one that is set alone keeps it."""

import re
from collections.abc import Sequence
from itertools import accumulate

from latex.keys import visible
from thesis.manuscript import ABSTRACT, FRONT, Chapter

_CHAPTERS = re.compile(r"\\(?:chapter|addchap)(?![A-Za-z@*])")
_ANY_CHAPTER = re.compile(r"\\(?:chapter|addchap)(?![A-Za-z@])")
_SECTIONS = re.compile(r"\\(?:section|addsec)(?![A-Za-z@*])")


def has_chapter(latex: str) -> bool:
    """Whether a section brings the heading of its chapter itself."""
    return "\\" in latex and _ANY_CHAPTER.search(visible(latex)) is not None


def numbered(chapter: Chapter) -> int:
    """How many numbered chapters a section of a thesis that was begun here prints."""
    if has_chapter(chapter.latex):
        return len(_CHAPTERS.findall(visible(chapter.latex)))
    return 0 if chapter.slug in (FRONT, ABSTRACT) else 1


def before(chapters: Sequence[Chapter]) -> dict[str, int]:
    """For each of `chapters`, by its id, how many numbered ones are printed before it."""
    counts = accumulate((numbered(chapter) for chapter in chapters), initial=0)
    return {chapter.id: count for chapter, count in zip(chapters, counts, strict=False)}


def headings(latex: str, *, chapters: bool) -> int:
    """How many numbered chapters, or else sections, a text of a thesis that was brought has."""
    return len((_CHAPTERS if chapters else _SECTIONS).findall(visible(latex)))
