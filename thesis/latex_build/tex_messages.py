r"""Messages of TeX in plain words, each with a hint what to do about it; TeX's own words are stored beside them."""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from latex.log import LogMessage


class PlainMessage(NamedTuple):
    """What is wrong, and what to do about it ("" when the title says it)."""

    title: str
    hint: str = ""


_COMMAND = re.compile(r"\\(?:[A-Za-z@]+|[^A-Za-z\s])\*?")
# Commands and environments that people often use without loading their package, by the package's name.
_OF_PACKAGES = {
    "siunitx": r"\SI \si \num \qty \unit \SIrange \ang \sisetup \qtyrange",
    "booktabs": r"\toprule \midrule \bottomrule \cmidrule \addlinespace",
    "graphicx": r"\includegraphics \graphicspath \rotatebox \scalebox \resizebox",
    "natbib": r"\citep \citet \citeauthor \citeyear \citealp \citealt \citeyearpar",
    "biblatex": r"\parencite \textcite \autocite \footcite \printbibliography \addbibresource",
    "hyperref": r"\href \autoref \hypersetup \texorpdfstring \nameref",
    "url": r"\url",
    "cleveref": r"\cref \Cref \crefrange",
    "multirow": r"\multirow multirow",
    "makecell": r"\makecell \thead",
    "xcolor": r"\textcolor \color \definecolor \colorbox",
    "colortbl": r"\cellcolor \rowcolor \columncolor",
    "amsmath": r"\text \dfrac \tfrac \eqref \boldsymbol \operatorname align align* gather gather* multline cases split",
    "amssymb": r"\mathbb \checkmark \geqslant \leqslant \square \varnothing",
    "gensymb": r"\degree \celsius \ohm",
    "textcomp": r"\textdegree \textmu \textohm",
    "mhchem": r"\ce",
    "subcaption": r"\subcaption \subcaptionbox subfigure subtable",
    "caption": r"\captionof \captionsetup",
    "glossaries": r"\gls \Gls \glspl \newacronym \makeglossaries \printglossaries",
    "acronym": r"\ac \acp \acs \acf \acro",
    "placeins": r"\FloatBarrier",
    "pdfpages": r"\includepdf",
    "pdflscape": "landscape",
    "tabularx": "tabularx",
    "longtable": "longtable",
    "enumitem": r"\setlist",
    "threeparttable": r"threeparttable tablenotes \tnote",
    "setspace": r"\onehalfspacing \doublespacing \singlespacing spacing onehalfspace doublespace",
    "soul": r"\hl \so \st",
    "ulem": r"\sout \uline \uwave",
    "csquotes": r"\enquote \blockquote",
    "listings": r"\lstinputlisting \lstset lstlisting",
    "todonotes": r"\todo \missingfigure",
    "tikz": r"\tikz \usetikzlibrary tikzpicture",
    "pgfplots": r"\pgfplotsset axis",
    "float": r"\floatstyle \restylefloat",
    "eurosym": r"\euro \EUR",
    "lipsum": r"\lipsum",
    "algorithm2e": "algorithm",
    "multicol": "multicols",
    "fancyhdr": r"\fancyhead \fancyfoot \fancyhf",
    "titlesec": r"\titleformat \titlespacing",
    "geometry": r"\geometry \newgeometry",
}
_PACKAGE_OF = {name: package for package, names in _OF_PACKAGES.items() for name in names.split()}
_KINDS = {
    ".sty": "package",
    ".cls": "document class",
    ".bst": "bibliography style",
    ".ldf": "language",
    ".bbx": "biblatex style",
    ".cbx": "biblatex style",
    ".lbx": "biblatex language",
    ".clo": "class option",
    ".def": "definition file",
}
_Told = Callable[["re.Match[str]", LogMessage], PlainMessage]


def plain_message(raw: LogMessage) -> PlainMessage:
    """Return the plain words for a message of TeX; a message that no rule knows keeps TeX's words."""
    for pattern, told in _RULES:
        if found := pattern.search(raw.said):
            return told(found, raw) if callable(told) else _filled(told, found)
    return PlainMessage(_plain(raw.said))


