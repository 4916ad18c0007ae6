"""The demo thesis, a half-finished thesis in critical care (SPEC P7; config/demo/README.md).

Its data are seven trials to pool and a made-up cohort (SPEC N1 to N4). The demo user has one, and everybody can make a
copy of their own. A job fills it: verdicts by the demo catalogue, data, a research run and analyses.
"""

import json
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from asgiref.sync import async_to_sync
from django.conf import settings
from django.core.files.base import ContentFile
from django.db import transaction

from analysis.datasets.edit_dataset import confirm, start_dataset
from analysis.models import DatasetVersion
from analysis.r_client.client import health
from analysis.running.start import AnalysisRequest, start_analysis
from citations.importing.file_import import import_entries
from citations.resolution.demo_catalogue import check_with_demo_catalogue, work_from_csl
from contextfiles.upload import store_path
from jobs.models import Job
from jobs.work import perform, raise_if_stopped, set_progress
from projects.models import DEMO_EMAIL, Project, User
from research.models import Run
from research.setup.start import RunRequest, start_run
from sections.models import Section

HERE = Path(__file__).parent
EMAIL = DEMO_EMAIL
NAME = "Asha Menon"
PASSWORD = "scholium-demo"
TITLE = "Systemic corticosteroids and 28-day mortality in critically ill patients with COVID-19"
UNCHECKED = ("recovery2020hcq",)  # the reference that is not looked up, to show what that looks like
KIND = "demo_data"  # kind of the job that fills a demo thesis
START = 60.0  # seconds to wait for R, once
QUESTION = (HERE / "question.txt").read_text(encoding="utf-8").strip()


def install(reset: bool = True) -> Project:
    """Install the demo thesis, owned by the demo user, and return it.

    With `reset`, an existing demo thesis is replaced, with its files, runs and every change made to it, and the demo
    user gets the original name and password back. Without it, the existing thesis is returned unchanged. Other theses
    of the demo user are kept. Everything happens in one transaction.
    """
    with transaction.atomic():
        old = list(Project.objects.filter(is_demo=True, memberships__user__email=EMAIL))
        if old and not reset:
            return old[0]
        for thesis in old:
            thesis.delete()
        return _start_thesis(_person()).project


def copy_demo(user: User) -> Job:
    """Create a copy of the demo thesis, owned by `user`, and return the job that fills it.

    While a copy of the same user is being filled, no other one is created, and its job is returned.
    """
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=user.pk)  # two clicks make one copy
        mine = Job.objects.filter(kind=KIND, created_by=user, project__is_demo=True).alive()
        return mine.select_related("project").first() or _start_thesis(user)


def install_on_empty() -> Project | None:
    """Install the demo thesis if there are no users yet, and return it; else return None."""
    return None if User.objects.exists() else install()


def _person() -> User:
    person = User.objects.filter(email=EMAIL).first()
    if person is None:
        return User.objects.create_user(EMAIL, PASSWORD, name=NAME)
    person.name, person.is_active = NAME, True
    person.set_password(PASSWORD)
    person.save()
    return person


def _start_thesis(person: User) -> Job:
    """Create the demo thesis of `person` and return the job that fills it."""
    project = Project.objects.create_for(
        person,
        title=TITLE,
        discipline="Critical care",
        degree="MD",
        study_design="Systematic review and meta-analysis",
        question=QUESTION,
        citation_style="vancouver",
        default_profile="local-only",
        is_demo=True,
    )
    for name in ("works.json", "references.bib"):
        import_entries(project, (HERE / name).read_text(encoding="utf-8"))
    for section in Section.objects.filter(project=project):
        draft = HERE / "chapters" / f"{section.slug}.tex"
        if draft.exists():
            section.write(draft.read_text(encoding="utf-8"), based_on=section.version, by=person)
    # Last: bytes on the disk do not roll back with the rows.
    for path in sorted((HERE / "files").glob("*.md")):
        store_path(project, person, path)
    return Job.objects.start(project=project, kind=KIND, subject=project.pk, user=person)


class DemoAnalysis(NamedTuple):
    """A question and the analysis that answers it; `params` refer to columns by name."""

    title: str
    file: str
    name: str
    params: dict[str, Any]


QUESTIONS = [
    DemoAnalysis(
        "Do corticosteroids change 28-day mortality?",
        "trials.csv",
        "meta",
        {
            "study": "trial",
            "events_1": "deaths_steroid",
            "n_1": "n_steroid",
            "events_2": "deaths_control",
            "n_2": "n_control",
            "options": {"measure": "OR", "method": "FE"},
        },
    ),
    DemoAnalysis(
        "Who was in the two groups?",
        "patients.csv",
        "table1",
        {
            "columns": ["age", "sex", "bmi", "diabetes", "apache2", "crp", "ventilated"],
            "group": "group",
            "options": {"smd": True},
        },
    ),
    DemoAnalysis(
        "What goes with death by day 28?",
        "patients.csv",
        "logistic",
        {"outcome": "died", "predictors": ["group", "age", "sex", "apache2", "diabetes", "ventilated"]},
    ),
    DemoAnalysis(
        "How long did patients survive in each group?",
        "patients.csv",
        "kaplan_meier",
        {"time": "time_days", "event": "died", "group": "group", "options": {"at": [7, 14, 28]}},
    ),
    DemoAnalysis(
        "What goes with the hazard of death?",
        "patients.csv",
        "cox",
        {
            "time": "time_days",
            "event": "died",
            "predictors": ["group", "age", "sex", "apache2", "diabetes", "ventilated"],
        },
    ),
    DemoAnalysis(
        "How well does APACHE II tell who dies?",
        "patients.csv",
        "roc",
        {"outcome": "died", "score": "apache2"},
    ),
]


