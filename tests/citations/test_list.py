"""The list of a thesis' references (SPEC C5, C9)."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from citations.importing.file_import import import_entries
from citations.models import Citation
from projects.models import Project, User
from tests.citations.checked_rows import cite
from tests.people import signed_in


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
    assert "2 works. Not looked up yet." in page
    assert page.count('data-tier="wait"') == 2
    assert "Menon and Lund, <i>Forest Ecology</i> 2000" in page
    assert "<code>k1</code>" in page
    assert 'data-opens="import"' not in page, "a reader cannot import"


STATES: dict[str, dict[str, Any]] = {
    "k0": {"status": "verified", "tier": "A", "evidence_type": "doi"},
    "k1": {"status": "verified", "tier": "B", "evidence_type": "isbn"},
    "k2": {"status": "attested", "tier": "C", "evidence_type": "manual", "attestation": "I hold <it>."},
    "k3": {"status": "not_found", "tier": "D", "reason": "No work with this title was found."},
    "k4": {"status": "conflict", "tier": "D", "reason": "The DOI 10.1000/4 leads to a work that does not fit."},
    "k5": {"status": "review", "reason": "Only the year fails."},
    "k6": {
        "status": "unresolved",
        "check_due_at": "2021-01-01T00:00:00Z",
        "failures": 1,
        "reason": "PubMed did not answer.",
    },
    "k7": {"retracted": True},
}


@pytest.fixture
def states(project: Project, owner: User) -> None:
    fill(project, 8)
    for key, state in STATES.items():
        Citation.objects.filter(cite_key=key).update(**state)
    Citation.objects.filter(cite_key="k2").update(attested_by=owner)


@pytest.mark.usefixtures("states")
def test_proof_and_trouble_have_their_badges(owner: User, project: Project) -> None:
    page = page_of(owner, project)
    assert '3 proven, <a href="' in page
    assert ">3 to look at</a>, the lookup of 1 failed, 1 not looked up yet. 1 retracted." in page
    for words in (
        "DOI and title",
        "ISBN",
        "Attested",
        "Not found",
        "Conflict",
        "To confirm",
        "Lookup failed",
        "Retracted",
    ):
        assert f"</svg>{words}</span>" in page, words
    assert "fake" not in page.casefold()


@pytest.mark.usefixtures("states")
def test_what_is_wrong_is_said_in_the_row(owner: User, project: Project) -> None:
    rows = dict(zip(STATES, page_of(owner, project).split('<tr id="row-')[1:], strict=True))
    for key, words in {
        "k2": "Attested by Asha Menon: “I hold &lt;it&gt;.”",
        "k3": "No work with this title was found.",
        "k4": "leads to a work that does not fit.",
        "k5": "Only the year fails.",
        "k6": "PubMed did not answer.",
        "k7": "Retracted.",
    }.items():
        assert words in rows[key], key
    assert '<p class="soft">' not in rows["k0"], "silence means proven"
    acts = {key: re.findall(r'id="act-[^>]*>(.*?)<', row) for key, row in rows.items()}
    assert acts == {
        "k0": ["Edit"], "k1": ["Edit"], "k2": ["Edit"], "k3": ["Look up"], "k4": ["Compare"], "k5": ["Compare"],
        "k6": ["Edit"], "k7": ["Look up"],
    }  # fmt: skip


@pytest.mark.usefixtures("states")
def test_what_each_role_may_do(supervisor: User, reader: User, project: Project) -> None:
    page = page_of(supervisor, project)
    acts = re.findall(r'id="act-[^>]*>(.*?)<', page)
    assert acts == ["Attest", "Compare", "Compare", "Attest", "Attest"]
    page = page_of(reader, project)
    for words in ('id="act-', 'data-opens="add"', 'data-opens="import"', 'form="look"', "Actions"):
        assert words not in page, words


@pytest.mark.sample(3)
@pytest.mark.usefixtures("states")
@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("a", {"k0"}), ("b", {"k1"}), ("c", {"k2"}), ("d", {"k3"}), ("conflict", {"k4"}), ("review", {"k5"}),
        ("failed", {"k6"}), ("checking", set()), ("unchecked", {"k7"}), ("retracted", {"k7"}),
        ("doubtful", {"k3", "k4", "k5"}),
        ("waiting", {"k6"}), ("", set(STATES)), ("nonsense", set(STATES)),
    ],
)  # fmt: skip
def test_filter_by_proof(owner: User, project: Project, name: str, keys: set[str]) -> None:
    page = page_of(owner, project, f"?show={name}", **{"HX-Request": "true", "HX-Target": "rows"})
    assert {key for key in STATES if f"<code>{key}</code>" in page} == keys
    buttons = dict(re.findall(r'<a id="show-(\w*)"[^>]*>[A-Z][\w ]*? (\d+)</a>', page))
    assert buttons[""] == "8"
    assert 'hx-swap-oob="true"' in page, "the buttons tell the new count and which is chosen"
    assert re.findall(r'<a id="show-(\w*)"[^>]* aria-current', page) == [name if name != "nonsense" else ""]
    if name in buttons and name:
        assert buttons[name] == str(len(keys))


@pytest.mark.usefixtures("states")
def test_words_and_proof_together(owner: User, project: Project) -> None:
    page = page_of(owner, project, "?show=doubtful&q=k4", **{"HX-Request": "true", "HX-Target": "rows"})
    assert {key for key in STATES if f"<code>{key}</code>" in page} == {"k4"}
    assert "1 of 8 works matches “k4”." in page


def test_where_each_is_cited(owner: User, project: Project) -> None:
    fill(project, 2)
    section = cite(project, "Results", "k1")
    page = page_of(owner, project)
    link = f'<a href="/projects/{project.pk}/sections/{section.slug}/">Results</a>'
    assert page.count(link) == 1
    assert link in page.split("<code>k1</code>")[1].split("</tr>")[0]


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


def test_fifty_rows_a_page(owner: User, project: Project) -> None:
    fill(project, 70)
    first, second = page_of(owner, project), page_of(owner, project, "?page=2")
    assert (first.count('<a class="title"'), second.count('<a class="title"')) == (50, 20)
    assert "51 to 70 of 70" in second


def test_rows_have_nothing_for_htmx_to_set_up(owner: User, project: Project) -> None:
    """page/plain-rows.ts removes them without telling htmx; it sets up every submit button that says it is one."""
    fill(project, 3)
    rows = page_of(owner, project).partition("<tbody data-plain-rows>")[2].partition("</tbody>")[0]
    assert rows.count('<button class="btn btn-small"') == 3
    assert "hx-" not in rows
    assert 'type="submit"' not in rows


def test_many_rows_take_as_many_queries_as_few(owner: User, project: Project) -> None:
    client = signed_in(owner)

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            client.get(reverse("citations:list", args=[project.pk]))
        return len(captured)

    fill(project, 3)
    few = queries()
    fill(project, 60)
    Citation.objects.update(status="attested", tier="C", attested_by=owner, retracted=True)
    for row in Citation.objects.all():
        row.notices.create(type="retraction", year=2020)
    cite(project, "Results", *(f"k{number}" for number in range(60)))
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
