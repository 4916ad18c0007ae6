r"""LaTeX rewritten with commands that pandoc's reader knows, so that no text is lost (SPEC T6).

pandoc skips unknown commands together with their arguments. Here they are replaced by known ones: a sideways table
becomes a table, a line to write on a row of underscores, `\pageref` a marked `\ref`.
"""

import re
from collections.abc import Callable

from django.utils import timezone

from latex.cite_keys import visible
from latex.list_marks import with_list_marks
from latex.text_edits import Edit, apply_edits
from latex.text_signs import DING, RARE, ding
from thesis.pandoc_ast.algorithms import with_plain_algorithms
from thesis.pandoc_ast.float_marks import with_float_marks
from thesis.pandoc_ast.macros import without_stars
from thesis.pandoc_ast.references import AUTO, BARE, NAME, PAGE, PAGES, RANGE, WORD, WORDS
from thesis.pandoc_ast.siunitx import with_plain_quantities
from thesis.pandoc_ast.table_marks import with_table_marks

PLAIN = "\ue000"  # starts a caption without a number: \caption*
UNCAPTIONED = "scholium-uncaptioned:"  # a label before a longtable without a caption, which LaTeX counts too
SUBEQUATIONS = "scholium-subequations:"  # a label where they begin and end
BLANK = r"\_\_\_\_\_\_\_\_\_\_\_\_\_\_\_\_"
_ENVIRONMENTS = {
    "sidewaystable": "table",
    "sidewaystable*": "table",
    "table*": "table",
    "wraptable": "table",
    "sidewaysfigure": "figure",
    "sidewaysfigure*": "figure",
    "figure*": "figure",
    "wrapfigure": "figure",
    "SCfigure": "figure",
    "threeparttable": "",
    "landscape": "",
    "singlespace": "",
    "singlespacing": "",
    "doublespacing": "",
    "onehalfspace": "",
    "onehalfspacing": "",
    "spacing": "",
    "appendices": "",
    "adjustwidth": "",
    "adjustbox": "",
    "multicols": "",
    "sloppypar": "",
    "document": "",
    "lyxlist": "description",
    "labeling": "description",
    "elabeling": "description",
    "list": "itemize",
    "small": "",
    "footnotesize": "",
    "scriptsize": "",
    "normalsize": "",
}
_COLUMNS = re.compile(r"(?:[ \t]*\[[^\[\]]*\])?[ \t]*\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}")
# Numbers of arguments after \begin{..} of those above
_ARGUMENTS = {"wrapfigure": 2, "wraptable": 2, "spacing": 1, "adjustwidth": 2, "adjustbox": 1, "multicols": 1}
_ARGUMENTS |= {"lyxlist": 1, "labeling": 1, "elabeling": 1, "list": 2}
_GROUP = r"\{(?:[^{}]|\{[^{}]*\})*\}"
_OPTION = r"(?:[ \t]*+\[[^\[\]]*\])"
_TABLES = frozenset(["table", "table*", "sidewaystable", "sidewaystable*", "wraptable"])
_BEGIN = re.compile(r"\\(begin|end)[ \t]*\{([A-Za-z]+\*?)\}")
_SIGN = re.compile(r"\\(" + "|".join(sorted(RARE, key=len, reverse=True)) + r")(?![A-Za-z@])(?:\{\}|[ \t]+)?")
MACROS = r"\newcommand{\todo}[1]{}\newcommand{\index}[1]{}\newcommand{\ce}[1]{#1}\newcommand{\EUR}[1]{€#1}"
MACROS += r"\newcommand{\tnote}[1]{\textsuperscript{#1}}\newcommand{\nomenclature}[3][]{}"
MACROS += r"\newcommand{\lettrine}[3][]{#2#3}"


def _as_ref(found: re.Match[str]) -> str:
    asks = {"nameref": NAME, "autoref": AUTO, "cpageref": PAGES}.get(found[1].lower(), PAGE)
    return f"\\{'Cref' if found[1] == 'Cpageref' else 'ref'}{{{asks}{found[2]}}}"


