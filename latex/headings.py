r"""The headings of a TeX text with their positions and titles, and its amount of prose (SPEC T2).

All functions ignore comments, verbatim text and addresses (`cite_keys.visible`).
"""

import re
import string
from typing import NamedTuple

from latex.cite_keys import visible
from latex.word_count import count_words

MOST_TITLE = 200  # characters of a section's title
MOST_HEADINGS = 1_000  # of one level in one file: five times the sections a thesis can have
_PLAIN = re.compile(r"[A-Za-z0-9 ,.:;()/+-]{0,2000}")
_NO_WORD = " \t\r\n\f\v" + string.punctuation

_CHAPTER = r"chapter|addchap"
_SECTION = r"section|addsec"
_ANY = re.compile(rf"\\(?:part|{_CHAPTER}|{_SECTION}|subsection|subsubsection)(?![A-Za-z@])")
_LEVELS = {
    "chapter": re.compile(rf"\\(?:{_CHAPTER})(?![A-Za-z@])\*?\s*(?=[\[{{])"),
    "section": re.compile(rf"\\(?:{_SECTION})(?![A-Za-z@])\*?\s*(?=[\[{{])"),
}
_THE_END = re.compile(r"\\end\s*\{document\}|\\endinput(?![A-Za-z])")
# Environments that may surround chapters: they set their layout
AROUND = "document|appendices|(?:single|double|onehalf)spac(?:e|ing)|spacing"
_NESTING = re.compile(r"\\[\\{}]|\\(begin|end)\s*\{([A-Za-z*]+)\}|[{}]")
# Commands in a title that are no part of its text; \texorpdfstring{printed}{plain}
_CITED = re.compile(r"\s*<cit\.>")  # what pylatexenc leaves of a citation
_PLACED = re.compile(
    r"\\(?:label|index|footnote|thanks|footnotemark)\s*(?:\[[^\[\]]*\])?\{[^{}]*\}"
    r"|\\texorpdfstring\s*\{(?:[^{}]|\{[^{}]*\})*\}|\\protect(?![A-Za-z])"
)
# A command with all its arguments, none of which has braces in it: structure, or at most a few words
_COMMAND = re.compile(r"\\[A-Za-z@]+\*?(?:\s*\[[^\[\]]*\])*(?:\s*\{[^{}]*\})*|\\.")

# Headings of one file whose text may be in the next; and what cannot stand between such a heading and its text
_OPENING = re.compile(rf"\\(?:{_CHAPTER}|{_SECTION}|subsection|subsubsection)(?![A-Za-z@])\*?\s*(?=[\[{{])")
_PARTING = re.compile(
    r"\\(?:begin|end|part|addpart|appendix|(?:front|main|back)matter|input|include|subfile|subfileinclude|import"
    r"|tableofcontents|bibliography|printbibliography)(?![A-Za-z])"
)

MOST = 100  # headings of one section that are shown

_DEPTHS = {
    "part": 0,
    "chapter": 1,
    "section": 2,
    "subsection": 3,
    "subsubsection": 4,
    "paragraph": 5,
    "subparagraph": 6,
}
# Text that may hide a heading comes first: a comment, an escaped character, a verbatim environment
_FOUND = re.compile(
    r"%[^\n]*"
    r"|\\begin\{(?P<verbatim>verbatim|lstlisting|minted|comment)\*?\}"
    r"|\\(?P<command>"
    + "|".join(sorted(_DEPTHS, key=len, reverse=True))
    + r")(?![a-zA-Z])\*?[ \t]*(?:\[[^\[\]\n]*\][ \t]*)?\{"
    r"|\\.",
    re.DOTALL,
)
_LONGEST = 500  # characters of a heading
# Inside a heading: an empty line or another heading ends the search, so that an unclosed brace is searched only once
_INSIDE = re.compile(
    r"\n[ \t]*\n|\\(?P<command>" + "|".join(_DEPTHS) + r")(?![a-zA-Z])|\\.|(?P<open>\{)|(?P<close>\})", re.DOTALL
)
_IN_TITLE = re.compile(r"\\label\{[^{}]*\}|\\[a-zA-Z]+\*?\s*|\\[,;:! ]|\\(.)|[{}]", re.DOTALL)


