"""A chapter's LaTeX as pandoc's tree, by its reader (SPEC T6). What it cannot read stands as source, with a notice."""

import json
import re
from contextlib import suppress
from typing import NamedTuple

from thesis.pandoc import Ran, Tick, Unread, no_tick, pandoc
from thesis.word.plainer import MACROS, plainer
from thesis.word.tree import Node

SECONDS = 30  # for one chapter; one of 20 pages takes a quarter of one
_MOST_SOURCE = 400_000  # characters of a chapter that stands as source
_MOST_MENDED = 40  # unknown commands whose words are brought in
_SKIPPED = re.compile(r"\\([A-Za-z]+)\*?((?:\[[^\[\]]*\])*)((?:\{.*)?)\Z", re.DOTALL)
# Commands that are passed over with their arguments, as nothing of them is for reading
_SILENT = frozenset(
    ["label", "vspace", "hspace", "vskip", "hskip", "addvspace", "setlength", "addtolength", "setcounter", "addtocounter", "stepcounter", "pagestyle", "thispagestyle", "pagenumbering", "addcontentsline", "addtocontents", "markboth", "markright", "bibliography", "bibliographystyle", "printbibliography", "addbibresource", "usepackage", "RequirePackage", "newcommand", "renewcommand", "providecommand", "def", "let", "newenvironment", "renewenvironment", "input", "include", "includeonly", "graphicspath", "hyphenation", "fontsize", "selectfont", "fontfamily", "fontseries", "fontshape", "linespread", "setstretch", "rowcolor", "cellcolor", "columncolor", "rowcolors", "definecolor", "color", "pagecolor", "cline", "cmidrule", "noalign", "phantom", "hphantom", "vphantom", "index", "glossary", "newacronym", "newglossaryentry", "hypersetup", "captionsetup", "geometry", "newgeometry", "restoregeometry", "enlargethispage", "write", "openout", "immediate", "special", "csname", "read", "catcode", "directlua", "titleformat", "titlespacing", "counterwithin", "numberwithin", "theoremstyle", "newtheorem", "doublespacing", "pagebreak", "nopagebreak", "linebreak", "allowdisplaybreaks", "bibitem", "nocite", "tableofcontents", "listoffigures", "listoftables", "FloatBarrier", "afterpage", "setlist", "resizebox", "scalebox", "rotatebox"]
)  # fmt: skip


class Read(NamedTuple):
    """The blocks of a text, and the metadata that its commands set; `why` it stands as source, "" when it does not."""

    blocks: list[Node]
    nocite: list[Node] = []
    why: str = ""


def read_latex(latex: str, macros: str = "", *, has_chapters: bool = True, tick: Tick = no_tick) -> Read:
    r"""The tree of `latex`. `macros` are definitions that it may use. No file that it names is read.

    A command that nobody defined keeps its words: `\unknown{these words}` is these words.
    """
    try:
        try:
            blocks, nocite = _tree(latex, macros, has_chapters, tick)
        except Unread:
            if not macros:
                raise
            blocks, nocite = _tree(latex, "", has_chapters, tick)  # odd definitions cost no chapter
        return Read(blocks, nocite)
    except Unread as unread:
        return Read(as_source(latex), why=_said(str(unread)))
    except RecursionError:
        return Read(as_source(latex), why="it is nested too deeply")


def as_source(latex: str) -> list[Node]:
    """A chapter as it was typed, for one that cannot be read."""
    return [{"t": "CodeBlock", "c": [["", [], []], latex[:_MOST_SOURCE]]}]


def _tree(latex: str, macros: str, has_chapters: bool, tick: Tick) -> tuple[list[Node], list[Node]]:
    text = plainer(latex)
    ran = _read(text, macros, tick)
    if mended := _definitions(ran.log):
        with suppress(Unread):  # the first reading stands
            ran = _read(text, macros + mended, tick)
    tree = json.loads(ran.out)
    nocite = tree["meta"].get("nocite", {})
    return [_raised(block, 1 if has_chapters else 2) for block in tree["blocks"][1:]], nocite.get(
        "c", []
    ) if nocite.get("t") == "MetaInlines" else []


def _read(text: str, macros: str, tick: Tick) -> Ran:
    # With a part before it, a chapter is always of level 2 and a section of level 3, whichever of them there are
    text = f"{MACROS}{macros}\n\\part{{}}\n{text}".replace("\0", "")
    return pandoc(
        ["--from=latex-auto_identifiers", "--to=json"],
        text.encode("utf-8", "replace"),
        seconds=SECONDS,
        logs=True,
        tick=tick,
    )


def _raised(block: Node, by: int) -> Node:
    """A heading so many levels up, as the part is gone."""
    if block["t"] == "Div":
        return {"t": "Div", "c": [block["c"][0], [_raised(one, by) for one in block["c"][1]]]}
    if block["t"] != "Header":
        return block
    level, attributes, inlines = block["c"]
    return {"t": "Header", "c": [max(level - by, 1), attributes, inlines]}


def _definitions(log: bytes) -> str:
    """Definitions that keep the words of commands that pandoc passed over: the last of their arguments."""
    found: dict[str, int] = {}
    for entry in json.loads(log):
        skipped = _SKIPPED.match(entry.get("contents", "")) if entry.get("type") == "SkippedContent" else None
        if skipped and skipped[1] not in _SILENT and (count := _groups(skipped[3])):
            found[skipped[1]] = max(found.get(skipped[1], 0), count)
    made = [f"\\newcommand{{\\{name}}}[{count}]{{#{count}}}\n" for name, count in list(found.items())[:_MOST_MENDED]]
    return "".join(made)


def _groups(text: str) -> int:
    """How many arguments in braces `text` begins with, at most nine."""
    count = depth = 0
    for sign in text:
        if sign == "{":
            depth += 1
        elif sign == "}":
            depth -= 1
            count += not depth
        elif not depth and not sign.isspace():
            break
    return min(count, 9)


def _said(words: str) -> str:
    """What pandoc said, in one line without what it calls its files."""
    words = " ".join(re.sub(r"\[(?:INFO|WARNING)\][^\n]*", "", words).split())
    words = re.sub(r'^Error (?:at|reading) "?in"? \(line (\d+), column \d+\):', r"line \1:", words)
    if "heap" in words.casefold():
        return "it needs too much memory"
    return words[:200] or "it could not be read"
