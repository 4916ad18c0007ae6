"""Writing a draft with a model: asked as the section needs, heard as it speaks, proposed and never put in
(SPEC T3, T4, C6)."""

import threading
import time
from typing import Any

import pytest

from citations.models import Citation
from jobs.models import Job, State
from jobs.work import perform
from llm.models import Usage
from projects.models import Project, User
from sections.models import Section
from tests.servers.messages import Service, model_answer
from tests.thesis.draft_rows import TEXT, TRAILER, again, drafted, event_texts, performed, section, service, streamed
from tests.thesis.proposals import references, run_with
from thesis.drafting.limits import drafting_usage
from thesis.drafting.start import DraftRequest, start_draft
from thesis.models import Draft

__all__ = ["section", "service"]
pytestmark = pytest.mark.django_db

SAID = "Litter returns nitrogen \\cite{menon2021}.\n\nRoots do too~\\cite{holt2021}.\n"


def texts(request: dict[str, Any]) -> str:
    return "\n".join(block["text"] for message in request["messages"] for block in message["content"])


def test_a_draft_of_the_introduction(section: Section, owner: User, project: Project, service: Service) -> None:
    references(project)
    run = run_with(project, owner, 2)
    service.says(SAID + TRAILER, usage={"input_tokens": 900, "output_tokens": 120, "cache_read_input_tokens": 50})
    draft = drafted(
        section, owner, instructions="On litter.", findings=[{"run": str(run.pk), "finding_id": "F1.1-2"}],
        cite_keys=["menon2021"],
    )  # fmt: skip
    assert draft.job
    assert (draft.job.state, draft.stop_reason) == (State.DONE, "end_turn")
    assert Section.objects.get(pk=section.pk).latex == TEXT  # nothing is put in
    assert [block["latex"] for block in draft.blocks] == [
        "\n\nLitter returns nitrogen \\cite{menon2021}.",
        "\n\nRoots do too~\\cite{holt2021}.",
    ]
    assert (draft.keys, draft.bibtex[:16]) == (["menon2021", "holt2021"], "@article{holt202")
    assert Citation.objects.get(project=project, cite_key="holt2021").status == "unresolved"
    assert (draft.output_tokens, draft.reserved_tokens) == (120, 0)
    row = Usage.objects.get(subject=draft.pk)
    assert (row.role, row.model, row.output_tokens, row.cache_read_tokens) == ("draft", draft.model, 120, 50)
    # What was told while it came has no references
    assert streamed(draft) == SAID + "\n"
    assert event_texts(draft.job, "draft_done") == ["The proposal is ready: 2 paragraphs, 2 references."]
    # What was asked
    (request,) = service.requests
    system = [block["text"] for block in request["system"]]
    assert "cache_control" in request["system"][-1]
    assert system[0].startswith("You draft a part of a thesis")
    assert "The section: the introduction" in system[1]
    assert "Alder and soil" in system[2]
    assert "Forestry" in system[2]
    asked = texts(request)
    assert "Plot 2 held 2 kg of nitrogen per hectare." in asked
    assert "Plot 1 held" not in asked
    assert "Nodules fix nitrogen" in asked
    assert '"key": "menon2021"' in asked
    assert TEXT in asked
    assert "Review of literature" in asked
    assert "The writer's instructions:\nOn litter." in asked
    finding_key = next(key for key in draft.cite_keys if key != "menon2021")
    assert f'"key": "{finding_key}"' in asked


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("slug", "kind", "role"),
    [
        ("introduction", "draft", "draft"),
        ("review-of-literature", "draft", "draft"),
        ("discussion", "draft", "draft"),
        ("materials-and-methods", "draft", "draft_plain"),
        ("results", "draft", "draft_plain"),
        ("introduction", "rewrite", "draft_plain"),
        ("introduction", "continue", "draft_plain"),
    ],
)
def test_the_model_by_section(
    slug: str, kind: str, role: str, project: Project, owner: User, service: Service, settings: Any
) -> None:
    settings.LLM_MODELS = {**settings.LLM_MODELS, "draft": "strong", "draft_plain": "plain"}
    found: Section = project.sections.get(slug=slug)
    chapter = found.write("Something stands here.\n", based_on=found.version, by=owner)
    service.says("Something else stands there.\n")
    draft = drafted(chapter, owner, kind=kind, place="whole" if kind == "rewrite" else "end")
    assert (service.requests[0]["model"], draft.model) == (settings.LLM_MODELS[role],) * 2
    assert service.requests[0]["max_tokens"] == 32_000


