"""SPEC G1: the words on the page lead to their place in the LaTeX, and back."""

from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from thesis.manuscript_page.source_map import source_maps, words_in

word = st.sampled_from(["the", "of", "rates", "fell", "soil", "alder", "नदी", "42", "p"])
paragraph = st.lists(word, min_size=1, max_size=12).map(" ".join)


def at(one: str, shown: int) -> int:
    """The place in the source of a character, by the last step before it."""
    begin, source = max(
        (tuple(map(int, pair.split(":"))) for pair in one.split()), key=lambda step: (step[0] <= shown, step[0])
    )
    return source + shown - begin


def test_markup_between_words_moves_them() -> None:
    latex = "\\chapter{Results}\n% no text\nRates \\emph{fell} \\citep{smith} by half."
    leaves = ["Results", "Rates fell  by half."]
    heading, text = source_maps(leaves, latex)
    assert latex[at(heading, 0) :].startswith("Results")
    for shown in ("Rates", "fell", "by", "half"):
        assert latex[at(text, leaves[1].index(shown)) :].startswith(shown)


def test_a_leaf_without_words_of_the_source_has_no_map() -> None:
    assert source_maps(["Something else", "", "here"], "here") == ["", "", "0:0"]
    assert source_maps([], "here") == []
    assert source_maps(["here"], "") == [""]


@examples(100)
@given(st.lists(paragraph, max_size=8))
def test_every_word_of_a_plain_text_is_found_where_it_is(paragraphs: list[str]) -> None:
    latex = "\n\n".join(paragraphs)
    begin = 0
    for leaf, one in zip(paragraphs, source_maps(paragraphs, latex), strict=True):
        for each in words_in(leaf):
            assert at(one, each.start) == begin + each.start
        begin += len(leaf) + 2


@examples(100)
@given(st.lists(paragraph, max_size=6), st.text(max_size=200))
def test_a_map_always_leads_to_the_same_word_in_ascending_order(leaves: list[str], latex: str) -> None:
    latex = f"{latex} {' x '.join(leaves[::2])}"
    last = -1
    for leaf, one in zip(leaves, source_maps(leaves, latex), strict=True):
        for pair in one.split():
            shown, source = map(int, pair.split(":"))
            found = next(each.word for each in words_in(leaf) if each.start == shown)
            assert latex[source:].lower().startswith(found)
            assert source > last
            last = source


def test_a_long_text_is_aligned_over_its_windows() -> None:
    paragraphs = [f"Paragraph number {number} has its own words, and the same ones." for number in range(1_500)]
    latex = "\n\n".join(f"\\emph{{{one}}} % {one}" for one in paragraphs)
    maps = source_maps(paragraphs, latex)
    for number in (0, 400, 900, 1_499):
        shown = paragraphs[number].index(str(number))
        assert latex[at(maps[number], shown) :].startswith(f"{number} has")
