"""Comparison of an entry's authors with those of a registry record (identity-gate.md, rule 2)."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from citations.identity.person_names import (
    Likeness,
    as_person,
    is_inverted,
    is_one_name,
    lookup_keys,
    may_be_person,
    person_likeness,
    same_group,
    same_surname,
    surname_forms,
)
from citations.identity.reference import Name, Reference
from citations.identity.thresholds import SURNAME_ALIKE
from core.grouping import grouped

MOST_MISSING = 20  # authors that a record lacks; the comparison stops there
_MOST_TRIED = 200  # authors for whom similar surnames are searched
_MOST_COMPARED = 200_000  # pairs of names; the longest real lists have some thousand names, of which few are alike
_NAMED = 3  # authors listed in a sentence


class AuthorComparison(NamedTuple):
    """The result of comparing the claimed authors with those of a record.

    `missing`: authors claimed but not in the record, at most MOST_MISSING. `refuted`: those of them whose surname
    belongs to somebody else in the record. `respelt`: authors whom the record spells differently, each with the
    record's name. `left_out`: how many of the record's authors are not claimed, which "and others" allows.
    """

    missing: tuple[Name, ...] = ()
    respelt: tuple[tuple[Name, Name], ...] = ()
    left_out: int = 0
    in_order: bool = True
    refuted: tuple[Name, ...] = ()

    @property
    def agree(self) -> bool:
        """Whether the claimed authors are exactly the record's, in its order."""
        return not self.missing and not self.respelt and not self.left_out and self.in_order


def compare_first_authors(claim: Reference, record: Reference) -> tuple[bool | None, str]:
    """Return whether the first authors have one surname, and a sentence if not; None where one side has no authors.

    Groups are ignored when the claim names persons; a claimed group must be one of the record's groups.
    """
    if not claim.people:
        return None, "No author is claimed."
    if not record.people:
        return None, "The record names no author."
    mine, theirs = _persons(claim), _persons(record)
    if mine and not theirs:
        alone = any(_same_family(mine[0], as_person(name)) for name in record.groups if may_be_person(name))
        return (True, "") if alone else (None, f"The record names only a group, “{record.groups[0].shown}”.")
    if not mine and any(same_group(name.group, other.group) for name in claim.groups for other in record.groups):
        return True, ""
    mine = mine or [as_person(name) for name in claim.groups if may_be_person(name)]
    if not mine or not theirs:
        return False, f"“{claim.groups[0].shown}” is not among the record's authors."
    agrees = _same_family(mine[0], theirs[0])
    return agrees, "" if agrees else f"The first author is “{theirs[0].shown}”, not “{claim.people[0].shown}”."


def find_all_authors(claim: Reference, record: Reference, others: Iterable[Reference] = ()) -> tuple[bool | None, str]:
    """Return whether every claimed author is in this record or in another record of the same work; a sentence if not.

    `others` are other registries' records of the same work. Given names written out in one record outweigh initials in
    another: "Jane Smith" is not the "J. Smith" whom the first record calls John.
    """
    if not claim.people or not record.people:
        return None, ""
    lists = [
        compare_authors(claim.people, one.people) for one in [record, *(other for other in others if other.people)]
    ]
    nowhere = set.intersection(*[{id(name) for name in one.missing} for one in lists]) | {
        id(name) for one in lists for name in one.refuted
    }
    missing = [name for name in claim.people if id(name) in nowhere]
    return not missing, f"No record that was found names {_listed(missing)} among the authors." if missing else ""


def author_differences(claim: Reference, record: Reference) -> list[str]:
    """Return how the claimed authors differ from the record's, as parts of a sentence."""
    if not claim.people or not record.people:
        return []
    lists = compare_authors(claim.people, record.people)
    told = []
    if lists.missing:
        told.append(f"this record lacks {_listed(lists.missing)}")
    if lists.left_out and not claim.others:
        told.append(f"{lists.left_out:,} of the record's {len(record.people):,} are left out")
    told += [f"“{mine.shown}” is “{theirs.shown}” in the record" for mine, theirs in lists.respelt[:_NAMED]]
    if len(lists.respelt) > _NAMED:
        told.append(f"{len(lists.respelt) - _NAMED} more names differ")
    return told if lists.in_order else [*told, "their order differs"]


