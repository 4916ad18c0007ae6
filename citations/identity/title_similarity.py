"""Comparison of two titles: their words, numbers and part words, and openings such as "Reply to".

Titles that are not equal differ only in spelling, or in a word. A similarity of .95 does not tell these apart: in a
long title one whole word may differ, as in an invented near miss ("augmentation for ...", "augmentation towards ...").
A typing error stays inside a word.
"""

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from rapidfuzz.distance import OSA, Levenshtein

from citations.identity.normalise import LONGEST, plain, plain_german, without_spaces
from citations.identity.thresholds import TITLE_ALIKE, TITLE_LONG_ENOUGH, TITLE_NEARLY_EQUAL

_REAL_SUBTITLE = 4  # words besides numbers and part words; fewer only say which part it is

_REMEMBERED = 8_192
_BREAK = re.compile(r"(?<!\d)[:：]|[:：](?!\d)|\s[—–]\s|—")
_ARTICLE = re.compile(r"^(?:an?|the) (?=.)")
_THOUSANDS = re.compile(r"(?<!\d)\d{1,3}(?:[\s,.'’]\d{3})+(?!\d)")  # "20 133", "20,133"
_NUMBER_WORDS = {
    word: str(value)
    for words in (
        "one two three four five six seven eight nine ten eleven twelve",
        "first second third fourth fifth sixth seventh eighth ninth tenth",
    )
    for value, word in enumerate(words.split(), 1)
}
_ROMAN = re.compile(r"(x{0,3})(ix|iv|v?i{0,3})([abc]?)")
_AMBIGUOUS = {"v", "x"}  # "versus", "X-ray": a numeral only after a word that takes a number, or at the end
_PARTS = {
    **dict.fromkeys(("part", "parts", "pt"), "part"),
    **dict.fromkeys(("volume", "vol"), "volume"),
    **dict.fromkeys(("supplement", "suppl"), "supplement"),
    **{word: word for word in ("chapter", "section", "update", "addendum", "continued", "revisited", "sequel")},
}
_WANT_NUMBER = {*_PARTS, "phase", "type", "stage", "class", "grade", "level", "war", "factor", "group"}
_HEAD_OF = {
    **dict.fromkeys(("reply", "replies", "rejoinder"), "reply"),
    **dict.fromkeys(("comment", "comments", "commentary"), "comment"),
    **dict.fromkeys(("erratum", "errata", "corrigendum", "corrigenda", "correction", "corrections"), "correction"),
    **{"addendum": "correction", "retraction": "retraction", "retractions": "retraction", "withdrawal": "retraction"},
    **{"review": "review", "reviews": "review", "editorial": "editorial", "editorials": "editorial"},
}
_HEAD = re.compile(
    r"(?:(?:a|an|the|in|s|authors?|publishers?|book|guest|invited) )*"
    rf"(?:({'|'.join(_HEAD_OF)})\b|(response)s? to (?:the )?(?:comments?|letters?|reply|critics?|reviews?)\b)"
)


class Numbers(NamedTuple):
    """The numbers in a title, in digits and in order, and its part words that have no number beside them."""

    counted: tuple[str, ...]
    parts: frozenset[str]

    def agree(self, other: "Numbers") -> bool:
        """Return whether both have the same numbers and part words."""
        counted, others = ({number.lstrip("0") for number in one.counted} for one in (self, other))
        return self.parts == other.parts and counted == others


class Likeness(NamedTuple):
    """The result of comparing two titles. Values of `how`:

    "same": equal once normalised. "part": the claimed title is the other without its subtitle. "longer": the claimed
    title has a subtitle that the other lacks. "spelling": only spelt differently. "words": similar, but at least one
    word differs. "cut": one title breaks off and is too short to be similar. "other": two different titles. "unknown":
    one of them is empty.
    """

    how: Literal["same", "part", "longer", "spelling", "words", "cut", "other", "unknown"]
    similarity: float

    @property
    def is_same(self) -> bool:
        """Whether the titles are equal, apart from a subtitle that one of them may leave out."""
        return self.how in {"same", "part", "longer"}


