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

from latex.cite_definitions import (
    DEFINES,
    NAME,
    PLAIN,
    TRACES,
    Defined,
    definitions,
    is_citing,
    passed_over,
    split,
    takes_several,
)
from latex.cite_expansion import Expander
from latex.cite_macros import NONE, Macros, with_own
from latex.cite_patterns import AS_PLAIN, Shape, quick, shape
from latex.cite_untraceable import IMPLICIT, hidden, is_handed_on
from latex.cite_untraceable import TRACES as HIDING

EVERYTHING = "*"  # the key of \nocite{*}

_HANDED_ON = "it is handed to another command, which gives it its keys"
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
    why: str = ""  # it cannot be followed


_GAP = r"[ \t]*+(?:(?:\r\n|\r|\n)[ \t]*+)?+"  # TeX takes no blank line between a command and its arguments
_REST_OF_LINE = r"[^\r\n]*+(?:\r\n|\r|\n)?+"
_OPTION = r"(?:\[[^\[\]{}%\\\r\n]*+\])?+"
_PLAIN_ARGUMENTS = rf"\*?{_GAP}(?:\[[^\[\]{{}}%\\]*+\]{_GAP})*+\{{([^{{}}%\\]*+)\}}"
_ARGUMENTS = rf"(?:{_PLAIN_ARGUMENTS})?+"  # where they are plain
# What matters in a text, each read as a whole and none twice: no alternative runs over a backslash that may begin
# another one. Groups: 1 the name of a command that cites and 2 its keys where all of it is plain; 3 an environment of
# verbatim text; 4 a definition. The rest, without any of these, is no text that TeX would set.
_TOKEN = re.compile(
    rf"%(?<!\\%){_REST_OF_LINE}"
    r"|\\(?:"
    # Two backslashes end a line: the second one begins no command and escapes no percent sign
    rf"\\(?:\\\\)*+(?:%{_REST_OF_LINE})?+"
    rf"|({NAME}){_ARGUMENTS}"
    r"|begin[ \t]*+\{((?:[BLV]?[vV]erbatim|SaveVerbatim|lstlisting|minted|comment|tcblisting|filecontents)\*?)\}"
    # A definition and the name it gives: what follows are no arguments of that name
    rf"|(let{_GAP}\\[A-Za-z@]++{_GAP}=?+{_GAP}\\[A-Za-z@]++|(?:{DEFINES})\*?{_GAP}\{{?+{_GAP}\\(?:[A-Za-z@]++|[^A-Za-z\s]))"
    rf"|(?:verb\*?|lstinline{_OPTION}|mintinline{_OPTION}\{{[^{{}}%\\\r\n]*+\}})"
    rf"(?:\{{(?:[^{{}}\r\n]++|\{{[^{{}}\r\n]*+\}})*+\}}|(?P<delimiter>[^A-Za-z*\s\\\[{{])[^\r\n]{{0,{LONGEST_VERB}}}?(?P=delimiter))"
    # An address may hold a percent sign that begins no comment
    r"|(?:url|nolinkurl|path|href)[ \t]*+\{[^{}\r\n]*+\}"
    r")"
)
_NAME, _KEYS, _ENVIRONMENT, _DEFINITION, _OWN, _OWN_NOTES, _OWN_KEYS, _BEGUN = 1, 2, 3, 4, 6, 7, 8, 9
_MAKES = ("csname", "@nameuse", "csuse")
_BEGINNINGS = (*TRACES, *_MAKES)  # a text with none of these cites nothing by a name of LaTeX's
_DEFINES = re.compile(rf"\\(?:{DEFINES}|g?let|letcs|csletcs|cslet)(?![A-Za-z])")
_BETWEEN = re.compile(rf"{_GAP}(?:\\expandafter(?![A-Za-z]){_GAP})*+")
_UNBRACED = re.compile(r"\\[A-Za-z@]++")  # \cite\mykey: TeX takes what the command stands for
_SHORT = re.compile(r"\([^()\[\]{}\\]*+\)|<[^<>\[\]{}\\]*+>")  # \cites(see)(all of them){a}{b}, \cite<see>{a}
_BRACKET = re.compile(r"\\.|[{}\[\]]|(?:\r\n|\r|\n)[ \t]*+(?=[\r\n])", re.DOTALL)


