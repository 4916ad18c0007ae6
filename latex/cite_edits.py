r"""What cites in a text, changed: other keys, keys taken out, a thesis's own commands spelt out (SPEC C6, T5).

`\cite{a,d}` without d is `\cite{a}` and a comment that says so, with a line break behind it, so that the rest of the line
is still set. A use of a command that a thesis defines itself is changed in its braces where these hold nothing but keys;
else what the command stands for takes its place. Text outside cite commands stays byte for byte; so do comments and
verbatim text.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import count
from typing import NamedTuple

from latex.cite_arguments import closing
from latex.cite_definitions import PLAIN, definitions, is_citing, split
from latex.cite_expansion import unfold
from latex.cite_keys import CiteCommand, cite_commands, count_cited, visible
from latex.cite_macros import NONE, Macros, with_own
from latex.text_edits import Edit, edited

UNRESOLVED = "UNRESOLVED: {key} — provide source or remove"

_ROUNDS = 12  # commands within commands that are put in the place of a use
_EXPANDS = re.compile(r"(?:\\(?:expandafter|global|long|protected)[ \t]*)+\Z")
_PLAIN_USE = re.compile(r"\\[A-Za-z]+\*?(?:\[[^\[\]]*\])*\{([^{}]*)\}")
_BRACES = re.compile(r"\{[^{}]*\}")
_LINE = re.compile(r"[\r\n%]")
_GROUP = re.compile(r"\[[^\[\]]*\]|\{([^{}]*)\}")
_STEPS = 12  # a command that is still there then goes as a whole
_NAME = re.compile(r"\\[A-Za-z]+\*?")
_OPENED = {"[": "]", "(": ")", "<": ">", "{": "}"}
_SIGN = re.compile(r"\\.?|[^\\]", re.DOTALL)
_COMMENT = re.compile(r"%[^\r\n]*(?:\r\n|\r|\n)?")
_ENDS = re.compile(r"[ \t]*(?:\r\n|\r|\n)")


def is_own(latex: str, command: CiteCommand, macros: Macros = NONE) -> bool:
    """Return whether `command` is one that the thesis defines, or names its keys by such commands.

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
    r"""Return whether a command that was defined anew is used as the one that everyone knows, as \cite{a,b} is."""
    written = latex[command.start : command.end]
    found = _PLAIN_USE.fullmatch(written)
    return command.name in PLAIN and found is not None and split(found[1]) == command.keys


def key_groups(latex: str, command: CiteCommand, macros: Macros = NONE) -> list[tuple[int, int]]:
    """Return where the keys of a use stand in braces of their own; nothing where they come from elsewhere too."""
    written = visible(latex[command.start : command.end])
    marks: dict[str, tuple[int, int]] = {}
    at = written.find("{", written.find("}") if written.startswith("\\begin") else 0)
    while at >= 0 and (close := closing(written, at)) is not None:
        marks[f"probe-{len(marks)}"] = (at + 1, close)
        at = written.find("{", close)
    probe = edited(written, [Edit(start, end, mark) for mark, (start, end) in marks.items()])
    macros = with_own(macros, definitions(visible(latex)))
    keys = [key for one in cite_commands(probe, macros) if one.start == 0 for key in one.keys]
    spans = [marks[key] for key in dict.fromkeys(keys) if key in marks]
    is_all = len(spans) == len(set(keys))
    return [(command.start + start, command.start + end) for start, end in spans] if is_all else []


def in_full(latex: str, command: CiteCommand, macros: Macros = NONE) -> str | None:
    """Return what a use stands for, one step on; None where that can stand in no text."""
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
            if is_own(latex, command, every) and wanted(command):
                new = in_full(latex, command, macros) if step < _ROUNDS - 1 else None
                new = _as_cite(latex, command) if new is None else new
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