def likeness(claimed: str, found: str) -> Likeness:
    """Compare two titles. The order of arguments matters only for "part" and "longer"."""
    # Cut before the cache: a title of megabytes would stay in memory as a key.
    alike = _likeness(*sorted((claimed[:LONGEST], found[:LONGEST])))
    is_longer = alike.how == "part" and len(plain(claimed)) > len(plain(found))
    return Likeness("longer", alike.similarity) if is_longer else alike


@lru_cache(_REMEMBERED)
def _likeness(one: str, other: str) -> Likeness:
    first, second = plain(one), plain(other)
    if not first or not second:
        return Likeness("unknown", 0.0)
    if _equal(one, other):
        return Likeness("same", 1.0)
    similarity = Levenshtein.normalized_similarity(first, second)
    if _left_out(one, other) is not None:
        return Likeness("part", similarity)
    if similarity < TITLE_ALIKE:
        return Likeness("cut" if _is_cut(one, other) else "other", similarity)
    spelt = respelt(first, second) or (similarity >= TITLE_NEARLY_EQUAL and differ_by_slips(first, second))
    return Likeness("spelling" if spelt else "words", similarity)


def _equal(one: str, other: str) -> bool:
    """Return whether titles are equal apart from spaces, umlauts written out, and a leading article."""
    return not set(_bare(one)).isdisjoint(_bare(other))


@lru_cache(_REMEMBERED)
def _bare(title: str) -> tuple[str, ...]:
    """Return a title without spaces and without a leading article, also with its umlauts written out."""
    return tuple(without_spaces(_ARTICLE.sub("", one)) for one in dict.fromkeys((plain(title), plain_german(title))))


def _left_out(one: str, other: str) -> str | None:
    """Return the subtitle that only one of two otherwise equal titles has; None where they differ in something else.

    The part before the colon or dash must be longer than 20 characters (identity-gate.md, rule 3).
    """
    short, long = sorted((one, other), key=lambda title: len(plain(title)))
    if (
        not any(whole.startswith(start) for whole in _bare(long) for start in _bare(short))
        or len(plain(short)) <= TITLE_LONG_ENOUGH
    ):
        return None
    return next((long[len(part) :] for part in main_parts(long) if _equal(short, part)), None)


def _is_cut(one: str, other: str) -> bool:
    """Return whether one title continues the other, where the shorter is long or ends before a colon."""
    short, long = sorted((one, other), key=lambda title: len(plain(title)))
    if len(plain(short)) > TITLE_LONG_ENOUGH:
        return plain(long).startswith(f"{plain(short)} ")
    return any(_equal(short, part) for part in main_parts(long))


def main_parts(title: str) -> list[str]:
    """Return the beginnings of a title up to each of its first four colons or dashes."""
    breaks = [found.start() for found in _BREAK.finditer(title[:LONGEST])][:4]
    return [title[:place] for place in breaks]


def numbers(title: str) -> Numbers:
    """Return numbers, numerals, number words and part words of a title: "Part II" is "2", "an update" is "update"."""
    return _numbers(title[:LONGEST])


@lru_cache(_REMEMBERED)
def _numbers(title: str) -> Numbers:
    words = plain(_THOUSANDS.sub(lambda found: re.sub(r"\D", "", found[0]), title)).split()
    counted = [_counted(words, place) for place in range(len(words))]
    alone = frozenset(
        _PARTS[word]
        for place, word in enumerate(words)
        if word in _PARTS and not any(counted[max(0, place - 1) : place + 2])
    )
    return Numbers(tuple(number for found in counted for number in found), alone)


def _counted(words: list[str], place: int) -> list[str]:
    """Return the numbers in one word."""
    word = words[place]
    if digits := re.findall(r"\d+", word):
        return digits
    if word in _NUMBER_WORDS:
        return [_NUMBER_WORDS[word]]
    if word in _AMBIGUOUS and place < len(words) - 1 and (place == 0 or words[place - 1] not in _WANT_NUMBER):
        return []
    value = _roman(word)
    return [str(value)] if value else []


