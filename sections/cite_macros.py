r"""Citations made by commands that a thesis defines itself (SPEC C7): what each use of one cites, as TeX would expand it.

A use is expanded as by TeX: its arguments are read from the text, the body takes its place, and so on until commands
that cite by their own names (`cite_names`) have got their keys. Of a choice that hangs on what only TeX knows, every
branch is looked at. What cannot be followed is said to be so, never passed over.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from sections.cite_definitions import Argument, Defined, Definition, definitions
from sections.cite_names import is_citing, passed_over, split, takes_several

Table = Mapping[str, tuple[Definition, ...]]

MOST_MEANINGS = 8  # of one name that are held apart
_MOST_STEPS = 400  # commands within commands, in one use
_MOST_SIZE = 60_000  # characters that one use becomes
_STEP = 12  # what a step costs beside its characters
_SPARE = 2_000_000  # what the uses of one text may cost, and so much for each of its characters:
_FOR_EACH = 4
_MASK = "\x02"  # a backslash in an argument, whose own commands are read where they stand

_COMMAND = re.compile(r"\\(?:([A-Za-z@]+(?:_[A-Za-z_@]*:[A-Za-z]*)?)|(.))", re.DOTALL)
_ONE_COMMAND = re.compile(r"\s*\\(?:[A-Za-z@]+|[^A-Za-z@])\s*")
_BLANK = re.compile(r"[ \t]*+(?:(?:\r\n|\r|\n)[ \t]*+)?+")
_APPLIES = re.compile(r"#[1-9]\s*(?:\{|\[|#|\\(?:fi|else)|$)")
_NAMES = re.compile(
    r"\\(?:[gex]?def|(?:re)?newcommand\*?|let)\s*\\csname[^\\]*(?:#|\\(?!endcsname))|\\(?:cs[gex]?def|@namedef)\s*\{[^{}]*[#\\]"
)
_PASSED = frozenset(
    ["expandafter", "relax", "noexpand", "protect", "unexpanded", "leavevmode", "ignorespaces", "unskip", "fi", "or"]
    + ["begingroup", "bgroup", "endgroup", "egroup", "exp_after:wN", "global", "long", "protected"]
)
# What takes one of two ways that stand in braces, and how many arguments stand before them
_CHOICES = {
    "ifthenelse": 1, "IfNoValueTF": 1, "IfValueTF": 1, "IfBooleanTF": 1, "IfBlankTF": 1, "ifblank": 1, "notblank": 1,
    "ifstrempty": 1, "ifstrequal": 2, "ifdefempty": 1, "iftoggle": 1, "ifbool": 1, "@ifundefined": 1, "ifcsdef": 1,
    "ifdef": 1, "ifundef": 1, "ifcsundef": 1, "ifnumcomp": 3, "ifboolexpr": 1, "ifinlist": 2, "@ifpackageloaded": 1,
    "@ifclassloaded": 1, "ifnum": 0, "ifentrytype": 1, "iffieldundef": 1, "ifcsempty": 1, "ifnumequal": 2,
    "tl_if_blank:nTF": 1, "tl_if_empty:nTF": 1, "tl_if_novalue:nTF": 1, "bool_if:NTF": 1,
}  # fmt: skip
_CHOOSING = frozenset({*_CHOICES, "@ifnextchar", "kernel@ifnextchar", "@ifstar", "@testopt", "@ifnextstar"})
_MAKES = frozenset(["csname", "@nameuse", "csuse", "use:c"])


class Way(NamedTuple):
    """What a use cites: its keys, where it ends in the text, and why it could not be followed ("" where it could)."""

    keys: tuple[str, ...]
    end: int
    why: str = ""


class Shape(NamedTuple):
    """How a use of a simple command is read: `arguments` behind its name, of which the group `place` has the keys."""

    arguments: "re.Pattern[str] | None"
    place: int
    keys: tuple[str, ...]


class Vocabulary:
    """All the commands that a thesis defines: `table` by name; `citing` are the names of those that may cite,
    `sure` of those that do so whatever they are given."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.sure = _leading_to(table, {name for name, several in table.items() if any(map(_cites, several))})
        applying = {name for name, several in table.items() if any(map(_applies, several))}
        self.citing = _leading_to(table, {*self.sure, *applying})

    @cached_property
    def simple(self) -> frozenset[str]:
        r"""Those that are used like \cite, notes and one pair of braces with the keys: nothing else has to be known of them."""
        return frozenset(name for name in self.citing if len(self.table.get(name, ())) == 1 and self._is_simple(name))

    def _is_simple(self, name: str) -> bool:
        if not name.isalpha() or not name.isascii():
            return False
        return self._use(name, "{k}") == Way(("k",), 3)

    def _use(self, name: str, written: str) -> Way:
        """What `name` cites where `written` stands behind it, whose braces are not nested."""
        pairs = {found.start(): found.end() - 1 for found in re.finditer(r"\{[^{}]*\}|\[[^\[\]]*\]", written)}
        return Expander(written, pairs, Macros({}, self)).use(name, 0)

    @cached_property
    def shapes(self) -> dict[str, Shape]:
        """How those are read that take so many braces, one of which has the keys, and those that have their keys in them."""
        made: dict[str, Shape] = {}
        for name in self.citing:
            meanings = self.table.get(name, ())
            asked = meanings[0].arguments if len(meanings) == 1 else ()
            notes = 1 if asked[:1] and (asked[0].kind, asked[0].opens) == ("o", "[") else 0
            if len(meanings) != 1 or any(one.kind != "m" for one in asked[notes:]) or len(asked) == notes == 1:
                continue
            count = len(asked) - notes
            braces = "".join(f"{{k{place}}}" for place in range(count))
            if notes and self._use(name, f"[n]{braces}").keys != self._use(name, braces).keys:
                continue
            way = self._use(name, "".join(f"{{k{place}}}" for place in range(count)))
            if way.why or way.end != 4 * count:
                continue
            if not count:
                if self._use(name, "{k}") == self._use(name, "[n]") == way:  # it takes nothing of what follows
                    made[name] = Shape(None, 0, way.keys)
            elif len(way.keys) == 1 and re.fullmatch(r"k\d", way.keys[0]):
                groups = [rf"{_BLANK.pattern}\{{([^{{}}%\\#]*+)\}}"] * count
                option = rf"(?:{_BLANK.pattern}\[[^\[\]{{}}%\\]*+\])?+" if notes else rf"(?!{_BLANK.pattern}\[)"
                made[name] = Shape(re.compile("".join([option, *groups])), 1 + int(way.keys[0][1:]), ())
        return made

    @cached_property
    def names(self) -> str:
        """The names as a regular expression has them."""
        if len(self.citing) > 64:
            return r"[A-Za-z@]++|[^A-Za-z\s\\%{}]"
        ordered = sorted((name for name in self.citing if not name.startswith("begin ")), key=len, reverse=True)
        return "|".join(re.escape(name) + (r"(?![A-Za-z@])" if name[-1:].isalpha() else "") for name in ordered)