def test_a_part_is_written_anew_and_marked(section: Section, owner: User, service: Service) -> None:
    start = TEXT.index("The soil")
    service.says("The ground is ancient.")
    draft = drafted(
        section, owner, kind="rewrite", place="range", start=start, end=start + 16, based_on=section.version
    )
    assert [(block["was"], block["latex"]) for block in draft.blocks] == [
        ("The soil is old.", "The ground is ancient.")
    ]
    asked = texts(service.requests[0])
    assert "[[[FROM HERE]]]The soil is old.[[[TO HERE]]]" in asked
    service.says("So it is.")
    draft = drafted(section, owner, kind="continue", place="range", start=start + 16, end=start + 16)
    assert [block["latex"] for block in draft.blocks] == ["The soil is old. So it is."]
    assert "The soil is old.[[[HERE]]]" in texts(service.requests[1])


def test_going_on_from_a_draft(section: Section, owner: User, service: Service) -> None:
    service.says("One way to say it.")
    first = drafted(section, owner, instructions="Begin with the roots.")
    service.says("Another way to say it.")
    second = drafted(section, owner, instructions="Now shorter.", follows=first)
    assert (second.conversation, second.follows_id) == (first.conversation, first.pk)
    messages = service.requests[1]["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant", "user"]
    assert messages[1]["content"][0]["text"] == "One way to say it."
    assert any(block["text"].endswith("Now shorter.") for block in messages[2]["content"])
    plain = [[block["text"] for block in request["messages"][0]["content"]] for request in service.requests]
    assert plain[0] == plain[1]  # what the cache holds


def test_an_answer_cut_on_its_way_is_asked_again(section: Section, owner: User, service: Service) -> None:
    service.says("A first beginning that is longer than one piece.", cut_after=5)
    service.says("The whole of it.\n")
    draft = drafted(section, owner)
    assert draft.job
    assert draft.job.state == State.DONE
    assert (draft.latex, streamed(draft)) == ("The whole of it.\n", "The whole of it.\n")
    events = draft.job.events.filter(kind="draft_text")
    assert sorted({event.details["try"] for event in events}) == [1, 2]
    assert Usage.objects.filter(subject=draft.pk).count() == 2  # both were paid for
    assert draft.output_tokens == sum(Usage.objects.filter(subject=draft.pk).values_list("output_tokens", flat=True))


def test_a_service_that_goes_away_leaves_what_came(section: Section, owner: User, service: Service) -> None:
    service.says("A beginning that is long enough. And more of", cut_after=5)
    service.fails(529, "overloaded_error", retry_after=100_000)
    draft = drafted(section, owner)
    assert draft.job
    assert draft.job.state == State.FAILED
    assert "could not be reached" in draft.job.reason
    assert "kept as a proposal" in draft.job.reason
    assert draft.blocks
    assert draft.notes[0] == "This draft is incomplete: the connection was lost."
    assert draft.reserved_tokens == 0


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("prepare", "reason"),
    [
        (lambda service: service.fails(401, "authentication_error"), "check ANTHROPIC_API_KEY"),
        (lambda service: service.says("", stop_reason="refusal", category="bio"), "declined to answer (bio)"),
        (
            lambda service: service.fails(400, "invalid_request_error", "prompt is too long: 300000 tokens"),
            "Choose fewer findings",
        ),
        (lambda service: service.says(" \n"), "answer was empty"),
        (lambda service: service.says("", stop_reason="max_tokens"), "before it wrote anything"),
        (lambda service: service.says(TRAILER), "contained no text"),
    ],
)
def test_failures_are_told_and_change_nothing(
    prepare: Any, reason: str, section: Section, owner: User, service: Service
) -> None:
    prepare(service)
    draft = drafted(section, owner)
    assert draft.job
    assert draft.job.state == State.FAILED
    assert reason in draft.job.reason
    assert "Your text was not changed." in draft.job.reason
    assert (draft.blocks, draft.reserved_tokens) == ([], 0)
    assert "sk-ant" not in draft.job.reason
    assert draft.output_tokens == sum(Usage.objects.filter(subject=draft.pk).values_list("output_tokens", flat=True))


def test_cut_off_at_the_most_tokens(section: Section, owner: User, service: Service) -> None:
    service.says("Roots hold it \\cite{menon2021,hol", stop_reason="max_tokens")
    draft = drafted(section, owner)
    assert draft.job
    assert draft.job.state == State.DONE
    assert draft.latex == "Roots hold it \\cite{menon2021}\n"
    assert draft.notes[0] == "This draft is incomplete: it reached its token limit."
    assert "unfinished key" in draft.notes[1]