def _listed(names: Sequence[Name]) -> str:
    """Return names for a sentence: "“Smith, J.”, “Jones, K.” and 2 more"."""
    shown = [f"“{name.shown}”" for name in names[:_NAMED]]
    if more := len(names) - len(shown):
        shown.append("more" if len(names) == MOST_MISSING else f"{more} more")
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


@lru_cache(64)
def compare_authors(claimed: tuple[Name, ...], recorded: tuple[Name, ...]) -> AuthorComparison:
    """Compare the claimed authors with a record's; each name of the record matches at most one claimed author."""
    names = _UnmatchedNames(recorded)
    missing: list[Name] = []
    respelt: list[tuple[Name, Name]] = []
    places: list[int] = []
    for name in claimed:
        place, likeness = names.take(name)
        if place is None:
            missing.append(name)
            if len(missing) == MOST_MISSING:
                break
            continue
        places.append(place)
        if likeness == "alike":
            respelt.append((name, recorded[place]))
    return AuthorComparison(
        tuple(missing),
        tuple(respelt),
        len(recorded) - len(places),
        places == sorted(places),
        tuple(name for name in missing if names.has_namesake(name)),
    )


class _UnmatchedNames:
    """The names of a record that no claimed author has matched yet."""

    def __init__(self, recorded: Sequence[Name]) -> None:
        self.recorded = recorded
        self.people = {
            place: _person(name) for place, name in enumerate(recorded) if not name.group or may_be_person(name)
        }
        self.groups = {place: name for place, name in enumerate(recorded) if name.group}
        self.spelt = {place: surname_forms(name.surname)[1] for place, name in self.people.items()}
        self.shared = grouped((key, place) for place, name in self.people.items() for key in lookup_keys(name))
        self.tried = self.compared = 0

    def take(self, name: Name) -> tuple[int | None, Likeness]:
        """Match a claimed name and remove its match: return the match's position and how alike the two names are."""
        if name.group:
            place = next((place for place, other in self.groups.items() if same_group(name.group, other.group)), None)
            if place is not None or not may_be_person(name):
                alike = place is not None and is_one_name(name.group, self.recorded[place].group)
                return self._taken(place), "same" if alike else "alike"
        place, likeness = self._find(_person(name))
        return self._taken(place), likeness

    def has_namesake(self, name: Name) -> bool:
        """Return whether an unmatched person in the record has this surname."""
        return not name.group and any(place in self.people for place in self.shared.get(lookup_keys(name)[0], ()))

    def _find(self, name: Name) -> tuple[int | None, Likeness]:
        near: tuple[int | None, Likeness] = None, ""
        for key in lookup_keys(name):
            for place in self.shared.get(key, ()):
                if place not in self.people:
                    continue
                self.compared += 1
                if self.compared > _MOST_COMPARED:
                    return None, ""
                likeness = person_likeness(name, self.people[place])
                if likeness == "same":
                    return place, likeness
                if likeness and (near[0] is None or place < near[0]):
                    near = place, likeness
        return near if near[0] is not None else self._find_alike(name)

    def _find_alike(self, name: Name) -> tuple[int | None, Likeness]:
        self.tried += 1
        if self.tried > _MOST_TRIED:
            return None, ""
        alike = process.extract(
            surname_forms(name.surname)[1],
            self.spelt,
            scorer=Levenshtein.normalized_similarity,
            score_cutoff=SURNAME_ALIKE,
            limit=MOST_MISSING,
        )
        found = ((place, person_likeness(name, self.people[place])) for _, _, place in alike)
        return next(((place, likeness) for place, likeness in found if likeness), (None, ""))

    def _taken(self, place: int | None) -> int | None:
        if place is not None:
            self.groups.pop(place, None)
            self.spelt.pop(place, None)
            if one := self.people.pop(place, None):
                for key in lookup_keys(one):
                    if place in self.shared.get(key, ()):
                        self.shared[key].remove(place)
        return place


def _person(name: Name) -> Name:
    return as_person(name) if name.group else name


def _persons(reference: Reference) -> list[Name]:
    return [name for name in reference.people if not name.group]


def _same_family(one: Name, other: Name) -> bool:
    return same_surname(one.surname, other.surname) or is_inverted(one, other)