@dataclass(frozen=True, eq=False, slots=True)
class Macros:
    """What a text may use: `known` where it begins, and `vocabulary`, what the thesis defines anywhere."""

    known: Table
    vocabulary: Vocabulary


def in_order(texts: Sequence[str]) -> list[Macros]:
    """For each of `texts`, which TeX reads in this order and which are as `keys.visible` gives them, what it may use."""
    found = [definitions(text) for text in texts]
    every = _joined({}, (one for several in found for one in several))
    if not every:
        return [NONE] * len(texts)
    vocabulary = Vocabulary(every)
    made = []
    here = Macros({}, vocabulary)
    for several in found:
        made.append(here)
        if several:
            known = dict(here.known)
            for one in several:
                define(known, one)
            here = Macros(known, vocabulary)
    return made


def with_own(macros: Macros, own: Sequence[Defined]) -> Macros:
    """`macros`, and what a text defines itself."""
    table = macros.vocabulary.table
    if all(one.definition in table.get(one.definition.name, ()) for one in own):
        return macros
    return Macros(macros.known, Vocabulary(_joined(table, own)))


def define(known: dict[str, tuple[Definition, ...]], one: Defined) -> None:
    """Put a definition where it stands into what is `known`: it takes the place of another where that is certain."""
    definition = one.definition
    name = definition.name
    there = known.get(name, ())
    if one.yields and there:
        return
    meanings: tuple[Definition, ...] = (definition,)
    if definition.alias and definition.alias != name and (copied := known.get(definition.alias)):
        meanings = tuple(other._replace(name=name) for other in copied)
    if not one.is_certain:
        meanings = tuple(dict.fromkeys([*there, *meanings]))[:MOST_MEANINGS]
    known[name] = meanings


