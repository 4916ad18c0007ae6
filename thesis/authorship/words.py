"""The words of LaTeX, for comparing texts regardless of white space, commands and citations (SPEC T9)."""

import re
import unicodedata
from functools import cache
from typing import NamedTuple

from latex.printable_characters import ACCENTS

_LETTERS = {
    "ss": "ß",
    "o": "ø",
    "O": "Ø",
    "ae": "æ",
    "AE": "Æ",
    "oe": "œ",
    "OE": "Œ",
    "aa": "å",
    "AA": "Å",
    "l": "ł",
    "L": "Ł",
}
_ACCENTED = re.compile(
    r"\\(?:(?P<sign>['`^\"~=.])\s*(?:\{\\?(?P<a>[A-Za-z])\}|\\?(?P<b>[A-Za-z]))"
    r"|(?P<name>[cvuHkdbr])\{\\?(?P<c>[A-Za-z])\}"
    r"|(?P<letter>ss|ae|AE|oe|OE|aa|AA|[oOlL])(?![A-Za-z])(?:\{\}|[ \t]+)?)"
)
# Not words: keys and names in braces, commands, comments. Keys end at a brace and options at a bracket, so that
# matching takes linear time.
_NOT_WORDS = re.compile(
    r"\\(?:[a-zA-Z]{0,12}cite[a-zA-Z]{0,12}|[a-zA-Z]{0,8}ref|label|input|include|begin|end|includegraphics)"
    r"\*?[ \t]*(?:\[[^\[\]]*\][ \t]*)*(?:\{[^{}\\]*\})+"
    r"|\\[a-zA-Z]+\*?"
    r"|\\."
    r"|%.*"
)
_END = r"(?P<end>[.!?](?=[\s\"'”’)\]}~])|[。！？।]|\n[ \t]*\n)"


class Words(NamedTuple):
    """The words of a text in order, in lower case; `sentences` has the index of the sentence of each word."""

    words: list[str]
    sentences: list[int]


def words_of(latex: str) -> Words:
    """Return the words of `latex`, without commands, keys, names or comments, in linear time.

    Each Chinese or Japanese character counts as a word, as in word processors.
    """
    words: list[str] = []
    sentences: list[int] = []
    sentence = 0
    plain = _plain(latex)
    for found in _pattern(plain.isascii()).finditer(plain):
        if found.lastgroup == "word":
            words.append(found[0])
            sentences.append(sentence)
        elif sentences and sentences[-1] == sentence:
            sentence += 1
    return Words(words, sentences)


def without_commands(latex: str) -> str:
    """Return `latex` with spaces for its commands, keys, names and comments, so that its words keep their places."""
    return _NOT_WORDS.sub(lambda found: " " * len(found[0]), latex)


def without_quotations(latex: str) -> str:
    """Return `latex` without text in LaTeX's quotation marks, which readers recognise as somebody else's words."""
    return re.sub(r"``(?:[^'`]|'(?!')|`(?!`))*''", " ", latex)


def _plain(latex: str) -> str:
    text = _NOT_WORDS.sub(" ", _ACCENTED.sub(_letter, latex))
    if not text.isascii():
        text = re.sub("[\u00ad\u200b-\u200f\u2060\ufeff]", "", unicodedata.normalize("NFKC", text))
    return text.casefold()


def _letter(found: "re.Match[str]") -> str:
    if found["letter"]:
        return _LETTERS[found["letter"]]
    return unicodedata.normalize(
        "NFC", (found["a"] or found["b"] or found["c"]) + ACCENTS[found["sign"] or found["name"]]
    )


@cache
def _pattern(is_ascii: bool) -> "re.Pattern[str]":
    r"""Return a pattern for words and ends of sentences. Unlike \w, it includes vowel signs, which belong to words."""
    if is_ascii:
        return re.compile(rf"(?P<word>[a-z0-9]+(?:['-][a-z0-9]+)*)|{_END}")
    signs = "".join(sign for sign in map(chr, range(0x300, 0xFE30)) if unicodedata.category(sign)[0] == "M")
    alone = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    letter = rf"(?:[^\W_{alone}]|[{signs}])"
    return re.compile(rf"(?P<word>[{alone}]|{letter}+(?:['’-]{letter}+)*)|{_END}")
