r"""The commands that a thesis defines itself and that may cite, by name and in the order of its texts (SPEC C7)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from core.grouping import grouped
from latex.citing_commands import Defined, Definition, definitions, is_citing, may_be_citing

Table = Mapping[str, tuple[Definition, ...]]

_MADE = re.compile(r"\\csname((?:[^\\]|\\(?!endcsname))*+)\\endcsname|\\(?:@nameuse|csuse)\s*\{([^{}]*)\}")
MOST_MEANINGS = 8  # definitions of one name that are kept
_APPLIES = re.compile(r"#[1-9]\s*(?:\{|\[|#|\\(?:fi|else)|$)")


class Vocabulary:
    """All commands that a thesis defines: `table` by name.

    `citing` are the names of those that may cite, `sure` of those that cite whatever their arguments are.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.sure = _leading_to(table, {name for name, several in table.items() if any(map(cites_by_itself, several))})
        applying = {name for name, several in table.items() if any(map(_applies, several))}
        self.citing = _leading_to(table, {*self.sure, *applying})

    @cached_property
    def names(self) -> str:
        """Return the names as a part of a regular expression."""
        if len(self.citing) > 64:
            return r"[A-Za-z@]++|[^A-Za-z\s\\%{}]"
        ordered = sorted(
            (name for name in self.citing if not name.startswith(("begin ", "active "))), key=len, reverse=True
        )
        return "|".join(re.escape(name) + (r"(?![A-Za-z@])" if name[-1:].isalpha() else "") for name in ordered)


@dataclass(frozen=True, eq=False, slots=True)
class Macros:
    """The commands that a text may use: `known` at its beginning, and the `vocabulary` of the whole thesis."""

    known: Table
    vocabulary: Vocabulary


def in_order(texts: Sequence[str]) -> list[Macros]:
    """Return the macros of each of `texts` (from `cite_keys.visible`), which TeX reads in this order."""
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
    """Return `macros` with the definitions `own` of a text added."""
    table = macros.vocabulary.table
    is_known = all(one.definition in table.get(one.definition.name, ()) for one in own)
    return macros if is_known else Macros(macros.known, Vocabulary(_joined(table, own)))


def define(known: dict[str, tuple[Definition, ...]], one: Defined) -> None:
    """Add a definition to `known`; if it certainly applies, it replaces others of the same name."""
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
    """Return the names of `table` that lead to one of `begun`, directly or through others."""
    users = grouped(
        (other, name)
        for name, meanings in table.items()
        for other in {other for one in meanings for other in one.mentions}
    )
    found = [*begun, *(other for other in users if is_citing(other))]
    reached = set(begun)
    while found:
        further = {*users.get(found.pop(), ())} - reached
        reached |= further
        found += further
    return frozenset(reached)


def cites_by_itself(one: Definition) -> bool:
    """Return whether a definition cites by itself, or may do so by a generated name of a command."""
    made = _MADE.findall(f"{one.body}{one.tail}") if _makes_names(one) else []
    return bool(one.cites) or any(may_be_citing(first or second) for first, second in made)


def _makes_names(one: Definition) -> bool:
    return any(make in one.body + one.tail for make in ("csname", "@nameuse", "csuse"))


def _applies(one: Definition) -> bool:
    """Return whether a definition may execute its argument, which may be a command that cites."""
    return not one.why and (_APPLIES.search(f"{one.body}{one.tail}") is not None or _makes_names(one))


NONE = Macros({}, Vocabulary({}))