def _roman(word: str) -> int:
    """Return the value of a roman numeral below 40; "iib" counts as 2, "via" not at all."""
    found = _ROMAN.fullmatch(word)
    if not found or (found[3] and word[:-1] not in {"ii", "iii", "iv"}):
        return 0
    tens, ones, _ = found.groups()
    return 10 * len(tens) + {"ix": 9, "iv": 4}.get(ones, 5 * ones.count("v") + ones.count("i"))


def same_numbers(claimed: str, found: str) -> bool | None:
    """Return whether two titles have the same numbers and part words (identity-gate.md, rule 2).

    None where only a subtitle that one of them leaves out has more numbers: the work may be the same.
    """
    if plain(claimed) == plain(found) or numbers(claimed).agree(numbers(found)):
        return True
    subtitle = _left_out(claimed[:LONGEST], found[:LONGEST])
    if subtitle is None:
        return False
    rest = plain(subtitle).split()
    said = [word for place, word in enumerate(rest) if word not in _PARTS and not _counted(rest, place)]
    return None if len(said) >= _REAL_SUBTITLE and not numbers(subtitle).parts else False


def opening_kind(title: str) -> str:
    """Return the kind of item that a title begins with: "reply", "comment", "correction", "retraction", ...; or ""."""
    found = _HEAD.match(plain(title[:200]))
    if not found:
        return ""
    return "reply" if found[2] else _HEAD_OF[found[1]]


_MOST_SLIPS = 2
_LONG_WORD = 7  # letters: in a shorter word one letter more or less often makes another word
_ENDS = 3  # letters at either end that must be equal: another ending makes another word ("model" and "models")
# British and American spellings, both reduced to one form.
_VARIANTS = [
    (re.compile(pattern), spelt)
    for pattern, spelt in (
        (r"(?<=\w{3})is(?=(?:e|ed|er|ers|es|ing|ation|ations|ational)\b)", "iz"),
        (r"(?<=\w{2}ly)s(?=(?:e|ed|er|ers|es|ing)\b)", "z"),
        (r"(?<=\w\w)our", "or"),
        (r"[ao]e", "e"),
        (r"(?<=\w[tb])re(?=s?\b)", "er"),
        (r"ogue(?=s?\b)", "og"),
        (r"ence(?=s?\b)", "ense"),
        (r"ll", "l"),
        (r"sulph", "sulf"),
        (r"\bprogramme(?=s?\b)", "program"),
        (r"\bgrey", "gray"),
        (r"aluminium", "aluminum"),
        (r"ageing", "aging"),
        (r"artefact", "artifact"),
    )
]


def respelt(one: str, other: str) -> bool:
    """Return whether two normalised titles are the same apart from British or American spelling."""
    return _respelt(one).replace(" ", "") == _respelt(other).replace(" ", "")


def differ_by_slips(one: str, other: str) -> bool:
    """Return whether two normalised titles have the same words apart from one or two typing errors.

    A typing error is a letter too many or too few, or two swapped letters, well inside a long word. A substituted
    letter too often makes another word ("sulfate", "sulfite"), and so does another ending.
    """
    words, others = _respelt(one).split(), _respelt(other).split()
    changes = [change for change in Levenshtein.opcodes(words, others) if change.tag != "equal"]
    if len(words) != len(others) or any(change.tag != "replace" for change in changes):
        return False
    slips = [
        (here, there)
        for change in changes
        for here, there in zip(
            words[change.src_start : change.src_end], others[change.dest_start : change.dest_end], strict=True
        )
    ]
    return len(slips) <= _MOST_SLIPS and all(_is_slip(here, there) for here, there in slips)


def _respelt(title: str) -> str:
    for variant, spelt in _VARIANTS:
        title = variant.sub(spelt, title)
    return title


def _is_slip(one: str, other: str) -> bool:
    if min(len(one), len(other)) < _LONG_WORD or one[:_ENDS] != other[:_ENDS] or one[-_ENDS:] != other[-_ENDS:]:
        return False
    has_numbers = any(letter.isdigit() for letter in one + other)
    return (
        not has_numbers and OSA.distance(one, other) == 1 and (len(one) != len(other) or sorted(one) == sorted(other))
    )
