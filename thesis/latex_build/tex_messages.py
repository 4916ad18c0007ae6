r"""What TeX says, in words of people who write a thesis; TeX's own words stay behind them."""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from latex.log import Raw


class Words(NamedTuple):
    """What it is, and what to do about it ("" where the title says it)."""

    title: str
    hint: str = ""


_COMMAND = re.compile(r"\\(?:[A-Za-z@]+|[^A-Za-z\s])\*?")
# Commands and environments that people use without their package, by the package's name.
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
    ".bst": "style of references",
    ".ldf": "language",
    ".bbx": "biblatex style",
    ".cbx": "biblatex style",
    ".lbx": "biblatex language",
    ".clo": "class option",
    ".def": "definition file",
}
_Told = Callable[["re.Match[str]", Raw], Words]


def words_for(raw: Raw) -> Words:
    """Return what `raw` says. What nobody wrote words for keeps TeX's."""
    for pattern, told in _RULES:
        if found := pattern.search(raw.said):
            return told(found, raw) if callable(told) else _filled(told, found)
    return Words(_plain(raw.said))


def _filled(words: Words, found: "re.Match[str]") -> Words:
    """`words` with what was found in the places of <1> and <2>."""
    title, hint = words
    for number, part in enumerate(found.groups(""), start=1):
        title, hint = title.replace(f"<{number}>", part), hint.replace(f"<{number}>", part)
    return Words(title, hint)


def _plain(said: str) -> str:
    said = re.sub(r"^(?:LaTeX|Package \S+|Class \S+|pdfTeX|! )+(?: Error)?:? *", "", said).strip()
    return said[:200] or "LaTeX stopped here"


def _undefined(found: "re.Match[str]", raw: Raw) -> Words:
    if names := _COMMAND.findall(raw.context.split("\n")[0]):
        name = names[-1].rstrip("*")
        return Words(f"A command that nothing defines: {name}", _belongs(name, ", capitals too"))
    return Words("A command that nothing defines")


def _environment(found: "re.Match[str]", raw: Raw) -> Words:
    return Words(f"An environment that nothing defines: {found[1]}", _belongs(found[1]))


def _belongs(name: str, too: str = "") -> str:
    """Return which package `name` is of, or how else it may be that nothing defines it."""
    if package := _PACKAGE_OF.get(name):
        return f"It belongs to the package {package}, which this thesis does not load."
    return f"Look whether it is spelt as it should be{too}."


def debian_package(file_name: str) -> str:
    """This function will give the name of the Debian package with `file_name`, such as "soul.sty"; "" where none has it."""
    return _packages().get(file_name, "")


@cache
def _packages() -> dict[str, str]:
    """This function will read which package of Debian has which file of LaTeX, as docker/tex-packages wrote it."""
    listed = Path(__file__).with_name("debian_packages.txt").read_text().splitlines()
    lines = (line.partition(": ") for line in listed if not line.startswith("#"))
    return {name: package for package, _, names in lines for name in names.split()}


def _not_installed(kind: str, name: str) -> Words:
    """Return a file of TeX that is missing, and which package of Debian has it."""
    title = f"This server has no {kind} {name.rpartition('.')[0]}"
    if package := debian_package(name):
        return Words(
            title,
            f"Whoever runs this server can install it: apt-get install {package}. Or remove it from the preamble.",
        )
    return Words(
        title, f"Debian has no package with it. Add the file {name} to the files of the thesis, or remove the command."
    )


def _no_language(found: "re.Match[str]", raw: Raw) -> Words:
    """Return a language of babel: an option it does not know is a language whose file is not installed, or is misspelt."""
    name = found[1]
    if debian_package(f"{name}.ldf"):
        return _not_installed("language", f"{name}.ldf")
    return Words(
        f"babel knows no language or option {name}", "Look whether it is spelt right, such as ngerman or french."
    )


