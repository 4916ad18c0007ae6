"""SPEC T2: the whole thesis is kept under a name; every text of it can be compared and brought back."""

import json
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from core.errors import Refused
from projects.models import Project, User
from sections import snapshots as states
from sections.models import Section, Snapshot
from tests.people import signed_in


@pytest.fixture
def results(project: Project, owner: User) -> Section:
    section: Section = project.sections.get(slug="results")
    return section.write("As sent", based_on=0, by=owner)


@pytest.fixture
def sent(project: Project, results: Section, owner: User) -> Snapshot:
    """Kept when Results said "As sent"; two sections have been written since,
    by the same person and within the minute."""
    made = states.save_snapshot(project, "Sent to Dr Iyer", by=owner)
    results.write("Changed since", based_on=1, by=owner)
    project.sections.get(slug="abstract").write("Written since", based_on=0, by=owner)
    return made


def text_of(project: Project, slug: str) -> str:
    return str(project.sections.get(slug=slug).latex)


def at(snapshot: Snapshot, act: str = "") -> str:
    return f"/projects/{snapshot.project_id}/snapshots/{snapshot.pk}/{act}"


def api(client: Client, method: str, path: str, **data: Any) -> Any:
    return client.generic(method, f"/api/projects/{path}", json.dumps(data), content_type="application/json")


def test_keeping_a_state(project: Project, results: Section, owner: User) -> None:
    client = signed_in(owner)
    assert client.post(f"/projects/{project.pk}/snapshots/", {"name": " Sent  to Dr Iyer "}).status_code == 302
    made = project.snapshots.get()
    assert (made.name, made.made_by, made.versions.count()) == ("Sent to Dr Iyer", owner, 9)
    page = client.get(f"/projects/{project.pk}/snapshots/").content.decode()
    assert "Sent to Dr Iyer" in page
    assert "9 sections" in page


def test_typing_on_does_not_change_what_was_kept(sent: Snapshot, results: Section) -> None:
    kept = {one.section.slug: one for one in states.snapshot_versions(sent)}
    assert kept["results"].latex == "As sent"
    changed = {slug: vars(one)["changed"] for slug, one in kept.items()}  # as the query says
    assert (changed["results"], changed["abstract"], changed["discussion"]) == (True, True, False)


def test_its_page_says_what_changed_and_leads_to_the_differences(sent: Snapshot, owner: User) -> None:
    page = signed_in(owner).get(at(sent)).content.decode()
    assert page.count("Changed since") == 2
    assert page.count("Unchanged") == 7
    assert f"/projects/{sent.project_id}/sections/results/versions/1/" in page


def test_bringing_back_one_text(sent: Snapshot, project: Project, results: Section, owner: User) -> None:
    client = signed_in(owner)
    answer = client.post(at(sent, "restore/"), {"section": str(results.pk)}, follow=True)
    assert "Results was restored" in answer.content.decode()
    assert (text_of(project, "results"), text_of(project, "abstract")) == ("As sent", "Written since")
    rows = results.versions.order_by("version").values_list("kind", "latex")
    assert list(rows) == [("typed", "As sent"), ("typed", "Changed since"), ("restored", "As sent")]
    page = signed_in(owner).get(at(sent)).content.decode()
    assert (page.count("Unchanged"), page.count("Changed since")) == (len(states.snapshot_versions(sent)) - 1, 1)


def test_bringing_back_all(sent: Snapshot, project: Project, owner: User) -> None:
    newer = Section.objects.add(project, "Appendix").write("Newer than that", based_on=0, by=owner)
    answer = signed_in(owner).post(at(sent, "restore/"), follow=True).content.decode()
    assert "Abstract, Results were restored" in answer
    assert (text_of(project, "results"), text_of(project, "abstract")) == ("As sent", "")
    newer.refresh_from_db()
    assert newer.latex == "Newer than that"
    again = signed_in(owner).post(at(sent, "restore/"), follow=True).content.decode()
    assert "Nothing was changed" in again


def test_a_section_in_the_bin_stays_there(sent: Snapshot, project: Project, results: Section, owner: User) -> None:
    Section.objects.filter(pk=results.pk).update(removed_at=sent.made_at)
    states.restore(sent, by=owner)
    assert Section.everything.get(pk=results.pk).latex == "Changed since"
    with pytest.raises(Refused, match="in the bin"):
        states.restore(sent, by=owner, section=results.pk)
    page = signed_in(owner).get(at(sent)).content.decode()
    assert "In the bin" in page