def cite_commands(latex: str, macros: Macros = NONE) -> Iterator[CiteCommand]:
    r"""Yield the commands of `latex` that cite, from first to last; `\nocite{*}` has the key `EVERYTHING`.

    `macros` are what the thesis defines elsewhere (`citing_text.py`); what `latex` defines itself is known. A command
    without a key (`\cite{}`), or whose braces are not closed within its paragraph, is left out.
    """
    return (command for command in _scan(latex, macros) if command.keys)


def unfollowed(latex: str, macros: Macros = NONE) -> list[CiteCommand]:
    """Return the uses of commands that may cite in a way that cannot be followed; `why` says what is in the way."""
    return [command for command in _scan(latex, macros) if command.why]


def _scan(latex: str, macros: Macros) -> Iterator[CiteCommand]:
    may_hide = any(trace in latex for trace in HIDING)
    if not macros.vocabulary.citing and not may_hide and not any(trace in latex for trace in _BEGINNINGS):
        return
    own = definitions(visible(latex)) if _DEFINES.search(latex) else []
    macros = with_own(macros, own)
    yield from _unseen(visible(latex), macros, own) if may_hide or own else ()
    scan = _Scan(latex, macros, own)
    for found in _tokens(latex, _token(macros.vocabulary.names)):
        name = found[_NAME]
        plain = found[_KEYS]
        if plain and name in PLAIN and name not in macros.vocabulary.citing and (keys := split(plain)):
            yield CiteCommand(name, keys, found.start(), found.end())
        elif (command := scan.command(found)) is not None:
            yield command


def _unseen(shown: str, macros: Macros, own: list[Defined]) -> Iterator[CiteCommand]:
    """Yield what may cite without a command that is seen to."""
    for one in hidden(shown):
        yield CiteCommand(one.name, (), one.start, one.end, one.why)
    for made in own:
        name = made.definition.name
        is_sign = name.startswith("active ")
        if (is_sign or name in IMPLICIT) and name in macros.vocabulary.sure:
            why = "this sign is made a command that cites" if is_sign else "it cites what others hand to it"
            yield CiteCommand(name.removeprefix("active "), (), made.start, made.end, why)