def _filled(words: PlainMessage, found: "re.Match[str]") -> PlainMessage:
    """Return `words` with the groups of `found` in place of <1> and <2>."""
    title, hint = words
    for number, part in enumerate(found.groups(""), start=1):
        title, hint = title.replace(f"<{number}>", part), hint.replace(f"<{number}>", part)
    return PlainMessage(title, hint)


def _plain(said: str) -> str:
    said = re.sub(r"^(?:LaTeX|Package \S+|Class \S+|pdfTeX|! )+(?: Error)?:? *", "", said).strip()
    return said[:200] or "LaTeX stopped here"


def _undefined(found: "re.Match[str]", raw: LogMessage) -> PlainMessage:
    if names := _COMMAND.findall(raw.context.split("\n")[0]):
        name = names[-1].rstrip("*")
        return PlainMessage(f"Undefined command: {name}", _belongs(name, " (case matters)"))
    return PlainMessage("Undefined command")


def _environment(found: "re.Match[str]", raw: LogMessage) -> PlainMessage:
    return PlainMessage(f"Undefined environment: {found[1]}", _belongs(found[1]))


def _belongs(name: str, too: str = "") -> str:
    """Return a hint for the undefined `name`: the package that defines it, or to check its spelling."""
    if package := _PACKAGE_OF.get(name):
        return f"It belongs to the package {package}, which this thesis does not load."
    return f"Check its spelling{too}."


def debian_package(file_name: str) -> str:
    """Return the name of the Debian package with `file_name`, such as "soul.sty"; "" when none has it."""
    return _packages().get(file_name, "")


@cache
def _packages() -> dict[str, str]:
    """Return the Debian package of each file of LaTeX, read from the list that docker/tex-packages writes."""
    listed = Path(__file__).with_name("debian_packages.txt").read_text().splitlines()
    lines = (line.partition(": ") for line in listed if not line.startswith("#"))
    return {name: package for package, _, names in lines for name in names.split()}


def _not_installed(kind: str, name: str) -> PlainMessage:
    """Return the message for a missing file of TeX, with the Debian package to install."""
    title = f"The {kind} {name.rpartition('.')[0]} is not installed on this server"
    if package := debian_package(name):
        return PlainMessage(
            title,
            f"The administrator of this server can install it: apt-get install {package}. "
            "Or remove it from the preamble.",
        )
    return PlainMessage(
        title, f"Debian has no package with it. Add the file {name} to the files of the thesis, or remove the command."
    )


def _no_language(found: "re.Match[str]", raw: LogMessage) -> PlainMessage:
    """Return the message for an option that babel does not know: a language that is not installed, or is misspelt."""
    name = found[1]
    if debian_package(f"{name}.ldf"):
        return _not_installed("language", f"{name}.ldf")
    return PlainMessage(
        f"babel does not know the language or option {name}", "Check its spelling: ngerman or french, for example."
    )


def _no_biblatex_style(found: "re.Match[str]", raw: LogMessage) -> PlainMessage:
    return _not_installed("biblatex style", f"{found[1]}.bbx")


def _no_file(found: "re.Match[str]", raw: LogMessage) -> PlainMessage:
    name = found[1].strip()
    kind = _KINDS.get(PurePosixPath(name).suffix)
    if kind and "/" not in name:
        return _not_installed(kind, name)
    if name.startswith("/") or ".." in name.split("/") or re.match(r"[A-Za-z]:", name):
        return PlainMessage(
            f"{name} is outside the folder of this thesis and is not read",
            "Upload the file to the thesis and use its name without the folders.",
        )
    return PlainMessage(
        f"File not found: {name}", "Upload it to the files of the thesis, or check the spelling of its name."
    )


