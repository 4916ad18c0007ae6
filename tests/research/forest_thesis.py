"""A small thesis to research: two files and two references about red alder, and one file about bread."""

from pathlib import Path

import pytest

from citations.importing.file_import import import_entries
from contextfiles.models import ContextFile
from contextfiles.upload import store_path
from jobs.work import perform
from projects.models import Project, User
from research.models import Run
from tests.start_run import start_run

QUESTION = "How does planting red alder change soil nitrogen and the growth of Douglas-fir?"

ALDER = """# Red alder and soil nitrogen

Red alder was planted beside Douglas-fir on 14 plots in 2003. Total soil nitrogen rose from 0.21% to 0.34% within
12 years on plots with red alder. On plots without red alder soil nitrogen stayed at 0.22%.

## Growth

Mean height of Douglas-fir was 11.4 m next to red alder and 9.8 m without red alder.

## Limits

The plots with red alder were not randomised.
"""
NITRATE = """# Nitrate under red alder

Under red alder, nitrate leaching from the soil reached 18 kg of nitrogen per hectare in wet years.
Soil nitrogen did not rise under red alder on the driest site.
"""
BREAD = "# Bread\n\nSourdough was baked at 230 degrees for 45 minutes. Crumb hardness fell from 12 N to 9 N.\n"

REFERENCES = """
@article{binkley2003, author = {Binkley, Dan and Senock, Randy}, title = {Red alder and Douglas-fir in mixture},
 journal = {Forest Letters}, year = {2003}, volume = {12}, pages = {1--9}, doi = {10.5555/alder.1},
 abstract = {Soil nitrogen under red alder was 0.30% after 50 years. \
Growth of Douglas-fir beside red alder was 20% faster on poor sites.}}
@book{rossi1999, author = {Rossi, Anna}, title = {Mixed stands}, publisher = {Silva}, year = {1999}}
"""


def write(folder: Path, project: Project, user: User, name: str, text: str) -> ContextFile:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return store_path(project, user, path)


def plant(project: Project, user: User, folder: Path) -> Project:
    """`project` with its references and two files on red alder, which are written into `folder` first."""
    import_entries(project, REFERENCES)
    write(folder, project, user, "alder.md", ALDER)
    write(folder, project, user, "nitrate.md", NITRATE)
    return project


@pytest.fixture
def forest(project: Project, owner: User, tmp_path: Path) -> Project:
    """The thesis "Alder and soil" with what is known of red alder."""
    return plant(project, owner, tmp_path)


def researched(project: Project, user: User, question: str = QUESTION, **options: object) -> Run:
    """A run of `project` conducted to its end in this process."""
    options = {"profile": "local-only", "file_ids": [file.pk for file in project.context_files.all()], **options}
    run = start_run(project, user, question, enqueue=False, **options)
    perform(str(run.job_id))
    run.refresh_from_db()
    run.job.refresh_from_db()
    return run
