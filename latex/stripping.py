r"""Keys taken out of what a text cites (SPEC T5).

`\cite{a,d}` without d is `\cite{a}` and a comment that says so, with a line break behind it, so that the rest of the line
is still set. Text outside cite commands stays byte for byte; so do comments and verbatim text.
"""

import re
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from latex.cite_edits import all_macros, in_full, is_own, key_groups
from latex.cite_macros import NONE, Macros
from latex.edits import Edit, edited
from latex.keys import CiteCommand, cite_commands, count_cited, visible

UNRESOLVED = "UNRESOLVED: {key} — provide source or remove"

_STEPS = 12  # a command that is still there then goes as a whole
_NAME = re.compile(r"\\[A-Za-z]+\*?")
_OPENED = {"[": "]", "(": ")", "<": ">"}
_COMMENT = re.compile(r"%[^\r\n]*(?:\r\n|\r|\n)?")
_ENDS = re.compile(r"[ \t]*(?:\r\n|\r|\n)")


class _Group(NamedTuple):
    """The braces of one list of keys: where what belongs to it begins (its notes), and its inside, in the text."""

    opened: int
    start: int
    end: int


def without_keys(latex: str, keys: Collection[str], said: str = UNRESOLVED, macros: Macros = NONE) -> str:
    r"""`latex` without `keys` in its cite commands; a command that cites nothing else goes with them.

    In their place stands a comment for each key: `said` with the key for `{key}`, or nothing where `said` is empty. The
    word that a comment would glue to the next one keeps its space. Returns `latex` itself where none of them is cited.
    """
    for edits in steps_without(latex, keys, said, macros):
        latex = edited(latex, edits)
    return latex


def steps_without(
    latex: str, keys: Collection[str], said: str = UNRESOLVED, macros: Macros = NONE
) -> Iterator[list[Edit]]:
    """What `without_keys` changes in `latex`, step by step, each in the text that the one before leaves.

    There are several where one stood within the broken keys of another, or a command stands for others.
    """
    step = 0
    while edits := _edits_without(latex, keys, said, macros, is_last=step >= _STEPS):
        yield edits
        latex = edited(latex, edits)
        step += 1


def _edits_without(latex: str, keys: Collection[str], said: str, macros: Macros, *, is_last: bool) -> list[Edit]:
    wanted = set(keys)
    if not wanted or all(wanted.isdisjoint(several.split(",")) for several in count_cited(latex, macros)):
        return []
    found = [command for command in cite_commands(latex, macros) if wanted.intersection(command.keys)]
    shown = visible(latex)
    every = all_macros(latex, macros)
    newline = "\r\n" if "\r\n" in latex else "\n"
    made: list[Edit] = []
    for command in found:
        if is_own(latex, command, every):
            made += _own_edits(latex, shown, command, wanted, said, newline, macros, is_last=is_last)
        else:
            made += _edits(latex, shown, command, wanted, said, newline)
    return made


def _own_edits(
    latex: str,
    shown: str,
    command: CiteCommand,
    wanted: set[str],
    said: str,
    newline: str,
    macros: Macros,
    *,
    is_last: bool,
) -> list[Edit]:
    """Of a use of a command that the thesis defines: its keys in its braces, or what it stands for in its place."""
    changes: list[Edit] = []
    is_begin = latex.startswith("\\begin", command.start)
    groups = [] if is_last else key_groups(latex, command, macros)
    for start, end in groups:
        kept, keys = _kept(latex, shown, _Group(start - 1, start, end), lambda key, _: key in wanted)
        if (not keys and not is_begin) or "\\" in kept:  # a command that stands for keys is written out first
            changes = []
            break
        changes.append(Edit(start, end, kept))
    stays = bool(changes)
    if is_begin and not stays:  # its end would be left alone; references.bib lacks the work
        return []
    if not stays and not is_last and (new := in_full(latex, command, macros)) is not None:
        return [Edit(command.start, command.end, new)]
    gone = dict.fromkeys(key for key in command.keys if key in wanted)
    comments = newline.join(f"% {said.format(key=key)}" for key in gone) if said else ""
    told = _told(latex, command, comments, newline, stays=stays) if said else ""
    return [*changes, Edit(command.end if stays else command.start, command.end, told)]