class _Scan:
    """Reads the commands of one text that are not plain."""

    def __init__(self, latex: str, macros: Macros, own: list[Defined]) -> None:
        self.latex, self.macros, self.own = latex, macros, own
        self.shown = ""
        self.pairs: dict[int, int] = {}  # made for the first command that is not plain
        self.expander: Expander | None = None
        self.defined = 0  # of `own`, those before the place that is read
        self.inside = 0  # where the definitions end in which it is

    def command(self, found: "re.Match[str]") -> CiteCommand | None:
        """Return the command that stands at `found`, if it cites or cannot be followed."""
        citing = self.macros.vocabulary.citing
        name, behind = found[_NAME], found.end(_NAME)
        if (found.re.groups) >= _OWN and not name:
            name, behind = self._own_name(found)
        if not name or not (name in citing or name in _MAKES or is_citing(name)):
            return None
        simple = shape(self.macros.vocabulary, name) if name in citing else None
        if simple is not None and found.start() >= self.inside and (plain := self._shaped(name, found, behind, simple)):
            return plain
        expander = self._reader(found.start())
        way = expander.use(name, behind) if name in citing or name in _MAKES else None
        # A definition that says nothing takes none away
        if way is None or (not way.keys and not way.why and is_citing(name)):
            return self._built_in(name, found.start(), behind, expander)
        why = way.why if way.why and self._matters(name, found.start(), way.end, expander) else ""
        if not way.keys and name in self.macros.vocabulary.sure and is_handed_on(self.shown, found.start(), behind):
            why = _HANDED_ON
        why = "" if found.start() < self.inside else why
        shown = name.removeprefix("begin ")
        return CiteCommand(shown, way.keys, found.start(), way.end, why) if way.keys or why else None

    def _matters(self, name: str, start: int, end: int, expander: Expander) -> bool:
        """Return whether a use that cannot be followed may cite at all."""
        written = self.shown[start : min(end, start + 2_000)]
        return expander.leads_to_cite(name) or any(trace in written for trace in TRACES)

    def _shaped(self, name: str, found: "re.Match[str]", behind: int, shape: Shape) -> CiteCommand | None:
        if shape.arguments is None:
            return CiteCommand(name.removeprefix("begin "), shape.keys, found.start(), behind)
        given = shape.arguments.match(self.latex, behind)
        keys = () if given is None else split(given[shape.place]) if shape.place else shape.keys
        return CiteCommand(name.removeprefix("begin "), keys, found.start(), given.end()) if given and keys else None

    def _own_name(self, found: "re.Match[str]") -> tuple[str, int]:
        if found[_BEGUN] is not None:
            return f"begin {found[_BEGUN]}", found.end(_BEGUN) + 1
        name = found[_OWN]
        if name and name not in self.macros.vocabulary.citing and "@" in name and name not in _MAKES:
            name = name.partition("@")[0]
        return name or "", found.start() + 1 + len(name or "")

    def _reader(self, at: int) -> Expander:
        """Return what reads commands at the place `at`, with what is defined before it."""
        if self.expander is None:
            self.shown = visible(self.latex)
            self.pairs = _pairs(self.shown)
            self.expander = Expander(self.shown, self.pairs, self.macros)
        while self.defined < len(self.own) and self.own[self.defined].start <= at:
            one = self.own[self.defined]
            self.expander.define(one)
            self.inside = max(self.inside, one.end)
            self.defined += 1
        return self.expander

    def _built_in(self, name: str, start: int, behind: int, expander: Expander) -> CiteCommand | None:
        groups = _groups(self.shown, behind, self.pairs, name)
        found = [_keys(self.shown, opened, closed, expander) for opened, closed in groups]
        keys = [key for several, _ in found for key in several]
        why = next((stuck for _, stuck in found if stuck), "")
        if not groups:
            keys, behind = self._unbraced(behind, expander)
        if not keys and not why:
            if any("#" in self.shown[opened:closed] for opened, closed in groups):
                why = "it stands in a definition that cannot be followed"
            elif not groups and is_handed_on(self.shown, start, behind):
                why = _HANDED_ON
        why = "" if start < self.inside else why
        end = groups[-1][1] + 1 if groups else behind
        return CiteCommand(name, tuple(keys), start, end, why) if keys or why else None

    def _unbraced(self, behind: int, expander: Expander) -> tuple[list[str], int]:
        r"""Return the keys that a command stands for which follows without braces, and where it ends: \cite\mykey."""
        gap = _BETWEEN.match(self.shown, behind)
        found = _UNBRACED.match(self.shown, gap.end() if gap else behind)
        if found is None:
            return [], behind
        keys, why = expander.keys_in(found[0])
        return ([], behind) if why else (list(keys), found.end())


def count_cited(latex: str, macros: Macros = NONE) -> dict[str, int]:
    """Return how often each list of keys is cited: `cite_commands` counted by their keys, which are joined by commas."""
    return read_cited(latex, macros)[0]


def read_cited(latex: str, macros: Macros = NONE) -> tuple[dict[str, int], list[CiteCommand]]:
    """`count_cited` and `unfollowed` in one.

    Where every command is plain, as in nearly any text, a thesis of a hundred thousand takes half the time this way.
    """
    may_hide = any(trace in latex for trace in HIDING)
    if not macros.vocabulary.citing and not may_hide and not any(trace in latex for trace in _BEGINNINGS):
        return {}, []
    if _DEFINES.search(latex):
        macros = with_own(macros, definitions(visible(latex)))
    if not may_hide and (counted := _quickly(latex, macros)) is not None:
        return counted, []
    commands = list(_scan(latex, macros))
    cited = Counter(",".join(command.keys) for command in commands if command.keys)
    return cited, [command for command in commands if command.why]


