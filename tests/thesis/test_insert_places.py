"""The places of a section at which something can be inserted, above all at the cursor (SPEC T7)."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import Refused
from latex.headings import nested, shown
from projects.models import Project, User
from sections.comment_anchors import Anchor, anchor_at
from sections.models import Section
from tests.time_limits import HANGS
from thesis.drafting.proposal import AT_THE_END
from thesis.insert.places import AT_THE_CURSOR, cursor_in, cursor_place, placement, places_in

TEXT = r"""\section{Flow}
Of 212 patients 40 were lost to follow-up in the end.
They had moved.

\begin{table}[htbp]
\caption{Deaths by \emph{arm}}

\begin{tabular}{ll}
a & b \\
\end{tabular}
\end{table}

\begin{itemize}
\item One

\item Two
\end{itemize}

Last words \emph{of

it}.

\[ x \]

The end.
"""


def at_words(words: str, text: str = TEXT) -> Anchor:
    start = text.index(words)
    return anchor_at(text, start, start + len(words))


@pytest.mark.parametrize(
    ("words", "label", "following"),
    [
        ("patients", "after the paragraph that begins “Of 212 patients 40 were lost to…”", "\\begin{table}"),
        ("section{Flow}", "after the paragraph that begins “Of 212 patients 40 were lost to…”", "\\begin{table}"),
        ("a & b", "after the table “Deaths by arm”", "\\begin{itemize}"),
        ("Two", "after the list that begins “One Two”", "Last words"),
        ("words", "after the paragraph that begins “Last words of it”", "\\["),
        (" x ", "after the formula", "The end."),
    ],
)
def test_after_the_paragraph_of_the_cursor(words: str, label: str, following: str) -> None:
    found = cursor_place(TEXT, at_words(words))
    assert found is not None
    assert found.at is not None
    assert found.label == label
    assert TEXT[found.at :].startswith(following)


def test_in_the_last_paragraph_it_is_the_end() -> None:
    found = cursor_place(TEXT, at_words("The end"))
    assert found is not None
    assert found.at is None
    assert found.label == "after the paragraph that begins “The end”"


def test_the_place_is_found_after_edits_and_is_gone_with_its_paragraph() -> None:
    cursor = at_words("Of 212 patients 40 were lost to follow-up in the end.")
    edited = "New first paragraph.\n\n" + TEXT.replace("40 were lost", "41 were sadly lost")
    found = cursor_place(edited, cursor)
    assert found is not None
    assert found.at is not None
    assert edited[found.at :].startswith("\\begin{table}")
    assert cursor_place("Nothing of it.\n", cursor) is None
    assert cursor_place("", cursor) is None


@given(st.text(alphabet="\\{}%[]$ ab\nbeginend", max_size=200), st.integers(0, 200))
def test_it_is_never_inside_braces_or_an_environment(latex: str, start: int) -> None:
    found = cursor_place(latex, anchor_at(latex, start, start + 5))
    if found and found.at is not None:
        assert found.at not in nested(shown(latex), [found.at])
        assert 0 < found.at < len(latex)


def test_headings_in_floats_are_no_places_and_there_is_no_limit(project: Project, owner: User) -> None:
    many = "".join(f"\\section{{Number {at}}}\nText.\n\n" for at in range(150))
    section: Section = project.sections.get(slug="results")
    section = section.write(f"\\begin{{figure}}\n\\section{{In}}\n\\end{{figure}}\n\n{many}", based_on=0, by=owner)
    places = places_in(section)
    assert len(places) == 150  # the end, and the end of each heading's part but the last
    assert not any("In”" in place.label for place in places)
    assert places[-1].label.endswith("Number 148”")


def test_the_cursor_is_offered_first(project: Project, owner: User) -> None:
    section: Section = project.sections.get(slug="results")
    section = section.write(TEXT, based_on=0, by=owner)
    first = places_in(section, at_words("They had moved"))[0]
    assert first == (AT_THE_CURSOR, "At the cursor, after the paragraph that begins “Of 212 patients 40 were lost to…”")
    where = placement(section, AT_THE_CURSOR, at_words("They had moved"))
    assert (where.place, where.based_on) == ("range", section.version)
    assert placement(section, AT_THE_CURSOR, at_words("The end")) == AT_THE_END
    assert placement(section, "", None) == AT_THE_END
    for cursor in (None, Anchor("entirely other words")):
        with pytest.raises(Refused) as refused:
            placement(section, AT_THE_CURSOR, cursor)
        assert (refused.value.status, refused.value.code) == (409, "stale")


@pytest.mark.parametrize(
    "sent",
    [
        "",
        "x",
        "[]",
        "{}",
        json.dumps({"section": "a", "quote": " ", "before": "", "after": "", "start": 1}),
        json.dumps({"section": "a", "quote": 1, "before": "", "after": "", "start": 1}),
        json.dumps({"section": "a", "quote": "b\0", "before": "", "after": "", "start": 1}),
        json.dumps({"section": "a", "quote": "b", "before": "", "after": "", "start": "1"}),
        json.dumps({"section": "a", "quote": "b" * 5_000, "before": "", "after": "", "start": 1}),
        "[" * 4_000,
    ],
)
def test_what_is_no_place_of_a_cursor(sent: str) -> None:
    assert cursor_in(sent) is None


def test_what_the_editor_sends() -> None:
    sent: dict[str, Any] = {"section": "results", "quote": "Of 212", "before": "", "after": " patients", "start": 15}
    assert cursor_in(json.dumps(sent)) == ("results", Anchor("Of 212", "", " patients", 15))


@pytest.mark.long
@pytest.mark.timeout(HANGS)
def test_a_long_text_takes_no_time() -> None:
    for latex in ("word " * 100_000, "a\n\n" * 100_000, "{" * 200_000, "\\begin{table}\n\n" * 50_000):
        cursor_place(latex, anchor_at(latex, 1_000, 1_100))
