r"""The uses of citing commands that a thesis defines itself, as they can be changed in a text (SPEC T5).

`\see{a,d}` is changed in its braces where these hold nothing but keys; else what the command stands for takes its place.
"""

import re
from collections.abc import Callable

from latex.cite_definitions import definitions
from latex.cite_macros import NONE, Macros, with_own
from latex.cite_names import PLAIN, is_citing, split
from latex.cite_reading import closing
from latex.cite_uses import unfold
from latex.edits import Edit, edited
from latex.keys import CiteCommand, cite_commands, visible

_ROUNDS = 12  # commands within commands that are put in the place of a use
_EXPANDS = re.compile(r"(?:\\(?:expandafter|global|long|protected)[ \t]*)+\Z")
_PLAIN_USE = re.compile(r"\\[A-Za-z]+\*?(?:\[[^\[\]]*\])*\{([^{}]*)\}")
_BRACES = re.compile(r"\{[^{}]*\}")


def is_own(latex: str, command: CiteCommand, macros: Macros = NONE) -> bool:
    """Whether `command` is one that the thesis defines, or names its keys by such commands.

    `macros` are those that `latex` may use, its own among them (`all_macros`).
    """
    if command.name in macros.vocabulary.table and not _is_as_ever(latex, command, macros):
        return True
    if not is_citing(command.name) or not latex.startswith(f"\\{command.name}", command.start):
        return True
    written = visible(latex[command.start : command.end])
    return any(key not in written and " " not in key for key in command.keys)


def all_macros(latex: str, macros: Macros) -> Macros:
    """`macros`, and those that `latex` defines."""
    return with_own(macros, definitions(visible(latex))) if "\\" in latex else macros


def _is_as_ever(latex: str, command: CiteCommand, macros: Macros) -> bool:
    r"""Whether a command that was defined anew is used as the one that everyone knows, as \cite{a,b} is."""
    written = latex[command.start : command.end]
    found = _PLAIN_USE.fullmatch(written)
    return command.name in PLAIN and found is not None and split(found[1]) == command.keys


def key_groups(latex: str, command: CiteCommand, macros: Macros = NONE) -> list[tuple[int, int]]:
    """Where the keys of a use stand in braces of their own; nothing where they come from elsewhere too."""
    written = visible(latex[command.start : command.end])
    found = []
    at = written.find("{", written.find("}") if written.startswith("\\begin") else 0)
    while at >= 0:
        close = closing(written, at)
        if close is None:
            break
        found.append((at + 1, close))
        at = written.find("{", close)
    marks = {f"probe-{place}": span for place, span in enumerate(found)}
    probe, done = "", 0
    for mark, (start, end) in marks.items():
        probe, done = f"{probe}{written[done:start]}{mark}", end
    probe += written[done:]
    macros = with_own(macros, definitions(visible(latex)))
    keys = [key for one in cite_commands(probe, macros) if one.start == 0 for key in one.keys]
    if not keys or any(key not in marks for key in keys):
        return []
    return [(command.start + marks[key][0], command.start + marks[key][1]) for key in dict.fromkeys(keys)]


def in_full(latex: str, command: CiteCommand, macros: Macros = NONE) -> str | None:
    """What a use stands for, one step on; None where that can stand in no text."""
    written = latex[command.start : command.end]
    every = all_macros(latex, macros)
    is_builtin = is_citing(command.name) and command.name not in every.vocabulary.table
    if is_builtin and written.startswith(f"\\{command.name}"):
        groups = list(_BRACES.finditer(written))
        if groups and "\\" in groups[-1][0]:  # keys that commands stand for
            return f"{written[: groups[-1].start()]}{{{','.join(command.keys)}}}{written[groups[-1].end() :]}"
    if written.startswith(("\\begin", "\\csname", "\\csuse", "\\@nameuse")):
        return None
    return unfold(written, command.name, every)


def spelt_out(latex: str, macros: Macros = NONE, wanted: Callable[[CiteCommand], bool] = lambda command: True) -> str:
    r"""`latex` with the uses of a thesis's own citing commands as what they stand for, so that whoever reads it finds `\cite`.

    `wanted` tells which of them. A use whose words cannot stand in a text is a \cite of its keys. Lines stay where they are.
    """
    for step in range(_ROUNDS):
        changes = []
        every = all_macros(latex, macros)
        for command in cite_commands(latex, macros):
            if not is_own(latex, command, every) or not wanted(command):
                continue
            new = in_full(latex, command, macros) if step < _ROUNDS - 1 else None
            if new is None:
                new = _as_cite(latex, command)
            changes.append(Edit(command.start, command.end, new))
        if not changes:
            break
        latex = edited(latex, changes)
    return latex


def without_definitions(latex: str, macros: Macros = NONE) -> str:
    """`latex` without the definitions of commands that cite, on the lines it had: for a reader who would stumble over them.

    What only hands on its arguments stays: such a reader follows it.
    """
    shown = visible(latex)
    found = definitions(shown)
    citing = with_own(macros, found).vocabulary.sure
    changes = []
    for one in found:
        if one.definition.name in citing:
            before = _EXPANDS.search(shown, max(0, one.start - 60), one.start)
            start = before.start() if before else one.start
            changes.append(Edit(start, one.end, "\n" * latex.count("\n", start, one.end)))
    return edited(latex, changes)


def _as_cite(latex: str, command: CiteCommand) -> str:
    written = latex[command.start : command.end]
    cite = f"\\cite{{{','.join(command.keys)}}}"
    return f"\\begin{{{command.name}}}{cite}" if written.startswith("\\begin") else cite
