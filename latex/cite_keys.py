r"""The citation keys in LaTeX, cited by commands of LaTeX, natbib, biblatex and others (SPEC C7, T5).

Every command with "cite" in its name counts (`\cite`, `\citep*`, `\parencite`, `\textcites`, `\nocite` ...), except
those for settings. Comments, `\verb`, verbatim environments and addresses are ignored, and so are the parameters of a
definition (`\newcommand{\see}[1]{\cite{#1}}`). Keys are case-sensitive. Broken LaTeX hides as few citations as
possible, and every pass takes linear time, whatever the text is.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from latex.brackets import closing_brackets
from latex.cite_expansion import Expander
from latex.cite_macros import NONE, Macros, with_own
from latex.cite_patterns import AS_PLAIN, Shape, quick, shape
from latex.cite_untraceable import IMPLICIT, hidden, is_handed_on
from latex.cite_untraceable import TRACES as HIDING
from latex.citing_commands import (
    DEFINES,
    NAME,
    PLAIN,
    TRACES,
    Defined,
    definitions,
    is_citing,
    passed_over,
    split_keys,
    takes_several,
)

EVERYTHING = "*"  # the key of \nocite{*}

_HANDED_ON = "it is passed to another command, which gives it its keys"
_KEPT = 200_000  # characters of the longest text that is cached

LONGEST_VERB = 160  # characters between the delimiters of a \verb, which must be on one line


class CiteCommand(NamedTuple):
    r"""A command that cites, at `text[start:end]`: `\citep[p.~3]{a,b}` has the name "citep" and the keys a and b.

    `start` and `end` count characters. Repeated keys are repeated in `keys`.
    """

    name: str
    keys: tuple[str, ...]
    start: int
    end: int
    why: str = ""  # why its keys cannot be found


_GAP = r"[ \t]*+(?:(?:\r\n|\r|\n)[ \t]*+)?+"  # TeX allows no blank line between a command and its arguments
_REST_OF_LINE = r"[^\r\n]*+(?:\r\n|\r|\n)?+"
_OPTION = r"(?:\[[^\[\]{}%\\\r\n]*+\])?+"
_PLAIN_ARGUMENTS = rf"\*?{_GAP}(?:\[[^\[\]{{}}%\\]*+\]{_GAP})*+\{{([^{{}}%\\]*+)\}}"
_ARGUMENTS = rf"(?:{_PLAIN_ARGUMENTS})?+"  # if they are plain
# The parts of a text that matter, each matched as a whole, and only once: no alternative contains a backslash that may
# begin another one. Groups: 1 the name of a command that cites, 2 its keys if all of it is plain, 3 a verbatim
# environment, 4 a definition. A match without any of these is text that TeX does not print.
_TOKEN = re.compile(
    rf"%(?<!\\%){_REST_OF_LINE}"
    r"|\\(?:"
    # Two backslashes break a line: the second one begins no command and escapes no percent sign
    rf"\\(?:\\\\)*+(?:%{_REST_OF_LINE})?+"
    rf"|({NAME}){_ARGUMENTS}"
    r"|begin[ \t]*+\{((?:[BLV]?[vV]erbatim|SaveVerbatim|lstlisting|minted|comment|tcblisting|filecontents)\*?)\}"
    # A definition with the name it defines: the text after it are no arguments of that name
    rf"|(let{_GAP}\\[A-Za-z@]++{_GAP}=?+{_GAP}\\[A-Za-z@]++"
    rf"|(?:{DEFINES})\*?{_GAP}\{{?+{_GAP}\\(?:[A-Za-z@]++|[^A-Za-z\s]))"
    rf"|(?:verb\*?|lstinline{_OPTION}|mintinline{_OPTION}\{{[^{{}}%\\\r\n]*+\}})"
    r"(?:\{(?:[^{}\r\n]++|\{[^{}\r\n]*+\})*+\}"
    rf"|(?P<delimiter>[^A-Za-z*\s\\\[{{])[^\r\n]{{0,{LONGEST_VERB}}}?(?P=delimiter))"
    # An address may have a percent sign that begins no comment
    r"|(?:url|nolinkurl|path|href)[ \t]*+\{[^{}\r\n]*+\}"
    r")"
)
_NAME, _KEYS, _ENVIRONMENT, _DEFINITION, _OWN, _OWN_NOTES, _OWN_KEYS, _BEGUN = 1, 2, 3, 4, 6, 7, 8, 9
_MAKES = ("csname", "@nameuse", "csuse")
_BEGINNINGS = (*TRACES, *_MAKES)  # a text without any of these cites nothing by LaTeX's own commands
_DEFINES = re.compile(rf"\\(?:{DEFINES}|g?let|letcs|csletcs|cslet)(?![A-Za-z])")
_BETWEEN = re.compile(rf"{_GAP}(?:\\expandafter(?![A-Za-z]){_GAP})*+")
_UNBRACED = re.compile(r"\\[A-Za-z@]++")  # \cite\mykey: TeX expands the command to get the key
_SHORT = re.compile(r"\([^()\[\]{}\\]*+\)|<[^<>\[\]{}\\]*+>")  # \cites(see)(all of them){a}{b}, \cite<see>{a}


def cite_commands(latex: str, macros: Macros = NONE) -> Iterator[CiteCommand]:
    r"""Yield the commands of `latex` that cite, in order; `\nocite{*}` has the key `EVERYTHING`.

    `macros` are the commands that the thesis defines elsewhere (`citing_text.py`); those defined in `latex` are read
    here. A command without a key (`\cite{}`), or with braces not closed in its paragraph, is left out.
    """
    return (command for command in _scan(latex, macros) if command.keys)


def unfollowed(latex: str, macros: Macros = NONE) -> list[CiteCommand]:
    """Return the uses of commands that may cite but whose keys cannot be found; `why` has the reason."""
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
        if plain and name in PLAIN and name not in macros.vocabulary.citing and (keys := split_keys(plain)):
            yield CiteCommand(name, keys, found.start(), found.end())
        elif (command := scan.command(found)) is not None:
            yield command


def _unseen(shown: str, macros: Macros, own: list[Defined]) -> Iterator[CiteCommand]:
    """Yield commands and characters that may cite without a visible cite command."""
    for one in hidden(shown):
        yield CiteCommand(one.name, (), one.start, one.end, one.why)
    for made in own:
        name = made.definition.name
        is_sign = name.startswith("active ")
        if (is_sign or name in IMPLICIT) and name in macros.vocabulary.sure:
            why = "this character is defined to cite" if is_sign else "it cites keys that other commands pass to it"
            yield CiteCommand(name.removeprefix("active "), (), made.start, made.end, why)


class _Scan:
    """Reader of the commands of one text that are not plain."""

    def __init__(self, latex: str, macros: Macros, own: list[Defined]) -> None:
        self.latex, self.macros, self.own = latex, macros, own
        self.shown = ""
        self.pairs: dict[int, int] = {}  # made for the first command that is not plain
        self.expander: Expander | None = None
        self.defined = 0  # number of `own` definitions before the current place
        self.inside = 0  # end of the definitions around the current place

    def command(self, found: "re.Match[str]") -> CiteCommand | None:
        """Return the command at `found` if it cites or if its keys cannot be found."""
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
        # A definition without keys of a command that cites by its name: read its keys from the text
        if way is None or (not way.keys and not way.why and is_citing(name)):
            return self._built_in(name, found.start(), behind, expander)
        why = way.why if way.why and self._matters(name, found.start(), way.end, expander) else ""
        if not way.keys and name in self.macros.vocabulary.sure and is_handed_on(self.shown, found.start(), behind):
            why = _HANDED_ON
        why = "" if found.start() < self.inside else why
        shown = name.removeprefix("begin ")
        return CiteCommand(shown, way.keys, found.start(), way.end, why) if way.keys or why else None

    def _matters(self, name: str, start: int, end: int, expander: Expander) -> bool:
        """Return whether a use that cannot be expanded may cite at all."""
        written = self.shown[start : min(end, start + 2_000)]
        return expander.leads_to_cite(name) or any(trace in written for trace in TRACES)

    def _shaped(self, name: str, found: "re.Match[str]", behind: int, shape: Shape) -> CiteCommand | None:
        if shape.arguments is None:
            return CiteCommand(name.removeprefix("begin "), shape.keys, found.start(), behind)
        given = shape.arguments.match(self.latex, behind)
        keys = () if given is None else split_keys(given[shape.place]) if shape.place else shape.keys
        return CiteCommand(name.removeprefix("begin "), keys, found.start(), given.end()) if given and keys else None

    def _own_name(self, found: "re.Match[str]") -> tuple[str, int]:
        if found[_BEGUN] is not None:
            return f"begin {found[_BEGUN]}", found.end(_BEGUN) + 1
        name = found[_OWN]
        if name and name not in self.macros.vocabulary.citing and "@" in name and name not in _MAKES:
            name = name.partition("@")[0]
        return name or "", found.start() + 1 + len(name or "")

    def _reader(self, at: int) -> Expander:
        """Return the expander for the place `at`, with all definitions before it."""
        if self.expander is None:
            self.shown = visible(self.latex)
            self.pairs = closing_brackets(self.shown)
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
                why = "it is in a definition that cannot be read"
            elif not groups and is_handed_on(self.shown, start, behind):
                why = _HANDED_ON
        why = "" if start < self.inside else why
        end = groups[-1][1] + 1 if groups else behind
        return CiteCommand(name, tuple(keys), start, end, why) if keys or why else None

    def _unbraced(self, behind: int, expander: Expander) -> tuple[list[str], int]:
        r"""Return the keys of a command that follows without braces (\cite\mykey), and its end."""
        gap = _BETWEEN.match(self.shown, behind)
        found = _UNBRACED.match(self.shown, gap.end() if gap else behind)
        if found is None:
            return [], behind
        keys, why = expander.keys_in(found[0])
        return ([], behind) if why else (list(keys), found.end())


def count_cited(latex: str, macros: Macros = NONE) -> dict[str, int]:
    """Return the number of cite commands by their keys, joined by commas."""
    return read_cited(latex, macros)[0]


def read_cited(latex: str, macros: Macros = NONE) -> tuple[dict[str, int], list[CiteCommand]]:
    """Return the results of `count_cited` and `unfollowed`.

    If every command is plain, as in nearly all texts, a regular expression counts them in half the time.
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
    """Return the result of `count_cited` for a text whose commands are all plain or simple; None if one is not."""
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
    """Return `_TOKEN` with a thesis's own commands before all others."""
    begun = "|\\\\(?:"
    before, _, behind = _TOKEN.pattern.partition(begun)
    return re.compile(f"{before}{begun}{own.replace(AS_PLAIN, _PLAIN_ARGUMENTS)}|{behind}")