def _as_words(found: re.Match[str]) -> str:
    if found[1] == "label":
        return f"\\cref{{{BARE}{found[4]}}}"
    return f"\\{'Cref' if found[2] == 'C' else 'cref'}{{{WORDS if found[3] else WORD}{found[4]}}}"


def _as_range(found: re.Match[str]) -> str:
    if "page" in found[0]:
        return f"\\ref{{{PAGES}{found[2]},{found[3]}}}"
    return f"\\{'Cref' if found[1] == 'C' else 'cref'}{{{RANGE}{found[2]},{found[3]}}}"


def _today() -> str:
    day = timezone.localdate()
    return f"{day:%B} {day.day}, {day.year}"


def _part(found: re.Match[str]) -> str:
    caption = found[1] if found[1] is not None else found[2]
    return f"\\begin{{subfigure}}{{0.5\\textwidth}}{found[3][1:-1]}\\caption{{{caption}}}\\end{{subfigure}}"


def _in_brackets(options: str) -> str:
    """Return the source of a quotation, from the options before it."""
    source = options.strip()[1:].partition("]}" if "{" in options else "]")[0].strip("{}[] ")
    if not source or "\\" not in source:
        return f" ({source})" if source else ""
    return f" {source if source.endswith('}') else f'{source}}}'}"


_LONG_TABLE = re.compile(r"\\begin\{(longtable|xltabular|longtabu)\}((?:(?!\\begin\{\1\})[\s\S])*?)\\end\{\1\}")
_TABLE_PART = re.compile(r"\\(endfirsthead|endhead|endfoot|endlastfoot)(?![A-Za-z])")


def _with_first_heads(latex: str) -> str:
    r"""Return `latex` in which each longtable has only the head of its first page and the foot of its last one.

    pandoc would take the other heads and feet for rows. Lines keep their numbers.
    """
    seen = visible(latex)
    edits: list[Edit] = []
    for table in _LONG_TABLE.finditer(seen):
        begin, end = table.span(2)
        columns = _COLUMNS.match(seen, begin)
        at = columns.end() if columns else begin
        if "\\caption" not in seen[begin:end] and table[1] == "longtable":
            edits.append(Edit(table.start(), table.start(), f"\\label{{{UNCAPTIONED}{len(edits)}}}"))
        parts: dict[str, str] = {}
        start = at
        for found in _TABLE_PART.finditer(seen, at, end):
            parts[found[1]] = latex[at : found.start()]
            at = found.end()
        if parts:
            head = parts.get("endfirsthead", parts.get("endhead", ""))
            foot = parts.get("endlastfoot", parts.get("endfoot", ""))
            new = f"{head}{latex[at:end]}{foot}"
            edits.append(Edit(start, end, new + "%\n" * (latex.count("\n", start, end) - new.count("\n"))))
    return apply_edits(latex, edits)


_NOTES = re.compile(r"\\begin\{tablenotes\}((?:(?!\\begin\{tablenotes\})[\s\S])*?)\\end\{tablenotes\}")
_NOTE = re.compile(r"\\item[ \t]*\[([^\[\]]*)\]")


def _with_table_notes(latex: str) -> str:
    """Return `latex` with the letters of the notes of a table raised: pandoc would drop them."""
    seen = visible(latex)
    return apply_edits(
        latex,
        [
            Edit(found.start(1) + item.start(), found.start(1) + item.end(), f"\\par\\textsuperscript{{{item[1]}}}\\ ")
            for found in _NOTES.finditer(seen)
            for item in _NOTE.finditer(found[1])
        ],
    )


