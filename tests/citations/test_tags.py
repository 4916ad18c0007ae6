"""Tags of references: given, renamed, deleted, made of keywords (SPEC C9, C10)."""

import html
import json
import re
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from citations.editing.duplicates import merge
from citations.importing.file_import import import_entries
from citations.library.list_filter import ListFilter
from citations.library.tags import (
    add_tags,
    clean_tag,
    keywords_of,
    make_tags_of_keywords,
    remove_tags,
    rename_tag,
    set_tags,
    tags_by_citation,
)
from citations.models import Citation, Tag
from core.errors import Refused
from projects.models import Project, User
from tests.citations.checked_rows import unchecked_row
from tests.people import signed_in

ENTRIES = """
@article{alder, title={Alder and soil}, author={Menon, Asha}, year={2019}, keywords={Nitrogen, soil; alder}}
@article{beech, title={Beech on lime}, author={Lund, Oskar}, year={2020}, keywords={soil, nitrogen, %s}}
@article{oak, title={Oak in drought}, author={Ibe, Chidi}, year={2021}}
""" % ("x" * 80)


@pytest.fixture
def works(project: Project) -> dict[str, Citation]:
    import_entries(project, ENTRIES)
    return {row.cite_key: row for row in project.citations.all()}


def tagged(project: Project) -> dict[str, list[str]]:
    rows = project.citations.all()
    names = tags_by_citation([row.pk for row in rows])
    return {row.cite_key: [name for _, name in names[row.pk]] for row in rows if row.pk in names}


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("x" * 61, "at most 60 characters"),
        ("x" * 10_000, "at most 60 characters"),
        ("ﷺ" * 61, "at most 60 characters"),
        ("", "Write a name."),
        (" \u00a0 ", "Write a name."),
        ("\u200b\u200d", "Write a name."),
        ("a\nb", "control characters"),
        ("a\0b", "control characters"),
        ("a\x1b[0m", "control characters"),
        ("a\ud800", "control characters"),
        ("soil, alder", "cannot contain commas"),
    ],
)
def test_what_is_no_tag(project: Project, works: dict[str, Citation], name: str, says: str) -> None:
    with pytest.raises(Refused, match=says):
        add_tags(project, [works["oak"].pk], [name])
    assert not Tag.objects.exists()


@given(st.text(max_size=80))
def test_a_name_that_is_taken_stays_as_it_is(text: str) -> None:
    try:
        name = clean_tag(text)
    except Refused:
        return
    assert clean_tag(name) == name
    assert 0 < len(name) <= 60
    assert len(name.casefold()) <= 240


def test_capitals_do_not_make_another_tag(project: Project, works: dict[str, Citation]) -> None:
    add_tags(project, [works["oak"].pk], ["Soil", "soil", "  SOIL "])
    add_tags(project, [works["beech"].pk], ["sOIL"])
    assert tagged(project) == {"oak": ["Soil"], "beech": ["Soil"]}
    set_tags(works["oak"], ["Drought", "soil"])
    assert tagged(project)["oak"] == ["Drought", "Soil"]
    remove_tags(project, [works["oak"].pk], ["SOIL"])
    assert tagged(project) == {"oak": ["Drought"], "beech": ["Soil"]}


def test_the_page_of_a_reference_adds_and_removes(
    owner: User, reader: User, project: Project, works: dict[str, Citation]
) -> None:
    client = signed_in(owner)
    address = reverse("citations:reference_tags", args=[project.pk, works["oak"].pk])
    client.post(address, {"names": "To read, Drought", "add": "1"})
    assert tagged(project) == {"oak": ["Drought", "To read"]}
    client.post(address, {"names": "", "remove": "Drought"})
    assert tagged(project) == {"oak": ["To read"]}
    wrong = client.post(address, {"names": "x" * 10_000})
    assert wrong.status_code == 422
    assert "at most 60 characters" in wrong.content.decode()
    page = signed_in(reader).get(reverse("citations:detail", args=[project.pk, works["oak"].pk])).content.decode()
    assert "To read" in page
    assert "Remove the tag" not in page
    card = reverse("citations:card", args=[project.pk, works["oak"].pk])
    assert "To read" in client.get(card, headers={"HX-Request": "true"}).content.decode()


