"""Word processing for the offline engine: tokens, spelling normalisation, stems, and related words."""

import re
import threading
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import zip_longest
from os.path import commonprefix
from typing import Any, NamedTuple

import snowballstemmer

from core.grouping import grouped
from text.related_words import KIN
from text.synonyms import EQUIVALENT, NARROWER
from text.vocabulary import BROAD, COMMON, GENERIC, IRREGULAR, STOP_WORDS

_TOKEN = re.compile(r"[^\W_]+(?:[-‐‑–'’.][^\W_]+)*")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LETTERED_WORDS = ("vitamin", "hepatitis", "influenza")
_LETTERED = re.compile(rf"\b({'|'.join(_LETTERED_WORDS)})\s+([A-Z])\b")
_NUMBER = re.compile(r"(?<![A-Za-zÀ-ɏͰ-ӿ\d_.])[-−+]?(?:\d+(?:[ ,\u202f]\d{3})*(?:[.,]\d+)?|\.\d+)")
_SNOWBALL = {"en": "english", "de": "german", "fr": "french", "es": "spanish"}
LANGUAGES = tuple(_SNOWBALL)
LONG_WORD = 40  # characters
_stemmers = threading.local()


class Token(NamedTuple):
    """A word of a text: as written, its position, and its stem."""

    surface: str
    stem: str
    start: int
    end: int


@lru_cache(maxsize=4096)
def language_of(text: str) -> str:
    """Return the likely language (en, de, fr, es) by common words; "zh" for Chinese, Japanese and Korean; else en."""
    head = text[:4000]
    if len(_CJK.findall(head)) * 3 > len(head.strip()):
        return "zh"
    words = _TOKEN.findall(head.lower())
    hits = {code: sum(map(STOP_WORDS[code].__contains__, words)) for code in LANGUAGES}
    return max(LANGUAGES, key=hits.__getitem__)


# Spelling variants in English, and the variant that stands for both.
_SPELLINGS = (
    (r"(?<=[a-z])(?:ae|oe)(?=[a-z]{2})|^(?:ae|oe)(?=[a-z]{2})", "e"),
    (r"(?<=[a-z]{3})our(?=s?$|ed$|ing$|al$|ful$|able$|ite$|less$)", "or"),
    (r"(?<=[a-z]{2})is(?=e$|ed$|es$|er$|ers$|ing$|ation$|ations$)", "iz"),
    (r"ys(?=e$|ed$|es$|ing$)", "yz"),
    (r"([bt])re(?=s?$)", r"\1er"),
    (r"^sulph", "sulf"),
    (r"amme(?=s?$)", "am"),
    (r"ogue(?=s?$)", "og"),
)


def british(word: str) -> str:
    """Return one spelling for British and American words in lower case: tumour and tumor, haem and hem, -ise and -ize.

    The result need not be a real word; it is only compared with other results.
    """
    for written, one in _SPELLINGS if len(word) >= 5 and word.isascii() else ():
        word = re.sub(written, one, word)
    return word


def _stemmer(language: str) -> Any:
    """Return the stemmer of this thread. A stemmer has internal state, and roles are answered in threads."""
    mine: dict[str, Any] = _stemmers.__dict__
    if language not in mine:
        mine[language] = snowballstemmer.stemmer(_SNOWBALL.get(language, "english"))
    return mine[language]


@lru_cache(maxsize=100_000)
def stem(word: str, language: str = "en") -> str:
    """Return the stem of a word in lower case, with compatibility characters folded ("CO₂" becomes "co2")."""
    word = unicodedata.normalize("NFKC", word).casefold().replace("’", "'").removesuffix("'s")
    if language == "en":
        word = british(IRREGULAR.get(word, word))
    plain = str(_stemmer(language).stemWord(word))
    return _equivalents().get(plain, plain)


def _row(line: str) -> tuple[str, ...]:
    """Return the words of one line of a table, as written."""
    return tuple(word.strip() for word in line.split(","))


_EQUIVALENT = [_row(line) for line in EQUIVALENT.strip().splitlines()]


@cache
def _equivalents() -> dict[str, str]:
    """Return the equivalents of single words: {stem: the stem that represents its line in EQUIVALENT}."""
    return {_joined(word): _joined(first) for first, *rest in _EQUIVALENT for word in rest if " " not in word}


@cache
def _phrases() -> dict[tuple[str, str], str]:
    """Return the equivalents of phrases: {two plain stems, such as ("heart", "attack"): the representing stem}."""
    pairs = ((phrase.split(), words[0]) for words in _EQUIVALENT for phrase in words if phrase.count(" ") == 1)
    return {(stem(left), stem(right)): _joined(first) for (left, right), first in pairs}


