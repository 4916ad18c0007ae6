"""What the first page of a PDF says about its work: DOIs, possible titles, and its words (SPEC C2). Pure.

The title of an article is usually what is printed in the largest letters, but a journal's name may be larger. So there
are several possible titles, and the identity gate decides which of them, if any, is that of a reference.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from citations.identity.normalise import plain
from citations.pasted_text import doi_in
from sources.identifiers import clean_arxiv
from untrusted.pdf_words import PrintedPage, PrintedWord

MOST_TITLES = 8
MOST_DOIS = 10
_SHORTEST = 13  # letters of a title; what is shorter is a heading, or names no work
_FEW_WORDS = 3  # spaces in a title; one with fewer is less likely
_LONGEST = 500  # characters of a title
_ALIKE = 0.08  # difference in height of lines that are in one size, as part of the larger
_LARGER = 1.1  # times as high as most letters of the page: what may be a title
_FIRST_LINES = 3  # of a page in one size, which may be the title
_SOFT_HYPHEN = "\u00ad"
_ARXIV = re.compile(r"arXiv:\s?(\d{4}\.\d{4,5})", re.IGNORECASE)
# The raised numbers or letters of affiliations behind a name: "Menon1,2", "Menona,b,∗".
_MARKS = re.compile(r"(?<=[^\W\d_])\d+\b|(?<=[^\W\d_]{2})[a-z](?=[,*∗†‡§])")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


@dataclass(frozen=True)
class _Block:
    """Lines in one size of letters that follow each other."""

    height: float
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """The lines as one, with words joined again that are divided at the end of a line."""
        return " ".join(self.lines).replace(f"{_SOFT_HYPHEN} ", "").replace(_SOFT_HYPHEN, "-")


@dataclass(frozen=True)
class FirstPage:
    """The first page of a PDF: its `text`, possible titles, the most likely first, and DOIs in the order of the text.

    An arXiv id is given as its DOI.
    """

    text: str
    titles: tuple[str, ...]
    dois: tuple[str, ...]

    @property
    def is_blank(self) -> bool:
        """Whether no letter can be read on it."""
        return not any(letter.isalnum() for letter in self.text)

    @property
    def years(self) -> list[int]:
        """The years that are printed on it."""
        return [int(year) for year in _YEAR.findall(self.text)]

    @cached_property
    def _words(self) -> tuple[str, str]:
        """The words, as they are printed and without marks behind them."""
        return f" {plain(self.text)} ", f" {plain(_MARKS.sub(' ', self.text))} "

    def place_of(self, words: str) -> int:
        """Return where `words` are printed, whatever their capitals and accents; -1 where they are not.

        Marks of affiliations behind a name do not count.
        """
        wanted = plain(words)
        places = (text.find(f" {wanted} ") for text in self._words if wanted)
        return next((place for place in places if place >= 0), -1)


def read_first_page(page: PrintedPage) -> FirstPage:
    """Return what the first page of a PDF says about its work."""
    upright = [words for line in page.lines if (words := [word for word in line if not _is_turned(word)])]
    lines = [text for line in page.lines if (text := _joined(line))]
    return FirstPage("\n".join(lines), tuple(_titles(_blocks(upright))), tuple(_dois(lines)))


def _is_turned(word: PrintedWord) -> bool:
    """Return whether a word runs up or down the margin, as the stamp of arXiv does: its height is no letter size."""
    return len(word.text) > 3 and word.bottom - word.top > 1.5 * (word.right - word.left)


def _joined(words: Sequence[PrintedWord]) -> str:
    return " ".join(word.text for word in words).replace("\x00", "")


def _blocks(lines: Sequence[Sequence[PrintedWord]]) -> list[_Block]:
    """Return the lines of a page as blocks of one size of letters."""
    blocks: list[_Block] = []
    for line in lines:
        height, text = median(word.bottom - word.top for word in line), _joined(line)
        if height <= 0 or not any(letter.isalpha() for letter in text):
            continue  # the mark of a footnote, or a number
        last = blocks[-1] if blocks else None
        if last and abs(last.height - height) <= _ALIKE * max(last.height, height):
            blocks[-1] = _Block(last.height, (*last.lines, text))
        else:
            blocks.append(_Block(height, (text,)))
    return blocks


def _titles(blocks: Sequence[_Block]) -> list[str]:
    """Return what may be the title: blocks in large letters, the largest first, also with the block after them.

    On a page in one size it is among the first lines.
    """
    letters = Counter[int]()
    for block in blocks:
        letters[round(block.height)] += len(block.text)
    usual = letters.most_common(1)[0][0] if letters else 0
    large = [number for number, block in enumerate(blocks) if block.height >= _LARGER * usual]
    large.sort(key=lambda number: -blocks[number].height)
    found = [blocks[number].text for number in large]
    # A subtitle may be in smaller letters.
    found += [f"{blocks[number].text}: {blocks[number + 1].text}" for number in large if number + 1 in large]
    if blocks and not large:
        found = [_Block(0, blocks[0].lines[:count]).text for count in range(1, _FIRST_LINES + 1)]
    tidy = (" ".join(title.split())[:_LONGEST] for title in found)
    long_enough = (title for title in tidy if sum(letter.isalnum() for letter in title) >= _SHORTEST)
    # The name of a journal has few words.
    return sorted(dict.fromkeys(long_enough), key=lambda title: title.count(" ") < _FEW_WORDS)[:MOST_TITLES]


def _dois(lines: Sequence[str]) -> list[str]:
    """Return the DOIs on a page, each once."""
    return list(dict.fromkeys(doi for line in lines for doi in _dois_in(line)))[:MOST_DOIS]


def _dois_in(line: str) -> Iterator[str]:
    for part in line.replace(_SOFT_HYPHEN, "-").split():
        if doi := doi_in(part):
            yield doi
    for number in _ARXIV.findall(line):
        if arxiv := clean_arxiv(number):
            yield f"10.48550/arxiv.{arxiv}"
