"""The palette (SPEC P8): what it leads to, by role, and what nobody else's thesis gives away."""

from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from citations.models import Citation
from config.command_palette import palette
from contextfiles.models import ContextFile
from projects.models import Project, User
from sections.models import Section
from tests.people import person, signed_in

pytestmark = pytest.mark.django_db


def labels(user: User, project: Project | None, words: str = "") -> dict[str, list[str]]:
    if project:
        project = Project.objects.mine(user).get(pk=project.pk)
    return {group.title: [entry.label for entry in group.entries] for group in palette(user, project, words)}


def add_reference(project: Project, number: int) -> Citation:
    csl: dict[str, Any] = {"type": "book", "title": f"Nitrogen in alder stands, volume {number}"}
    return Citation.objects.create(
        project=project, serial=number, cite_key=f"menon{number}", csl=csl, title=csl["title"]
    )


def test_words_lead_to_sections_references_pages_and_actions(project: Project, owner: User) -> None:
    add_reference(project, 1)
    assert labels(owner, project, "alder nitro") == {"Citations": ["Nitrogen in alder stands, volume 1"]}
    assert labels(owner, project, "meth")["Sections"] == ["Materials and methods"]
    assert "Import references" in labels(owner, project, "zotero")["Actions"]
    assert labels(owner, project, "pdf")["Pages"] == ["Build", "PDF"]
    assert labels(owner, project, "qqq") == {}


def test_without_words_what_was_used_last_comes_first(project: Project, owner: User) -> None:
    section = Section.objects.filter(project=project)[3]
    section.write("Some words.", based_on=section.version, by=owner)
    for here, detail in ((Project.objects.mine(owner).get(pk=project.pk), ""), (None, project.title)):
        first = palette(owner, here)[0]
        assert first.title == "Recent"
        assert (first.entries[0].label, first.entries[0].detail) == (section.title, detail)


def test_a_reader_is_led_to_reading(project: Project, reader: User) -> None:
    ContextFile.objects.create(project=project, name="alder.md", size=1)
    found = labels(reader, project, "alder")
    assert "Files" not in found, "files are open to those who write, unless the owner says otherwise"
    assert "Write" not in labels(reader, project)["Pages"]
    assert "Actions" not in labels(reader, project)
    page = signed_in(reader).get("/palette/", {"project": str(project.pk), "words": "methods"}).content.decode()
    assert f"/projects/{project.pk}/read/#s-" in page


def test_nobody_else_is_told(project: Project, owner: User, outsider: User) -> None:
    assert signed_in(outsider).get("/palette/", {"project": str(project.pk)}).status_code == 404
    assert signed_in(owner).get("/palette/", {"project": str(uuid4())}).status_code == 404
    assert signed_in(owner).get("/palette/", {"project": "no id"}).status_code == 404
    assert signed_in(owner).post("/palette/").status_code == 405
    assert project.title not in signed_in(outsider).get("/palette/").content.decode()
    stranger = person("stranger@example.org", "Stranger")
    assert "Theses" not in labels(stranger, None)


def test_the_page_works_without_scripts(project: Project, owner: User) -> None:
    page = signed_in(owner).get("/palette/", {"project": str(project.pk), "words": "<b>"}).content.decode()
    assert "Nothing found for “&lt;b&gt;”." in page
    part = signed_in(owner).get("/palette/", {"words": "account"}, headers={"HX-Request": "true"}).content.decode()
    assert "Your account" in part
    assert "<html" not in part


def test_many_references_cost_as_many_queries_as_few(project: Project, owner: User) -> None:
    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as asked:
            palette(owner, Project.objects.mine(owner).get(pk=project.pk), "alder")
        return len(asked)

    add_reference(project, 1)
    few = queries()
    for number in range(2, 40):
        add_reference(project, number)
    assert queries() == few
    assert len(labels(owner, project, "alder")["Citations"]) == 6