def test_rename_and_delete_in_one_place(owner: User, project: Project, works: dict[str, Citation]) -> None:
    add_tags(project, [works["oak"].pk, works["alder"].pk], ["Sol"])
    add_tags(project, [works["oak"].pk], ["Drought"])
    client, tag = signed_in(owner), Tag.objects.get(name="Sol")
    rename = reverse("citations:tag_rename", args=[project.pk, tag.pk])
    taken = client.post(rename, {"tag": "DROUGHT"})
    assert taken.status_code == 409
    assert "There is already a tag “Drought”." in taken.content.decode()
    long = client.post(rename, {"tag": "y" * 10_000})
    assert long.status_code == 422
    assert 'aria-invalid="true"' in long.content.decode()
    client.post(rename, {"tag": "Soil"})
    client.post(rename, {"tag": "soil"})  # only its capitals
    assert tagged(project)["alder"] == ["soil"]
    client.post(reverse("citations:tag_delete", args=[project.pk, tag.pk]))
    assert tagged(project) == {"oak": ["Drought"]}
    assert project.citations.count() == 3


def test_keywords_become_tags_only_when_asked_for(owner: User, project: Project, works: dict[str, Citation]) -> None:
    assert tagged(project) == {}
    assert [tuple(one) for one in keywords_of(project)] == [("Nitrogen", 2), ("soil", 2), ("alder", 1)]
    before = {row.cite_key: (row.bibtex, row.csl) for row in project.citations.all()}
    client = signed_in(owner)
    page = client.get(reverse("citations:tags", args=[project.pk])).content.decode()
    assert "3 keywords of imported references are no tags yet." in page
    client.post(reverse("citations:keywords", args=[project.pk]), {"keyword": ["Nitrogen", "alder"]})
    assert tagged(project) == {"alder": ["alder", "Nitrogen"], "beech": ["Nitrogen"]}
    assert {row.cite_key: (row.bibtex, row.csl) for row in project.citations.all()} == before
    assert [one.name for one in keywords_of(project)] == ["soil"]
    nothing = client.post(reverse("citations:keywords", args=[project.pk]), {})
    assert "Choose at least one keyword." in nothing.content.decode()


def test_the_list_is_filtered_by_a_tag_and_words(owner: User, project: Project, works: dict[str, Citation]) -> None:
    make_tags_of_keywords(project, ["soil"])
    tag = Tag.objects.get()
    shown = ListFilter(tag=tag.pk).of(Citation.objects.filter(project=project))
    assert [row.cite_key for row in shown] == ["alder", "beech"]
    page = signed_in(owner).get(reverse("citations:list", args=[project.pk]), {"tag": str(tag.pk), "q": "lime"})
    assert "1 of 3 works matches “lime” with the tag soil." in page.content.decode()
    odd = signed_in(owner).get(reverse("citations:list", args=[project.pk]), {"tag": "²", "sort": "x", "show": "y"})
    assert odd.status_code == 200


def test_each_filter_button_says_what_a_click_shows(owner: User, project: Project, works: dict[str, Citation]) -> None:
    make_tags_of_keywords(project, ["soil"])
    Citation.objects.filter(cite_key__in=["alder", "oak"]).update(status="verified", tier="A", check_due_at=None)
    Citation.objects.filter(cite_key="beech").update(check_due_at=None)
    client, address = signed_in(owner), reverse("citations:list", args=[project.pk])
    queries = set()
    for asked in ({}, {"tag": str(Tag.objects.get().pk)}, {"q": "oak"}, {"q": "lime", "show": "a"}):
        page = client.get(address, asked, headers={"HX-Request": "true", "HX-Target": "rows"}).content.decode()
        buttons = re.findall(r'id="show-\w*" href="(\S+?)".*?>[^<]*? ([\d,]+)</a>', page)
        assert len(buttons) == 6, "all, the tiers, and those not looked up, also while words match none of them"
        for link, holds in buttons:
            with CaptureQueriesContext(connection) as captured:
                shown = client.get(html.unescape(link)).content.decode()
            assert shown.count('<tr id="row-') == int(holds), (asked, link)
            queries.add((bool(asked), len(captured)))
    assert max(n for narrows, n in queries if narrows) <= 1 + max(n for narrows, n in queries if not narrows)