def _joined(table: Table, several: Iterable[Defined]) -> dict[str, tuple[Definition, ...]]:
    made = dict(table)
    for one in several:
        name = one.definition.name
        there = made.get(name, ())
        if one.definition not in there:
            made[name] = (*there, one.definition)[: 4 * MOST_MEANINGS]
    return made


def _leading_to(table: Table, begun: set[str]) -> frozenset[str]:
    """The names of `table` that lead to one of `begun`, through however many others."""
    users: dict[str, list[str]] = {}
    for name, meanings in table.items():
        for other in {other for one in meanings for other in one.mentions}:
            users.setdefault(other, []).append(name)
    found = [*begun, *(other for other in users if is_citing(other))]
    reached = set(begun)
    while found:
        for user in users.get(found.pop(), ()):
            if user not in reached:
                reached.add(user)
                found.append(user)
    return frozenset(reached)


def _cites(one: Definition) -> bool:
    """Whether a definition cites by itself, or may, as it puts a name together that looks so."""
    body = f"{one.body}{one.tail}"
    return bool(one.cites) or (_makes_names(body) and "cit" in body.casefold())


def _makes_names(body: str) -> bool:
    return "csname" in body or "@nameuse" in body or "csuse" in body


def _applies(one: Definition) -> bool:
    """Whether it may make something of what it is given: a command that cites handed over as an argument."""
    body = f"{one.body}{one.tail}"
    return not one.why and (_APPLIES.search(body) is not None or _makes_names(body))


class Expander:
    """Expands the uses in one text. `shown` is the text as `keys.visible` gives it, `pairs` where its braces are closed."""

    def __init__(self, shown: str, pairs: Mapping[int, int], macros: Macros) -> None:
        self.shown, self.pairs, self.all = shown, pairs, macros.vocabulary.table
        self.known = dict(macros.known)
        self.left = _SPARE + _FOR_EACH * len(shown)

    def define(self, one: Defined) -> None:
        define(self.known, one)

    def meanings(self, name: str) -> tuple[Definition, ...]:
        """What `name` may stand for here; what it comes to stand for later where nothing defines it before."""
        return self.known.get(name) or self.all.get(name, ())

    def use(self, name: str, at: int) -> Way:
        """What the command `name` cites, whose arguments begin at `at`."""
        ways = [_Use(self, at).of(one) for one in self.meanings(name)]
        if not ways:
            return _Use(self, at).of(Definition(name, body=f"\\{name} "))
        keys = dict.fromkeys(key for way in ways for key in way.keys)
        return Way(tuple(keys), max(way.end for way in ways), next((way.why for way in ways if way.why), ""))

    def keys_in(self, inner: str) -> tuple[tuple[str, ...], str]:
        """The keys in `inner`, which may name commands that stand for keys; and why they cannot be told."""
        inner = inner.replace(_MASK, "\\")
        for _ in range(20):
            found = re.search(r"\\([A-Za-z@]+)[ \t]*", inner)
            if found is None:
                return split(inner.strip("{}") if inner.startswith("{") else inner), ""
            if found[1] in _PASSED:
                new = ""
            else:
                meanings = self.meanings(found[1])
                one = meanings[-1] if len(meanings) == 1 else None
                if one is None or one.arguments or one.why or one.alias:
                    return (), f"its key is made by \\{found[1]}"
                new = one.body
            inner = inner[: found.start()] + new + inner[found.end() :]
            if len(inner) > _MOST_SIZE:
                break
        return (), "its key is made by commands within commands"


