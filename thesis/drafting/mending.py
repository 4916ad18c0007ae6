r"""A draft that stops in the middle is made LaTeX that can stand: nothing half-written, nothing left open (SPEC T3).

What a model was cut off in, a `\cite{` say, goes; what is merely open is closed where that makes sense, as a list, and
goes where it does not, as half a table.
"""

import re
from typing import NamedTuple

from latex.keys import visible

_CLOSED_BY_US = {"itemize", "enumerate", "description", "quote", "quotation", "center", "abstract", "flushleft"}
_ENVIRONMENT = re.compile(r"\\(?:(begin)|end)[ \t]*\{([^{}\\\r\n]{1,60})\}")
_HALF_COMMAND = re.compile(r"~?\\[A-Za-z@]*\Z")
_CITES = re.compile(r"[ \t~]*\\[A-Za-z]*[cC]ite[A-Za-z]*\*?(?:\[[^\[\]{}]*\])*(?:\[[^\[\]{}]*|\{([^{}\\%]*))?\Z")
_TAKES_WHOLE = re.compile(
    r"[ \t~]*\\(?:begin|end|label|ref|eqref|autoref|cref|input|includegraphics|url|href)\*?(?:\[[^\[\]]*\])?\{[^{}]*\Z"
)
_SIGN = re.compile(r"\\.|[{}$]|\n[ \t]*(?=\n)", re.DOTALL)
_MOST_BRACES = 20  # with more, something else is wrong with it, and people will see it
_LIST_END = re.compile(r"\n?[ \t]*\\item[ \t]*\Z")


class Mended(NamedTuple):
    """LaTeX that can stand by itself, and what was done to it in sentences for people."""

    latex: str
    notes: list[str]


def mended(latex: str, *, is_cut: bool) -> Mended:
    """`latex` with what is half-written at its end taken off, and what it leaves open closed. Whole LaTeX stays as it is.

    `is_cut`: it is known not to have come to its end, so a formula or a table that is open goes; else it stays.
    """
    notes: list[str] = []
    text = latex.rstrip()
    text = _without_half_cite(text, notes)
    text = _without_half_command(text, notes)
    text = _with_braces_closed(text, notes, is_cut)
    text = _with_environments_closed(text, notes, is_cut)
    if text == latex.rstrip():
        return Mended(latex, [])
    return Mended(f"{text.rstrip()}\n", notes)


def _without_half_cite(text: str, notes: list[str]) -> str:
    r"""Without a `\cite{` that is not closed; keys that have a comma behind them were whole."""
    place = _before(text)
    found = _CITES.search(text, place) if place >= 0 else None
    if found is None or _is_hidden(text, found.start()):
        return text
    if found[1] is None and not found[0].endswith("[") and "{" not in found[0] and "[" not in found[0]:
        return text  # a bare command at the end: another rule's
    whole = ",".join(part.strip() for part in (found[1] or "").split(",")[:-1])
    notes.append("It stopped in the middle of a citation. The unfinished key was left out.")
    return f"{text[: found.start(1)]}{whole}}}" if whole else text[: found.start()]


def _before(text: str) -> int:
    """Where the last command begins, with the blanks before it."""
    at = text.rfind("\\")
    while at > 0 and text[at - 1] in " \t~":
        at -= 1
    return at


def _without_half_command(text: str, notes: list[str]) -> str:
    place = _before(text)
    if place < 0 or _is_hidden(text, text.rfind("\\")):
        return text
    if found := _TAKES_WHOLE.search(text, place):
        notes.append("It stopped in the middle of a command, which was left out.")
        return text[: found.start()]
    found = _HALF_COMMAND.search(text, place)
    if found and not text.endswith("\\\\") and not _ends_a_command(found[0]):
        notes.append("It stopped in the middle of a command, which was left out.")
        return text[: found.start()].rstrip()
    return text


_WHOLE_COMMANDS = {
    "noindent", "newpage", "clearpage", "centering", "medskip", "bigskip", "smallskip", "hline", "bottomrule", "toprule",
    "midrule", "par", "maketitle", "tableofcontents", "item", "ldots", "dots", "appendix", "LaTeX", "TeX",
}  # fmt: skip


def _ends_a_command(command: str) -> bool:
    """Whether a command may well stand at the end of a text."""
    return command.lstrip("~").lstrip("\\") in _WHOLE_COMMANDS


def _with_braces_closed(text: str, notes: list[str], is_cut: bool) -> str:
    """Braces that are left open are closed; a formula goes, for half of one cannot stand."""
    opened = _open_in(text)
    formula = next((at for sign, at in opened if sign == "$"), None)
    if formula is not None and is_cut:
        notes.append("It stopped in the middle of a formula, which was left out.")
        return _with_braces_closed(text[:formula].rstrip(), notes, is_cut)
    braces = [at for sign, at in opened if sign == "{"]  # a sum of dollars stays: people will see it
    if not braces or len(braces) > _MOST_BRACES:
        return text
    notes.append("Braces that were left open were closed at the end.")
    newline = "\n" if _last_line_is_comment(text) else ""
    return f"{text}{newline}{'}' * len(braces)}"


def _open_in(text: str) -> list[tuple[str, int]]:
    """The braces and formulas that `text` leaves open, and where they begin; no formula goes over an empty line."""
    opened: list[tuple[str, int]] = []
    for found in _SIGN.finditer(visible(text)):
        sign, at = found[0], found.start()
        in_formula = bool(opened) and opened[-1][0] == "$"
        if sign == "{":
            opened.append((sign, at))
        elif sign == "}":
            if in_formula:
                opened.pop()
            if opened:
                opened.pop()
        elif sign == "$" and in_formula:
            opened.pop()
        elif sign == "$":
            opened.append((sign, at))
        elif sign[0] == "\n":
            opened = [one for one in opened if one[0] != "$"]
    return opened


def _with_environments_closed(text: str, notes: list[str], is_cut: bool) -> str:
    opened: list[tuple[str, int]] = []
    for found in _ENVIRONMENT.finditer(visible(text)):
        name = found[2]
        if found[1]:
            opened.append((name, found.start()))
        elif any(one == name for one, _ in opened):
            while opened.pop()[0] != name:
                pass
    if not opened:
        return text
    other = next((at for name, at in opened if name not in _CLOSED_BY_US), None) if is_cut else None
    if other is not None:
        name = next(name for name, at in opened if at == other)
        notes.append(f"It stopped within {_article(name)}, which was left out: half of one cannot stand.")
        text = text[:other].rstrip()
        opened = [one for one in opened if one[1] < other]
    if opened:
        text = _LIST_END.sub("", text)
        ends = "\n".join(f"\\end{{{name}}}" for name, _ in reversed(opened))
        notes.append(f"What was left open was closed at the end ({', '.join(name for name, _ in opened)}).")
        text = f"{text}\n{ends}"
    return text


def _article(name: str) -> str:
    return f"{'an' if name[:1] in 'aeiou' else 'a'} {name}"


def _is_hidden(text: str, at: int) -> bool:
    """Whether the place is in a comment or verbatim text."""
    start = text.rfind("\n", 0, at) + 1
    line = re.sub(r"\\.", "  ", text[start:at])
    return "%" in line


def _last_line_is_comment(text: str) -> bool:
    return "%" in re.sub(r"\\.", "", text[text.rfind("\n") + 1 :])