def test_a_merge_keeps_the_tags_of_both(owner: User, project: Project) -> None:
    csl = {"title": "Alder and soil in mixed stands", "author": [{"family": "Menon"}], "DOI": "10.1000/1"}
    one, other = (unchecked_row(project, key, {**csl, "type": "article-journal"}) for key in ("one", "other"))
    add_tags(project, [one.pk], ["Soil", "Alder"])
    add_tags(project, [other.pk], ["Soil", "To read"])
    kept = merge(project, owner, one.pk, other.pk)
    assert tagged(project) == {kept.cite_key: ["Alder", "Soil", "To read"]}


def test_the_api(owner: User, project: Project, works: dict[str, Citation]) -> None:
    client, base = signed_in(owner), f"/api/projects/{project.pk}/citations"

    def send(method: str, path: str, body: Any = None) -> Any:
        return client.generic(method, base + path, json.dumps(body), "application/json")

    made = send("PUT", f"/{works['oak'].pk}/tags", {"tags": ["Soil", "Drought"]}).json()
    assert [(one["name"], one["count"]) for one in made] == [("Drought", 1), ("Soil", 1)]
    tag = made[1]["id"]
    assert send("PUT", f"/tags/{tag}", {"name": "Earth"}).json()["name"] == "Earth"
    assert [one["name"] for one in client.get(f"{base}/tags").json()] == ["Drought", "Earth"]
    assert [one["cite_key"] for one in client.get(f"{base}?tag={tag}&sort=title").json()] == ["oak"]
    assert {one["name"] for one in send("POST", "/tags/keywords", {"keywords": ["alder"]}).json()} >= {"alder"}
    assert send("PUT", f"/{works['oak'].pk}/tags", {"tags": []}).json() == []
    assert send("DELETE", f"/tags/{tag}").status_code == 204
    assert send("DELETE", f"/tags/{tag}").status_code == 404


def test_who_may(owner: User, reader: User, outsider: User, project: Project, works: dict[str, Citation]) -> None:
    add_tags(project, [works["oak"].pk], ["Soil"])
    tag = Tag.objects.get()
    posts = {
        reverse("citations:tag_rename", args=[project.pk, tag.pk]): {"tag": "Mine"},
        reverse("citations:tag_delete", args=[project.pk, tag.pk]): {},
        reverse("citations:keywords", args=[project.pk]): {"keyword": "soil"},
        reverse("citations:reference_tags", args=[project.pk, works["oak"].pk]): {"names": "Mine"},
    }
    for address, body in posts.items():
        assert signed_in(reader).post(address, body).status_code == 403
        assert signed_in(outsider).post(address, body).status_code == 404
        assert signed_in(owner).get(address).status_code == 405
    page = reverse("citations:tags", args=[project.pk])
    assert signed_in(reader).get(page).status_code == 200
    assert signed_in(outsider).get(page).status_code == 404
    assert signed_in(owner).post(page).status_code == 405
    assert tagged(project) == {"oak": ["Soil"]}
    other = Project.objects.create_for(owner, title="Beech", discipline="Forestry", degree="MSc")
    crossed = reverse("citations:tag_delete", args=[other.pk, tag.pk])
    assert signed_in(owner).post(crossed).status_code == 404
    with pytest.raises(Refused):
        rename_tag(tag, "a,b")
