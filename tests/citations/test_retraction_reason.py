"""Why a retracted work is cited: page, API, audit, and what ends a reason (SPEC C11)."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from citations.audit.audit import audit_project
from citations.editing.edit import edit
from citations.models import Citation, RetractionNotice, explain_retraction, is_explained
from citations.resolution.check_job import check_again
from core.errors import Refused
from projects.models import Project, User
from sources.retractions import Update
from tests.citations.checked_rows import CODEX, check, cite, unchecked_row
from tests.people import signed_in
from tests.servers.registry_works import Holdings

REASON = "It is the retracted trial that this chapter is about."


@pytest.fixture
def row(project: Project) -> Citation:
    """A proven work in use, retracted by one notice."""
    made: Citation = Citation.objects.create(
        project=project,
        cite_key="codex",
        title="Alder",
        csl={"title": "Alder"},
        status="verified",
        tier="A",
        retracted=True,
    )
    RetractionNotice.objects.create(citation=made, type="retraction", doi="10.5555/Ret.1", year=2021)
    RetractionNotice.objects.create(citation=made, type="correction", doi="10.5555/cor.1", year=2020)
    cite(project, "Introduction", "codex")
    return made


def page_of(user: User, row: Citation) -> str:
    return str(signed_in(user).get(reverse("citations:detail", args=[row.project_id, row.pk])).content.decode())


def put(browser: Client, row: Citation, reason: str) -> Any:
    address = f"/api/projects/{row.project_id}/citations/{row.pk}/retraction"
    return browser.put(address, {"reason": reason}, content_type="application/json")


def in_audit(row: Citation) -> str | None:
    [one] = audit_project(Project.objects.get(pk=row.project_id)).retracted
    return one.entry.reason.text if one.entry.reason else None


def test_the_page_asks_and_keeps_the_reason(owner: User, row: Citation) -> None:
    words = "The final export is blocked until the owner, an editor or a supervisor gives a reason."
    assert words in page_of(owner, row)
    address = reverse("citations:retraction", args=[row.project_id, row.pk])
    assert signed_in(owner).post(address, {"reason": f" {REASON} "}).status_code == 302
    page = page_of(owner, row)
    assert f"“{REASON}”" in page
    assert "The final export waits" not in page
    row.refresh_from_db()
    assert (row.retraction_reason, row.retraction_reason_by) == (REASON, owner)
    assert row.retraction_reason_at
    assert in_audit(row) == REASON
    withdraw = reverse("citations:withdraw_reason", args=[row.project_id, row.pk])
    assert signed_in(owner).post(withdraw).status_code == 302
    assert in_audit(row) is None
    assert signed_in(owner).post(withdraw).status_code == 422, "there is none any more"


def test_what_is_refused_stays_in_the_box(owner: User, row: Citation) -> None:
    address = reverse("citations:retraction", args=[row.project_id, row.pk])
    long = "alder " * 400
    answer = signed_in(owner).post(address, {"reason": long})
    assert answer.status_code == 422
    assert long.strip() in answer.content.decode()
    assert "A reason can have at most 2,000 characters." in answer.content.decode()
    for reason, code in (("  ", "empty"), ("a\0b", None)):
        told = put(signed_in(owner), row, reason)
        assert told.status_code == 422
        assert code is None or told.json()["error"]["code"] == code
    Citation.objects.update(retracted=False)
    assert put(signed_in(owner), row, REASON).json()["error"]["code"] == "not_retracted"


def test_who_may(
    owner: User, editor: User, supervisor: User, reader: User, outsider: User, client: Client, row: Citation
) -> None:
    page = reverse("citations:retraction", args=[row.project_id, row.pk])
    for person, status in ((outsider, 404), (reader, 403), (supervisor, 200), (editor, 200), (owner, 200)):
        assert put(signed_in(person), row, REASON).status_code == status, person
        assert signed_in(person).post(page, {"reason": REASON}).status_code == (302 if status == 200 else status)
    assert client.post(page, {"reason": REASON}).status_code == 302
    assert "Save reason" not in page_of(reader, row)
    assert REASON in page_of(reader, row)
    told = signed_in(reader).get(f"/api/projects/{row.project_id}/citations/{row.pk}").json()["retraction_reason"]
    assert (told["by"], told["reason"], told["covers"]) == ("Asha Menon", REASON, True)


def test_a_reason_covers_the_notices_that_were_known(owner: User, row: Citation) -> None:
    explain_retraction(row, owner, REASON)
    RetractionNotice.objects.create(citation=row, type="expression_of_concern", doi="10.5555/eoc.1")
    RetractionNotice.objects.filter(doi="10.5555/Ret.1").update(doi="10.5555/RET.1", pmid="123")
    row.refresh_from_db()
    assert is_explained(row), "the same notice, told by another service, and one that retracts nothing"
    RetractionNotice.objects.create(citation=row, type="retraction", doi="10.5555/ret.2", year=2024)
    assert in_audit(row) is None
    page = page_of(owner, row)
    assert REASON in page
    assert "A newer retraction notice was found" in page
    told = signed_in(owner).get(f"/api/projects/{row.project_id}/citations/{row.pk}").json()["retraction_reason"]
    assert told["covers"] is False
    explain_retraction(row, owner, "Both notices are discussed.")
    assert in_audit(row) == "Both notices are discussed."


def test_a_check_that_brings_the_first_notice_ends_the_reason(
    owner: User, project: Project, holdings: Holdings
) -> None:
    """Given for a work whose title alone said that it was retracted, or when only a concern was known."""
    retraction = Update(type="retraction", doi="10.5555/ret.1", source="publisher", year=2021)
    holdings.works = [CODEX.model_copy(update={"updates": (retraction,)})]
    row = unchecked_row(project, "k", CODEX.csl(), retracted=True)
    explain_retraction(row, owner, REASON)
    check(project, owner)
    row.refresh_from_db()
    assert row.retracted
    assert row.retraction_reason == REASON
    assert not is_explained(row)
    explain_retraction(row, owner, "The notice is discussed.")
    check_again(project, [row], owner)
    check(project, owner)
    row.refresh_from_db()
    assert is_explained(row), "the same notice once more"


def test_no_reason_before_there_is_a_retraction(owner: User, row: Citation) -> None:
    """A reason for an expression of concern cannot be given, so none covers a later retraction."""
    Citation.objects.update(retracted=False)
    RetractionNotice.objects.all().update(type="expression_of_concern")
    with pytest.raises(Refused):
        explain_retraction(row, owner, REASON)


def test_another_work_under_the_key_has_no_reason(owner: User, row: Citation) -> None:
    explain_retraction(row, owner, REASON)
    edit(row, "@article{codex, title = {Beetles of dry forests}, author = {Ibe, Chidi}, year = 2012}", owner)
    row.refresh_from_db()
    assert (row.retraction_reason, row.retraction_reason_at) == ("", None)


def test_the_audit_lists_it(owner: User, row: Citation) -> None:
    browser = signed_in(owner)
    card = browser.get(reverse("citations:audit", args=[row.project_id])).content.decode()
    assert "1 retracted work in use" in card
    assert f'href="{reverse("citations:detail", args=[row.project_id, row.pk])}#retraction">give a reason' in card
    told = browser.get(f"/api/projects/{row.project_id}/citations/audit").json()
    assert [(one["cite_key"], one["reason"]) for one in told["retracted_in_use"]] == [("codex", None)]
    explain_retraction(row, owner, REASON)
    card = browser.get(reverse("citations:audit", args=[row.project_id])).content.decode()
    assert "1 retracted work cited with a reason" in card
    assert f"(“{REASON}”)" in card
    told = browser.get(f"/api/projects/{row.project_id}/citations/audit").json()
    assert told["retracted_in_use"][0]["reason"] == REASON