# Replacements, applied in this order
_PLAINER: tuple[tuple["re.Pattern[str]", Callable[["re.Match[str]"], str]], ...] = (
    (re.compile(r"\\parbox(?:[ \t]*+\[[^\[\]]*\])*[ \t]*+\{[^{}]*\}[ \t]*+(?=\{)"), lambda found: ""),
    (
        re.compile(
            r"\\(?:resizebox\*?[ \t]*+\{[^{}]*\}[ \t]*+\{[^{}]*\}|scalebox[ \t]*+\{[^{}]*\}(?:[ \t]*+\[[^\[\]]*\])?"
            r"|rotatebox(?:[ \t]*+\[[^\[\]]*\])?[ \t]*+\{[^{}]*\}|adjustbox[ \t]*+\{[^{}]*\}"
            r"|(?:makebox|framebox|fbox|parbox|raisebox)(?:[ \t]*+\[[^\[\]]*\])*(?=[ \t]*+\{))[ \t%]*+\n?[ \t]*+(?=\{)"
        ),
        lambda found: "",
    ),
    (
        re.compile(
            rf"\\(?:hrulefill|dotfill)(?![A-Za-z])|\\rule{_OPTION}?[ \t]*+\{{[^{{}}]*\}}[ \t]*+\{{[^{{}}]*\}}"
            rf"|\\underline[ \t]*+\{{[ \t]*+\\hspace\*?[ \t]*+\{{[^{{}}]*\}}[ \t]*+\}}"
        ),
        lambda found: BLANK,
    ),
    # Rules and spaces in tables whose arguments pandoc would read as the text of a cell, and lose the number after them
    (
        re.compile(
            r"\\(?:cmidrule(?:[ \t]*+\[[^\[\]]*\])?+(?:[ \t]*+\([^()]*\))?+[ \t]*+\{[^{}]*\}|cline[ \t]*+\{[^{}]*\}"
            r"|addlinespace(?![A-Za-z])(?:[ \t]*+\[[^\[\]]*\])?|morecmidrules(?![A-Za-z])"
            r"|specialrule[ \t]*+\{[^{}]*\}[ \t]*+\{[^{}]*\}[ \t]*+\{[^{}]*\}|cdashline[ \t]*+\{[^{}]*\}"
            r"|(?:hdashline|firsthline|lasthline|thickhline)(?![A-Za-z])|(?:rowcolor|arrayrulecolor)"
            r"(?:[ \t]*+\[[^\[\]]*\])?+[ \t]*+\{[^{}]*\}(?:[ \t]*+\[[^\[\]]*\]){0,2}"
            r"|noalign[ \t]*+\{(?:[^{}]|\{[^{}]*\})*\})"
        ),
        lambda found: "",
    ),
    (
        re.compile(r"\\(toprule|midrule|bottomrule)[ \t]*+\[[^\[\]]*\]"),
        lambda found: f"\\{found[1]} ",
    ),
    # Spaces that pandoc would drop, gluing the words around them; in formulas the same
    (re.compile(r"\\q?quad(?![A-Za-z])|\\hspace\*?[ \t]*+\{[^{}]*\}"), lambda found: r"\ "),
    (_SIGN, lambda found: RARE[found[1]]),
    (DING, ding),
    (re.compile(r"\\tabularnewline(?![A-Za-z])"), lambda found: r"\\"),
    (re.compile(r"\\today(?![A-Za-z])(?:[ \t]*+\{\}|[ \t]+)?"), lambda found: _today()),  # pandoc has no clock
    (re.compile(r"\\(ref|eqref|cref|Cref|vref|labelcref)\*[ \t]*+(?=\{)"), lambda found: f"\\{found[1]}"),
    (re.compile(r"\\(pageref|nameref|Nameref|vpageref|autoref|[cC]pageref)\*?[ \t]*+\{([^{}]*)\}"), _as_ref),
    (re.compile(r"\\(label|name)(c|C)ref(s?)[ \t]*+\{([^{}]*)\}"), _as_words),
    (re.compile(r"\\([cC])(?:page)?refrange\*?[ \t]*+\{([^{}]*)\}[ \t]*+\{([^{}]*)\}"), _as_range),
    (
        re.compile(r"\\(begin|end)[ \t]*+\{subequations\}"),
        lambda found: f"\\label{{{SUBEQUATIONS}{found[1]}}}",
    ),
    (re.compile(r"\\caption\*[ \t]*+\{"), lambda found: f"\\caption{{{PLAIN}"),
    (re.compile(r"\\prettyref[ \t]*+\{(eq:[^{}]*)\}"), lambda found: f"\\eqref{{{found[1]}}}"),
    (re.compile(r"\\prettyref[ \t]*+\{([^{}]*)\}"), lambda found: f"\\ref{{{AUTO}{found[1]}}}"),
    (re.compile(r"\\centering(?=[ \t]*+\n?[ \t]*+\{)"), lambda found: ""),
    # Quotations of csquotes with a citation in brackets
    (
        re.compile(rf"\\textquote\*?((?:[ \t]*+\[(?:[^\[\]{{}}]|{_GROUP})*\]){{0,2}})[ \t]*+({_GROUP})"),
        lambda found: f"\\enquote{found[2]}{_in_brackets(found[1])}",
    ),
    (re.compile(r"\\\\!(?=\s)"), lambda found: r"\\"),
    # \subfloat[caption]{picture} becomes the environment subfigure
    (
        re.compile(
            r"\\(?:subfloat|subfigure|subcaptionbox)(?:[ \t]*+\[([^\[\]]*)\]|[ \t]*+\{([^{}]*)\})"
            rf"[ \t%]*+\n?[ \t]*+({_GROUP})"
        ),
        _part,
    ),
    (
        re.compile(rf"\\captionof[ \t]*+\{{(figure|table)\}}({_OPTION}?[ \t]*+{_GROUP})"),
        lambda found: f"\\begin{{{found[1]}}}\\caption{found[2]}\\end{{{found[1]}}}",
    ),
)


