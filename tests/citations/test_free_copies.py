"""Where a proven work can be read freely (SPEC C11)."""

from typing import Any

import pytest

from citations.importing.add_references import add
from citations.models import Citation
from citations.resolution.check_job import FREE_COPIES, check_again, start_free_copies
from jobs.models import Job, State
from jobs.work import perform
from projects.models import Project, User
from tests.citations.real_works import WORKS
from tests.servers.registry_works import Holdings

CODEX = WORKS["codex"]
COPY = "https://archive.example/codex.pdf"


@pytest.fixture
def unpaywall(settings: Any, holdings: Holdings) -> Holdings:
    """Unpaywall, which may be asked, knows one work's free copy."""
    settings.CROSSREF_MAILTO = "asha@example.org"
    holdings.copies = {str(CODEX.doi): COPY}
    return holdings


def unpaywall_paths(unpaywall: Holdings) -> list[str]:
    return [path for path in unpaywall.paths() if path.startswith("/unpaywall/")]


def work_off(kind: str) -> Job:
    job: Job = Job.objects.alive().get(kind=kind)
    perform(str(job.pk))
    job.refresh_from_db()
    return job


def test_each_proven_work_is_asked_for_once(project: Project, owner: User, unpaywall: Holdings) -> None:
    add(project, owner, doi=str(CODEX.doi))
    job = work_off(FREE_COPIES)
    assert (job.state, job.progress, job.progress_total) == (State.DONE, 1, 1)
    assert Citation.objects.get().open_access_url == COPY
    add(project, owner, doi=str(WORKS["cape"].doi))
    work_off(FREE_COPIES)
    assert len(unpaywall_paths(unpaywall)) == 2
    assert Citation.objects.get(doi=WORKS["cape"].doi).open_access_url == ""
    assert start_free_copies(project, owner) is None


def test_a_check_looks_for_them_at_its_end(project: Project, owner: User, unpaywall: Holdings) -> None:
    add(project, owner, doi=str(CODEX.doi))
    work_off(FREE_COPIES)
    check_again(project, Citation.objects.all(), owner)
    work_off("check")
    work_off(FREE_COPIES)
    assert Citation.objects.get().open_access_url == COPY


def test_who_gives_no_contact_does_not_ask(project: Project, owner: User, settings: Any, unpaywall: Holdings) -> None:
    settings.CROSSREF_MAILTO = ""
    add(project, owner, doi=str(CODEX.doi))
    assert not Job.objects.exists()


def test_a_service_that_fails_costs_a_link(project: Project, owner: User, unpaywall: Holdings) -> None:
    add(project, owner, doi=str(CODEX.doi))
    unpaywall.down = True
    assert work_off(FREE_COPIES).state == State.DONE
    assert Citation.objects.get().open_access_url == ""


def test_a_work_that_was_changed_meanwhile_gets_no_link_of_another(
    project: Project, owner: User, unpaywall: Holdings
) -> None:
    add(project, owner, doi=str(CODEX.doi))
    Citation.objects.update(status="unresolved", source_doi="")
    assert work_off(FREE_COPIES).state == State.DONE
    assert not unpaywall_paths(unpaywall)
