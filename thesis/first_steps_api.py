"""/api/projects/{id}/first-steps: what a new thesis still needs, and whether the list is shown."""

from typing import Any
from uuid import UUID

from ninja import Router, Schema

from projects.access import get_project
from projects.signed_in_request import PersonRequest
from thesis.first_steps import first_steps, put_away

router = Router(tags=["Thesis"])
ADDRESS = "/projects/{uuid:project_id}/first-steps"


class StepOut(Schema):
    """A step: write, reference, cite, upload or build; `href` is the page where it is done."""

    name: str
    title: str
    href: str
    is_done: bool


class FirstStepsOut(Schema):
    """The steps in order. `is_put_away`: you have put the list away; `is_shown`: pages show it to you."""

    steps: list[StepOut]
    is_put_away: bool
    is_shown: bool


class FirstStepsIn(Schema):
    """Whether to put the list away for you in this thesis."""

    is_put_away: bool


@router.get(ADDRESS, response=FirstStepsOut, summary="The first steps in a thesis")
def read(request: PersonRequest, project_id: UUID) -> Any:
    """A step is done by what is in the thesis, whoever did it."""
    return first_steps(get_project(request.user, project_id, "write"), request.user)


@router.put(ADDRESS, response=FirstStepsOut, summary="Put the first steps away, or bring them back")
def change(request: PersonRequest, project_id: UUID, data: FirstStepsIn) -> Any:
    """Only for you, in this thesis."""
    project = get_project(request.user, project_id, "write")
    put_away(project, request.user, away=data.is_put_away)
    return first_steps(project, request.user)
