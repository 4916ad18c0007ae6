r"""Finding and replacing words in a LaTeX text (SPEC T2).

Words are found as a reader sees them: "95%" finds `95\%`, "hypertension" finds `\textbf{hyper}tension`. A replacement
is written as LaTeX that prints it, and changes nothing else: afterwards the text is read again, and a match whose
replacement would change what stands around it is left as it is. In the source, characters are compared as written.
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from latex.printable_characters import escape_latex
from latex.shown_text import OBJECT, ShownText, shown_text
from latex.text_edits import Edit, apply_edits

AROUND = 60  # characters shown on either side of a match
_ALIKE = [" \u00a0\u202f\u2009", "'’‘`", '"“”„', "-\u2010\u2011"]
_TYPED = {"---": "—", "--": "–", "``": "“", "''": "”"}
_WORD_BEFORE = re.compile(r"^\S{0,30}\s")
_WORD_AFTER = re.compile(r"\s\S{0,30}$")
_COMMAND_BEFORE = re.compile(r"\\[A-Za-z@]*+\*?[ \t]*+$|^[A-Za-z@ \t]*+$")
_FAR = 100  # characters before a match in which a command may end right before it
_SPACES = re.compile(r"[ \n]+")
_PARAGRAPH = re.compile(r"\n[ \t]*\r?\n")


class Search(NamedTuple):
    """What is searched: `words` as a person typed them. `in_source`: in the LaTeX as it is written."""

    words: str
    match_case: bool = False
    whole_words: bool = False
    in_source: bool = False


class Match(NamedTuple):
    """A match at `start` to `end` of the source, with the shown `words` and those `before` and `after` it."""

    start: int
    end: int
    words: str
    before: str
    after: str


class Replaced(NamedTuple):
    """A text after replacing. `edits` has those of each match, in order; `left` are matches that were not replaced."""

    latex: str
    edits: list[list[Edit]]
    left: list[Match]


def find_words(latex: str, search: Search, most: int) -> list[Match]:
    """Return the matches of `search` in `latex`, in order, at most `most`."""
    shown = None if search.in_source else shown_text(latex)
    return [_match(latex, shown, start, end) for start, end in _spans(latex, shown, search, most)]


def replace_words(latex: str, search: Search, new: str, chosen: Collection[int] | None, most: int) -> Replaced:
    """Return `latex` with `new` in place of the matches that start at `chosen` places (None: of all)."""
    shown = None if search.in_source else shown_text(latex)
    spans = list(_spans(latex, shown, search, most))
    if shown is None:
        edits = [[Edit(start, end, new)] for start, end in spans if chosen is None or start in chosen]
        return Replaced(apply_edits(latex, chain.from_iterable(edits)), edits, [])
    wanted = [span for span in spans if chosen is None or shown.stretches(*span)[0][0] in chosen]
    words = as_typed(new)
    writer = _Writer(latex, shown, words)
    plain = words_as_latex(words)
    if made := writer.replaced([(span, plain) for span in wanted]):
        return Replaced(*made, [])
    fitting = [(span, written) for span in wanted if (written := writer.fitting(span)) is not None]
    if not (made := writer.replaced(fitting)):
        made, fitting = (latex, []), []
    done = {span for span, _ in fitting}
    return Replaced(*made, [_match(latex, shown, *span) for span in wanted if span not in done])


def as_typed(words: str) -> str:
    """Return typed words with the dashes and quotation marks that LaTeX makes of `--` and ` `` `."""
    return re.sub(r"---?|``|''", lambda found: _TYPED[found[0]], words)


def _spans(latex: str, shown: ShownText | None, search: Search, most: int) -> Iterator[tuple[int, int]]:
    """Yield start and end of each match in the shown text, or in the source."""
    text = latex if shown is None else shown.text
    words = search.words if shown is None else " ".join(as_typed(search.words).split()).replace(OBJECT, "")
    if not words:
        return
    written = re.escape(words) if shown is None else _pattern(words)
    pattern = re.compile(written, 0 if search.match_case else re.IGNORECASE)
    at = number = 0
    while number < most and (found := pattern.search(text, at)):
        start, end = found.span()
        if _stands_alone(text, start, end, whole=search.whole_words):
            yield start, end
            at, number = end, number + 1
        else:
            at = start + 1


def _pattern(words: str) -> str:
    """Return a pattern for words in any form of their accents, spaces and quotation marks."""
    composed = unicodedata.normalize("NFC", words)
    return "".join(map(_letter_pattern, composed))


def _letter_pattern(sign: str) -> str:
    for alike in _ALIKE:
        if sign in alike:
            return f"[{re.escape(alike)}]"
    parts = unicodedata.normalize("NFD", sign)
    return re.escape(sign) if parts == sign else f"(?:{re.escape(sign)}|{re.escape(parts)})"


def _stands_alone(text: str, start: int, end: int, *, whole: bool) -> bool:
    """Return whether a match ends no letter in its middle and, with `whole`, stands between other words."""
    after = text[end : end + 1]
    if after and (unicodedata.category(after)[0] == "M" or "\u200d" in (after, text[end - 1])):
        return False
    if not whole:
        return True
    before = text[start - 1 : start] if start else ""
    return not (_in_word(before) and _in_word(text[start])) and not (_in_word(after) and _in_word(text[end - 1]))


def _in_word(sign: str) -> bool:
    return bool(sign) and (sign == "_" or unicodedata.category(sign)[0] in "LNM")


def _match(latex: str, shown: ShownText | None, start: int, end: int) -> Match:
    text = latex if shown is None else shown.text
    stretches = [(start, end)] if shown is None else shown.stretches(start, end)
    before, after = text[max(0, start - AROUND) : start], text[end : end + AROUND]
    if shown is not None:
        before, after = before.rpartition("\n")[2], after.partition("\n")[0]
        before, after = (part.replace(OBJECT, "…") for part in (before, after))
    if start > AROUND:
        before = _WORD_BEFORE.sub("", before)
    if end + AROUND < len(text):
        after = _WORD_AFTER.sub("", after)
    return Match(stretches[0][0], stretches[-1][1], text[start:end], before, after)


def words_as_latex(words: str) -> str:
    """Return `words` as LaTeX, with the spaces at their ends."""
    inner = words.strip()
    if not inner:
        return " " if words else ""
    return " " * words[0].isspace() + escape_latex(inner) + " " * words[-1].isspace()


class _Writer:
    """Writes words in place of matches in one text."""

    def __init__(self, latex: str, shown: ShownText, words: str) -> None:
        self.latex, self.shown, self.words = latex, shown, words
        self.marks = sorted(shown.marks, key=lambda mark: (mark.first, -mark.last))
        self.begins = [mark.first for mark in self.marks]
        self.paragraphs: dict[tuple[int, int], ShownText] = {}

    def replaced(self, wanted: Sequence[tuple[tuple[int, int], str]]) -> tuple[str, list[list[Edit]]] | None:
        """Return the text after replacing spans, each with its LaTeX, and the edits; None if more would change."""
        edits = [sorted(self.edits(span, written)) for span, written in wanted]
        latex = apply_edits(self.latex, chain.from_iterable(edits))
        spans = [span for span, _ in wanted]
        is_right = _printed(shown_text(latex).text) == _printed(_spliced(self.shown.text, spans, self.words))
        return (latex, edits) if is_right else None

    def edits(self, span: tuple[int, int], written: str) -> Iterator[Edit]:
        """Yield `written` for the first stretch of a match, and nothing for the others.

        A mark whose words are all gone goes with them.
        """
        start, end = span
        (first, last), *others = self.shown.stretches(start, end)
        yield Edit(first, last, written)
        for one, other in others:
            yield Edit(one, other, "")
        for at in range(bisect_left(self.begins, start), bisect_right(self.begins, end)):
            mark = self.marks[at]
            is_gone = mark.first < mark.last <= end and (not written or not mark.inner <= first < mark.close)
            if is_gone:
                yield Edit(mark.start, mark.inner, "")
                yield Edit(mark.close, mark.end, "")

    def fitting(self, span: tuple[int, int]) -> str | None:
        """Return the LaTeX for one match after which its paragraph prints what it should, or None."""
        stretches = self.shown.stretches(*span)
        plain = words_as_latex(self.words)
        if self._is_safe(stretches[0][0], stretches[-1][1]):
            return plain
        begin, end = self._paragraph(stretches[0][0], stretches[-1][1])
        before = self.paragraphs.get((begin, end))
        if before is None:
            before = self.paragraphs[begin, end] = shown_text(self.latex[begin:end])
        at = before.place_of(stretches[0][0] - begin)
        there = at, at + span[1] - span[0]
        if before.text[slice(*there)] != self.shown.text[slice(*span)]:
            return None
        wanted = _printed(_spliced(before.text, [there], self.words))
        for written in (plain, f"{{}}{plain}", f"{plain}{{}}", f"{{}}{plain}{{}}", f"{{{plain}}}"):
            edits = [
                edit._replace(start=edit.start - begin, end=edit.end - begin) for edit in self.edits(span, written)
            ]
            if _printed(shown_text(apply_edits(self.latex[begin:end], edits)).text) == wanted:
                return written
        return None

    def _is_safe(self, start: int, end: int) -> bool:
        """Return whether letters can stand at a place whatever they are: no command ends before it."""
        sides = self.latex[max(0, start - 1) : start] + self.latex[end : end + 1]
        is_plain = all(sign.isalnum() or sign in " .,;:()" for sign in sides)
        return (
            is_plain
            and self.words[:1].isalnum()
            and self.words[-1:].isalnum()
            and not _COMMAND_BEFORE.search(self.latex, max(0, start - _FAR), start)
        )

    def _paragraph(self, start: int, end: int) -> tuple[int, int]:
        """Return begin and end of the paragraph around a place."""
        begin = max(self.latex.rfind("\n\n", 0, start), self.latex.rfind("\r\n\r\n", 0, start), 0)
        after = _PARAGRAPH.search(self.latex, end)
        return begin, after.end() if after else len(self.latex)


def _spliced(text: str, spans: Sequence[tuple[int, int]], words: str) -> str:
    return apply_edits(text, [Edit(start, end, words) for start, end in spans])


def _printed(text: str) -> str:
    """Return shown text without spaces that TeX does not print."""
    return _SPACES.sub(lambda found: "\n" if "\n" in found[0] else " ", unicodedata.normalize("NFC", text)).strip()