def _quickly(latex: str, macros: Macros) -> Counter[str] | None:
    """Return what `count_cited` gives for a text whose commands all are plain or simple. None where one is not."""
    if any(make in latex for make in ("csname", "nameuse", "csuse", "\0")):
        return None
    own = quick(macros.vocabulary)
    if own is None:
        return None
    rows = _quick_token(own.pattern).findall(latex)
    constant, odd = own.lists, own.lists + 1  # findall leaves the whole match out
    name, keys, environment = odd + _NAME, odd + _KEYS, odd + _ENVIRONMENT
    if any(row[odd] or row[environment] for row in rows) or not PLAIN.issuperset(
        {row[name] for row in rows if row[name]}
    ):
        return None
    found = [row[keys] for row in rows if row[name]]
    found += [row[place] for place in range(own.lists) for row in rows if row[place]]
    fixed = Counter(own.constants[row[constant]] for row in rows if row[constant])
    if not found:
        return fixed
    joined = "\0".join(found).replace(", ", ",")
    ends = f"\0{joined}\0"
    is_odd = any(odd in ends for odd in ("#", ",,", "\0\0", "\0,", ",\0"))
    is_odd = is_odd or joined.split(None, 1) != [joined]  # white space, also at the ends
    return None if is_odd else Counter(joined.split("\0")) + fixed


@lru_cache(maxsize=32)
def _quick_token(own: str) -> "re.Pattern[str]":
    """`_TOKEN` with the commands of a thesis's own before all others."""
    begun = "|\\\\(?:"
    before, _, behind = _TOKEN.pattern.partition(begun)
    return re.compile(f"{before}{begun}{own.replace(AS_PLAIN, _PLAIN_ARGUMENTS)}|{behind}")


def visible(latex: str) -> str:
    """`latex` at its full length with blanks in place of comments, verbatim text and addresses.

    A comment takes the end of its line with it, as in TeX. What is opened and never closed hides nothing.
    """
    return _kept_visible(latex) if len(latex) <= _KEPT else _visible(latex)


def _visible(latex: str) -> str:
    parts: list[str] = []
    done = 0
    for found in _tokens(latex, _TOKEN):
        if found[_NAME] is not None or found[_DEFINITION] is not None:
            continue
        start, end = found.span()
        if found[_ENVIRONMENT] is not None:
            start, end = end, latex.find(_end_of(found[_ENVIRONMENT]), end)
        parts += [latex[done:start], " " * (end - start)]
        done = end
    return "".join([*parts, latex[done:]]) if parts else latex


_kept_visible = lru_cache(maxsize=32)(_visible)  # a thesis that is put together asks for each chapter several times


@lru_cache(maxsize=32)
def _token(names: str) -> "re.Pattern[str]":
    """`_TOKEN` with the commands of a thesis's own, and environments."""
    own = "|".join(filter(None, [names, *_MAKES]))
    more = rf"|({own})(?:(\*?{_GAP}(?:\[[^\[\]{{}}%\\]*+\]{_GAP})*+)\{{([^{{}}%\\]*+)\}})?+|begin[ \t]*+\{{([A-Za-z@]++\*?)\}})"
    return re.compile(_TOKEN.pattern.removesuffix(")") + more)


def _tokens(latex: str, token: "re.Pattern[str]") -> Iterator["re.Match[str]"]:
    """Yield the matches of `token`: none within an environment of verbatim text, and no environment that is not closed."""
    at = 0
    unclosed: set[str] = set()  # so that each is looked for once, however often it is opened
    while True:
        for found in token.finditer(latex, at):
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


def _keys(shown: str, start: int, end: int, expander: Expander) -> tuple[tuple[str, ...], str]:
    # Whatever holds a brace is no list of keys. Looking for the first brace before the text is cut out keeps a hundred
    # thousand nested commands linear.
    return ((), "") if shown.find("{", start, end) >= 0 else expander.keys_in(shown[start:end])


def _groups(shown: str, at: int, pairs: dict[int, int], name: str) -> list[tuple[int, int]]:
    """Return where the braces with the keys of the command `name` begin and end. `at` is behind the name."""
    over = passed_over(name)
    groups: list[tuple[int, int]] = []
    at += shown.startswith("*", at)
    while True:
        if gap := _BETWEEN.match(shown, at):
            at = gap.end()
        close = pairs.get(at)
        if close is None:
            short = _SHORT.match(shown, at)
            if short is None:
                return groups
            at = short.end()
            continue
        if shown[at] == "{":
            if over:
                over -= 1
            else:
                groups.append((at + 1, close))
                if not takes_several(name):
                    return groups
        at = close + 1


def _pairs(shown: str) -> dict[int, int]:
    """Return where each brace and bracket is closed within its paragraph, by where it opens.

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
