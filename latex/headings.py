r"""Where a TeX text has its headings, what they are called, and which text is prose (SPEC T2).

All of it reads the text as TeX shows it: comments, verbatim text and addresses count for nothing (`keys.visible`).
"""

import re
import string
from typing import NamedTuple

from latex.cite_keys import visible
from latex.word_count import count_words

MOST_TITLE = 200  # characters of a section's title
MOST_HEADINGS = 1_000  # of one level in one file that are looked at: five times the sections a thesis holds
_NO_WORD = " \t\r\n\f\v" + string.punctuation

_CHAPTER = r"chapter|addchap"
_SECTION = r"section|addsec"
_ANY = re.compile(rf"\\(?:part|{_CHAPTER}|{_SECTION}|subsection|subsubsection)(?![A-Za-z@])")
_LEVELS = {
    "chapter": re.compile(rf"\\(?:{_CHAPTER})(?![A-Za-z@])\*?\s*(?=[\[{{])"),
    "section": re.compile(rf"\\(?:{_SECTION})(?![A-Za-z@])\*?\s*(?=[\[{{])"),
}
_THE_END = re.compile(r"\\end\s*\{document\}|\\endinput(?![A-Za-z])")
# Environments around chapters: they set how these look
AROUND = "document|appendices|(?:single|double|onehalf)spac(?:e|ing)|spacing"
_NESTING = re.compile(r"\\[\\{}]|\\(begin|end)\s*\{([A-Za-z*]+)\}|[{}]")
# What stands in a title and is no part of it; \texorpdfstring{set}{in words}
_PLACED = re.compile(
    r"\\(?:label|index|footnote|thanks|footnotemark)\s*(?:\[[^\[\]]*\])?\{[^{}]*\}"
    r"|\\texorpdfstring\s*\{(?:[^{}]|\{[^{}]*\})*\}|\\protect(?![A-Za-z])"
)
# A command with all its arguments, none of which holds braces: structure, or at most a few words
_COMMAND = re.compile(r"\\[A-Za-z@]+\*?(?:\s*\[[^\[\]]*\])*(?:\s*\{[^{}]*\})*|\\.")

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
# What may hide a heading comes first: a comment to the end of its line, an escaped character, a verbatim environment.
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
# Inside one: an empty line or another heading ends it unread, so that no brace left open is looked for twice.
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
    """`text` at its full length, with blanks for what TeX does not set, and for all that follows the document."""
    seen = visible(text)
    end = _THE_END.search(seen)
    return seen[: end.end()] + " " * (len(seen) - end.end()) if end else seen


def headings(seen: str, level: str) -> list[Heading]:
    r"""Return the headings of `level` ("chapter" or "section", starred ones too) that stand in no braces and no environment.

    `seen` is a text as `shown` gives it. Where its braces do not match, every heading counts.
    """
    found = list(_LEVELS[level].finditer(seen))
    inside = nested(seen, [one.start() for one in found]) if found else set()
    free = [one for one in found if one.start() not in inside][:MOST_HEADINGS]
    return [Heading(one.start(), title_at(seen, one.end())) for one in free]


def nested(seen: str, places: list[int]) -> set[int]:
    """Return which of `places` stand within braces or an environment; none where these do not match."""
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
    """Return whether there is any heading in a text as `shown` gives it."""
    return _ANY.search(seen) is not None


def prose(seen: str) -> int:
    """Return how many words a text has outside commands and their arguments: 0 for a table of contents, a preamble, a macro."""
    return count_words(_COMMAND.sub(" ", seen))


def end_of_prose(seen: str) -> int:
    """Return where the last word outside commands, or the last heading with its title, ends; -1 where there is none."""
    blanked = _COMMAND.sub(lambda found: " " * len(found[0]), seen)
    words = len(blanked.rstrip(_NO_WORD))
    *_, last = (None, *_ANY.finditer(seen))
    heading = _COMMAND.match(seen, last.start()) if last else None
    return max(words or -1, heading.end() if heading else -1)


def title_at(seen: str, at: int) -> str:
    """Return the title in plain words of a heading whose arguments begin at `at`: the long one, in the braces."""
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
    """Return where what opens at `at` closes; at most 600 characters on, else there."""
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
    r"""Return a title in plain words: "Methods \& materials" is Methods & materials. Empty when nothing is left of it."""
    from pylatexenc.latex2text import LatexNodes2Text

    latex = _PLACED.sub("", latex[:2_000])
    try:
        reader = LatexNodes2Text(math_mode="text", keep_comments=False, strict_latex_spaces=False)
        return _one_line(reader.latex_to_text(latex))
    except Exception:  # broken LaTeX, in as many ways as there are
        return _stripped(latex)


def _stripped(latex: str) -> str:
    return _one_line(re.sub(r"\\[A-Za-z]+\*?|[{}~\\]", " ", latex))


def _one_line(text: str) -> str:
    printable = "".join(sign if sign.isprintable() else " " for sign in text)
    return " ".join(printable.split())[:MOST_TITLE].strip()


def titled_by(name: str) -> str:
    """Return a title from a file's name: "chapters/02_related-work.tex" is Related work."""
    stem = name.rpartition("/")[2].rpartition(".")[0] or name
    words = " ".join(re.sub(r"[_\-.\s]+", " ", stem).split())
    words = re.sub(r"^(?:ch(?:ap(?:ter)?)?\s*)?\d+\s+(?=\S)", "", words, flags=re.IGNORECASE) or words
    return (words[:1].upper() + words[1:])[:MOST_TITLE]


def headings_in(latex: str) -> list[Heading]:
    r"""Return the headings of `latex` in their order, at most `MOST`; comments and verbatim text have none. Linear in its length."""
    found: list[Heading] = []
    at = 0
    while len(found) < MOST and (match := _FOUND.search(latex, at)):
        at = match.end()
        if match["verbatim"]:
            end = latex.find(f"\\end{{{match['verbatim']}", at)
            at = len(latex) if end < 0 else end
        elif match["command"] and (title := _braced(latex, at)) is not None:
            found.append(Heading(match.start(), _words_of(title), _DEPTHS[match["command"]]))
            at += len(title)
    return found


def _braced(latex: str, start: int) -> str | None:
    """Return what stands from `start` to the brace that closes the group opened before it; None when none does."""
    depth = 1
    for match in _INSIDE.finditer(latex, start, start + _LONGEST):
        if match["command"] or match.group().startswith("\n"):
            return None
        depth += bool(match["open"]) - bool(match["close"])
        if not depth:
            return latex[start : match.start()]
    return None


def _words_of(title: str) -> str:
    r"""Return the words of a heading: `\emph{In vitro} work\label{sec:x}` is In vitro work."""
    return " ".join(_IN_TITLE.sub(_kept, title.replace("~", " ").replace("\\\\", " ")).split()) or "Untitled"


def _kept(match: re.Match[str]) -> str:
    return match[1] or (" " if match.group()[1:] in (",", ";", ":", "!", " ") else "")
