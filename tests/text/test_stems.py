"""The stems of a text alone are those of its tokens: ranking reads many texts that nobody reads again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research.nearest_texts import nearest
from tests.examples import examples
from text.stemming import LANGUAGES, stems, tokens

TEXTS = [
    "",
    "Vitamin D, vitamin D and hepatitis B after a heart attack of 28-day COVID-19 and IL-6 in nitrogen-fixing alders.",
    "anti-hepatitis B; the vitamin  C of influenza A-like; heart heart attack attack",
    "p<0.05, 3.4 kg don’t x--y CO₂ -a- 12-24 a1 1a",
    "Ärzte prüfen die Böden; l’azote du sol; el nitrógeno del suelo",
    "赤杨固定空气中的氮气 and 東京 " * 20,
    "नदी के किनारे",
]
PIECES = [*" -–’.é_AB", "heart", "attack", "vitamin", "influenza", "19", "赤杨", "CO₂"]


@pytest.mark.parametrize("language", [*LANGUAGES, "zh"])
@pytest.mark.parametrize("text", TEXTS)
def test_stems_are_those_of_the_tokens(text: str, language: str) -> None:
    assert stems(text, language) == [token.stem for token in tokens(text, language)]


@examples(150)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_of_any_text(text: str) -> None:
    assert stems(text) == [token.stem for token in tokens(text)]
    assert all(text[token.start : token.end] for token in tokens(text))


def test_words_stand_where_the_tokens_say() -> None:
    found = tokens("After 28-day COVID-19 a heart attack: vitamin D.")
    surfaces = [token.surface for token in found]
    assert [word for word in surfaces if word in {"day", "COVID-19", "vitamin D"}] == ["day", "COVID-19", "vitamin D"]
    pair = next(token for token in found if token.surface.startswith("heart "))
    assert (pair.surface, pair.start) == ("heart attack", 24)


def test_the_nearest_are_in_their_own_order() -> None:
    texts = ["Bread rises.", "Alder fixes nitrogen.", "Nitrogen in soil.", "Alder shades soil.", "Crumbs."]
    assert nearest("How does alder change soil nitrogen?", texts, 3) == [1, 2, 3]
    assert nearest("How does alder change soil nitrogen?", texts, 9) == [0, 1, 2, 3, 4]
