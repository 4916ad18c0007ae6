r"""Edits of citations in a text: replace keys, remove keys, expand a thesis's own commands (SPEC C6, T5).

`\cite{a,d}` without d becomes `\cite{a}` and a comment that says so, followed by a line break, so that the rest of the
line is still printed. A use of a thesis's own command is changed in its braces if these have nothing but keys; else the
command is expanded. Text outside cite commands, comments and verbatim text stay byte for byte.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import count
from typing import NamedTuple

from latex.cite_arguments import closing
from latex.cite_expansion import unfold
from latex.cite_keys import CiteCommand, cite_commands, count_cited, visible
from latex.cite_macros import NONE, Macros, with_own
from latex.citing_commands import PLAIN, definitions, is_citing, split_keys
from latex.text_edits import Edit, apply_edits

UNRESOLVED = "UNRESOLVED: {key} — provide source or remove"

_ROUNDS = 12  # expansions of nested commands
_EXPANDS = re.compile(r"(?:\\(?:expandafter|global|long|protected)[ \t]*)+\Z")
_PLAIN_USE = re.compile(r"\\[A-Za-z]+\*?(?:\[[^\[\]]*\])*\{([^{}]*)\}")
_BRACES = re.compile(r"\{[^{}]*\}")
_LINE = re.compile(r"[\r\n%]")
_GROUP = re.compile(r"\[[^\[\]]*\]|\{([^{}]*)\}")
_STEPS = 12  # a command that still has keys to remove after so many steps is removed as a whole
_NAME = re.compile(r"\\[A-Za-z]+\*?")
_OPENED = {"[": "]", "(": ")", "<": ">", "{": "}"}
_SIGN = re.compile(r"\\.?|[^\\]", re.DOTALL)
_COMMENT = re.compile(r"%[^\r\n]*(?:\r\n|\r|\n)?")
_ENDS = re.compile(r"[ \t]*(?:\r\n|\r|\n)")


def is_own(latex: str, command: CiteCommand, macros: Macros = NONE) -> bool:
    """Return whether `command` is defined by the thesis, or gets its keys from such commands.

    `macros` are all that `latex` may use, including its own (`all_macros`).
    """
    if command.name in macros.vocabulary.table and not _is_as_ever(latex, command, macros):
        return True
    if not is_citing(command.name) or not latex.startswith(f"\\{command.name}", command.start):
        return True
    written = visible(latex[command.start : command.end])
    return any(key not in written and " " not in key for key in command.keys)


def all_macros(latex: str, macros: Macros) -> Macros:
    """Return `macros` with those that `latex` defines added."""
    return with_own(macros, definitions(visible(latex))) if "\\" in latex else macros


def _is_as_ever(latex: str, command: CiteCommand, macros: Macros) -> bool:
    r"""Return whether a redefined command is used like the usual one, as in \cite{a,b}."""
    written = latex[command.start : command.end]
    found = _PLAIN_USE.fullmatch(written)
    return command.name in PLAIN and found is not None and split_keys(found[1]) == command.keys


def key_groups(latex: str, command: CiteCommand, macros: Macros = NONE) -> list[tuple[int, int]]:
    """Return the places of the braces with all keys of a use; none if some keys come from elsewhere."""
    written = visible(latex[command.start : command.end])
    marks: dict[str, tuple[int, int]] = {}
    at = written.find("{", written.find("}") if written.startswith("\\begin") else 0)
    while at >= 0 and (close := closing(written, at)) is not None:
        marks[f"probe-{len(marks)}"] = (at + 1, close)
        at = written.find("{", close)
    probe = apply_edits(written, [Edit(start, end, mark) for mark, (start, end) in marks.items()])
    macros = with_own(macros, definitions(visible(latex)))
    keys = [key for one in cite_commands(probe, macros) if one.start == 0 for key in one.keys]
    spans = [marks[key] for key in dict.fromkeys(keys) if key in marks]
    is_all = len(spans) == len(set(keys))
    return [(command.start + start, command.start + end) for start, end in spans] if is_all else []


def in_full(latex: str, command: CiteCommand, macros: Macros = NONE) -> str | None:
    """Return a use expanded by one step; None if the result cannot be written into a text."""
    written = latex[command.start : command.end]
    every = all_macros(latex, macros)
    is_builtin = is_citing(command.name) and command.name not in every.vocabulary.table
    if is_builtin and written.startswith(f"\\{command.name}"):
        groups = list(_BRACES.finditer(written))
        if groups and "\\" in groups[-1][0]:  # commands that expand to keys
            return f"{written[: groups[-1].start()]}{{{','.join(command.keys)}}}{written[groups[-1].end() :]}"
    if written.startswith(("\\begin", "\\csname", "\\csuse", "\\@nameuse")):
        return None
    return unfold(written, command.name, every)


def expand_own_commands(
    latex: str, macros: Macros = NONE, wanted: Callable[[CiteCommand], bool] = lambda command: True
) -> str:
    r"""Return `latex` with uses of a thesis's own cite commands expanded, for readers that only know `\cite` and so on.

    `wanted` selects the uses. A use whose expansion cannot be written into a text becomes a \cite of its keys. Line
    numbers do not change.
    """
    for step in range(_ROUNDS):
        changes = []
        every = all_macros(latex, macros)
        for command in cite_commands(latex, macros):
            if is_own(latex, command, every) and wanted(command):
                new = in_full(latex, command, macros) if step < _ROUNDS - 1 else None
                new = _as_cite(latex, command) if new is None else new
                changes.append(Edit(command.start, command.end, new))
        if not changes:
            break
        latex = apply_edits(latex, changes)
    return latex


def without_definitions(latex: str, macros: Macros = NONE) -> str:
    """Return `latex` without the definitions of commands that cite, for readers that fail on them; line numbers stay.

    Definitions that only pass on their arguments stay: such readers can expand them.
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
    return apply_edits(latex, changes)


