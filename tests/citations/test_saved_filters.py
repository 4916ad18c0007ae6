"""Filters of the list saved under a name, and the orders of the list (SPEC C9)."""

from typing import Any

import pytest
from django.urls import reverse

from citations.importing.file_import import import_entries
from citations.library.list_filter import SORTS, ListFilter
from citations.library.saved_filters import save_filter
from citations.library.tags import add_tags
from citations.models import Citation, SavedFilter, Tag
from core.errors import Refused
from projects.models import Project, User
from tests.people import signed_in

ENTRIES = """
@article{b, title={Alder and soil}, author={Menon, Asha}, year={2019}}
@article{a, title={Oak in drought}, author={ibe, Chidi}, year={2021}}
@article{c, title={beech on lime}, year={2020}}
@article{d, title={Undated ash}, author={Lund, Oskar}}
"""


@pytest.fixture
def works(project: Project) -> None:
    import_entries(project, ENTRIES)


def saved(user: User, project: Project, **values: Any) -> Any:
    return signed_in(user).post(reverse("citations:filters", args=[project.pk]), values, follow=True)


@pytest.mark.usefixtures("works")
@pytest.mark.parametrize(
    ("sort", "keys"), [("", "bacd"), ("author", "adbc"), ("year", "acbd"), ("title", "bcad"), ("key", "abcd")]
)
def test_the_orders_of_the_list(project: Project, sort: str, keys: str) -> None:
    assert sort in SORTS
    shown = ListFilter(sort=sort).of(Citation.objects.filter(project=project))
    assert "".join(row.cite_key for row in shown) == keys


@pytest.mark.usefixtures("works")
def test_saved_listed_shown_and_deleted(owner: User, reader: User, project: Project) -> None:
    add_tags(project, project.citations.values_list("pk", flat=True), ["Soil"])
    tag = Tag.objects.get()
    saved(owner, project, name="Old soil", q="alder", show="unchecked", tag=tag.pk, sort="year")
    found = SavedFilter.objects.get()
    query = f"show=unchecked&q=alder&tag={tag.pk}&sort=year"
    page = signed_in(reader).get(reverse("citations:list", args=[project.pk])).content.decode()
    assert f'?{query.replace("&", "&amp;")}">Old soil</a>' in page
    assert "Delete the filter" not in page
    page = signed_in(owner).get(f"{reverse('citations:list', args=[project.pk])}?{query}").content.decode()
    assert 'aria-current="true">Old soil</a>' in page
    signed_in(owner).post(reverse("citations:filter_delete", args=[project.pk, found.pk]))
    assert not SavedFilter.objects.exists()
    assert project.citations.count() == 4


@pytest.mark.usefixtures("works")
def test_a_filter_goes_with_its_tag(project: Project) -> None:
    add_tags(project, project.citations.values_list("pk", flat=True), ["Soil"])
    save_filter(project, "Soil", ListFilter(tag=Tag.objects.get().pk))
    Tag.objects.get().delete()
    assert not SavedFilter.objects.exists(), "without its tag it would show everything"


@pytest.mark.parametrize(
    ("name", "shown", "says"),
    [
        ("", ListFilter(q="a"), "Write a name."),
        ("x" * 10_000, ListFilter(q="a"), "at most 60"),
        ("All", ListFilter(), "This is the whole list."),
        ("alder", ListFilter(q="a"), "already a filter “Alder”"),
        ("Tag", ListFilter(tag=404), "does not exist any more"),
    ],
)
def test_what_is_not_saved(project: Project, name: str, shown: ListFilter, says: str) -> None:
    save_filter(project, "Alder", ListFilter(q="alder"))
    with pytest.raises(Refused, match=says):
        save_filter(project, name, shown)
    assert SavedFilter.objects.count() == 1


def test_the_page_says_what_is_wrong_and_keeps_the_list(owner: User, project: Project) -> None:
    import_entries(project, ENTRIES)
    page = saved(owner, project, name=" ", q="alder").content.decode()
    assert "Write a name." in page
    assert 'value="alder"' in page


def test_the_api_and_who_may(owner: User, reader: User, outsider: User, project: Project) -> None:
    base = f"/api/projects/{project.pk}/citations/filters"
    body = {"name": "Disproven", "show": "d"}
    made = signed_in(owner).post(base, body, content_type="application/json")
    assert made.status_code == 201
    assert made.json()["query"] == "show=d"
    assert [one["name"] for one in signed_in(reader).get(base).json()] == ["Disproven"]
    one = f"{base}/{made.json()['id']}"
    page = reverse("citations:filter_delete", args=[project.pk, made.json()["id"]])
    for person, status in ((reader, 403), (outsider, 404)):
        assert signed_in(person).post(base, body, content_type="application/json").status_code == status
        assert signed_in(person).delete(one).status_code == status
        assert signed_in(person).post(page).status_code == status
        assert saved(person, project, name="Mine", q="a").status_code == status
    assert signed_in(owner).get(page).status_code == 405
    assert signed_in(owner).get(reverse("citations:filters", args=[project.pk])).status_code == 405
    assert signed_in(owner).delete(one).status_code == 204
