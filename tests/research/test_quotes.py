"""R11: quoted words are compared with the stored text in code, before any model is asked."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.quotes import find_quotation, quotations_in, without_quotation_marks

TEXT = (
    "Nitrogen rose from 0.21% to 0.34% within\n12 years — on plots with red alder. It did *not* rise on “dry” sites; "
    "well-\nknown since the nitro-\ngen trials of 1,500 plots. Co\u00adoperation helped 5–10 farms."
)


@pytest.mark.parametrize(
    "words",
    [
        "rose from 0.21% to 0.34% within 12 years",
        "within 12   years - on plots with red alder",
        "Within 12 years—on plots",
        "it did not rise on 'dry' sites".replace("'", '"'),
        "did not rise on «dry» sites",
        "well-known since",
        "nitrogen trials of 1,500 plots",
        "nitro-gen trials",
        "Cooperation helped 5-10 farms",
        "Cooperation helped 5 – 10 farms.",
        "Nitrogen rose ... on plots with red alder",
        "Nitrogen rose […] with red alder,",
        "on plots with [the] red alder",
        "Nitrogen rose … It did not rise",
    ],
)
def test_words_that_stand_there(words: str) -> None:
    span = find_quotation(words, TEXT)
    assert span is not None
    assert find_quotation(words, TEXT[span.start : span.end]) is not None, "the span holds the words"


@pytest.mark.parametrize(
    "words",
    [
        "rose from 0.21% to 0.43%",
        "Nitrogen fell",
        "did rise on",
        "rose from 0",
        "21% to 0.34%",
        "of 1",
        "500 plots",
        "itrogen rose",
        "It did not rise ... Nitrogen rose",
        "Nitrogen Rose from",
        "red alder on plots",
        "…",
        "",
    ],
)
def test_words_that_do_not(words: str) -> None:
    assert find_quotation(words, TEXT) is None


def test_what_is_quoted() -> None:
    said = 'They "rose fast" and “fell slowly”, « très vite », „sehr schnell“ (5" long, it\'s ‘so’) and “…”.'
    assert quotations_in(said) == ["rose fast", "fell slowly", " très vite ", "sehr schnell"]
    assert without_quotation_marks(said, "fell slowly").startswith('They "rose fast" and fell slowly, «')
    assert without_quotation_marks(said, "never said") == said


@given(st.text(alphabet="ab -—“”\"'\n\u00ad1.,*", max_size=60), st.data())
def test_any_stretch_of_whole_words_is_found(text: str, data: st.DataObject) -> None:
    words = [(one.start(), one.end()) for one in re.finditer(r"(?<![\w.,*\u00ad-])[ab]+(?![\w.,*\u00ad-])", text)]
    if not words:
        return
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first, len(words) - 1))
    stretch = text[words[first][0] : words[last][1]]
    written = re.sub(r"\s+", data.draw(st.sampled_from([" ", "  ", "\n"])), stretch)
    span = find_quotation(written, text)
    assert span is not None
    assert 0 <= span.start < span.end <= len(text)