def _as_cite(latex: str, command: CiteCommand) -> str:
    written = latex[command.start : command.end]
    cite = f"\\cite{{{','.join(command.keys)}}}"
    return f"\\begin{{{command.name}}}{cite}" if written.startswith("\\begin") else cite


def replace_keys(latex: str, keys: Mapping[str, str], macros: Macros = NONE) -> str:
    """Return `latex` with other keys in its cite commands; all other text stays byte for byte.

    A use of a thesis's own command that generates its keys is expanded.
    """
    if not keys:
        return latex
    latex = _with_own_keys(latex, keys, macros)
    every = all_macros(latex, macros)
    edits = [
        Edit(*group.span(1), _in_braces(group[1], keys))
        for command in cite_commands(latex)
        if not keys.keys().isdisjoint(command.keys) and not is_own(latex, command, every)
        for group in _GROUP.finditer(latex, command.start, command.end)
        if group[1] is not None  # not the note of \citep[p.~3]{...}, in which another command may cite
    ]
    return apply_edits(latex, edits)


def _with_own_keys(latex: str, keys: Mapping[str, str], macros: Macros) -> str:
    """Return `latex` with other keys in the thesis's own commands, expanding those that generate their keys."""

    def makes_keys(command: CiteCommand) -> bool:
        return not keys.keys().isdisjoint(command.keys) and not key_groups(latex, command, macros)

    latex = expand_own_commands(latex, macros, makes_keys)
    every = all_macros(latex, macros)
    changes = [
        Edit(start, end, _in_braces(latex[start:end], keys))
        for command in cite_commands(latex, macros)
        if not keys.keys().isdisjoint(command.keys) and is_own(latex, command, every)
        for start, end in key_groups(latex, command, macros)
    ]
    return apply_edits(latex, changes)


