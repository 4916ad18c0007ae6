"""References for other programs (SPEC C3, C10): what goes out reads back with nothing lost."""

import json
from typing import Any

import pytest
from django.urls import reverse

from citations.formats.bibtex import read_bibtex
from citations.formats.csl import read_csl
from citations.importing.file_import import import_entries
from citations.models import Citation
from projects.models import Project, User
from tests.people import signed_in

BIBTEX = r"""
@string{fe = "Forest Ecology"}
@article{menon2021, title = {Alder in {COVID-19} times: 50\% \& more},
  author = {van der Menon, Asha and {Forest Group} and others},
  journal = fe, year = 2021, month = mar, volume = 12, pages = {10--19}, doi = {10.1000/a_b}, pmid = {123},
  url = {https://example.org/a_b}, abstract = {One.

  Two.}, eprint = {2101.1}}
@phdthesis{lund2020, title = {Birch}, author = {Lund, Oskar}, school = {Bergen}, year = {in press}}
"""
WORKS = [{"key": "iyer2019", "type": "webpage", "title": "Oak", "authors": [], "retracted": True, "note": "A note."}]


@pytest.fixture
def full(project: Project) -> Project:
    import_entries(project, BIBTEX)
    import_entries(project, json.dumps(WORKS))
    return project


def content(project: Project) -> list[tuple[Any, ...]]:
    names = ("cite_key", "csl", "title", "authors", "year", "doi", "pmid", "url", "note", "retracted")
    return list(Citation.objects.filter(project=project).values_list(*names))


@pytest.mark.parametrize("format", ["bibtex", "csl"])
def test_an_export_imports_with_nothing_lost(format: str, full: Project, owner: User) -> None:
    response = signed_in(owner).get(reverse("citations:export", args=[full.pk]), {"format": format})
    assert response.status_code == 200
    suffix = {"bibtex": "bib", "csl": "json"}[format]
    assert response.headers["Content-Disposition"] == f'attachment; filename="alder-and-soil.{suffix}"'
    other = Project.objects.create_for(owner, title="Another")
    imported = import_entries(other, response.content.decode())
    assert imported.problems == []
    assert content(other) == content(full)
    assert import_entries(full, response.content.decode()).updated == []


def test_the_api_exports_both_formats(full: Project, owner: User) -> None:
    client = signed_in(owner)
    address = f"/api/projects/{full.pk}/citations/export"
    assert len(read_bibtex(client.get(address).content.decode()).entries) == 3
    assert len(read_csl(client.get(address, {"format": "csl"}).content.decode()).entries) == 3
    assert client.get(address, {"format": "word"}).status_code == 422


def test_an_empty_thesis_exports_an_empty_file(project: Project, reader: User) -> None:
    response = signed_in(reader).get(reverse("citations:export", args=[project.pk]))
    assert (response.status_code, response.content) == (200, b"")


def test_strangers_and_wrong_methods(full: Project, owner: User, outsider: User, client: Any) -> None:
    page, api = reverse("citations:export", args=[full.pk]), f"/api/projects/{full.pk}/citations/export"
    assert [signed_in(outsider).get(address).status_code for address in (page, api)] == [404, 404]
    assert [client.get(address).status_code for address in (page, api)] == [302, 401]
    assert [signed_in(owner).post(address).status_code for address in (page, api)] == [405, 405]