def _no_biblatex_style(found: "re.Match[str]", raw: Raw) -> Words:
    return _not_installed("biblatex style", f"{found[1]}.bbx")


def _no_file(found: "re.Match[str]", raw: Raw) -> Words:
    name = found[1].strip()
    kind = _KINDS.get(PurePosixPath(name).suffix)
    if kind and "/" not in name:
        return _not_installed(kind, name)
    if name.startswith("/") or ".." in name.split("/") or re.match(r"[A-Za-z]:", name):
        return Words(
            f"{name} is outside of this thesis and is not read",
            "Add the file to the thesis and name it without the folders.",
        )
    return Words(
        f"There is no file {name}", "Add it to the files of the thesis, or look whether its name is spelt right."
    )


def _mixed(found: "re.Match[str]", raw: Raw) -> Words:
    opened, line, ended = found[1], found[2], found[3]
    if ended == "document":
        return Words(f"The environment {opened} is not closed", rf"Add \end{{{opened}}} behind it.")
    return Words(
        f"The environment {opened} is ended as {ended}",
        rf"Look at line {line} and on: \end{{{opened}}} is missing, or one of the two is misspelt.",
    )


_PICTURE = Words("The picture <1> cannot be set", "Save it anew as PNG, JPEG or PDF and add that.")
_NO_CITATION = Words("Cited and not among the references: <1>", "Add the reference, or take the citation out.")

