"""Words as the offline engine compares them: tokens, one spelling, stems, and what counts as the same word."""

import re
import threading
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import zip_longest
from typing import Any, NamedTuple

import snowballstemmer

from text.kin import KIN
from text.vocabulary import BROAD, COMMON, EQUIVALENT, GENERIC, IRREGULAR, NARROWER, STOP_WORDS

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
    """A word of a text: as written, from `start` to `end`, and its stem."""

    surface: str
    stem: str
    start: int
    end: int


@lru_cache(maxsize=4096)
def language_of(text: str) -> str:
    """The likeliest of en, de, fr, es by its commonest words; "zh" for Chinese, Japanese and Korean; else en."""
    head = text[:4000]
    if len(_CJK.findall(head)) * 3 > len(head.strip()):
        return "zh"
    words = _TOKEN.findall(head.lower())
    hits = {code: sum(map(STOP_WORDS[code].__contains__, words)) for code in LANGUAGES}
    best = max(hits.values())
    return next(code for code in LANGUAGES if hits[code] == best)


def british(word: str) -> str:
    """One spelling for British and American words in lower case: tumour and tumor, haem and hem, -ise and -ize.

    The result need not be a word; it is only ever compared with other results.
    """
    if len(word) < 5 or not word.isascii():
        return word
    word = re.sub(r"(?<=[a-z])(?:ae|oe)(?=[a-z]{2})|^(?:ae|oe)(?=[a-z]{2})", "e", word)
    word = re.sub(r"(?<=[a-z]{3})our(?=s?$|ed$|ing$|al$|ful$|able$|ite$|less$)", "or", word)
    word = re.sub(r"(?<=[a-z]{2})is(?=e$|ed$|es$|er$|ers$|ing$|ation$|ations$)", "iz", word)
    word = re.sub(r"ys(?=e$|ed$|es$|ing$)", "yz", word)
    word = re.sub(r"([bt])re(?=s?$)", r"\1er", word)
    word = re.sub(r"^sulph", "sulf", word)
    return re.sub(r"ogue(?=s?$)", "og", re.sub(r"amme(?=s?$)", "am", word))


def _stemmer(language: str) -> Any:
    """The stemmer of this thread: it keeps the word it works on in itself, and roles are answered in threads."""
    mine: dict[str, Any] = _stemmers.__dict__
    if language not in mine:
        mine[language] = snowballstemmer.stemmer(_SNOWBALL.get(language, "english"))
    return mine[language]


@lru_cache(maxsize=100_000)
def stem(word: str, language: str = "en") -> str:
    """The stem of one word, lower case, compatibility forms folded ("CO₂" is "co2")."""
    word = unicodedata.normalize("NFKC", word).casefold().replace("’", "'").removesuffix("'s")
    if language == "en":
        word = british(IRREGULAR.get(word, word))
    plain = str(_stemmer(language).stemWord(word))
    return _equivalents().get(plain, plain)


def _plain_stem(word: str) -> str:
    return str(_stemmer("en").stemWord(british(IRREGULAR.get(word.casefold(), word.casefold()))))


@cache
def _equivalents() -> dict[str, str]:
    """Stem -> the stem that stands for its line in EQUIVALENT; single words only."""
    standing: dict[str, str] = {}
    for line in EQUIVALENT.strip().splitlines():
        first, *rest = (word.strip() for word in line.split(","))
        head = _joined(first)
        for word in rest:
            if " " not in word:
                standing.setdefault(_joined(word), head)
    return standing


@cache
def _phrases() -> dict[tuple[str, str], str]:
    """Two plain stems in a row -> the stem they stand for, e.g. ("heart", "attack")."""
    phrases: dict[tuple[str, str], str] = {}
    for line in EQUIVALENT.strip().splitlines():
        words = [word.strip() for word in line.split(",")]
        head = _joined(words[0])
        for phrase in words:
            pair = phrase.split()
            if len(pair) == 2:
                phrases[(stem(pair[0]), stem(pair[1]))] = head
    return phrases


def _joined(phrase: str) -> str:
    return "_".join(_plain_stem(part) for part in phrase.replace("-", "").split())


