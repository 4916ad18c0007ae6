"""Algorithms of the packages algorithmic and algpseudocode as lines of text with bold words, for pandoc."""

import re

from latex.arguments import braced
from latex.cite_keys import visible
from latex.text_edits import Edit, apply_edits

_ALGORITHMIC = re.compile(
    r"\\begin\{algorithmic\}[ \t]*(?:\[[^\[\]]*\])?((?:(?!\\begin\{algorithmic\})[\s\S])*?)\\end\{algorithmic\}"
)
# Before and after the argument of a command; whether the lines after it are further in
_OPENS = {
    "if": ("if", "then"), "for": ("for", "do"), "forall": ("for all", "do"), "foreach": ("for each", "do"),
    "while": ("while", "do"), "loop": ("loop", ""), "repeat": ("repeat", ""), "procedure": ("procedure", ""),
    "function": ("function", ""),
}  # fmt: skip
_BETWEEN = {"elsif": ("else if", "then"), "elseif": ("else if", "then"), "else": ("else", "")}
_CLOSES = {"until": ("until", "")} | {
    f"end{name}": (f"end {words}", "")
    for name, words in {
        "if": "if", "for": "for", "while": "while", "loop": "loop", "procedure": "procedure", "function": "function",
    }.items()
}  # fmt: skip
_LINES = {
    "state": "", "statex": "", "return": "return", "require": "Require:", "ensure": "Ensure:", "input": "Input:",
    "output": "Output:", "print": "print", "globals": "Globals:",
}  # fmt: skip
_COMMAND = re.compile(
    r"\\("
    + "|".join(sorted({*_OPENS, *_BETWEEN, *_CLOSES, *_LINES, "comment", "call"}, key=len, reverse=True))
    + r")(?![A-Za-z])[ \t]*",
    re.IGNORECASE,
)
_INDENT = r"\ \ \ \ "


def with_plain_algorithms(latex: str) -> str:
    """Return `latex` with the lines of its algorithms as text, which pandoc would drop; line numbers stay."""
    if "{algorithmic}" not in latex:
        return latex
    seen = visible(latex)
    edits = []
    for found in _ALGORITHMIC.finditer(seen):
        new = f"\\begin{{quote}}{_lines(seen[found.start(1) : found.end(1)])}\\end{{quote}}"
        edits.append(Edit(*found.span(), new + "%\n" * (found[0].count("\n") - new.count("\n"))))
    return apply_edits(latex, edits)


def _lines(text: str) -> str:
    """Return the lines of an algorithm, each further in than the one that it belongs to."""
    made: list[str] = []
    depth = at = 0
    for found in _COMMAND.finditer(text):
        if found.start() < at:
            continue
        _add(made, text[at : found.start()])
        name, at = found[1].lower(), found.end()
        if name == "comment":
            at, inside = braced(text, at)
            _add(made, rf" $\triangleright$ {inside or ''}")
        elif name == "call":
            at, first = braced(text, at)
            at, second = braced(text, at)
            _add(made, f"{first or ''}({second or ''})")
        elif name in _LINES:
            made.append(_INDENT * depth + (rf"\textbf{{{_LINES[name]}}} " if _LINES[name] else ""))
        else:
            depth = max(depth - (name in _CLOSES or name in _BETWEEN), 0)
            before, after = (_OPENS | _BETWEEN | _CLOSES)[name]
            at, inside = braced(text, at)
            more: str | None = None
            if name in ("procedure", "function"):
                at, more = braced(text, at)
            words = rf"\textbf{{{before}}} {inside or ''}" + (f"({more})" if more is not None else "")
            made.append(_INDENT * depth + words + (rf" \textbf{{{after}}}" if after else ""))
            depth += name in _OPENS or name in _BETWEEN
    _add(made, text[at:])
    return "\\\\ ".join(line for line in made if line.strip())


def _add(made: list[str], words: str) -> None:
    """Add words to the last line; blank lines would end the paragraph."""
    words = " ".join(words.split())
    if words and made:
        made[-1] = f"{made[-1].rstrip(' ') if words.startswith((',', '.', ')')) else made[-1]}{words} "
    elif words:
        made.append(f"{words} ")
