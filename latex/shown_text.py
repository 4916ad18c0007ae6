r"""The words of a LaTeX text as a reader sees them, each with its place in the source (SPEC T2).

Commands, keys, labels, formulas, comments, file names and verbatim text are not words. Of a command that is not known
no argument is read, so that a key is never taken for a word. The rules for characters are those of the visual editor
(static/src/latex/inline.ts). Takes linear time, also for broken LaTeX.
"""

import re
import unicodedata
from bisect import bisect_right
from functools import lru_cache
from typing import NamedTuple

from latex.brackets import closing_brackets
from latex.cite_keys import visible
from latex.printable_characters import ACCENTS
from latex.text_signs import SIGNS

OBJECT = "\ufffc"  # stands for what is not words: a citation, a formula, an unknown command
BREAK = "\n"  # stands between paragraphs, cells, headings and captions

_LETTERS = {
    "ss": "ß", "SS": "ẞ", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł",
    "aa": "å", "AA": "Å", "dh": "ð", "DH": "Ð", "th": "þ", "TH": "Þ", "i": "ı", "j": "ȷ",
}  # fmt: skip
_SIGNS = SIGNS | _LETTERS
_ESCAPED = {"%": "%", "&": "&", "#": "#", "_": "_", "$": "$", "{": "{", "}": "}", " ": " ", ",": "\u202f"}
_LIGATURES = {"---": "—", "--": "–", "``": "“", "''": "”", "~": "\u00a0"}
# The arguments of commands that have words in them: s is passed over, w is words, o an option to pass over, O one with
# words. After a mark the sentence goes on; the words of the others stand apart.
_MARKS = {
    "w": "textbf emph textit textsl texttt underline textsuperscript textsubscript textsc textrm textsf textup textmd "
    "textnormal text mbox enquote uline uuline sout hl",
    "ow": "hyperref",
    "osw": "textcolor foreignlanguage colorbox",
}
_APART = {
    "O": "item",
    "Ow": "part chapter section subsection subsubsection paragraph subparagraph addchap addsec caption subcaption",
    "ow": "footnote footnotetext thanks title date author makecell thead subfloat",
    "sOw": "captionof",
    "ssw": "multicolumn",
    "ososow": "multirow",
    "ooosw": "parbox",
}
# Commands without arguments: they change the type, or stand between paragraphs and rows
_QUIET = (
    "bfseries mdseries itshape slshape scshape upshape rmfamily sffamily ttfamily normalfont em bf it sl sc rm tt tiny "
    "scriptsize footnotesize small normalsize large Large LARGE huge Huge centering raggedright raggedleft noindent "
    "indent protect relax"
)
_BREAKS = (
    "par newline linebreak newpage clearpage cleardoublepage pagebreak hline toprule midrule bottomrule endhead "
    "endfirsthead endfoot endlastfoot tabularnewline"
)
# What each command is, and the kinds of its arguments
_COMMANDS = {
    name: (what, kinds)
    for what, table in (("mark", _MARKS), ("apart", _APART), ("quiet", {"": _QUIET}), ("break", {"": _BREAKS}))
    for kinds, names in table.items()
    for name in names.split()
}
_NO_WORDS = re.compile(
    r"(?:math|displaymath|equation|eqnarray|align|alignat|flalign|gather|multline|subequations|array|split|"
    r"tikzpicture|pgfpicture|picture|axis|[BLV]?verbatim|SaveVerbatim|lstlisting|minted|comment|tcblisting|filecontents|"
    r"thebibliography|algorithmic|code)\*?$"
)
_PLAIN = re.compile(r"(?:[^\\%${}&#_^~\-`'\s\[\]@]| (?!\s)|-(?!-)|'(?!')|`(?!`)|@(?![A-Za-z]{3,20}[ \t]*\{)|[\[\]])+")
_TOKEN = re.compile(
    r"(?P<blank>\s+)|\\(?P<name>[A-Za-z@]+)\*?|\\(?P<sign>.)|(?P<ligature>---?|``|''|~)"
    r"|(?P<maths>\$\$(?:[^$\\]|\\.)*?\$\$|\$(?:[^$\\\n]|\\.|\n(?![ \t]*\n))+\$)"
    r"|@[A-Za-z]{3,20}[ \t]*(?=\{)|.",
    re.DOTALL,
)
_LETTER = re.compile(r"[ \t]*(?:\{(?:\\([ij])|([^\W\d_]))\}|\\([ij])(?![A-Za-z])(?:\{\}|[ \t]+)?|([^\W\d_]))")
_BLANKS = re.compile(r"[ \t]*(?:\r\n|\r|\n)?[ \t]*(?![ \t\r\n])|[ \t]*")
_EMPTY_LINE = re.compile(r"(?:\r\n?+|\n)[ \t]*+[\r\n]")
_KEPT = 200_000  # characters of the longest text that is cached
_DEEPEST = 40  # arguments inside one another; beyond that their words are not read


