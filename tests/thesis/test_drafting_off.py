"""Drafting switched off by the owner or the site:
nothing is drafted or taken any more, and what was stays listed (SPEC T9)."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from pytest_django import Settings

from jobs.models import State
from projects.access import switch_drafting
from projects.models import OFF_FOR_SITE, OFF_FOR_THESIS, Project, User
from sections.models import Section
from tests.people import editor, outsider, reader, signed_in
from tests.servers.messages import Service
from tests.thesis.accepted_drafts import SECOND, accepted_draft, entries, proposal, text
from tests.thesis.draft_rows import TEXT, again, performed, section, service
from tests.thesis.proposals import run_with
from thesis.drafting.accept import accept_blocks
from thesis.drafting.proposal import insert_as_proposal
from thesis.drafting.start import DraftRequest, start_draft
from thesis.insert.findings import findings_insertion
from thesis.models import Draft

__all__ = ["editor", "outsider", "reader", "section", "service"]
pytestmark = pytest.mark.django_db


def switched(user: User, project: Project, enabled: str) -> int:
    return signed_in(user).post(reverse("projects:drafting", args=[project.pk]), {"enabled": enabled}).status_code


def test_only_the_owner_switches_it(project: Project, owner: User, editor: User, reader: User, outsider: User) -> None:
    for user, status in ((editor, 403), (reader, 403), (outsider, 404)):
        assert switched(user, project, "no") == status
        patched = signed_in(user).patch(
            f"/api/projects/{project.pk}", json.dumps({"drafting_enabled": False}), content_type="application/json"
        )
        assert patched.status_code == status
    assert Project.objects.get(pk=project.pk).drafting_enabled
    assert switched(owner, project, "no") == 302
    assert not Project.objects.get(pk=project.pk).drafting_enabled
    client = signed_in(owner)
    assert "Switch drafting on" in client.get(reverse("projects:settings", args=[project.pk])).content.decode()
    assert client.get(reverse("projects:drafting", args=[project.pk])).status_code == 405
    out = client.patch(
        f"/api/projects/{project.pk}", json.dumps({"drafting_enabled": True}), content_type="application/json"
    ).json()
    assert (out["drafting_enabled"], out["why_not_drafting"]) == (True, "")
    assert Project.objects.get(pk=project.pk).drafting_enabled


@pytest.fixture(params=["thesis", "site"])
def off_message(request: Any, settings: Settings, project: Project) -> str:
    """Why nothing is drafted; calling it is not needed: it is switched off."""
    if request.param == "site":
        settings.DRAFTING = False
        return OFF_FOR_SITE
    switch_drafting(project, enabled=False)
    return OFF_FOR_THESIS


def test_the_panel_the_api_and_the_command_say_so(
    off_message: str, section: Section, project: Project, owner: User
) -> None:
    client = signed_in(owner)
    panel = client.get(reverse("thesis:draft_panel", args=[project.pk, section.slug])).content.decode()
    assert off_message in panel
    assert "Draft this section" not in panel
    assert "Find support for a sentence" in panel  # research is no drafting
    start = client.post(reverse("thesis:draft_start", args=[project.pk, section.slug]), {"way": "end"})
    assert start.status_code == 403
    answer = client.post(f"/api/sections/{section.pk}/drafts", "{}", content_type="application/json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "drafting_off")
    assert answer.json()["error"]["message"] == off_message
    with pytest.raises(CommandError) as error:
        call_command("draft_section", str(project.pk), section.slug, stdout=StringIO(), stderr=StringIO())
    assert (str(error.value), error.value.returncode) == (off_message, 2)
    assert not Draft.objects.exists()


def test_no_buttons_in_the_editor(off_message: str, section: Section, project: Project, owner: User) -> None:
    html = signed_in(owner).get(reverse("sections:section", args=[project.pk, section.slug])).content.decode()
    for way in ("rewrite", "shorten", "continue"):
        assert f'data-draft="{way}"' not in html
    assert 'data-draft="support"' in html


def test_what_waits_is_not_taken_and_what_was_taken_stays_listed(
    section: Section, project: Project, owner: User
) -> None:
    accepted_draft(section, owner, "A first paragraph that a model wrote about the soil.")
    draft = proposal(section, owner, SECOND)
    before = text(section)
    switch_drafting(project, enabled=False)
    client = signed_in(owner)
    answer = client.post(f"/api/drafts/{draft.pk}/take", "{}", content_type="application/json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "drafting_off")
    assert client.post(reverse("thesis:draft_take", args=[draft.pk])).status_code == 403
    html = client.get(reverse("thesis:draft", args=[draft.pk]), {"conversation": 1}).content.decode()
    assert "data-take-all" not in html
    assert OFF_FOR_THESIS in html
    assert text(section) == before
    assert len(entries(project)) == 1
    # A page that had put it in before it heard of this
    recorded = client.post(f"/api/drafts/{draft.pk}/record", '{"numbers": [1]}', content_type="application/json")
    assert (recorded.status_code, again(draft).taken) == (200, [1])


def test_findings_can_still_be_put_in(off_message: str, section: Section, project: Project, owner: User) -> None:
    run = run_with(project, owner, 1)
    draft = insert_as_proposal(
        section, owner, findings_insertion(section.project, [{"run": str(run.pk), "finding_id": "F1.1-1"}])
    )
    accept_blocks(draft, owner)
    assert "Plot 1 held" in text(section)


def test_one_that_was_asked_for_before_is_not_written(
    section: Section, project: Project, owner: User, service: Service
) -> None:
    service.says("Words of a model.\n")
    draft = start_draft(section, owner, DraftRequest(), enqueue=False)
    switch_drafting(project, enabled=False)
    draft = performed(draft)
    assert draft.job
    assert (draft.job.state, draft.answer) == (State.FAILED, "")
    assert OFF_FOR_THESIS in draft.job.reason
    assert service.requests == []
    assert text(section) == TEXT
