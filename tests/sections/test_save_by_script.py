"""SPEC T2: what the page's script needs of the server to save by itself (static/src/keep-safe.ts)."""

import json
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from projects.models import Project, User
from sections.models import Section
from tests.people import signed_in


@pytest.fixture
def results(project: Project) -> Section:
    section: Section = project.sections.get(slug="results")
    return section


def put(
    client: Client, section: Section, latex: str, version: int = 0, person: str | None = None, prefer: str | None = None
) -> Any:
    wishes = {"X-Person": person, "Prefer": prefer}
    return client.put(
        f"/api/sections/{section.pk}",
        json.dumps({"latex": latex}),
        content_type="application/json",
        headers={"If-Match": f'"{version}"', **{name: wish for name, wish in wishes.items() if wish}},
    )


def state_in(page: str) -> Any:
    found = page.split('<script id="section-state" type="application/json">')[1].split("</script>")[0]
    return json.loads(found)


def test_the_page_says_where_it_starts_from(results: Section, owner: User) -> None:
    results.write("One\r\n</script> & <b>", based_on=0, by=owner)
    page = signed_in(owner).get(f"/projects/{results.project_id}/sections/results/").content.decode()
    state = state_in(page)
    assert state["latex"] == "One\r\n</script> & <b>"
    assert (state["version"], state["id"], state["user"]) == (1, str(results.pk), str(owner.pk))
    assert state["save"] == f"/api/sections/{results.pk}"


def test_who_only_reads_gets_nothing_to_save_with(results: Section, reader: User) -> None:
    page = signed_in(reader).get(f"/projects/{results.project_id}/sections/results/").content.decode()
    assert "section-state" not in page
    assert "keep-safe" not in page


def test_beside_a_conflict_the_form_alone_decides(results: Section, owner: User, editor: User) -> None:
    results.write("Edda's.", based_on=0, by=editor)
    answer = signed_in(owner).post(
        f"/projects/{results.project_id}/sections/results/", {"latex": "Mine.", "version": 0}
    )
    assert answer.status_code == 409
    assert "section-state" not in answer.content.decode()


def test_the_answer_leaves_the_text_out_where_that_is_preferred(results: Section, owner: User) -> None:
    answer = put(signed_in(owner), results, "One two", prefer="return=minimal")
    assert (answer.status_code, answer["ETag"], answer["Preference-Applied"]) == (200, '"1"', "return=minimal")
    assert (answer.json()["latex"], answer.json()["words"], answer.json()["version"]) == (None, 2, 1)
    assert put(signed_in(owner), results, "One", 1).json()["latex"] == "One"


def test_a_stale_save_names_who_saved_since_but_for_oneself(results: Section, owner: User, editor: User) -> None:
    results.write("Edda's.", based_on=0, by=editor)
    results.write("Edda's again.", based_on=1, by=editor)
    results.refresh_from_db()
    version = results.write("Mine.", based_on=results.version, by=owner).version
    assert put(signed_in(owner), results, "x").json()["saved_by"] == [str(editor)]
    assert put(signed_in(editor), results, "x", version - 1).json()["saved_by"] == [str(owner)]


def test_a_window_of_somebody_else_saves_nothing_under_ones_name(results: Section, owner: User, editor: User) -> None:
    client = signed_in(owner)
    assert put(client, results, "Mine", person=str(owner.pk)).status_code == 200
    answer = put(client, results, "Edda's", 1, person=str(editor.pk))
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "someone_else")
    kept = client.post(
        f"/api/sections/{results.pk}/versions/kept",
        json.dumps({"latex": "Edda's"}),
        content_type="application/json",
        headers={"X-Person": str(editor.pk)},
    )
    assert kept.status_code == 409
    results.refresh_from_db()
    assert (results.latex, results.versions.filter(latex="Edda's").exists()) == ("Mine", False)
    assert put(client, results, "x", 1, person="nobody").status_code == 422


def test_saving_asks_the_same_few_things_however_long_the_history(results: Section, owner: User) -> None:
    """A chapter of 300 paragraphs."""
    paragraph = "Dexamethasone lowered mortality in patients who were ventilated \\cite{horby2021}. " * 8
    chapter = "\n\n".join(f"{n} {paragraph}" for n in range(300))
    client = signed_in(owner)
    assert put(client, results, chapter).status_code == 200
    counts = []
    for version in range(1, 8):
        with CaptureQueriesContext(connection) as asked:
            assert put(client, results, f"{chapter}\n\n{version}", version, prefer="return=minimal").status_code == 200
        counts.append(len(asked))
    assert len(set(counts)) == 1


def test_a_very_long_text_is_on_the_page_once(results: Section, owner: User) -> None:
    """A browser takes many seconds to fill a box with it; an empty box that can be sent would empty the section."""
    results.write("word " * 200_001, based_on=0, by=owner)
    page = signed_in(owner).get(f"/projects/{results.project_id}/sections/{results.slug}/").content.decode()
    assert page.count("word word word word")
    assert page.count("word " * 200_000) == 1
    box = page[page.index("<textarea") : page.index("</textarea>")]
    assert "disabled" in box
    assert "word word" not in box
