"""SPEC T2: a comment stays at its words while the text around them, and they themselves, are edited."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sections.comment_anchors import AROUND, MOST_QUOTED, Anchor, anchor_at, find_place
from tests.time_limits import HANGS

WORDS = st.text("abc é\n\\{}", max_size=60)
PARAGRAPH = (
    "Seven trials randomised 1,703 critically ill patients. By day 28, 222 of 678 patients given corticosteroids "
    "had died, against 425 of 1,025 in the comparison groups.\n\nRECOVERY carried most of the weight."
)


def anchored(text: str, words: str) -> Anchor:
    start = text.index(words)
    return anchor_at(text, start, start + len(words))


def found(text: str, anchor: Anchor) -> str | None:
    place = find_place(text, anchor)
    return None if place is None else text[slice(*place)]


def test_words_where_they_were_are_found_whatever_ends_the_lines() -> None:
    text = "First line.\r\nSix of seven\nhad died. Six of seven\r\nhad died."
    assert found(text, Anchor("Six of seven\nhad died.", start=13)) == "Six of seven\nhad died."


@given(before=WORDS, quote=WORDS.filter(bool), after=WORDS, new_before=WORDS, new_after=WORDS)
@example(before="", quote="a", after="a", new_before="a", new_after="")
def test_any_edit_outside_the_words_keeps_them(
    before: str, quote: str, after: str, new_before: str, new_after: str
) -> None:
    anchor = anchor_at(before + quote + after, len(before), len(before) + len(quote))
    text = new_before + quote + new_after
    assert found(text, anchor) == quote
    if text.find(quote) == text.rfind(quote):
        assert find_place(text, anchor) == (len(new_before), len(new_before) + len(quote))


@given(far=WORDS, near=WORDS, quote=WORDS.filter(bool), after=WORDS, new=WORDS)
def test_an_edit_elsewhere_finds_the_very_same_of_many(far: str, near: str, quote: str, after: str, new: str) -> None:
    """The quote may stand in many places: what stands around it tells which one was meant."""
    around = f"{near}<here>{'-' * AROUND}"
    text = far + around + quote + after
    anchor = anchor_at(text, len(far + around), len(far + around + quote))
    changed = new + around + quote + after
    assert find_place(changed, anchor) == (len(new + around), len(new + around + quote))


@given(st.text(max_size=200), st.integers(-5, 250), st.integers(-5, 250))
def test_a_place_in_an_unchanged_text_is_where_it_was(text: str, start: int, end: int) -> None:
    anchor = anchor_at(text, start, end)
    assert text[anchor.start :].startswith(anchor.quote)
    place = (anchor.start, anchor.start + len(anchor.quote))
    assert find_place(text, anchor) == (place if anchor.quote else None)


@given(WORDS, WORDS, st.integers(0, 100))
def test_what_is_found_lies_in_the_text(text: str, quote: str, start: int) -> None:
    place = find_place(text, Anchor(quote, "before", "after", start))
    assert place is None or 0 <= place[0] < place[1] <= len(text)


def test_a_repeated_word_is_told_by_what_stands_around_it() -> None:
    text = "of 678 patients given steroids and of 1,025 patients in the others"
    anchor = anchor_at(text, text.rindex("patients"), text.rindex("patients") + 8)
    changed = "Of 24 patients, " * 5 + text
    assert find_place(changed, anchor) == (changed.rindex("patients"), changed.rindex("patients") + 8)


def test_words_that_were_edited_are_found_between_what_stood_around_them() -> None:
    anchor = anchored(PARAGRAPH, "222 of 678 patients given corticosteroids had died")
    changed = PARAGRAPH.replace("patients given corticosteroids had died", "people who had the drug had died")
    assert found(changed, anchor) == "222 of 678 people who had the drug had died"


def test_words_edited_with_all_around_them_are_found_by_likeness() -> None:
    anchor = anchored(PARAGRAPH, "222 of 678 patients given corticosteroids had died")
    changed = "In all, 222 of 678 patients given dexamethasone had died; that is 33 per cent."
    assert "222 of 678 patients" in (found(changed, anchor) or "")


def test_words_that_are_gone_are_nowhere() -> None:
    anchor = anchored(PARAGRAPH, "222 of 678 patients given corticosteroids had died")
    assert find_place(PARAGRAPH.replace(anchor.quote, ""), anchor) is None
    assert find_place("Something else altogether stands here now, and it is about alder and soil.", anchor) is None
    assert find_place("", anchor) is None


def test_line_endings_of_the_page_and_of_the_text_may_differ() -> None:
    text = "One line,\r\nand another.\r\nA third."
    assert found(text, Anchor("line,\nand another", "One ", ".\nA third.", 4)) == "line,\r\nand another"


def test_an_anchor_keeps_at_most_so_much() -> None:
    anchor = anchor_at("x" * 9000, 3000, 9000)
    assert (len(anchor.quote), len(anchor.before), len(anchor.after)) == (MOST_QUOTED, AROUND, AROUND)


@pytest.mark.timeout(HANGS)
def test_a_chapter_of_five_million_characters_takes_no_time() -> None:
    text = PARAGRAPH * 25_000
    find_place(text, Anchor("This stands nowhere in the text. " * 60, "Nor this. " * 10, "Nor that. " * 10, 2_500_000))
    find_place(text, Anchor("e" * 2000, "e" * 100, "e" * 100, 2_500_000))