def visible(latex: str) -> str:
    """Return `latex` with spaces in place of comments, verbatim text and addresses; its length stays.

    A comment includes the end of its line, as in TeX. A verbatim environment that is never closed hides nothing.
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


_kept_visible = lru_cache(maxsize=32)(_visible)  # assembling a thesis needs each chapter several times


@lru_cache(maxsize=32)
def _token(names: str) -> "re.Pattern[str]":
    """Return `_TOKEN` with a thesis's own commands, and environments."""
    own = "|".join(filter(None, [names, *_MAKES]))
    more = (
        rf"|({own})(?:(\*?{_GAP}(?:\[[^\[\]{{}}%\\]*+\]{_GAP})*+)\{{([^{{}}%\\]*+)\}})?+"
        r"|begin[ \t]*+\{([A-Za-z@]++\*?)\})"
    )
    return re.compile(_TOKEN.pattern.removesuffix(")") + more)


def _tokens(latex: str, token: "re.Pattern[str]") -> Iterator["re.Match[str]"]:
    """Yield the matches of `token`, but none inside a verbatim environment, and no environment that is not closed."""
    at = 0
    unclosed: set[str] = set()  # the end of each is searched only once, however often it is opened
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
    # Text with a brace is no list of keys. This check comes before copying the text, so that nesting takes linear time.
    return ((), "") if shown.find("{", start, end) >= 0 else expander.keys_in(shown[start:end])


def _groups(shown: str, at: int, pairs: dict[int, int], name: str) -> list[tuple[int, int]]:
    """Return the start and end of the braces with keys of the command `name`. `at` is the end of the name."""
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