@pytest.mark.django_db(transaction=True)
def test_stopped_by_a_person_in_the_middle(section: Section, owner: User, service: Service) -> None:
    service.says("Many words are coming here, slowly. " * 30, seconds=0.03)
    draft = start_draft(section, owner, DraftRequest(), enqueue=False)

    def stop() -> None:
        from django.db import connection

        job = Job.objects.get(draft=draft)
        while not job.events.filter(kind="draft_text").exists():
            time.sleep(0.02)
        job.ask("cancel")
        connection.close()

    stopper = threading.Thread(target=stop)
    stopper.start()
    perform(str(draft.job_id))
    stopper.join()
    draft = again(draft)
    assert draft.job
    assert draft.job.state == State.CANCELLED
    assert 0 < len(draft.latex) < 1000
    assert draft.latex.startswith("Many words are coming")
    assert draft.notes == ["This draft is incomplete: somebody stopped it."]
    until = time.monotonic() + 5
    while not service.dropped and time.monotonic() < until:  # the server notices with its next word
        time.sleep(0.01)
    assert (draft.reserved_tokens, service.dropped) == (0, 1)
    assert draft.output_tokens == Usage.objects.get(subject=draft.pk).output_tokens > 0


@pytest.mark.postgres
def test_a_killed_worker_is_gone_on_from(section: Section, owner: User, service: Service) -> None:
    """What the first attempt heard is counted once, and void; an answer that came is not asked for again."""
    draft = start_draft(section, owner, DraftRequest(), enqueue=False)
    assert draft.job
    Draft.objects.filter(pk=draft.pk).update(model="claude-opus-5-5")
    draft.job.emit("draft_text", "Half a sentence that nobody", details={"try": 1})
    Job.objects.filter(draft=draft).update(attempts=1, state=State.RUNNING, lease_by="gone", lease_until=None)
    Job.objects.filter(draft=draft).update(state=State.QUEUED)
    service.says("The whole sentence.\n", usage={"input_tokens": 10, "output_tokens": 5})
    draft = performed(draft)
    lost = Usage.objects.get(subject=draft.pk, is_estimate=True, stop_reason="lost")
    assert (draft.latex, streamed(draft)) == ("The whole sentence.\n", "The whole sentence.\n")
    assert draft.output_tokens == lost.output_tokens + 5
    assert lost.output_tokens == 10
    # Killed once more, behind the answer
    Job.objects.filter(draft=draft).update(state=State.QUEUED, ended_at=None)
    draft = performed(draft)
    assert draft.job
    assert draft.job.state == State.DONE
    assert len(service.requests) == 1
    assert len(event_texts(draft.job, "draft_done")) == 1
    assert draft.output_tokens == lost.output_tokens + 5


def test_a_dead_worker_and_a_cancel_keep_what_was_told(section: Section, owner: User, service: Service) -> None:
    draft = start_draft(section, owner, DraftRequest(), enqueue=False)
    assert draft.job
    assert draft.reserved_tokens == 32_000
    Draft.objects.filter(pk=draft.pk).update(model="claude-opus-5-5")
    draft.job.emit("draft_text", "A sentence that was heard. Another", details={"try": 1})
    draft.job.ask("cancel")  # nobody holds it
    draft = again(draft)
    assert draft.job
    assert draft.job.state == State.CANCELLED
    assert draft.latex == "A sentence that was heard. Another\n"
    assert "somebody stopped it" in draft.notes[0]
    assert draft.reserved_tokens == 0
    assert 0 < draft.output_tokens < 20


@pytest.mark.postgres
def test_two_drafts_of_one_section_both_finish(section: Section, owner: User, service: Service) -> None:
    service.otherwise = lambda request: model_answer("A sentence.\n")
    first, second = (start_draft(section, owner, DraftRequest(), enqueue=False) for _ in range(2))
    assert drafting_usage(section, owner).section_used == 64_000
    for draft in (first, second):
        assert performed(draft).blocks
    assert drafting_usage(section, owner).section_used == 20


def test_the_first_piece_is_told_at_once_and_the_rest_in_bursts(
    section: Section, owner: User, service: Service
) -> None:
    service.says("word " * 400, seconds=0.004)  # 84 pieces, one every 4 ms
    draft = drafted(section, owner)
    assert draft.job
    events = list(draft.job.events.filter(kind="draft_text").order_by("seq"))
    assert len(events[0].text) <= 48
    assert 2 < len(events) < 30
    gaps = [(later.at - one.at).total_seconds() for one, later in zip(events, events[1:-1], strict=False)]
    assert min(gaps) >= 0.045
    assert streamed(draft).strip() == ("word " * 400).strip()
