"""Other keys in the commands that cite (SPEC C6)."""

import re
from collections.abc import Mapping

from latex.cite_edits import all_macros, is_own, key_groups, spelt_out
from latex.cite_macros import NONE, Macros
from latex.edits import Edit, edited
from latex.keys import CiteCommand, cite_commands

_LINE = re.compile(r"[\r\n%]")
_GROUP = re.compile(r"\[[^\[\]]*\]|\{([^{}]*)\}")


def with_keys(latex: str, keys: Mapping[str, str], macros: Macros = NONE) -> str:
    """`latex` with other keys in its cite commands; all else, comments and verbatim too, stays byte for byte.

    Where a command that the thesis defines makes its keys, what it stands for takes its place.
    """
    if not keys:
        return latex
    latex = _with_own_keys(latex, keys, macros)
    every = all_macros(latex, macros)
    edits = []
    for command in cite_commands(latex):
        if keys.keys() & set(command.keys) and not is_own(latex, command, every):
            for group in _GROUP.finditer(latex, command.start, command.end):
                if group[1] is not None:  # no note, as in \citep[p.~3]{...}, in which another command may cite
                    edits.append(Edit(*group.span(1), _in_braces(group[1], keys)))
    return edited(latex, edits)


def _with_own_keys(latex: str, keys: Mapping[str, str], macros: Macros) -> str:
    """Other keys in the braces of the commands that the thesis defines, and the words of those that make their keys."""

    def makes_keys(command: CiteCommand) -> bool:
        return not keys.keys().isdisjoint(command.keys) and not key_groups(latex, command, macros)

    latex = spelt_out(latex, macros, makes_keys)
    every = all_macros(latex, macros)
    changes = []
    for command in cite_commands(latex, macros):
        if keys.keys().isdisjoint(command.keys) or not is_own(latex, command, every):
            continue
        for start, end in key_groups(latex, command, macros):
            changes.append(Edit(start, end, _in_braces(latex[start:end], keys)))
    return edited(latex, changes)


def _in_braces(inner: str, keys: Mapping[str, str]) -> str:
    """The keys between two braces by their other names; one that two of them have now stands there once."""
    parts: list[str] = []
    seen: dict[str, bool] = {}  # whether it has another name
    for part in inner.split(","):
        key = " ".join(part.split())
        name = keys.get(key, key)
        is_double = name in seen and (seen[name] or name != key) and not _LINE.search(part)
        seen[name] = seen.get(name, False) or name != key
        if not is_double:
            parts.append(part.replace(part.strip(), name) if name != key else part)
    return ",".join(parts)
