"""Drafts through the API: asked for, limited, read, taken, recorded, left, stopped; who may (SPEC T3, T4)."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from llm.models import Usage
from llm.result import CallUsage
from projects.models import Project, User
from sections.models import Section
from tests.people import signed_in
from tests.servers.messages import Service, model_answer
from tests.thesis.draft_rows import TEXT, drafted, performed, section, service
from tests.thesis.proposals import references, run_with
from thesis.drafting.limits import PER_SECTION, PER_THESIS, drafting_usage
from thesis.drafting.start import DraftRequest, start_draft
from thesis.models import Draft

__all__ = ["section", "service"]
pytestmark = pytest.mark.django_db


def post(user: User, path: str, **payload: Any) -> tuple[int, Any]:
    answer = signed_in(user).post(f"/api/{path}", payload, content_type="application/json")
    return answer.status_code, answer.json()


def get(user: User, path: str) -> Any:
    return signed_in(user).get(f"/api/{path}").json()


def drafts(section: Section) -> str:
    return f"sections/{section.pk}/drafts"


def test_asked_for_read_and_taken(section: Section, owner: User, service: Service) -> None:
    references(section.project)
    service.says("Roots hold it \\cite{menon2021,berg2019}.\n")
    status, made = post(owner, drafts(section), instructions="On roots.", cite_keys=["menon2021"])
    assert (status, made["state"], made["blocks"], made["place"]) == (202, "queued", [], "end")
    assert get(owner, f"sections/{section.pk}/drafting")["section_used"] == 32_000
    draft = performed(Draft.objects.get(pk=made["id"]))
    Usage.objects.filter(subject=draft.pk).update(input_tokens=100)
    found = get(owner, f"drafts/{draft.pk}")
    assert (found["state"], found["base"], found["is_offline"]) == ("done", TEXT, False)
    (block,) = found["blocks"]
    assert block["latex"] == "\n\nRoots hold it \\cite{menon2021,berg2019}."
    assert block["safe"] == "\n\nRoots hold it \\cite{menon2021}% UNRESOLVED: berg2019 — provide source or remove\n."
    assert [(one["key"], one["tier"], one["bad"]) for one in found["citations"]] == [
        ("menon2021", "A", False), ("berg2019", "D", True),
    ]  # fmt: skip
    assert found["usage"]["output_tokens"] == 10
    assert found["usage"]["input_tokens"] == 100
    (listed,) = get(owner, drafts(section))
    assert listed["id"] == made["id"]
    assert "blocks" not in listed
    status, taken = post(owner, f"drafts/{draft.pk}/take", insist=["berg2019"])
    assert status == 200
    assert taken["latex"] == "".join([TEXT.rstrip(), block["latex"], "\n"])
    assert taken["version"] == section.version + 1
    assert taken["draft"]["outcome"] == "taken"


def test_a_page_takes_it_itself(section: Section, owner: User, service: Service) -> None:
    service.says("One.\n\nTwo.\n")
    draft = drafted(section, owner)
    status, made = post(owner, f"drafts/{draft.pk}/record", numbers=[1])
    assert (status, made["outcome"], made["taken"]) == (200, "partly", [1])
    assert Section.objects.get(pk=section.pk).latex == TEXT
    assert post(owner, f"drafts/{draft.pk}/record", numbers=[9])[0] == 422
    assert post(owner, f"drafts/{draft.pk}/discard")[1]["outcome"] == "partly"
    other = start_draft(section, owner, DraftRequest(), enqueue=False)
    assert post(owner, f"drafts/{other.pk}/stop")[1]["state"] == "cancelled"
    assert post(owner, f"drafts/{other.pk}/discard")[1]["outcome"] == "discarded"
    assert post(owner, f"drafts/{other.pk}/take")[0] == 409


def test_findings_that_fit_are_chosen_where_null_is_sent(section: Section, owner: User, service: Service) -> None:
    run = run_with(section.project, owner, 3)
    service.otherwise = lambda request: model_answer("One.\n")
    status, made = post(owner, drafts(section), findings=None, instructions="Nitrogen in the soil")
    chosen = Draft.objects.get(pk=made["id"]).findings
    assert {one["finding_id"] for one in chosen} == {"F1.1-1", "F1.1-2", "F1.1-3"}
    status, made = post(owner, drafts(section), findings=[{"run": str(run.pk), "finding_id": "F1.1-2"}])
    assert [one["finding_id"] for one in Draft.objects.get(pk=made["id"]).findings] == ["F1.1-2"]
    assert Draft.objects.get(pk=made["id"]).cite_keys


def test_what_is_refused(section: Section, owner: User, outsider: User, service: Service) -> None:
    other = Project.objects.create_for(outsider, title="Another")
    theirs = run_with(other, outsider, 1)
    far: Section = section.project.sections.get(slug="discussion")
    elsewhere = Draft.objects.create(project=section.project, section=far, created_by=owner)
    for payload, field in (
        ({"instructions": "x" * 4_001}, "instructions"),
        ({"instructions": "a\0b"}, "instructions"),
        ({"findings": [{"run": str(theirs.pk), "finding_id": "F1.1-1"}]}, "findings"),
        ({"findings": [{"run": str(uuid4()), "finding_id": "F1"}]}, "findings"),
        ({"cite_keys": ["nobody1999"]}, "cite_keys"),
        ({"place": "range", "start": 5, "end": 4_000}, "end"),
        ({"place": "range", "start": 9, "end": 5}, "end"),
        ({"place": "range", "start": 5, "end": 5, "kind": "rewrite"}, "place"),
        ({"kind": "shorten"}, "place"),
        ({"kind": "findings"}, "kind"),
        ({"place": "margin"}, "place"),
        ({"follows": str(uuid4())}, "follows"),
        ({"follows": str(elsewhere.pk)}, "follows"),
    ):
        status, told = post(owner, drafts(section), **payload)
        assert (status, (told["error"]["field"] or "").split(".")[-1]) == (422, field), payload
        assert told["error"]["message"]
    status, told = post(owner, drafts(section), based_on=section.version - 1)
    assert (status, told["error"]["code"]) == (409, "stale")
    assert Draft.objects.filter(section=section).count() == 0
    assert not service.requests


@pytest.mark.parametrize(
    ("used", "aside", "elsewhere", "code", "said"),
    [
        (
            99_500,
            0,
            0,
            "section_limit",
            "This section has used its 100,000 tokens for drafting. You can always write by hand.",
        ),
        (
            40_000,
            60_000,
            0,
            "section_limit",
            "has used 40,000 of its 100,000 tokens for drafting, and 60,000 are reserved",
        ),
        (
            0,
            0,
            1_199_500,
            "thesis_limit",
            "This thesis has used its 1,200,000 tokens for drafting. You can always write by hand.",
        ),
        (0, 1_000, 1_198_500, "thesis_limit", "and 1,000 are reserved for drafts that are being written"),
    ],
)
def test_tokens_are_limited(
    used: int, aside: int, elsewhere: int, code: str, said: str, section: Section, owner: User, service: Service
) -> None:
    far = section.project.sections.get(slug="discussion")
    old = timezone.now() - timedelta(days=2)
    make = {"project": section.project, "created_by": owner, "created_at": old}
    Draft.objects.create(section=section, output_tokens=used, reserved_tokens=aside, **make)
    Draft.objects.create(section=far, output_tokens=elsewhere, **make)
    status, told = post(owner, drafts(section))
    assert (status, told["error"]["code"]) == (429, code)
    assert said in told["error"]["message"]
    shown = get(owner, f"sections/{section.pk}/drafting")
    assert shown == {
        "section_used": used + aside, "section_limit": PER_SECTION, "thesis_used": used + aside + elsewhere,
        "thesis_limit": PER_THESIS, "hour_used": 0, "hour_limit": 10, "next_at": None,
    }  # fmt: skip
    assert not service.requests


def test_a_call_may_use_what_is_left(section: Section, owner: User, service: Service) -> None:
    old = timezone.now() - timedelta(days=2)
    Draft.objects.create(
        project=section.project, section=section, created_by=owner, created_at=old, output_tokens=97_000
    )
    service.says("It ends in the mid", stop_reason="max_tokens", usage={"input_tokens": 9, "output_tokens": 3_000})
    draft = start_draft(section, owner, DraftRequest(), enqueue=False)
    assert draft.reserved_tokens == 3_000
    draft = performed(draft)
    assert service.requests[0]["max_tokens"] == 3_000
    assert draft.notes[0].startswith("This draft is incomplete")
    assert drafting_usage(section, owner).section_used == 100_000
    assert post(owner, drafts(section))[0] == 429


def test_what_other_drafts_used_meanwhile(section: Section, owner: User, service: Service) -> None:
    """Reserved anew before the call: nothing is left any more when it comes to it."""
    draft = start_draft(section, owner, DraftRequest(), enqueue=False)
    old = timezone.now() - timedelta(days=2)
    Draft.objects.create(
        project=section.project, section=section, created_by=owner, created_at=old, output_tokens=99_900
    )
    draft = performed(draft)
    assert draft.job
    assert draft.job.state == "failed"
    assert not service.requests
    assert draft.job.reason == "This section has used its 100,000 tokens for drafting. You can always write by hand."
    assert draft.reserved_tokens == 0
    assert drafting_usage(section, owner).hour_used == 0  # a draft that failed costs no turn


def test_ten_an_hour_for_each_person(section: Section, owner: User, editor: User, service: Service) -> None:
    now = timezone.now()
    make = {"project": section.project, "section": section, "created_by": owner}
    for minutes in range(5, 15):
        Draft.objects.create(created_at=now - timedelta(minutes=minutes), **make)
    Draft.objects.create(created_at=now, **{**make, "kind": "findings"})  # asks nobody
    Draft.objects.create(created_at=now - timedelta(minutes=61), **make)
    status, told = post(owner, drafts(section))
    assert (status, told["error"]["code"]) == (429, "hourly_limit")
    assert told["error"]["message"] == (
        "You have reached the limit of 10 drafts per hour. You can ask for the next one in 46 minutes. "
        "You can always write by hand."
    )
    shown = get(owner, f"sections/{section.pk}/drafting")
    assert shown["hour_used"] == 10
    assert shown["next_at"] is not None
    assert post(editor, drafts(section))[0] == 202


def test_usage_is_not_counted_for_another(section: Section, owner: User) -> None:
    draft = Draft.objects.create(project=section.project, section=section, created_by=owner)
    Usage.objects.keep(section.project, uuid4(), [CallUsage(role="draft", model="x", input_tokens=5)])
    assert get(owner, f"drafts/{draft.pk}")["usage"]["input_tokens"] == 0


def test_who_may(
    section: Section, owner: User, outsider: User, reader: User, supervisor: User, service: Service
) -> None:
    service.says("One.\n")
    draft = drafted(section, owner)
    reads = [drafts(section), f"drafts/{draft.pk}", f"sections/{section.pk}/drafting"]
    writes = [drafts(section), *(f"drafts/{draft.pk}/{act}" for act in ("take", "discard", "stop"))]
    for path in reads:
        assert signed_in(outsider).get(f"/api/{path}").status_code == 404
        assert signed_in(reader).get(f"/api/{path}").status_code == 200
        assert signed_in(owner).delete(f"/api/{path}").status_code == 405
    for path in [*writes, f"drafts/{draft.pk}/record"]:
        payload = {"numbers": [1]} if path.endswith("record") else {}
        assert post(outsider, path, **payload)[0] == 404
        for person in (reader, supervisor):
            assert post(person, path, **payload)[0] == 403
        assert signed_in(owner).put(f"/api/{path}").status_code == 405
    assert Section.objects.get(pk=section.pk).latex == TEXT
    assert signed_in(owner).get(f"/api/drafts/{uuid4()}").status_code == 404
