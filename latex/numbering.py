r"""The numbers of headings, figures, tables and equations, counted as LaTeX counts them (SPEC T2, T6).

`Counters` has the values of LaTeX's counters; `walk` reads a text, steps them and yields the numbered parts. The
preview and Word use the same counters. When a text defines numbers in a way that is not supported, the number is "":
none is shown then, never a wrong one.
"""

import re
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from latex.cite_keys import visible
from latex.counter_styles import styled
from latex.numbering_events import DECLARATION, HEADINGS, STATE, Event, Row, events, rows_of

_DEPTHS = {"book": 2, "report": 2, "memoir": 1, "amsbook": 3}
_WITHOUT_CHAPTERS = re.compile(r"art|letter|proc|paper|standalone|minimal", re.IGNORECASE)
_CLASS = re.compile(r"\\documentclass\s*(?:\[[^\[\]]*\])?\s*\{([^{}]*)\}")
_CHAPTER = re.compile(r"\\(?:chapter|addchap)(?![A-Za-z@])")

_IN_CHAPTER = r"\inchapter"  # the class's own "\ifnum\c@chapter>0 \thechapter.\fi"
_FORMAT = re.compile(r"\\(arabic|roman|Roman|alph|Alph)\s*\{(\w+)\}|\\the([a-z]+)|\\[a-zA-Z]+|\\.|[{}]|([^\\{}]+)")
_MOST_SIGNS = 100  # parts of formats that are expanded, to stop at a format that contains itself
_NUMBER = re.compile(r"\s*(-?\d{1,9})\s*\Z")
_VALUE = re.compile(
    r"\s*(?:\\value\s*\{(\w+)\}"
    r"|\\(part|chapter|section|subsection|subsubsection|paragraph|subparagraph)numdepth)\s*\Z"
)


@dataclass
class CrefNames:
    r"""The options of cleveref, and the names that \crefname and \Crefname (`capital`) give to types of references."""

    options: frozenset[str] = frozenset()
    own: dict[str, tuple[str, str]] = field(default_factory=dict)
    capital: dict[str, tuple[str, str]] = field(default_factory=dict)


class Theorem(NamedTuple):
    """A theorem-like environment: the word that it prints, and its counter, "" for none."""

    word: str
    counter: str


Kind = Literal["heading", "figure", "table", "equation", "theorem", "algorithm", "listing", "item"]


class Numbered(NamedTuple):
    r"""A numbered part of `kind` at `start`; a heading is of `level` (-1 part, 0 chapter ...).

    `number` is printed ("": none); a \ref to one of its `labels` prints `refers`, a \nameref its `title`. `type` is the
    environment of a theorem, `word` the name that it prints.
    """

    kind: Kind
    number: str
    start: int
    level: int = 0
    labels: tuple[str, ...] = ()
    refers: str = ""
    title: str = ""
    type: str = ""
    word: str = ""


_CAPTIONED: dict[str, tuple[Kind, str]] = {  # environments with their kind and counter
    "figure": ("figure", "figure"),
    "table": ("table", "table"),
    "longtable": ("table", "table"),
    "algorithm": ("algorithm", "algorithm"),
    "lstlisting": ("listing", "lstlisting"),
}


