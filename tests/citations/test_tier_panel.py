"""Why a reference has its tier, what is wrong with it, and the ways out (SPEC C2, C4, C9, C11)."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from citations.editing.edit import attest
from citations.models import Citation
from projects.models import Project, User
from sources.retractions import Update
from tests.citations.checked_rows import CODEX, RECOVERY, check, cite, four, unchecked_row
from tests.citations.real_works import WORKS, work
from tests.people import signed_in
from tests.servers.registry_works import Holdings

Status = Citation.Status


@pytest.fixture
def rows(project: Project, owner: User, holdings: Holdings) -> dict[str, Citation]:
    found = four(project, owner)
    told = {key: row.status for key, row in found.items()}
    assert told == {
        "proven": Status.VERIFIED,
        "conflict": Status.CONFLICT,
        "missing": Status.NOT_FOUND,
        "probable": Status.REVIEW,
    }
    return found


def address(row: Citation, name: str = "detail") -> str:
    return reverse(f"citations:{name}", args=[row.project_id, row.pk])


def shown(user: User, row: Citation) -> str:
    response = signed_in(user).get(address(row))
    assert response.status_code == 200
    return response.content.decode()


def test_a_proven_one_says_what_agreed(owner: User, rows: dict[str, Citation]) -> None:
    page = shown(owner, rows["proven"])
    assert "Why tier A?" in page
    assert "Crossref knows this DOI, and title, authors and year agree." in page
    assert page.count(">Agrees<") + page.count("</svg>Agrees") >= 5
    assert "Differs" not in page
    assert "Attest" not in page, "there is nothing to vouch for"


def test_what_the_registry_put_right_stands_beside_what_was_claimed(
    owner: User, project: Project, holdings: Holdings
) -> None:
    row = unchecked_row(project, "menon", {**CODEX.csl(), "page": "1"})
    check(project, owner)
    page = shown(owner, row)
    assert 'data-says="Claimed">1<' in page
    assert 'data-says="Found">1307-1316<' in page
    assert "Differs" in page
    in_list = signed_in(owner).get(reverse("citations:list", args=[project.pk])).content.decode()
    assert "Pages corrected from 1 by the registry." in in_list


def test_a_conflict_shows_both_works_and_the_one_that_is_meant(
    owner: User, reader: User, rows: dict[str, Citation]
) -> None:
    page = shown(owner, rows["conflict"])
    for words in (
        "The identifier belongs to another work",
        "Your entry",
        "What the identifier leads to",
        "Suggested work",
        "Use this record’s DOI",
        "Use this work instead",
        "Citations of it are left out of the PDF",
        f"doi {CODEX.doi}",
        RECOVERY.title,
        "RECOVERY Collaborative Group",
        "Attest…",
        "fake",
    ):
        assert (words in page) == (words != "fake"), words
    page = shown(reader, rows["conflict"])
    assert RECOVERY.title in page
    for words in (
        '<button class="btn btn-small" type="submit"',
        "Attest…",
        "Use this record",
        address(rows["conflict"], "edit"),
    ):
        assert words not in page, words


def test_take_the_records_doi(owner: User, project: Project, rows: dict[str, Citation]) -> None:
    row = rows["conflict"]
    Citation.objects.filter(cite_key="proven").delete()
    response = signed_in(owner).post(address(row, "repair"), follow=True)
    assert response.redirect_chain[-1][0] == address(row)
    assert "Saved. The reference is being checked again." in response.content.decode()
    check(project, owner)
    row.refresh_from_db()
    assert (row.status, row.tier, row.doi) == (Status.VERIFIED, "A", CODEX.doi)


@pytest.mark.parametrize("key", ["conflict", "probable"])
def test_use_the_work_that_was_found(owner: User, project: Project, rows: dict[str, Citation], key: str) -> None:
    row = rows[key]
    before = row.bibtex
    assert signed_in(owner).post(address(row, "record")).status_code == 302
    check(project, owner)
    row.refresh_from_db()
    assert (row.status, row.tier, row.doi, row.bibtex) == (Status.VERIFIED, "A", RECOVERY.doi, before)


def test_nothing_to_take_is_said(owner: User, rows: dict[str, Citation]) -> None:
    for name in ("repair", "record"):
        response = signed_in(owner).post(address(rows["missing"], name))
        assert response.status_code == 422
        assert 'role="alert"' in response.content.decode()
    rows["missing"].refresh_from_db()
    assert rows["missing"].status == Status.NOT_FOUND


def test_a_probable_one_is_to_be_confirmed(owner: User, rows: dict[str, Citation]) -> None:
    page = shown(owner, rows["probable"])
    assert "Is this the right work?" in page
    assert "No registry knows the DOI 10.9999/none." in page
    assert "block the final export until you confirm or correct it." in page
    assert "Use this record’s DOI" in page


def test_one_that_was_not_found_says_what_helps(owner: User, supervisor: User, rows: dict[str, Citation]) -> None:
    page = shown(owner, rows["missing"])
    for words in (
        "Why tier D?",
        "Not found",
        "No registry knows the DOI 10.9999/alder.",
        "add a DOI, PMID",
        "Look up again",
    ):
        assert words in page, words
    page = shown(supervisor, rows["missing"])
    assert "Attest…" in page
    for words in ("Look up again", ">Edit<", "Delete"):
        assert words not in page, words


def test_look_again(owner: User, project: Project, rows: dict[str, Citation], holdings: Holdings) -> None:
    row = rows["missing"]
    page = signed_in(owner).post(address(row, "check_one"), follow=True).content.decode()
    assert "Checking again" in page
    assert 'hx-trigger="every 1s"' in page
    holdings.works = [*holdings.works, WORKS["jaynes1"].model_copy(update={"title": row.title, "doi": "10.9999/alder"})]
    check(project, owner)
    row.refresh_from_db()
    assert row.tier == "A"


def test_the_page_renews_itself_until_the_check_is_done(owner: User, project: Project, holdings: Holdings) -> None:
    row = unchecked_row(project, "k", CODEX.csl())
    client = signed_in(owner)
    headers = {"HX-Request": "true", "HX-Target": "entry"}
    asked = f"{address(row)}?seen={row.pk}.0"
    assert asked in client.get(address(row)).content.decode()
    assert client.get(asked, headers=headers).status_code == 204, "nothing new"
    check(project, owner)
    page = client.get(asked, headers=headers).content.decode()
    assert "<html" not in page
    assert page.lstrip().startswith('<div class="split" id="entry"')
    assert "every 1s" not in page
    assert "Why tier A?" in page


def test_a_service_that_fails_is_not_held_against_the_entry(owner: User, project: Project, holdings: Holdings) -> None:
    row = unchecked_row(project, "k", CODEX.csl())
    holdings.down = True
    check(project, owner)
    page = shown(owner, row)
    assert "did not answer and will be asked again" in page
    assert "Next try at <time" in page
    assert "Citations of it stay in your text" in page
    assert "Try again now" in page
    assert 'hx-trigger="every 15s"' in page
    assert "Not found" not in page


def test_attested_by_whom_why_and_by_what(
    owner: User, supervisor: User, reader: User, rows: dict[str, Citation]
) -> None:
    attest(rows["missing"], supervisor, "I hold the <signed> report.", "isbn", "978-1-119-53662-8")
    page = shown(owner, rows["missing"])
    for words in ("Why tier B?", "“I hold the &lt;signed&gt; report.”", "Ravi Iyer", "with the ISBN 9781119536628"):
        assert words in page, words
    assert "Withdraw" not in shown(reader, rows["missing"])
    supervisor.delete()
    assert "Attested by a former member" in shown(owner, rows["missing"])


def test_withdraw_an_attestation(supervisor: User, reader: User, rows: dict[str, Citation]) -> None:
    row = attest(rows["missing"], supervisor, "I hold it.")
    assert signed_in(reader).post(address(row, "withdraw")).status_code == 403
    assert signed_in(supervisor).post(address(row, "withdraw")).status_code == 302
    row.refresh_from_db()
    assert (row.status, row.attestation) == (Status.UNRESOLVED, "")
    assert signed_in(supervisor).post(address(row, "withdraw")).status_code == 422, "nobody vouches for it any more"


def test_notices_with_source_and_year(owner: User, project: Project, holdings: Holdings) -> None:
    notices = (
        Update(type="correction", doi="10.5555/cor.1", source="publisher", year=2020),
        Update(type="retraction", doi="10.5555/ret.1", source="retraction-watch", year=2021, note="Data <were> lost"),
    )
    holdings.works = [CODEX.model_copy(update={"updates": notices})]
    row = unchecked_row(project, "k", CODEX.csl())
    check(project, owner)
    page = shown(owner, row)
    assert "Retraction, 2021" in page
    assert "Reported by Retraction Watch, at Crossref. Data &lt;were&gt; lost." in page
    assert "Correction, 2020" in page
    assert page.index("Retraction, 2021") < page.index("Correction, 2020")
    assert "If you cite it as a retracted paper" in page
    assert "DOI and title" in page, "the proof is shown beside the retraction"


def test_a_published_version_is_offered(owner: User, project: Project, holdings: Holdings) -> None:
    final = work("Alder in mixed stands of beech", "Ibe, C.", 2021, "Forest Ecology", doi="10.5555/final.1")
    early = work(
        "Alder in mixed stands of beech", "Ibe, C.", 2020, type="article", doi="10.1101/1",
        published_version_doi="10.5555/final.1",
    )  # fmt: skip
    holdings.works = [early, final]
    row = unchecked_row(project, "k", early.csl())
    check(project, owner)
    page = shown(owner, row)
    assert "A published version is available." in page
    assert "Cite the published version" in page
    assert signed_in(owner).post(address(row, "repair")).status_code == 302
    check(project, owner)
    row.refresh_from_db()
    assert (row.tier, row.doi) == ("A", "10.5555/final.1")


def test_a_free_copy_is_linked_only_if_it_is_an_address(owner: User, rows: dict[str, Citation]) -> None:
    for address_given, is_shown in (("https://example.org/a.pdf", True), ("javascript:alert(1)", False)):
        Citation.objects.filter(pk=rows["proven"].pk).update(open_access_url=address_given)
        assert ("Free to read" in shown(owner, rows["proven"])) is is_shown


def test_where_it_is_cited(owner: User, project: Project, rows: dict[str, Citation]) -> None:
    assert "No section cites it yet." in shown(owner, rows["proven"])
    section = cite(project, "Introduction", "proven", "proven")
    page = shown(owner, rows["proven"])
    assert f'href="/projects/{project.pk}/sections/{section.slug}/">Introduction</a>, 2 times' in page
    assert "1 section still cites it" in page


def test_as_many_queries_whatever_there_is_to_show(owner: User, project: Project, rows: dict[str, Citation]) -> None:
    client = signed_in(owner)

    def queries(row: Citation) -> int:
        with CaptureQueriesContext(connection) as captured:
            client.get(address(row))
        return len(captured)

    queries(rows["missing"])  # once more than shown: what a style prints is kept
    first = queries(rows["missing"])
    attest(rows["missing"], owner, "I hold it.")
    for number in range(5):
        rows["missing"].notices.create(type="correction", year=2000 + number)
    cite(project, "Results", *(["missing"] * 20))
    assert queries(rows["missing"]) == first


def test_stored_nonsense_breaks_nothing(owner: User, rows: dict[str, Citation]) -> None:
    row = rows["proven"]
    odd: list[Any] = [
        {},
        ["x"],
        [{}],
        [{"field": None, "agrees": "yes"}],
        [{"field": "title", "claimed": 5, "found": None}],
    ]
    for diff in odd:
        Citation.objects.filter(pk=row.pk).update(diff=diff, record={"title": 7, "author": "x"}, repair={"csl": None})
        shown(owner, row)


def test_strangers_readers_and_wrong_methods(
    owner: User, outsider: User, reader: User, supervisor: User, rows: dict[str, Citation], client: Any
) -> None:
    row = rows["conflict"]
    for name in ("check_one", "repair", "record", "withdraw"):
        to = address(row, name)
        assert signed_in(outsider).post(to).status_code == 404, name
        assert signed_in(owner).get(to).status_code == 405, name
        assert signed_in(reader).post(to).status_code == 403, name
        assert client.post(to).status_code == 302, name
    for name in ("check_one", "repair", "record"):
        assert signed_in(supervisor).post(address(row, name)).status_code == 403, name
    row.refresh_from_db()
    assert (row.status, row.check_due_at) == (Status.CONFLICT, None)
    theirs = Project.objects.create_for(outsider, title="Another")
    assert signed_in(outsider).post(reverse("citations:repair", args=[theirs.pk, row.pk])).status_code == 404


def test_an_entry_nobody_asked_about(owner: User, project: Project) -> None:
    row = unchecked_row(project, "k", CODEX.csl(), check_due_at=None)
    page = shown(owner, row)
    assert "It has not been looked up yet." in page
    assert ">Look up<" in page
    assert "every" not in page.split('id="entry"')[1].split(">")[0]
    assert signed_in(owner).post(address(row, "check_one")).status_code == 302
    row.refresh_from_db()
    assert row.check_due_at is not None
    assert row.check_due_at <= timezone.now()
