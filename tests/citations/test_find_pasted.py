"""What is pasted or dropped on the page of references leads to its entry, or to the form that adds it (SPEC C5)."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from citations.models import Citation
from projects.models import Project, User
from tests.people import signed_in


@pytest.fixture
def alder(project: Project) -> Citation:
    row: Citation = Citation.objects.create(
        project=project, cite_key="menon2021", title="Alder and soil nitrogen", authors="Menon", year=2021,
        doi="10.1000/alder", pmid="1234567",
    )  # fmt: skip
    Citation.objects.create(project=project, cite_key="lund2020", title="Preprint", doi="10.48550/arxiv.2101.00001")
    return row


def led(user: User, project: Project, text: str) -> tuple[str, dict[str, list[str]], str]:
    answer: Any = signed_in(user).get(f"/projects/{project.pk}/citations/find/", {"text": text})
    assert answer.status_code == 302
    parts = urlsplit(answer.url)
    return parts.path, parse_qs(parts.query), parts.fragment


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("10.1000/ALDER", "menon2021"),
        ("https://doi.org/10.1000/alder?utm_source=x", "menon2021"),
        ("Menon A. Alder and soil. 2021. doi: 10.1000/alder.", "menon2021"),
        ("PMID: 1234567", "menon2021"),
        ("https://pubmed.ncbi.nlm.nih.gov/1234567/", "menon2021"),
        ("arXiv:2101.00001", "lund2020"),
        ("https://arxiv.org/abs/2101.00001v3", "lund2020"),
    ],
)
def test_an_identifier_leads_to_its_entry(project: Project, owner: User, alder: Citation, text: str, key: str) -> None:
    row = Citation.objects.get(cite_key=key)
    path, query, fragment = led(owner, project, text)
    assert (path, query, fragment) == (f"/projects/{project.pk}/citations/", {"q": [key]}, f"work-{row.pk}")
    page = signed_in(owner).get(path, {"q": key}).content.decode()
    assert f'id="{fragment}"' in page


def test_words_filter_the_list(project: Project, owner: User, alder: Citation) -> None:
    path, query, _ = led(owner, project, "soil nitrogen")
    assert (path, query) == (f"/projects/{project.pk}/citations/", {"q": ["soil nitrogen"]})


@pytest.mark.parametrize("text", ["10.1000/new", "A title that nobody has", "10.1000/alder 10.1000/new"])
def test_what_is_not_there_is_offered_to_be_added(project: Project, owner: User, alder: Citation, text: str) -> None:
    path, query, _ = led(owner, project, text)
    assert (path, query) == (f"/projects/{project.pk}/citations/add/", {"text": [text]})
    assert text in signed_in(owner).get(path, {"text": text}).content.decode()


def test_a_reader_is_told_that_it_is_not_there(project: Project, reader: User, alder: Citation) -> None:
    path, query, _ = led(reader, project, "10.1000/new")
    assert (path, query) == (f"/projects/{project.pk}/citations/", {})
    assert led(reader, project, "10.1000/alder")[1] == {"q": ["menon2021"]}


def test_nothing_and_hostile_text(project: Project, owner: User) -> None:
    for text in ("", "  ", "\0"):
        assert led(owner, project, text)[0] == f"/projects/{project.pk}/citations/"
    path, query, _ = led(owner, project, "<script>" + "a" * 1000)
    assert path.endswith("/add/")
    assert len(query["text"][0]) == 500
    assert "<script>aaa" not in signed_in(owner).get(path, query).content.decode()


def test_who_may(project: Project, owner: User, outsider: User) -> None:
    address = f"/projects/{project.pk}/citations/find/"
    assert signed_in(outsider).get(address).status_code == 404
    assert signed_in(owner).post(address).status_code == 405
