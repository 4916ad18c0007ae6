"""The Draft panel and its proposals for tests: open them, ask, accept, and read what they show."""

import re
from typing import Any

import pytest

from projects.models import Project, User
from sections.models import Section
from tests.people import signed_in
from tests.thesis.proposals import TEXT, proposed, references
from thesis.models import Draft

HTMX = {"HX-Request": "true"}


@pytest.fixture
def results(project: Project, owner: User) -> Section:
    section: Section = project.sections.get(slug="results")
    return section.write(TEXT, based_on=0, by=owner)


@pytest.fixture
def draft(results: Section, owner: User) -> Draft:
    references(results.project)
    return proposed(results, owner)


def at(section: Section, path: str = "") -> str:
    return f"/projects/{section.project_id}/sections/{section.slug}/draft/{path}"


def panel(user: User, section: Section, query: str = "") -> str:
    response = signed_in(user).get(at(section) + query, headers=HTMX)
    assert response.status_code == 200
    return str(response.content.decode())


def visible_text(html: str | Any) -> str:
    """What a page says, without its marks."""
    html = html if isinstance(html, str) else html.content.decode()
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def ask(user: User, section: Section, *, htmx: bool = True, **data: Any) -> Any:
    return signed_in(user).post(at(section, "start/"), data, headers=HTMX if htmx else {})


def take(user: User, draft: Draft, **data: Any) -> Any:
    return signed_in(user).post(f"/drafts/{draft.pk}/take/", data)