class Heading(NamedTuple):
    """A heading at `start` of a text, in code points; `title` in plain words; `level` 0 (part) to 6 (subparagraph)."""

    start: int
    title: str
    level: int = 0


def shown(text: str) -> str:
    """Return `text` with spaces in place of all that TeX does not print, also after the document; its length stays."""
    seen = visible(text)
    end = _THE_END.search(seen)
    return seen[: end.end()] + " " * (len(seen) - end.end()) if end else seen


def headings(seen: str, level: str) -> list[Heading]:
    r"""Return the headings of `level` ("chapter" or "section", also starred) outside braces and environments.

    `seen` is a text as `shown` returns it. If its braces do not match, all headings are returned.
    """
    found = list(_LEVELS[level].finditer(seen))
    inside = nested(seen, [one.start() for one in found]) if found else set()
    free = [one for one in found if one.start() not in inside][:MOST_HEADINGS]
    return [Heading(one.start(), title_at(seen, one.end())) for one in free]


def nested(seen: str, places: list[int]) -> set[int]:
    """Return which of `places` are inside braces or an environment; none if these do not match."""
    inside, depth, number = set(), 0, 0
    for sign in _NESTING.finditer(seen):
        while number < len(places) and places[number] <= sign.start():
            if depth > 0:
                inside.add(places[number])
            number += 1
        if not sign[2] or not re.fullmatch(AROUND, sign[2]):
            depth += (sign[0] == "{" or sign[1] == "begin") - (sign[0] == "}" or sign[1] == "end")
        if depth < 0:
            return set()
    return set() if depth else inside


def has_heading(seen: str) -> bool:
    """Return whether a text (as `shown` returns it) has any heading."""
    return _ANY.search(seen) is not None


def prose(seen: str) -> int:
    """Return the number of words outside commands and their arguments: 0 for a preamble or a table of contents."""
    return count_words(_COMMAND.sub(" ", seen))


def end_of_prose(seen: str) -> int:
    """Return the end of the last word outside commands, or of the last heading with its title; -1 if there is none."""
    blanked = _COMMAND.sub(lambda found: " " * len(found[0]), seen)
    words = len(blanked.rstrip(_NO_WORD))
    *_, last = (None, *_ANY.finditer(seen))
    heading = _COMMAND.match(seen, last.start()) if last else None
    return max(words or -1, heading.end() if heading else -1)


def opening_before(seen: str) -> int:
    r"""Return where the headings begin that a text (as `shown` returns it) ends with; its length if there are none.

    In "\chapter{Results}\label{res}\input{results}" the heading is in one file, and its text in another.
    """
    at = len(seen)
    for found in reversed(list(_OPENING.finditer(seen))):
        behind = seen[_end_of_title(seen, found.end()) : at]
        if _PARTING.search(behind) or _COMMAND.sub(" ", behind).strip():
            break
        at = found.start()
    return at


def only_opens(before: str, behind: str) -> bool:
    """Return whether a stretch, parted at a command that includes a file, has no words but the heading before it."""
    return not prose(before[: opening_before(before)]) and not prose(behind)


def _end_of_title(seen: str, at: int) -> int:
    """Return the end of the arguments of a heading that begin at `at`."""
    while seen.startswith("[", at):
        at = _closing(seen, at, "[", "]") + 1
        while seen[at : at + 1].isspace():
            at += 1
    return _closing(seen, at, "{", "}") + 1 if seen.startswith("{", at) else at


def title_at(seen: str, at: int) -> str:
    """Return the plain title of a heading whose arguments begin at `at`: the long title, in braces."""
    while seen.startswith("[", at):
        at = _closing(seen, at, "[", "]") + 1
        while seen[at : at + 1].isspace():
            at += 1
    if not seen.startswith("{", at):
        return ""
    end = _closing(seen, at, "{", "}")
    return (
        plain(seen[at + 1 : end]) if seen.startswith("}", end) else _stripped(seen[at + 1 : at + 80].partition("\n")[0])
    )