class Mark(NamedTuple):
    r"""A command such as `\textbf{...}`: the places of its beginning and end, and of its words in the shown text."""

    start: int
    inner: int
    close: int
    end: int
    first: int
    last: int


class ShownText(NamedTuple):
    """The words of a text, with `OBJECT` and `BREAK` for the rest.

    Piece n of `text` begins at `firsts[n]` and stands at `begins[n]` to `ends[n]` of the source. One that is as long
    there has the same characters. One without characters is a hint on breaking a word.
    """

    text: str
    firsts: list[int]
    begins: list[int]
    ends: list[int]
    marks: list[Mark]

    def stretches(self, start: int, end: int) -> list[tuple[int, int]]:
        """Return where `text[start:end]` stands in the source. Commands in between are left out."""
        found: list[tuple[int, int]] = []
        for at in range(max(0, bisect_right(self.firsts, start) - 1), bisect_right(self.firsts, end - 1)):
            first, begin, stop = self.firsts[at], self.begins[at], self.ends[at]
            last = self.firsts[at + 1] if at + 1 < len(self.firsts) else len(self.text)
            if last == first and not start < first < end:
                continue
            if last > first and last <= start:
                continue
            if last - first == stop - begin:
                begin, stop = begin + max(0, start - first), stop - max(0, last - end)
            if found and found[-1][1] == begin:
                found[-1] = found[-1][0], stop
            elif stop > begin:
                found.append((begin, stop))
        return found

    def place_of(self, at: int) -> int:
        """Return where the character `at` of the source stands in `text`; -1 if it is not shown."""
        number = bisect_right(self.begins, at) - 1
        return self.firsts[number] + at - self.begins[number] if number >= 0 and at < self.ends[number] else -1


def shown_text(latex: str) -> ShownText:
    """Return the words of `latex` as a reader sees them."""
    return _kept_shown_text(latex) if len(latex) <= _KEPT else _shown_text(latex)


def _shown_text(latex: str) -> ShownText:
    reader = _Reader(latex)
    reader.read(0, len(latex), 0)
    return ShownText("".join(reader.parts), reader.firsts, reader.begins, reader.ends, reader.marks)


_kept_shown_text = lru_cache(maxsize=64)(_shown_text)  # a thesis is searched again and again, and then replaced


