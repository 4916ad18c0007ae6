"""Comparison of names of journals and conferences: "N Engl J Med", "NeurIPS", "Lancet (London, England)"."""

import re
from collections.abc import Container
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

from citations.identity.normalise import plain, words_in
from citations.identity.thresholds import VENUE_ALIKE
from citations.identity.title_similarity import respelt

_REMEMBERED = 4_096
_LONGEST = 300  # characters of a name
_MOST_WORDS = 24
_PREPRINTS = re.compile(
    r"arxiv|(?:bio|med|chem|psy|edu|engr|eco|tech|soc|earth|agri)r?xiv|ssrn|research square|preprints?\b|^corr\b|zenodo"
    r"|authorea|osf|peerj preprints|computing research repository|essoar|working papers?\b"
)
_PREPRINT_DOI = re.compile(
    r"10\.(?:48550/arxiv|1101/(?:20\d\d\.|\d{6}$)|64898/|21203/rs|2139/ssrn|31234/|31219/|31235/|31222/|31223/"
    r"|20944/preprints|26434/chemrxiv|36227/techrxiv|22541/au|7287/peerj\.preprints)"
)
_SERIES = re.compile(r"^lecture notes\b|^communications in computer and information science|^ifip advances|^procedia\b")
_SMALL = words_in("the of and in on for a an de la le der die und fur et y to")
# Words that catalogues add to a journal's name without changing its meaning; `_section` compares the series.
_PLACES = words_in("usa u s united states america online print london england series section sect ser")
# More such words, for conferences: organiser, place and kind of publication.
_ADDED = _PLACES | words_in(
    "proceedings annual international conference ieee acm cvf clinical research ed st nd rd th meeting symposium"
    " official society british edition"
)
_COUNTRY = re.compile(r"\b(?:u s a|u s)$")
_SECTION = re.compile(r"\b(?:series|section|sect|ser) ([a-z]|\d{1,2}|[ivx]{1,4})\b|(?<=\w) ([a-ik-z])$")
_MEETING = re.compile(r"\b(?:proc\w*|conf\w*|symposium|workshop|meeting|advances|transactions|annual)\b")


def same_venue(claimed: str, found: str) -> bool | None:
    """Return whether two names may mean the same journal, conference or book; None for a missing name or a book series.

    Abbreviations and acronyms count as the full name. A name within a longer one is another journal ("Nature", "Nature
    Medicine") unless the rest adds no meaning ("Lancet (London, England)").
    """
    return _same_venue(*sorted((claimed[:_LONGEST], found[:_LONGEST])))


def venues_agree(claimed: str, found: str) -> bool | None:
    """Return whether two names are spellings of one name: full, abbreviated, or an acronym. None as in `same_venue`.

    Stricter than `same_venue`, which looks for other versions: "Cancer" is not "British Journal of Cancer", series B is
    not series A, and similar names ("Physiology", "Psychology") are two.
    """
    return same_venue(claimed, found) and _agrees(*sorted((claimed[:_LONGEST], found[:_LONGEST])))


@lru_cache(_REMEMBERED)
def _agrees(one: str, other: str) -> bool:
    if _section(one) != _section(other):
        return False
    return any(
        here == there
        or respelt(here, there)
        or _is_written_so(_words(here), _words(there), bool(_MEETING.search(here) or _MEETING.search(there)))
        for here in _readings(one)
        for there in _readings(other)
    )


def _section(name: str) -> str:
    """Return the letter or number of a journal's series: "b" of "Physical Review B" or "J R Stat Soc: Series B"."""
    found = _SECTION.search(_COUNTRY.sub("", plain(re.sub(r"[(\[][^)\]]*[)\]]", " ", name))))
    return found[1] or found[2] if found else ""


def _is_written_so(one: list[str], other: list[str], is_meeting: bool) -> bool:
    short, long = sorted((one, other), key=lambda words: sum(map(len, words)))
    if not short:
        return False
    alone = len(short) == 1 and (_is_acronym(short[0], long) or (is_meeting and short[0] in long))
    return alone or _is_abbreviated(short, long, _ADDED if is_meeting else _PLACES)


@lru_cache(_REMEMBERED)
def _same_venue(one: str, other: str) -> bool | None:
    if not plain(one) or not plain(other) or _SERIES.match(plain(one)) or _SERIES.match(plain(other)):
        return None
    return any(_agree(here, there) for here in _readings(one) for there in _readings(other))


def _readings(name: str) -> list[str]:
    """Return the forms of a name to compare: whole, without brackets, up to a colon, and an acronym in brackets."""
    bare = re.sub(r"[(\[][^)\]]*[)\]]", " ", name)
    short = [
        one
        for one in re.findall(r"[(\[]([^)\]]*)[)\]]", name)
        if re.fullmatch(r"[A-Z][A-Za-z]{2,9}(?:[ '’-]*\d{2,4})?", one.strip())
    ]
    return [
        one
        for one in dict.fromkeys(plain(one) for one in (name, bare, re.split(r":|\s[-–—]\s|=", bare)[0], *short))
        if one
    ]


def _agree(one: str, other: str) -> bool:
    if one == other or Levenshtein.normalized_similarity(one, other) >= VENUE_ALIKE:
        return True
    first, second = _words(one), _words(other)
    if not first or not second:
        return False
    short, long = sorted((first, second), key=lambda words: sum(map(len, words)))
    is_meeting = bool(_MEETING.search(" ".join(long)))
    alone = len(short) == 1 and (_is_acronym(short[0], long) or (is_meeting and short[0] in long))
    return alone or _is_abbreviated(short, long, _ADDED)


def _words(name: str) -> list[str]:
    """Return the distinctive words of a name, without small words, years and numbers."""
    return [word for word in name.split()[:_MOST_WORDS] if word not in _SMALL and not word[0].isdigit()]


def _is_abbreviated(short: list[str], long: list[str], added: Container[str]) -> bool:
    """Return whether `short` abbreviates `long` word by word; words without a counterpart must be in `added`."""
    place = 0
    for word in long:
        if place < len(short) and _shortens(short[place], word):
            place += 1
        elif word not in added:
            return False
    return all(word in added for word in short[place:])


def _shortens(short: str, word: str) -> bool:
    """Return whether `short` is `word`, or an abbreviation of it: "engl", "natl", "j"."""
    if short == word:
        return True
    if len(short) >= len(word) or short[0] != word[0]:
        return False
    letters = iter(word)
    return all(letter in letters for letter in short) and (
        word.startswith(short) or short[-1] == word[-1] or len(short) > 2
    )


def _is_acronym(short: str, words: list[str]) -> bool:
    """Return whether `short` consists of the beginnings of the words: "pnas", "cvpr", "neurips"."""
    return 3 <= len(short) <= 10 and any(
        _abbreviates(short, words[start:]) for start in range(len(words)) if words[start][0] == short[0]
    )


def _abbreviates(short: str, words: list[str]) -> bool:
    if not short or not words:
        return not short and all(word in _ADDED for word in words)
    return any(
        short[:size] == words[0][:size] and _abbreviates(short[size:], words[1:])
        for size in range(1, min(4, len(short), len(words[0])) + 1)
    )


def is_preprint_place(venue: str) -> bool:
    """Return whether a name is that of a preprint server."""
    return bool(_PREPRINTS.search(plain(venue[:_LONGEST])))


def is_preprint_doi(doi: str | None) -> bool:
    """Return whether a DOI was issued by a preprint server. bioRxiv's DOIs look like those of journals until 2019."""
    return bool(_PREPRINT_DOI.match(doi or ""))
