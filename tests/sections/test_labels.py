"""SPEC T2: a heading, table or figure of another section that has no label is listed, and gets one."""

from typing import Any

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from latex.label_places import label_places, with_label, with_title, with_title_label
from latex.numbering import Counters
from projects.models import Project, User
from sections.models import Section
from tests.people import signed_in

TABLE = (
    "\\begin{table}[htbp]\n\\caption[Short]{Deaths by \\emph{drug}}\n\\begin{tabular}{l}A\\end{tabular}\n\\end{table}\n"
)
METHODS = f"""\\section{{Setting}}\\label{{sec:setting}}
Words.
\\section{{Flow of patients}}
{TABLE}
\\section*{{Not numbered}}
"""


@pytest.fixture
def methods(project: Project, owner: User) -> Section:
    found: Section = project.sections.get(slug="materials-and-methods")
    return found.write(METHODS, based_on=0, by=owner)


@pytest.fixture
def results(project: Project) -> Section:
    found: Section = project.sections.get(slug="results")
    return found


def all_listed(client: Client, opened: Section) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get(f"/api/sections/{opened.pk}/unlabelled").json()
    return found


def listed(client: Client, opened: Section) -> list[dict[str, Any]]:
    """What is within sections: without their own titles."""
    return [one for one in all_listed(client, opened) if one["start"] >= 0]


def give(client: Client, part: dict[str, Any], key: str) -> Any:
    sent = {name: part[name] for name in ("kind", "title", "start")} | {"key": key}
    return client.post(f"/api/sections/{part['section_id']}/labels", sent, content_type="application/json")


def test_parts_of_other_sections_without_a_label_are_listed(results: Section, methods: Section, owner: User) -> None:
    client = signed_in(owner)
    found = listed(client, results)
    assert [(one["kind"], one["title"]) for one in found] == [
        ("heading", "Flow of patients"),
        ("table", "Deaths by drug"),
    ]
    assert all(one["number"] and one["section_id"] == str(methods.pk) for one in found)
    assert listed(client, methods) == []  # the editor knows those of the open section


def test_a_part_gets_its_label_and_nothing_else_changes(results: Section, methods: Section, owner: User) -> None:
    client = signed_in(owner)
    heading, table = listed(client, results)
    assert give(client, table, "tab:deaths").json() == {"key": "tab:deaths"}
    assert give(client, heading, "sec:flow").json() == {"key": "sec:flow"}
    methods.refresh_from_db()
    assert methods.latex == METHODS.replace("drug}}", "drug}}\\label{tab:deaths}").replace(
        "patients}", "patients}\\label{sec:flow}"
    )
    labels = client.get(f"/api/sections/{results.pk}/numbers").json()["labels"]
    assert (labels["tab:deaths"]["number"], labels["tab:deaths"]["title"]) == (table["number"], table["title"])
    assert listed(client, results) == []
    assert methods.versions.first().saved_by == owner  # type: ignore[union-attr]


def test_the_title_of_a_section_gets_a_label_before_its_text(results: Section, methods: Section, owner: User) -> None:
    client = signed_in(owner)
    titles = {one["title"]: one for one in all_listed(client, results) if one["start"] < 0}
    assert {"Introduction", "Materials and methods", "Results", "Discussion"} <= titles.keys()  # its own as well
    assert not {"Front matter", "Abstract"} & titles.keys()  # they have no number
    title = titles["Materials and methods"]
    assert (title["kind"], title["level"], title["number"]) == ("heading", 0, "4")
    assert give(client, title, "sec:setting").status_code == 422  # in use
    assert give(client, title, "sec:methods").json() == {"key": "sec:methods"}
    methods.refresh_from_db()
    assert methods.latex == "\\label{sec:methods}\n" + METHODS
    assert give(client, title, "sec:again").json() == {"key": "sec:methods"}
    labels = client.get(f"/api/sections/{results.pk}/numbers").json()["labels"]
    named = labels["sec:methods"]
    assert (named["kind"], named["level"], named["number"], named["title"]) == (
        "heading", 0, "4", "Materials and methods",
    )  # fmt: skip
    results.write("As in \\Cref{sec:methods}.", based_on=results.version, by=owner)
    page = client.get(f"/projects/{results.project_id}/read/results/", headers={"HX-Request": "true"}).content.decode()
    assert "Chapter\u00a04" in page
    assert "??" not in page
    assert "Materials and methods" not in {one["title"] for one in all_listed(client, results) if one["start"] < 0}
    methods.write("\\chapter{Own}\nWords.", based_on=methods.version, by=owner)
    assert "no longer there" in give(client, title, "sec:new").json()["error"]["message"]  # its text has the heading


