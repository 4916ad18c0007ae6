"""The browser counts words by the rule of the server:
both are held against the same numbers (static/src/latex/words.ts)."""

import json
from pathlib import Path

from latex.word_count import count_words

CORPUS = Path(__file__).parents[1] / "corpus"


def test_the_words_of_every_chapter_are_as_counted() -> None:
    counted = json.loads((CORPUS / "words.json").read_text())
    chapters = {path.name: path.read_bytes().decode() for path in sorted(CORPUS.glob("*.tex"))}
    assert {name: count_words(text) for name, text in chapters.items()} == counted