MEANINGS: dict[str, dict[str, dict[str, Any]]] = {
    "patients.csv": {
        "group": {"label": "Treatment"},
        "age": {"label": "Age", "unit": "years"},
        "sex": {"label": "Sex"},
        "bmi": {"label": "Body mass index", "unit": "kg/m²"},
        "diabetes": {"label": "Diabetes"},
        "apache2": {"label": "APACHE II score"},
        "crp": {"label": "C-reactive protein", "unit": "mg/L"},
        "ventilated": {"label": "Invasive ventilation"},
        "los_days": {"label": "Length of stay", "unit": "days"},
        "time_days": {"label": "Time", "unit": "days"},
        "died": {"label": "Death by day 28"},
        "fièvre_°C": {"label": "Temperature", "unit": "°C"},
    }
}


Step = tuple[str, Callable[[], object]]  # its words on the page, and what it does


def fill_demo(job: Job) -> None:
    """Fill the demo thesis of the job, one step after the other (job handler). Without R, there are no analyses.

    Safe to run again after a crash: what exists is kept.
    """
    steps = list(steps_of(job))
    for done, (_, do) in enumerate(steps):
        raise_if_stopped(job)
        set_progress(job, done, len(steps))
        do()
    set_progress(job, len(steps), len(steps))


def steps_of(job: Job) -> Iterator[Step]:
    """Yield the steps that fill the thesis of `job`, in order."""
    project, user = job.project, job.created_by or job.project.owner
    yield "Checking the references with the demo catalogue", partial(_check_references, project)
    for path in sorted((HERE / "data").glob("*.csv")):
        yield f"Reading {path.name}", partial(_dataset, project, user, path)
    yield "Researching a question in its files and references", partial(_research, project, user)
    for number, asked in enumerate(QUESTIONS):
        wait = 0 if number else START  # R may still be starting when the demo is installed
        yield f"Analysis in R: {asked.title}", partial(_analysis, job, project, user, asked, wait)


def _check_references(project: Project) -> None:
    works = json.loads((HERE / "works.json").read_text(encoding="utf-8"))
    check_with_demo_catalogue(project, [work_from_csl(work) for work in works], UNCHECKED)


def _research(project: Project, user: User) -> None:
    """Run the demo question on this machine, as the offline engine answers it; a run that exists is continued."""
    run = Run.objects.filter(project=project).order_by("pk").first()
    if run is None:
        files = list(project.context_files.values_list("pk", flat=True))
        run = start_run(project, user, RunRequest(QUESTION, "local-only", file_ids=files), enqueue=False)
    perform(str(run.job_id))


def _engine_answers(job: Job, wait: float) -> bool:
    """Return whether R answers, now or within `wait` seconds."""
    until = time.monotonic() + wait
    while settings.R_PLUMBER_URLS:
        if any(one["ok"] for one in async_to_sync(health)()):
            return True
        raise_if_stopped(job)
        if time.monotonic() >= until:
            break
        time.sleep(0.5)
    return False


def _dataset(project: Project, user: User, path: Path) -> None:
    """Import a dataset and confirm its column types and labels, as set in MEANINGS."""
    version = DatasetVersion.objects.filter(dataset__project=project, dataset__name=path.name).first()
    if version is None:
        version = start_dataset(project, user, path.name, ContentFile(path.read_bytes(), path.name), enqueue=False)
        perform(str(version.job_id))
        version.refresh_from_db()
    if version.state == DatasetVersion.State.PROPOSED:
        ids = {column["name"]: column["id"] for column in version.columns}
        confirm(version, user, {ids[name]: meaning for name, meaning in MEANINGS.get(path.name, {}).items()})


def _analysis(job: Job, project: Project, user: User, asked: DemoAnalysis, wait: float) -> None:
    if project.analyses.filter(title=asked.title).exists() or not _engine_answers(job, wait):
        return
    version = DatasetVersion.objects.filter(dataset__project=project, dataset__name=asked.file).first()
    if version is None or version.state != DatasetVersion.State.READY:
        return
    ids = {column["name"]: column["id"] for column in version.columns}
    params = {name: _with_ids(value, ids) if name != "options" else value for name, value in asked.params.items()}
    request = AnalysisRequest(asked.name, data=version, params=params, title=asked.title)
    perform(str(start_analysis(project, user, request, enqueue=False).job_id))


def _with_ids(value: Any, ids: dict[str, str]) -> Any:
    return [ids[name] for name in value] if isinstance(value, list) else ids[value]
