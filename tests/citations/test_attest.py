"""A person vouches for a reference, with a reason (SPEC C2, C4, C5), through the API."""

from typing import Any

import pytest
from django.test import Client

from citations.models import Citation
from jobs.models import Job
from projects.models import Project, User
from tests.citations.real_works import WORKS
from tests.people import signed_in

Status = Citation.Status
REASON = "I have the printed book before me."


@pytest.fixture
def row(project: Project) -> Citation:
    """An entry that nobody knows, as a check left it."""
    citation: Citation = Citation.objects.create(
        project=project, cite_key="ibe2012", csl={"type": "book", "title": "Alder"}, title="Alder", serial=1,
        status=Status.NOT_FOUND, tier="D", reason="No work was found.",
    )  # fmt: skip
    return citation


def address(row: Citation) -> str:
    return f"/api/projects/{row.project_id}/citations/{row.pk}/attest"


def attest(browser: Client, row: Citation, **data: Any) -> Any:
    return browser.post(address(row), {"reason": REASON, **data}, content_type="application/json")


@pytest.mark.parametrize("status", [Status.NOT_FOUND, Status.CONFLICT, Status.REVIEW, Status.UNRESOLVED])
def test_a_reason_lifts_every_verdict(owner: User, row: Citation, status: str) -> None:
    Citation.objects.update(status=status, tier="D" if status in ("not_found", "conflict") else "")
    answer = attest(signed_in(owner), row)
    told = answer.json()
    assert (answer.status_code, told["status"], told["tier"]) == (200, "attested", "C")
    assert (told["attestation"]["by"], told["attestation"]["reason"]) == ("Asha Menon", REASON)
    assert told["evidence"] == {"type": "manual", "value": ""}
    row.refresh_from_db()
    assert (row.attested_by, row.attestation, row.check_due_at) == (owner, REASON, None)
    assert row.attested_at
    assert row.reason == "No work was found."  # what the registries said stays to be read


@pytest.mark.parametrize(
    ("kind", "value", "kept"),
    [
        ("isbn", "ISBN 978-0-521-31419-0", "9780521314190"),
        ("url", " https://example.org/alder?x=1 ", "https://example.org/alder?x=1"),
    ],
)
def test_an_isbn_or_an_address_is_tier_b(owner: User, row: Citation, kind: str, value: str, kept: str) -> None:
    told = attest(signed_in(owner), row, evidence_type=kind, evidence_value=value).json()
    assert (told["tier"], told["evidence"]) == ("B", {"type": kind, "value": kept})


@pytest.mark.parametrize(
    ("data", "field", "words"),
    [
        ({"reason": " \n"}, "reason", "Explain why"),
        ({"reason": "a" * 2_001}, "reason", "2000"),
        ({"reason": "a\0b"}, "reason", "cannot be stored"),
        ({"evidence_type": "doi", "evidence_value": WORKS["codex"].doi}, "evidence_type", "isbn"),
        ({"evidence_type": "isbn", "evidence_value": "978-0-521-31419-1"}, "evidence_value", "not a valid ISBN"),
        ({"evidence_type": "url", "evidence_value": "javascript:alert(1)"}, "evidence_value", "https://"),
        ({"evidence_type": "url", "evidence_value": ""}, "evidence_value", "https://"),
        ({"evidence_value": "a" * 1_001}, "evidence_value", "1000"),
    ],
)
def test_what_is_no_attestation(owner: User, row: Citation, data: dict[str, str], field: str, words: str) -> None:
    answer = attest(signed_in(owner), row, **data)
    error = answer.json()["error"]
    assert (answer.status_code, error["field"]) == (422, field)
    assert words in error["message"]
    row.refresh_from_db()
    assert (row.status, row.attested_at) == (Status.NOT_FOUND, None)


def test_what_is_proven_needs_no_word(owner: User, row: Citation) -> None:
    Citation.objects.update(status=Status.VERIFIED, tier="A")
    answer = attest(signed_in(owner), row)
    assert answer.status_code == 422
    assert "already proven" in answer.json()["error"]["message"]


def test_taking_it_back_has_the_entry_checked(owner: User, row: Citation) -> None:
    attest(signed_in(owner), row)
    answer = signed_in(owner).delete(address(row))
    told = answer.json()
    assert (answer.status_code, told["status"], told["tier"], told["attestation"]) == (200, "unresolved", "", None)
    assert told["check_due_at"]
    assert Job.objects.get().kind == "check"
    assert signed_in(owner).delete(address(row)).status_code == 422


def test_who_may(outsider: User, reader: User, editor: User, supervisor: User, row: Citation) -> None:
    assert attest(signed_in(outsider), row).status_code == 404
    assert attest(Client(), row).status_code == 401
    assert attest(signed_in(reader), row).status_code == 403
    assert signed_in(reader).delete(address(row)).status_code == 403
    assert attest(signed_in(supervisor), row).status_code == 200
    assert attest(signed_in(editor), row).json()["attestation"]["by"] == "Edda Berg"
    assert signed_in(editor).get(address(row)).status_code == 405


def test_an_account_that_is_gone_leaves_its_reason(owner: User, supervisor: User, row: Citation) -> None:
    attest(signed_in(supervisor), row)
    supervisor.delete()
    told = signed_in(owner).get(f"/api/projects/{row.project_id}/citations/{row.pk}").json()
    assert (told["attestation"]["by"], told["attestation"]["reason"]) == (None, REASON)
