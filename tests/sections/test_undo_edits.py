"""SPEC T2: a replacement is undone without losing what was typed since."""

from hypothesis import given
from hypothesis import strategies as st

from latex.find_words import Search, replace_words
from sections.undo_edits import in_new_text, undo_edits
from tests.latex.test_find_words import NEW, TEXTS, WORDS


def replaced(latex: str, words: str, new: str) -> tuple[str, list[list[tuple[int, int, str]]]]:
    made = replace_words(latex, Search(words), new, None, 1_000)
    return made.latex, in_new_text(latex, made.edits)


@given(TEXTS, WORDS, NEW)
def test_replacing_and_undoing_gives_back_every_character(latex: str, words: str, new: str) -> None:
    after, edits = replaced(latex, words, new)
    assert undo_edits(after, edits, after) == (latex, 0)


@given(st.lists(TEXTS, max_size=4), WORDS, NEW)
def test_what_was_typed_before_and_after_stays(pieces: list[str], words: str, new: str) -> None:
    latex = "\n\n".join(pieces)
    after, edits = replaced(latex, words, new)
    assert undo_edits(after, edits, f"Typed first.\n\n{after}\n\nTyped last.")[0].startswith("Typed first.")


def test_typing_elsewhere_is_kept_and_a_changed_place_stays() -> None:
    latex = "High hypertension.\n\nLow hypertension.\n\nNo hypertension."
    after, edits = replaced(latex, "hypertension", "BP")
    assert after == "High BP.\n\nLow BP.\n\nNo BP."
    assert undo_edits(after, edits, "Very high BP.\n\nMore.\n\nLow BPs.\n\nNo BP. Typed.") == (
        "Very high hypertension.\n\nMore.\n\nLow BPs.\n\nNo hypertension. Typed.",
        1,
    )


def test_the_parts_of_one_match_are_undone_together() -> None:
    latex = r"a\textbf{b}a\textbf{b} c"
    after, edits = replaced(latex, "ab", "X")
    assert after == "XX c"
    assert undo_edits(after, edits, after) == (latex, 0)
    assert undo_edits(after, edits, "XX d") == (latex.replace("c", "d"), 0)


def test_removed_words_come_back_where_they_were() -> None:
    after, edits = replaced("one two three", "two", "")
    assert undo_edits(after, edits, "zero " + after) == ("zero one two three", 0)
    assert undo_edits(after, edits, "one and three") == ("one and three", 1)
