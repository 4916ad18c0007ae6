"""Short pieces of LaTeX as the words they print, for the visual editor (SPEC T2)."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projects.models import Project, User
from sections.models import Section
from tests.examples import examples
from tests.people import signed_in
from thesis.manuscript import Manuscript
from thesis.printed_commands import printed_commands

OWN = "\\newcommand{\\drug}[1]{dexamethasone \\emph{#1}}\n\nText.\n"


def ask(user: User, section: Section, *pieces: str) -> Any:
    address = f"/api/sections/{section.pk}/printed-commands"
    return signed_in(user).post(address, json.dumps({"pieces": pieces}), content_type="application/json")


@pytest.fixture
def results(project: Project, owner: User) -> Section:
    section: Section = project.sections.get(slug="results")
    return section.write(OWN, based_on=0, by=owner)


def test_units_and_commands_of_the_thesis(results: Section, reader: User) -> None:
    asked = (r"\SI{40}{\percent}", r"\qty{9.81}{m/s^2}", r"\drug{6 mg}", r"\textcolor{red}{<b>x</b>}")
    assert ask(reader, results, *asked).json() == {
        "pieces": ["40\xa0%", "9.81\xa0m/s<sup>2</sup>", "dexamethasone <em>6 mg</em>", "&lt;b&gt;x&lt;/b&gt;"]
    }


@pytest.mark.sample(5)
@pytest.mark.parametrize(
    "piece",
    [
        r"\nobodyknows{x}",
        r"\gls{ards}",
        r"\cite{a}",
        r"\item x",
        r"\end{itemize}",
        "}{",
        "x % y",
        "",
        r"\hspace{1cm}",
        "$$",
        "$$ x",
        "a $",
        r"\(",
        r"\[",
        r"\verb|x",
    ],
)
def test_what_cannot_be_set_alone_hinders_no_other(results: Section, owner: User, piece: str) -> None:
    assert ask(owner, results, piece, r"\SI{1}{\kilo\gram}").json()["pieces"] == ["", "1\xa0kg"]


def test_strangers_and_too_many(results: Section, outsider: User) -> None:
    assert ask(outsider, results, "x").status_code == 404
    assert ask(results.project.owner, results, *["x"] * 201).status_code == 422
    assert signed_in(results.project.owner).get(f"/api/sections/{results.pk}/printed-commands").status_code == 405


@given(pieces=st.lists(st.text(st.sampled_from("ab1 \\{}$%&~^_#[]()<>\n"), max_size=12), max_size=4))
@examples(30)
def test_whatever_is_sent_is_answered_in_its_place(pieces: list[str]) -> None:
    made = printed_commands(Manuscript("A thesis", ""), [*pieces, r"\SI{1}{\kilo\gram}"])
    assert len(made) == len(pieces) + 1
    assert made[-1] in ("1\xa0kg", "")
    assert not any("<script" in one or "\\item" in one for one in made)
