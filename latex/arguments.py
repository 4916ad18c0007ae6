r"""Arguments of commands, and the formulas of a text, found in LaTeX as `latex.cite_keys.visible` returns it."""

import re
from bisect import bisect_right
from collections.abc import Callable

_BLANK = re.compile(r"[ \t]*+(?:\r?\n[ \t]*+)?+")
_SIGN = re.compile(r"\\.|[{}\[\]]", re.DOTALL)
_PAIR = re.compile(r"\\.")
_LONGEST = 4_000  # characters of one argument
_MATHS = r"(?:equation|displaymath|math|align|alignat|flalign|gather|multline|eqnarray|aligned|gathered|split|dmath)\*?"
_MATH_SIGN = re.compile(rf"\\(begin|end)\s*\{{{_MATHS}\}}|\\[()\[\]]|\\.|\$\$?|\n[ \t]*\n", re.DOTALL)


def braced(seen: str, at: int) -> tuple[int, str | None]:
    """Return the end and the inside of the group in braces at `at`; (at, None) when there is none."""
    return _group(seen, at, "{", "}")


def optional(seen: str, at: int) -> tuple[int, str]:
    """Return the end and the inside of the option in brackets at `at`; (at, "") when there is none."""
    end, inside = _group(seen, at, "[", "]")
    return end, inside or ""


def _group(seen: str, at: int, opens: str, closes: str) -> tuple[int, str | None]:
    blank = _BLANK.match(seen, at)
    begin = blank.end() if blank else at
    if not seen.startswith(opens, begin):
        return at, None
    braces = 0
    for sign in _SIGN.finditer(seen, begin + 1, begin + _LONGEST):
        if sign[0] == closes and not braces:
            return sign.end(), seen[begin + 1 : sign.start()]
        braces += (sign[0] == "{") - (sign[0] == "}")
        if braces < 0:
            break
    return at, None


def with_line_breaks(latex: str, seen: str) -> str:
    r"""Return `seen` with the \\\\ of `latex`, which `visible` blanks too, outside comments and verbatim text."""
    parts: list[str] = []
    done = 0
    for found in _PAIR.finditer(latex):
        if found[0] != "\\\\" or not seen.startswith("  ", found.start()):
            continue
        before = found.start() - 1
        while before >= done and latex[before].isspace():
            before -= 1
        if before < done or seen[before] == latex[before]:
            parts += [seen[done : found.start()], found[0]]
            done = found.end()
    return "".join([*parts, seen[done:]])


def math_spans(seen: str) -> Callable[[int], bool]:
    """Return a function that tells whether a place of `seen` is in a formula. A blank line ends one in dollar signs."""
    borders: list[int] = []  # the places where a formula begins or ends, in turn
    opened = ""
    for sign in _MATH_SIGN.finditer(seen):
        token = "end" if sign[1] == "end" else "begin" if sign[1] else sign[0]
        if not opened and token in ("$", "$$", r"\(", r"\[", "begin"):
            opened = {r"\(": r"\)", r"\[": r"\]", "begin": "end"}.get(token, token)
            depth = 1
            borders.append(sign.end())
        elif opened == "end" and token == "begin":
            depth += 1
        elif opened and (token == opened or (token[:1] == "\n" and opened[0] == "$")):
            depth -= token == "end"
            if token != "end" or not depth:
                opened = ""
                borders.append(sign.start())
    return lambda at: bisect_right(borders, at) % 2 == 1
