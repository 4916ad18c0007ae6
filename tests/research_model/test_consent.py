"""Files with personal data and a model elsewhere: nothing is sent until a person has decided (SPEC X2)."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from pytest_django import Settings

from contextfiles.models import ContextFile
from core.errors import Refused
from jobs.models import Job, JobEvent, State
from jobs.work import perform
from projects.models import Project, User
from research.context import consent
from research.context.consent import LEAVE_OUT, REASON, SEND, awaits_consent, consent_note, decide, found_in
from research.journal.provenance import log_of, verify_run
from research.models import Run, Source
from research.plan.approval import resume
from research.replay import replay
from tests.people import open_data, signed_in
from tests.research.forest_thesis import ALDER, BREAD, QUESTION, researched, write
from tests.research_model.script import role_of
from tests.servers.messages import Service

pytestmark = pytest.mark.django_db

SECRETS = ("anna.muster@example.org", "756.9217.0769.85", "12.03.1954", "Muster")
LIST = f"""# Plots of red alder and who keeps them

Anna Muster, {SECRETS[0]}, born {SECRETS[2]}, AHV {SECRETS[1]}, keeps the plots of red alder. Under red alder soil
nitrogen rose by half in her notes.
"""
WORDS = "keeps the plots of red alder"  # of the same file, private to nobody
HOLDS = "1 date of birth, 1 national identity number and 1 e-mail address"


@pytest.fixture
def elsewhere(service: Service, settings: Settings) -> Service:
    """The service at an address of which nobody can tell that it is this machine, so it counts as one elsewhere."""
    settings.ANTHROPIC_BASE_URL = service.url.replace("127.0.0.1", "127.1")
    return service


@pytest.fixture
def forest_with_names(forest: Project, owner: User, tmp_path: Path) -> Project:
    """The thesis with a third file, which says who keeps the plots."""
    write(tmp_path, forest, owner, "keepers.md", LIST)
    return forest


@pytest.fixture
def run(forest_with_names: Project, owner: User, elsewhere: Service) -> Run:
    """A run that waits for a decision."""
    return researched(forest_with_names, owner, profile="general", overrides={"providers": []})


def go_on(run: Run) -> Run:
    perform(str(run.job_id))
    return Run.objects.select_related("job").get(pk=run.pk)


def page_of(run: Run) -> str:
    return reverse("research:consent", args=[run.pk])


def sent(service: Service) -> str:
    """All that was asked of the service."""
    return json.dumps(service.requests, ensure_ascii=False)


def kinds(run: Run) -> list[str]:
    return list(JobEvent.objects.filter(job=run.job_id).values_list("kind", flat=True))


def test_it_waits_before_anything_is_sent(run: Run, owner: User, elsewhere: Service) -> None:
    assert elsewhere.requests == []
    assert run.job.state == State.WAITING
    assert run.job.reason == (
        f"1 of your 3 files holds what looks like personal data: keepers.md ({HOLDS}). "
        f"Decide whether it may be sent to {run.engine}. Nothing has been sent yet."
    )
    assert awaits_consent(run)
    assert run.provenance.get(event_type="personal_data_found").details["files"] == {
        "keepers.md": {"birth_date": 1, "national_id": 1, "email": 1}
    }
    assert "context_binding_parsing_completed" in kinds(run)
    head = signed_in(owner).get(reverse("research:run", args=[run.pk])).content.decode()
    assert f'href="{page_of(run)}">Review your files</a>' in head
    assert "Resume</button>" not in head


def test_nothing_that_was_found_is_kept(run: Run, owner: User) -> None:
    """Counts only: not in rows, events, log and pages, but for the text itself and its passages."""
    page = signed_in(owner).get(page_of(run)).content.decode()
    rows = [run.job.reason, page, json.dumps(log_of(run)), *run.job.events.values_list("text", flat=True)]
    rows += [json.dumps(row) for row in run.job.events.values_list("details", flat=True)]
    rows += [json.dumps(step) for step in run.steps.values_list("response", flat=True)]
    for secret in SECRETS:
        assert not [row for row in rows if secret in row], secret


def test_the_page_says_what_would_be_sent_where(run: Run, owner: User, elsewhere: Service) -> None:
    page = signed_in(owner).get(page_of(run)).content.decode()
    assert "keepers.md" in page
    assert "alder.md" not in page
    assert HOLDS in page
    assert f"<b>{run.engine}</b>" in page
    assert elsewhere.url.replace("http://127.0.0.1", " at 127.1") in page
    assert [page.count(f">{way}<") for way in ("Send this file anyway", "Leave this file out")] == [1, 1]
    assert "Stop the run" in page


def test_sent_all_the_same(run: Run, owner: User, elsewhere: Service) -> None:
    answer = signed_in(owner).post(page_of(run), {"do": SEND})
    assert answer["Location"] == reverse("research:run", args=[run.pk])
    done = go_on(run)
    assert done.job.state == State.DONE, done.job.reason
    assert done.consent.items() >= {"by": "Asha Menon", "decision": SEND}.items()
    assert done.consent["files"] == {"keepers.md": {"birth_date": 1, "national_id": 1, "email": 1}}
    entry = done.provenance.get(event_type="personal_data_consented")
    assert entry.summary == f"Asha Menon allowed 1 file with what looks like personal data to be sent to {done.engine}."
    assert entry.details["at"] == done.consent["at"]
    assert kinds(done).count("personal_data_consented") == 1
    assert WORDS in sent(elsewhere)
    assert not [secret for secret in SECRETS[:3] if secret in sent(elsewhere)], (
        "what was found stays here even then (T4)"
    )
    assert {role_of(request) for request in elsewhere.requests} > {"digest", "brief"}
    assert consent_note(done).endswith(f"Asha Menon allowed it to be sent to {done.engine}.")
    assert verify_run(done).ok
    log = log_of(done)
    Run.objects.update(consent={})
    assert replay(log).same


def test_left_out(run: Run, owner: User, elsewhere: Service) -> None:
    assert signed_in(owner).post(page_of(run), {"do": LEAVE_OUT}).status_code == 302
    done = go_on(run)
    assert done.job.state == State.DONE, done.job.reason
    for secret in SECRETS:
        assert secret not in sent(elsewhere)
    assert not Source.objects.filter(run=done, document="keepers.md").exists()
    assert Source.objects.filter(run=done, document="alder.md").exists()
    assert done.context_processing == {"status": "partial", "files_total": 3, "files_ready": 2, "files_error": 1}
    assert done.context is not None
    left = {file["name"]: (file["status"], file["error"]) for file in done.context.files}
    assert left["keepers.md"] == ("left_out", REASON)
    assert left["alder.md"][0] == "ready"
    assert ContextFile.objects.get(name="keepers.md").status == "ready", "it was read, and stays in the thesis"
    said = done.provenance.get(event_type="personal_data_left_out").summary
    assert said == "Asha Menon left 1 file with what looks like personal data out."
    assert consent_note(done).endswith("Asha Menon left it out of this run.")
    assert verify_run(done).ok
    log = log_of(done)
    Run.objects.update(consent={})
    assert replay(log).same


def test_left_out_though_there_is_nothing_else(
    project: Project, owner: User, elsewhere: Service, tmp_path: Path
) -> None:
    write(tmp_path, project, owner, "keepers.md", LIST)
    run = researched(project, owner, profile="general", overrides={"providers": []})
    decide(run, owner, LEAVE_OUT)
    done = go_on(run)
    assert (done.job.state, done.context_processing["status"]) == (State.FAILED, "unusable")
    assert done.job.reason.startswith("There is nothing to search")
    assert elsewhere.requests == []
    assert replay(log_of(done)).same


def test_stopped(run: Run, owner: User, elsewhere: Service) -> None:
    signed_in(owner).post(reverse("research:control", args=[run.pk, "cancel"]))
    run.job.refresh_from_db()
    assert run.job.state == State.CANCELLED
    assert signed_in(owner).post(page_of(run), {"do": SEND}).status_code == 302
    with pytest.raises(Refused, match="cancelled"):
        decide(run, owner, SEND)
    assert elsewhere.requests == []
    assert verify_run(run).ok
    assert replay(log_of(run)).same


def test_it_does_not_go_on_undecided(run: Run, owner: User, elsewhere: Service) -> None:
    with pytest.raises(Refused, match="First decide"):
        resume(run)
    answer = signed_in(owner).post(f"/api/runs/{run.pk}/resume")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "not_consented")
    run.job.resume()  # by whatever way: it waits again
    assert go_on(run).job.state == State.WAITING
    assert elsewhere.requests == []
    assert kinds(run).count("personal_data_found") == 1
    signed_in(owner).post(page_of(run), {"do": "sell"})
    assert awaits_consent(Run.objects.get(pk=run.pk))


def test_decided_once(run: Run, owner: User) -> None:
    decide(run, owner, LEAVE_OUT)
    for again in (SEND, LEAVE_OUT):
        with pytest.raises(Refused, match="already been decided"):
            decide(run, owner, again)
        assert signed_in(owner).post(page_of(run), {"do": again})["Location"] == reverse("research:run", args=[run.pk])
    done = go_on(run)
    assert done.consent["decision"] == LEAVE_OUT
    assert done.provenance.filter(event_type__startswith="personal_data_").count() == 2


def test_who_may(run: Run, owner: User, editor: User, supervisor: User, reader: User, outsider: User) -> None:
    for method in ("get", "post"):
        assert getattr(signed_in(outsider), method)(page_of(run)).status_code == 404
        for member in (supervisor, reader):
            assert getattr(signed_in(member), method)(page_of(run), {"do": SEND}).status_code == 403
    assert signed_in(owner).put(page_of(run)).status_code == 405
    assert signed_in(owner).delete(page_of(run)).status_code == 405
    assert awaits_consent(run)
    open_data(run.project)
    head = signed_in(reader).get(reverse("research:head", args=[run.pk])).content.decode()
    assert "waiting for you" in head
    assert page_of(run) not in head
    assert signed_in(editor).get(page_of(run)).status_code == 200


def call(user: User, run: Run, decision: object) -> Any:
    body = json.dumps({"decision": decision})
    return signed_in(user).post(f"/api/runs/{run.pk}/consent", body, content_type="application/json")


def test_over_the_api(run: Run, owner: User, reader: User, outsider: User, elsewhere: Service) -> None:
    assert signed_in(reader).get(f"/api/runs/{run.pk}/consent").status_code == 403
    open_data(run.project)
    shown = signed_in(reader).get(f"/api/runs/{run.pk}").json()
    assert (shown["state"], shown["reason"]) == ("waiting", run.job.reason)
    asked = signed_in(reader).get(f"/api/runs/{run.pk}/consent").json()
    assert shown["consent"] == asked
    host = elsewhere.url.replace("http://127.0.0.1", "127.1")
    assert asked == {
        "waits": True, "files": {"keepers.md": {"birth_date": 1, "national_id": 1, "email": 1}}, "engine": run.engine,
        "host": host, "decision": None, "by": "", "at": None,
    }  # fmt: skip
    assert call(reader, run, SEND).status_code == 403
    assert call(outsider, run, SEND).status_code == 404
    assert signed_in(outsider).get(f"/api/runs/{run.pk}/consent").status_code == 404
    assert signed_in(owner).put(f"/api/runs/{run.pk}/consent").status_code == 405
    for wrong in ("sell", "", None):
        assert call(owner, run, wrong).status_code == 422
    answer = call(owner, run, LEAVE_OUT)
    assert (answer.status_code, answer.json()["decision"], answer.json()["by"]) == (200, LEAVE_OUT, "Asha Menon")
    assert not answer.json()["waits"]
    assert call(owner, run, SEND).status_code == 409
    assert signed_in(owner).get(f"/api/runs/{run.pk}").json()["state"] == "queued"


@pytest.mark.long
def test_a_model_on_this_machine_is_asked_at_once(forest_with_names: Project, owner: User, service: Service) -> None:
    run = researched(forest_with_names, owner, profile="general", overrides={"providers": []})
    assert run.job.state == State.DONE, run.job.reason
    assert WORDS in sent(service)
    assert not [secret for secret in SECRETS[:3] if secret in sent(service)], "what was found stays here even then (T4)"
    assert run.consent == {}
    said = run.provenance.get(event_type="personal_data_found").summary
    assert said.endswith("This stays on this machine.")
    page = signed_in(owner).get(reverse("research:run", args=[run.pk])).content.decode()
    assert "This stays on this machine." in page
    assert signed_in(owner).get(page_of(run)).status_code == 302
    assert signed_in(owner).get(f"/api/runs/{run.pk}").json()["consent"]["host"] == ""
    assert replay(log_of(run)).same


def test_without_personal_data_nobody_is_asked(forest: Project, owner: User, elsewhere: Service) -> None:
    run = researched(forest, owner, profile="general", overrides={"providers": []})
    assert run.job.state == State.DONE, run.job.reason
    assert not run.steps.filter(key__startswith="consent/").exists()
    assert signed_in(owner).get(f"/api/runs/{run.pk}/consent").status_code == 409


@pytest.mark.long
def test_a_model_that_has_come_to_this_machine_meanwhile(run: Run, service: Service, settings: Settings) -> None:
    """Nothing leaves any more, so nothing is to be decided; and a replay knows that."""
    settings.ANTHROPIC_BASE_URL = service.url
    run.job.resume()
    done = go_on(run)
    assert done.job.state == State.DONE, done.job.reason
    assert done.consent == {}
    assert done.provenance.filter(event_type="personal_data_stays").count() == 1
    assert replay(log_of(done)).same


@pytest.mark.sample(1)
@pytest.mark.parametrize("was", ["here", "elsewhere"])
def test_a_model_that_has_moved_is_sent_nothing(
    forest_with_names: Project, owner: User, elsewhere: Service, settings: Settings, was: str
) -> None:
    """Nobody was asked about the address that is set now: not at all, or about another one."""
    if was == "here":
        settings.ANTHROPIC_BASE_URL = elsewhere.url
    run = researched(forest_with_names, owner, profile="general", overrides={"providers": []}, wants_approval=True)
    if was == "elsewhere":
        decide(run, owner, SEND)
        run = go_on(run)
    assert run.job.reason.startswith("Read the plan"), run.job.reason
    asked = len(elsewhere.requests)
    settings.ANTHROPIC_BASE_URL = elsewhere.url.replace("127.0.0.1", "127.1" if was == "here" else "0x7f.1")
    run.job.resume()
    moved = go_on(run)
    assert (moved.job.state, len(elsewhere.requests)) == (State.FAILED, asked)
    assert (
        "stay on this machine, but the model is now at" in moved.job.reason
        or "the model is now at 0x7f.1" in moved.job.reason
    )


@pytest.mark.long
def test_a_worker_that_dies_while_it_takes_up_the_decision(
    run: Run, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R16: the decision is in the journal or still on the run; it is taken up once."""
    decide(run, owner, LEAVE_OUT)

    def dies(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(consent, "_decided", dies)
        with pytest.raises(KeyboardInterrupt):
            perform(str(run.job_id))
    Job.objects.filter(pk=run.job_id).update(state=State.QUEUED, lease_by="", lease_until=None)
    done = go_on(run)
    assert done.job.state == State.DONE, done.job.reason
    assert done.context_processing["files_error"] == 1
    assert done.provenance.filter(event_type="personal_data_left_out").count() == 1


def research(*words: str) -> str:
    out = StringIO()
    call_command(
        "research", QUESTION, "--profile", "general", "--set", "providers=", *words, stdout=out, stderr=StringIO()
    )
    return out.getvalue()


@pytest.mark.long
def test_the_command_asks_for_yes(elsewhere: Service, tmp_path: Path) -> None:
    keepers, alder = tmp_path / "keepers.md", tmp_path / "alder.md"
    keepers.write_text(LIST)
    alder.write_text(ALDER)
    with pytest.raises(CommandError, match="Use --yes to send them") as refused:
        research("--file", str(keepers), "--file", str(alder))
    assert refused.value.returncode == 1
    assert f"keepers.md ({HOLDS})" in str(refused.value)
    assert elsewhere.requests == []

    assert "nitrogen" in research("--file", str(keepers), "--file", str(alder), "--yes")
    done = Run.objects.latest("created_at")
    assert done.consent.items() >= {"by": str(done.created_by), "decision": SEND, "beforehand": True}.items()
    assert list(done.consent["files"]) == ["keepers.md"]
    assert done.provenance.get(event_type="personal_data_consented").details["beforehand"]
    assert WORDS in sent(elsewhere)
    assert not [secret for secret in SECRETS[:3] if secret in sent(elsewhere)], (
        "what was found stays here even then (T4)"
    )
    log = log_of(done)
    assert replay(log).same


@pytest.mark.long
def test_yes_says_nothing_where_nothing_is_found(elsewhere: Service, tmp_path: Path) -> None:
    alder = tmp_path / "alder.md"
    alder.write_text(ALDER + BREAD)
    research("--file", str(alder), "--yes")
    run = Run.objects.latest("created_at")
    assert found_in(run) is None
    assert consent_note(run) == ""
    assert not run.provenance.filter(event_type__startswith="personal_data_").exists()
