r"""The commands that a thesis defines, as far as they may cite (SPEC C7): by name, and in the order of its texts."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from latex.cite_definitions import Defined, Definition, definitions, is_citing, may_be_citing

Table = Mapping[str, tuple[Definition, ...]]

_MADE = re.compile(r"\\csname((?:[^\\]|\\(?!endcsname))*+)\\endcsname|\\(?:@nameuse|csuse)\s*\{([^{}]*)\}")
MOST_MEANINGS = 8  # of one name that are held apart
_APPLIES = re.compile(r"#[1-9]\s*(?:\{|\[|#|\\(?:fi|else)|$)")


class Vocabulary:
    """All the commands that a thesis defines: `table` by name; `citing` are the names of those that may cite,
    `sure` of those that do so whatever they are given."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.sure = _leading_to(table, {name for name, several in table.items() if any(map(cites_by_itself, several))})
        applying = {name for name, several in table.items() if any(map(_applies, several))}
        self.citing = _leading_to(table, {*self.sure, *applying})

    @cached_property
    def names(self) -> str:
        """The names as a regular expression has them."""
        if len(self.citing) > 64:
            return r"[A-Za-z@]++|[^A-Za-z\s\\%{}]"
        ordered = sorted(
            (name for name in self.citing if not name.startswith(("begin ", "active "))), key=len, reverse=True
        )
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
    made = [Macros({}, Vocabulary(every))]
    for several in found[:-1]:
        known = dict(made[-1].known)
        for one in several:
            define(known, one)
        made.append(Macros(known, made[0].vocabulary) if several else made[-1])
    return made


def with_own(macros: Macros, own: Sequence[Defined]) -> Macros:
    """`macros`, and what a text defines itself."""
    table = macros.vocabulary.table
    is_known = all(one.definition in table.get(one.definition.name, ()) for one in own)
    return macros if is_known else Macros(macros.known, Vocabulary(_joined(table, own)))


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
        there = made.get(one.definition.name, ())
        if one.definition not in there:
            made[one.definition.name] = (*there, one.definition)[: 4 * MOST_MEANINGS]
    return made


def _leading_to(table: Table, begun: set[str]) -> frozenset[str]:
    """Return the names of `table` that lead to one of `begun`, through however many others."""
    users: dict[str, list[str]] = {}
    for name, meanings in table.items():
        for other in {other for one in meanings for other in one.mentions}:
            users.setdefault(other, []).append(name)
    found = [*begun, *(other for other in users if is_citing(other))]
    reached = set(begun)
    while found:
        further = {*users.get(found.pop(), ())} - reached
        reached |= further
        found += further
    return frozenset(reached)


def cites_by_itself(one: Definition) -> bool:
    """Return whether a definition cites by itself, or may, as it puts a name together that looks so."""
    made = _MADE.findall(f"{one.body}{one.tail}") if _makes_names(one) else []
    return bool(one.cites) or any(may_be_citing(first or second) for first, second in made)


def _makes_names(one: Definition) -> bool:
    return any(make in one.body + one.tail for make in ("csname", "@nameuse", "csuse"))


def _applies(one: Definition) -> bool:
    """Return whether it may make something of what it is given: a command that cites handed over as an argument."""
    return not one.why and (_APPLIES.search(f"{one.body}{one.tail}") is not None or _makes_names(one))


NONE = Macros({}, Vocabulary({}))
