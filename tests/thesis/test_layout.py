"""The page "Title page and forms" and its API:
filling in, looking before keeping, what is wrong by field and line (SPEC T5)."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from projects.models import Project, User
from sections.models import Section
from sections.outline import move_to_bin
from tests.people import signed_in
from thesis.layout_form import LayoutForm, as_posted, initial
from thesis.manuscript_data import layout_manuscript
from thesis.models import Layout

HTMX = {"HX-Request": "true"}


def at(project: Project) -> str:
    return f"/projects/{project.pk}/layout/"


def api(project: Project) -> str:
    return f"/api/projects/{project.pk}/layout"


def posted(project: Project, **changes: Any) -> dict[str, Any]:
    """The page as it stands, as a browser would send it, with `changes`; None is a box that is not ticked."""
    data = as_posted(
        initial(layout_manuscript(project).layout)
        | {name: value for name, value in changes.items() if value is not None}
    )
    return {name: data.getlist(name) for name in data if changes.get(name, "") is not None}


def visible_text(response: Any) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def put(user: User, project: Project, **changes: Any) -> Any:
    return signed_in(user).put(api(project), changes, content_type="application/json")


# Filling in


def test_what_is_typed_is_kept_and_shown_again(project: Project, owner: User) -> None:
    sent = posted(
        project,
        template="nbems",
        author="  Asha   Menon ",
        guide_name="Dr Meera Iyer",
        abbreviations="ICU = intensive care\r\nMAC=x",
    )
    response = signed_in(owner).post(at(project), sent, follow=True)
    row = Layout.objects.get(project=project)
    assert (row.template, row.facts) == ("nbems", {"author": "Asha Menon", "guide_name": "Dr Meera Iyer"})
    assert row.abbreviations == "ICU = intensive care\nMAC=x"
    assert "Title page and forms saved." in visible_text(response)
    assert 'value="Dr Meera Iyer"' in response.content.decode()


def test_only_what_differs_from_the_template_is_kept_of_the_pages(project: Project, owner: User) -> None:
    signed_in(owner).post(at(project), posted(project, page_title=None, page_declaration=True))
    assert Layout.objects.get(project=project).pages == {"title": False, "declaration": True}


def test_the_lines_of_the_abbreviations_that_are_none_are_named(project: Project, owner: User) -> None:
    response = signed_in(owner).post(
        at(project), posted(project, abbreviations="ICU = a\n\nno equals\n= b\nMAC =\nICU = other")
    )
    assert response.status_code == 422
    html = response.content.decode()
    for line in (
        "Line 3: put “=”",
        "Line 4: the abbreviation",
        "Line 5: the meaning of “MAC”",
        "Line 6: “ICU” already has",
    ):
        assert line in html
    assert "no equals" in html  # nothing that was typed is lost
    assert "Not saved." in html
    assert 'aria-invalid="true"' in html
    assert not Layout.objects.exists()


def test_a_fact_that_is_too_long_is_told_at_its_field(project: Project, owner: User) -> None:
    response = signed_in(owner).post(at(project), posted(project, guide_name="x" * 301))
    assert response.status_code == 422
    assert "Guide can have at most 300 characters" in response.content.decode()


def test_what_another_template_asks_for_stays(project: Project, owner: User) -> None:
    Layout.objects.create(project=project, template="nbems", facts={"session": "2023–2026"})
    sent = posted(project, template="report")
    del sent["session"]  # a report's page has no such field
    signed_in(owner).post(at(project), sent)
    assert Layout.objects.get(project=project).facts == {"session": "2023–2026"}


def test_only_sections_of_this_thesis_become_appendices(project: Project, owner: User, outsider: User) -> None:
    other = Project.objects.create_for(outsider, title="Other")
    stranger = Section.objects.add(other, "Appendix of another")
    response = signed_in(owner).post(at(project), posted(project, appendices=[str(stranger.pk)]))
    assert response.status_code == 422
    assert not Layout.objects.exists()


def test_sections_called_appendix_are_ticked_at_first(project: Project, owner: User) -> None:
    tick = Section.objects.add(project, "Annexure 2: Consent form")
    form = LayoutForm(layout_manuscript(project))
    assert form["appendices"].value() == [str(tick.pk)]
    signed_in(owner).post(at(project), {**posted(project), "appendices": []})
    assert LayoutForm(layout_manuscript(project))["appendices"].value() == []


# Looking before it is kept


def test_another_template_shows_its_fields_and_keeps_nothing(project: Project, owner: User) -> None:
    sent = {**posted(project, template="nbems", guide_name="Dr Iyer", abbreviations="no equals"), "look": "1"}
    for headers, is_whole in ((HTMX, False), ({}, True)):
        html = signed_in(owner).post(at(project), sent, headers=headers).content.decode()
        assert ("<html" in html) is is_whole
        assert 'id="layout-form"' in html
        assert 'name="registration_number"' in html
        assert 'value="Dr Iyer"' in html
        assert "no equals" in html
        assert re.search(r'name="page_declaration"[^>]*checked', html)  # the pages of the template that was chosen
    assert not Layout.objects.exists()


def test_what_would_be_printed_follows_the_form(project: Project, owner: User) -> None:
    sent = {**posted(project, template="nbems", co_guide_name="Dr Roe", page_co_guide=True), "look": "1"}
    response = signed_in(owner).post(at(project), sent, headers={**HTMX, "HX-Target": "printed"})
    html = response.content.decode()
    assert html.lstrip().startswith("<aside")
    words = visible_text(response)
    assert "Certificate of the co-guide" in words
    assert "Registration number" in words  # still to fill in
    assert "At most 80" not in words
    assert "at most 80 pages" in words
    assert "single source" in words


def test_a_template_chosen_without_script_prints_its_own_pages(project: Project, owner: User) -> None:
    signed_in(owner).post(at(project), {**posted(project, template="nbems"), "shown": "report"})
    assert Layout.objects.get(project=project).pages == {}


def test_letters_that_latex_cannot_set_are_told_with_their_place(project: Project, owner: User) -> None:
    Layout.objects.create(project=project, facts={"guide_name": "डॉ मीरा"}, acknowledgements="Thanks\nto 李")
    words = visible_text(signed_in(owner).get(at(project)))
    assert "Guide: LaTeX cannot print ड (U+0921)" in words
    assert "Acknowledgements, line 2: LaTeX cannot print 李" in words


def test_an_odd_trial_number_is_advice_only(project: Project, owner: User) -> None:
    response = put(owner, project, facts={"trial_registration": "CTRI/24/1"})
    assert response.status_code == 200
    assert [one["field"] for one in response.json()["advice"]] == ["trial_registration"]
    assert put(owner, project, facts={"trial_registration": "NCT01234567"}).json()["advice"] == []


def test_a_brought_thesis_says_that_it_keeps_its_own(project: Project, owner: User) -> None:
    project.thesis_files.create(path="main.tex", kind="tex", is_main=True, pieces=[{"text": "x"}])
    page = signed_in(owner).get(at(project))
    assert "This thesis was imported as LaTeX and keeps its own preamble" in visible_text(page)
    whole = signed_in(owner).get(api(project)).json()
    assert (whole["is_brought"], whole["printed"], whole["unfilled"]) == (True, [], [])


def test_as_many_queries_for_a_long_thesis(project: Project, owner: User) -> None:
    client = signed_in(owner)
    with CaptureQueriesContext(connection) as few:
        client.get(at(project))
    for number in range(8):
        Section.objects.add(project, f"More {number}")
    with CaptureQueriesContext(connection) as many:
        client.get(at(project))
    assert len(many) == len(few)


# The API


def test_the_api_changes_what_is_named_and_leaves_the_rest(project: Project, editor: User) -> None:
    put(
        editor,
        project,
        template="nbems",
        facts={"session": "2023–2026", "guide_name": "Dr Iyer"},
        pages={"head": False},
    )
    answer = put(editor, project, facts={"guide_name": ""}, acknowledgements="Thanks").json()
    assert answer["template"] == "nbems"
    assert answer["facts"] == {"session": "2023–2026"}
    assert answer["pages"]["head"] is False
    assert answer["pages"]["guide"] is True
    assert answer["printed"][:2] == ["title", "guide"]
    assert "head" not in answer["printed"]
    assert "acknowledgements" in answer["printed"]
    assert answer == signed_in(editor).get(api(project)).json()
    # A fact of another template can be given too
    assert put(editor, project, template="report", facts={"session": "2024"}).json()["facts"] == {"session": "2024"}


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"facts": {"guide": "x"}}, "facts", "Unknown name “guide” in facts"),
        ({"pages": {"index": True}}, "pages", "Unknown name “index” in pages"),
        ({"abbreviations": "x"}, "abbreviations", "Line 1: put “=”"),
        ({"acknowledgements": "x" * 20_001}, "acknowledgements", "at most 20,000 characters"),
        ({"facts": {"author": "a\x00b"}}, "author", "NUL"),
        ({"appendices": ["00000000-0000-4000-8000-000000000000"]}, "appendices", "no longer in this thesis"),
    ],
)
def test_the_api_names_the_field_that_is_wrong(
    project: Project, owner: User, changes: dict[str, Any], field: str, words: str
) -> None:
    response = put(owner, project, **changes)
    assert response.status_code == 422
    error = response.json()["error"]
    assert error["field"] == field
    assert words in error["message"]
    assert not Layout.objects.exists()


def test_an_appendix_that_went_to_the_bin_does_not_stand_in_the_way(project: Project, owner: User) -> None:
    section = Section.objects.add(project, "Appendix")
    put(owner, project, appendices=[str(section.pk)])
    move_to_bin(section)
    assert put(owner, project, acknowledgements="x").status_code == 200


# Who may


def test_strangers_find_nothing(project: Project, outsider: User) -> None:
    client = signed_in(outsider)
    assert client.get(at(project)).status_code == 404
    assert client.post(at(project), {}).status_code == 404
    assert client.get(api(project)).status_code == 404
    assert put(outsider, project).status_code == 404


def test_who_does_not_write_sees_it_and_changes_nothing(project: Project, supervisor: User, reader: User) -> None:
    Layout.objects.create(project=project, facts={"guide_name": "Dr Iyer"})
    for person in (supervisor, reader):
        page = signed_in(person).get(at(project))
        assert "Dr Iyer" in visible_text(page)
        assert 'id="layout-form"' not in page.content.decode()
        assert signed_in(person).post(at(project), {"template": "report"}).status_code == 403
        assert put(person, project, template="nbems").status_code == 403
        assert signed_in(person).get(api(project)).status_code == 200


def test_wrong_methods(project: Project, owner: User) -> None:
    assert signed_in(owner).delete(at(project)).status_code == 405
    assert signed_in(owner).post(api(project), {}).status_code == 405


def test_the_settings_lead_there(project: Project, owner: User) -> None:
    assert at(project) in signed_in(owner).get(f"/projects/{project.pk}/settings/").content.decode()
