r"""Parsers for the logs of TeX and of bibtex or biber: what is wrong, in which file and line.

texoutparse was considered: it supports neither the format of errors with -file-line-error nor the files of warnings.
"""

import posixpath
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Level = Literal["error", "warning", "note"]
MOST = 200  # problems that are read

_ERROR = re.compile(r"^(?P<path>[^:\n]{1,400}):(?P<line>\d+): (?P<said>.*)$")
_BARE = re.compile(r"^! ?(?P<said>\S.*)$")
_WARNING = re.compile(
    r"^(?P<who>LaTeX|Package \S+|Class \S+|pdfTeX)(?: Font)? [Ww]arning(?: \([^)]*\))?: (?P<said>.*)$"
)
_INPUT_LINE = re.compile(r"on input line (\d+)")
_BOX = re.compile(
    r"^Overfull \\hbox \((?P<points>[\d.]+)pt too wide\) (?:in paragraph|in alignment|detected) at lines? "
    r"(?P<line>\d+)(?:--(?P<end>\d+))?"
)
_AT = re.compile(r"^l\.(\d+) ?(.*)$")
_PAREN = re.compile(r"\(|\)|\[\d+")
_OF_A_FILE = re.compile(r'"?(?:\./)?([^\s()"]+\.[A-Za-z0-9]+)')
_LONG = 60  # lines, more than any paragraph has
_WORTH_MM = 3.0  # millimetres that a line may extend into the margin without a note
_MM = 72.27 / 25.4  # TeX points in a millimetre
_NOISE = ("==> Fatal error", "Emergency stop", "Type X to quit")


class LogMessage(NamedTuple):
    """A message of a program: `path` ("": unknown) is that of an input file, `line` counts from 1 (0: unknown).

    `context` is the text at that place up to where TeX stopped reading, innermost first.
    """

    level: Level
    said: str
    path: str = ""
    line: int = 0
    context: str = ""


@dataclass
class ParsedLog:
    """A parsed log: its problems in order, and the number of pages of each file."""

    problems: list[LogMessage] = field(default_factory=list)
    pages: dict[str, int] = field(default_factory=dict)
    last: str = ""  # the file that TeX was reading at the end of the log


def parse_tex_log(log: str, known: Collection[str], main: str) -> ParsedLog:
    """Parse the log of TeX, which was started on `main` of the files `known` (their paths)."""
    reader = _Reader({*known, main}, main)
    lines = log.splitlines()
    number = 0
    while number < len(lines):
        number = reader.take(lines, number)
    reader.read.last = reader.inside()
    return reader.read