def _joined(phrase: str) -> str:
    words = phrase.replace("-", "").casefold().split()
    return "_".join(_stemmer("en").stemWord(british(IRREGULAR.get(word, word))) for word in words)


@cache
def _narrower() -> dict[str, tuple[str, ...]]:
    """Return the lines of NARROWER: {stem of the broad word: its narrower words}."""
    lines = (line.split(":") for line in NARROWER.strip().splitlines())
    return {stem(broad): _row(words) for broad, words in lines}


@cache
def narrower(broad: str) -> frozenset[str]:
    """Return the stems that answer a question about the stem `broad`."""
    return frozenset(map(stem, narrower_words(broad)))


def narrower_words(broad: str) -> tuple[str, ...]:
    """Return the words of `narrower` as written, in the order of the table."""
    return _narrower().get(broad, ())


@cache
def siblings(narrow: str) -> frozenset[str]:
    """Return the other stems on the same line of NARROWER: dexamethasone for hydrocortisone."""
    return frozenset().union(*(line for line in map(narrower, _narrower()) if narrow in line)) - {narrow}


@cache
def _clusters() -> list[tuple[str, frozenset[str], tuple[str, ...]]]:
    """Return the lines of KIN: the field, its stems (a phrase counts as one), and its words as written."""
    found, field = [], ""
    for line in KIN.strip().splitlines():
        if line.startswith("="):
            field = line.strip("= ")
        else:
            found.append((field, frozenset(map(_stems_of, _row(line))), _row(line)))
    return found


def _stems_of(phrase: str) -> str:
    return " ".join(token.stem for token in content_tokens(phrase) if " " not in token.surface)


@cache
def fields() -> dict[str, frozenset[str]]:
    """Return the fields in KIN of each stem or phrase of stems; generic words have none."""
    of_words = grouped(
        (word, field) for field, stems_of_line, _ in _clusters() for word in stems_of_line - generic_stems()
    )
    return {word: frozenset(named) for word, named in of_words.items()}


@cache
def kin(word: str) -> frozenset[str]:
    """Return the stems and phrases related to `word`, itself a stem or phrase of stems; none of them generic."""
    return frozenset().union(*(stems for _, stems, _ in _clusters() if word in stems)) - generic_stems() - {word}


@cache
def kin_words(word: str) -> tuple[str, ...]:
    """Return the words of `kin` as written, each once."""
    return tuple(dict.fromkeys(each for _, stems, words in _clusters() if word in stems for each in words))


def equivalents_of(word: str) -> list[str]:
    """Return equivalent words for `word` as written, in the order of the table."""

    def is_meant(each: str) -> bool:
        return " " not in each and stem(each.replace("-", "")) == stem(word)

    line = next((words for words in _EQUIVALENT if any(map(is_meant, words))), ())
    return [each for each in line if word.casefold() not in (each, stem(each.replace("-", "")))]


def _pieces(raw: str) -> list[tuple[str, int, int]]:
    """Return the words in a run of letters, digits and hyphens: each in the form to be stemmed, with its position."""
    if raw.isalnum() and raw.isascii():
        return [(raw, 0, len(raw))]
    if _CJK.search(raw):
        return [(raw[i : i + 2], i, i + 2) for i in range(max(1, len(raw) - 1))]
    parts = [(part.group(), *part.span()) for part in re.finditer(r"[^-‐‑–]+", raw)]
    words = [part for part, _, _ in parts]
    if len(words) == 2 and words[0][0].isalpha() and any(map(str.isdigit, words)):  # COVID-19, IL-6
        return [("".join(words), 0, len(raw))]
    return parts


@lru_cache(maxsize=100_000)
def _known_words(raw: str, language: str) -> tuple[tuple[int, int, str], ...]:
    """Return the words in `raw` that are not bare numbers: start, end and stem of each."""
    return tuple(
        (start, end, stem(piece, language))
        for piece, start, end in _pieces(raw)
        if piece.isalpha() or any(character.isalpha() for character in piece)
    )


def _words(raw: str, language: str) -> tuple[tuple[int, int, str], ...]:
    # Long runs, such as a line of Chinese, do not recur, so they are not cached.
    return (_known_words if len(raw) <= LONG_WORD else _known_words.__wrapped__)(raw, language)


