"""SPEC G1: the words on the page lead to their place in the LaTeX, and back."""

from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from thesis.manuscript_page.source_map import Piece, source_maps
from thesis.page_places.sequence_alignment import words_in

word = st.sampled_from(["the", "of", "rates", "fell", "soil", "alder", "नदी", "42", "p"])
paragraph = st.lists(word, min_size=1, max_size=12).map(" ".join)


def maps_of(leaves: list[str], latex: str) -> list[str]:
    return source_maps([Piece(number, 0, text) for number, text in enumerate(leaves)], len(leaves), latex)


def at(one: str, shown: int) -> int:
    """The place in the source of a character, by the last step before it."""
    begin, source = max(
        (tuple(map(int, pair.split(":"))) for pair in one.split()), key=lambda step: (step[0] <= shown, step[0])
    )
    return source + shown - begin


def test_markup_between_words_moves_them() -> None:
    latex = "\\chapter{Results}\n% no text\nRates \\emph{fell} \\citep{smith} by half."
    leaves = ["Results", "Rates fell  by half."]
    heading, text = maps_of(leaves, latex)
    assert latex[at(heading, 0) :].startswith("Results")
    for shown in ("Rates", "fell", "by", "half"):
        assert latex[at(text, leaves[1].index(shown)) :].startswith(shown)


def test_a_leaf_without_words_of_the_source_has_no_map() -> None:
    assert maps_of(["Something else", "", "here"], "here") == ["", "", "0:0"]
    assert maps_of([], "here") == []
    assert maps_of(["here"], "") == [""]


@examples(100)
@given(st.lists(paragraph, max_size=8))
def test_every_word_of_a_plain_text_is_found_where_it_is(paragraphs: list[str]) -> None:
    latex = "\n\n".join(paragraphs)
    begin = 0
    for leaf, one in zip(paragraphs, maps_of(paragraphs, latex), strict=True):
        for each in words_in(leaf):
            assert at(one, each.start) == begin + each.start
        begin += len(leaf) + 2


@examples(100)
@given(st.lists(paragraph, max_size=6), st.text(max_size=200))
def test_a_map_always_leads_to_the_same_word(leaves: list[str], latex: str) -> None:
    latex = f"{latex} {' x '.join(leaves[::2])}"
    for leaf, one in zip(leaves, maps_of(leaves, latex), strict=True):
        for pair in one.split():
            shown, source = map(int, pair.split(":"))
            found = next(each.word for each in words_in(leaf) if each.start == shown)
            assert latex[source:].lower().startswith(found)


def test_a_long_text_is_aligned_over_its_windows() -> None:
    paragraphs = [f"Paragraph number {number} has its own words, and the same ones." for number in range(1_500)]
    latex = "\n\n".join(f"\\emph{{{one}}} % {one}" for one in paragraphs)
    maps = maps_of(paragraphs, latex)
    for number in (0, 400, 900, 1_499):
        shown = paragraphs[number].index(str(number))
        assert latex[at(maps[number], shown) :].startswith(f"{number} has")


def test_a_footnote_stands_within_its_paragraph() -> None:
    latex = "Before words giraffe\\footnote{The committee met in detail.} after words penguin."
    pieces = [
        Piece(0, 0, "Before words giraffe"),
        Piece(1, 0, "The committee met in detail."),
        Piece(0, 20, " after words penguin."),
    ]
    text, note = source_maps(pieces, 2, latex)
    for word in ("giraffe", "penguin"):
        shown = "Before words giraffe after words penguin.".index(word)
        assert latex[at(text, shown) :].startswith(word)
    assert latex[at(note, 4) :].startswith("committee")


def test_a_caption_below_its_table_is_found() -> None:
    latex = "\\begin{tabular}{ll}one & two\\end{tabular}\\caption{Teeth that were lost}\n\nThen more words."
    caption, one, _, after = maps_of(["Teeth that were lost", "one", "two", "Then more words."], latex)
    assert latex[at(caption, 0) :].startswith("Teeth")
    assert latex[at(one, 0) :].startswith("one")
    assert latex[at(after, 0) :].startswith("Then")


def test_a_word_may_go_on_in_other_type() -> None:
    (one,) = source_maps([Piece(0, 0, "re"), Piece(0, 2, "search it")], 1, "\\emph{re}search it")
    assert one.startswith("9:")  # the word itself is two in the source
