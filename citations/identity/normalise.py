"""Normalisation of titles, names, pages and volumes before they are compared (SPEC C2)."""

import re
import unicodedata
from contextlib import suppress
from functools import lru_cache

from latex.bibtex_unicode import to_unicode
from sources.field_values import text as tagless

LONGEST = 2_000  # characters of a title or a name that count; the longest real titles have some 700
_REMEMBERED = 16_384  # cached texts; an entry's own texts are needed once for each record it is compared with

# Letters that NFKD does not decompose.
_STROKES = {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h", "ŧ": "t"}
_CYRILLIC = dict(
    zip(
        "абвгдежзиклмнопрстуфхцчшщъыьэюяіїєґ",
        [
            "a",
            "b",
            "v",
            "g",
            "d",
            "e",
            "zh",
            "z",
            "i",
            "k",
            "l",
            "m",
            "n",
            "o",
            "p",
            "r",
            "s",
            "t",
            "u",
            "f",
            "kh",
            "ts",
            "ch",
            "sh",
            "shch",
            "",
            "y",
            "",
            "e",
            "yu",
            "ya",
            "i",
            "i",
            "e",
            "g",
        ],
        strict=True,
    )
)
_GREEK = dict(
    zip(
        "αβγδεζηθικλμνξοπρστυφχψω",
        [
            "alpha",
            "beta",
            "gamma",
            "delta",
            "epsilon",
            "zeta",
            "eta",
            "theta",
            "iota",
            "kappa",
            "lambda",
            "mu",
            "nu",
            "xi",
            "omicron",
            "pi",
            "rho",
            "sigma",
            "tau",
            "upsilon",
            "phi",
            "chi",
            "psi",
            "omega",
        ],
        strict=True,
    )
)
# A letter alone is a symbol ("TNF-α", "TNF-alpha"); several together are a Greek word.
_SYMBOL = re.compile(r"(?<![\u0370-\u03ff])[α-ω](?![\u0370-\u03ff])")
_BRACKETS = re.compile(r"\\(?:begin|end)\b|\\.|[][{}]")  # the second alternative skips escaped brackets
_CLOSED_BY = {"}": "{", "]": "[", "\\)": "\\(", "\\]": "\\[", "\\end": "\\begin"}
_DEEPEST = 6  # nested brackets; the LaTeX of a title with more is not parsed
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
_MARKUP = frozenset("<&\\$")
_JOINED = "{}_^\u00ad\u200b\u2060\ufeff"  # dropped: braces, subscript and superscript signs, invisible characters


class _Letters(dict[int, str]):
    """A table for str.translate after NFKD: keeps letters, digits and vowel signs, drops accents, else inserts a space.

    Marks without a combining class are the vowels of Indic scripts, so they count as letters.
    """

    def __missing__(self, code: int) -> str:
        sign = chr(code)
        stays = sign if unicodedata.category(sign)[0] in "LNM" else " "
        self[code] = spelt = "" if unicodedata.combining(sign) or sign in _JOINED else stays
        return spelt


_LETTERS = _Letters({ord(sign): spelt for sign, spelt in {**_STROKES, **_CYRILLIC, "&": " and "}.items()})


def words_in(text: str) -> frozenset[str]:
    """Split a text into a set of words; used for the word lists of the rules."""
    return frozenset(text.split())


def plain(text: str) -> str:
    """Normalise a text to lower-case words of letters and digits with single spaces; at most 2,000 characters of it.

    LaTeX and tags are interpreted, accents and punctuation dropped (identity-gate.md). `plain(plain(x)) == plain(x)`.
    """
    return _plain(text[:LONGEST])


@lru_cache(_REMEMBERED)
def _plain(text: str) -> str:
    # A fast path with the same result: most titles are simple.
    return " ".join(text.lower().translate(_LETTERS).split()) if _is_simple(text) else _transliterate(_folded(text))


def plain_german(text: str) -> str:
    """Normalise a text as `plain` does, with umlauts written out: "Über" becomes "ueber"."""
    return _plain(text[:LONGEST]) if _is_simple(text[:LONGEST]) else _german(text[:LONGEST])


@lru_cache(_REMEMBERED)
def _german(text: str) -> str:
    return _transliterate(unicodedata.normalize("NFC", _folded(text)).translate(_UMLAUTS))


def _is_simple(text: str) -> bool:
    """Return whether a text has neither accents nor LaTeX nor tags."""
    return text.isascii() and text.isprintable() and _MARKUP.isdisjoint(text)


def _folded(text: str) -> str:
    """Return the text without LaTeX and tags, in lower case."""
    # Tags first: a converted formula may look like a tag.
    read = tagless(text) or ""
    if ("\\" in read or read.count("$") > 1) and _depth(read) <= _DEEPEST:
        with suppress(RecursionError):
            read = to_unicode(read)
    return unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", read).casefold())


def _depth(latex: str) -> int:
    """Return the nesting depth of brackets. Nested commands with unclosed brackets take the LaTeX parser 2^n steps."""
    opened = dict.fromkeys(_CLOSED_BY.values(), 0)
    deepest = 0
    for bracket in _BRACKETS.findall(latex):
        if bracket in opened:
            opened[bracket] += 1
            deepest = max(deepest, sum(opened.values()))
        elif (opening := _CLOSED_BY.get(bracket)) and opened[opening]:
            opened[opening] -= 1
    return deepest


def _transliterate(folded: str) -> str:
    return " ".join(
        _SYMBOL.sub(
            lambda sign: _GREEK[sign[0]], unicodedata.normalize("NFKD", folded).translate(_LETTERS).replace("ς", "σ")
        ).split()
    )


def without_spaces(plain_text: str) -> str:
    """Return a normalised text without spaces, so that "multi drug" equals "multidrug"."""
    return plain_text.replace(" ", "")


def first_page(pages: str) -> str:
    """Return the first page or the article number: "1307" of "1307--1316", "e373" of "E373"; empty for none."""
    found = re.search(r"[a-z]{0,3}\d+", plain(pages[:100]))
    return found[0] if found else ""


def pages(text: str) -> tuple[str, str] | None:
    """Return the first and the last page, the last written out: "1307" and "1316" of "1307-16"; None for none."""
    found = re.findall(r"([a-z]{0,3})(\d+)", plain(text[:100]))
    if not found:
        return None
    (letters, first), (_, last) = found[0], found[-1]
    if len(last) < len(first):
        last = first[: len(first) - len(last)] + last
    return f"{letters}{first}", last


def volume(text: str) -> str:
    """Return the number of a volume: "12" of "Vol. 12 (3)"; a volume without digits is only normalised."""
    words = plain(text[:100])
    found = re.search(r"\d+[a-z]?\b", words)
    return found[0].lstrip("0") if found else words