def test_renaming_and_deleting_leave_the_texts(sent: Snapshot, results: Section, owner: User) -> None:
    client = signed_in(owner)
    client.post(at(sent, "rename/"), {"name": "Sent on Monday"})
    sent.refresh_from_db()
    assert sent.name == "Sent on Monday"
    page = client.post(at(sent, "delete/"), follow=True).content.decode()
    assert "“Sent on Monday” was deleted" in page
    assert not Snapshot.objects.exists()
    assert results.versions.get(version=1).latex == "As sent"


@pytest.mark.parametrize("name", ["", "   ", "x" * 121, "nul \x00"])
def test_a_name_that_cannot_be(project: Project, owner: User, name: str) -> None:
    answer = signed_in(owner).post(f"/projects/{project.pk}/snapshots/", {"name": name})
    assert answer.status_code == 422
    assert 'role="alert"' in answer.content.decode()
    assert api(signed_in(owner), "POST", f"{project.pk}/snapshots", name=name).json()["error"]["field"] == "name"
    assert not project.snapshots.exists()


def test_a_section_that_is_not_in_it(sent: Snapshot, owner: User) -> None:
    for section in ("nonsense", "00000000-0000-4000-8000-000000000000"):
        answer = signed_in(owner).post(at(sent, "restore/"), {"section": section})
        assert answer.status_code == 422
        assert 'role="alert"' in answer.content.decode()


def test_by_the_api(project: Project, results: Section, owner: User) -> None:
    client = signed_in(owner)
    made = api(client, "POST", f"{project.pk}/snapshots", name="Sent")
    assert (made.status_code, made.json()["made_by"]) == (201, owner.email)
    here = f"{project.pk}/snapshots/{made.json()['id']}"
    results.write("Changed since", based_on=1, by=owner)
    kept = {row["title"]: row for row in api(client, "GET", here).json()["sections"]}
    assert (kept["Results"]["version"], kept["Results"]["changed"], kept["Abstract"]["changed"]) == (1, True, False)
    back = api(client, "POST", f"{here}/restore", section_id=str(results.pk))
    assert back.json() == {"sections": [{"id": str(results.pk), "version": 3}]}
    assert api(client, "PATCH", here, name="Renamed").json()["name"] == "Renamed"
    assert [row["name"] for row in api(client, "GET", f"{project.pk}/snapshots").json()] == ["Renamed"]
    assert api(client, "DELETE", here).status_code == 204
    assert api(client, "GET", here).status_code == 404


def test_the_list_costs_the_same_for_many(
    project: Project, owner: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    client = signed_in(owner)
    for n in range(12):
        states.save_snapshot(project, f"State {n}", by=owner)
    with django_assert_max_num_queries(10):
        client.get(f"/projects/{project.pk}/snapshots/")
    with django_assert_max_num_queries(10):
        client.get(at(project.snapshots.all()[0]))


def test_who_may(sent: Snapshot, owner: User, reader: User, supervisor: User, outsider: User) -> None:
    everywhere = f"/projects/{sent.project_id}/snapshots/"
    for person, reads, writes in ((reader, 200, 403), (supervisor, 200, 403), (outsider, 404, 404)):
        client = signed_in(person)
        assert client.get(everywhere).status_code == client.get(at(sent)).status_code == reads
        assert client.post(everywhere, {"name": "Mine"}).status_code == writes
        for act in ("restore/", "rename/", "delete/"):
            assert client.post(at(sent, act), {"name": "Mine"}).status_code == writes
        here = f"{sent.project_id}/snapshots"
        assert api(client, "GET", here).status_code == api(client, "GET", f"{here}/{sent.pk}").status_code == reads
        for method, path in (("POST", here), ("PATCH", f"{here}/{sent.pk}"), ("POST", f"{here}/{sent.pk}/restore")):
            assert api(client, method, path, name="Mine").status_code == writes
        assert api(client, "DELETE", f"{here}/{sent.pk}").status_code == writes
    assert Client().get(everywhere)["Location"].startswith("/accounts/login/")
    for act in ("restore/", "rename/", "delete/"):
        assert signed_in(owner).get(at(sent, act)).status_code == 405
    assert signed_in(owner).post(at(sent)).status_code == 405
    assert Snapshot.objects.get().name == "Sent to Dr Iyer"
