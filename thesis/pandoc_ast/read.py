"""LaTeX read into pandoc's tree (SPEC T6). Text that cannot be read is returned as source, with the reason."""

import json
import re
import threading
import time
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import NamedTuple

from latex.cite_keys import visible
from latex.text_edits import Edit, apply_edits
from thesis.pandoc_ast.macros import for_pandoc
from thesis.pandoc_ast.nested_tables import has_nested_tables, without_inner_captions
from thesis.pandoc_ast.nodes import Node
from thesis.pandoc_ast.normalise import MACROS, normalise_latex
from thesis.pandoc_ast.pieces import pieces_of
from thesis.pandoc_ast.unread import WHERE, read_around, with_sources
from untrusted.pandoc import PandocFailed, PandocOutput, Tick, no_tick, pandoc, side_by_side

SECONDS = 30  # for one chapter; 20 pages take a quarter of a second
_MOST_SOURCE = 400_000  # characters of a chapter that is shown as source
_MOST_REPEATED = 4_000  # characters of definitions up to which a text is read in pieces: each piece repeats them
_MOST_MENDED = 40  # unknown commands whose text is kept
_MOST = 100_000_000  # bytes of a tree
_KEPT = 48_000_000  # bytes of trees in the cache of a process
_TOO_DEEP = "It is nested too deeply."
_SKIPPED = re.compile(r"\\([A-Za-z]+)\*?((?:\[[^\[\]]*\])*)((?:\{.*)?)\Z", re.DOTALL)
# Commands that may be skipped with their arguments, because these are no text to read
# What stands behind a command that pandoc takes for its argument: \noindent 61, \pagebreak[3] 61
_SWALLOWED = re.compile(r"\\([A-Za-z]+)\*?(?:\[[^\[\]]*\])*\s*[-+]?[.,]?\d[^{}\[\]\\]*\Z")
# Commands that do take a number or a length without braces
_TAKES_NUMBER = frozenset(
    [
        "vskip", "hskip", "kern", "mkern", "penalty", "char", "count", "dimen", "skip", "looseness", "tolerance",
        "pretolerance", "hangindent", "hangafter", "parindent", "parskip", "baselineskip", "lineskip",
        "lineskiplimit", "topskip", "leftskip", "rightskip", "parfillskip", "hsize", "vsize", "textwidth",
        "textheight", "linewidth", "columnwidth", "columnsep", "columnseprule", "tabcolsep", "arraycolsep",
        "arrayrulewidth", "doublerulesep", "itemsep", "parsep", "topsep", "partopsep", "labelsep", "labelwidth",
        "itemindent", "listparindent", "leftmargin", "rightmargin", "abovedisplayskip", "belowdisplayskip",
        "abovedisplayshortskip", "belowdisplayshortskip", "abovecaptionskip", "belowcaptionskip", "intextsep",
        "textfloatsep", "floatsep", "fboxsep", "fboxrule", "hoffset", "voffset", "oddsidemargin", "evensidemargin",
        "topmargin", "headheight", "headsep", "footskip", "footnotesep", "emergencystretch", "hyphenpenalty",
        "exhyphenpenalty", "clubpenalty", "widowpenalty", "interlinepenalty", "brokenpenalty", "hfuzz", "vfuzz",
        "hbadness", "vbadness", "mathsurround", "jot", "catcode",
    ]
)  # fmt: skip
_SILENT = frozenset(
    [
        "begin", "end", "label", "vspace", "hspace", "vskip", "hskip", "addvspace", "setlength", "addtolength",
        "setcounter", "addtocounter", "stepcounter", "pagestyle", "thispagestyle", "pagenumbering", "addcontentsline",
        "addtocontents", "markboth", "markright", "bibliography", "bibliographystyle", "printbibliography",
        "addbibresource", "usepackage", "RequirePackage", "newcommand", "renewcommand", "providecommand", "def", "let",
        "newenvironment", "renewenvironment", "input", "include", "includeonly", "graphicspath", "hyphenation",
        "fontsize",
        "selectfont", "fontfamily", "fontseries", "fontshape", "linespread", "setstretch", "rowcolor", "cellcolor",
        "columncolor", "rowcolors", "definecolor", "color", "pagecolor", "cline", "cmidrule", "noalign", "phantom",
        "hphantom", "vphantom", "index", "glossary", "newacronym", "newglossaryentry", "hypersetup", "captionsetup",
        "geometry", "newgeometry", "restoregeometry", "enlargethispage", "write", "openout", "immediate", "special",
        "csname", "read", "catcode", "directlua", "titleformat", "titlespacing", "counterwithin", "numberwithin",
        "theoremstyle", "newtheorem", "doublespacing", "pagebreak", "nopagebreak", "linebreak", "allowdisplaybreaks",
        "bibitem", "nocite", "sisetup", "DeclareSIUnit", "crefname", "Crefname",
        "declaretheorem", "DefineVerbatimEnvironment",
        "tableofcontents", "listoffigures", "listoftables", "FloatBarrier", "afterpage", "setlist",
        "resizebox", "scalebox", "rotatebox",
    ]
)  # fmt: skip


