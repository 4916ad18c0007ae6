"""No model is shown the rows of a dataset, by whichever way they could come to it."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files import File

from analysis.datasets.edit_dataset import confirm, start_dataset
from analysis.datasets.read_job import read_version
from analysis.models import DatasetVersion
from contextfiles.models import ContextFile
from contextfiles.upload import store_path
from core.errors import Refused
from jobs.work import perform
from projects.models import Project, User
from tests.analysis.database_rows import an_analysis
from tests.people import signed_in
from tests.research.forest_thesis import QUESTION, researched
from tests.servers.catalogues import Site
from tests.servers.messages import Service, model_answer
from tests.start_run import start_run
from thesis.drafting.accept import accept_blocks
from thesis.drafting.proposal import insert_as_proposal
from thesis.drafting.start import DraftRequest, fitting_findings, start_draft
from thesis.insert.results import result_insertion

pytestmark = pytest.mark.django_db

# No name, no number that identifies: rows of patients that the detector of personal data has nothing against.
CELLS = ("amberlynx", "corvidine", "thistledown")
ROWS = "alder,nitrogen,ward\n" + "\n".join(
    f"{CELLS[n % 3]}-{n} red alder soil nitrogen,{0.2 + n / 100:.2f},{'north' if n % 2 else 'south'}" for n in range(12)
)


@pytest.fixture
def data(forest: Project, owner: User, tmp_path: Path) -> DatasetVersion:
    """The table as data of the thesis, and the same file among its uploads."""
    path = tmp_path / "cohort.csv"
    path.write_text(ROWS, encoding="utf-8")
    store_path(forest, owner, path)
    with path.open("rb") as raw:
        version = start_dataset(forest, owner, "cohort.csv", File(raw, name="cohort.csv"), enqueue=False)
    read_version(version)
    return confirm(version, owner)


def sent(service: Service) -> str:
    return json.dumps(service.requests, ensure_ascii=False)


def sent_cells(service: Service) -> list[str]:
    return [cell for cell in CELLS if cell in sent(service)]


def test_a_run_does_not_begin_with_data_among_its_files(
    forest: Project, owner: User, data: DatasetVersion, service: Service, shelves: Site
) -> None:
    with pytest.raises(Refused, match=r"cohort\.csv is also data") as refused:
        researched(forest, owner, profile="general")
    assert (refused.value.code, refused.value.field) == ("is_data", "files")
    others = [file.pk for file in forest.context_files.exclude(name="cohort.csv")]
    run = researched(forest, owner, profile="general", file_ids=others)
    assert run.job.state == "done", run.job.reason
    assert service.requests
    assert sent_cells(service) == []


def test_another_export_of_it_is_told_by_its_name(
    forest: Project, owner: User, data: DatasetVersion, service: Service, shelves: Site
) -> None:
    ContextFile.objects.filter(name="cohort.csv").update(sha256="0" * 64, name="Cohort.CSV")
    with pytest.raises(Refused, match=r"Cohort\.CSV is also data"):
        researched(forest, owner, profile="general")


def test_data_that_came_after_the_run_was_made_stops_it(
    forest: Project, owner: User, service: Service, shelves: Site, tmp_path: Path
) -> None:

    path = tmp_path / "cohort.csv"
    path.write_text(ROWS, encoding="utf-8")
    file = store_path(forest, owner, path)
    run = start_run(forest, owner, QUESTION, profile="general", file_ids=[file.pk], enqueue=False)
    with path.open("rb") as raw:
        start_dataset(forest, owner, "Data", File(raw, name="cohort.csv"), enqueue=False)
    perform(str(run.job_id))
    run.job.refresh_from_db()
    assert run.job.state == "failed"
    assert "never shared with a model" in run.job.reason
    assert service.requests == []


@pytest.mark.long
def test_the_offline_engine_reads_it_and_a_draft_of_a_model_gets_none_of_it(
    forest: Project, owner: User, data: DatasetVersion, service: Service, shelves: Site, settings: Any
) -> None:

    settings.LLM_ENGINE = "offline"
    run = researched(forest, owner, "What was the soil nitrogen of red alder?")
    settings.LLM_ENGINE = "auto"
    rows = run.findings.filter(source__document="cohort.csv")
    assert rows.exists(), "nothing leaves this machine, so it may quote the rows"
    section = forest.sections.get(slug="results")
    chosen = [{"run": str(run.pk), "finding_id": row.finding_id} for row in rows]
    with pytest.raises(Refused, match="quotes rows of") as refused:
        start_draft(section, owner, DraftRequest(findings=chosen))
    assert refused.value.code == "is_data"
    fits = fitting_findings(section, "red alder soil nitrogen")
    assert not {one["finding_id"] for one in fits if one["run"] == str(run.pk)} & {one["finding_id"] for one in chosen}
    draft = start_draft(section, owner, DraftRequest(findings=fits, instructions="Write of red alder."), enqueue=False)
    service.otherwise = lambda request: model_answer("Red alder grows in wet soil.")
    # As one would be that was asked for before the table became data of the thesis.
    type(draft).objects.filter(pk=draft.pk).update(findings=[*fits, *chosen])
    perform(str(draft.job_id))
    assert service.requests
    assert sent_cells(service) == []


def test_a_draft_that_puts_in_a_result_sends_no_row(
    forest: Project, owner: User, data: DatasetVersion, service: Service, shelves: Site
) -> None:

    section = forest.sections.get(slug="results")
    analysis = an_analysis(forest, owner, data)
    accept_blocks(
        insert_as_proposal(section, owner, result_insertion(section, analysis, ["sentence", "table:main"])), owner
    )
    section.refresh_from_db()
    service.otherwise = lambda request: model_answer("It went on.")
    draft = start_draft(section, owner, DraftRequest(kind="continue", instructions="Go on."), enqueue=False)
    perform(str(draft.job_id))
    assert "age" in sent(service)
    assert sent_cells(service) == []
    assert signed_in(owner).get(f"/api/drafts/{draft.pk}").status_code == 200
