r"""Checks of a text before LaTeX runs: unknown or duplicate labels, unclosed environments, undefined citation keys."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from latex.cite_keys import EVERYTHING, cite_commands, count_cited, visible
from latex.cite_macros import NONE, Macros
from thesis.assembly.line_map import line_at


class Undefined(NamedTuple):
    """A citation key without a reference. `section` is "" for text between sections."""

    key: str
    section: str
    line: int


class Loose(NamedTuple):
    r"""A \ref to an unknown label, or a duplicate label."""

    label: str
    section: str
    line: int


BRACE = "{"


class Unclosed(NamedTuple):
    r"""An environment or a brace (`environment` is BRACE) that is not closed in its section.

    `is_open` False: an \end without its \begin, or a closing brace too many.
    """

    environment: str
    section: str
    line: int
    is_open: bool = True

    @property
    def is_brace(self) -> bool:
        """Whether it is a brace, not an environment."""
        return self.environment == BRACE

    @property
    def title(self) -> str:
        """What is wrong, without a full stop."""
        sign = "{" if self.is_open else "}"
        what = f"The brace {sign}" if self.is_brace else f"The environment {self.environment}"
        return f"{what} is not closed" if self.is_open else f"{what} is closed but was never opened"

    @property
    def advice(self) -> str:
        """How it is mended, in a sentence."""
        if self.is_brace:
            return "Add } where its part ends." if self.is_open else "Remove it, or add { before it."
        if self.is_open:
            return rf"Add \end{{{self.environment}}} below it."
        return rf"Remove \end{{{self.environment}}}, or add \begin{{{self.environment}}} above it."


class Passage(NamedTuple):
    """A text with the id of its section; "" for text between sections."""

    section: str
    latex: str
    macros: Macros = NONE


_LABEL = re.compile(r"\\label[ \t]*(?:\[[^\[\]]*\])?\{([^{}]+)\}")
_OPTION = re.compile(r"\blabel[ \t]*=[ \t]*\{?([^\s{},\]]+)")
_REF = re.compile(
    r"\\(?:ref|pageref|autoref|autopageref|[cC]ref|[cC]pageref|labelcref|eqref|nameref|[vV]ref|vpageref|subref"
    r"|fullref|thref|titleref|name[cC]refs?|Nameref|prettyref)"
    r"\*?[ \t]*\{([^{}]+)\}"
    r"|\\(?:[cC]refrange|[vV]refrange)\*?[ \t]*\{([^{}]+)\}[ \t]*\{([^{}]+)\}"
    r"|\\hyperref[ \t]*\[([^\[\]]+)\]"
)
_SEVERAL = re.compile(r"\\(?:[cC]ref|[cC]pageref|labelcref)\b")
_ENVIRONMENT = re.compile(r"\\\\|\\(begin|end)[ \t]*\{([^{}\\#]+)\}")
_BRACES = re.compile(r"\\.|[{}]", re.DOTALL)
_SOURCES = ("lstlisting", "minted")  # where label=... is an option
# Environments that may span several sections
_AROUND = frozenset(
    [
        "document",
        "appendices",
        "subappendices",
        "singlespace",
        "singlespacing",
        "doublespace",
        "doublespacing",
        "onehalfspace",
        "onehalfspacing",
        "spacing",
        "refsection",
        "refsegment",
    ]
)


@lru_cache(maxsize=64)
def keys_in(latex: str, macros: Macros = NONE) -> tuple[str, ...]:
    """Return the keys that a text cites, each once, in the order of the commands that cite them."""
    return tuple(dict.fromkeys(key for keys in count_cited(latex, macros) for key in keys.split(",")))


def references(passages: Iterable[Passage], others: Iterable[str]) -> tuple[list[Loose], list[Loose]]:
    r"""Return the \refs to unknown labels, and the duplicate labels. `others`: further texts that may define labels."""
    labels = {label for other in others for label, _ in _labels(visible(other))}
    doubled: list[Loose] = []
    seen = [(passage, visible(passage.latex)) for passage in passages]
    for passage, text in seen:
        for label, place in _labels(text):
            if label in labels:
                doubled.append(Loose(label, passage.section, line_at(passage.latex, place)))
            labels.add(label)
    loose = [
        Loose(label, passage.section, line_at(passage.latex, place))
        for passage, text in seen
        for label, place in _refs(text)
        if label not in labels
    ]
    return loose, doubled


def _labels(seen: str) -> Iterator[tuple[str, int]]:
    for found in _LABEL.finditer(seen):
        if "#" not in found[1]:
            yield " ".join(found[1].split()), found.start()
    if any(name in seen for name in _SOURCES):
        for found in _OPTION.finditer(seen):
            yield found[1], found.start()


def _refs(seen: str) -> Iterator[tuple[str, int]]:
    for found in _REF.finditer(seen):
        written = [one for one in found.groups() if one is not None]
        if _SEVERAL.match(found[0]):
            written = [label for one in written for label in one.split(",")]
        for label in written:
            label = " ".join(label.split())
            if label and "#" not in label and "\\" not in label:
                yield label, found.start()


def labels_used(latex: str) -> list[str]:
    r"""Return the labels that the \refs of a text name, each once."""
    return list(dict.fromkeys(label for label, _ in _refs(visible(latex))))


def unclosed(passage: Passage) -> list[Unclosed]:
    r"""Return the environments and braces of a section that are not closed in it, and those closed without a begin."""
    seen = visible(passage.latex)
    waiting: list[tuple[str, int]] = []
    found: list[Unclosed] = []

    def tell(name: str, place: int, *, is_open: bool) -> None:
        found.append(Unclosed(name, passage.section, line_at(passage.latex, place), is_open))

    for sign in _ENVIRONMENT.finditer(seen):
        name = (sign[2] or "").strip()
        if not sign[1] or name in _AROUND:
            continue
        if sign[1] == "begin":
            waiting.append((name, sign.start()))
        elif any(name == opened for opened, _ in waiting):
            while waiting[-1][0] != name:
                tell(*waiting.pop(), is_open=True)
            waiting.pop()
        else:
            tell(name, sign.start(), is_open=False)
    for name, place in waiting:
        tell(name, place, is_open=True)
    return sorted([*found, *_unclosed_braces(passage, seen)], key=lambda one: one.line)


def _unclosed_braces(passage: Passage, seen: str) -> Iterator[Unclosed]:
    """Yield the braces that are not closed, and those closed that were not open; `seen` is the visible text."""
    waiting: list[int] = []
    for sign in _BRACES.finditer(seen):
        if sign[0] == "{":
            waiting.append(sign.start())
        elif sign[0] == "}" and waiting:
            waiting.pop()
        elif sign[0] == "}":
            yield Unclosed(BRACE, passage.section, line_at(passage.latex, sign.start()), is_open=False)
    for place in waiting:
        yield Unclosed(BRACE, passage.section, line_at(passage.latex, place))


def undefined(passages: Iterable[Passage], defined: Mapping[str, object] | set[str]) -> list[Undefined]:
    """Return the cited keys that are not `defined`, each once per section, at its first line."""
    found: list[Undefined] = []
    for section, latex, macros in passages:
        if all(key in defined for key in keys_in(latex, macros)):
            continue
        told: set[str] = set()
        for command in cite_commands(latex, macros):
            for key in command.keys:
                if key not in defined and key not in told and key != EVERYTHING:
                    told.add(key)
                    found.append(Undefined(key, section, line_at(latex, command.start)))
    return found
