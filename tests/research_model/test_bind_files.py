"""X2: a model takes notes of the files, part by part, and chooses among all of them;
its answers are checked in code."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from contextfiles.models import Digest
from jobs.models import Job, State
from jobs.work import perform
from projects.models import Project, User
from research.journal.provenance import log_of
from research.models import Run
from research.replay import replay
from tests.research.forest_thesis import QUESTION, researched, write
from tests.research_model.script import material, notes, reply, role_of, text_of
from tests.servers.messages import Answer, Failure, Request, Service, model_answer
from tests.start_run import start_run

pytestmark = pytest.mark.django_db

SENTENCE = "Loaf {} of the bakery held {} g of salt on the day on which it was sold.\n\n"


def long_text() -> str:
    """About 300,000 characters, which make three questions."""
    return "".join(SENTENCE.format(number, number % 97) for number in range(4_200))


def requests_of_role(service: Service, role: str) -> list[Request]:
    return [request for request in service.requests if role_of(request) == role]


def passages(request: Request) -> list[Any]:
    return material(request, "an uploaded file")[1:]  # the first line names the file


def noting(count: int) -> Callable[[Request], Answer | Failure]:
    """A model that takes so many notes of each part: the first words of its passages."""

    def answer(request: Request) -> Answer | Failure:
        if role_of(request) != "digest":
            return reply(request)
        found = [
            {"kind": "fact", "text": one["text"].splitlines()[0], "sources": [one["id"]], "why_relevant": "It tells."}
            for one in passages(request)
        ]
        return model_answer(answer={"items": found[:count]})

    return answer


def unstarted_run(project: Project, owner: User) -> Run:
    files = [file.pk for file in project.context_files.all()]
    return start_run(project, owner, QUESTION, profile="local-only", file_ids=files, enqueue=False)


@pytest.mark.long
def test_a_long_file_is_asked_of_in_parts_and_an_end_loses_one(
    forest: Project, owner: User, service: Service, tmp_path: Path
) -> None:
    """R16: the key is refused for the second of three parts; the other two are never asked again."""
    write(tmp_path, forest, owner, "bread.txt", long_text())
    is_refused = True

    def answer(request: Request) -> Answer | Failure:
        if is_refused and role_of(request) == "digest" and "Loaf 2000 of" in text_of(request):
            time.sleep(1)  # until the others are stored
            return Failure(401, "authentication_error", "invalid x-api-key", {})
        return noting(2)(request)

    service.otherwise = answer
    run = unstarted_run(forest, owner)
    perform(str(run.job_id))
    assert Job.objects.get(pk=run.job_id).state == State.WAITING
    stored = set(run.steps.filter(key__contains="/digest/").values_list("key", flat=True))
    before = len(requests_of_role(service, "digest"))
    is_refused = False
    Job.objects.get(pk=run.job_id).resume()
    perform(str(run.job_id))
    run = Run.objects.select_related("job", "context").get(pk=run.pk)
    assert run.job.state == State.DONE, run.job.reason
    assert len(requests_of_role(service, "digest")) == before + 1, "the part that was refused, and no other"
    parts = sorted(run.steps.filter(key__contains="/digest/").values_list("key", flat=True))
    assert [key.rpartition("/")[2] for key in parts] == ["1", "2", "3"]
    assert len(stored) == 2
    assert Digest.objects.filter(engine__startswith="messages-1/txt").count() == 3
    assert run.context is not None
    assert next(file for file in run.context.files if file["name"] == "bread.txt")["items"] == 6
    assert replay(log_of(run)).same
    assert researched(forest, owner).job.state == State.DONE
    assert len(requests_of_role(service, "digest")) == before + 1, "unchanged files are never digested again"


@pytest.fixture
def forest_with_bread(forest: Project, owner: User, tmp_path: Path) -> Project:
    """Four files on bread beside those on alder, of which fifteen notes can be taken each."""
    for number in range(4):
        text = "".join(f"## {row}\n\n{SENTENCE.format(row + number * 100, row)}" for row in range(15))
        write(tmp_path, forest, owner, f"bread-{number}.md", text)
    return forest


@pytest.mark.long
def test_a_model_chooses_among_too_many_notes(forest_with_bread: Project, owner: User, service: Service) -> None:
    """One question, numbers of notes only; what it says of a conflict must be borne out."""
    chosen: list[Any] = []

    def answer(request: Request) -> Answer | Failure:
        if role_of(request) != "aggregate":
            return noting(15)(request)
        chosen.extend(notes(request))
        first = [note["number"] for note in chosen if note["sources"][0].startswith("bread-0.md")]
        second = [note["number"] for note in chosen if note["sources"][0].startswith("bread-1.md")]
        conflict = {"items": [first[1], second[1]], "conflict": "Loaf 1 and loaf 101 of the bakery held 1 g of salt."}
        invented = {"items": [first[1], second[1]], "conflict": "The bakery held 999 g of salt."}
        kept = [{"items": [number], "conflict": ""} for number in [*first[:3], 9_999]]
        return model_answer(answer={"notes": [*kept, conflict, invented]})

    service.otherwise = answer
    run = researched(forest_with_bread, owner)
    assert run.job.state == State.DONE, run.job.reason
    assert len(requests_of_role(service, "aggregate")) == 1
    assert len(chosen) > 40
    assert max(len(note["text"]) for note in chosen) <= 180
    assert run.context is not None
    kept = run.context.aggregate_digest
    assert [item["kind"] for item in kept] == ["fact"] * 3 + ["conflict"]
    assert {source.partition("::")[0] for source in kept[-1]["sources"]} == {"bread-0.md", "bread-1.md"}
    assert [item["text"] for item in kept[:3]] == [
        note["text"] for note in chosen if note["sources"][0].startswith("bread-0.md")
    ][:3]
    assert run.job.events.get(kind="files_aggregated").text == f"Chose 4 notes of {len(chosen)} to work with."
    shown = [note["text"] for note in notes(requests_of_role(service, "brief")[0])]
    assert shown == [item["text"] for item in kept], "what comes after is asked with what was chosen alone"
    assert replay(log_of(run)).same


# Cut off, nothing kept, and numbers of notes that are not there.
@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "bad", ['{"notes": [{"items": [1', {"notes": []}, {"notes": [{"items": [0, 777], "conflict": ""}]}]
)
def test_a_choice_of_no_use_has_a_stand_in(forest_with_bread: Project, owner: User, service: Service, bad: Any) -> None:
    other = model_answer(bad) if isinstance(bad, str) else model_answer(answer=bad)
    service.otherwise = lambda request: other if role_of(request) == "aggregate" else noting(15)(request)
    run = researched(forest_with_bread, owner)
    assert run.job.state == State.DONE, run.job.reason
    entry = run.provenance.get(event_type="stand_in")
    assert (entry.phase, entry.details["step"]) == ("binding", "bind/aggregate")
    assert run.context is not None
    documents = {item["sources"][0].partition("::")[0] for item in run.context.aggregate_digest}
    assert len(run.context.aggregate_digest) == 40
    assert len(documents) == 6, "the offline engine represents each file"
    assert replay(log_of(run)).same


def test_few_notes_are_not_chosen_among(forest: Project, owner: User, service: Service) -> None:
    run = researched(forest, owner)
    assert run.context is not None
    assert len(run.context.aggregate_digest) == 2
    assert not requests_of_role(service, "aggregate")


@pytest.mark.long
def test_files_are_digested_at_the_same_time(forest_with_bread: Project, owner: User, service: Service) -> None:
    slow = model_answer(answer={"items": []}, seconds=0.3)
    service.otherwise = lambda request: slow if role_of(request) == "digest" else reply(request)
    run = researched(forest_with_bread, owner)
    assert run.job.state == State.DONE, run.job.reason
    assert service.most_at_once >= 4