@dataclass
class Counters:
    """The values of LaTeX's counters at a place of a document.

    `depth` is secnumdepth; `formats` are the bodies of \\thesection and so on; `within` has, for each counter, the one
    that resets it; `is_main` is False between \\frontmatter and \\mainmatter.
    """

    has_chapters: bool = True
    depth: int = 2
    values: dict[str, int] = field(default_factory=dict)
    formats: dict[str, str] = field(default_factory=dict)
    within: dict[str, str] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)  # counters that a text sets in a way that is not supported
    is_main: bool = True
    is_lettered: bool = False  # after \\appendix
    current: str = ""  # printed by a \\ref to a label at this place
    theorems: dict[str, Theorem] = field(default_factory=dict)
    cref: CrefNames = field(default_factory=CrefNames)
    parent: str = ""  # the number of the subequations around
    _continued: bool = False

    def __post_init__(self) -> None:
        chain = list(HEADINGS)[1:] if self.has_chapters else list(HEADINGS)[2:]
        for outer, inner in zip(chain, chain[1:], strict=False):
            self.within[inner] = outer
            self.formats[inner] = rf"\the{outer}.\arabic{{{inner}}}"
        self.formats |= {"part": r"\Roman{part}", chain[0]: rf"\arabic{{{chain[0]}}}"}
        for one in ("figure", "table", "equation", "lstlisting"):
            self.formats[one] = rf"{_IN_CHAPTER if self.has_chapters else ''}\arabic{{{one}}}"
            if self.has_chapters:
                self.within[one] = "chapter"
        self.formats["algorithm"] = r"\arabic{algorithm}"

    def copy(self) -> "Counters":
        """Return a deep copy."""
        return deepcopy(self)

    def settings(self) -> list[str]:
        r"""Return the \setcounter lines that give LaTeX's counters these values."""
        return [
            f"\\setcounter{{{name}}}{{{self.values[name]}}}"
            for name in (*HEADINGS, "figure", "table", "equation")
            if name in self.values
        ]

    def heading(self, name: str, *, is_starred: bool = False) -> str:
        """Return the number of the next heading `name` ("section"); "" if it has none."""
        is_plain = is_starred or HEADINGS[name] > self.depth or (name == "chapter" and not self.is_main)
        if is_plain:
            return ""
        self.current = self.step(name)
        return self.current

    def theorem(self, name: str) -> str:
        """Step the counter of the theorem-like environment `name` and return its number; "" for none."""
        counter = self.theorems[name].counter
        return self.step(counter) if counter else ""

    def step(self, counter: str) -> str:
        """Step `counter` (of a heading, "figure", "table" or "equation") and return its number."""
        if self._continued and counter in ("figure", "table"):
            self._continued = False
            return self.number(counter)
        self.values[counter] = self.values.get(counter, 0) + 1
        self._reset_below(counter)
        return self.number(counter)

    def number(self, counter: str) -> str:
        """Return the printed form of the current value of `counter`."""
        return self._set(counter, [_MOST_SIGNS]) or ""

    def _reset_below(self, counter: str) -> None:
        for inner, outer in self.within.items():
            if outer == counter:
                if self.values.get(inner):
                    self.values[inner] = 0
                    self.unknown.discard(inner)
                self._reset_below(inner)

    def _set(self, counter: str, left: list[int]) -> str | None:
        """Return the printed form of `counter`; None if it is not known, or after `left` parts of formats."""
        if counter in self.unknown or counter not in self.formats:
            return None
        made = ""
        for found in _FORMAT.finditer(self.formats[counter]):
            left[0] -= 1
            part: str | None = None
            if left[0] < 0:
                return None
            if found[1]:
                part = None if found[2] in self.unknown else styled(found[1], self.values.get(found[2], 0))
            elif found[3]:
                part = self._set(found[3], left)
            elif found[0] == _IN_CHAPTER:
                chapter = self._set("chapter", left)
                part = chapter and (f"{chapter}." if self.values.get("chapter", 0) > 0 else "")
            elif found[4] is not None or found[0] in "{}":
                part = found[4] or ""
            if part is None:
                return None
            made += part
        return made

    def begin_appendices(self) -> None:
        r"""Do what \appendix does."""
        first = "chapter" if self.has_chapters else "section"
        self.is_lettered, self.is_main = True, True
        self.values[first] = 0
        self._reset_below(first)
        self.formats[first] = rf"\Alph{{{first}}}"

    def apply(self, command: str) -> bool:
        r"""Apply a command that sets counters (\setcounter{chapter}{3}); return whether it is such a command."""
        found = STATE.match(command.strip())
        if found is None:
            return False
        if found["plain"] == "appendix":
            self.begin_appendices()
        elif found["plain"] == "ContinuedFloat":
            self._continued = True
        elif found["plain"]:
            self.is_main = found["plain"] == "mainmatter"
        elif found["value"]:
            self._assign(found["value"], found["of"], found["to"])
        elif found["within"]:
            self._nest(found["within"], found["inner"], found["outer"], is_bare=bool(found["bare"]))
        elif found["step"]:
            number = self.step(found["stepped"])
            self.current = number if found["step"] == "refstepcounter" else self.current
        elif found["deep"]:
            level = {"none": -2, "all": 5, "book": -2}.get(found["level"], HEADINGS.get(found["level"]))
            self.depth = self.depth if level is None else level
        elif found["one"] or found["other"]:
            self.formats[found["one"] or found["other"]] = found["format"]
        else:
            self._name(found)
        return True

    def declare(self, latex: str) -> None:
        """Apply only the declarations of theorems and names in a text, wherever they stand in it."""
        for found in DECLARATION.finditer(visible(latex)):
            if state := STATE.match(found.string, found.start()):
                self._name(state)

    def _name(self, found: re.Match[str]) -> None:
        """Declare a theorem, or names for cleveref."""
        if found["theorem"]:
            self._declare(
                found["theorem"], found["word"], found["like"], found["below"], is_counted=not found["lonely"]
            )
        elif found["declared"]:
            self._declare_by_keys(found["declared"], found["keys"] or "")
        elif found["type"]:
            names = self.cref.own if found["case"] == "c" else self.cref.capital
            names[found["type"]] = found["single"], found["plural"]
        elif found["options"] is not None:
            self.cref.options |= frozenset(one.strip() for one in found["options"].split(","))

    def _declare(self, name: str, word: str, like: str | None, below: str | None, *, is_counted: bool = True) -> None:
        shared = self.theorems[like].counter if like in self.theorems else like
        self.theorems[name] = Theorem(word, (shared or name) if is_counted else "")
        if is_counted and not shared:
            self.values[name] = 0
            self.formats[name] = rf"\arabic{{{name}}}"
            if below:
                self._nest("counterwithin", name, below, is_bare=False)

    def _declare_by_keys(self, name: str, keys: str) -> None:
        r"""Declare a theorem by the keys of thmtools' \declaretheorem."""
        given = {key.strip(): value.strip(" {}") for key, _, value in (one.partition("=") for one in keys.split(","))}
        like = next((given[key] for key in ("sibling", "numberlike", "sharenumber") if key in given), None)
        below = next((given[key] for key in ("numberwithin", "within", "parent") if key in given), None)
        word = given.get("name") or given.get("title") or given.get("heading") or name.capitalize()
        self._declare(name, word, like, below, is_counted=given.get("numbered") not in ("no", "false"))

    def _assign(self, command: str, counter: str, to: str) -> None:
        named, plain = _VALUE.match(to), _NUMBER.match(to)
        if plain:
            value = int(plain[1])
        elif named and named[1] in self.values and named[1] not in self.unknown:
            value = self.values[named[1]]
        elif named and named[2]:
            value = HEADINGS[named[2]]
        else:
            self.unknown.add(counter)
            return
        is_set = command == "setcounter"
        if counter == "secnumdepth":
            self.depth = value if is_set else self.depth + value
        else:
            self.values[counter] = value if is_set else self.values.get(counter, 0) + value
            self.unknown -= {counter} if is_set else set()

    def _nest(self, command: str, inner: str, outer: str, *, is_bare: bool) -> None:
        before = ""
        if command == "counterwithout":
            self.within.pop(inner, None)
        else:
            self.within[inner], before = outer, rf"\the{outer}."
        if not is_bare:
            self.formats[inner] = rf"{before}\arabic{{{inner}}}"