def normalise_latex(latex: str, macros: str = "") -> str:
    """Return `latex` rewritten for pandoc. Comments, verbatim text, addresses and line numbers do not change.

    `macros` are the definitions of its preamble; some set how lists and quantities are printed.
    """
    latex = with_list_marks(with_plain_quantities(without_stars(latex, macros), macros), macros)
    latex = with_plain_algorithms(_with_table_notes(latex))
    latex = with_table_marks(with_float_marks(_with_first_heads(latex)), macros)
    for pattern, by in _PLAINER:
        latex = _replaced(latex, pattern, by)
    return _renamed(latex)


def _replaced(latex: str, pattern: re.Pattern[str], by: Callable[[re.Match[str]], str]) -> str:
    edits = []
    if not pattern.search(latex):
        return latex  # `visible` would take half a second for a text of 200 pages
    for found in pattern.finditer(visible(latex)):
        new = by(found)
        edits.append(Edit(*found.span(), new + "%\n" * (found[0].count("\n") - new.count("\n"))))
    return apply_edits(latex, edits)


def _renamed(latex: str) -> str:
    """Return `latex` with environments renamed to those that pandoc knows, or removed."""
    seen = visible(latex)
    within: list[str] = []  # the new names of open environments
    parts, done = [], 0
    tables = 0  # open ones
    for found in _BEGIN.finditer(seen):
        kind, name = found[1], found[2]
        if name in _TABLES:
            tables = max(0, tables + (1 if kind == "begin" else -1))
        if name not in _ENVIRONMENTS:
            continue
        end = found.end()
        if kind == "begin":
            new = _ENVIRONMENTS[name]
            if name == "threeparttable" and not tables:
                new = "table"
            within.append(new)
            end = _end_of_arguments(seen, end, _ARGUMENTS.get(name, 0), has_option=name not in {"table*", "figure*"})
        else:
            new = within.pop() if within else ""
        parts += [latex[done : found.start()], f"\\{kind}{{{new}}}" if new else ""]
        done = end
    return "".join([*parts, latex[done:]])


def _end_of_arguments(seen: str, at: int, groups: int, *, has_option: bool) -> int:
    """Return the end of the arguments that start at `at`."""
    option = f"{_OPTION}*"
    arguments = rf"(?:{option}(?:[ \t]*{_GROUP})?){{{groups}}}{option}" if groups else ""
    found = re.compile((option if has_option else "") + arguments).match(seen, at)
    return found.end() if found else at
