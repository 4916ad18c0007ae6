"""SPEC T1: sections can be added, renamed and reordered, and unsaved text beside the outline stays."""

import re
from typing import Any

import pytest
from django.test import Client

from projects.models import Project, User
from sections.models import MOST_SECTIONS, Section
from tests.people import signed_in

HTMX = {"HX-Request": "true"}


def post(client: Client, project: Project, path: str, headers: dict[str, str] | None = None, **data: Any) -> Any:
    return client.post(f"/projects/{project.pk}/sections/{path}", data, headers=headers)


def titles(project: Project) -> list[str]:
    return [f"{section.number} {section.title}" for section in project.sections.all()]


def test_a_section_is_added_at_the_end(project: Project, owner: User) -> None:
    response = post(signed_in(owner), project, "", title=" Work  plan ")
    assert response["Location"] == f"/projects/{project.pk}/sections/work-plan/"
    assert titles(project)[-1] == "9 Work plan"


def test_the_section_that_is_open_stays_open(project: Project, owner: User) -> None:
    part = post(signed_in(owner), project, "?open=results", HTMX, title="Work plan").content.decode()
    assert 'id="outline"' in part
    assert "Work plan" in part
    assert "<textarea" not in part
    assert part.count('aria-current="page"') == 1
    assert re.search(r'<a [^>]*/sections/results/"[^>]* aria-current="page"', part)


@pytest.mark.parametrize("title", ["結果", "!?", "x" * 200])
def test_every_title_gets_an_address_of_its_own(project: Project, owner: User, title: str) -> None:
    for _ in range(2):
        assert post(signed_in(owner), project, "", title=title).status_code == 302
    slugs = [section.slug for section in project.sections.filter(title=title)]
    assert len(set(slugs)) == 2
    for slug in slugs:
        assert signed_in(owner).get(f"/projects/{project.pk}/sections/{slug}/").status_code == 200


@pytest.mark.parametrize("title", ["", "  ", "x" * 201])
def test_a_title_must_be_there_and_fit(project: Project, owner: User, title: str) -> None:
    part = post(signed_in(owner), project, "?open=results", HTMX, title=title).content.decode()
    assert 'class="wrong"' in part
    assert project.sections.count() == 9


def test_there_is_an_end_to_it(project: Project, owner: User) -> None:
    Section.objects.bulk_create(
        Section(project=project, number=n, slug=f"s{n}", title=f"S{n}") for n in range(9, MOST_SECTIONS)
    )
    assert "at most 200 sections" in post(signed_in(owner), project, "", HTMX, title="More").content.decode()


def test_renaming_keeps_the_address_and_the_text(project: Project, owner: User) -> None:
    project.sections.get(slug="results").write("Text", based_on=0, by=owner)
    part = post(signed_in(owner), project, "results/rename/", HTMX, title="Findings").content.decode()
    assert 'id="heading" hx-swap-oob="true"' in part
    section = project.sections.get(slug="results")
    assert (section.title, section.latex, section.version) == ("Findings", "Text", 1)


def test_a_new_name_must_be_one(project: Project, owner: User) -> None:
    response = post(signed_in(owner), project, "results/rename/", title=" ")
    assert response.status_code == 302
    assert project.sections.get(slug="results").title == "Results"


@pytest.mark.parametrize(
    ("slug", "to", "place"),
    [
        ("results", "up", 5),
        ("results", "down", 7),
        ("front-matter", "up", 0),
        ("summary-and-conclusion", "down", 8),
        ("results", "sideways", 6),
    ],
)
def test_moving_one_place(project: Project, owner: User, slug: str, to: str, place: int) -> None:
    assert post(signed_in(owner), project, f"{slug}/move/", to=to).status_code == 302
    order = list(project.sections.values_list("slug", "number"))
    assert order[place] == (slug, place)
    assert [number for _, number in order] == list(range(9))


def test_moving_mends_numbers_that_were_not_in_a_row(project: Project, owner: User) -> None:
    project.sections.filter(slug="discussion").update(number=6)
    project.sections.get(slug="results").move_to(0)
    assert [section.number for section in project.sections.all()] == list(range(9))


PATHS = ["", "results/rename/", "results/move/"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("who", ["supervisor", "reader"])
def test_those_who_read_change_nothing(project: Project, path: str, who: str, request: pytest.FixtureRequest) -> None:
    before = titles(project)
    client = signed_in(request.getfixturevalue(who))
    assert post(client, project, path, title="Mine", to="up").status_code == 403
    assert titles(project) == before


@pytest.mark.parametrize("path", PATHS)
def test_a_stranger_finds_nothing(project: Project, outsider: User, path: str) -> None:
    assert post(signed_in(outsider), project, path, title="Mine", to="up").status_code == 404


@pytest.mark.parametrize("path", PATHS)
def test_signing_in_comes_first_and_posting_is_the_way(project: Project, owner: User, path: str) -> None:
    assert post(Client(), project, path, title="Mine")["Location"].startswith("/accounts/login/")
    assert signed_in(owner).get(f"/projects/{project.pk}/sections/{path}").status_code == 405


@pytest.mark.parametrize(
    ("slug", "number"), [("front-matter", ""), ("abstract", ""), ("introduction", "1"), ("results", "5")]
)
def test_sections_have_the_numbers_they_are_printed_with(project: Project, owner: User, slug: str, number: str) -> None:
    client = signed_in(owner)
    page = client.get(f"/projects/{project.pk}/sections/{slug}/").content.decode()
    row = page[page.index(f'data-section="{slug}"') :]
    assert f'<span class="n">{number}</span>' in row[:1500]
    section = project.sections.get(slug=slug)
    assert client.get(f"/api/sections/{section.pk}/numbers").json()["sections"][slug] == number


def test_every_kind_of_numbered_part_has_its_number(project: Project, owner: User) -> None:
    section = project.sections.get(slug="results")
    latex = r"""\newtheorem{lemma}{Lemma}
\begin{lemma}\label{a}x\end{lemma}\begin{enumerate}\item\label{b} y\end{enumerate}
\begin{algorithm}\caption{z}\label{c}\end{algorithm}\begin{equation}\label{d}1\end{equation}
\begin{figure}\caption{f}\label{e}\end{figure}\begin{longtable}{l}\caption{t}\label{g}\\ x\end{longtable}
\begin{lstlisting}[caption=l,label=h]
\end{lstlisting}\section{S}\label{i}"""
    section.write(latex, based_on=0, by=owner)
    answer = signed_in(owner).get(f"/api/sections/{section.pk}/numbers")
    assert answer.status_code == 200
    found = {label: one["kind"] for label, one in answer.json()["labels"].items()}
    assert found.items() >= {
        "a": "theorem", "b": "item", "c": "algorithm", "d": "equation", "e": "figure", "g": "table", "i": "heading",
    }.items()  # fmt: skip
    assert answer.json()["labels"]["a"]["word"] == "Lemma"
