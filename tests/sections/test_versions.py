"""SPEC T2: what a section was before can be read and brought back."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from projects.models import Project, User
from sections.models import TYPING_WINDOW, Section, SectionVersion, Stale
from tests.people import signed_in


@pytest.fixture
def results(project: Project, owner: User, editor: User) -> Section:
    section: Section = project.sections.get(slug="results")
    section = section.write("First text", based_on=0, by=owner)
    return section.write("Second text", based_on=1, by=editor)


def later(section: Section, by: timedelta = TYPING_WINDOW) -> None:
    """Time goes by: every burst of typing in `section` began, and was saved, so much earlier."""
    for row in section.versions.all():
        row.began_at -= by
        row.saved_at -= by
        row.save()


def texts(section: Section) -> list[tuple[int, str, str]]:
    """The rows of the history, oldest first: version, kind, text."""
    return list(section.versions.order_by("version").values_list("version", "kind", "latex"))


def address(section: Section, version: int) -> str:
    return f"/projects/{section.project_id}/sections/{section.slug}/versions/{version}/"


def test_an_earlier_text_can_be_read(results: Section, reader: User) -> None:
    page = signed_in(reader).get(f"{address(results, 1)}?view=text").content.decode()
    assert ">First text</pre>" in page
    assert "Restore this version" not in page


def test_and_brought_back_as_a_new_version(results: Section, owner: User) -> None:
    assert signed_in(owner).post(address(results, 1)).status_code == 302
    results.refresh_from_db()
    assert (results.latex, results.version) == ("First text", 3)
    assert results.versions.get(version=2).latex == "Second text"


def test_text_a_section_was_made_with_is_in_the_history_too(project: Project, owner: User) -> None:
    section = Section.objects.create(project=project, number=9, slug="made", title="Made", latex="From elsewhere")
    section.write("New", based_on=0, by=owner)
    assert section.versions.get(version=0).latex == "From elsewhere"


def test_a_version_that_never_was(results: Section, owner: User) -> None:
    assert signed_in(owner).get(address(results, 7)).status_code == 404


def test_a_reader_brings_nothing_back(results: Section, reader: User) -> None:
    assert signed_in(reader).post(address(results, 1)).status_code == 403


def test_a_stranger_finds_nothing(results: Section, outsider: User) -> None:
    assert signed_in(outsider).get(address(results, 1)).status_code == 404
    assert signed_in(outsider).post(address(results, 1)).status_code == 404


def test_signing_in_comes_first(results: Section) -> None:
    assert Client().get(address(results, 1))["Location"].startswith("/accounts/login/")


def test_other_methods(results: Section, owner: User) -> None:
    assert signed_in(owner).delete(address(results, 1)).status_code == 405


def test_five_minutes_of_typing_are_one_row(project: Project, owner: User) -> None:
    section = project.sections.get(slug="abstract")
    for n in range(20):
        section = section.write(f"Text {n}", based_on=n, by=owner)
    assert texts(section) == [(20, "typed", "Text 19")]
    later(section, TYPING_WINDOW - timedelta(seconds=30))
    section = section.write("Still the same burst", based_on=20, by=owner)
    assert texts(section) == [(21, "typed", "Still the same burst")]
    later(section, timedelta(seconds=31))
    section = section.write("The next one", based_on=21, by=owner)
    assert [text for *_, text in texts(section)] == ["Still the same burst", "The next one"]
    assert section.version == 22


def test_a_row_says_when_its_burst_began_and_ended(project: Project, owner: User) -> None:
    section = project.sections.get(slug="abstract").write("One", based_on=0, by=owner)
    later(section, timedelta(minutes=3))
    section.write("Two", based_on=1, by=owner)
    row = section.versions.get()
    assert timedelta(minutes=2, seconds=50) < row.saved_at - row.began_at < timedelta(minutes=4)


def test_typing_of_two_people_is_never_one_row(results: Section, owner: User) -> None:
    results.write("Third text", based_on=2, by=owner)
    assert [text for *_, text in texts(results)] == ["First text", "Second text", "Third text"]


@pytest.mark.parametrize("kind", ["restored", "imported", "merged", "proposed"])
def test_what_is_not_typing_stands_between_rows_of_its_own(results: Section, editor: User, kind: str) -> None:
    section = results.write("From elsewhere", based_on=2, by=editor, kind=kind)
    section = section.write("Typed behind it", based_on=3, by=editor)
    expected = [(1, "typed", "First text"), (2, "typed", "Second text"), (3, kind, "From elsewhere")]
    assert texts(section) == [*expected, (4, "typed", "Typed behind it")]


def test_a_burst_in_a_snapshot_is_left_as_it_was(results: Section, editor: User) -> None:
    project = results.project
    project.snapshots.create(name="Sent", made_by=editor).versions.set([results.current_version_row()])
    results.write("Typed on", based_on=2, by=editor)
    assert [text for *_, text in texts(results)] == ["First text", "Second text", "Typed on"]


def test_the_number_of_a_save_within_a_burst_leads_to_its_row(results: Section, editor: User) -> None:
    for n in range(2, 6):
        results.write(f"Text {n}", based_on=n, by=editor)
    client = signed_in(editor)
    assert client.get(address(results, 3))["Location"] == address(results, 6)
    answer = client.get(f"/api/sections/{results.pk}/versions/3").json()
    assert (answer["version"], answer["latex"]) == (6, "Text 5")


def post(client: Client, section: Section, path: str, **data: Any) -> Any:
    return client.post(f"/api/sections/{section.pk}/{path}", json.dumps(data), content_type="application/json")


def test_what_a_conflict_set_aside_is_kept_and_is_not_the_text(results: Section, owner: User) -> None:
    answer = post(signed_in(owner), results, "versions/kept", latex="Mine, not chosen")
    assert answer.status_code == 201
    assert (answer.json()["kind"], answer.json()["version"], answer["ETag"]) == ("kept", 3, '"3"')
    results.refresh_from_db()
    assert (results.latex, results.version) == ("Second text", 3)
    assert texts(results)[-1] == (3, "kept", "Mine, not chosen")
    page = signed_in(owner).get(f"{address(results, 3)}?view=text").content.decode()
    assert "Mine, not chosen" in page
    assert "was not chosen in a conflict" in page
    assert "the current version" not in page.split("</header>")[0]


def test_the_same_text_sent_twice_is_kept_once(results: Section, owner: User) -> None:
    first = post(signed_in(owner), results, "versions/kept", latex="Mine").json()
    assert post(signed_in(owner), results, "versions/kept", latex="Mine").json() == first
    assert results.versions.filter(kind="kept").count() == 1


def test_nobody_is_stale_for_what_was_only_kept(results: Section, owner: User, editor: User) -> None:
    results.keep("Mine", by=owner)
    results.keep("Mine again", by=owner)
    saved = results.write("Typed over version 2", based_on=2, by=editor)
    assert (saved.version, saved.latex) == (5, "Typed over version 2")
    with pytest.raises(Stale):
        results.write("Too late", based_on=4, by=owner)
    with pytest.raises(Stale):
        results.write("From nowhere", based_on=9, by=owner)


def test_the_first_text_is_not_lost_to_what_is_kept(project: Project, owner: User) -> None:
    section = Section.objects.create(project=project, number=9, slug="made", title="Made", latex="From elsewhere")
    section.keep("Set aside", by=owner)
    section.write("New", based_on=0, by=owner)
    assert texts(section) == [(0, "typed", "From elsewhere"), (1, "kept", "Set aside"), (2, "typed", "New")]


def test_keeping_asks_for_what_saving_asks_for(
    results: Section, owner: User, reader: User, supervisor: User, outsider: User
) -> None:
    assert post(signed_in(owner), results, "versions/kept", latex="nul \x00").json()["error"]["field"] == "latex"
    for person, status in ((reader, 403), (supervisor, 403), (outsider, 404)):
        assert post(signed_in(person), results, "versions/kept", latex="Mine").status_code == status
        assert post(signed_in(person), results, "versions/1/restore").status_code == status
    assert signed_in(owner).get(f"/api/sections/{results.pk}/versions/kept").status_code == 405
    assert results.versions.count() == 2


def test_restoring_by_the_api(results: Section, owner: User) -> None:
    answer = post(signed_in(owner), results, "versions/1/restore")
    assert (answer.status_code, answer["ETag"]) == (200, '"3"')
    assert (answer.json()["kind"], answer.json()["version"]) == ("restored", 3)
    assert texts(results) == [
        (1, "typed", "First text"),
        (2, "typed", "Second text"),
        (3, "restored", "First text"),
    ]
    assert post(signed_in(owner), results, "versions/9/restore").status_code == 404


def test_a_merged_text_is_saved_as_such(results: Section, owner: User) -> None:
    answer = signed_in(owner).put(
        f"/api/sections/{results.pk}",
        json.dumps({"latex": "Both", "kind": "merged"}),
        content_type="application/json",
        headers={"If-Match": '"2"'},
    )
    assert answer.status_code == 200
    assert texts(results)[-1] == (3, "merged", "Both")


def test_the_history_by_the_api_goes_on_where_it_ended(results: Section, owner: User) -> None:
    rows = [SectionVersion(section=results, version=n, latex="x", kind="merged") for n in range(3, 300)]
    SectionVersion.objects.bulk_create(rows)
    client = signed_in(owner)
    first = client.get(f"/api/sections/{results.pk}/versions").json()
    rest = client.get(f"/api/sections/{results.pk}/versions?before={first[-1]['version']}").json()
    assert [row["version"] for row in (*first, *rest)] == list(range(299, 0, -1))
    assert first[0]["began_at"] <= timezone.now().isoformat()