def counters_of(preamble: str, body: str = "") -> Counters:
    r"""Return the counters at \begin{document} after `preamble`; `body` shows if an unknown class has chapters."""
    seen = visible(preamble)
    named = _CLASS.search(seen)
    name = named[1].strip() if named else ""
    stem = name.removeprefix("ext").removeprefix("scr")
    stem = {"reprt": "report"}.get(stem, stem)
    has_chapters = stem in _DEPTHS or (
        not _WITHOUT_CHAPTERS.search(name) and _CHAPTER.search(visible(body)) is not None
    )
    made = Counters(has_chapters=has_chapters, depth=_DEPTHS.get(stem, 2 if has_chapters else 3))
    if name == "amsbook":
        made.formats |= {one: rf"\arabic{{{one}}}" for one in ("section", "figure", "table", "equation")}
    for found in STATE.finditer(seen):
        made.apply(found[0])
    return made


def has_chapter(latex: str) -> bool:
    """Return whether a text has a chapter heading, numbered or not."""
    return any(event.kind == "heading" and event.name == "chapter" for event in events(latex))


def walk(latex: str, counters: Counters) -> Iterator[Numbered]:
    """Yield the parts of `latex` that have a number or could have one, in order, and step `counters`; linear time."""
    floats: list[str] = []  # open environments
    outer: tuple[str, int] | None = None  # format and value of the equation counter outside subequations
    for event in events(latex):
        if event.kind == "heading":
            number = counters.heading(event.name, is_starred=event.plain)
            refers = number or counters.current
            yield Numbered("heading", number, event.start, HEADINGS[event.name], event.labels, refers, event.title)
        elif event.kind == "caption":
            name = event.name or (floats[-1] if floats else "")
            if name in _CAPTIONED:
                kind, counter = _CAPTIONED[name]
                # A longtable is counted at its beginning
                count = counters.number if name == "longtable" else counters.step
                number = "" if event.plain else count(counter)
                refers = number or counters.current
                yield Numbered(kind, number, event.start, 0, event.labels, refers, event.title)
        elif event.kind == "other":
            if theorem := counters.theorems.get(event.name):
                number = counters.theorem(event.name)
                refers = number or counters.current
                yield Numbered("theorem", number, event.start, 0, event.labels, refers, "", event.name, theorem.word)
        elif event.kind == "rows":
            for number, labels in _counted(event.rows, counters):
                yield Numbered("equation", number, event.start, 0, labels, number or counters.current)
        else:
            outer = _moved(event, counters, floats, outer)