@cache
def narrower(broad: str) -> frozenset[str]:
    """Stems that answer a question which asks about the stem `broad`."""
    return frozenset(stem(word) for word in narrower_words(broad))


@cache
def narrower_words(broad: str) -> tuple[str, ...]:
    """The words of `narrower`, as people write them, in the order of the table."""
    for line in NARROWER.strip().splitlines():
        left, right = line.split(":")
        if stem(left.strip()) == broad:
            return tuple(word.strip() for word in right.split(","))
    return ()


@cache
def siblings(narrow: str) -> frozenset[str]:
    """The other stems that NARROWER lists beside the stem `narrow`: dexamethasone for hydrocortisone."""
    lines = ({stem(word.strip()) for word in line.split(":")[1].split(",")} for line in NARROWER.strip().splitlines())
    return frozenset().union(*(line for line in lines if narrow in line)) - {narrow}


@cache
def _clusters() -> tuple[tuple[frozenset[str], tuple[str, ...]], ...]:
    """The lines of KIN: the stems of each, a phrase as one of its own, and its words as people write them."""
    clusters = (line for line in KIN.strip().splitlines() if not line.startswith("="))
    lines = (tuple(word.strip() for word in line.split(",")) for line in clusters)
    return tuple((frozenset(map(_stems_of, words)), words) for words in lines)


def _stems_of(phrase: str) -> str:
    return " ".join(token.stem for token in content_tokens(phrase) if " " not in token.surface)


@cache
def fields() -> dict[str, frozenset[str]]:
    """The fields of KIN that a stem, or a phrase of stems, belongs to; generic ones to none."""
    found: dict[str, set[str]] = {}
    field = ""
    for line in KIN.strip().splitlines():
        if line.startswith("="):
            field = line.strip("= ")
            continue
        for word in line.split(","):
            found.setdefault(_stems_of(word), set()).add(field)
    return {word: frozenset(names) for word, names in found.items() if word not in generic_stems()}


@cache
def kin(word: str) -> frozenset[str]:
    """Stems, and phrases of stems, that notes use beside `word`, itself a stem or a phrase of stems; none generic."""
    return frozenset().union(*(stems for stems, _ in _clusters() if word in stems)) - generic_stems() - {word}


@cache
def kin_words(word: str) -> tuple[str, ...]:
    """The words of `kin`, as people write them, each once."""
    return tuple(dict.fromkeys(each for stems, words in _clusters() if word in stems for each in words))


def equivalents_of(word: str) -> list[str]:
    """Other words for `word`, as people write them, in the order of the table."""
    wanted = stem(word)
    for line in EQUIVALENT.strip().splitlines():
        words = [each.strip() for each in line.split(",")]
        if wanted in {stem(each.replace("-", "")) for each in words if " " not in each}:
            return [
                each for each in words if stem(each.replace("-", "")) != word.casefold() and each != word.casefold()
            ]
    return []


def _pieces(raw: str) -> Iterator[tuple[str, int, int]]:
    """The words in one run of letters and digits, hyphens included: each as it is stemmed, and where it stands in it."""
    if raw.isalnum() and raw.isascii():
        yield raw, 0, len(raw)
        return
    if _CJK.search(raw):
        yield from ((raw[i : i + 2], i, i + 2) for i in range(max(1, len(raw) - 1)))
        return
    parts = [(part.group(), part.start(), part.end()) for part in re.finditer(r"[^-‐‑–]+", raw)]
    lettered = [part for part, _, _ in parts if part[0].isalpha()]
    numbered = [part for part, _, _ in parts if part.isdigit()]
    if len(parts) == 2 and parts[0][0][0].isalpha() and lettered and numbered:  # COVID-19, IL-6
        yield parts[0][0] + parts[1][0], 0, len(raw)
    else:
        yield from parts


@lru_cache(maxsize=100_000)
def _known_words(raw: str, language: str) -> tuple[tuple[int, int, str], ...]:
    """The words in `raw` that are no bare numbers: where each begins and ends in it, and its stem."""
    return tuple(
        (start, end, stem(piece, language))
        for piece, start, end in _pieces(raw)
        if piece.isalpha() or any(character.isalpha() for character in piece)
    )