def _mixed(found: "re.Match[str]", raw: LogMessage) -> PlainMessage:
    opened, line, ended = found[1], found[2], found[3]
    if ended == "document":
        return PlainMessage(f"The environment {opened} is not closed", rf"Add \end{{{opened}}} after it.")
    return PlainMessage(
        f"The environment {opened} is closed as {ended}",
        rf"Check from line {line} on: \end{{{opened}}} is missing, or one of the two is misspelt.",
    )


_PICTURE = PlainMessage("The picture <1> cannot be used", "Save it again as PNG, JPEG or PDF and upload that.")
_NO_CITATION = PlainMessage("Cited but not in the references: <1>", "Add the reference, or remove the citation.")

_RULES: list[tuple["re.Pattern[str]", PlainMessage | _Told]] = [
    (re.compile(pattern), told)
    for pattern, told in (
        (r"Undefined control sequence", _undefined),
        (r"Environment (\S+) undefined", _environment),
        (r"\\begin\{([^}]+)\} on input line (\d+) ended by \\end\{([^}]+)\}", _mixed),
        (
            r"I can't write on file [`'](.+?)'",
            PlainMessage("<1> is outside the folder of this thesis and is not written", "Remove the command."),
        ),
        (r"biblatex Error: Style [`'](.+?)' not found", _no_biblatex_style),
        (r"babel Error: Unknown option [`'](.+?)'", _no_language),
        (r"babel Error: You haven't (?:defined|loaded) the language [`']?(\w+)", _no_language),
        (r"File [`'](.+?)' not found", _no_file),
        (r"I can't find file [`'](.+?)'", _no_file),
        (r"I couldn't open (?:database|style|auxiliary) file (.+)$", _no_file),
        (r"Cannot find '(.+?)'", _no_file),
        (r"cannot find image file (\S+)", _no_file),
        (
            r"Unicode character (\S+) \((U\+[0-9A-F]+)\)",
            PlainMessage(
                "LaTeX cannot print the character <1> (<2>)",
                "Write it in another way, or insert it as a picture. "
                "Only Latin and Greek letters and common symbols can be printed.",
            ),
        ),
        (r"Invalid UTF-8 byte", PlainMessage("A character here is not in UTF-8", "Delete it and type it again.")),
        (r"Citation [`'](.+?)'.* undefined", _NO_CITATION),
        (r"find a database entry for [`'\"](.+?)['\"]", _NO_CITATION),
        (
            r"Reference [`'](.+?)'.* undefined",
            PlainMessage(
                "Unknown label: <1>",
                "It is printed as ??. Use a label that exists, or add it to the figure or table.",
            ),
        ),
        (
            r"Label [`'](.+?)' multiply defined",
            PlainMessage("Duplicate label: <1>", "Give one of the two another label."),
        ),
        (
            r"too wide, (\d+) mm",
            PlainMessage(
                "A line extends <1> mm into the margin",
                "Make the table narrower, or break up a long word or address.",
            ),
        ),
        (
            r"TeX capacity exceeded, sorry \[(.+?)[=\]]",
            PlainMessage(
                "LaTeX ran out of memory here",
                "A command here calls itself, or produces more than TeX can hold (<1>). Remove the definition.",
            ),
        ),
        (
            r"^Interruption",
            PlainMessage("LaTeX was working here when it was stopped", "Look for a command that repeats itself."),
        ),
        (
            r"Missing \$ inserted|Missing \\(?:right|delimiter)",
            PlainMessage(
                "A math symbol in ordinary text",
                r"Put the formula between $ and $. To print _ or ^ as a character, write \_ or \^{}.",
            ),
        ),
        (
            r"Missing [{}] inserted|Too many }'s|Extra }, or forgotten|Extra \\endgroup|Runaway argument"
            r"|Paragraph ended before|File ended while scanning",
            PlainMessage(
                "Unbalanced braces { }",
                "Check the braces in this paragraph: each { needs a }.",
            ),
        ),
        (
            r"Extra alignment tab",
            PlainMessage(
                "A row of this table has more cells than the table has columns",
                r"Remove an &, or add a column after \begin{tabular}.",
            ),
        ),
        (
            r"Misplaced alignment tab character",
            PlainMessage("An & outside a table", r"To print & as a character, write \&."),
        ),
        (
            r"Misplaced \\(?:noalign|omit|cr)",
            PlainMessage(
                "A line or a merged cell of this table is in the wrong place", r"Put \hline and \toprule after \\."
            ),
        ),
        (
            r"Illegal (?:character|pream-token)",
            PlainMessage("The columns of this table have an unknown letter", "Use l, c, r or p{3cm}."),
        ),
        (r"macro parameter character #", PlainMessage("A # in ordinary text", r"Write \# instead.")),
        (
            r"Double (?:sub|super)script",
            PlainMessage(
                "Two subscripts or superscripts on one symbol", "Put braces around what belongs together: x_{a_b}."
            ),
        ),
        (r"missing \\item", PlainMessage("A list has text before its first item", r"Begin each item with \item.")),
        (
            r"Lonely \\item",
            PlainMessage(r"An \item outside a list", r"Put \begin{itemize} before and \end{itemize} after it."),
        ),
        (
            r"There's no line here to end",
            PlainMessage(r"A \\ where there is no line to end", "Leave an empty line instead."),
        ),
        (
            r"Too many unprocessed floats",
            PlainMessage("Too many figures and tables are waiting for a page", r"Put \clearpage between them."),
        ),
        (
            r"Not in outer par mode",
            PlainMessage("A figure or table inside another box", "Move it out of the table or box."),
        ),
        (
            r"Missing number, treated as zero|Illegal unit of measure",
            PlainMessage("A number or a unit is missing", "Lengths are written 5cm, 12pt or 0.8\\textwidth."),
        ),
        (
            r"Dimension too large|Arithmetic overflow|Number too big",
            PlainMessage("A number here is too large for TeX", "Make the length or the number smaller."),
        ),
        (
            r"\\verb ended by end of line",
            PlainMessage(r"A \verb is not closed on its line", "End it with the character it begins with."),
        ),
        (
            r"Command (\S+) already defined",
            PlainMessage("<1> is already defined", "Give the new command another name."),
        ),
        (r"Undefined color [`'](.+?)'", PlainMessage("Undefined colour: <1>")),
        (
            r"Unknown graphics extension: (\S+?)\.?$",
            PlainMessage("LaTeX cannot use pictures of type <1>", "Export it as PDF, PNG or JPEG and upload that."),
        ),
        (r"Cannot determine size of graphic in (\S+)", _PICTURE),
        (r"(?:pdfTeX error|pdftex).*?\(file (.+?)\)", _PICTURE),
        (
            r"Extra \\(?:fi|else|or)|Incomplete \\if",
            PlainMessage("A TeX condition is not closed", r"Each \if needs its \fi."),
        ),
        (
            r"Missing \\begin\{document\}",
            PlainMessage("There is text before the document begins", r"Move it after \begin{document}."),
        ),
        (
            r"Option clash for package (\S+?)\.?$",
            PlainMessage("The package <1> is loaded twice, with different options", "Load it once."),
        ),
        (
            r"fontspec.* requires|XeTeX or LuaTeX|cannot-use-pdftex|Cannot be run with pdftex|LuaTeX is required",
            PlainMessage(
                "This thesis needs XeLaTeX or LuaLaTeX",
                "Scholium uses pdfLaTeX. Remove fontspec, unicode-math, polyglossia or luacode from the preamble.",
            ),
        ),
        (
            r"-shell-escape flag|shell escape (?:is )?(?:disabled|not enabled|feature)",
            PlainMessage(
                "A package here needs to run another program",
                "Other programs (shell escape) are not allowed. Use another package: listings instead of minted, "
                "for example.",
            ),
        ),
        (
            r"Float too large for page",
            PlainMessage("A figure or table is larger than the page", "Make it smaller, or split it."),
        ),
        (r"I found no \\bibstyle", PlainMessage("No bibliography style", r"Add \bibliographystyle{plain}.")),
    )
]
