"""Drafts written by a model over real HTTP, or by the offline engine, in the test's own process."""

from collections.abc import Iterator
from typing import Any

import pytest
from pytest_django import Settings

from jobs.models import Job
from jobs.work import perform
from projects.models import Project, User
from sections.models import Section
from tests.servers.catalogues import Site
from tests.servers.messages import Service, serving
from thesis.drafting.start import DraftRequest, start_draft
from thesis.models import Draft

KEY = "sk-ant-never-to-be-seen"
TEXT = "Alder fixes nitrogen in its roots.\n\nThe soil is old.\n"
TRAILER = """
%%% BIBTEX %%%
@article{holt2021, title = {Litter of the alder}, author = {Holt, Ida}, year = {2021}, journal = {Forest Letters}}
"""


@pytest.fixture
def service(settings: Settings) -> Iterator[Service]:
    """The service that this installation is set up for. Catalogues refuse."""
    with serving() as running, Site() as refusing:
        settings.ANTHROPIC_API_KEY = KEY
        settings.ANTHROPIC_BASE_URL = running.url
        settings.S2_BASE_URL = refusing.base
        yield running


@pytest.fixture
def section(project: Project, owner: User) -> Section:
    """The introduction, with two paragraphs."""
    found: Section = project.sections.get(slug="introduction")
    return found.write(TEXT, based_on=found.version, by=owner)


def drafted(section: Section, user: User, **asked: Any) -> Draft:
    """The draft as it stands when its job has ended."""
    draft = start_draft(section, user, DraftRequest(**asked), enqueue=False)
    return performed(draft)


def performed(draft: Draft) -> Draft:
    perform(str(draft.job_id))
    return again(draft)


def again(draft: Draft) -> Draft:
    """`draft` as its row is now."""
    found: Draft = Draft.objects.select_related("job", "project", "section", "created_by").get(pk=draft.pk)
    return found


def event_texts(job: Job | None, kind: str = "draft_text") -> list[str]:
    assert job is not None
    return list(job.events.filter(kind=kind).order_by("seq").values_list("text", flat=True))


def streamed(draft: Draft) -> str:
    """The text of the last try that was told."""
    assert draft.job is not None
    rows = list(draft.job.events.filter(kind="draft_text").order_by("seq"))
    last = max((row.details["try"] for row in rows), default=0)
    return "".join(row.text for row in rows if row.details["try"] == last)
