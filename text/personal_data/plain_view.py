"""A plain view of a text for finding names and numbers: LaTeX accents as letters, JSON line breaks as line breaks.

Search `Seen.text`; `Seen.place` maps positions back to the original text. Most texts need no change at all.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

# Most prompts contain JSON text, in which a line break is a backslash and an n. A double backslash is not one.
_LINE_OF_JSON = '{"'
_ESCAPE = re.compile(r"\\\\|\\[nrt]")

# \"u, \"{u}, {\"u}, \c{c}, \ss{}, \o; in JSON with doubled backslashes and an escaped quotation mark.
_SIGN = r"\\{1,3}[\"'`^~=.](?:\{\\{0,2}([A-Za-z])\}|\\{0,2}([A-Za-z]))"
_LETTER = r"\\{1,2}[cvuHkrbd](?: ?\{\\{0,2}([A-Za-z])\}| ([A-Za-z])(?![A-Za-z]))"
_LIGATURE = r"\\{1,2}(ss|ae|AE|oe|OE|aa|AA|o|O|l|L|i|j)(?![A-Za-z])(?:\{\}| (?=[a-z]))?"
_ACCENT = re.compile(rf"\{{(?:{_SIGN}|{_LETTER}|{_LIGATURE})\}}|{_SIGN}|{_LETTER}|{_LIGATURE}")


# For `parted`: separators become a space, ASCII letters lower case; the bytes of other letters stay.
LETTERS = bytes(code if code > 127 else ord(chr(code).lower()) if chr(code).isalpha() else 32 for code in range(256))
LETTERS_AND_FIGURES = bytes(code if 48 <= code < 58 else LETTERS[code] for code in range(256))


def parted(text: str, parting: bytes) -> tuple[set[bytes], str]:
    """Return the distinct ASCII words of `text` in lower case, and all text with other characters joined.

    A fast check for words that do not occur in a text; a pattern takes ten times as long.
    """
    parts = {*text.encode("utf-8", "surrogatepass").translate(parting).split()}
    if text.isascii():
        return parts, ""
    others = [part for part in parts if not part.isascii()]
    return parts.difference(others), b" ".join(others).decode("utf-8", "surrogatepass")


class Seen(NamedTuple):
    """A view of a text. From each position in `starts`, original positions are `shifts` further; both may be empty."""

    text: str
    starts: tuple[int, ...] = ()
    shifts: tuple[int, ...] = ()

    def place(self, at: int) -> int:
        """Return the original position of the position `at` in `text`."""
        number = bisect_right(self.starts, at)
        return at + self.shifts[number - 1] if number else at

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the original range of `text[start:end]`, including the macros of its accents."""
        return self.place(start), self.place(end)


def unescaped(text: str) -> str:
    """Return `text` with JSON escapes for line breaks and tabs as white space; every position stays the same."""
    if _LINE_OF_JSON not in text or "\\" not in text:
        return text
    return _ESCAPE.sub(lambda found: found[0] if found[0] == "\\\\" else (" \n" if found[0] == "\\n" else "  "), text)


def seen(text: str) -> Seen:
    """Return the view of `text` with LaTeX accents as plain letters: "M\\"uller" becomes "Muller"."""
    if "\\" not in text:
        return Seen(text)
    is_json = _LINE_OF_JSON in text

    def letters() -> Iterator[tuple[int, int, str]]:
        for found in _ACCENT.finditer(text):
            if is_json and found[0].startswith('\\"') and not text[found.start() - 1 : found.start()].isalpha():
                continue  # a quotation mark of JSON
            yield *found.span(), next(group for group in found.groups() if group)

    return _with(text, letters())


# LaTeX separators within a number: 2341~2341~2346, 2341\,2341\,2346, 2341--2341--2346. A ~ also occurs in links.
_TIE = re.compile(r"(?<!\\)\\[,;: ](?=[^\W_])|(?<![/~])~|(?<=[^\W_])(?:\{-\}|--)(?=[^\W_])")


def untied(text: str) -> Seen:
    """Return the view of `text` with LaTeX spaces and dashes as plain ones."""
    if not any(tie in text for tie in ("\\", "~", "--", "{-}")):
        return Seen(text)
    return _with(text, ((*found.span(), "-" if "-" in found[0] else " ") for found in _TIE.finditer(text)))


def _with(text: str, changes: Iterable[tuple[int, int, str]]) -> Seen:
    """Return the view of `text` with each change (start, end, replacement) applied; `changes` are in order."""
    parts, starts, shifts = [], [], []
    length = at = 0
    for start, end, other in changes:
        parts += [text[at:start], other]
        length += start - at + len(other)
        at = end
        starts.append(length)
        shifts.append(at - length)
    return Seen("".join([*parts, text[at:]]), tuple(starts), tuple(shifts))
