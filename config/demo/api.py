"""POST /api/demo: a copy of the demo thesis (SPEC P7)."""

from typing import Any
from uuid import UUID

from ninja import Router, Schema, Status

from config.demo.install import copy_demo
from projects.signed_in_request import PersonRequest

router = Router(tags=["Projects"])


class DemoCopyOut(Schema):
    """The id of the copy, and of the job that fills it."""

    project: UUID
    job: UUID


@router.post("/demo", response={202: DemoCopyOut})
def copy_the_demo(request: PersonRequest) -> Any:
    """Make a copy of the demo thesis for you, which a job fills with verdicts, data, a research run and analyses.

    While a copy of yours is being filled, no other one is made: the answer is that copy.
    """
    job = copy_demo(request.user)
    return Status(202, {"project": job.project_id, "job": job.pk})