class _Stuck(Exception):
    """A use that cannot be followed; the message says why."""


class _Use:
    """One use, on its way: what is still to be read, the text last and below all that was put in its place."""

    def __init__(self, within: Expander, at: int) -> None:
        self.within = within
        self.frames: list[tuple[str, int]] = [(within.shown, at)]
        self.keys: dict[str, None] = {}
        self.steps = self.size = 0
        self.furthest = at
        self.masks = True

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
            raise _Stuck("it stands for commands within commands without end")
        self.frames.append((text, 0))

    def _run(self, down_to: int = 1) -> None:
        """Go on until nothing is left of what was put above the frame `down_to`."""
        while len(self.frames) > down_to:
            text, at = self.frames[-1]
            found = _COMMAND.search(text, at)
            if found is None:
                self.frames.pop()
                continue
            name = self._known(found[1] or found[2])
            self.frames[-1] = (text, found.start() + 1 + len(name))
            self._command(name)

    def _known(self, name: str) -> str:
        """`name` as far as it is one: signs such as @ are letters in packages only."""
        for sign in "_@":
            if sign in name[1:] and not (self.within.meanings(name) or name in _CHOOSING or name in _MAKES):
                name = name.partition(sign)[0] or name
        return name

    def _command(self, name: str) -> None:
        if name in _CHOOSING:
            self._choose(name)
        elif name in _MAKES:
            self._make(name)
        elif meanings := self._meanings(name):
            self._either(meanings)
        elif is_citing(name.rstrip("@")) or is_citing(name):
            self._cite(name)

    def _meanings(self, name: str) -> tuple[Definition, ...]:
        return tuple(one for one in self.within.meanings(name) if one.alias != name)

    def _either(self, meanings: Sequence[Definition]) -> None:
        """Each of several meanings in turn, from the same place on."""
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

    def _expand(self, one: Definition) -> None:
        if one.why:
            raise _Stuck(one.why)
        if _NAMES.search(one.body):
            raise _Stuck("it defines commands whose names are put together")
        if one.alias:
            self._push(f"\\{one.alias} ")
        elif one.cites:
            self._cite(one.cites)
        else:
            given = self._arguments(one.arguments)
            self._push(_filled(f"{one.body}{one.tail}", given))

    def given(self, one: Definition) -> list[str]:
        """Its arguments as they are written."""
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
        if name in _CHOICES:
            for _ in range(_CHOICES[name]):
                self._argument(masked=False)
            ways = [self._argument(masked=False) or "", self._argument(masked=False) or ""]
            self._either([Definition("", body=way) for way in ways])
            return
        if name == "@testopt":
            command, default = self._argument(masked=False) or "", self._argument(masked=False) or ""
            self._push(command if self._peek() == "[" else f"{command}[{default}]")
            return
        sign = "*" if "star" in name else (self._argument(masked=False) or "")
        ways = [self._argument(masked=False) or "", self._argument(masked=False) or ""]
        is_there = self._peek() == sign.replace("\\bgroup", "{")
        if is_there and "star" in name:
            self._skip("*")
        self._push(ways[0] if is_there else ways[1])

    def _make(self, name: str) -> None:
        made = (self._until_endcsname() if name == "csname" else self._argument(masked=False)) or ""
        for _ in range(20):
            found = _COMMAND.search(made)
            if found is None:
                break
            meanings = self.within.meanings(found[1] or "")
            if len(meanings) != 1 or meanings[0].arguments or meanings[0].why:
                if "cit" in made.replace(" ", "").casefold():
                    raise _Stuck("its name is put together by commands")
                return
            made = made[: found.start()] + meanings[0].body + made[found.end() :].lstrip()
        made = "".join(made.split())
        if made:
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
                return
            if over:
                over -= 1
                continue
            keys, why = self.within.keys_in(inner)
            self.keys.update(dict.fromkeys(keys))
            if why:
                raise _Stuck(why)
            if not several:
                return

    # The text that is read

    def _blank(self) -> bool:
        """Pass over blanks, and what a choice leaves; whether there is something behind."""
        while True:
            text, at = self.frames[-1]
            found = _BLANK.match(text, at)
            at = found.end() if found else at
            if at < len(text):
                passed = _COMMAND.match(text, at)
                if passed and passed[1] in _PASSED:
                    at = passed.end()
                elif passed and passed[1] == "else":
                    end = text.find("\\fi", at)
                    at = end + 3 if end >= 0 else len(text)
                else:
                    self.frames[-1] = (text, at)
                    return True
                self.frames[-1] = (text, at)
                continue
            if len(self.frames) == 1:
                return False
            self.frames.pop()

    def _peek(self) -> str:
        here = list(self.frames)
        there = self._blank()
        text, at = self.frames[-1]
        self.frames = here
        return text[at] if there else ""

    def _skip(self, sign: str) -> bool:
        if self._peek() != sign:
            return False
        self._blank()
        text, at = self.frames[-1]
        self.frames[-1] = (text, at + 1)
        return True

    def _argument(self, *, masked: bool = True, key: bool = False) -> str | None:
        here = list(self.frames)
        if not self._blank():
            self.frames = here
            return None
        text, at = self.frames[-1]
        sign = text[at]
        if sign == "{":
            close = self._closing(at)
            if close is None:
                self.frames = here
                return None
            inner, end = text[at + 1 : close], close + 1
        elif sign == "}" or (key and len(self.frames) == 1 and sign != "\\"):
            self.frames = here
            return None
        else:
            found = _COMMAND.match(text, at) if sign == "\\" else None
            end = found.end() if found else at + 1
            inner = text[at:end]
        is_source = len(self.frames) == 1
        self.frames[-1] = (text, end)
        if is_source:
            self.furthest = max(self.furthest, end)
            if masked and self.masks and "\\" in inner and _ONE_COMMAND.fullmatch(inner) is None:
                return inner.replace("\\", _MASK)
        return inner

    def _option(self, opens: str, closes: str) -> str | None:
        if self._peek() != opens:
            return None
        if opens == "{":
            return self._argument()
        here = list(self.frames)
        self._blank()
        text, at = self.frames[-1]
        place, end = at + 1, min(len(text), at + 4_000)
        if len(self.frames) == 1 and opens == "[" and self.masks:
            place = self.within.pairs.get(at, end)
        while place < end:
            sign = text[place]
            if sign == closes:
                self.frames[-1] = (text, place + 1)
                inner = text[at + 1 : place]
                return inner.replace("\\", _MASK) if len(self.frames) == 1 and self.masks else inner
            if sign == "{":
                place = self._closing(place) or end
            elif sign == "\\":
                place += 1
            place += 1
        self.frames = here
        return None

    def _closing(self, at: int) -> int | None:
        text, _ = self.frames[-1]
        return self.within.pairs.get(at) if len(self.frames) == 1 else closing(text, at)


_NOT_IN_TEXT = re.compile(
    r"\\[A-Za-z]*[@_]|#|\\(?:csname|If(?:No)?Value|IfBoolean|expandafter|let|[gex]?def)(?![a-z])|" + _MASK
)


def unfold(written: str, name: str, macros: Macros) -> str | None:
    r"""What stands for `written`, one use of the command `name`, one step on. None where it can stand in no text, as what
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


def closing(text: str, at: int) -> int | None:
    """Where the brace at `at` is closed."""
    depth = 0
    for found in re.compile(r"\\.|[{}]", re.DOTALL).finditer(text, at):
        sign = found[0]
        depth += (sign == "{") - (sign == "}")
        if not depth and sign == "}":
            return found.start()
    return None


def _filled(body: str, given: Sequence[str]) -> str:
    """`body` with what is given for #1, #2 ...; ## stands for a sign of a definition within."""
    if "#" not in body:
        return body

    def put(found: "re.Match[str]") -> str:
        sign = found[1]
        if sign == "#":
            return "#"
        place = int(sign) - 1
        return given[place] if place < len(given) else ""

    return re.sub(r"#([#1-9])", put, body)


NONE = Macros({}, Vocabulary({}))
