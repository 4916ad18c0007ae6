r"""The smallest blocks of a LaTeX text that leave a brace or an environment open (SPEC T2).

A block is a paragraph, or the environment or group around it that cannot be read without it. Takes linear time, but for
texts with very many faults.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from latex.cite_keys import visible

_TOKEN = re.compile(r"\\(?P<way>begin|end)\s*\{(?P<name>[^{}\\%\r\n]{1,60})\}|\\.|(?P<brace>[{}])", re.DOTALL)
_FORMULA = re.compile(r"\\(?P<maths>[\[\]()])|\\.|(?P<dollar>\$\$?)|(?P<empty>(?:\r\n?|\n)[ \t]*(?=[\r\n]))", re.DOTALL)
_CLOSES = {"[": "]", "(": ")"}
_HEADING = r"\\(?:part|chapter|(?:sub){0,2}section|(?:sub)?paragraph)\*?(?:\[[^\[\]\n]*\])?"
_CUT = re.compile(
    rf"(?:\r\n?|\n)[ \t]*(?:\r\n?|\n)\s*|(?:\A|(?<=[\r\n]))(?={_HEADING}\{{)"
    rf"|(?:\A|(?<=[\r\n])){_HEADING}\{{(?:[^{{}}\\]|\\.|\{{[^{{}}]*\}})*\}}"
)
_OF_PARAGRAPHS = frozenset(
    ["itemize", "enumerate", "description", "quote", "quotation", "center", "flushleft", "flushright", "abstract"]
)
_EMPTY = re.compile(r"(?:\r\n?|\n)[ \t]*[\r\n]")
_MOST = 60  # faults that are looked at


class OpenPart(NamedTuple):
    """A block from `start` to `end` that cannot be read, and what is wrong: `message`, at the character `at`."""

    start: int
    end: int
    at: int
    message: str


class _Fault(NamedTuple):
    at: int
    message: str


def open_parts(latex: str) -> list[OpenPart]:
    r"""Return the blocks of `latex` in which a brace or an environment is not closed, or closed without being open."""
    faults, pairs = _structure(latex)
    return _blocks_around(latex, sorted(faults)[:_MOST], pairs)


def part_at(latex: str, at: int, message: str) -> OpenPart:
    """Return the block around the character `at`."""
    return _blocks_around(latex, [_Fault(at, message)], _structure(latex)[1])[0]


def _structure(latex: str) -> tuple[list[_Fault], list[tuple[int, int, str]]]:
    """Return the faults, and start, end and name of each environment and group ("") that is closed."""
    faults: list[_Fault] = []
    pairs: list[tuple[int, int, str]] = []
    stack: list[tuple[int, str]] = []  # what is open: its place, and the name of an environment
    seen = visible(latex)
    for found in _TOKEN.finditer(seen):
        at, name = found.start(), found["name"] or ""
        if found["brace"] == "{" or found["way"] == "begin":
            stack.append((at, name))
        elif found["brace"] == "}":
            if stack and not stack[-1][1]:
                pairs.append((stack.pop()[0], at, ""))
            else:
                faults.append(_Fault(at, "this brace } closes nothing"))
        elif found["way"] == "end":
            if not any(one == name for _, one in stack):
                faults.append(_Fault(at, rf"\end{{{name}}} has no \begin{{{name}}} before it"))
                continue
            while stack[-1][1] != name:
                faults.append(_never_closed(*stack.pop()))
            pairs.append((stack.pop()[0], at, name))
    faults += [*(_never_closed(*one) for one in stack), *_open_formulas(seen)]
    return faults or _over_paragraphs(latex, pairs), pairs


def _open_formulas(seen: str) -> Iterator[_Fault]:
    """Yield the formulas that do not end before an empty line."""
    opened: tuple[int, str] | None = None  # the open one: its place, and what closes it
    for found in _FORMULA.finditer(seen):
        sign = found["maths"] or found["dollar"]
        if sign and (sign in "])" or (opened and sign == opened[1])):
            opened = None
        elif sign:
            opened = opened or (found.start(), _CLOSES.get(sign, sign))
        elif opened and found["empty"]:
            yield _Fault(opened[0], "this formula is never closed")
            opened = None
    if opened:
        yield _Fault(opened[0], "this formula is never closed")


def _over_paragraphs(latex: str, pairs: Iterable[tuple[int, int, str]]) -> list[_Fault]:
    r"""Return the arguments of commands in which there is an empty line, as in \textbf{..}."""
    return [
        _Fault(start, "this brace { is closed only after an empty line")
        for start, end, name in pairs
        if not name and latex[start - 1 : start].isalpha() and _EMPTY.search(latex, start, end)
    ]


def _never_closed(at: int, name: str) -> _Fault:
    return _Fault(at, rf"\begin{{{name}}} is never closed" if name else "this brace { is never closed")


def _blocks_around(latex: str, faults: list[_Fault], pairs: Iterable[tuple[int, int, str]]) -> list[OpenPart]:
    cuts = sorted({0, len(latex), *(found.end() for found in _CUT.finditer(latex))})
    number = {fault.at: bisect_right(cuts, fault.at) - 1 for fault in faults}
    wrong = set(number.values())
    spans = [(bisect_right(cuts, start) - 1, bisect_right(cuts, end) - 1, name) for start, end, name in pairs]
    spans = [one for one in spans if one[0] < one[1]]
    is_growing = True
    while is_growing:
        before = len(wrong)
        for first, last, name in spans:
            inside = [first, last] if name in _OF_PARAGRAPHS else range(first, last + 1)
            if any(one in wrong for one in inside):
                wrong.update(range(first, last + 1))
        is_growing = len(wrong) > before
    made: list[OpenPart] = []
    for place, (start, end) in enumerate(pairwise(cuts)):
        if place in wrong:
            begin = made.pop().start if made and made[-1].end == start else start
            fault = min((one for one in faults if begin <= one.at < end), default=_Fault(begin, "this cannot be read"))
            made.append(OpenPart(begin, end, fault.at, fault.message))
    return made
