r"""Commands of a thesis's own whose uses a regular expression reads, as nearly all are: how each is read is tried once."""

import re
from functools import lru_cache
from typing import NamedTuple

from sections.cite_definitions import Argument
from sections.cite_macros import Macros, Vocabulary
from sections.cite_uses import Expander, Way

_GAP = r"[ \t]*+(?:(?:\r\n|\r|\n)[ \t]*+)?+"
_PROBE = re.compile(r"probe\d")
_TAILS = ("[n]{x}", "{x}", "*{x}", "(n){x}", "<n>{x}")
_MOST_FORMS = 3  # optional arguments of one command that are tried


class Shape(NamedTuple):
    """How a use of a simple command is read: `arguments` behind its name, of which the group `place` has the keys."""

    arguments: "re.Pattern[str] | None"
    place: int
    keys: tuple[str, ...]


@lru_cache(maxsize=4096)
def shape(vocabulary: Vocabulary, name: str) -> Shape | None:
    """How the uses of `name` are read, or None: then each is expanded. It is tried out on what one may write behind it."""
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
        if any(_use(vocabulary, name, written + tail) != way for tail in _TAILS):  # it takes what follows too
            return None
        found = way.keys
    place = 0
    if any(_PROBE.search(key) for key in found or ()):
        if found is None or len(found) > 1 or _PROBE.fullmatch(found[0]) is None:
            return None
        place = 1 + [at for at, one in enumerate(asked) if one.kind == "m"].index(int(found[0][-1]))
    read = re.compile("".join(map(_pattern, asked))) if asked else None
    return Shape(read, place, () if place else found or ())


def is_plain(vocabulary: Vocabulary, name: str) -> bool:
    """Whether `name` is used like \\cite without notes: one pair of braces with the keys."""
    one = shape(vocabulary, name)
    return (
        one is not None and one.place == 1 and all(arg.kind != "m" for arg in vocabulary.table[name][0].arguments[:-1])
    )


def _written(asked: "tuple[Argument, ...]", form: int) -> str:
    """The arguments `asked` for as one may write them: bit by bit of `form`, those that may be missing are there."""
    parts = []
    for at, one in enumerate(asked):
        if one.kind == "m":
            parts.append(f"{{probe{at}}}")
            continue
        if form & 1:
            parts.append(one.opens if one.kind == "s" else f"{one.opens}n{one.closes}")
        form >>= 1
    return "".join(parts)


def _pattern(one: Argument) -> str:
    if one.kind == "m":
        return rf"{_GAP}\{{([^{{}}%\\#]*+)\}}"
    opens, closes = re.escape(one.opens), re.escape(one.closes)
    if one.kind == "s":
        return rf"(?:{_GAP}{opens})?+"
    # Where it is there and odd, the use is read by expanding it
    return rf"(?:{_GAP}{opens}[^\[\]{{}}%\\#{closes}]*+{closes}|(?!{_GAP}{opens}))"


def _use(vocabulary: Vocabulary, name: str, written: str) -> Way:
    """What `name` cites where `written` stands behind it, whose braces are not nested."""
    pairs = {found.start(): found.end() - 1 for found in re.finditer(r"\{[^{}]*\}|\[[^\[\]]*\]", written)}
    expander = Expander(written, pairs, Macros({}, vocabulary))
    way = expander.use(name, 0)
    return way if not expander.has_made_names else Way((), 0, "it puts names together")
