r"""Regular expressions for a thesis's own cite commands, if they are simple enough, which is tested once for each."""

import re
from functools import lru_cache
from typing import NamedTuple

from latex.cite_expansion import Expander, Way
from latex.cite_macros import Macros, Vocabulary
from latex.citing_commands import PLAIN, Argument

AS_PLAIN = "AS PLAIN"  # placeholder for the arguments of \\cite
_MOST_NAMES = 64
_GROUP = r"([^{}%\\#]*+)"
_GAP = r"[ \t]*+(?:(?:\r\n|\r|\n)[ \t]*+)?+"
_PROBE = re.compile(r"probe\d")
_TAILS = ("[n]{x}", "{x}", "*{x}", "(n){x}", "<n>{x}")
_MOST_FORMS = 3  # optional arguments of one command that are tried


class Shape(NamedTuple):
    """The pattern of a simple command: of its `arguments`, in which the group `place` has the keys."""

    arguments: "re.Pattern[str] | None"
    place: int
    keys: tuple[str, ...]


@lru_cache(maxsize=4096)
def shape(vocabulary: Vocabulary, name: str) -> Shape | None:
    """Return the pattern for uses of `name`, tested on sample arguments; None if its uses must be expanded."""
    meanings = vocabulary.table.get(name, ())
    if len(meanings) != 1 or name.startswith("active "):
        return None
    asked = meanings[0].arguments
    if meanings[0].alias or meanings[0].cites or sum(one.kind != "m" for one in asked) > _MOST_FORMS:
        return None
    found = None
    for form in range(2 ** sum(one.kind != "m" for one in asked)):
        written = _written(asked, form)
        way = _use(vocabulary, name, written)
        if way.why or way.end != len(written) or not way.keys or found not in (None, way.keys):
            return None
        if any(_use(vocabulary, name, written + tail) != way for tail in _TAILS):  # it also takes what follows
            return None
        found = way.keys
    place = 0
    if found and any(map(_PROBE.search, found)):
        if len(found) > 1 or _PROBE.fullmatch(found[0]) is None:
            return None
        place = 1 + [at for at, one in enumerate(asked) if one.kind == "m"].index(int(found[0][-1]))
    return Shape(re.compile("".join(map(_pattern, asked))) if asked else None, place, () if place else found or ())


class Quick(NamedTuple):
    """One regular expression for the uses of all commands that may cite, to be put after a backslash.

    Its groups: `lists` groups with keys, one with the name of a command whose keys are `constants`, one for other uses.
    """

    pattern: str
    lists: int
    constants: dict[str, str]


@lru_cache(maxsize=64)
def quick(vocabulary: Vocabulary) -> Quick | None:
    """Return the pattern for a thesis whose commands are simple; None if it has too many commands."""
    if len(vocabulary.citing) > _MOST_NAMES:
        return None
    by_arguments: dict[str, list[str]] = {}
    constants: dict[str, str] = {}
    for name in sorted(vocabulary.citing, key=len, reverse=True):
        if not name.isalpha():
            continue
        meanings = vocabulary.table.get(name, ())
        simple = shape(vocabulary, name)
        if len(meanings) == 1 and meanings[0].cites in PLAIN:
            by_arguments.setdefault(AS_PLAIN, []).append(name)
        elif simple is not None and simple.arguments is None:
            constants[name] = ",".join(simple.keys)
        elif simple is not None and simple.arguments is not None and simple.place:
            by_arguments.setdefault(_with_one_group(simple.arguments.pattern, simple.place), []).append(name)
    parts = [f"(?:{'|'.join(names)})(?![A-Za-z@]){arguments}" for arguments, names in by_arguments.items()]
    parts.append(f"({'|'.join(constants) or '(?!)'})(?![A-Za-z@])")
    begun = [re.escape(name[6:]) for name in vocabulary.citing if name.startswith("begin ")]
    signs = [re.escape(name) for name in vocabulary.citing if len(name) == 1 and not name.isalpha()]
    words = [
        re.escape(name)
        for name in vocabulary.citing
        if re.fullmatch(r"[A-Za-z@_:]+", name) and len(name) + name.isalpha() > 1
    ]
    odd = [*(f"(?:{'|'.join(words)})(?![A-Za-z])" for _ in words[:1]), *signs]
    odd += [rf"begin[ \t]*+\{{(?:{'|'.join(begun)})\}}" for _ in begun[:1]]
    parts.append(f"({'|'.join(odd) or '(?!)'})")
    return Quick("|".join(parts), len(by_arguments), constants)


def _with_one_group(pattern: str, place: int) -> str:
    """Return a pattern of arguments with only the group `place`, which has the keys."""
    first, *pieces = pattern.split(_GROUP)
    groups = (_GROUP if at == place else _GROUP[1:-1] for at in range(1, len(pieces) + 1))
    return first + "".join(group + piece for group, piece in zip(groups, pieces, strict=True))


def _written(asked: "tuple[Argument, ...]", form: int) -> str:
    """Return sample arguments; the bits of `form` say which optional ones are given."""
    written = ""
    for at, one in enumerate(asked):
        if one.kind == "m":
            written += f"{{probe{at}}}"
            continue
        if form & 1:
            written += one.opens if one.kind == "s" else f"{one.opens}n{one.closes}"
        form >>= 1
    return written


def _pattern(one: Argument) -> str:
    if one.kind == "m":
        return rf"{_GAP}\{{{_GROUP}\}}"
    opens, closes = re.escape(one.opens), re.escape(one.closes)
    if one.kind == "s":
        return rf"(?:{_GAP}{opens})?+"
    # An unusual optional argument does not match, so that the use is expanded instead
    return rf"(?:{_GAP}{opens}[^\[\]{{}}%\\#{closes}]*+{closes}|(?!{_GAP}{opens}))"


def _use(vocabulary: Vocabulary, name: str, written: str) -> Way:
    """Return what `name` cites with the arguments `written`, whose braces are not nested."""
    pairs = {found.start(): found.end() - 1 for found in re.finditer(r"\{[^{}]*\}|\[[^\[\]]*\]", written)}
    expander = Expander(written, pairs, Macros({}, vocabulary))
    way = expander.use(name, 0)
    return Way((), 0, "it generates names") if expander.has_made_names else way
