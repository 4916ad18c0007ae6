"""The list of a thesis' references (SPEC C5, C9)."""

from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from citations.importing import import_entries
from citations.models import Citation
from projects.models import Project, User
from tests.cast import signed_in


def fill(project: Project, count: int) -> None:
    import_entries(
        project,
        "\n".join(
            f"@article{{k{number}, title = {{Work number {number}}}, author = {{Menon, Asha and Lund, Oskar}}, "
            f"journal = {{Forest Ecology}}, year = {2000 + number % 20}, doi = {{10.1000/{number}}}}}"
            for number in range(count)
        ),
    )


def page_of(user: User, project: Project, query: str = "", **headers: str) -> str:
    response = signed_in(user).get(reverse("citations:list", args=[project.pk]) + query, headers=headers)
    assert response.status_code == 200
    return response.content.decode()


def test_no_citations_yet(owner: User, reader: User, project: Project) -> None:
    page = page_of(owner, project)
    assert "No citations yet" in page
    assert 'id="import-form"' in page
    assert 'id="import-form"' not in page_of(reader, project)


def test_the_list_shows_each_work_unchecked(reader: User, project: Project) -> None:
    fill(project, 2)
    page = page_of(reader, project)
    assert "2 works. Not checked against a catalogue yet." in page
    assert page.count('data-tier="wait"') == 2
    assert "Menon and Lund, <i>Forest Ecology</i> 2000" in page
    assert "<code>k1</code>" in page
    assert 'data-opens="import"' not in page, "a reader cannot import"


def test_proof_and_trouble_have_their_badges(owner: User, project: Project) -> None:
    fill(project, 5)
    for key, status, tier in (
        ("k0", "verified", "A"),
        ("k1", "attested", "C"),
        ("k2", "conflict", "D"),
        ("k3", "not_found", "D"),
    ):
        Citation.objects.filter(cite_key=key).update(status=status, tier=tier)
    Citation.objects.filter(cite_key="k4").update(retracted=True)
    page = page_of(owner, project)
    assert "2 proven, 1 not checked yet. 1 retracted." in page
    for words in ("Verified", "Attested", "Conflict", "Not found", "Retracted"):
        assert f"{words}</span>" in page


def test_filter_by_words(owner: User, project: Project) -> None:
    fill(project, 12)
    for query, keys in (
        ("k11", {"k11"}),
        ("number 7", {"k7"}),
        ("lund 2003", {"k3"}),
        ("1000/9", {"k9"}),
        ("none", set()),
    ):
        page = page_of(owner, project, f"?q={query}", **{"HX-Request": "true", "HX-Target": "rows"})
        assert "<html" not in page
        assert page.strip().startswith('<div id="rows"')
        assert {f"k{number}" for number in range(12) if f"<code>k{number}</code>" in page} == keys
    assert "0 of 12 works match" in page


def test_odd_words_find_nothing_and_break_nothing(owner: User, project: Project) -> None:
    fill(project, 1)
    for query in ("%25", "_", "%00", "'", '"><b>', "a " * 300):
        assert "<b>" not in page_of(owner, project, f"?q={query}&page=99").split('id="rows"')[1]


def test_a_hundred_rows_a_page(owner: User, project: Project) -> None:
    fill(project, 130)
    first, second = page_of(owner, project), page_of(owner, project, "?page=2")
    assert (first.count('<a class="title"'), second.count('<a class="title"')) == (100, 30)
    assert "101 to 130 of 130" in second


def test_many_rows_take_as_many_queries_as_few(owner: User, project: Project) -> None:
    client = signed_in(owner)

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            client.get(reverse("citations:list", args=[project.pk]))
        return len(captured)

    fill(project, 3)
    few = queries()
    fill(project, 60)
    assert queries() == few


def test_strangers_and_wrong_methods(owner: User, outsider: User, project: Project, client: Any) -> None:
    address = reverse("citations:list", args=[project.pk])
    assert signed_in(outsider).get(address).status_code == 404
    assert client.get(address).status_code == 302
    assert signed_in(owner).post(address).status_code == 405


def test_the_api_lists(owner: User, outsider: User, project: Project, client: Any) -> None:
    fill(project, 3)
    address = f"/api/projects/{project.pk}/citations"
    rows = signed_in(owner).get(address).json()
    assert [row["cite_key"] for row in rows] == ["k0", "k1", "k2"]
    assert rows[0]["status"] == "unresolved"
    assert [row["cite_key"] for row in signed_in(owner).get(address, {"q": "work k1"}).json()] == ["k1"]
    assert signed_in(outsider).get(address).status_code == 404
    assert client.get(address).status_code == 401
