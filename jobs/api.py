"""/api/jobs/{id}: how a job stands, and its events."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import Field

from jobs.access import get_job, get_told_job
from jobs.models import Job, JobEvent

router = Router(tags=["Jobs"])


class JobOut(Schema):
    """A long job. `state` is queued, running, paused, waiting, done, failed or cancelled."""

    id: UUID
    kind: str
    subject: UUID
    state: str
    reason: str
    progress: int
    progress_total: int
    attempts: int
    last_seq: int
    counters: dict[str, Any]
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None


class EventOut(Schema):
    """One event of a job; `seq` has no gaps."""

    seq: int
    at: datetime
    kind: str
    text: str
    node: str
    phase: str
    counters: dict[str, Any]
    details: dict[str, Any]


@router.get("/jobs/{uuid:job_id}", response=JobOut, summary="How a job stands")
def read(request: HttpRequest, job_id: UUID) -> Job:
    return get_job(request.user, job_id)


@router.get("/jobs/{uuid:job_id}/events", response=list[EventOut], summary="Events after a number, in order")
def events(
    request: HttpRequest,
    job_id: UUID,
    after: Annotated[int, Field(ge=0)] = 0,
    limit: Annotated[int, Field(ge=1, le=1000)] = 500,
) -> list[JobEvent]:
    found = get_told_job(request.user, job_id)
    return list(found.events.filter(seq__gt=after)[:limit])