def _in_braces(inner: str, keys: Mapping[str, str]) -> str:
    """Return the keys between two braces by their new names, without repetitions that this causes."""
    parts: list[str] = []
    seen: dict[str, bool] = {}  # whether the key was renamed
    for part in inner.split(","):
        key = " ".join(part.split())
        name = keys.get(key, key)
        is_double = name in seen and (seen[name] or name != key) and not _LINE.search(part)
        seen[name] = seen.get(name, False) or name != key
        if not is_double:
            parts.append(part.replace(part.strip(), name) if name != key else part)
    return ",".join(parts)


class _Group(NamedTuple):
    """The braces of a list of keys: the start of its notes, and the start and end of the list, in the text."""

    opened: int
    start: int
    end: int


class _Removal(NamedTuple):
    """The keys to remove from a text, the comment for each, and the line ending of the text."""

    keys: set[str]
    said: str
    newline: str


def remove_keys(latex: str, keys: Collection[str], said: str = UNRESOLVED, macros: Macros = NONE) -> str:
    r"""Return `latex` without `keys` in its cite commands; a command that cites nothing else is removed.

    They are replaced by a comment for each key: `said` with the key for `{key}`; nothing if `said` is empty. Words
    around a comment stay separate. Returns `latex` itself if none of the keys is cited.
    """
    for edits in steps_without(latex, keys, said, macros):
        latex = apply_edits(latex, edits)
    return latex


def steps_without(
    latex: str, keys: Collection[str], said: str = UNRESOLVED, macros: Macros = NONE
) -> Iterator[list[Edit]]:
    """Yield the edits of `remove_keys` in steps, each for the text that results from the step before.

    Several steps are needed for a command inside the broken keys of another, and for commands that are expanded.
    """
    for step in count():
        edits = _edits_without(latex, keys, said, macros, is_last=step >= _STEPS)
        if not edits:
            return
        yield edits
        latex = apply_edits(latex, edits)


def _edits_without(latex: str, keys: Collection[str], said: str, macros: Macros, *, is_last: bool) -> list[Edit]:
    wanted = set(keys)
    if all(wanted.isdisjoint(several.split(",")) for several in count_cited(latex, macros)):
        return []
    shown = visible(latex)
    every = all_macros(latex, macros)
    gone = _Removal(wanted, said, "\r\n" if "\r\n" in latex else "\n")
    made: list[Edit] = []
    goes_on = -1  # where a command such as \cites before would take the next brackets as its own
    for command in cite_commands(latex, macros):
        follows = goes_on >= 0 and not shown[goes_on : command.start].strip()
        is_removed = wanted.issuperset(command.keys)
        goes_on = command.end if command.name.lower().endswith("cites") or (follows and is_removed) else -1
        if wanted.isdisjoint(command.keys):
            continue
        if is_own(latex, command, every):
            edits = _own_edits(latex, shown, command, gone, macros, is_last=is_last)
        else:
            edits = _edits(latex, shown, command, gone)
        if edits and follows and is_removed and shown[command.end :].lstrip().startswith(("{", "[", "(")):
            edits[-1] = edits[-1]._replace(text=f"{edits[-1].text}\\relax ")
        made += edits
    return made


def _own_edits(
    latex: str, shown: str, command: CiteCommand, gone: _Removal, macros: Macros, *, is_last: bool
) -> list[Edit]:
    """Return the edits for a use of a thesis's own command: remove keys from its braces, or expand it."""
    changes: list[Edit] = []
    is_begin = latex.startswith("\\begin", command.start)
    for start, end in [] if is_last else key_groups(latex, command, macros):
        kept, keys = _remaining_keys(latex, shown, _Group(start - 1, start, end), lambda key, _: key in gone.keys)
        if (not keys and not is_begin) or "\\" in kept:  # a command that expands to keys is expanded first
            changes = []
            break
        changes.append(Edit(start, end, kept))
    if is_begin and not changes:  # its \end would be left over; the work is missing in references.bib anyway
        return []
    if not changes and not is_last and (new := in_full(latex, command, macros)) is not None:
        return [Edit(command.start, command.end, new)]
    return [*changes, _comment_edit(latex, command, gone, stays=bool(changes))]