class _Reader:
    def __init__(self, known: set[str], main: str) -> None:
        self.known, self.base = known, posixpath.dirname(main)
        self.open: list[tuple[str, int]] = []  # files being read: path ("": not of the thesis), pages before it
        self.shipped = 0
        self.read = ParsedLog()
        self.bare = ""
        self.closed = ""  # the file that was closed last

    def take(self, lines: list[str], number: int) -> int:
        """Read the message that starts at a line, and return the number of the line after it."""
        line = lines[number]
        found = _ERROR.match(line)
        if found and ((path := self._ours(found["path"])) or found["path"].startswith(("./", "/"))):
            return self._error(lines, number, path, int(found["line"]), found["said"])
        if found := _BARE.match(line):
            return self._error(lines, number, "", 0, found["said"])
        if found := _BOX.match(line):
            self._box(float(found["points"]), int(found["line"]), int(found["end"] or found["line"]))
            while number < len(lines) and lines[number].strip():  # the overfull line itself follows
                number += 1
            return number + 1
        if found := _WARNING.match(line):
            return self._warning(lines, number, found)
        self._follow(line)
        return number + 1

    def _error(self, lines: list[str], number: int, path: str, line: int, said: str) -> int:
        """Read an error with its context, up to the line of the text. Return the number of the line after it."""
        if said.strip().startswith(_NOISE):
            if self.bare:
                self._add(LogMessage("error", self.bare, path, line))
            self.bare = ""
            return number + 1
        at = number + 1
        context: list[str] = []
        more: list[str] = []
        while at < min(len(lines), number + 40) and not any(one.match(lines[at]) for one in (_AT, _ERROR, _BARE)):
            if len(context) + len(more) < 8:
                (context if "->" in lines[at] or lines[at].startswith("<") else more).append(lines[at])
            at += 1
        if at < len(lines) and (found := _AT.match(lines[at])):
            context.append(found[2])
            line, at = line or int(found[1]), at + 1
        # Some messages of LaTeX have two lines
        if more and more[0].startswith((" ", "(")) and more[0].strip() and not said.endswith("."):
            said = f"{said} {more[0].strip()}"
        if said.startswith(("LaTeX Error: File `", "I can't find file", "I can't write on file")) and not line:
            self.bare = said  # its line comes with the message of the emergency stop
            return at
        is_fatal = said.startswith("pdfTeX error")  # has no line number
        self._add(
            LogMessage("error", said, path or self.inside() if line or is_fatal else path, line, "\n".join(context))
        )
        return at

    def _warning(self, lines: list[str], number: int, found: "re.Match[str]") -> int:
        said, at = found["said"], number + 1
        name = found["who"].partition(" ")[2]
        # Continuation lines begin with the package's name in brackets, or with spaces
        while (
            at < len(lines) and at < number + 8 and (lines[at].startswith((f"({name})", "   ")) and lines[at].strip())
        ):
            said, at = f"{said} {lines[at].removeprefix(f'({name})').strip()}", at + 1
        line = _INPUT_LINE.search(said)
        self._add(LogMessage("warning", f"{found['who']}: {said}", self.inside(), int(line[1]) if line else 0))
        return at

    def _box(self, points: float, line: int, end: int) -> None:
        mm = points / _MM
        # When the last paragraph of a file ends in the next file, the second number is a line of that file
        crosses = self.closed and (end < line or end - line > _LONG)
        path = self.closed if crosses else self.inside()
        if mm > _WORTH_MM:
            self._add(LogMessage("note", f"Overfull \\hbox ({points}pt too wide, {mm:.0f} mm)", path, line))

    def _add(self, raw: LogMessage) -> None:
        if len(self.read.problems) < MOST and raw not in self.read.problems[-3:]:
            self.read.problems.append(raw)

    def _follow(self, line: str) -> None:
        """Track the open files: each is logged in parentheses that include all messages while it is read."""
        for found in _PAREN.finditer(line):
            if found[0] == "(":
                named = _OF_A_FILE.match(line, found.end())
                path = self._named(line[found.end() :]) or (self._ours(named[1]) if named else "")
                self.open.append((path, self.shipped))
            elif found[0] != ")":
                self.shipped += 1
            elif self.open:
                path, before = self.open.pop()
                if path:
                    self.read.pages[path] = self.read.pages.get(path, 0) + max(1, self.shipped - before)
                    self.closed = path

    def _named(self, rest: str) -> str:
        """Return the file of the thesis that `rest` begins with (its name may have spaces); "" for none."""
        rest = rest.lstrip('"')
        fits = [path for path in self.known if rest.startswith(f"./{posixpath.relpath(path, self.base or '.')}")]
        return max(fits, key=len, default="")

    def inside(self) -> str:
        """Return the innermost file of the thesis that is being read."""
        return next((path for path, _ in reversed(self.open) if path), "")

    def _ours(self, said: str) -> str:
        path = posixpath.normpath(posixpath.join(self.base, said.strip('"')))
        return next((one for one in (path, f"{path}.tex") if one in self.known), "")


# For an error in a style, bibtex names the entry first, and then the place in the style
_IN_A_STYLE = re.compile(r"\nwhile executing---line \d+ of file (\S+)")
_BIBTEX = (
    r"^.+ \(\S+ cannot print it\)$",
    r"^I couldn't open (?:database|style|auxiliary) file .+$",
    r"^.+---line (?P<line>\d+) of file (?P<path>.+)$",
    r"^I found no .+---while reading file .+$",
    r'^(?P<warning>Warning--I didn\'t find a database entry for ".+")$',
    r"^.*ERROR - .+$",
    r"^.*(?P<warning>WARN - I didn't find a database entry for .+)$",
)


def parse_bibtex_log(log: str, known: Collection[str] = ()) -> list[LogMessage]:
    """Parse the log of bibtex or biber; `known` are the paths of its input files."""
    problems = []
    for line in dict.fromkeys(_IN_A_STYLE.sub(r" (\1 cannot print it)", log).splitlines()):
        found = next(filter(None, (re.match(pattern, line) for pattern in _BIBTEX)), None)
        if found:
            parts = found.groupdict()
            path = parts.get("path", "")
            at = int(parts["line"]) if path in known else 0
            problems.append(
                LogMessage("warning" if "warning" in parts else "error", line.strip(), path if at else "", at)
            )
    return problems[:MOST]