class _Reader:
    """Reader of one text."""

    def __init__(self, latex: str) -> None:
        self.latex, self.seen = latex, visible(latex)
        self.pairs = closing_brackets(self.seen, braces_span_paragraphs=True)
        self.parts: list[str] = []
        self.firsts: list[int] = []
        self.begins: list[int] = []
        self.ends: list[int] = []
        self.marks: list[Mark] = []
        self.length = 0
        self.unclosed: set[str] = set()  # ends that were searched and not found

    def read(self, at: int, end: int, depth: int) -> None:
        """Read the source from `at` to `end`."""
        seen = self.seen
        while at < end:
            if found := _PLAIN.match(seen, at, end):
                self._put(found[0], at, found.end())
                at = found.end()
                continue
            token = _TOKEN.match(seen, at, end)
            if token is None:
                return
            if token["blank"]:
                at = self._blank(at, token.end())
            elif token["ligature"]:
                at = self._put(_LIGATURES[token["ligature"]], at, token.end())
            elif token["name"]:
                at = self._command(token["name"], at, token.end(), end, depth)
            elif token["sign"]:
                at = self._sign(token["sign"], at, token.end())
            else:
                at = self._other(token[0], at, token.end())

    def _put(self, text: str, begin: int, end: int) -> int:
        self.parts.append(text)
        self.firsts.append(self.length)
        self.begins.append(begin)
        self.ends.append(end)
        self.length += len(text)
        return end

    def _apart(self, text: str, begin: int, end: int) -> int:
        """Put what is no words. It is not repeated."""
        if not self.parts or self.parts[-1] != text or text == OBJECT:
            self._put(text, begin, end)
        return end

    def _blank(self, begin: int, end: int) -> int:
        written = self.latex[begin:end]
        if _EMPTY_LINE.search(written):
            return self._apart(BREAK, begin, end)
        if written.isspace():
            return self._put(" ", begin, end)
        if "\\\\" in written:  # `visible` leaves out the end of a row too
            return self._apart(BREAK, begin, self._after_option(end + self.seen.startswith("*", end)))
        return self._apart(OBJECT, begin, end)  # a comment, or an address

    def _other(self, sign: str, begin: int, end: int) -> int:
        close = self.pairs.get(begin)
        if sign.startswith("@"):  # an entry of BibTeX that a draft ended with
            return self._apart(BREAK, begin, self.pairs.get(end, end - 1) + 1)
        if sign == "{" and close == begin + 1:
            return self._put("", begin, close + 1)
        if sign in "{}":
            return end
        return self._apart(BREAK if sign == "&" else OBJECT, begin, end)

    def _sign(self, sign: str, begin: int, end: int) -> int:
        if sign in _ESCAPED:
            return self._put(_ESCAPED[sign], begin, end)
        if sign in "-/":
            return self._put("", begin, end)
        if sign in "([":
            closed = self._find("\\" + {"(": ")", "[": "]"}[sign], end)
            return self._apart(OBJECT, begin, closed + 2 if closed >= 0 else end)
        if sign in ACCENTS and (made := self._accented(sign, begin, end)):
            return made
        return self._apart(OBJECT, begin, end)

    def _accented(self, command: str, begin: int, end: int) -> int:
        """Put the letter with the accent of `command`, and return its end; 0 if there is none."""
        found = _LETTER.match(self.seen, end)
        letter = found and next(group for group in found.groups() if group)
        made = unicodedata.normalize("NFC", letter + ACCENTS[command]) if letter else ""
        return self._put(made, begin, found.end()) if found and len(made) == 1 else 0

    def _command(self, name: str, begin: int, end: int, most: int, depth: int) -> int:
        seen = self.seen
        if name in _SIGNS:
            after = end + 2 if seen.startswith("{}", end) else _blanks(seen, end)
            return self._put(_SIGNS[name], begin, min(after, most))
        if name in ACCENTS and (made := self._accented(name, begin, end)):
            return made
        if name in ("begin", "end"):
            return self._environment(name, begin, end)
        what, kinds = _COMMANDS.get(name, ("", ""))
        if what == "quiet":
            return min(_blanks(seen, end), most)
        if what == "break":
            return self._apart(BREAK, begin, min(_blanks(seen, end), most))
        if kinds and depth < _DEEPEST:
            return self._arguments(kinds, begin, end, depth, is_mark=what == "mark")
        return self._apart(OBJECT, begin, min(self._after_arguments(end), most))

    def _arguments(self, kinds: str, begin: int, end: int, depth: int, *, is_mark: bool) -> int:
        """Read the arguments of a command whose name ends at `end`, and return where they end."""
        at = end
        if not is_mark:
            self._apart(BREAK, begin, end)
        for kind in kinds:
            opened = _blanks(self.seen, at)
            if kind in "oO":
                close = self.pairs.get(opened, -1) if self.seen.startswith("[", opened) else -1
                if close < 0:
                    continue
            else:
                close = self.pairs.get(opened, -1) if self.seen.startswith("{", opened) else -1
                if close < 0:
                    break
            if kind in "wO":
                first = self.length
                self.read(opened + 1, close, depth + 1)
                if is_mark:
                    self.marks.append(Mark(begin, opened + 1, close, close + 1, first, self.length))
                else:
                    self._apart(BREAK, close, close + 1)
            at = close + 1
        return at

    def _environment(self, name: str, begin: int, end: int) -> int:
        close = self.pairs.get(_blanks(self.seen, end), -1)
        if close < 0:
            return self._apart(BREAK, begin, end)
        environment = self.seen[end:close].strip(" \t{")
        after = close + 1
        if name == "begin" and _NO_WORDS.match(environment):
            closed = self._find(f"\\end{{{environment}}}", after)
            return self._apart(BREAK, begin, closed if closed >= 0 else after)
        return self._apart(BREAK, begin, self._after_arguments(after) if name == "begin" else after)

    def _find(self, closing: str, at: int) -> int:
        """Return where `closing` stands after `at`, or -1. What is missing is searched only once."""
        found = -1 if closing in self.unclosed else self.seen.find(closing, at)
        if found < 0:
            self.unclosed.add(closing)
        return found

    def _after_arguments(self, at: int) -> int:
        """Return the end of the arguments that begin right at `at`."""
        while (close := self.pairs.get(at, -1)) >= 0:
            at = close + 1
        return at

    def _after_option(self, at: int) -> int:
        return self.pairs.get(at, at - 1) + 1 if self.seen.startswith("[", at) else at


def _blanks(seen: str, at: int) -> int:
    """Return the end of the white space that TeX passes over after a command: no empty line."""
    found = _BLANKS.match(seen, at)
    return found.end() if found else at
