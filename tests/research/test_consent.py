"""Personal data in the files of a run whose engine is on this machine: it is shown, and nobody is asked (SPEC X2)."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from django.urls import reverse

from contextfiles.models import ContextFile, FileText
from core.errors import Refused
from jobs.models import State
from jobs.work import perform
from projects.models import Project, User
from research.context.consent import awaits_consent, consent_in_advance, consent_note, decide, found_in, summary
from research.journal.provenance import log_of, verify_run
from research.models import Run
from research.replay import replay
from tests.people import her_thesis, signed_in
from tests.research.finished_run import for_all_tests, forest, owner, project, run
from tests.research.forest_thesis import plant, researched, write
from tests.start_run import start_run

__all__ = ["forest", "owner", "project", "run"]

pytestmark = pytest.mark.django_db

TABLE = "first_name,last_name,dob,alder\nAnna,Muster,12.03.1954,14\nBeat,Meier,13.04.1961,9\n"
LETTER = "# Red alder\n\nWrite to anna.muster@example.org about soil nitrogen under red alder.\n"
SAID = (
    "2 of your 4 files hold what looks like personal data: keepers.csv (2 names of persons and 2 dates of birth), "
    "letter.md (1 e-mail address)."
)


@pytest.fixture(scope="module")
def finished(django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[UUID]:
    """A run that the offline engine has conducted, of a thesis with two files that say who keeps the plots."""
    folder = tmp_path_factory.mktemp("forest")
    with for_all_tests(django_db_blocker) as owner:
        thesis = plant(her_thesis(owner), owner, folder)
        write(folder, thesis, owner, "keepers.csv", TABLE)
        write(folder, thesis, owner, "letter.md", LETTER)
        yield researched(thesis, owner).pk


def test_it_goes_on_and_says_so(run: Run, owner: User) -> None:
    assert run.job.state == State.DONE, run.job.reason
    entry = run.provenance.get(event_type="personal_data_found")
    assert entry.summary == f"{SAID} This stays on this machine."
    assert entry.details["files"] == {"keepers.csv": {"patient_name": 2, "birth_date": 2}, "letter.md": {"email": 1}}
    assert not entry.details["is_remote"]
    event = run.job.events.get(kind="personal_data_found")
    assert event.details["lines"] == [
        "keepers.csv: 2 names of persons and 2 dates of birth",
        "letter.md: 1 e-mail address",
    ]
    assert not run.steps.filter(key="consent/decided").exists()
    assert consent_note(run) == entry.summary
    assert consent_note(run) in signed_in(owner).get(reverse("research:run", args=[run.pk])).content.decode()
    assert verify_run(run).ok
    log = log_of(run)
    FileText.objects.all().delete()
    ContextFile.objects.all().delete()
    assert replay(log).same


def test_there_is_nothing_to_decide(run: Run, owner: User) -> None:
    assert not awaits_consent(run)
    with pytest.raises(Refused, match="This run is not waiting for this decision: it is done"):
        decide(run, owner, "send")
    with pytest.raises(Refused, match="send or leave_out"):
        decide(run, owner, "sell")
    page = reverse("research:consent", args=[run.pk])
    assert signed_in(owner).get(page)["Location"] == reverse("research:run", args=[run.pk])
    assert signed_in(owner).post(page, {"do": "send"}).status_code == 302
    assert Run.objects.get(pk=run.pk).consent == {}


@pytest.mark.long
def test_consent_that_was_not_needed_sends_nothing_and_is_no_decision(forest: Project, owner: User) -> None:
    files = [file.pk for file in forest.context_files.all()]
    run = start_run(
        forest,
        owner,
        "What does red alder do to soil nitrogen?",
        profile="local-only",
        file_ids=files,
        enqueue=False,
    )
    consent_in_advance(run, owner)
    perform(str(run.job_id))
    run = Run.objects.select_related("job").get(pk=run.pk)
    assert run.job.state == State.DONE, run.job.reason
    assert consent_note(run).endswith("This stays on this machine.")
    assert replay(log_of(run)).same


def test_the_files_of_the_thesis_say_what_they_hold(run: Run, owner: User, reader: User) -> None:
    said = "May contain personal data: "
    rows = signed_in(reader).get(reverse("contextfiles:list", args=[run.project_id])).content.decode()
    assert f"{said}2 names of persons and 2 dates of birth" in rows
    assert rows.count(said) == 2
    alder, letter = (ContextFile.objects.get(name=name) for name in ("alder.md", "letter.md"))
    page = signed_in(owner).get(reverse("contextfiles:file", args=[run.project_id, letter.pk])).content.decode()
    assert f"{said}1 e-mail address." in page
    assert (
        said not in signed_in(owner).get(reverse("contextfiles:file", args=[run.project_id, alder.pk])).content.decode()
    )


def test_nothing_is_said_before_they_were_read(forest: Project, owner: User) -> None:
    FileText.objects.all().delete()
    rows = signed_in(owner).get(reverse("contextfiles:list", args=[forest.pk])).content.decode()
    assert "keepers.csv" in rows
    assert "personal data" not in rows


def test_many_files_in_one_sentence(forest: Project, owner: User) -> None:
    files = {f"{number}.md": {"email": number} for number in range(1, 7)}
    assert summary({"files": files, "total": 1200}) == (
        "6 of your 1,200 files hold what looks like personal data: 1.md (1 e-mail address), 2.md (2 e-mail addresses), "
        "3.md (3 e-mail addresses), 3 more."
    )
    long = {f"{'x' * 250}.md": {"email": 1}}
    assert len(summary({"files": long, "total": 1})) < 220
    forest.context_files.filter(name__in=["keepers.csv", "letter.md"]).delete()
    run = researched(forest, owner)
    assert found_in(run) is None
    assert consent_note(run) == ""
