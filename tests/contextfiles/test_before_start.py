"""Until somebody presses Start nothing of a file is read, indexed, or sent anywhere (SPEC X1, X7)."""

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from contextfiles.models import ContextBundle, ContextFile, Digest, FileText, NodeContextSlice
from jobs.models import Job
from jobs.work import perform
from llm.models import Usage
from projects.models import Project, User
from research.models import Passage, Run, Step
from tests.contextfiles.make_files import pdf, uploaded, word
from tests.people import signed_in
from tests.research_model.script import KEY, QUOTES, reply, role_of
from tests.servers.messages import Answer, Failure, Request, model_answer, serving

QUESTION = "What does alder do to the soil?"
FILES = {
    "notes.md": f"# Alder and the height of Douglas-fir\n\n{QUOTES[0]} {QUOTES[1]}\n".encode(),
    "paper.pdf": pdf(["Alder raised soil nitrogen by 40 kg per hectare."]),
    "protocol.docx": word(),
    "plots.csv": b"plot,nitrogen\n1,0.34\n2,0.22\n",
    "page.html": b"<html><body><h1>Alder</h1><p>Alder was planted on 14 plots.</p></body></html>",
}
HEALTHY = [
    "context_binding_parsing_started",
    *["context_binding_parsing_file_completed"] * len(FILES),
    "context_binding_parsing_completed",
    "context_for_node_ready",
    "context_routing_started",
    "context_routing_completed",
    "context_for_node_ready",
    "context_for_node_ready",
    "report_context_attached",
]


def answered(request: Request) -> Answer | Failure:
    """As the script has it, with a question that has two parts."""
    if role_of(request) != "decompose":
        return reply(request)
    parts = [
        {"topic": what, "question": f"What does alder do to the {what}?", "perspective": "", "priority": 1}
        for what in ("soil", "height of Douglas-fir")
    ]
    return model_answer(answer={"directives": parts, "rationale": "Two things are asked."})


def left_behind() -> dict[str, int]:
    """How many rows there are of whatever reading, indexing or asking leaves."""
    rows: tuple[Any, ...] = (Job, Run, Step, FileText, Digest, ContextBundle, NodeContextSlice, Passage, Usage)
    return {model.__name__: model.objects.count() for model in rows}


def upload_files(client: Client, project: Project, names: list[str], *, by_api: bool) -> None:
    files = [uploaded(name, FILES[name]) for name in names]
    page = reverse("contextfiles:upload", args=[project.pk])
    answer = client.post(f"/api/projects/{project.pk}/context-files" if by_api else page, {"files": files})
    assert answer.status_code == (201 if by_api else 302)


@pytest.mark.django_db
def test_nothing_happens_to_five_files_until_start(owner: User, project: Project, settings: Settings) -> None:
    client = signed_in(owner)
    with serving() as service:
        service.otherwise = answered
        settings.ANTHROPIC_API_KEY, settings.ANTHROPIC_BASE_URL = KEY, service.url
        names = list(FILES)
        upload_files(client, project, names[:3], by_api=False)
        upload_files(client, project, names[3:], by_api=True)
        for page in ("contextfiles:list", "research:list"):
            assert client.get(reverse(page, args=[project.pk])).status_code == 200
        for file in ContextFile.objects.all():
            assert (
                "has not been read yet"
                in client.get(reverse("contextfiles:file", args=[project.pk, file.pk])).content.decode()
            )
        assert set(ContextFile.objects.values_list("name", "status")) == {(name, "stored") for name in FILES}
        assert set(left_behind().values()) == {0}
        assert service.requests == []

        ids = [str(pk) for pk in ContextFile.objects.values_list("pk", flat=True)]
        body = json.dumps({"question": QUESTION, "profile": "local-only", "context_file_ids": ids})
        started = client.post(f"/api/projects/{project.pk}/runs", body, content_type="application/json").json()
        assert (Job.objects.count(), service.requests) == (1, []), "a request only hands it to a worker"
        perform(started["job_id"])
        assert service.requests
    job = Job.objects.get()
    assert job.state == "done", job.reason
    assert FileText.objects.count() == ContextFile.objects.filter(status="ready").count() == len(FILES)
    told = job.events.filter(kind__in=[*HEALTHY, "context_routing_failed"]).order_by("seq")
    assert list(told.values_list("kind", flat=True)) == HEALTHY
    state = client.get(f"/api/runs/{started['id']}").json()
    assert state["context_processing"] == {
        "status": "ready", "files_total": len(FILES), "files_ready": len(FILES), "files_error": 0,
    }  # fmt: skip
    assert [file["status"] for file in state["context"]["files"]] == ["ready"] * len(FILES)
    assert [node["context_slice"]["mode"] for node in state["nodes"]] == ["root", "routed", "routed"]
