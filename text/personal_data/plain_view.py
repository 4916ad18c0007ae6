"""A text as a reader sees it, for finding names and numbers in it: LaTeX accents as letters, line breaks of JSON as such.

`Seen.text` is looked at, `Seen.place` leads back to the text as it was written. Most texts need no change at all.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

# JSON lines stand in most prompts: in them a line break is a backslash and an n. A pair of backslashes is another thing.
_LINE_OF_JSON = '{"'
_ESCAPE = re.compile(r"\\\\|\\[nrt]")

# \"u, \"{u}, {\"u}, \c{c}, \ss{}, \o: in JSON with twice the backslashes, and the quotation mark with one more.
_SIGN = r"\\{1,3}[\"'`^~=.](?:\{\\{0,2}([A-Za-z])\}|\\{0,2}([A-Za-z]))"
_LETTER = r"\\{1,2}[cvuHkrbd](?: ?\{\\{0,2}([A-Za-z])\}| ([A-Za-z])(?![A-Za-z]))"
_LIGATURE = r"\\{1,2}(ss|ae|AE|oe|OE|aa|AA|o|O|l|L|i|j)(?![A-Za-z])(?:\{\}| (?=[a-z]))?"
_ACCENT = re.compile(rf"\{{(?:{_SIGN}|{_LETTER}|{_LIGATURE})\}}|{_SIGN}|{_LETTER}|{_LIGATURE}")


# For `parted`: what parts words is a space, ASCII is in small letters, and of other letters the bytes stay as they are.
LETTERS = bytes(code if code > 127 else ord(chr(code).lower()) if chr(code).isalpha() else 32 for code in range(256))
LETTERS_AND_FIGURES = bytes(code if 48 <= code < 58 else LETTERS[code] for code in range(256))


def parted(text: str, parting: bytes) -> tuple[set[bytes], str]:
    """Return the words of `text` that are of ASCII, each once and small, and all of it that holds other signs, in one text.

    To tell quickly that some words do not stand in a text: a pattern takes ten times as long.
    """
    parts = {*text.encode("utf-8", "surrogatepass").translate(parting).split()}
    if text.isascii():
        return parts, ""
    others = [part for part in parts if not part.isascii()]
    return parts.difference(others), b" ".join(others).decode("utf-8", "surrogatepass")


class Seen(NamedTuple):
    """`starts` are places in `text` from which on a place as written is `shifts` further; both are empty mostly."""

    text: str
    starts: tuple[int, ...] = ()
    shifts: tuple[int, ...] = ()

    def place(self, at: int) -> int:
        """Return where in the text as written stands what is at `at` in `text`."""
        number = bisect_right(self.starts, at)
        return at + self.shifts[number - 1] if number else at

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Beginning and end as written of `text[start:end]`: the macros of its accents are inside."""
        return self.place(start), self.place(end)


def unescaped(text: str) -> str:
    """`text` with line breaks, returns and tabs of JSON as white space; every sign stays where it is."""
    if _LINE_OF_JSON not in text or "\\" not in text:
        return text
    return _ESCAPE.sub(lambda found: found[0] if found[0] == "\\\\" else (" \n" if found[0] == "\\n" else "  "), text)


def seen(text: str) -> Seen:
    """`text` with accents of LaTeX as the letters they stand on: "M\\"uller" is seen as "Muller"."""
    if "\\" not in text:
        return Seen(text)
    is_json = _LINE_OF_JSON in text

    def letters() -> Iterator[tuple[int, int, str]]:
        for found in _ACCENT.finditer(text):
            if is_json and found[0].startswith('\\"') and not text[found.start() - 1 : found.start()].isalpha():
                continue  # a quotation mark of JSON
            yield *found.span(), next(group for group in found.groups() if group)

    return _with(text, letters())


# What LaTeX has between the groups of a number: 2341~2341~2346, 2341\,2341\,2346, 2341--2341--2346. A ~ is part of some links.
_TIE = re.compile(r"(?<!\\)\\[,;: ](?=[^\W_])|(?<![/~])~|(?<=[^\W_])(?:\{-\}|--)(?=[^\W_])")


def untied(text: str) -> Seen:
    """`text` with the spaces and hyphens of LaTeX as such."""
    if not any(tie in text for tie in ("\\", "~", "--", "{-}")):
        return Seen(text)
    return _with(text, ((*found.span(), "-" if "-" in found[0] else " ") for found in _TIE.finditer(text)))


def _with(text: str, changes: Iterable[tuple[int, int, str]]) -> Seen:
    """`text` with each (start, end, other) of `changes`, in order, seen as `other`."""
    parts, starts, shifts = [], [], []
    length = at = 0
    for start, end, other in changes:
        parts += [text[at:start], other]
        length += start - at + len(other)
        at = end
        starts.append(length)
        shifts.append(at - length)
    return Seen("".join([*parts, text[at:]]), tuple(starts), tuple(shifts))
