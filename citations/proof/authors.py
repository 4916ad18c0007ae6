"""Whether the authors an entry claims are those a registry names (identity-gate.md, rule 2)."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import lru_cache

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from citations.proof.normal import squashed, words_in
from citations.proof.reference import Name, Reference

ALIKE = 0.80  # of two surnames
ENOUGH = 0.60  # of the claimed surnames must be found

_REMEMBERED = 16_384  # surnames, or pairs of them
_PARTICLES = words_in(
    "van von der den de del della di da das do dos du la le lo ten ter zu zur zum vom el al bin ibn af av"
)
_NOUNS = words_in(
    "group consortium collaboration collaborative collaborators committee investigators team organization organisation"
    " network association society study trial writing panel force task programme program project the of for and on in"
    " de des et international national"
)


def first_author(claim: Reference, record: Reference) -> tuple[bool | None, str]:
    """Whether the first authors are one, and a sentence if not; None where one side names nobody.

    Groups are set aside when the claim names persons; a claimed group must be one of the record's groups.
    """
    if not claim.people:
        return None, "No author is claimed."
    if not record.people:
        return None, "The record names no author."
    mine, theirs = _persons(claim), _persons(record)
    if mine and not theirs:
        alone = any(_same_person(mine[0], _as_person(name)) for name in record.groups if _may_be_person(name))
        return (True, "") if alone else (None, f"The record names only a group, “{record.groups[0].shown}”.")
    if not mine and any(_same_group(name.group, other.group) for name in claim.groups for other in record.groups):
        return True, ""
    mine = mine or [_as_person(name) for name in claim.groups if _may_be_person(name)]
    if not mine or not theirs:
        return False, f"“{claim.groups[0].shown}” is not among the record's authors."
    agrees = _same_person(mine[0], theirs[0])
    return agrees, "" if agrees else f"The first author is “{theirs[0].shown}”, not “{claim.people[0].shown}”."


def found_authors(claim: Reference, record: Reference) -> tuple[bool | None, str]:
    """Whether at least 60 % of the claimed surnames are among the record's, and a sentence if not."""
    mine, theirs = _persons(claim), _persons(record)
    if not mine or not theirs:
        return None, ""
    found = _count_found(mine, theirs)
    agrees = found >= ENOUGH * len(mine)
    many = "author" if len(mine) == 1 else "authors"
    return agrees, "" if agrees else f"Only {found} of the {len(mine)} claimed {many} are among the record's."


def given_names_clash(claim: Reference, record: Reference) -> bool:
    """Whether the first authors share the surname and no initial: "Wang, Wenhui" and "Wang, Jianfeng"."""
    if not _persons(claim) or not _persons(record):
        return False
    mine, theirs = _persons(claim)[0], _persons(record)[0]
    initials = ({word[0] for word in name.given.split()} for name in (mine, theirs))
    one, other = initials
    return bool(one and other) and not one & other and not _is_inverted(mine, theirs)


def _persons(reference: Reference) -> list[Name]:
    return [name for name in reference.people if not name.group]


def _may_be_person(name: Name) -> bool:
    """Whether a name in one piece may be a person's: "{Jane Smith}"."""
    words = name.group.split()
    return len(words) <= 3 and not _NOUNS & set(words)


def _as_person(name: Name) -> Name:
    words = name.group.split()
    turned = "," in name.shown
    return Name(
        name.shown, surname=words[0] if turned else words[-1], given=" ".join(words[1:] if turned else words[:-1])
    )


def _same_person(one: Name, other: Name) -> bool:
    return _same_surname(one.surname, other.surname) or _is_inverted(one, other)


def _is_inverted(one: Name, other: Name) -> bool:
    """Whether one has the family name first and the other last: "Du Bin" and "Bin Du"."""
    return (
        bool(one.given)
        and squashed(one.surname) == squashed(other.given)
        and squashed(one.given) == squashed(other.surname)
    )


@lru_cache(_REMEMBERED)
def _same_surname(one: str, other: str) -> bool:
    """Whether surnames agree, with or without particles and the second half of a double name."""
    if any(Levenshtein.normalized_similarity(here, there) >= ALIKE for here in _forms(one) for there in _forms(other)):
        return True
    first, second = _bare(one).split(), _bare(other).split()
    if len(first) == len(second):
        return False
    short, long = sorted((first, second), key=len)
    return len(short) == 1 and len(short[0]) > 3 and short[0] in (long[0], long[-1])


@lru_cache(_REMEMBERED)
def _forms(surname: str) -> tuple[str, str]:
    return squashed(surname), squashed(_bare(surname))


def _bare(surname: str) -> str:
    """A surname without the particles before it: "berg" of "van der berg"."""
    words = surname.split()
    while len(words) > 1 and words[0] in _PARTICLES:
        words.pop(0)
    return " ".join(words)


def _count_found(mine: Sequence[Name], theirs: Sequence[Name]) -> int:
    """How many of the names are among the others, each of which counts once."""
    left = Counter(name.surname for name in theirs)
    missed = []
    for name in mine:
        if left[name.surname] > 0:
            left[name.surname] -= 1
        else:
            missed.append(name)
    if not missed:
        return len(mine)
    rest = []
    for name in theirs:
        if left[name.surname] > 0:
            left[name.surname] -= 1
            rest.append(name)
    return len(mine) - len(missed) + _count_alike(missed, rest, len(mine) * ENOUGH - len(mine) + len(missed))


def _count_alike(missed: Sequence[Name], rest: Sequence[Name], wanted: float) -> int:
    """How many of `missed` are among `rest` in another spelling; counted no further than can matter for `wanted`."""
    spelt = {place: _forms(name.surname)[1] for place, name in enumerate(rest)}
    shared: defaultdict[str, list[int]] = defaultdict(list)
    for place, name in enumerate(rest):
        for key in _keys(name):
            shared[key].append(place)
    found = 0
    for tried, name in enumerate(missed):
        if found >= wanted or found + len(missed) - tried < wanted:
            break
        near = process.extractOne(
            _forms(name.surname)[1], spelt, scorer=Levenshtein.normalized_similarity, score_cutoff=ALIKE
        )
        places = [near[2]] if near else [place for key in _keys(name) for place in shared[key] if place in spelt]
        known = next((place for place in places if near or _same_person(name, rest[place])), None)
        if known is not None:
            found += 1
            del spelt[known]
    return found


def _keys(name: Name) -> set[str]:
    """What two names have in common that are one in another order, or with other particles or only half of the surname."""
    words = _bare(name.surname).split()
    return {squashed(name.surname), squashed(name.given), words[0], words[-1]}


def _same_group(one: str, other: str) -> bool:
    """Whether two names are of one group: the words that tell it from others are the same, or one is its initials.

    No similarity here: the Recovery and the Discovery Collaborative Group are two.
    """
    first, second = _telling(one), _telling(other)
    if first <= second or second <= first:
        return True
    short, long = sorted((one, other), key=len)
    return squashed(short).removeprefix("the") == _initials(long)


def _telling(group: str) -> set[str]:
    """The words of a group's name that tell it from other groups."""
    words = group.split()
    return {word for word in words if word not in _NOUNS} or set(words)


def _initials(group: str) -> str:
    return "".join(word[0] for word in group.split() if word not in {"the", "of", "for", "and", "on", "in"})
