"""Comparison of two names of authors: surnames, given names, initials and groups (identity-gate.md, rule 2)."""

import re
from functools import lru_cache
from typing import Literal

from rapidfuzz.distance import Levenshtein

from citations.identity.normalise import without_spaces, words_in
from citations.identity.reference import Name
from citations.identity.thresholds import SURNAME_ALIKE

Likeness = Literal["same", "alike", ""]

_REMEMBERED = 16_384  # surnames, or pairs of them
_LONG_NAME = 6  # letters: in a shorter surname one different letter means another family ("Zhang", "Zheng")
_LONG_WORD = 3  # letters: a shorter given name may be initials
_PARTICLES = words_in(
    "van von der den de del della di da das do dos du la le lo ten ter zu zur zum vom el al bin ibn af av"
)
_NOUNS = words_in(
    "group consortium collaboration collaborative collaborators committee investigators team organization organisation"
    " network association society study trial writing panel force task programme program project the of for and on in"
    " de des et international national"
)
_UMLAUT = re.compile(r"(?<=[aou])e")


def person_likeness(one: Name, other: Name) -> Likeness:
    """Return whether two names are of one author: "same", "alike" where a letter or a given name differs, else empty.

    The surnames must be equal, or differ in a letter and have the same given name. Initials that contradict each other
    mean two authors, whatever the surname.
    """
    surnames = _surname_likeness(one.surname, other.surname) or _garbled(one, other)
    given = given_likeness(one.given, other.given) if surnames else ""
    if not given and is_inverted(one, other):
        return "same" if len(without_spaces(one.given)) > 1 < len(without_spaces(other.given)) else "alike"
    if not given or surnames == "same":
        return given
    is_told = surnames == "half" or (one.given and other.given and (given == "same" or surnames == "garbled"))
    return "alike" if is_told else ""


def _garbled(one: Name, other: Name) -> Literal["garbled", ""]:
    """Return "garbled" for surnames that differ only in letters lost by a wrong encoding: "Kjr", "Kj?r" and "Kjær"."""
    left = {name.ascii or without_spaces(name.surname) for name in (one, other)}
    return "garbled" if len(left) == 1 and (one.ascii or other.ascii) and len(left.pop()) > 1 else ""


def same_surname(one: str, other: str) -> bool:
    """Return whether surnames are at least .80 similar, with or without particles, or one is half of a double name."""
    return any(
        Levenshtein.normalized_similarity(here, there) >= SURNAME_ALIKE
        for here in surname_forms(one)
        for there in surname_forms(other)
    ) or _is_half(one, other)


@lru_cache(_REMEMBERED)
def _surname_likeness(one: str, other: str) -> Literal["same", "half", "alike", ""]:
    """Compare surnames: "same", "half" (part of a double name), "alike" (a letter of a long name differs), or ""."""
    if {*surname_forms(one), *map(_folded, surname_forms(one))} & {
        *surname_forms(other),
        *map(_folded, surname_forms(other)),
    }:
        return "same"
    if _is_half(one, other):
        return "half"
    is_long = max(len(without_spaces(one)), len(without_spaces(other))) >= _LONG_NAME
    return "alike" if is_long and same_surname(one, other) else ""


def _is_half(one: str, other: str) -> bool:
    """Return whether one surname is half of the other: "Garcia" of "Garcia Lopez"."""
    first, second = without_particles(one).split(), without_particles(other).split()
    short, long = sorted((first, second), key=len)
    return len(short) == 1 < len(long) and len(short[0]) > 3 and short[0] in (long[0], long[-1])


@lru_cache(_REMEMBERED)
def given_likeness(one: str, other: str) -> Likeness:
    """Compare given names: "J. A.", "John A." and "John" are the "same" person's, "J." and "X." are not ("").

    "alike": they share a name, have their initials in another order, or differ in letters inside a name. Where one side
    has no given name, they count as the same.
    """
    one, other = _folded(one), _folded(other)
    mine, theirs = one.split(), other.split()
    is_start = not mine or not theirs or _is_start(without_spaces(one), without_spaces(other))
    if is_start or _is_short_for(one, other) or _is_short_for(other, one):
        return "same"
    pairs = [_word_likeness(here, there) for here, there in zip(mine, theirs, strict=False)]
    if all(pair == "same" for pair in pairs):
        return "same"
    shared = any(len(word) >= _LONG_WORD and word in theirs for word in mine)
    initials = [sorted(word[0] for word in words) for words in (mine, theirs)]
    has_initials = any(all(len(word) == 1 for word in words) for words in (mine, theirs))
    are_turned = initials[0] == initials[1] and has_initials
    is_second = _goes_by_another(mine, theirs) or _goes_by_another(theirs, mine)
    return "alike" if shared or all(pairs) or are_turned or is_second else ""


