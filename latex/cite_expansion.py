r"""Citations made by commands that a thesis defines itself (SPEC C7): what each use of one cites, as TeX would expand it.

A use is expanded as by TeX: its arguments are read from the text, the body takes its place, and so on until commands
that cite by their own names (`cite_definitions.is_citing`) have got their keys. Of a choice that hangs on what only TeX knows, every
branch is looked at. What cannot be followed is said to be so, never passed over.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from latex.cite_arguments import COMMAND, MASK, ONE_COMMAND, PASSED, Reading, closing
from latex.cite_definitions import (
    DEFINES,
    Argument,
    Defined,
    Definition,
    is_citing,
    may_be_citing,
    passed_over,
    split,
    takes_several,
)
from latex.cite_macros import Macros, Table, cites_by_itself, define
from latex.cite_primitives import AS_WRITTEN, CHOICES, CHOOSING, MAKES, OPAQUE, TAKES
from latex.cite_untraceable import may_hide

_MOST_STEPS = 400  # commands within commands, in one use
_DEEPEST = 40  # choices within choices
_ENDLESS = "it stands for commands within commands without end"
_MOST_SIZE = 60_000  # characters that one use becomes
_STEP = 12  # what a step costs beside its characters
_SPARE = 2_000_000  # what the uses of one text may cost, and so much for each of its characters:
_FOR_EACH = 4

_NAMES = re.compile(
    r"\\(?:[gex]?def|(?:re)?newcommand\*?|let)\s*\\csname[^\\]*(?:#|\\(?!endcsname))|\\(?:cs[gex]?def|@namedef)\s*\{[^{}]*[#\\]"
)
_DEFINED = re.compile(r"\\(?:[gex]?def|let|(?:re)?newcommand\*?)\s*\{?\\([A-Za-z@]+)")
_DEFINES = re.compile(rf"{DEFINES}|g?let|futurelet")


class Way(NamedTuple):
    """What a use cites: its keys, where it ends in the text, and why it could not be followed ("" where it could)."""

    keys: tuple[str, ...]
    end: int
    why: str = ""


class Expander:
    """Expands the uses in one text. `shown` is the text as `keys.visible` gives it, `pairs` where its braces are closed."""

    def __init__(self, shown: str, pairs: Mapping[int, int], macros: Macros) -> None:
        self.shown, self.pairs, self.all = shown, pairs, macros.vocabulary.table
        self.known = dict(macros.known)
        self.left = _SPARE + _FOR_EACH * len(shown)
        self.leading: dict[str, bool] = {}
        self.has_made_names = False  # of commands, out of what it was given

    def define(self, one: Defined) -> None:
        define(self.known, one)
        self.leading.clear()

    def leads_to_cite(self, name: str) -> bool:
        """Return whether what `name` means here comes to a command that cites, through however many others."""
        if name not in self.leading:
            self.leading[name] = self._leads(name)
        return self.leading[name]

    def _leads(self, name: str) -> bool:
        waiting, seen = [name], {name}
        while waiting:
            for one in self.meanings(waiting.pop()):
                if cites_by_itself(one):
                    return True
                # Names for a moment, which mean something else elsewhere
                own = set(_DEFINED.findall(f"{one.body}{one.tail}"))
                others = one.mentions - own - seen
                if any(is_citing(other.rstrip("@")) for other in others):
                    return True
                seen |= others
                waiting += others
        return False

    def meanings(self, name: str) -> tuple[Definition, ...]:
        """Return what `name` may stand for here; what it comes to stand for later where nothing defines it before."""
        return self.known.get(name) or self.all.get(name, ())

    def use(self, name: str, at: int) -> Way:
        """Return what the command `name` cites, whose arguments begin at `at`."""
        ways = [_Use(self, at).of(one) for one in self.meanings(name)]
        if not ways:
            return _Use(self, at).of(Definition(name, body=f"\\{name} "))
        keys = dict.fromkeys(key for way in ways for key in way.keys)
        return Way(tuple(keys), max(way.end for way in ways), next((way.why for way in ways if way.why), ""))

    def keys_in(self, inner: str, own: Table | None = None) -> tuple[tuple[str, ...], str]:
        """Return the keys in `inner`, which may name commands that stand for keys; and why they cannot be told."""
        inner = inner.replace(MASK, "\\")
        for _ in range(20):
            found = re.search(r"\\([A-Za-z@]+)[ \t]*", inner)
            if found is None:
                if "#" in inner:
                    return (), "its key is a parameter that nothing fills"
                return split(inner.strip("{}") if inner.startswith("{") else inner), ""
            new = ""
            if found[1] not in PASSED | AS_WRITTEN:
                meanings = (own or {}).get(found[1]) or self.meanings(found[1])
                if not _is_words(meanings):
                    return (), f"its key is made by \\{found[1]}"
                new = meanings[0].body
            inner = inner[: found.start()] + new + inner[found.end() :]
            if len(inner) > _MOST_SIZE:
                break
        return (), "its key is made by commands within commands"


def _is_words(meanings: Sequence[Definition]) -> bool:
    """Return whether a name stands for the words of a body and nothing else."""
    return len(meanings) == 1 and not (meanings[0].arguments or meanings[0].why or meanings[0].alias)


class _Stuck(Exception):
    """A use that cannot be followed; the message says why."""


class _Use(Reading):
    """One use, on its way: what is still to be read, the text last and below all that was put in its place."""

    def __init__(self, within: Expander, at: int) -> None:
        super().__init__(within.shown, within.pairs, at)
        self.within = within
        self.keys: dict[str, None] = {}
        self.own: dict[str, tuple[Definition, ...]] = {}  # what it defines itself on its way
        self.why = ""  # its arguments cannot be read
        self.steps = self.size = self.depth = 0
        self.floor = 1  # frames that stay, as someone goes on below them

    def of(self, definition: Definition) -> Way:
        why = ""
        try:
            self._expand(definition)
            self._run()
        except _Stuck as stuck:
            why = str(stuck)
        return Way(tuple(self.keys), max(self.furthest, self.frames[0][1]), why)

    def _push(self, text: str) -> None:
        self.steps += 1
        self.size += len(text)
        self.within.left -= len(text) + _STEP
        if self.steps > _MOST_STEPS or self.size > _MOST_SIZE or self.within.left < 0:
            raise _Stuck(_ENDLESS)
        while len(self.frames) > self.floor and self.frames[-1][1] >= len(self.frames[-1][0]):
            self.frames.pop()  # nothing is left of it
        self.frames.append((text, 0))

    def _run(self, down_to: int = 1) -> None:
        """Go on until nothing is left of what was put above the frame `down_to`."""
        floor, self.floor = self.floor, down_to
        while len(self.frames) > down_to:
            text, at = self.frames[-1]
            found = COMMAND.search(text, at)
            if found is None:
                self.frames.pop()
                continue
            name = self._known(found[1] or found[2])
            self.frames[-1] = (text, found.start() + 1 + len(name))
            self._command(name)
        self.floor = floor

    def _known(self, name: str) -> str:
        """`name` as far as it is one: signs such as @ are letters in packages only."""
        for sign in "_@":
            if sign in name[1:] and not (self.within.meanings(name) or name in CHOOSING or name in MAKES):
                name = name.partition(sign)[0] or name
        return name

    def _command(self, name: str) -> None:
        if name in OPAQUE:
            given = self._argument(masked=False)
            if given is None or may_hide(given):
                raise _Stuck(OPAQUE[name])
        elif name in TAKES:
            self._written(TAKES[name])
        elif name in CHOOSING:
            self._choose(name)
        elif name in MAKES:
            self._make(name)
        elif meanings := self._meanings(name):
            self._either(meanings)
        elif _DEFINES.fullmatch(name):
            self._pass_definition(name)
        elif is_citing(name.rstrip("@")):
            self._cite(name)

    def _written(self, number: int) -> list[str]:
        """Return the next arguments as they are written, "" for those that are missing."""
        return [self._argument(masked=False) or "" for _ in range(number)]

    def _pass_definition(self, name: str) -> None:
        """Go behind a definition within another, which is known by its name if it has one."""
        self._skip("*")
        named = ONE_COMMAND.fullmatch(self._argument(masked=False) or "")
        if named is None:
            return
        defined = named[0].strip()[1:]
        if name.endswith("let"):
            self._skip("=")
            self._argument(masked=False)
        elif name.endswith("def"):
            has_parameters = self._peek() == "#"
            while self._peek() not in ("", "{") and self._argument(masked=False) is not None:
                pass
            body = self._argument(masked=False)
            if not has_parameters and body is not None:  # what it was given is in it
                self.own[defined] = (Definition(defined, body=body),)
        else:
            while self._option("[", "]") is not None:
                pass
            self._written(
                1
                + name.endswith("DocumentCommand")
                + 2 * name.endswith("DocumentEnvironment")
                + name.endswith("newenvironment")
            )

    def _meanings(self, name: str) -> tuple[Definition, ...]:
        return self.own.get(name) or tuple(one for one in self.within.meanings(name) if one.alias != name)

    def _either(self, meanings: Sequence[Definition]) -> None:
        """Each of several meanings in turn, from the same place on."""
        self.depth += len(meanings) > 1
        if self.depth > _DEEPEST:
            raise _Stuck(_ENDLESS)
        here = list(self.frames)
        ends = []
        for one in meanings:
            self.frames = list(here)
            self._expand(one)
            if len(meanings) > 1:
                self._run(len(here) if len(here) > 1 else 1)
            ends.append(self.frames)
        self.frames = max(ends, key=lambda frames: (frames[0][1], -len(frames)))
        self.furthest = max(self.furthest, self.frames[0][1])
        self.depth -= len(meanings) > 1

    def _expand(self, one: Definition) -> None:
        if one.why:  # does it cite at all?
            self.why = one.why
            self._push(_filled(f"{one.body}{one.tail}", ()))
            return
        if _NAMES.search(one.body):
            raise _Stuck("it defines commands whose names are put together")
        if one.cites:
            self._cite(one.cites)
        elif one.alias:
            self._push(f"\\{one.alias} ")
        else:
            self._push(_filled(f"{one.body}{one.tail}", self._arguments(one.arguments)))

    def given(self, one: Definition) -> list[str]:
        """Return its arguments as they are written."""
        self.masks = False
        return self._arguments(one.arguments)

    def _arguments(self, asked: Sequence[Argument]) -> list[str]:
        given: list[str] = []
        for one in asked:
            if one.kind == "m":
                got = self._argument()
            elif one.kind == "s":
                got = one.opens if self._skip(one.opens) else ""
            else:
                got = self._option(one.opens, one.closes)
                got = _filled(one.default, given) if got is None else got
            given.append(got or "")
        return given

    def _choose(self, name: str) -> None:
        if name in CHOICES:
            self._written(CHOICES[name])
            self._either([Definition("", body=way) for way in self._written(2)])
        elif name == "@testopt":
            command, default = self._written(2)
            self._push(command if self._peek() == "[" else f"{command}[{default}]")
        else:
            sign = "*" if "star" in name else self._written(1)[0]
            there, missing = self._written(2)
            is_there = self._peek() == sign.replace("\\bgroup", "{")
            if is_there and "star" in name:
                self._skip("*")
            self._push(there if is_there else missing)

    def _make(self, name: str) -> None:
        self.within.has_made_names = True
        made = (self._until_endcsname() if name == "csname" else self._argument(masked=False)) or ""
        for _ in range(20):
            found = COMMAND.search(made)
            if found is None:
                break
            meanings = self._meanings(found[1] or "")
            body = ""
            if found[1] not in PASSED | AS_WRITTEN:
                if not _is_words(meanings):
                    if may_be_citing(made):
                        raise _Stuck("its name is put together by commands")
                    return
                body = meanings[0].body
            made = made[: found.start()] + body + made[found.end() :].lstrip()
        if made := "".join(made.split()):
            self._command(made)

    def _until_endcsname(self) -> str:
        self._blank()
        text, at = self.frames[-1]
        end = text.find("\\endcsname", at, at + 500)
        if end < 0:
            return ""
        self.frames[-1] = (text, end + len("\\endcsname"))
        return text[at:end]

    def _cite(self, name: str) -> None:
        """A command that cites by its own name: its keys are read."""
        if self.why:
            raise _Stuck(self.why)
        name = name.rstrip("@")
        self._skip("*")
        over = passed_over(name)
        several = takes_several(name)
        while True:
            while self._option("[", "]") is not None or self._option("(", ")") is not None or self._option("<", ">"):
                pass
            if self.keys and several and self._peek() != "{":
                return
            inner = self._argument(masked=False, key=True)
            if inner is None:
                raise _Stuck(f"\\{name} gets its keys from elsewhere")
            if over:
                over -= 1
                continue
            keys, why = self.within.keys_in(inner, self.own)
            self.keys.update(dict.fromkeys(keys))
            if why:
                raise _Stuck(why)
            if not several:
                return


_NOT_IN_TEXT = re.compile(
    r"\\[A-Za-z]*[@_]|#|\\(?:csname|If(?:No)?Value|IfBoolean|expandafter|let|[gex]?def)(?![a-z])|" + MASK
)


def unfold(written: str, name: str, macros: Macros) -> str | None:
    r"""Return what stands for `written`, one use of the command `name`, one step on. None where it can stand in no text, as what
    a package says with @ in its names.
    """
    pairs = {found.start(): end for found in re.finditer(r"\{", written) if (end := closing(written, found.start()))}
    expander = Expander(written, pairs, macros)
    meanings = expander.meanings(name)
    if not meanings or meanings[-1].why:
        return None
    one = meanings[-1]
    use = _Use(expander, 1 + len(name))
    if one.alias or one.cites:
        new = f"\\{one.alias or one.cites}"
    else:
        new = _filled(one.body, use.given(one))
        if _NOT_IN_TEXT.search(new):
            return None
    rest = written[use.frames[0][1] :]
    space = " " if new[-1:].isalpha() and rest[:1].isalpha() else ""
    return f"{new}{space}{rest}"


def _filled(body: str, given: Sequence[str]) -> str:
    """`body` with what is given for #1, #2 ...; ## stands for a sign of a definition within."""
    signs = {"#": "#", **{str(place): text for place, text in enumerate(given, start=1)}}
    return re.sub(r"#([#1-9])", lambda found: signs.get(found[1], ""), body)