@lru_cache(maxsize=20_000)
def tokens(text: str, language: str = "en") -> tuple[Token, ...]:
    """Return every word of `text` that is not a bare number, in order, with its position.

    "COVID-19" and "IL-6" are one word, "nitrogen-fixing" two, "28-day" is "day"; "vitamin D" is one word.
    """
    lettered = {match.start(): match for match in _LETTERED.finditer(text)} if _has_lettered(text) else {}
    found: list[Token] = []
    for run in _TOKEN.finditer(text):
        base = run.start()
        for start, end, stemmed in _words(run.group(), language):
            if base + start in lettered:
                match = lettered[base + start]
                found.append(Token(match.group(), "_".join(match.groups()).casefold(), base + start, match.end()))
            else:
                found.append(Token(text[base + start : base + end], stemmed, base + start, base + end))
    return tuple(_with_phrases(found))


def stems(text: str, language: str = "en") -> list[str]:
    """Return the stems of `tokens`, in order, at a third of the cost, without caching parts of `text`."""
    if _has_lettered(text):
        return [token.stem for token in tokens.__wrapped__(text, language)]
    phrases = _phrases()
    beginnings = _beginnings()
    found: list[str] = []
    before = ""
    for run in _TOKEN.findall(text):
        for _, _, stemmed in _words(run, language):
            if before in beginnings and (standing := phrases.get((before, stemmed))):
                found.append(standing)
            found.append(stemmed)
            before = stemmed
    return found


def _has_lettered(text: str) -> bool:
    return any(word in text for word in _LETTERED_WORDS)


@cache
def _beginnings() -> frozenset[str]:
    """Return the stems with which a pair in `_phrases` begins."""
    return frozenset(first for first, _ in _phrases())


def _with_phrases(found: list[Token]) -> Iterator[Token]:
    """Yield the tokens, with an additional token for each pair of words that EQUIVALENT lists."""
    phrases = _phrases()
    for token, following in zip_longest(found, found[1:]):
        yield token
        if following and (standing := phrases.get((token.stem, following.stem))):
            yield Token(f"{token.surface} {following.surface}", standing, token.start, following.end)


@cache
def stop_stems(language: str) -> frozenset[str]:
    """Return the stop words of `language` as stems."""
    words = STOP_WORDS.get(language, STOP_WORDS["en"])
    return words | frozenset(stem(word, language) for word in words if len(word) > 3 and word != "quite")


@cache
def generic_stems() -> frozenset[str]:
    """Return the stems of words that do not identify a topic."""
    return frozenset(stem(word) for word in GENERIC)


@cache
def broad_stems() -> frozenset[str]:
    """Return the stems of words of broad fields."""
    return frozenset(stem(word) for word in BROAD) - generic_stems()


@cache
def common_stems() -> frozenset[str]:
    """Return the stems of specific words that still occur in notes on many topics."""
    return frozenset(stem(word) for word in COMMON)


def content_tokens(text: str, language: str = "en") -> list[Token]:
    """Return the tokens of `text` without stop words and single letters."""
    stopped = stop_stems(language)
    return [
        token
        for token in tokens(text, language)
        if token.surface.casefold() not in stopped
        and token.stem not in stopped
        and (len(token.stem) > 1 or not token.stem.isascii() or len(token.surface) > 1)
    ]


def content_stems(text: str, language: str = "en") -> frozenset[str]:
    """Return the stems of `content_tokens`."""
    return frozenset(token.stem for token in content_tokens(text, language))


@lru_cache(maxsize=20_000)
def numbers(text: str) -> frozenset[str]:
    """Return the numbers in `text`, without thousands separators and with a uniform minus sign: "1,106" is "1106"."""
    return frozenset(
        re.sub(r"[ ,\u202f](?=\d{3}(?!\d))", "", raw).replace("−", "-").lstrip("+") for raw in _NUMBER.findall(text)
    )


_NAMED = re.compile(r"(?<=[^\W\d_])[-‐‑–]\d+\w*|\b\d+[-‐‑–](?=[^\W\d_])")


def figures(text: str) -> frozenset[str]:
    """Return the numbers in `text` that are quantities: not the 19 of COVID-19, nor the 28 of 28-day."""
    return numbers(_NAMED.sub(" ", text))


def same_word(left: str, right: str) -> bool:
    """Return whether two stems are forms of one word: "physiotherapi" and "physiotherapist", "forest" and "forestri".

    The shorter, without its last letter, is a prefix of the longer and three quarters of its length (at least five
    letters), or it has six letters and is a prefix as a whole. Words with digits, and vitamin_d, must be equal.
    """
    if left == right:
        return True
    if left[:5] != right[:5] or not (left.isalpha() and right.isalpha()):
        return False
    shorter, longer = sorted((left, right), key=len)
    common = len(commonprefix([left, right]))
    is_ending = common >= len(shorter) - 1 and (len(shorter) < len(longer) or common >= 7)
    return (is_ending and common >= 5 and common >= 0.75 * len(longer)) or common == len(shorter) >= 6


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: "1 source", "3 sources"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
