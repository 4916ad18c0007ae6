"""/api/jobs/{id}: the state of a job, and its events."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from django.http import HttpRequest
from ninja import ModelSchema, Router
from pydantic import Field

from jobs.models import Job, JobEvent
from jobs.registry import get_job, get_job_for_events

router = Router(tags=["Jobs"])


class JobOut(ModelSchema):
    """A background job. `state` is queued, running, paused, waiting, done, failed or cancelled."""

    id: UUID
    reason: str
    started_at: datetime | None
    ended_at: datetime | None

    class Meta:
        model = Job
        fields = [
            "kind",
            "subject",
            "state",
            "progress",
            "progress_total",
            "attempts",
            "last_seq",
            "counters",
            "created_at",
        ]


class EventOut(ModelSchema):
    """An event of a job. `seq` numbers have no gaps."""

    node: str
    phase: str

    class Meta:
        model = JobEvent
        fields = ["seq", "at", "kind", "text", "counters", "details"]


@router.get("/jobs/{uuid:job_id}", response=JobOut, summary="Get a job")
def read(request: HttpRequest, job_id: UUID) -> Job:
    """Get a job."""
    return get_job(request.user, job_id)


@router.get(
    "/jobs/{uuid:job_id}/events", response=list[EventOut], summary="List the events after a given number, in order"
)
def events(
    request: HttpRequest,
    job_id: UUID,
    after: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0,
    limit: Annotated[int, Field(ge=1, le=1000)] = 500,
) -> list[JobEvent]:
    """List the events after a given number, in order."""
    return list(get_job_for_events(request.user, job_id).events.filter(seq__gt=after)[:limit])