class Read(NamedTuple):
    """A text as blocks, in which the highest headings have level 1 (a part has the class "part"), and its `nocite`.

    `why` is the reason when the text is returned as source, else ""; `unknown` are the commands of which only the text
    is kept, and environments that only LaTeX can draw; `unread` has a sentence on each block that comes as source.
    """

    blocks: list[Node]
    nocite: list[Node] = []
    why: str = ""
    unknown: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


class _PandocResult(NamedTuple):
    """Pandoc's output for a text: its tree as JSON, and the commands it does not know."""

    tree: bytes
    unknown: tuple[str, ...]


_kept: OrderedDict[str, _PandocResult] = OrderedDict()
_turn = threading.Lock()


def read_latex(
    latex: str,
    macros: str = "",
    *,
    has_chapters: bool = True,
    seconds: int = SECONDS,
    heap: str = "1g",
    longest: int | None = None,
    first_line: int | None = 1,
    tick: Tick = no_tick,
) -> Read:
    r"""Return the tree of `latex`. `macros` are definitions that it may use, on one line. Files it names are not read.

    The text of an undefined command is kept: `\unknown{these words}` becomes these words. Results are cached in this
    process. Of a text with an open brace, the block that cannot be read comes as source (unread.py); `first_line` is
    the number of its first line (None: lines are not named). A text of more than `longest` characters, or that takes
    longer than `seconds` or more memory than `heap`, is returned as source.
    """
    try:
        if longest is not None and len(latex) > longest:
            raise PandocFailed(f"it has {len(latex):,} characters; at most {longest:,} are read")
        reader = _Reader(time.monotonic() + seconds, heap, tick)
        made, unread = read_around(
            latex, lambda text: _in_pieces(normalise_latex(text, macros), macros, reader), first_line
        )
        trees = [json.loads(one.tree) for one in made]
        shown = [block for tree in trees for block in tree["blocks"][1:]]
        shown = without_inner_captions(shown) if has_nested_tables(latex) else shown
        blocks = [
            _raised(block, 1 if has_chapters else 2) for block in (with_sources(shown, unread) if unread else shown)
        ]
    except PandocFailed as failed:
        return Read(as_source(latex), why=_error_sentence(str(failed), latex))
    except (ValueError, RecursionError):
        return Read(as_source(latex), why=_TOO_DEEP)
    nocite = [tree["meta"].get("nocite", {}) for tree in trees]
    cited = [inline for one in nocite if one.get("t") == "MetaInlines" for inline in one["c"]]
    unknown = tuple(dict.fromkeys(name for one in made for name in one.unknown))
    return Read(blocks, cited, unknown=unknown, unread=tuple(one.said for one in unread))


def as_source(latex: str) -> list[Node]:
    """Return the source of a chapter that cannot be read as a code block."""
    return [{"t": "CodeBlock", "c": [["", [], []], latex[:_MOST_SOURCE]]}]


def key_of(text: str, macros: str) -> str:
    """Return the cache key of a text (as returned by `normalise_latex`) and its definitions."""
    return sha256(f"{macros}\0{text}".encode("utf-8", "replace")).hexdigest()


def _in_pieces(text: str, macros: str, reader: "_Reader") -> list[_PandocResult]:
    """Return pandoc's output for each piece of a text; for the whole if one cannot be read, since errors name lines."""
    pieces = pieces_of(text) if len(macros) <= _MOST_REPEATED else [text]
    if len(pieces) > 1:
        try:
            return side_by_side(
                lambda piece, go_on: _remembered(piece, macros, replace(reader, tick=go_on)), pieces, reader.tick
            )
        except PandocFailed as failed:
            if not WHERE.search(str(failed)):
                raise  # the whole would take even longer
    return [_remembered(text, macros, reader)]


def _remembered(text: str, macros: str, reader: "_Reader") -> _PandocResult:
    key = key_of(text, macros)
    with _turn:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    try:
        made = reader.read(text, macros)
    except PandocFailed:
        if not macros:
            raise
        made = reader.read(text, "")  # the definitions may be at fault: try without them
    if len(made.tree) > _MOST:
        raise PandocFailed("it needs too much memory")
    if reader.has_failed:  # not cached: another attempt may succeed
        return made
    with _turn:
        _kept[key] = made
        while len(_kept) > 1 and sum(len(one.tree) for one in _kept.values()) > _KEPT:
            _kept.popitem(last=False)
    return made


