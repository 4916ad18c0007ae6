"""Starting a run from the page and the API; what is wrong is said and nothing is made (R1, R2)."""

import json
import re
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django_q.models import OrmQ

from jobs.models import Job
from projects.models import Project, User
from research.models import Run
from tests.people import signed_in
from tests.research.forest_thesis import QUESTION

pytestmark = pytest.mark.django_db


def test_the_form_starts_a_run_with_the_chosen_files(
    forest: Project, owner: User, django_capture_on_commit_callbacks: Any
) -> None:
    file = forest.context_files.get(name="alder.md")
    with django_capture_on_commit_callbacks(execute=True):
        answer = signed_in(owner).post(
            reverse("research:start", args=[forest.pk]),
            {"question": f"  {QUESTION}\n", "profile": "local-only", "files": [str(file.pk)]},
        )
    run = Run.objects.get()
    assert answer["Location"] == reverse("research:run", args=[run.pk])
    assert (run.question, [bound["id"] for bound in run.files]) == (QUESTION, [str(file.pk)])
    assert run.context_processing == {"status": "pending", "files_total": 1, "files_ready": 0, "files_error": 0}
    assert OrmQ.objects.count() == 1, "handed to the worker"
    assert run.profile_config["citation_style"] == "apa", "frozen with the run"


def test_the_thesis_offers_its_own_question_until_one_was_asked(forest: Project, owner: User) -> None:
    Project.objects.filter(pk=forest.pk).update(question="Does alder help?")
    address = reverse("research:list", args=[forest.pk])
    assert b"Does alder help?" in signed_in(owner).get(address).content
    signed_in(owner).post(reverse("research:start", args=[forest.pk]), {"question": QUESTION, "profile": "local-only"})
    assert b"Does alder help?" not in signed_in(owner).get(address).content


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"question": "   "}, "Please write a question first."),
        ({"question": "x" * 20_000}, "the maximum is 4000"),
        ({"question": "Why?", "profile": "secret"}, "secret"),
        ({"question": "Why?", "files": ["nonsense"]}, "no longer in this thesis"),
        ({"question": "Why?", "files": [str(uuid4())]}, "not in this thesis"),
    ],
)
def test_bad_input_is_said_and_kept_in_the_form(forest: Project, owner: User, given: dict[str, Any], says: str) -> None:
    answer = signed_in(owner).post(reverse("research:start", args=[forest.pk]), given)
    assert answer.status_code == 422
    assert says in answer.content.decode()
    assert given["question"].strip()[:50] in answer.content.decode()
    assert not Run.objects.exists()
    assert not Job.objects.exists()


def ticked(page: str) -> dict[str, bool]:
    """The files a page offers, by id, and whether each is ticked."""
    boxes = re.findall(r'<input type="checkbox" name="files" value="([^"]+)"( checked)?>', page)
    return {file_id: bool(checked) for file_id, checked in boxes}


def test_the_files_stand_in_the_form_and_are_ticked(forest: Project, owner: User) -> None:
    page = signed_in(owner).get(reverse("research:list", args=[forest.pk])).content.decode()
    form = page[page.index("<form class") : page.index("</form>", page.index("<form class"))]
    assert ticked(form) == {str(file.pk): True for file in forest.context_files.all()}


def test_ticks_are_kept_when_something_is_wrong(forest: Project, owner: User) -> None:
    wanted, left = forest.context_files.order_by("name")
    given = {"question": " ", "files": [str(wanted.pk), str(uuid4()), "nonsense"]}
    answer = signed_in(owner).post(reverse("research:start", args=[forest.pk]), given)
    assert answer.status_code == 422
    assert ticked(answer.content.decode()) == {str(wanted.pk): True, str(left.pk): False}


def test_a_reader_may_look_and_not_start(forest: Project, reader: User) -> None:
    assert signed_in(reader).get(reverse("research:list", args=[forest.pk])).status_code == 200
    assert signed_in(reader).post(reverse("research:start", args=[forest.pk]), {"question": "Why?"}).status_code == 403


def test_get_does_not_start(forest: Project, owner: User) -> None:
    assert signed_in(owner).get(reverse("research:start", args=[forest.pk])).status_code == 405


def post(client: Client, address: str, body: object) -> Any:
    return client.post(address, json.dumps(body), content_type="application/json")


def test_the_api_starts_the_same_run(forest: Project, owner: User) -> None:
    client = signed_in(owner)
    file = forest.context_files.get(name="alder.md")
    body = {
        "question": QUESTION,
        "profile": "academic",
        "overrides": {"citation_style": "ieee"},
        "context_file_ids": [str(file.pk)],
    }
    answer = post(client, f"/api/projects/{forest.pk}/runs", body)
    assert answer.status_code == 201
    run = Run.objects.get()
    assert (answer.json()["id"], answer.json()["state"]) == (str(run.pk), "queued")
    assert run.profile_config["citation_style"] == "ieee"
    assert client.get(f"/api/projects/{forest.pk}/runs").json()[0]["id"] == str(run.pk)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "question"),
        ({"question": " "}, "question"),
        ({"question": "x" * 20_000}, "question"),
        ({"question": "Why \ud800?"}, "question"),
        ({"question": "Why?", "profile": "secret"}, "profile"),
        ({"question": "Why?", "mode": "secret"}, "mode"),
        ({"question": "Why?", "overrides": {"colour": "red"}}, "overrides"),
        ({"question": "Why?", "context_file_ids": [str(uuid4())]}, "files"),
    ],
)
def test_the_api_names_the_field(forest: Project, owner: User, body: dict[str, Any], field: str) -> None:
    answer = post(signed_in(owner), f"/api/projects/{forest.pk}/runs", body)
    assert answer.status_code == 422
    error = answer.json()["error"]
    assert error["field"] == field
    assert error["message"]
    assert not Run.objects.exists()


def test_a_legacy_mode_is_accepted_with_a_warning(forest: Project, owner: User) -> None:
    answer = post(signed_in(owner), f"/api/projects/{forest.pk}/runs", {"question": "Why?", "mode": "academic"})
    assert answer.json()["profile"] == "academic"
    assert "deprecated" in answer.json()["warnings"][0]


def test_the_form_says_where_passages_would_be_sent(forest: Project, owner: User, settings: Any) -> None:
    """X2: whoever starts a run knows before it whether their files leave this machine."""
    address = reverse("research:list", args=[forest.pk])
    passages = b"passages of your files and references are sent to"
    without = signed_in(owner).get(address).content
    assert passages not in without
    assert b"words of your question are sent to Semantic Scholar. No model is asked; your files stay here." in without
    settings.ANTHROPIC_API_KEY = "any"
    assert passages + b" Claude" in signed_in(owner).get(address).content
    settings.ANTHROPIC_BASE_URL = "http://127.0.0.1:9"
    assert b"are sent to" not in signed_in(owner).get(address).content
