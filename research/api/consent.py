"""/api/runs/{id}/consent: what looks like personal data in the files of a run, and what a person decides (SPEC X2)."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.http import HttpRequest
from ninja import Router, Schema

from core.errors import Refused
from research.access import get_run
from research.files.consent import awaits_consent, decide, found_in
from research.models import Run

router = Router(tags=["Research"])


class ConsentIn(Schema):
    """`send` lets the files with personal data be sent to the model; `leave_out` works on without them."""

    decision: Literal["send", "leave_out"]


class ConsentOut(Schema):
    """What looks like data of persons, by file and kind, and the model at whose address it would be sent.

    `waits` says whether a decision is waited for. `decision` is send or leave_out, with `by` and `at`; null while there
    is none, or when none is needed since the model is on this machine (`host` is "" then).
    """

    waits: bool
    files: dict[str, dict[str, int]]
    engine: str
    host: str
    decision: Literal["send", "leave_out"] | None
    by: str
    at: datetime | None


def consent_as_data(run: Run) -> dict[str, Any] | None:
    """ConsentOut of `run`; None when nothing was found in its files, or not yet."""
    found = found_in(run) if run.files else None
    if found is None:
        return None
    decided = {"decision": None, "by": "", "at": None} | {
        key: run.consent[key] for key in run.consent if key in _DECIDED
    }
    return {"waits": awaits_consent(run), "files": found.files, "engine": found.engine, "host": found.host, **decided}


_DECIDED = ("decision", "by", "at")


def _find(request: HttpRequest, run_id: UUID, act: Any = "read") -> Run:
    return get_run(request.user, run_id, act)


@router.get("/runs/{uuid:run_id}/consent", response=ConsentOut, summary="What looks like personal data in the files")
def found(request: HttpRequest, run_id: UUID) -> dict[str, Any]:
    data = consent_as_data(_find(request, run_id))
    if data is None:
        raise Refused("No personal data was found in the files of this run.", code="not_possible", status=409)
    return data


@router.post("/runs/{uuid:run_id}/consent", response=ConsentOut, summary="Decide about personal data, and go on")
def decide_about(request: HttpRequest, run_id: UUID, decided: ConsentIn) -> dict[str, Any] | None:
    decide(_find(request, run_id, "write"), request.user, decided.decision)  # type: ignore[arg-type]
    return consent_as_data(_find(request, run_id))
