r"""The headings inside a section's text, for the outline (SPEC T2)."""

import re
from typing import NamedTuple

MOST = 100  # headings of one section that are shown

_LEVELS = {
    "part": 0,
    "chapter": 1,
    "section": 2,
    "subsection": 3,
    "subsubsection": 4,
    "paragraph": 5,
    "subparagraph": 6,
}
# What may hide a heading comes first: a comment to the end of its line, an escaped character, a verbatim environment.
_FOUND = re.compile(
    r"%[^\n]*"
    r"|\\begin\{(?P<verbatim>verbatim|lstlisting|minted|comment)\*?\}"
    r"|\\(?P<command>"
    + "|".join(sorted(_LEVELS, key=len, reverse=True))
    + r")(?![a-zA-Z])\*?[ \t]*(?:\[[^\[\]\n]*\][ \t]*)?\{"
    r"|\\.",
    re.DOTALL,
)
_LONGEST = 500  # characters of a heading
# Inside one: an empty line or another heading ends it unread, so that no brace left open is looked for twice.
_INSIDE = re.compile(
    r"\n[ \t]*\n|\\(?P<command>" + "|".join(_LEVELS) + r")(?![a-zA-Z])|\\.|(?P<open>\{)|(?P<close>\})", re.DOTALL
)
_COMMAND = re.compile(r"\\label\{[^{}]*\}|\\[a-zA-Z]+\*?\s*|\\[,;:! ]|\\(.)|[{}]", re.DOTALL)


class Heading(NamedTuple):
    """A heading: `level` 0 (part) to 6 (subparagraph), its words, and where its command starts, in code points."""

    level: int
    title: str
    start: int


def headings_in(latex: str) -> list[Heading]:
    r"""The headings of `latex` in their order, at most `MOST`; comments and verbatim text have none. Linear in its length."""
    found: list[Heading] = []
    at = 0
    while len(found) < MOST and (match := _FOUND.search(latex, at)):
        at = match.end()
        if match["verbatim"]:
            end = latex.find(f"\\end{{{match['verbatim']}", at)
            at = len(latex) if end < 0 else end
        elif match["command"] and (title := _braced(latex, at)) is not None:
            found.append(Heading(_LEVELS[match["command"]], _plain(title), match.start()))
            at += len(title)
    return found


def _braced(latex: str, start: int) -> str | None:
    """What stands from `start` to the brace that closes the group opened before it; None when none does."""
    depth = 1
    for match in _INSIDE.finditer(latex, start, start + _LONGEST):
        if match["command"] or match.group().startswith("\n"):
            return None
        depth += bool(match["open"]) - bool(match["close"])
        if not depth:
            return latex[start : match.start()]
    return None


def _plain(title: str) -> str:
    r"""The words of a heading: `\emph{In vitro} work\label{sec:x}` is In vitro work."""
    shown = _COMMAND.sub(_kept, title.replace("~", " ").replace("\\\\", " "))
    return " ".join(shown.split()) or "Untitled"


def _kept(match: re.Match[str]) -> str:
    return match[1] or (" " if match.group()[1:] in (",", ";", ":", "!", " ") else "")