@dataclass
class _Reader:
    """Runs pandoc, once or twice, until the time `until` (of time.monotonic)."""

    until: float
    heap: str
    tick: Tick
    has_failed: bool = False

    def read(self, text: str, macros: str) -> _PandocResult:
        ran = self._run(text, macros)
        unknown = _unknown(ran.log)
        mended, guarded = _definitions(unknown), _with_guards(text, _swallowing(ran.log))
        if guarded != text:  # without the guards, numbers would be missing
            ran = self._run(guarded, macros + mended)
        elif mended:
            with suppress(PandocFailed):  # keep the first result then
                ran = self._run(text, macros + mended)
        return _PandocResult(ran.out, tuple(unknown))

    def _run(self, text: str, macros: str) -> PandocOutput:
        # After a \part, pandoc gives chapters level 2 and sections level 3 in every text. It is on the first line, as
        # are the definitions, so that messages name the lines of the text itself.
        given = f"{MACROS}{for_pandoc(macros)}\\part{{}}{text}".replace("\0", "").encode("utf-8", "replace")
        options = ["--from=latex-auto_identifiers", "--to=json"]
        left = max(1, round(self.until - time.monotonic()))
        try:
            return pandoc(options, given, seconds=left, heap=self.heap, logs=True, tick=self.tick)
        except PandocFailed:
            self.has_failed = True
            raise


def _raised(block: Node, by: int) -> Node:
    """Return a block with its headings moved up by `by` levels, since the added part is removed."""
    if block["t"] == "Div":
        return {"t": "Div", "c": [block["c"][0], [_raised(one, by) for one in block["c"][1]]]}
    if block["t"] != "Header":
        return block
    level, (label, classes, pairs), inlines = block["c"]
    return {"t": "Header", "c": [max(level - by, 1), [label, classes + ["part"] * (level == 1), pairs], inlines]}


def _unknown(log: bytes) -> dict[str, int]:
    r"""Return the commands with text that pandoc skipped, with their number of arguments (0: an environment)."""
    found: dict[str, int] = {}
    for entry in json.loads(log):
        content = entry.get("contents", "") if entry.get("type") == "SkippedContent" else ""
        if drawn := re.match(r"\\begin\{[^{}]*\}(?=.*\\end\{)", content, re.DOTALL):
            found[drawn[0]] = 0
        elif (skipped := _SKIPPED.match(content)) and skipped[1] not in _SILENT and (count := _groups(skipped[3])):
            found[f"\\{skipped[1]}"] = max(found.get(f"\\{skipped[1]}", 0), count)
    return found


def _swallowing(log: bytes) -> list[str]:
    """Return the commands that take no number, but with which pandoc skipped the number after them."""
    skipped = (entry.get("contents", "") for entry in json.loads(log) if entry.get("type") == "SkippedContent")
    names = (found[1] for content in skipped if (found := _SWALLOWED.match(content)))
    return [name for name in dict.fromkeys(names) if name not in _TAKES_NUMBER]


def _with_guards(text: str, names: list[str]) -> str:
    r"""Return `text` with braces after each of the commands `names` that a number or a group's end follows.

    A column specification ends in such a command (>{\arraybackslash}), and the number is then in a cell.
    """
    if not names:
        return text
    commands = rf"\\(?:{'|'.join(names)})(?![A-Za-z])\*?(?:\[[^\[\]]*\])*"
    pattern = re.compile(rf"{commands}(?=\s*(?:[-+]?[.,]?\d|\}}))")
    return apply_edits(text, [Edit(found.end(), found.end(), "{}") for found in pattern.finditer(visible(text))])


def _definitions(unknown: dict[str, int]) -> str:
    """Return definitions that keep the text of unknown commands: the last of their arguments."""
    made = [f"\\newcommand{{{name}}}[{count}]{{#{count}}}" for name, count in unknown.items() if count]
    return "".join(made[:_MOST_MENDED])


def _groups(text: str) -> int:
    """Return how many arguments in braces `text` begins with, at most nine."""
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


def _error_sentence(error: str, text: str) -> str:
    """Return pandoc's error as a sentence, with the line and what was expected there."""
    if error.startswith(("it ", "somebody ")):
        return f"{error[0].upper()}{error[1:]}."
    where = WHERE.search(error)
    if where is None:
        is_much = "heap" in error.casefold() or "ended with -" in error
        return "It needs too much memory." if is_much else "Its LaTeX could not be parsed."
    line = f"at line {min(int(where[1]), text.rstrip().count(chr(10)) + 1):,}"
    if missed := re.search(r"expecting (\\end\{[^{}\s]{1,40}\})", error):
        return f"{missed[1]} is missing: the text ends {line} without it."
    stray = re.search(r'unexpected (?:Tok.*Symbol "(.)"|(end of input|\(\))|(\S{1,40}))', error)
    if stray is None:
        return f"Its LaTeX could not be parsed {line}."
    if stray[2]:
        return f"Something is not closed: the text ends {line}."
    return f"Unexpected {stray[1] or stray[3]} {line}."
