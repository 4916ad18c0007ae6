r"""The headings of a section, for the outline beside it (SPEC T2)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latex.headings import MOST, headings_in
from projects.models import Project, User
from sections.models import Section
from tests.people import signed_in
from tests.time_limits import HANGS


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        ("", []),
        (r"\section{One}\subsection*{Two}", [(2, "One"), (3, "Two")]),
        (r"\section[Short]{The long one}", [(2, "The long one")]),
        (r"\section{\emph{In vitro} work\label{sec:x}}", [(2, "In vitro work")]),
        (r"\section{Salt \& water, 5\,\% \{sic\}}", [(2, "Salt & water, 5 % {sic}")]),
        ("% \\section{Hidden}\n\\section{Shown}", [(2, "Shown")]),
        ("100\\% \\section{Shown}", [(2, "Shown")]),
        (r"\begin{verbatim}\section{No}\end{verbatim}\section{Yes}", [(2, "Yes")]),
        (r"\begin{verbatim}\section{Never ends}", []),
        (r"\sectionmark{No}\section{}", [(2, "Untitled")]),
        (r"\section{never closed", []),
        ("\\section\n{No}", []),
        (r"\chapter{C}\subsubsection{S}", [(1, "C"), (4, "S")]),
    ],
)
def test_what_is_a_heading(latex: str, expected: list[tuple[int, str]]) -> None:
    assert [(heading.level, heading.title) for heading in headings_in(latex)] == expected


@given(st.text(alphabet="\\{}%[]*section sub\nverbatimbegind", max_size=300))
def test_each_stands_where_it_says(latex: str) -> None:
    found = headings_in(latex)
    assert all(latex[heading.start] == "\\" for heading in found)
    assert [heading.start for heading in found] == sorted({heading.start for heading in found})


@pytest.mark.long
@pytest.mark.timeout(HANGS)
def test_a_long_text_is_read_at_once() -> None:
    for latex in (
        "word " * 1_000_000,
        "\\section{" * 200_000,
        "\\begin{verbatim}" * 200_000,
        "%" * 3_000_000,
        "\\section" + " " * 2_000_000,
    ):
        assert len(headings_in(latex)) <= MOST


def test_the_outline_shows_two_kinds_under_the_open_section(project: Project, owner: User) -> None:
    section: Section = project.sections.get(slug="results")
    section.write("\\section{Flow <b>}\n\\subsection{Sites}\n\\subsubsection{Deep}", based_on=0, by=owner)
    page = signed_in(owner).get(f"/projects/{project.pk}/sections/results/").content.decode()
    assert '<span class="n">5.1</span> <span>Flow &lt;b&gt;</span></a>' in page
    assert 'data-depth="2"><a href="#text" data-heading="1"' in page
    assert "Deep</span></a>" not in page
    assert "Sites</span></a>" not in signed_in(owner).get(f"/projects/{project.pk}/sections/abstract/").content.decode()
