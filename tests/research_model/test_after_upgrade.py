"""R16: runs that an earlier version of the pipeline has left open, go on or end in a sentence;
nothing is paid for twice."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.urls import reverse

from contextfiles.models import ContextFile
from jobs.models import Job, State
from jobs.work import perform
from llm.models import Usage
from projects.models import User
from research.export.export import FORMATS
from research.follow_ups.start import ask, extend, rerun
from research.journal.pipeline_version import CHANGED, PIPELINE_VERSION, versions_of
from research.journal.provenance import log_of, verify_run
from research.models import FollowUp, Run
from research.plan.approval import approve
from tests.people import signed_in
from tests.research.follow_up_run import worked
from tests.research.forest_thesis import ALDER, NITRATE
from tests.research.golden.saved_files import EARLIER, keys, migrated
from tests.research_model.catalogue_works import hold, quoting
from tests.research_model.script import role_of
from tests.servers.catalogues import Site
from tests.servers.messages import Service

pytestmark = [pytest.mark.django_db, pytest.mark.long]

TEXTS = {"alder.md": ALDER, "nitrate.md": NITRATE}
PAGES = ("run", "report", "claims", "sources", "findings", "methods", "network", "flow", "provenance", "follow_ups")


class Home:
    """What somebody has at home: the runs of an earlier version by their names."""

    def __init__(self, version: int) -> None:
        self.version, self.keys = version, keys(version)

    def run(self, name: str) -> Run:
        return Run.objects.select_related("job", "project").get(pk=UUID(self.keys[name]))


@pytest.fixture(scope="module", params=EARLIER)
def loaded(
    request: Any, django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Home]:
    rows = migrated(request.param, tmp_path_factory.mktemp("home"))
    with django_db_blocker.unblock(), transaction.atomic():
        call_command("loaddata", str(rows), verbosity=0)
        yield Home(request.param)
        transaction.set_rollback(True)


@pytest.fixture
def home(loaded: Home, db: None, settings: Any, tmp_path: Path) -> Home:
    settings.MEDIA_ROOT = str(tmp_path)
    for file in ContextFile.objects.all():
        path = tmp_path / str(file.blob.name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(TEXTS[file.name], encoding="utf-8")
    return loaded


@pytest.fixture
def asha(home: Home) -> User:
    return User.objects.get(email="asha@example.org")


@pytest.fixture
def model(service: Service, shelves: Site) -> Service:
    """The model and the catalogues are there again; what they are asked from now on is counted."""
    hold(shelves)
    service.otherwise = quoting
    return service


def go_on(run: Run) -> Run:
    """Another worker takes the run over."""
    before = set(run.steps.values_list("key", "request_hash", "finished_at"))
    perform(str(run.job_id))
    run = Run.objects.select_related("job", "project").get(pk=run.pk)
    assert before <= set(run.steps.values_list("key", "request_hash", "finished_at")), "what was answered stands"
    holds(run)
    return run


def holds(run: Run) -> None:
    verdict = verify_run(run)
    assert verdict.ok, verdict.sentence


# What has ended


@pytest.mark.parametrize(
    "name", ["offline-files", "academic", "general", "follow-ups", "partial", "cancelled", "failed", "offline-nothing"]
)
def test_what_has_ended_is_read_and_taken_away_as_ever(home: Home, asha: User, name: str) -> None:
    run = home.run(name)
    holds(run)
    assert versions_of(run) == [home.version]
    browser = signed_in(asha)
    for page in PAGES:
        answer = browser.get(reverse(f"research:{page}", args=[run.pk]))
        assert answer.status_code == 200 or (page == "report" and not run.has_report), (page, answer.status_code)
    log = browser.get(reverse("research:provenance", args=[run.pk])).content.decode()
    assert f"This run was made by version {home.version}; this installation has version {PIPELINE_VERSION}" in log
    for format, how in FORMATS.items():
        answer = browser.get(reverse("research:export", args=[run.pk, format]))
        assert answer.status_code == (200 if run.has_report or how.of == "data" else 404), format
    for claim in run.claims.all():
        assert browser.get(reverse("research:evidence", args=[run.pk, claim.claim_id])).status_code == 200
    api = browser.get(f"/api/runs/{run.pk}/report")
    assert api.status_code == (200 if run.has_report else 409)


def test_a_run_is_not_replayed_by_another_version(home: Home) -> None:
    run = home.run("academic")
    with pytest.raises(
        CommandError, match=f"made by version {home.version} .*This installation has version {PIPELINE_VERSION}"
    ) as error:
        call_command("replay", str(run.pk))
    assert error.value.returncode == 1


# What has not


def test_one_that_nobody_has_begun_is_one_of_this_version(home: Home, model: Service) -> None:
    run = go_on(home.run("queued"))
    assert run.job.state == State.DONE, run.job.reason
    assert versions_of(run) == [PIPELINE_VERSION]
    assert log_of(run)["header"]["pipeline"] == PIPELINE_VERSION


@pytest.mark.parametrize("name", ["waiting", "waiting-offline"])
def test_one_whose_plan_waits_goes_on_with_it(home: Home, name: str, request: pytest.FixtureRequest) -> None:
    model: Service | None = request.getfixturevalue("model") if name == "waiting" else None
    run = home.run(name)
    approve(run, {}, None)
    run = go_on(run)
    assert run.job.state == State.DONE, run.job.reason
    assert run.has_report
    assert versions_of(run) == [home.version, PIPELINE_VERSION]
    entry = run.provenance.get(event_type=CHANGED)
    assert entry.summary == (f"Version {PIPELINE_VERSION} of the pipeline continues what version {home.version} began.")
    if model:
        assert not {"brief", "decompose", "digest"} & {role_of(one) for one in model.requests}, "it was paid for before"


@pytest.mark.parametrize("name", ["paused", "killed", "killed-writing", "killed-offline"])
def test_one_in_the_middle_ends_and_keeps_what_it_found(home: Home, asha: User, model: Service, name: str) -> None:
    run = home.run(name)
    found, steps, paid = run.findings.count(), run.steps.count(), Usage.objects.filter(subject=run.pk).count()
    if run.job.state == State.PAUSED:
        assert signed_in(asha).post(reverse("research:control", args=[run.pk, "resume"])).status_code == 302
    run = go_on(run)
    assert run.job.state == State.FAILED
    assert f"begun by version {home.version} of" in run.job.reason
    assert (
        f"version {PIPELINE_VERSION}, which is installed now, cannot continue from where it stopped" in run.job.reason
    )
    assert "What was found is kept." in run.job.reason
    assert not model.requests
    assert (run.findings.count(), run.steps.count()) == (found, steps)
    assert Usage.objects.filter(subject=run.pk).count() == paid
    last = run.provenance.last()
    assert last is not None
    assert (last.event_type, last.summary) == ("run_failed", run.job.reason)
    browser = signed_in(asha)
    page = browser.get(reverse("research:run", args=[run.pk])).content.decode()
    assert "cannot continue from where it stopped" in page
    assert browser.get(reverse("research:findings", args=[run.pk])).status_code == 200


# Asking more of it


def test_more_can_be_asked_of_a_finished_run(home: Home, asha: User, model: Service) -> None:
    run = home.run("follow-ups")
    before = list(run.follow_ups.values_list("number", "answer"))
    asked = worked(ask(run, asha, "How tall was Douglas-fir next to red alder?"))
    assert asked.state == "answered", asked.answer
    assert asked.run.job.state == State.DONE
    asked = worked(rerun(run, asha, run.nodes.exclude(findings=None).earliest("id").number))
    assert asked.state == "answered", asked.answer
    run = home.run("follow-ups")
    assert list(run.follow_ups.values_list("number", "answer"))[: len(before)] == before
    assert versions_of(run) == [home.version, PIPELINE_VERSION], "said once"
    assert "brief" not in {role_of(one) for one in model.requests}
    holds(run)


def test_a_gap_of_a_finished_run_is_looked_into(home: Home, asha: User) -> None:
    run = home.run("offline-files")
    gap = run.gaps.open().first()
    asked = worked(extend(run, asha, gap.gap_id) if gap else ask(run, asha, "How tall was Douglas-fir?"))
    assert asked.state == "answered", asked.answer
    holds(asked.run)


def test_what_was_asked_before_the_upgrade_is_answered(home: Home, model: Service) -> None:
    run = go_on(home.run("reopened"))
    assert run.job.state == State.DONE
    assert [asked.state for asked in run.follow_ups.all()] == ["answered"]


def test_what_was_under_way_is_left_and_the_report_stays(home: Home, asha: User, model: Service) -> None:
    run = home.run("killed-follow-up")
    report = run.steps.get(key="more/1/asked").response["before"]["report"]
    FollowUp.objects.create(run=run, number=2, kind="ask", text="How tall was Douglas-fir?", created_by=asha)
    run = go_on(run)
    assert (run.job.state, run.report) == (State.DONE, report)
    left, answered = run.follow_ups.all()
    assert left.state == "left"
    assert f"begun by version {home.version}" in left.answer
    assert "The report is as it was before" in left.answer
    assert answered.state == "answered"
    assert "condense" not in {role_of(one) for one in model.requests}


# Asking again


def test_ask_again_fills_in_what_was_chosen(home: Home, asha: User, model: Service) -> None:
    run = home.run("failed")
    changed = {**run.profile_config, "citation_style": "vancouver", "disciplinary_scope": ["forestry"]}
    Run.objects.filter(pk=run.pk).update(profile_config=changed, budget_calls=120, budget_seconds=1800)
    browser = signed_in(asha)
    page = browser.get(reverse("research:run", args=[run.pk])).content.decode()
    address = f"{reverse('research:list', args=[run.project_id])}?again={run.pk}"
    assert f'href="{address}"' in page
    form = browser.get(address).context["form"], browser.get(address).context["choices"]
    assert form[0]["question"].value() == run.question
    assert form[0]["profile"].value() == "general"
    assert form[0]["budget"].value() == "0.01", "too small today, and the page says what would do"
    assert (form[0]["budget_calls"].value(), form[0]["budget_minutes"].value()) == (120, 30)
    assert form[1]["citation_style"].value() == "vancouver"
    assert form[1]["disciplinary_scope"].value() == "forestry"
    assert form[1]["providers"].value() == []
    assert {str(file) for file in browser.get(address).context["chosen"]} == {file["id"] for file in run.files}


@pytest.mark.parametrize("named", ["x", "", "00000000-0000-0000-0000-000000000000"])
def test_a_run_that_is_not_there_is_not_asked_again(home: Home, asha: User, named: str) -> None:
    project = home.run("academic").project
    assert signed_in(asha).get(reverse("research:list", args=[project.pk]), {"again": named}).status_code == 200


# What does not fit any more


def test_a_first_step_that_is_asked_for_otherwise_ends_it(home: Home, model: Service) -> None:
    """The next version of a pipeline may ask for the brief in other words."""
    run = home.run("waiting")
    run.steps.filter(key="brief").update(request_hash="0" * 64)
    approve(run, {}, None)
    run = go_on(run)
    assert run.job.state == State.FAILED
    assert "cannot continue from where it stopped" in run.job.reason
    assert not model.requests


def test_rows_that_are_not_as_expected_are_no_exception(home: Home, model: Service) -> None:
    run = home.run("waiting")
    step = run.steps.get(key="plan/proposed")
    step.response = {"plan": []}
    step.save()
    Job.objects.filter(pk=run.job_id).update(state=State.QUEUED)
    run = go_on(run)
    assert run.job.state == State.FAILED
    assert "cannot continue from where it stopped" in run.job.reason


@pytest.mark.parametrize("name", ["general", "academic", "follow-ups"])
def test_the_steps_of_a_finished_run_stand(home: Home, asha: User, model: Service, name: str) -> None:
    """Whatever would be asked for today: what it was answered is what its report was made from."""
    run = home.run(name)
    run.steps.exclude(key__startswith="more/").update(request_hash="0" * 64)
    asked = worked(ask(run, asha, "How tall was Douglas-fir next to red alder?"))
    assert asked.state == "answered", asked.answer
    assert {role_of(one) for one in model.requests} <= {"assist", "verify"}


def test_a_finished_run_without_a_step_of_today_says_so(home: Home, asha: User, model: Service) -> None:
    run = home.run("general")
    run.steps.filter(key="brief").delete()
    asked = worked(ask(run, asha, "How tall was Douglas-fir next to red alder?"))
    assert asked.state == "left"
    assert "cannot add to it. Its report and findings are kept" in asked.answer
    assert asked.run.job.state == State.DONE
    assert asked.run.report == run.report
    assert not model.requests
