"""Finding known names and private words in a text (SPEC T4).

A person's name is found in any order and spelling: "Asha Iyer", "IYER, Asha", "Asha~Iyer", across a line break, with or
without accents. A single word of a name counts if it begins with a capital and is not an ordinary word. A private
line is found as it is, whatever its case and white space.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from text.personal_data.plain_view import LETTERS_AND_FIGURES, Seen, parted

# Letters and digits with combining characters.
_SIGNS = "\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0dff\u0f00-\u0fff\u200c\u200d"
_TOKEN = re.compile(rf"[^\W_](?:[^\W_]|[{_SIGNS}])*")
words_of = _TOKEN.findall  # the words and digits by which a line is found
# Scripts without spaces between words, or with endings attached to names.
_UNPARTED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_ABOVE = re.compile("[\u0300-\u036f]")
_LETTERS = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ł": "l", "ı": "i", "þ": "th", "ð": "d"})
_UMLAUTS = (("ä", "ae"), ("ö", "oe"), ("ü", "ue"))
_YEAR = re.compile("[_:-][0-9]")  # after the name in a citation key: "Iyer_2019"
FAR = 24  # maximum characters between two words of one name, including macros and braces of LaTeX
SMALL = 2  # a word that occurs so often in lower case is an ordinary word of this text
_TITLES = "dr prof professor mr mrs ms miss mx sir herr frau mme mlle sig sra doctor"
TITLES = frozenset(_TITLES.split())
_PARTICLES = "van von vom de der den di da del della dos du la le el al bin ibn ter ten zu zur y of the and"
PARTICLES = frozenset(_PARTICLES.split())
# Names that are also ordinary words. Alone they count as a name only next to a title or initial: "Dr Power", not
# "Power was 80 %".
_ORDINARY = """
able apple april august autumn baker bank bar baum beach bell bench berg best bill bird black blanc blood bloom blue
bon bond bone book boucher boy branch brand bridge bright broad brook brown brun burn bush camp car carpenter carter
case cash castle chance chapel chase child church close coal cole comfort cook cool cotton court crane cross crown
daily dance day dean dear december delta diamond dove drive duke early east eden edge elder ember emerald english eve
faith fall farmer fast february field finch fine fish fisher fleet flower foot ford forest forester forward foster
found fox free french friday frost game garden gardener german gift glass gold golden good grace grand grant grave
gray green grey gross grove groß guest gut hail hale hall ham hand hardy harmony hart harvest haus haven hay hazel
head heath herb hero herr hidden high hill hof holiday holly home honey hook hope horn house hunt hunter ice iris
ivory ivy jade january jasmine joy judge july june jung just justice kaiser keen key king klein knight koch kurz lake
lamb land lane lang large last law lay leaf lean licht light lily line lion little lock long lord love low luck mai
main major male man many march mark marsh mason mass master max may meadow medal mercy merit mile miles mill miller
mint mode monday moon moor more morning moss mount nail nation neat new news night noble noir north november nurse oak
oaks october olive orange page pain palm parish park past patience peace peak pear pearl penny pepper petit pick
pierce pike pine plant pole pond pool poor pope porter post pot potter power pray price pride priest prince print
prose proud purple queen quick rain ray read reason reed reef reich rice rich richter ridge ring rise river rock roi
rose roth rouge royal ruby rule rush sage sailor salt sand saturday sauer savage save schwarz september shade shadow
sharp sheep shell shepherd ship shore short silver simple singer sky slate small smart snow sommer song south spear
spring squire star stark steel stein stern steward still stock stone storm story street strong style summer sun sunday
swan sweet swift tag temple thursday tide tiger tile till today town trace tree true trust tuesday van violet vogel
wall ward warm water way web weber wednesday weiss weiß well west wheat white wild will willow winter wise wolf wood
word work worth yard young zimmer
"""
ORDINARY = frozenset(_ORDINARY.split())


class Names(NamedTuple):
    """Private names and words: names and e-mail addresses of people, and lines written by the user.

    `found` are names that the text itself labels as names of persons; they are searched as they are, like lines.
    """

    people: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    found: tuple[str, ...] = ()


class Hit(NamedTuple):
    """An item in a text: its kind, the ranges to redact, and its text for the user."""

    kind: str
    spans: tuple[tuple[int, int], ...]
    value: str


class _Token(NamedTuple):
    """A word of the text, folded, with its position in the view."""

    folded: str
    start: int
    end: int


class Finder:
    """Finds `names` in texts. Built once for each set of names (`finder_of`)."""

    def __init__(self, names: Names) -> None:
        self.words: dict[str, list[int]] = {}  # words of people's names, with the numbers of the people
        self.people = names.people
        self.phrases: dict[str, list[tuple[tuple[str, ...], str, str]]] = {}  # by first word: words, kind, value
        for person, name in enumerate(names.people):
            parts = enumerate(words_of(name))
            telling = [part for number, part in parts if _is_telling(part, is_first=number == 0)]
            for form in {form for part in telling for form in _forms(part)}:
                self.words.setdefault(form, []).append(person)
        of_kinds = (("email", names.emails), ("kept_private", names.lines), ("patient_name", names.found))
        lines = [(words_of(line), kind, line) for kind, of_kind in of_kinds for line in of_kind]
        for parts_of_line, kind, line in sorted(lines, key=lambda one: -len(one[0])):
            words = tuple(map(fold, parts_of_line))
            if words and not _is_unparted(parts_of_line):
                self.phrases.setdefault(words[0], []).append((words, kind, line))
        self.capital = {
            words[0]
            for phrases in self.phrases.values()
            for words, _, line in phrases
            if len(words) == 1 and words[0] in ORDINARY and line[:1].isupper()
        }
        self.known = {*self.words, *(word for of in self.phrases.values() for words, _, _ in of for word in words)}
        self.plain = {form.encode() for word in self.known for form in (word, f"{word}s") if word.isascii()}
        every = [*((words_of(name), "patient_name", name) for name in names.people), *lines]
        in_one = [
            (r"\s?".join(map(re.escape, parts)), kind, line) for parts, kind, line in every if _is_unparted(parts)
        ]
        in_one.sort(key=lambda one: -len(one[0]))
        self.unparted = re.compile("|".join(f"({pattern})" for pattern, _, _ in in_one)) if in_one else None
        self.called = [(kind, value) for _, kind, value in in_one]

    def hits(self, view: Seen) -> Iterator[Hit]:
        """Yield all items in `view`; their spans are positions in the original text. Runs in linear time."""
        if self.unparted:
            for found in self.unparted.finditer(view.text):
                kind, value = self.called[(found.lastindex or 1) - 1]
                yield Hit(kind, (view.span(*found.span()),), value)
        if not self._may_stand_in(view.text):
            return
        tokens = self._tokens(view.text, {*_TOKEN.findall(view.text)})
        yield from self._phrases(view, tokens)
        yield from self._people(view, tokens)

    def _may_stand_in(self, text: str) -> bool:
        """Return False if `text` cannot contain a name, without checking each of its words."""
        words, others = parted(text, LETTERS_AND_FIGURES)
        if not words.isdisjoint(self.plain):
            return True
        # Words with non-ASCII characters may differ by an accent.
        return any(_bare(fold(word), self.known) in self.known for word in {*_TOKEN.findall(others)})

    def _tokens(self, text: str, words: set[str]) -> list[_Token]:
        """Return the words of `text` that may be part of a name, with everything between two of them as one token."""
        folded = {word: _bare(fold(word), self.known) for word in words}
        telling = {
            word
            for word, plain in folded.items()
            if plain in self.known or len(word) == 1 or plain in PARTICLES or plain in TITLES
        }
        tokens = [_Token("", 0, 0)]
        for found in _TOKEN.finditer(text):
            plain = folded[found[0]] if found[0] in telling else ""
            if (plain or tokens[-1].folded) and text[found.start() - 1 : found.start()] != "\\":
                tokens.append(_Token(plain, *found.span()))
        return tokens

    def _phrases(self, view: Seen, tokens: list[_Token]) -> Iterator[Hit]:
        after = 0
        for number, token in enumerate(tokens):
            if number < after:
                continue
            for words, kind, value in self.phrases.get(token.folded, ()):
                here = tokens[number : number + len(words)]
                is_small = words[0] in self.capital and len(words) == 1 and not view.text[token.start].isupper()
                is_here = tuple(one.folded for one in here) == words
                if is_here and not is_small and all(_are_near(view, *pair) for pair in pairwise(here)):
                    yield Hit(kind, tuple(self._span(view, one) for one in here), value)
                    after = number + len(words)
                    break

    def _people(self, view: Seen, tokens: list[_Token]) -> Iterator[Hit]:
        if not self.words:
            return
        small = Counter(
            one.folded for one in tokens if one.folded in self.words and _stands_small(view.text, one.start, one.end)
        )
        number = 0
        while number < len(tokens):
            if tokens[number].folded not in self.words:
                number += 1
                continue
            person, end = self._together(view, tokens, number)
            here = [one for one in tokens[number:end] if one.folded in self.words]
            if len({one.folded for one in here}) > 1:
                ordinary = all(one.folded in ORDINARY for one in here)
                if not ordinary or all(view.text[one.start].isupper() for one in here):
                    spans = tuple(self._span(view, one) for one in tokens[number:end] if one.folded not in PARTICLES)
                    yield Hit("patient_name", spans, self.people[person])
            else:
                for place in range(number, end):
                    if self._counts_alone(view, tokens, place, small):
                        people = self.words[tokens[place].folded]
                        span = self._span(view, tokens[place])
                        said = self.people[people[0]] if len(people) == 1 else view.text[slice(*tokens[place][1:])]
                        yield Hit("patient_name", (span,), said)
            number = end

    def _together(self, view: Seen, tokens: list[_Token], first: int) -> tuple[int, int]:
        """Return the person (index) named by the words from `first` on, and the position after the last word.

        Words of one person must be adjacent; initials and particles may be between: "Asha K. de Iyer".
        """
        best, until = self.words[tokens[first].folded][0], first + 1
        for person in self.words[tokens[first].folded]:
            end = at = first + 1
            while at < len(tokens) and at - end < 3 and _are_near(view, tokens[at - 1], tokens[at]):
                if person in self.words.get(tokens[at].folded, ()):
                    end = at + 1
                elif tokens[at].folded not in PARTICLES and not _is_initial(view.text[slice(*tokens[at][1:])]):
                    break
                at += 1
            if end > until:
                best, until = person, end
        return best, until

    def _counts_alone(self, view: Seen, tokens: list[_Token], place: int, small: Counter[str]) -> bool:
        token = tokens[place]
        surface = view.text[token.start : token.end]
        if token.folded not in self.words or surface[0].islower() or _YEAR.match(view.text, token.end):
            return False
        is_ordinary = token.folded in ORDINARY or token.folded in PARTICLES or small[token.folded] >= SMALL
        if len(token.folded) > 2 and not is_ordinary:
            return True
        if not surface[0].isupper():
            return len(surface) > 2  # a script without capitals
        return self._has_sign(view, tokens, place)

    def _has_sign(self, view: Seen, tokens: list[_Token], place: int) -> bool:
        """Return whether a title precedes the word, or an initial of the person is next to it."""
        token = tokens[place]
        initials = {part[0].upper() for person in self.words[token.folded] for part in words_of(self.people[person])}
        before = tokens[place - 1] if place and _are_near(view, tokens[place - 1], token) else None
        after = tokens[place + 1] if place + 1 < len(tokens) and _are_near(view, token, tokens[place + 1]) else None
        beside = [view.text[one.start : one.end] for one in (before, after) if one]
        has_initial = any(len(letter) == 1 and letter in initials for letter in beside)
        return has_initial or bool(before and before.folded in TITLES)

    def _span(self, view: Seen, token: _Token) -> tuple[int, int]:
        start, end = view.span(token.start, token.end)
        # The genitive s is not covered: "Iyers" is the name and an s.
        surface = view.text[token.start : token.end]
        is_genitive = fold(surface) == f"{token.folded}s" and view.place(token.end - 1) == end - 1
        return (start, end - 1) if is_genitive else (start, end)


def _are_near(view: Seen, one: _Token, other: _Token) -> bool:
    """Return whether two words are near each other, without an empty line between them."""
    return other.start - one.end <= FAR and view.text.count("\n", one.end, other.start) < 2


finder_of = lru_cache(maxsize=200)(Finder)


@lru_cache(maxsize=20_000)
def fold(word: str) -> str:
    """Return `word` in lower case without accents, the same for all its spellings."""
    if word.isascii():
        return word.lower()
    plain = _ABOVE.sub("", unicodedata.normalize("NFKD", word.casefold()))
    return unicodedata.normalize("NFC", plain).translate(_LETTERS)


def _bare(folded: str, known: "set[str]") -> str:
    """Return the word without a genitive s, if only that form is known."""
    return folded[:-1] if folded not in known and len(folded) > 4 and folded[-1] == "s" else folded


def _forms(part: str) -> set[str]:
    """Return the possible spellings of a name, folded: "Müller" also as "Mueller", and the other way round."""
    small = unicodedata.normalize("NFC", part.lower())
    both_ways = [*_UMLAUTS, *((letters, sign) for sign, letters in _UMLAUTS)]
    return {fold(part), *(fold(small.replace(one, other)) for one, other in both_ways)}


def _is_telling(part: str, *, is_first: bool) -> bool:
    return len(part) > 1 and not part.isdecimal() and (fold(part) not in PARTICLES or (is_first and part[0].isupper()))


def _is_unparted(parts: list[str]) -> bool:
    return bool(parts) and all(_UNPARTED.fullmatch(part) for part in parts) and sum(map(len, parts)) > 1


def _is_initial(word: str) -> bool:
    return len(word) == 1 and not word.islower()


def _stands_small(text: str, start: int, end: int) -> bool:
    """Return whether a word in lower case occurs there by itself, not as part of an address or citation key."""
    before, after = text[start - 1 : start] if start else "", text[end : end + 2]
    return (
        text[start].islower()
        and (not before or before in " \n\t~(")
        and (not after or after[0] in " \n\t~),;" or after in (". ", ".\n", "."))
    )