def _word_likeness(one: str, other: str) -> Likeness:
    if one == other or _is_start(one, other):
        return "same"
    is_long = min(len(one), len(other)) > _LONG_WORD and one[0] == other[0]
    return "alike" if is_long and Levenshtein.normalized_similarity(one, other) >= SURNAME_ALIKE else ""


def _is_start(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _goes_by_another(one: list[str], other: list[str]) -> bool:
    """Return whether a single initial is that of the other's second name: "P." of "J. Peter"."""
    return len(one) == len(one[0]) == 1 and any(word[0] == one[0] for word in other[1:])


def is_inverted(one: Name, other: Name) -> bool:
    """Return whether family and given name are swapped in one of them: "Du Bin" and "Bin Du", or "B. Du"."""
    return _is_turned(one, other) or _is_turned(other, one)


def _is_turned(one: Name, other: Name) -> bool:
    if not one.given or _surname_likeness(one.given, other.surname) != "same":
        return False
    initials = bool(other.given) and all(len(word) == 1 for word in other.given.split())
    return without_spaces(one.surname) == without_spaces(other.given) or (
        initials and given_likeness(other.given, one.surname) == "same"
    )


def _is_short_for(initials: str, names: str) -> bool:
    """Return whether `initials` are those of `names`; any but the first may be left out: "m n" of "maj brit norre"."""
    short, letters = initials.split(), iter(word[0] for word in names.split())
    are_initials = bool(short) and all(len(word) == 1 for word in short) and short[0] == names[:1]
    return are_initials and all(letter in letters for letter in short)


@lru_cache(_REMEMBERED)
def surname_forms(surname: str) -> tuple[str, str]:
    """Return a surname without spaces, first with its particles, then without."""
    return without_spaces(surname), without_spaces(without_particles(surname))


def without_particles(surname: str) -> str:
    """Return a surname without leading particles: "berg" of "van der berg"."""
    words = surname.split()
    while len(words) > 1 and words[0] in _PARTICLES:
        words.pop(0)
    return " ".join(words)


def lookup_keys(name: Name) -> list[str]:
    """Return the lookup keys of a name; two spellings of one name share at least one.

    They cover swapped order, other particles and half of a double surname.
    """
    words, (whole, without) = without_particles(name.surname).split(), surname_forms(name.surname)
    given = without_spaces(name.given)
    known = [_folded(whole), _folded(without), whole, without, words[0], words[-1], name.ascii]
    known += [given] if len(given) > 1 else []  # a single initial fits too many names
    return [key for key in dict.fromkeys(known) if key]


def _folded(letters: str) -> str:
    """Reduce umlauts that are written out to one letter: "mueller" becomes "muller"."""
    return _UMLAUT.sub("", letters).replace("aa", "a")


def may_be_person(name: Name) -> bool:
    """Return whether a name that is not split into parts may be a person's: "{Jane Smith}"."""
    words = name.group.split()
    return len(words) <= 3 and not _NOUNS & set(words)


def as_person(name: Name) -> Name:
    """Split a name given in one piece into surname and given name."""
    words = name.group.split()
    turned = "," in name.shown
    return Name(
        name.shown, surname=words[0] if turned else words[-1], given=" ".join(words[1:] if turned else words[:-1])
    )


def same_group(one: str, other: str) -> bool:
    """Return whether two names are of one group: their distinctive words agree, or one is the initials of the other.

    Similar spelling does not count: the Recovery and the Discovery Collaborative Group are two.
    """
    first, second = _distinctive_words(one), _distinctive_words(other)
    if first <= second or second <= first:
        return True
    short, long = sorted((one, other), key=len)
    return without_spaces(short).removeprefix("the") == _initials(long)


def is_one_name(one: str, other: str) -> bool:
    """Return whether two names of groups are equal apart from words such as "the" and "group"."""
    return _distinctive_words(one) == _distinctive_words(other)


def _distinctive_words(group: str) -> set[str]:
    """Return the distinctive words of a group's name."""
    words = group.split()
    return {word for word in words if word not in _NOUNS} or set(words)


def _initials(group: str) -> str:
    return "".join(word[0] for word in group.split() if word not in {"the", "of", "for", "and", "on", "in"})
