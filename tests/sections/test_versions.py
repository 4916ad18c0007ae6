"""SPEC T2: what a section was before can be read and brought back."""

import pytest
from django.test import Client

from projects.models import Project, User
from sections.models import Section
from tests.cast import signed_in


@pytest.fixture
def results(project: Project, owner: User, editor: User) -> Section:
    section: Section = project.sections.get(slug="results")
    section = section.write("First text", based_on=0, by=owner)
    return section.write("Second text", based_on=1, by=editor)


def address(section: Section, version: int) -> str:
    return f"/projects/{section.project_id}/sections/{section.slug}/versions/{version}/"


def test_the_last_ten_are_listed_with_who_and_when(results: Section, owner: User) -> None:
    for n in range(2, 12):
        results.write(f"Text {n}", based_on=n, by=owner)
    page = signed_in(owner).get(f"/projects/{results.project_id}/sections/results/").content.decode()
    assert ">Version 12<" in page
    assert ">Version 3<" in page
    assert ">Version 2<" not in page
    assert "Asha Menon <time" in page


def test_an_earlier_text_can_be_read(results: Section, reader: User) -> None:
    page = signed_in(reader).get(address(results, 1)).content.decode()
    assert "First text" in page
    assert "Make this the text again" not in page


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