_RULES: list[tuple["re.Pattern[str]", Words | _Told]] = [
    (re.compile(pattern), told)
    for pattern, told in (
        (r"Undefined control sequence", _undefined),
        (r"Environment (\S+) undefined", _environment),
        (r"\\begin\{([^}]+)\} on input line (\d+) ended by \\end\{([^}]+)\}", _mixed),
        (
            r"I can't write on file [`'](.+?)'",
            Words("<1> is outside of this thesis and is not written", "Leave the command out."),
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
            Words(
                "The letter <1> (<2>) cannot be set by LaTeX",
                "Write it in another way, or as a picture. Only Latin and Greek letters and common signs can be set here.",
            ),
        ),
        (r"Invalid UTF-8 byte", Words("A letter here is not written in UTF-8", "Delete it and type it again.")),
        (r"Citation [`'](.+?)'.* undefined", _NO_CITATION),
        (r"find a database entry for [`'\"](.+?)['\"]", _NO_CITATION),
        (
            r"Reference [`'](.+?)'.* undefined",
            Words(
                "Nothing has the label <1>",
                "It is printed as ??. Name a label that is there, or add it to the figure or table.",
            ),
        ),
        (
            r"Label [`'](.+?)' multiply defined",
            Words("Two things have the label <1>", "Give one of them another."),
        ),
        (
            r"too wide, (\d+) mm",
            Words(
                "A line stands <1> mm out into the margin",
                "Make the table narrower, or break up a long word or address.",
            ),
        ),
        (
            r"TeX capacity exceeded, sorry \[(.+?)[=\]]",
            Words(
                "This grows without an end",
                "A command here calls itself, or makes more than TeX can hold (<1>). Take the definition out.",
            ),
        ),
        (
            r"^Interruption",
            Words("LaTeX was still at work here when it was stopped", "Look for a command that repeats itself."),
        ),
        (
            r"Missing \$ inserted|Missing \\(?:right|delimiter)",
            Words(
                "A sign of mathematics stands in ordinary text",
                r"Put the formula between $ and $. A _ or ^ that is meant as a letter is written \_ or \^{}.",
            ),
        ),
        (
            r"Missing [{}] inserted|Too many }'s|Extra }, or forgotten|Extra \\endgroup|Runaway argument"
            r"|Paragraph ended before|File ended while scanning",
            Words(
                "A bracket { or } is missing or too many",
                "Count the brackets in this paragraph: each { needs its }.",
            ),
        ),
        (
            r"Extra alignment tab",
            Words(
                "A row of this table has more cells than the table has columns",
                r"Take an & out, or add a column behind \begin{tabular}.",
            ),
        ),
        (
            r"Misplaced alignment tab character",
            Words("An & stands outside of a table", r"An & that is meant as a letter is written \&."),
        ),
        (
            r"Misplaced \\(?:noalign|omit|cr)",
            Words("A line or a joined cell of this table is at a wrong place", r"\hline and \toprule stand behind \\."),
        ),
        (
            r"Illegal (?:character|pream-token)",
            Words("A letter among the columns of this table is not known", "Use l, c, r or p{3cm}."),
        ),
        (r"macro parameter character #", Words("A # stands in ordinary text", r"Write it \#.")),
        (
            r"Double (?:sub|super)script",
            Words("Two indices stand on one sign", "Put brackets around what belongs together: x_{a_b}."),
        ),
        (r"missing \\item", Words("A list has text before its first point", r"Begin each point with \item.")),
        (
            r"Lonely \\item",
            Words(r"An \item stands outside of a list", r"Put \begin{itemize} before and \end{itemize} behind it."),
        ),
        (r"There's no line here to end", Words(r"A \\ stands where no line is", "Leave an empty line instead.")),
        (
            r"Too many unprocessed floats",
            Words("Too many figures and tables wait for a page", r"Put \clearpage between them."),
        ),
        (
            r"Not in outer par mode",
            Words("A figure or table stands inside of another box", "Move it out of the table or box."),
        ),
        (
            r"Missing number, treated as zero|Illegal unit of measure",
            Words("A number or a unit is missing", "Lengths are written 5cm, 12pt or 0.8\\textwidth."),
        ),
        (
            r"Dimension too large|Arithmetic overflow|Number too big",
            Words("A number here is too large for TeX", "Make the length or the number smaller."),
        ),
        (
            r"\\verb ended by end of line",
            Words(r"A \verb is not closed in its line", "End it with the sign it begins with."),
        ),
        (
            r"Command (\S+) already defined",
            Words("<1> is defined already", "Give the new command another name."),
        ),
        (r"Undefined color [`'](.+?)'", Words("A colour that nothing defines: <1>")),
        (
            r"Unknown graphics extension: (\S+?)\.?$",
            Words("A picture of the kind <1> cannot be set", "Export it as PDF, PNG or JPEG and add that."),
        ),
        (r"Cannot determine size of graphic in (\S+)", _PICTURE),
        (r"(?:pdfTeX error|pdftex).*?\(file (.+?)\)", _PICTURE),
        (
            r"Extra \\(?:fi|else|or)|Incomplete \\if",
            Words("A condition of TeX is not closed", r"Each \if needs its \fi."),
        ),
        (
            r"Missing \\begin\{document\}",
            Words("Text stands before the document begins", r"Move it behind \begin{document}."),
        ),
        (
            r"Option clash for package (\S+?)\.?$",
            Words("The package <1> is loaded twice, with different options", "Load it once."),
        ),
        (
            r"fontspec.* requires|XeTeX or LuaTeX|cannot-use-pdftex|Cannot be run with pdftex|LuaTeX is required",
            Words(
                "This thesis is made for XeLaTeX or LuaLaTeX",
                "Scholium uses pdfLaTeX. Remove fontspec, unicode-math, polyglossia or luacode from the preamble.",
            ),
        ),
        (
            r"-shell-escape flag|shell escape (?:is )?(?:disabled|not enabled|feature)",
            Words(
                "A package here has to run another program",
                "No program is run from a thesis. Take such a package out: listings does what minted does.",
            ),
        ),
        (
            r"Float too large for page",
            Words("A figure or table is larger than the page", "Make it smaller, or divide it."),
        ),
        (r"I found no \\bibstyle", Words("No style of references is named", r"Add \bibliographystyle{plain}.")),
    )
]