def without_doubles(latex: str) -> str:
    r"""Return `latex` with each key once per cite command: `\cite{a,a}` becomes `\cite{a}`."""
    shown = visible(latex)
    edits = [
        Edit(group.start, group.end, _remaining_keys(latex, shown, group, lambda key, seen: key in seen)[0])
        for command in cite_commands(latex)
        if len(set(command.keys)) < len(command.keys) and not is_own(latex, command)
        for group in _groups(shown, command)
    ]
    return apply_edits(latex, edits)


def _edits(latex: str, shown: str, command: CiteCommand, gone: _Removal) -> list[Edit]:
    found = [
        (group, *_remaining_keys(latex, shown, group, lambda key, _: key in gone.keys))
        for group in _groups(shown, command)
    ]
    stays = any(keys for _, _, keys in found)
    changes = [
        # Braces without a key left are removed with their notes
        Edit(group.start, group.end, kept) if keys else Edit(group.opened, group.end + 1, "")
        for group, kept, keys in found
        if stays
    ]
    return [*changes, _comment_edit(latex, command, gone, stays=stays)]


def _comment_edit(latex: str, command: CiteCommand, gone: _Removal, *, stays: bool) -> Edit:
    """Return the edit that adds the comments, after the command if it `stays`, else in its place.

    TeX skips the line end after a comment and blanks at the start of a line, so a space is added where the words around
    would be joined.
    """
    place = command.end if stays else command.start
    if not gone.said:
        return Edit(place, command.end, "")
    comments = [f"% {gone.said.format(key=key)}" for key in dict.fromkeys(command.keys) if key in gone.keys]
    at_end = _ENDS.match(latex, command.end)
    before = "" if stays else latex[command.start - 1 : command.start]
    glues = latex[command.end : command.end + 1] in (" ", "\t") or at_end is not None
    space = " " if glues and (stays or before not in ("", " ", "\t", "\n", "\r", "~")) else ""
    # Before a line ending, another one would begin a paragraph
    return Edit(place, command.end, f"{space}{gone.newline.join(comments)}{'' if at_end else gone.newline}")


def _remaining_keys(
    latex: str, shown: str, group: _Group, goes: Callable[[str, list[str]], bool]
) -> tuple[str, list[str]]:
    """Return the inside of a group without the keys to remove, and the keys that stay. Comments stay."""
    parts: list[str] = []
    keys: list[str] = []
    waiting = ""  # comments next to a removed key, to be kept
    at = group.start
    for one in shown[group.start : group.end].split(","):
        key, raw = " ".join(one.split()), latex[at : at + len(one)]
        at += len(one) + 1
        if key and goes(key, keys):
            waiting += "".join(_COMMENT.findall(raw))
            if parts:
                parts[-1] += waiting
                waiting = ""
            continue
        keys += [key] if key else []
        is_first = at == group.start + len(one) + 1
        parts.append(waiting + (raw if parts or is_first else raw.lstrip()))
        waiting = ""
    return ",".join(parts), keys


def _groups(shown: str, command: CiteCommand) -> list[_Group]:
    r"""Return the braces of a command that have keys; the first braces of `\volcite` have the volume."""
    name = _NAME.match(shown, command.start)
    at = opened = name.end() if name else command.start
    groups: list[_Group] = []
    while at < command.end:
        close = _closing(shown, at, command.end) if shown[at] in _OPENED else at
        if shown[at] == "{":
            groups.append(_Group(opened, at + 1, close))
            opened = close + 1
        at = close + 1
    return groups[1:] if command.name.lower().endswith("volcite") else groups


def _closing(shown: str, at: int, end: int) -> int:
    """Return where the bracket at `at` is closed, ignoring inner braces."""
    closes, depth = _OPENED[shown[at]], 0
    for found in _SIGN.finditer(shown, at + 1, end):
        sign = found[0]
        if sign == closes and not depth:
            return found.start()
        depth += (sign == "{") - (sign == "}")
    return end - 1