def _counted(rows: Iterable[Row], counters: Counters) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the number and the labels of each line."""
    for number, labels in rows:
        yield counters.step("equation") if number is None else number, labels


def _moved(
    event: Event, counters: Counters, floats: list[str], outer: tuple[str, int] | None
) -> tuple[str, int] | None:
    """Apply an environment or a command that sets counters; return the new `outer`."""
    begins = event.kind == "begin"
    if event.kind == "state":
        counters.apply(event.name)
    elif event.name == "subequations":
        return subequations(counters, outer, begins=begins)
    elif begins and event.name == "appendices":
        counters.begin_appendices()
    elif begins:
        floats.append(event.name)
        if event.name == "longtable" and not event.plain:
            counters.step("table")  # counted with or without a caption
    elif event.name in floats:
        del floats[len(floats) - 1 - floats[::-1].index(event.name) :]
    return outer


def subequations(counters: Counters, outer: tuple[str, int] | None, *, begins: bool) -> tuple[str, int] | None:
    """Apply the begin or end of subequations, in which equations are numbered 3.1a, 3.1b; return the new `outer`."""
    if begins and outer is None:
        number = counters.parent = counters.step("equation")
        outer = counters.formats["equation"], counters.values["equation"]
        counters.formats["equation"] = f"{number}\\alph{{equation}}" if number else r"\unknown"
        counters.values["equation"] = 0
    elif not begins and outer is not None:
        counters.formats["equation"], counters.values["equation"] = outer
        outer = None
    return outer


def numbered_rows(
    name: str, inside: str, counters: Counters, *, only_tags: bool = False
) -> list[tuple[str, tuple[str, ...]]]:
    r"""Return the number and the labels of each line of an equation: `inside` is the text of the environment `name`.

    With `only_tags`, as in align*, only \tag gives a number.
    """
    rows = rows_of(name, inside)
    return list(_counted(((number or "", labels) for number, labels in rows) if only_tags else rows, counters))
