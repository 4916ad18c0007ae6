r"""The keys that LaTeX cites: commands of LaTeX, natbib, biblatex and their kin (SPEC C7, T5).

Every command with "cite" in its name counts (`\cite`, `\citep*`, `\parencite`, `\textcites`, `\nocite` ...) save those
that set something up. Comments, `\verb`, verbatim-like environments and addresses are no text and are left out; so are
the parameters of a definition (`\newcommand{\see}[1]{\cite{#1}}`). Keys are as they are written: case counts.
Broken LaTeX hides as little as it can, and every pass is linear in the length of the text, whatever it holds.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

EVERYTHING = "*"  # the key of \nocite{*}

_KEPT = 200_000  # characters of a text that is remembered

LONGEST_VERB = 160  # characters between the delimiters of a \verb, which stand on one line


class CiteCommand(NamedTuple):
    r"""One command that cites, as `text[start:end]`: `\citep[p.~3]{a,b}` has the name "citep" and the keys a and b.

    `start` and `end` count characters. A key that is written twice is there twice.
    """

    name: str
    keys: tuple[str, ...]
    start: int
    end: int


# Named like a citation, but their argument is no key.
_NO_KEY = re.compile(
    r"(?:new|set|def)?cite(?:style|text|reset|setup|left|right|mid|punct|dash|form|alias|command)|bibcite"
    r"|cite(?:tracker|index)(?:true|false)|Declare[A-Za-z]*|At[A-Z][A-Za-z]*"
)
# \volcite{volume}[page]{key}: the key comes second.
_KEY_SECOND = re.compile(r"(?:p|f|ft|s|t|a)?[vV]olcite")
# One pair of braces, with keys: the names that are written mostly
_PLAIN = frozenset(
    ["cite", "citep", "citet", "citealp", "citealt", "citeauthor", "citeyear", "citeyearpar", "citenum", "nocite"]
    + ["parencite", "textcite", "autocite", "footcite", "footfullcite", "supercite", "fullcite", "smartcite"]
    + ["Cite", "Citep", "Citet", "Parencite", "Textcite", "Autocite", "Footcite", "Smartcite", "onlinecite"]
)
_SEVERAL = re.compile(r"[A-Za-z]*[cC]ite(?:text)?s")  # \cites{a}{b}, \footcitetexts[p.~3]{a}[p.~4]{b}

_GAP = r"[ \t]*+(?:(?:\r\n|\r|\n)[ \t]*+)?+"  # TeX takes no blank line between a command and its arguments
_REST_OF_LINE = r"[^\r\n]*+(?:\r\n|\r|\n)?+"
_OPTION = r"(?:\[[^\[\]{}%\\\r\n]*+\])?+"
# What matters in a text, each read as a whole and none twice: no alternative runs over a backslash that may begin
# another one. Groups: 1 the name of a command that cites and 2 its keys where all of it is plain; 3 an environment of
# verbatim text; 4 a definition. The rest, without any of these, is no text that TeX would set.
_TOKEN = re.compile(
    rf"%(?<!\\%){_REST_OF_LINE}"
    r"|\\(?:"
    # Two backslashes end a line: the second one begins no command and escapes no percent sign
    rf"\\(?:\\\\)*+(?:%{_REST_OF_LINE})?+"
    rf"|([A-Za-z]*[cC]ite[A-Za-z]*+)(?:\*?{_GAP}(?:\[[^\[\]{{}}%\\]*+\]{_GAP})*+\{{([^{{}}%\\]*+)\}})?+"
    r"|begin[ \t]*+\{((?:[BLV]?[vV]erbatim|SaveVerbatim|lstlisting|minted|comment|tcblisting|filecontents)\*?)\}"
    # A definition and the name it gives: what follows are no arguments of that name
    r"|((?:(?:re|provide)?newcommand|[gex]?def|DeclareRobustCommand|(?:New|Renew|Provide|Declare)DocumentCommand)"
    rf"\*?{_GAP}\{{?+{_GAP}\\[A-Za-z]++|let{_GAP}\\[A-Za-z]++{_GAP}=?+{_GAP}\\[A-Za-z]++)"
    rf"|(?:verb\*?|lstinline{_OPTION}|mintinline{_OPTION}\{{[^{{}}%\\\r\n]*+\}})"
    rf"(?:\{{(?:[^{{}}\r\n]++|\{{[^{{}}\r\n]*+\}})*+\}}|(?P<delimiter>[^A-Za-z*\s\\\[{{])[^\r\n]{{0,{LONGEST_VERB}}}?(?P=delimiter))"
    # An address may hold a percent sign that begins no comment
    r"|(?:url|nolinkurl|path|href)[ \t]*+\{[^{}\r\n]*+\}"
    r")"
)
_NAME, _KEYS, _ENVIRONMENT, _DEFINITION = 1, 2, 3, 4
_BETWEEN = re.compile(_GAP)
_SHORT = re.compile(r"\([^()\[\]{}\\]*+\)|<[^<>\[\]{}\\]*+>")  # \cites(see)(all of them){a}{b}, \cite<see>{a}
_BRACKET = re.compile(r"\\.|[{}\[\]]|(?:\r\n|\r|\n)[ \t]*+(?=[\r\n])", re.DOTALL)


def cite_commands(latex: str) -> Iterator[CiteCommand]:
    r"""The commands of `latex` that cite, from first to last; `\nocite{*}` has the key `EVERYTHING`.

    A command without a key (`\cite{}`), or whose braces are not closed within its paragraph, is left out.
    """
    if "cite" not in latex and "Cite" not in latex:
        return
    shown, pairs = "", {}  # made for the first command that is not plain
    for found in _tokens(latex):
        name = found[_NAME]
        if name in _PLAIN and (plain := found[_KEYS]) is not None:
            if keys := _split(plain):
                yield CiteCommand(name, keys, found.start(), found.end())
        elif name and not _NO_KEY.fullmatch(name):
            if not shown:
                shown = visible(latex)
                pairs = _pairs(shown)
            groups = _groups(shown, found.end(_NAME), pairs, name)
            if keys := tuple(key for opened, closed in groups for key in _keys(shown, opened, closed)):
                yield CiteCommand(name, keys, found.start(), groups[-1][1] + 1)


def count_cited(latex: str) -> dict[str, int]:
    """How often each list of keys is cited: `cite_commands` counted by their keys, which are joined by commas.

    Where every command is plain, as in nearly any text, a thesis of a hundred thousand takes half the time this way.
    """
    name, keys, environment = _NAME - 1, _KEYS - 1, _ENVIRONMENT - 1  # findall leaves the whole match out
    rows = _TOKEN.findall(latex) if "cite" in latex or "Cite" in latex else []
    named = [row for row in rows if row[name]]
    found = [row[keys] for row in named]
    joined = "\0".join(found).replace(", ", ",")
    ends = f"\0{joined}\0"
    is_plain = (
        _PLAIN.issuperset({row[name] for row in named})
        and {row[environment] for row in rows} <= {""}
        and not any(odd in ends for odd in ("#", ",,", "\0\0", "\0,", ",\0"))
        and joined.split(None, 1) == [joined]  # no white space, at the ends neither
        and "\0" not in latex
    )
    if found and not is_plain:
        return Counter(",".join(command.keys) for command in cite_commands(latex))
    return Counter(joined.split("\0")) if found else {}


def visible(latex: str) -> str:
    """`latex` at its full length with blanks in place of comments, verbatim text and addresses.

    A comment takes the end of its line with it, as in TeX. What is opened and never closed hides nothing.
    """
    return _kept_visible(latex) if len(latex) <= _KEPT else _visible(latex)


def _visible(latex: str) -> str:
    parts: list[str] = []
    done = 0
    for found in _tokens(latex):
        environment = found[_ENVIRONMENT]
        if found[_NAME] is not None or found[_DEFINITION] is not None:
            continue
        start, end = found.span()
        if environment is not None:
            start, end = end, latex.find(_end_of(environment), end)
        parts += [latex[done:start], " " * (end - start)]
        done = end
    return "".join([*parts, latex[done:]]) if parts else latex


_kept_visible = lru_cache(maxsize=32)(_visible)  # a thesis that is put together asks for each chapter several times


def _tokens(latex: str) -> Iterator["re.Match[str]"]:
    """The matches of `_TOKEN`: none within an environment of verbatim text, and no environment that is not closed."""
    at = 0
    unclosed: set[str] = set()  # so that each is looked for once, however often it is opened
    while True:
        for found in _TOKEN.finditer(latex, at):
            environment = found[_ENVIRONMENT]
            if environment is None:
                yield found
            elif environment not in unclosed:
                at = latex.find(_end_of(environment), found.end())
                if at >= 0:
                    yield found
                    break
                unclosed.add(environment)
        else:
            return


def _end_of(environment: str) -> str:
    return f"\\end{{{environment}}}"


def _split(inner: str) -> tuple[str, ...]:
    """The keys between two braces. White space around them does not count; a `#` is a parameter, not a key."""
    keys = tuple(map(str.strip, inner.split(",")))
    if "" in keys or "#" in inner or "\n" in inner or "\r" in inner:
        return tuple(" ".join(key.split()) for key in keys if key and "#" not in key)
    return keys


def _keys(shown: str, start: int, end: int) -> tuple[str, ...]:
    # Whatever holds a brace or a command is no list of keys. Looking for the first brace before the text is cut out
    # keeps a hundred thousand nested commands linear.
    if shown.find("{", start, end) >= 0:
        return ()
    inner = shown[start:end]
    return () if re.search(r"\\[A-Za-z]", inner) else _split(inner)


def _groups(shown: str, at: int, pairs: dict[int, int], name: str) -> list[tuple[int, int]]:
    """Where the braces with the keys of the command `name` begin and end. `at` is behind the name."""
    several = _SEVERAL.fullmatch(name) is not None
    passed_over = 1 if _KEY_SECOND.fullmatch(name) else 0
    groups: list[tuple[int, int]] = []
    at += shown.startswith("*", at)
    while True:
        gap = _BETWEEN.match(shown, at)
        at = gap.end() if gap else at
        close = pairs.get(at)
        if close is None:
            short = _SHORT.match(shown, at)
            if short is None:
                return groups
            at = short.end()
            continue
        if shown[at] == "{":
            if passed_over:
                passed_over -= 1
            else:
                groups.append((at + 1, close))
                if not several:
                    return groups
        at = close + 1


def _pairs(shown: str) -> dict[int, int]:
    """Where each brace and bracket is closed within its paragraph, by where it opens.

    As TeX reads it: a bracket is closed by the next closing one that is in no deeper braces, so that brackets do
    not nest.
    """
    pairs: dict[int, int] = {}
    braces: list[int] = []
    brackets: list[list[int]] = [[]]  # those that wait, for each depth of braces
    for found in _BRACKET.finditer(shown):
        sign, at = found[0], found.start()
        if sign == "{":
            braces.append(at)
            brackets.append([])
        elif sign == "}":
            if braces:
                pairs[braces.pop()] = at
                brackets.pop()
        elif sign == "[":
            brackets[-1].append(at)
        elif sign == "]":
            pairs.update(dict.fromkeys(brackets[-1], at))
            brackets[-1].clear()
        elif sign[0] != "\\":  # a blank line
            braces, brackets = [], [[]]
    return pairs
