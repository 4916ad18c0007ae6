r"""Which commands cite by their names, and which commands a text defines (SPEC C7).

Reads \newcommand, \def, \let, \NewDocumentCommand, \DeclareCiteCommand and environments, in one pass over a text.
Whether a definition cites is decided in `cite_macros`. Pure.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

# The most common commands: one pair of braces, with keys
PLAIN = frozenset(
    ["cite", "citep", "citet", "citealp", "citealt", "citeauthor", "citeyear", "citeyearpar", "citenum", "nocite"]
    + ["parencite", "textcite", "autocite", "footcite", "footfullcite", "supercite", "fullcite", "smartcite"]
    + ["Cite", "Citep", "Citet", "Parencite", "Textcite", "Autocite", "Footcite", "Smartcite", "onlinecite"]
    + ["bibentry"]
)
# Of the package csquotes: \textcquote[p.~3]{key}{text}, some with a language before the key
QUOTES = r"(?:foreign|hyphen|hybrid)?(?:text|block)cquote"
NAME = rf"[A-Za-z]*[cC]ite[A-Za-z]*+|bibentry|{QUOTES}"
# A text without any of these cites nothing
TRACES = ("cite", "Cite", "bibentry", "cquote")

_CITES = re.compile(rf"(?:{NAME})\*?")
# Named like a citation, but their argument is not a key
_NO_KEY = re.compile(
    r"(?:new|set|def)?cite(?:style|text|reset|setup|left|right|mid|punct|dash|form|alias|command)|bibcite|newcites"
    r"|cite(?:tracker|index)(?:true|false)|Declare[A-Za-z]*|At[A-Z][A-Za-z]*"
)
# \volcite{volume}[page]{key} and \foreigntextcquote{german}{key}: the key comes second.
_KEY_SECOND = re.compile(r"(?:p|f|ft|s|t|a)?[vV]olcite|(?:foreign|hyphen|hybrid)(?:text|block)cquote")
_NOT_PLAIN = re.compile(r"#+[1-9]|\\(?:[A-Za-z@]+|.)\s*")
_SEVERAL = re.compile(r"[A-Za-z]*[cC]ite(?:text)?s")  # \cites{a}{b}, \footcitetexts[p.~3]{a}[p.~4]{b}

_KEPT = 300_000  # characters of the longest text whose definitions are cached
_LONGEST_OPTION = 2_000
_DEEPEST = 4  # nested definitions
_LONGEST_BODY = 20_000

_NEW = r"(?:re)?newcommandx?|providecommandx?|(?:new|renew|provide)robustcmdx?|DeclareRobustCommandx?"
_DOCUMENT = r"(?:New|Renew|Provide|Declare)(?:Expandable)?DocumentCommand"
_DEF = (
    r"[gex]?def|(?:un)?expanded@def|protected@[ex]def|cs[gex]?def|@namedef"
    r"|cs_g?(?:new|set)(?:_protected)?(?:_nopar)?:Npn"
)
_LET = r"g?let|(?:New|Renew|Declare)CommandCopy|letcs|csletcs|cslet"
_CITE = r"Declare(?:Multi)?CiteCommand"
_ENVIRONMENT = r"(?:re|provide)?newenvironment|(?:New|Renew|Provide|Declare)DocumentEnvironment"
_DEFINES = re.compile(
    rf"(?P<new>{_NEW})|(?P<document>{_DOCUMENT})|(?P<def>{_DEF})|(?P<let>{_LET})|(?P<cite>{_CITE})"
    rf"|(?P<environment>{_ENVIRONMENT})"
)
DEFINES = rf"{_NEW}|{_DOCUMENT}|{_DEF}|{_CITE}|{_ENVIRONMENT}"  # all but \let
_TRACE = re.compile(
    r"\\(?:(?:re)?new(?:command|robustcmd|environment)|provide|Declare"
    r"|(?:New|Renew|Provide)(?:Expandable)?(?:Document|Command)|[gex]?def|g?let|cs|@namedef|protected@)"
)
_SIGN = re.compile(r"\\(?:(__[A-Za-z_@:]+|[A-Za-z@]+(?:_[A-Za-z_@]*:[A-Za-z]*)?)|.)|[{}]", re.DOTALL)
_GAP = re.compile(r"[ \t]*+(?:(?:\r\n|\r|\n)[ \t]*+)?+")
_NAMED = re.compile(
    r"\{?+\s*+(?:\\csname\s*+((?:[^\\]|\\(?!endcsname))*?)\\endcsname"
    r"|\\(__[A-Za-z_@:]+|[A-Za-z@]+(?:_[A-Za-z_@]*:[A-Za-z]*)?|[^A-Za-z\s])|([^\s{}\\\[\]#]))\s*+\}?+"
)
_LONGEST_NAME = 200
_BRACED_NAME = re.compile(r"\{([^{}]{1,200})\}")
_PARAMETERS = re.compile(r"(?:\s|#+[1-9]|\[#+[1-9]\]|\(#+[1-9]\))*+")
_PARAMETER = re.compile(r"#+[1-9]|\[#+[1-9]\]|\(#+[1-9]\)")
_KEYED = re.compile(r"([1-9])\s*=")
_USED = re.compile(r"\\(__[A-Za-z_@:]+|[A-Za-z@]+(?:_[A-Za-z_@]*:[A-Za-z]*)?)")
# \ifdraft ... \fi, but not the commands that choose between arguments in braces
_IF = re.compile(r"if(?!f$|then|str|blank|def|toggle|bool|num|dim|cs|test|und|[a-z]*empty|inlist)[A-Za-z@]*")


def is_citing(name: str) -> bool:
    """Return whether the command `name` cites by its name: it has "cite" in it, and is no command for settings."""
    return _CITES.fullmatch(name) is not None and _NO_KEY.fullmatch(name) is None


def may_be_citing(made: str) -> bool:
    """Return whether a generated name may be that of a command that cites.

    Commands and parameters in it may stand for any letters. A name without a plain letter is assumed not to cite.
    """
    parts = _NOT_PLAIN.split("".join(made.split()) if "\\" not in made else made)
    plain = ["".join(part.split()) for part in parts]
    may_be = re.compile("[A-Za-z]*".join(map(re.escape, plain)))
    return any(plain) and any(map(may_be.fullmatch, PLAIN))


def takes_several(name: str) -> bool:
    r"""Return whether the command takes several pairs of braces with keys, as `\cites{a}{b}`."""
    return _SEVERAL.fullmatch(name) is not None


def passed_over(name: str) -> int:
    """Return how many pairs of braces come before the keys."""
    return 1 if _KEY_SECOND.fullmatch(name) else 0


def split_keys(inner: str) -> tuple[str, ...]:
    """Return the keys between two braces, without white space around them and without parameters (`#`)."""
    keys = tuple(map(str.strip, inner.split(",")))
    is_odd = "" in keys or "#" in inner or "\n" in inner or "\r" in inner
    return tuple(" ".join(key.split()) for key in keys if key and "#" not in key) if is_odd else keys


class Argument(NamedTuple):
    """An argument. `kind`: "m" (braces or one token), "o" (optional, opened by `opens`), "s" (optional character)."""

    kind: str
    opens: str = "{"
    closes: str = "}"
    default: str = ""


class Definition(NamedTuple):
    """The definition of a name: `body` with #1 ... for `arguments`. `why` it cannot be expanded ("": it can).

    `tail` is the end code of an environment; `alias` the other name of a \\let; `cites` the command that it cites like,
    for \\DeclareCiteCommand and a \\let to a command that cites.
    """

    name: str
    arguments: tuple[Argument, ...] = ()
    body: str = ""
    tail: str = ""
    alias: str = ""
    why: str = ""
    cites: str = ""

    @property
    def mentions(self) -> set[str]:
        """Return the names of the commands in it."""
        texts = [self.body, self.tail, *(one.default for one in self.arguments)]
        return {name for text in texts for name in _USED.findall(text)} | ({self.alias} if self.alias else set())


class Defined(NamedTuple):
    """A definition at `text[start:end]`. `is_certain`: outside braces and \\if, so that it always applies.

    `yields`: it applies only if the name is not defined yet, as with \\providecommand.
    """

    start: int
    end: int
    definition: Definition
    is_certain: bool
    yields: bool


def definitions(shown: str) -> list[Defined]:
    """Return the definitions in `shown` (from `cite_keys.visible`) in order, also nested ones; in linear time."""
    if _TRACE.search(shown) is None:
        return []
    return list(_cached_definitions(shown) if len(shown) <= _KEPT else _read(shown))


@lru_cache(maxsize=128)
def _cached_definitions(shown: str) -> tuple[Defined, ...]:
    return tuple(_read(shown))


def _read(shown: str) -> Iterator[Defined]:
    places, closes = _places(shown)
    around: list[int] = []  # ends of the definitions around this one
    for start, behind, kind, word, is_certain in places:
        made = _Reader(shown, closes, behind).read(kind, word)
        if made is not None:
            definition, end = made
            while around and around[-1] <= start:
                around.pop()
            for _ in around[:_DEEPEST]:  # inside another definition, parameters are written ##1
                body, tail = (one.replace("##", "#") for one in (definition.body, definition.tail))
                definition = definition._replace(body=body, tail=tail)
            around.append(end)
            yield Defined(start, end, definition, is_certain, word.lower().startswith("provide"))


def _places(shown: str) -> tuple[list[tuple[int, int, str, str, bool]], dict[int, int]]:
    """Return the beginnings of definitions, and the end of each brace in `shown`."""
    places = []
    closes: dict[int, int] = {}
    opened: list[int] = []
    choices = 0
    last = ""
    for found in _SIGN.finditer(shown):
        sign = found[0]
        if sign == "{":
            opened.append(found.start())
        elif sign == "}":
            if opened:
                closes[opened.pop()] = found.start()
        elif (name := found[1]) is not None:
            if (kind := _DEFINES.fullmatch(name)) is not None:
                places.append((found.start(), found.end(), kind.lastgroup or "", name, not opened and not choices))
            elif name == "fi":
                choices = max(0, choices - 1)
            elif last != "newif" and _IF.fullmatch(name):
                choices += 1
            last = name
    return places, closes


class _Reader:
    """Reads one definition, from the end of its command on."""

    def __init__(self, shown: str, closes: dict[int, int], at: int) -> None:
        self.shown, self.closes, self.at = shown, closes, at

    def read(self, kind: str, word: str) -> tuple[Definition, int] | None:
        """Return the definition and its end; None if it is incomplete."""
        self._skip("*")
        self._gap()
        if kind == "environment" or (word.startswith(("cs", "@named")) and not word.startswith("cs_")):
            name = self._behind(_BRACED_NAME.match(self.shown, self.at))
        else:
            name = self._behind(_NAMED.match(self.shown, self.at, self.at + _LONGEST_NAME))
        if not name:
            return None
        name = f"begin {name.strip()}" if kind == "environment" else name
        rest = {"new": self._new, "document": self._document, "def": self._def, "let": self._let, "cite": self._cite}
        # \newenvironment{name}[2][default]{begin}{end}, and \NewDocumentEnvironment{name}{m}{begin}{end}
        as_document = kind == "environment" and word.endswith("DocumentEnvironment")
        made = rest.get("document" if as_document else kind, self._new)(name, word)
        return None if made is None else (made, self.at)

    def _gap(self) -> None:
        if found := _GAP.match(self.shown, self.at):
            self.at = found.end()

    def _skip(self, sign: str) -> bool:
        self._gap()
        there = self.shown.startswith(sign, self.at)
        self.at += len(sign) * there
        return there

    def _behind(self, found: "re.Match[str] | None") -> str | None:
        """Move to the end of the name that was `found`, and return it; "" for an empty one."""
        if found is None:
            return None
        self.at = found.end()
        name = next((group for group in found.groups() if group), "")
        return f"active {name}" if found.re is _NAMED and name == found[3] else name

    def _group(self) -> str | None:
        self._gap()
        close = self.closes.get(self.at)
        if close is None:
            return None
        inner = self.shown[self.at + 1 : close]
        self.at = close + 1
        return inner

    def _option(self) -> str | None:
        self._gap()
        if not self.shown.startswith("[", self.at):
            return None
        place, end = self.at + 1, min(len(self.shown), self.at + _LONGEST_OPTION)
        while place < end:
            sign = self.shown[place]
            if sign == "]":
                inner = self.shown[self.at + 1 : place]
                self.at = place + 1
                return inner
            place = self.closes.get(place, end) + 1 if sign == "{" else place + 1
        return None

    def _new(self, name: str, word: str) -> Definition | None:
        count = (self._option() or "0").strip()
        arguments = [Argument("m")] * (int(count) if count.isdigit() and len(count) == 1 else 0)
        option = self._option() if arguments else None
        if option is not None:
            keyed = {int(one) for one in _KEYED.findall(option)} if word.endswith("x") else {1}
            default = "" if word.endswith("x") else option
            arguments = [
                Argument("o", "[", "]", default) if number in keyed else one
                for number, one in enumerate(arguments, start=1)
            ]
        return self._made(name, arguments)

    def _document(self, name: str, word: str) -> Definition | None:
        asked = self._group()
        return None if asked is None else self._made(name, *_specified(asked))

    def _made(self, name: str, arguments: list[Argument], why: str = "") -> Definition | None:
        is_environment = name.startswith("begin ")
        body = self._group()
        tail = self._group() if is_environment else None
        if body is None and not is_environment:  # \newcommand\see\cite: one token
            self._gap()
            if found := re.compile(r"\\[A-Za-z@]+").match(self.shown, self.at):
                self.at, body = found.end(), found[0]
        return None if body is None else Definition(name, tuple(arguments), _flat(body), _flat(tail or ""), why=why)

    def _def(self, name: str, word: str) -> Definition | None:
        found = _PARAMETERS.match(self.shown, self.at)
        asked = found[0] if found else ""
        end, why = self.at + len(asked), ""
        if not self.shown.startswith("{", end):
            end = self.shown.find("{", end, end + _LONGEST_OPTION)
            if end < 0:
                return None
            why = "its arguments have delimiters of their own"
            asked = ""
        self.at = end
        arguments = [
            Argument("m") if one[0] == "#" else Argument("r", one[0], one[-1]) for one in _PARAMETER.findall(asked)
        ]
        return self._made(name, arguments, why)

    def _let(self, name: str, word: str) -> Definition | None:
        self._skip("=")
        found = _BRACED_NAME.match(self.shown, self.at) if word in ("letcs", "csletcs") else None
        other = self._behind(found or _NAMED.match(self.shown, self.at, self.at + _LONGEST_NAME))
        return None if other is None else Definition(name, alias=other, cites=other if is_citing(other) else "")

    def _cite(self, name: str, word: str) -> Definition | None:
        self._option()
        for _ in range(2 if "Multi" in word else 4):
            self._group()
        return Definition(name, cites="cites" if "Multi" in word else "cite")


# The argument specification of \NewDocumentCommand: a letter, followed by delimiters or a default
_SPECIFIED = re.compile(
    r"\s+|[+!]|>\s*(?:\{[^{}]*\})|(?P<m>m)|(?P<o>[og])|(?P<O>[OG])\s*\{(?P<default>(?:[^{}]|\{[^{}]*\})*)\}"
    r"|(?P<s>s)|t(?P<t>\S)"
    r"|[dr](?P<d>\S)(?P<D>\S)|[DR](?P<r>\S)(?P<R>\S)\s*\{(?P<value>(?:[^{}]|\{[^{}]*\})*)\}"
)


def _specified(asked: str) -> tuple[list[Argument], str]:
    """Return the arguments of a specification such as "s o m", and why they cannot be read, or ""."""
    made: list[Argument] = []
    at = 0
    while at < len(asked):
        found = _SPECIFIED.match(asked, at)
        if found is None:
            return [], "its arguments have an unknown type"
        at = found.end()
        if found["m"]:
            made.append(Argument("m"))
        elif letter := found["o"] or found["O"]:
            made.append(Argument("o", *(("{", "}") if letter in "gG" else ("[", "]")), found["default"] or ""))
        elif sign := found["t"] or found["s"]:
            made.append(Argument("s", "*" if found["s"] else sign))
        elif opens := found["d"] or found["r"]:
            made.append(Argument("o", opens, found["D"] or found["R"], found["value"] or ""))
    return made, "" if len(made) <= 9 else "it has too many arguments"


def _flat(body: str) -> str:
    """Return a body as one line, so that inserting it into a text does not move lines."""
    return re.sub(r"\s+", " ", body) if len(body) <= _LONGEST_BODY else body