def with_keys(latex: str, keys: Mapping[str, str], macros: Macros = NONE) -> str:
    """`latex` with other keys in its cite commands; all else, comments and verbatim too, stays byte for byte.

    Where a command that the thesis defines makes its keys, what it stands for takes its place.
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
        if group[1] is not None  # no note, as in \citep[p.~3]{...}, in which another command may cite
    ]
    return edited(latex, edits)


def _with_own_keys(latex: str, keys: Mapping[str, str], macros: Macros) -> str:
    """Other keys in the braces of the commands that the thesis defines, and the words of those that make their keys."""

    def makes_keys(command: CiteCommand) -> bool:
        return not keys.keys().isdisjoint(command.keys) and not key_groups(latex, command, macros)

    latex = spelt_out(latex, macros, makes_keys)
    every = all_macros(latex, macros)
    changes = [
        Edit(start, end, _in_braces(latex[start:end], keys))
        for command in cite_commands(latex, macros)
        if not keys.keys().isdisjoint(command.keys) and is_own(latex, command, every)
        for start, end in key_groups(latex, command, macros)
    ]
    return edited(latex, changes)


def _in_braces(inner: str, keys: Mapping[str, str]) -> str:
    """Return the keys between two braces by their other names; one that two of them have now stands there once."""
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


class _Group(NamedTuple):
    """The braces of one list of keys: where what belongs to it begins (its notes), and its inside, in the text."""

    opened: int
    start: int
    end: int


class _Gone(NamedTuple):
    """The keys that are taken out of a text, what a comment says of each, and how the lines of the text end."""

    keys: set[str]
    said: str
    newline: str


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
    """Yield what `without_keys` changes in `latex`, step by step, each in the text that the one before leaves.

    There are several where one stood within the broken keys of another, or a command stands for others.
    """
    for step in count():
        edits = _edits_without(latex, keys, said, macros, is_last=step >= _STEPS)
        if not edits:
            return
        yield edits
        latex = edited(latex, edits)


def _edits_without(latex: str, keys: Collection[str], said: str, macros: Macros, *, is_last: bool) -> list[Edit]:
    wanted = set(keys)
    if all(wanted.isdisjoint(several.split(",")) for several in count_cited(latex, macros)):
        return []
    shown = visible(latex)
    every = all_macros(latex, macros)
    gone = _Gone(wanted, said, "\r\n" if "\r\n" in latex else "\n")
    made: list[Edit] = []
    for command in cite_commands(latex, macros):
        if wanted.isdisjoint(command.keys):
            continue
        if is_own(latex, command, every):
            made += _own_edits(latex, shown, command, gone, macros, is_last=is_last)
        else:
            made += _edits(latex, shown, command, gone)
    return made


def _own_edits(
    latex: str, shown: str, command: CiteCommand, gone: _Gone, macros: Macros, *, is_last: bool
) -> list[Edit]:
    """Of a use of a command that the thesis defines: its keys in its braces, or what it stands for in its place."""
    changes: list[Edit] = []
    is_begin = latex.startswith("\\begin", command.start)
    for start, end in [] if is_last else key_groups(latex, command, macros):
        kept, keys = _kept(latex, shown, _Group(start - 1, start, end), lambda key, _: key in gone.keys)
        if (not keys and not is_begin) or "\\" in kept:  # a command that stands for keys is written out first
            changes = []
            break
        changes.append(Edit(start, end, kept))
    if is_begin and not changes:  # its end would be left alone; references.bib lacks the work
        return []
    if not changes and not is_last and (new := in_full(latex, command, macros)) is not None:
        return [Edit(command.start, command.end, new)]
    return [*changes, _told(latex, command, gone, stays=bool(changes))]


def without_doubles(latex: str) -> str:
    r"""`latex` with each key once in a cite command: `\cite{a,a}` is `\cite{a}`."""
    shown = visible(latex)
    edits = [
        Edit(group.start, group.end, _kept(latex, shown, group, lambda key, seen: key in seen)[0])
        for command in cite_commands(latex)
        if len(set(command.keys)) < len(command.keys) and not is_own(latex, command)
        for group in _groups(shown, command)
    ]
    return edited(latex, edits)


def _edits(latex: str, shown: str, command: CiteCommand, gone: _Gone) -> list[Edit]:
    found = [(group, *_kept(latex, shown, group, lambda key, _: key in gone.keys)) for group in _groups(shown, command)]
    stays = any(keys for _, _, keys in found)
    changes = [
        # Without a key the braces go with their own notes
        Edit(group.start, group.end, kept) if keys else Edit(group.opened, group.end + 1, "")
        for group, kept, keys in found
        if stays
    ]
    return [*changes, _told(latex, command, gone, stays=stays)]


def _told(latex: str, command: CiteCommand, gone: _Gone, *, stays: bool) -> Edit:
    """Return the comments as they can stand behind the command where it `stays`, else in its place. TeX skips the end of a line
    that a comment ends, and blanks at the start of one, so that the word before them would be glued to the next."""
    place = command.end if stays else command.start
    if not gone.said:
        return Edit(place, command.end, "")
    comments = [f"% {gone.said.format(key=key)}" for key in dict.fromkeys(command.keys) if key in gone.keys]
    at_end = _ENDS.match(latex, command.end)
    before = "" if stays else latex[command.start - 1 : command.start]
    glues = latex[command.end : command.end + 1] in (" ", "\t") or at_end is not None
    space = " " if glues and (stays or before not in ("", " ", "\t", "\n", "\r", "~")) else ""
    # Where a line ending follows, another one would begin a paragraph.
    return Edit(place, command.end, f"{space}{gone.newline.join(comments)}{'' if at_end else gone.newline}")


def _kept(latex: str, shown: str, group: _Group, goes: Callable[[str, list[str]], bool]) -> tuple[str, list[str]]:
    """Return the inside of a group without the keys that go, and the keys that stay. Comments between them stay."""
    parts: list[str] = []
    keys: list[str] = []
    waiting = ""  # comments of what goes, for what comes next
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
    r"""Return the braces of a command that hold keys, as `cite_commands` reads it; those of `\volcite` have the volume first."""
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
    """Return where the sign at `at` is closed, not counting what stands in deeper braces."""
    closes, depth = _OPENED[shown[at]], 0
    for found in _SIGN.finditer(shown, at + 1, end):
        sign = found[0]
        if sign == closes and not depth:
            return found.start()
        depth += (sign == "{") - (sign == "}")
    return end - 1
