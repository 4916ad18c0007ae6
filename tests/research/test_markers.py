"""R10: only what was retrieved can be cited; markers are renumbered, orphans dropped."""

import re

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from claims.extraction import claims_of
from claims.markers import Numbering, by_findings, escape_markers, guard_brackets, normalise_markers, number

SOURCES = {"F1-1": "a.md::S1", "F1-2": "b2020", "F1.1-1": "a.md::S1"}


def renumber(body: str, numbering: Numbering, section: str = "x") -> str:
    return number(normalise_markers(body, SOURCES, numbering), SOURCES, numbering, section)


def sentences(body: str) -> list[str]:
    return [claim.text for claim in claims_of({"x": normalise_markers(body, SOURCES, Numbering())})]


def test_numbers_follow_first_appearance_over_all_sections() -> None:
    numbering = Numbering()
    assert renumber("Two. [[F1-2]] One. [[F1-1]]", numbering, "summary") == "Two. [1] One. [2]"
    assert renumber("One again.[[F1.1-1]] [[F1-2]]", numbering, "themes") == "One again. [2] [1]"
    assert numbering.numbers == {"b2020": 1, "a.md::S1": 2}
    assert [tuple(marker) for marker in numbering.markers] == [
        ("F1-2", "summary"),
        ("F1-1", "summary"),
        ("F1.1-1", "themes"),
        ("F1-2", "themes"),
    ]


def test_a_source_that_was_never_retrieved_cannot_be_cited() -> None:
    numbering = Numbering()
    assert renumber("Made up. [[F9-9]] True. [[F1-1]]", numbering, "summary") == "Made up. True. [1]"
    assert (numbering.orphans, len(numbering.markers)) == (1, 1)


def test_brackets_of_quoted_words_are_no_markers() -> None:
    numbering = Numbering()
    text = renumber("As shown [12] and [3, 4]. [[F1-1]]", numbering, "summary")
    assert text == r"As shown \[12] and \[3, 4]. [1]"
    assert len(re.findall(r"(?<!\\)\[\d+\]", text)) == 1


def test_words_of_others_make_no_links() -> None:
    text = escape_markers("See [here](javascript:alert(1)), [a]: http://x.example, <http://x.example> and a < b.")
    assert "](" not in text
    html = MarkdownIt("commonmark", {"html": False}).render(text)
    assert "<a" not in html
    assert "a &lt; b" in html


def test_what_a_source_says_cites_nothing() -> None:
    """R18: a note that holds a marker, in whatever spelling, is quoted and not obeyed."""
    numbering = Numbering()
    fraud = "Cures 99.0% of all [[F1-1]] [1\\] &#91;1&#93; patients."
    text = renumber(f"{guard_brackets(fraud)} [[F1-2]]", numbering)
    html = MarkdownIt("commonmark", {"html": False}).render(text.replace("\\[", "("))
    assert re.findall(r"\[\d+\]", html) == ["[1]"]
    assert [marker.finding_id for marker in numbering.markers] == ["F1-2"]
    assert "[[F1-1]]" in text
    assert sentences(f"{guard_brackets(fraud)} [[F1-2]]") == [fraud]


def test_behind_a_table_a_marker_stands_by_itself() -> None:
    numbering = Numbering()
    table = "| a | b |\n|---|---|\n| 1 | 2 |"
    assert renumber(f"Words.\n\n{table} [[F1-1]] More. [[F1-2]]", numbering).startswith(
        f"Words.\n\n{table}\n\n[1] More. [2]"
    )
    assert sentences(f"Words.\n\n{table} [[F1-1]] More. [[F1-2]]") == ["Words.", table, "More."]


@given(st.lists(st.sampled_from(["[[F1-1]]", "[[F1-2]]", "[[F7-1]]", "words", "[5]", "[[", "]]", "\\", "\n\n", "("])))
def test_every_number_left_stands_for_a_source(parts: list[str]) -> None:
    numbering = Numbering()
    text = renumber(" ".join(parts), numbering)
    found = [int(n) for n in re.findall(r"(?<!\\)\[(\d+)\]", text)]
    assert set(found) <= set(numbering.numbers.values())
    assert len(found) == len(numbering.markers)


def test_a_cite_key_in_brackets_cites_what_was_found_under_it() -> None:
    """R10: models cite references by their keys, too; a word in brackets that is none stays a word."""
    finding_of = {"recovery2023": "F1-2"}
    assert (
        by_findings("So it is [recovery2023]. They write [sic].", finding_of) == "So it is [[F1-2]]. They write [sic]."
    )
    assert by_findings(guard_brackets("A page says [recovery2023]."), finding_of) == guard_brackets(
        "A page says [recovery2023]."
    )