def _closing(text: str, at: int, opens: str, closes: str) -> int:
    """Return where the bracket at `at` is closed, or the end of the search, 600 characters later."""
    depth, braces = 0, 0
    end = min(len(text), at + 600)
    while at < end:
        sign = text[at]
        if sign == "\\":
            at += 1
        elif sign == opens and (opens == "{" or not braces):
            depth += 1
        elif sign == closes and (closes == "}" or not braces):
            depth -= 1
            if not depth:
                return at
        elif sign in "{}":
            braces += 1 if sign == "{" else -1
        at += 1
    return end


def plain(latex: str) -> str:
    r"""Return a title as plain text, without its citations: "Methods \& materials" becomes Methods & materials.

    Returns "" if nothing is left.
    """
    if _PLAIN.fullmatch(latex) and "--" not in latex:
        return _one_line(latex)  # most titles; the library takes a millisecond for each
    from pylatexenc.latex2text import LatexNodes2Text

    latex = _PLACED.sub("", latex[:2_000])
    try:
        reader = LatexNodes2Text(math_mode="text", keep_comments=False, strict_latex_spaces=False)
        return _one_line(_CITED.sub("", reader.latex_to_text(latex)))
    except Exception:  # broken LaTeX fails in many ways
        return _stripped(latex)


def _stripped(latex: str) -> str:
    return _one_line(re.sub(r"\\[A-Za-z]+\*?|[{}~\\]", " ", latex))


def _one_line(text: str) -> str:
    printable = "".join(sign if sign.isprintable() else " " for sign in text)
    return " ".join(printable.split())[:MOST_TITLE].strip()


def title_from_file_name(name: str) -> str:
    """Return a title made from a file's name: "chapters/02_related-work.tex" becomes Related work."""
    stem = name.rpartition("/")[2].rpartition(".")[0] or name
    words = " ".join(re.sub(r"[_\-.\s]+", " ", stem).split())
    words = re.sub(r"^(?:ch(?:ap(?:ter)?)?\s*)?\d+\s+(?=\S)", "", words, flags=re.IGNORECASE) or words
    return (words[:1].upper() + words[1:])[:MOST_TITLE]


def headings_in(latex: str, most: int | None = MOST) -> list[Heading]:
    r"""Return the headings of `latex` in order, at most `most`, ignoring comments and verbatim text; in linear time."""
    found: list[Heading] = []
    at = 0
    while (most is None or len(found) < most) and (match := _FOUND.search(latex, at)):
        at = match.end()
        if match["verbatim"]:
            end = latex.find(f"\\end{{{match['verbatim']}", at)
            at = len(latex) if end < 0 else end
        elif match["command"] and (title := _braced(latex, at)) is not None:
            found.append(Heading(match.start(), _words_of(title), _DEPTHS[match["command"]]))
            at += len(title)
    return found


def _braced(latex: str, start: int) -> str | None:
    """Return the text from `start` to the brace that closes the group around it; None if it is not closed."""
    depth = 1
    for match in _INSIDE.finditer(latex, start, start + _LONGEST):
        if match["command"] or match.group().startswith("\n"):
            return None
        depth += bool(match["open"]) - bool(match["close"])
        if not depth:
            return latex[start : match.start()]
    return None


def _words_of(title: str) -> str:
    r"""Return the plain text of a heading: `\emph{In vitro} work\label{sec:x}` becomes In vitro work."""
    return (
        " ".join(_IN_TITLE.sub(_plain_replacement, title.replace("~", " ").replace("\\\\", " ")).split()) or "Untitled"
    )


def _plain_replacement(match: re.Match[str]) -> str:
    return match[1] or (" " if match.group()[1:] in (",", ";", ":", "!", " ") else "")
