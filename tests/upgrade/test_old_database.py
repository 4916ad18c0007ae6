"""A database of commit 52cbab9 is brought to the state of now, and nothing in it is lost:
rows, files, pages, work under way.

What is in it says old_installation.py; it is made by make.py.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings
from django.core.management import call_command
from django.urls import reverse
from django_q.brokers import get_broker
from django_q.signing import SignedPackage

from analysis.models import Analysis, DatasetVersion, Figure
from citations.models import Citation
from config.management.commands.migrate import backups
from contextfiles.models import ContextFile
from jobs.models import Job, State
from jobs.watchdog import wake_lost
from jobs.work import perform
from projects.models import Project, User
from research.journal.pipeline_version import PIPELINE_VERSION, versions_of
from research.journal.provenance import verify_run
from research.models import Run
from research.plan.approval import approve
from sections.models import Section, ThesisFile
from sections.thesis_files import find_picture
from tests.citations.real_works import WORKS
from tests.people import signed_in
from tests.servers.registry_works import Holdings
from tests.upgrade.crawl import answers, body_of, pages
from tests.upgrade.open_old import DATABASE, IDS, KEPT, Upgraded, at_work_in, unpack, upgraded
from tests.upgrade.rows import Row, digest, files, tables
from thesis.models import Build, Draft

# Django adds what new models need to these.
GROWING = {"django_migrations", "django_content_type", "auth_permission"}


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory, django_db_setup: None, django_db_blocker: Any) -> Upgraded:
    return upgraded(tmp_path_factory.mktemp("old"), django_db_blocker)


@pytest.fixture
def reading(old: Upgraded, django_db_blocker: Any) -> Iterator[Upgraded]:
    """For tests that change nothing that another one reads."""
    with at_work_in(old.folder, django_db_blocker):
        yield old


@pytest.fixture(scope="module")
def gone_on(old: Upgraded, tmp_path_factory: pytest.TempPathFactory, django_db_blocker: Any) -> Path:
    """A copy after people went on with what waited for them, and a worker did all there was to do;
    registries answered."""
    folder = old.copied(tmp_path_factory.mktemp("worked"))
    with Holdings(WORKS.values()) as registries, pytest.MonkeyPatch.context() as patch:
        for name, value in registries.environment().items():
            patch.setattr(settings, name, json.loads(value) if name == "SOURCE_PACE" else value)
        with at_work_in(folder, django_db_blocker):
            assert run_of("waiting").job.state == State.WAITING
            approve(run_of("waiting"), {}, None)
            resume = reverse("research:control", args=[IDS["paused"], "resume"])
            assert signed_in(asha()).post(resume).status_code == 302
            assert set(Job.objects.lost().values_list("kind", flat=True)) == {"research", "dataset", "build"}
            wake_lost()
            work()
    return folder


@pytest.fixture
def worked(gone_on: Path, django_db_blocker: Any) -> Iterator[None]:
    with at_work_in(gone_on, django_db_blocker):
        yield


def run_of(name: str) -> Run:
    run: Run = Run.objects.select_related("job", "project").get(pk=UUID(IDS[name]))
    return run


def asha() -> User:
    return User.objects.get(pk=UUID(IDS["owner"]))


# What is there


@pytest.mark.long
def test_the_fixture_is_what_the_maker_has_kept(old: Upgraded, tmp_path: Path) -> None:
    assert {name: {"rows": len(rows), "sha256": digest(rows)} for name, rows in old.before.items()} == KEPT["tables"]
    unpack(tmp_path)
    assert files(tmp_path / "media") == KEPT["files"]


def test_every_row_is_there_as_it_was(old: Upgraded) -> None:
    """Row by row and column by column; what a migration changes on purpose stands in `as_migrated`."""
    assert old.before.keys() <= old.after.keys()
    for name, before in old.before.items():
        after = old.after[name]
        if name in GROWING:
            assert len(after) >= len(before), name
            after = after[: len(before)]
        assert len(after) == len(before), name
        for was, now in zip(before, after, strict=True):
            assert was.keys() <= now.keys(), (name, "a column is gone")
            same = {column: now[column] for column in was}
            assert same == as_migrated(name, was, now), name


def as_migrated(table: str, was: Row, now: Row) -> Row:
    """The row as its migrations leave it."""
    if table == "citations_citation" and was["reason"].startswith("This is your uploaded file "):
        return {**was, "status": "file", "reason": ""}
    if table == "citations_citation" and was["status"] == "verified" and was["claimed"] != "{}":
        assert now["check_due_at"], "it is looked up again by the rule of now"
        return {**was, "check_due_at": now["check_due_at"]}
    titles = {"Chi square": "Chi-square test", "Kaplan meier": "Kaplan-Meier survival", "Scatter": "Scatter plot"}
    if table == "analysis_analysis" and was["title"] in titles:
        return {**was, "title": titles[was["title"]]}
    if table == "jobs_job" and was["kind"] == "research" and '"sources"' in was["counters"]:
        before, after = json.loads(was["counters"]), json.loads(now["counters"])
        assert after["sources"] == after["kept"] + after["set_aside"] <= before["sources"], "passages became files"
        return {
            **was,
            "counters": json.dumps(before | {name: after[name] for name in ("sources", "kept", "set_aside")}),
        }
    return was


def test_the_migrations_that_change_rows_had_something_to_change(old: Upgraded) -> None:
    for table in ("citations_citation", "analysis_analysis"):
        pairs = zip(old.before[table], old.after[table], strict=True)
        assert sum(as_migrated(table, was, now) != was for was, now in pairs) == 3, table


def test_it_is_backed_up_once(reading: Upgraded) -> None:
    (copy,) = backups(reading.folder / DATABASE)
    assert tables(copy) == reading.before
    call_command("migrate", verbosity=0)
    assert backups(reading.folder / DATABASE) == [copy], "nothing was pending any more"


def test_every_file_is_there_as_it_was(reading: Upgraded) -> None:
    assert KEPT["files"].items() <= files(reading.folder / "media").items(), "pages add what they have drawn"
    places: list[tuple[Any, str]] = [
        (ContextFile, "blob"),
        (DatasetVersion, "upload"),
        (DatasetVersion, "rows"),
        (Figure, "png"),
        (Figure, "pdf"),
        (Build, "output"),
        (ThesisFile, "blob"),
    ]
    for model, column in places:
        named = set(model.objects.exclude(**{column: ""}).values_list(column, flat=True))
        assert named, (model, column)
        assert named <= KEPT["files"].keys(), (model, column)


# What people see of it


@pytest.mark.long
def test_every_page_opens(reading: Upgraded) -> None:
    found = pages(signed_in(asha()))
    # 204: a page that asks again and again whether there is news, and there is none.
    bad = {address: status for address, status in found.items() if status != 200}
    assert {status for address, status in bad.items() if "/progress/" in address} <= {204}
    assert [address for address in bad if "/progress/" not in address] == []
    # And each thing has a page among them.
    walked = "\n".join(found)
    mine = Project.objects.visible_to(asha())
    assert mine.count() == 2
    for rows in (
        Run.objects.filter(project__in=mine),
        Analysis.objects.filter(project__in=mine),
        Figure.objects.filter(project__in=mine),
        Citation.objects.filter(project__in=mine),
        ContextFile.objects.filter(project__in=mine),
        Build.objects.filter(project__in=mine).exclude(output=""),
        Draft.objects.filter(project__in=mine, section__removed_at=None),
    ):
        keys = [str(key) for key in rows.values_list("pk", flat=True)]
        assert keys
        assert [key for key in keys if key not in walked] == [], rows.model
    for section in Section.objects.filter(project__in=mine):
        assert f"/projects/{section.project_id}/sections/{section.slug}/" in found


def test_the_api_answers_who_comes_with_an_old_token(reading: Upgraded, client: Any) -> None:
    client.defaults["HTTP_AUTHORIZATION"] = f"Bearer {KEPT['token']}"
    named = {"run": "finished", "section": "introduction", "analysis": "t-test", "draft": "draft", "build": "pdf"}
    ids = {f"{kind}_id": [IDS[name]] for kind, name in named.items()}
    ids |= {"project_id": [IDS["thesis"], IDS["brought"]], "job_id": [str(run_of("finished").job_id)]}
    found = answers(client, ids)
    assert len(found) > 60
    # A finished run has no plan to approve, nobody has to agree to anything, and three want to know what is looked for.
    bad = {address.rpartition("/")[2]: status for address, status in found.items() if status != 200}
    assert bad == {"approve": 409, "consent": 409, "find": 422, "place": 422, "page": 422}


def test_what_was_printed_is_downloaded_byte_for_byte(reading: Upgraded) -> None:
    browser = signed_in(asha())
    for name, head in (("pdf", b"%PDF-"), ("word", b"PK")):
        build = Build.objects.get(pk=UUID(IDS[name]))
        answer = browser.get(reverse("thesis:build_file", args=[build.pk]))
        body = body_of(answer)
        assert (answer.status_code, body[: len(head)], len(body)) == (200, head, build.size)


def test_figures_resolve(reading: Upgraded) -> None:
    """In the result that they are of, and in the section where one was put."""
    compared = Analysis.objects.get(pk=UUID(IDS["t-test"]))
    figure = compared.figures.get(kind="box")
    browser = signed_in(asha())
    for format, head in (("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF-")):
        answer = browser.get(reverse("analysis:figure", args=[compared.project_id, figure.pk, format]))
        body = body_of(answer)
        assert (answer.status_code, body[: len(head)]) == (200, head)
    assert "figures/analysis-1-box.pdf" in Section.objects.get(project=compared.project, slug="results").latex
    assert find_picture(compared.project, "figures/analysis-1-box.pdf") is not None
    assert find_picture(compared.project, "figures/flow-chart.png") is not None


def test_provenance_verifies(reading: Upgraded, capsys: pytest.CaptureFixture[str]) -> None:
    runs = list(Run.objects.exclude(provenance_length=0))
    assert len(runs) == 8
    for run in runs:
        verdict = verify_run(run)
        assert verdict.ok, (run.job.state, verdict.sentence)
    call_command("verify_provenance", IDS["finished"])
    length = run_of("finished").provenance_length
    assert f"{length} of {length} entries chain." in capsys.readouterr().out


# What was under way


def work() -> None:
    """Do what lies in the queue, task by task, as the cluster does."""
    broker = get_broker()
    while tasks := broker.dequeue():
        for ticket, payload in tasks:
            task = SignedPackage.loads(payload)
            assert task["func"] == "jobs.work.perform"
            perform(*task["args"])
            broker.acknowledge(ticket)


def test_a_plan_that_waited_was_approved_and_the_run_ended(worked: None) -> None:
    run = run_of("waiting")
    assert (run.job.state, run.job.reason, run.only_quotes) == (State.DONE, "", True)
    assert run.has_report
    assert versions_of(run) == [1, PIPELINE_VERSION]
    assert verify_run(run).ok


@pytest.mark.parametrize("name", ["paused", "killed"])
def test_a_run_in_the_middle_ended_in_a_sentence_and_kept_what_it_found(old: Upgraded, worked: None, name: str) -> None:
    """docs/decisions/journal.md, Another version of the pipeline."""
    run = run_of(name)
    assert run.job.state == State.FAILED
    assert "cannot continue from where it stopped. What was found is kept." in run.job.reason
    assert run.steps.count() == sum(row["run_id"] == run.pk.hex for row in old.before["research_step"])
    assert verify_run(run).ok


def test_a_run_that_nobody_had_begun_is_one_of_this_version(worked: None) -> None:
    run = run_of("queued")
    assert (run.job.state, run.has_report, versions_of(run)) == (State.DONE, True, [PIPELINE_VERSION])


def test_a_follow_up_in_the_middle_was_left_and_the_report_stays(old: Upgraded, worked: None) -> None:
    run = run_of("killed-follow-up")
    (before,) = (row["report"] for row in old.before["research_run"] if row["id"] == run.pk.hex)
    assert before
    assert (run.job.state, run.report) == (State.DONE, before)
    assert [asked.state for asked in run.follow_ups.all()] == ["left"]


def test_work_that_was_queued_or_interrupted_was_taken_up(worked: None) -> None:
    """Tasks that the old version queued are read by this one;
    jobs whose worker was killed are found by the watchdog."""
    assert not Job.objects.alive().exists()
    draft = Draft.objects.select_related("job").get(pk=UUID(IDS["queued-draft"]))
    assert draft.job
    assert (draft.job.state, bool(draft.blocks)) == (State.DONE, True)
    version = DatasetVersion.objects.select_related("job").get(pk=UUID(IDS["reading"]))
    assert version.job
    assert (version.job.state, version.job.attempts) == (State.DONE, 2)
    assert (version.state, version.row_count) == ("proposed", 8)
    word = Build.objects.select_related("job").get(pk=UUID(IDS["killed-word"]))
    assert word.job
    with word.output.open("rb") as made:
        assert (word.job.state, word.job.attempts, made.read(2)) == (State.DONE, 2, b"PK")
    assert Citation.objects.filter(cite_key="late1990").exists()
    proven = Citation.objects.get(cite_key="proven")
    assert (proven.status, proven.tier, proven.check_due_at) == ("verified", "A", None), "it was looked up again"