def test_what_was_written_since_stays(results: Section, methods: Section, owner: User, editor: User) -> None:
    """The text of the other section moved on; the part is found, and a label it got meanwhile is kept."""
    heading, table = listed(signed_in(owner), results)
    now = "New words.\n\n" + METHODS.replace("patients}", "patients}\\label{sec:theirs}")
    methods.write(now, based_on=methods.version, by=editor)
    assert give(signed_in(owner), heading, "sec:flow").json() == {"key": "sec:theirs"}
    assert give(signed_in(owner), table, "tab:deaths").json() == {"key": "tab:deaths"}
    methods.refresh_from_db()
    assert methods.latex == now.replace("drug}}", "drug}}\\label{tab:deaths}")


def test_a_part_that_is_gone_and_a_label_in_use_are_refused(results: Section, methods: Section, owner: User) -> None:
    client = signed_in(owner)
    heading, table = listed(client, results)
    for key, says in (("sec:setting", "is in use"), ("a}b", "letters, digits")):
        refused = give(client, table, key)
        assert refused.status_code == 422
        assert says in refused.json()["error"]["message"]
    methods.write("Nothing.", based_on=methods.version, by=owner)
    assert "no longer there" in give(client, heading, "sec:flow").json()["error"]["message"]
    client.delete(f"/api/sections/{methods.pk}")
    assert give(client, heading, "sec:flow").status_code == 404
    assert Section.everything.get(pk=methods.pk).latex == "Nothing."


def test_who_may_not_write_gives_no_label(
    results: Section, methods: Section, owner: User, supervisor: User, reader: User, outsider: User
) -> None:
    part = listed(signed_in(owner), results)[0]
    for user, code in ((supervisor, 403), (reader, 403), (outsider, 404)):
        assert give(signed_in(user), part, "sec:flow").status_code == code
    assert signed_in(outsider).get(f"/api/sections/{results.pk}/unlabelled").status_code == 404
    assert signed_in(owner).post(f"/api/sections/{results.pk}/unlabelled").status_code == 405
    assert signed_in(owner).get(f"/api/sections/{results.pk}/labels").status_code == 405


PIECES = st.sampled_from(
    ["\\section{A}", "\\section[s]{A {b}}", "\\caption{C}", "\\begin{table}", "\\end{table}", "\\begin{longtable}{l}",
     "\\end{longtable}", "\\captionof{figure}{F}", "\\label{x}", "\n\n", "{", "}", "%", "\\\\", "a", " ", "[", "]"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=25).map("".join))
def test_a_label_changes_nothing_else(latex: str) -> None:
    r"""Whatever the text, a label is added as \label{..} at one place, or not at all."""
    titled = with_title_label(latex, "sec:title")
    assert titled.removeprefix("\\label{sec:title}\n") == latex
    assert "sec:title" in with_title(titled, Counters())[0].labels
    for place in label_places(latex):
        made = with_label(latex, place, "sec:new")
        if made is not None and not place.labels:
            assert made.replace("\\label{sec:new}", "") == latex
            assert [one.start for one in label_places(made) if "sec:new" in one.labels] == [place.start]