def without_doubles(latex: str) -> str:
    r"""`latex` with each key once in a cite command: `\cite{a,a}` is `\cite{a}`."""
    commands = (command for command in cite_commands(latex) if len(set(command.keys)) < len(command.keys))
    found = [command for command in commands if not is_own(latex, command)]
    if not found:
        return latex
    shown = visible(latex)
    edits: list[Edit] = []
    for command in found:
        for group in _groups(shown, command):
            kept, _ = _kept(latex, shown, group, lambda key, seen: key in seen)
            edits.append(Edit(group.start, group.end, kept))
    return edited(latex, edits)


def _edits(latex: str, shown: str, command: CiteCommand, wanted: set[str], said: str, newline: str) -> Iterator[Edit]:
    gone = dict.fromkeys(key for key in command.keys if key in wanted)
    groups = _groups(shown, command)
    changes: list[Edit] = []
    left = 0
    for group in groups:
        kept, keys = _kept(latex, shown, group, lambda key, _: key in wanted)
        left += len(keys)
        if keys:
            changes.append(Edit(group.start, group.end, kept))
        else:  # the braces go with their own notes
            changes.append(Edit(group.opened, group.end + 1, ""))
    if left:
        yield from changes
    # Behind the command, or in its place
    comments = newline.join(f"% {said.format(key=key)}" for key in gone) if said else ""
    told = _told(latex, command, comments, newline, stays=bool(left)) if said else ""
    yield Edit(command.end if left else command.start, command.end, told)


def _told(latex: str, command: CiteCommand, comments: str, newline: str, *, stays: bool) -> str:
    """The comments as they can stand there. TeX skips the end of a line that a comment ends, and blanks at the start of
    one, so that the word before them would be glued to the next."""
    at_end = _ENDS.match(latex, command.end)
    before = "" if stays else latex[command.start - 1 : command.start]
    glues = latex[command.end : command.end + 1] in (" ", "\t") or at_end is not None
    space = " " if glues and (stays or before not in ("", " ", "\t", "\n", "\r", "~")) else ""
    # Where a line ending follows, another one would begin a paragraph.
    return f"{space}{comments}{'' if at_end else newline}"


def _kept(latex: str, shown: str, group: _Group, goes: Callable[[str, list[str]], bool]) -> tuple[str, list[str]]:
    """The inside of a group without the keys that go, and the keys that stay. Comments between them stay."""
    parts: list[str] = []
    keys: list[str] = []
    waiting = ""  # comments of what goes, for what comes next
    at = group.start
    for one in shown[group.start : group.end].split(","):
        key, raw = " ".join(one.split()), latex[at : at + len(one)]
        at += len(one) + 1
        if key and goes(key, keys):
            comments = "".join(_COMMENT.findall(raw))
            if parts:
                parts[-1] += comments
            else:
                waiting += comments
            continue
        keys += [key] if key else []
        is_first = at == group.start + len(one) + 1
        parts.append(waiting + (raw if parts or is_first else raw.lstrip()))
        waiting = ""
    return ",".join(parts), keys


def _groups(shown: str, command: CiteCommand) -> list[_Group]:
    r"""The braces of a command that hold keys, as `cite_commands` reads it; those of `\volcite` have the volume first."""
    name = _NAME.match(shown, command.start)
    at = name.end() if name else command.start
    passed_over = 1 if command.name.lower().endswith("volcite") else 0
    groups: list[_Group] = []
    opened = at
    while at < command.end:
        sign = shown[at]
        if sign == "{":
            close = _closing(shown, at, command.end)
            if passed_over:
                passed_over -= 1
            else:
                groups.append(_Group(opened, at + 1, close))
            at = opened = close + 1
        elif sign in _OPENED:
            at = _closing(shown, at, command.end) + 1
        else:
            at += 1
    return groups


def _closing(shown: str, at: int, end: int) -> int:
    """Where the sign at `at` is closed, not counting what stands in deeper braces."""
    closes, depth = _OPENED.get(shown[at], "}"), 0
    place = at + 1
    while place < end:
        sign = shown[place]
        if sign == "\\":
            place += 1
        elif sign == closes and not depth:
            return place
        elif sign == "{":
            depth += 1
        elif sign == "}":
            depth -= 1
        place += 1
    return end - 1
