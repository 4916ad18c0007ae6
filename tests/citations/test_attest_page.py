"""Vouching for a reference on its page, with a reason (SPEC C2, C5, C9)."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from citations.models import Citation
from projects.models import Project, User
from tests.citations.checked_rows import CODEX, RECOVERY, unchecked_row
from tests.people import signed_in

Status = Citation.Status
GOOD = {"reason": "I hold the signed report.", "evidence_type": "manual", "evidence_value": ""}


@pytest.fixture
def row(project: Project) -> Citation:
    return unchecked_row(project, "menon2019", CODEX.csl(), status=Status.NOT_FOUND, tier="D", check_due_at=None)


def address(row: Citation) -> str:
    return reverse("citations:attest", args=[row.project_id, row.pk])


def test_the_form_says_what_is_vouched_for(supervisor: User, row: Citation) -> None:
    page = signed_in(supervisor).get(address(row)).content.decode()
    assert CODEX.title in page
    assert "Why is this reference right?" in page
    assert "no check overwrites it" in page


def test_a_conflict_is_named_before_anybody_vouches(owner: User, row: Citation) -> None:
    Citation.objects.update(status=Status.CONFLICT, record=RECOVERY.csl())
    page = signed_in(owner).get(address(row)).content.decode()
    assert f"Its identifier leads to another work: “{RECOVERY.title}”, 2021" in page


@pytest.mark.parametrize(
    ("data", "tier", "value"),
    [
        ({}, "C", ""),
        ({"evidence_type": "isbn", "evidence_value": " 978-1-119-53662-8 "}, "B", "9781119536628"),
        ({"evidence_type": "url", "evidence_value": "https://example.org/r"}, "B", "https://example.org/r"),
    ],
)
def test_attest(supervisor: User, row: Citation, data: dict[str, str], tier: str, value: str) -> None:
    response = signed_in(supervisor).post(address(row), {**GOOD, **data}, follow=True)
    assert response.redirect_chain[-1][0] == reverse("citations:detail", args=[row.project_id, row.pk])
    page = response.content.decode()
    assert f"menon2019 was attested. It is now tier {tier}." in page
    assert "“I hold the signed report.”" in page
    assert "Ravi Iyer" in page
    row.refresh_from_db()
    assert (row.status, row.tier, row.evidence_value) == (Status.ATTESTED, tier, value)
    assert (row.attested_by, row.attestation) == (supervisor, "I hold the signed report.")
    assert row.attested_at is not None
    in_list = signed_in(supervisor).get(reverse("citations:list", args=[row.project_id])).content.decode()
    assert "Attested by Ravi Iyer: “I hold the signed report.”" in in_list


@pytest.mark.parametrize(
    ("data", "said", "at"),
    [
        ({"reason": "  "}, "Explain why this reference is right", "reason"),
        ({"reason": "x" * 2_001}, "at most 2000 characters", "reason"),
        (
            {"evidence_type": "isbn", "evidence_value": "978-1-119-53662-9"},
            "This is not a valid ISBN",
            "evidence_value",
        ),
        ({"evidence_type": "url", "evidence_value": "javascript:alert(1)"}, "A web address must", "evidence_value"),
        ({"evidence_type": "doi", "evidence_value": "10.1/1"}, "not one of the available choices", "evidence_type"),
        ({"evidence_value": "x" * 1_001}, "at most 1000 characters", "evidence_value"),
        ({"reason": "a\0b"}, "cannot be stored", "reason"),
    ],
)
def test_what_is_wrong_stands_at_its_field_and_what_was_typed_stays(
    owner: User, row: Citation, data: dict[str, str], said: str, at: str
) -> None:
    sent = {**GOOD, **data}
    response = signed_in(owner).post(address(row), sent)
    page = response.content.decode()
    assert response.status_code == 422
    assert said in page.split(f'id="id_{at}_error"')[1].split("</div>")[0]
    if at != "reason":
        assert GOOD["reason"] in page
    row.refresh_from_db()
    assert (row.status, row.attested_by) == (Status.NOT_FOUND, None)


def test_a_proven_one_needs_nobodys_word(owner: User, row: Citation) -> None:
    Citation.objects.update(status=Status.VERIFIED, tier="A")
    response = signed_in(owner).post(address(row), GOOD)
    assert response.status_code == 422
    assert "menon2019 is already proven" in response.content.decode()
    row.refresh_from_db()
    assert (row.tier, row.attestation) == ("A", "")


def test_script_in_a_reason_is_text(owner: User, row: Citation) -> None:
    page = signed_in(owner).post(address(row), {**GOOD, "reason": "<script>x</script>"}, follow=True).content.decode()
    assert "<script>x" not in page
    assert "&lt;script&gt;x" in page


def test_strangers_readers_and_wrong_methods(
    owner: User, outsider: User, reader: User, row: Citation, client: Any
) -> None:
    to = address(row)
    for send in (Client.get, Client.post):
        assert send(signed_in(outsider), to).status_code == 404
        assert send(signed_in(reader), to).status_code == 403
        assert send(client, to).status_code == 302
    assert signed_in(owner).delete(to).status_code == 405
    assert signed_in(owner).put(to).status_code == 405
    row.refresh_from_db()
    assert row.status == Status.NOT_FOUND
