"""SPEC T2: what was not touched comes back byte for byte, line endings included."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latex.line_endings import differing, normalised, restore_line_endings

LINES = st.text(st.sampled_from("ab\r\n\u2028\x0b"), max_size=30)


def as_a_browser_sends(text: str) -> str:
    return normalised(text).replace("\n", "\r\n")


@given(LINES)
def test_an_untouched_text_is_untouched(before: str) -> None:
    assert restore_line_endings(as_a_browser_sends(before), before) == before


@given(LINES, LINES)
def test_the_words_are_always_those_sent(text: str, before: str) -> None:
    assert normalised(restore_line_endings(as_a_browser_sends(text), before)) == normalised(text)


@given(LINES, LINES.filter(lambda text: "\r" not in text))
def test_a_text_of_newlines_stays_one(text: str, before: str) -> None:
    assert "\r" not in restore_line_endings(text, before)


@pytest.mark.parametrize(
    ("sent", "before", "kept"),
    [
        ("a\r\nX\r\nc\r\n", "a\r\nb\r\nc\r\n", "a\r\nX\r\nc\r\n"),
        ("a\nX\nY\nc\r\n", "a\nb\r\nc\r", "a\nX\nY\r\nc\r"),
        ("a\r\nb", "a\rb", "a\rb"),
        ("one\r\ntwo", "", "one\ntwo"),
    ],
)
def test_only_the_changed_lines_change(sent: str, before: str, kept: str) -> None:
    assert restore_line_endings(sent, before) == kept


@given(LINES, LINES)
def test_the_parts_of_a_comparison_are_the_text(text: str, other: str) -> None:
    assert "".join(differing(text, other)) == normalised(text) + "\n"


def test_what_differs_is_between_what_does_not() -> None:
    assert differing("a\nb\nc", "a\nX\nY\nc") == ("a\n", "b\n", "c\n")
