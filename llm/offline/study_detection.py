"""Which study each sentence of a text is about (SPEC R15).

A study is recognised by its authors and year ("Smith et al. (2019)"), its name ("the RECOVERY trial"), its number
("Study 2"), or an introduction as another study ("A cohort study of ..."). A sentence that names one study is about
that one. A sentence that names none is about the study named last in its paragraph, else about the one in its heading,
else about the text's own study. A sentence that names several is about none of them.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import dropwhile
from typing import NamedTuple

from core.grouping import first_values
from text.sentences import Sentence, headings, sentences

OWN = ""  # the study that the text itself reports

_SURNAME = r"(?:(?:van|von|de|der|den|del|la|le|el|al|bin|ibn|di|da|dos) ){0,3}[^\W\d_a-z][\w’'-]{1,40}"
_SEVERAL = rf"{_SURNAME}(?:, {_SURNAME}){{0,5}},? (?:et al\.?|and (?:colleagues|others|{_SURNAME})|& {_SURNAME})"
_YEAR = r"(?:1[89]|20)\d\d[a-z]?"
_BY_AUTHOR = re.compile(
    rf"\b(?P<many>{_SEVERAL}),? ?[(\[]?(?P<year>{_YEAR})\b|\b(?P<one>{_SURNAME}) [(\[](?P<one_year>{_YEAR})\b"
    rf"|[(;] ?(?:see |e\.g\.,? )?(?P<inside>{_SURNAME}),? (?P<inside_year>{_YEAR})\b"
)
_KINDS = r"(?:trial|study|cohort|experiment|survey|RCT)"
_BY_NUMBER = re.compile(
    r"\b(?:(?:Study|Trial|Experiment|Cohort|STUDY|TRIAL) \d\d?"
    r"|(?i:study|trial|experiment|cohort) (?:\d|(?-i:[A-Z]|I{2,3}|IV|VI?)))\b(?![.,]\d)"
)
_BY_NAME = re.compile(rf"\b(?P<name>[A-Z][\w-]{{1,30}}(?: [A-Z][\w-]{{1,30}}){{0,2}}) {_KINDS}\b")
_ANOTHER = re.compile(
    rf"\b(?:an?|another|one|(?:the|a) (?:first|second|third|fourth|fifth|other|latter|former|earlier|previous)) "
    rf"(?:[\w,-]+ ){{0,6}}?"
    rf"(?:{_KINDS}(?: study| trial)?|meta-?analysis|(?:systematic |Cochrane )?review|guideline|registry)\b",
    re.IGNORECASE,
)
_OUR_OWN = re.compile(
    r"\b(?:we|our|ours|(?:this|the present|the current) (?:study|trial|paper|article|thesis|work|review))\b", re.I
)
# Capitalised words before "trial" that are not its name: beginnings of sentences, and kinds of study.
_KINDS_OF_STUDY = (
    "clinical randomised randomized controlled pilot field cohort observational prospective retrospective longitudinal"
    " crossover blind open multicentre multicenter case control cross-sectional experimental laboratory greenhouse"
    " natural"
    " phase feasibility validation simulation postal online household telephone rct parallel pragmatic systematic"
    " a an the this that these those each every another one our their his her its no any some most many both all in of"
    " for large small first second third fourth fifth other further recent previous later earlier present current study"
    " trial national only ii iii iv vi vii"
)
_NO_NAMES = frozenset(_KINDS_OF_STUDY.split())
# Capitalised words before a year that are not a surname.
_BEFORE_YEARS = (
    "january february march april may june july august september october november december since in by until from"
    " before"
    " after table figure section chapter version edition the and see during between study trial experiment cohort"
)
_NO_SURNAMES = frozenset(_BEFORE_YEARS.split())


class StudyRange(NamedTuple):
    """A range of the text and the study it is about: its key, OWN, or None if unknown."""

    start: int
    end: int
    study: str | None


class Studies(NamedTuple):
    """The ranges of a text in order, and the names of the studies besides its own, by key."""

    told: tuple[StudyRange, ...]
    names: dict[str, str]

    def at(self, start: int, end: int) -> str | None:
        """Return the study that the text is about from `start` to `end`; None if there are several or it is unknown."""
        found = {one.study for one in self.told if one.start < end and start < one.end}
        return found.pop() if len(found) == 1 else None


@lru_cache(maxsize=64)
def studies_in(text: str) -> Studies:
    """Return the studies in `text`, and the ranges that are about each."""
    units = [unit for sentence in sentences(text) for unit in _units(sentence)]
    told = [*headings(text), *(unit.text for unit in units)]
    names = first_values((key, label) for words in told for key, label, _ in _named(words))
    aliases = _aliases(text, names)
    others = [unit for unit in units if not _mentions(unit.text, aliases) and _another(unit.text)]
    # A single unnamed study in a text that names no other is the text's own.
    if sum(len(_another(unit.text)) for unit in others) > 1 or names:
        for unit in others:
            names[str(unit.start)] = _another(unit.text)[0]
    rest = OWN if any(_OUR_OWN.search(unit.text) for unit in units) or not names else None
    return Studies(tuple(_study_ranges(units, names, aliases, rest)), names)


def _study_ranges(
    units: list[Sentence], names: dict[str, str], aliases: dict[str, str], rest: str | None
) -> Iterator[StudyRange]:
    block, last = -1, rest
    for unit in units:
        above: set[str | None] = {key for key, _ in _mentions(unit.heading, aliases)} or {rest}
        begun = above.pop() if len(above) == 1 else None
        if unit.block != block:
            block, last = unit.block, begun
        about, last = _about(unit, names, aliases, begun, last)
        yield StudyRange(unit.start, unit.end, about)


def _about(
    unit: Sentence, names: dict[str, str], aliases: dict[str, str], begun: str | None, last: str | None
) -> tuple[str | None, str | None]:
    """Return the study that `unit` is about, and the study that the following sentences are about by default."""
    mentions = _mentions(unit.text, aliases)
    keys = {key for key, _ in mentions}
    is_own = bool(_OUR_OWN.search(unit.text))
    if is_own and all(is_aside for _, is_aside in mentions):
        # "We used the scale of others (Smith, 2001)" is about the text's own study, or the one of its heading.
        return begun or OWN, begun or OWN
    if is_own or len(keys) > 1:
        return None, None
    if keys:
        only = keys.pop()
        return only, None if all(is_aside for _, is_aside in mentions) else only
    if another := _another(unit.text):
        about = (str(unit.start) if str(unit.start) in names else last) if len(another) == 1 else None
        return about, about
    return last, last


def _units(sentence: Sentence) -> list[Sentence]:
    """Return a sentence, or the rows of a table, since each row may name a study of its own."""
    if not sentence.is_table:
        return [sentence]
    rows = [(row[0], sentence.start + row.start()) for row in re.finditer(r"[^\n]+", sentence.text)]
    return [sentence._replace(text=row, start=at, end=at + len(row), block=-2 - at) for row, at in rows]


def _named(words: str) -> Iterator[tuple[str, str, bool]]:
    """Yield the studies named in `words`: key, name as written, and whether it is only cited as a reference."""
    for match in _BY_AUTHOR.finditer(words):
        people = match["many"] or match["one"] or match["inside"]
        year = match["year"] or match["one_year"] or match["inside_year"]
        first = re.split(r",| et al| and | & ", people)[0]
        if first.casefold() not in _NO_SURNAMES and first.split()[-1][0].isupper():
            before = words[: match.start() + 1]
            yield f"{first} {year}".casefold(), f"{people} ({year})", before.count("(") > before.count(")")
    for match in _BY_NUMBER.finditer(words):
        yield match.group().casefold(), match.group(), False
    for match in _BY_NAME.finditer(words):
        kept = list(dropwhile(lambda word: word.casefold() in _NO_NAMES, match["name"].split()))
        if kept and not any(word.casefold() in _NO_NAMES for word in kept):
            name = " ".join(kept)
            yield name.casefold(), f"{name}{words[match.end('name') : match.end()]}", False


def _aliases(text: str, names: dict[str, str]) -> dict[str, str]:
    """Return the short names of studies that are fully named elsewhere: {surname or trial name: key}.

    Only words that stand for one study, and that the text does not use as common words.
    """
    found: dict[str, set[str]] = {}
    for key, label in names.items():
        word = (
            re.split(r",| et al| and | & | \(", label)[0]
            if key[-1:].isdigit() or "(" in label
            else label.rpartition(" ")[0]
        )
        if len(word) > 2 and not re.fullmatch(r"(?i)study|trial|experiment|cohort", word):
            found.setdefault(word, set()).add(key)
    used = set(re.findall(r"\b[a-z][\w-]+", text))
    return {word: keys.pop() for word, keys in found.items() if len(keys) == 1 and word.casefold() not in used}


def _mentions(words: str, aliases: dict[str, str]) -> list[tuple[str, bool]]:
    """Return the keys of the studies named in `words`, each with whether it is only cited as a reference."""
    found = [(key, is_aside) for key, _, is_aside in _named(words)]
    known = {key for key, _ in found}
    capital = re.findall(r"[A-Z][\w’'-]*(?: [A-Z][\w-]*)*", words) if aliases else []
    parts = [part for word in capital for part in (word, *word.split()) if part in aliases]
    return found + [(aliases[part], False) for part in parts if aliases[part] not in known]


def _another(words: str) -> list[str]:
    return [match.group() for match in _ANOTHER.finditer(words)] if not _OUR_OWN.search(words) else []