def _words(raw: str, language: str) -> tuple[tuple[int, int, str], ...]:
    # Nobody meets a long run, a line of Chinese, a second time: it is not to be kept.
    return (_known_words if len(raw) <= LONG_WORD else _known_words.__wrapped__)(raw, language)


@lru_cache(maxsize=20_000)
def tokens(text: str, language: str = "en") -> tuple[Token, ...]:
    """Every word of `text` that is not a bare number, in order, with its place.

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
    """The stems of `tokens`, in their order, at a third of the cost; nothing of `text` is kept."""
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
    """The stems with which a pair of `_phrases` begins."""
    return frozenset(first for first, _ in _phrases())


def _with_phrases(found: list[Token]) -> Iterator[Token]:
    """Pairs of words that EQUIVALENT knows become one word more; the words themselves stay."""
    phrases = _phrases()
    for token, following in zip_longest(found, found[1:]):
        yield token
        if following and (standing := phrases.get((token.stem, following.stem))):
            yield Token(f"{token.surface} {following.surface}", standing, token.start, following.end)


@cache
def stop_stems(language: str) -> frozenset[str]:
    """Words that carry no content in `language`, as they are stemmed there."""
    words = STOP_WORDS.get(language, STOP_WORDS["en"])
    return frozenset(words) | frozenset(stem(word, language) for word in words if len(word) > 3 and word != "quite")


@cache
def generic_stems() -> frozenset[str]:
    return frozenset(stem(word) for word in GENERIC)


@cache
def broad_stems() -> frozenset[str]:
    return frozenset(stem(word) for word in BROAD) - generic_stems()


@cache
def common_stems() -> frozenset[str]:
    return frozenset(stem(word) for word in COMMON)


def content_tokens(text: str, language: str = "en") -> list[Token]:
    """Tokens of `text` without stop words and single letters."""
    stopped = stop_stems(language)
    return [
        token
        for token in tokens(text, language)
        if token.surface.casefold() not in stopped
        and token.stem not in stopped
        and (len(token.stem) > 1 or not token.stem.isascii() or len(token.surface) > 1)
    ]


def content_stems(text: str, language: str = "en") -> frozenset[str]:
    return frozenset(token.stem for token in content_tokens(text, language))


@lru_cache(maxsize=20_000)
def numbers(text: str) -> frozenset[str]:
    """The figures in `text`, thousands separators dropped and the minus sign made one: "1,106" is "1106"."""
    return frozenset(
        re.sub(r"[ ,\u202f](?=\d{3}(?!\d))", "", raw).replace("−", "-").lstrip("+") for raw in _NUMBER.findall(text)
    )


_NAMED = re.compile(r"(?<=[^\W\d_])[-‐‑–]\d+\w*|\b\d+[-‐‑–](?=[^\W\d_])")


def figures(text: str) -> frozenset[str]:
    """The numbers in `text` that tell a quantity: not the 19 of COVID-19, nor the 28 of 28-day."""
    return numbers(_NAMED.sub(" ", text))


def same_word(left: str, right: str) -> bool:
    """Whether two stems are one word in two forms: "physiotherapi" and "physiotherapist", "forest" and "forestri".

    The shorter, but for its last letter, begins the longer and is three quarters of it (at least five letters), or
    it has six letters and begins the longer as a whole. Words with digits, and vitamin_d, must be equal.
    """
    if left == right:
        return True
    if left[:5] != right[:5] or not (left.isalpha() and right.isalpha()):
        return False
    shorter, longer = sorted((left, right), key=len)
    common = 0
    while common < len(shorter) and shorter[common] == longer[common]:
        common += 1
    is_ending = common >= len(shorter) - 1 and (len(shorter) < len(longer) or common >= 7)
    return (is_ending and common >= 5 and common >= 0.75 * len(longer)) or common == len(shorter) >= 6


def counted(number: int, noun: str) -> str:
    """This function will give a number with its noun: "1 source", "3 sources"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
