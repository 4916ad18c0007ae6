"""/api/runs/{id}/consent: what looks like personal data in the files of a run, and the user's decision (SPEC X2)."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from ninja import Router, Schema

from core.errors import Refused
from projects.signed_in_request import PersonRequest
from research.access import get_run
from research.context.consent import awaits_consent, decide, found_in
from research.models import Run

router = Router(tags=["Research"])


class ConsentIn(Schema):
    """`send` allows the files with personal data to be sent to the model; `leave_out` continues without them."""

    decision: Literal["send", "leave_out"]


class ConsentOut(Schema):
    """What looks like personal data, by file and kind, and the model and host it would be sent to.

    `waits` says whether the run is waiting for a decision. `decision` is send or leave_out, with `by` and `at`; null
    while there is none, and if none is needed because the model is on this machine (`host` is "" then).
    """

    waits: bool
    files: dict[str, dict[str, int]]
    engine: str
    host: str
    decision: Literal["send", "leave_out"] | None
    by: str
    at: datetime | None


def consent_as_data(run: Run) -> dict[str, Any] | None:
    """Return the data of ConsentOut for `run`; None if no personal data was found in its files, or not yet."""
    found = found_in(run) if run.files else None
    if found is None:
        return None
    given = run.consent
    return {
        **found._asdict(),
        "decision": given.get("decision"),
        "by": given.get("by", ""),
        "at": given.get("at"),
        "waits": awaits_consent(run),
    }


@router.get(
    "/runs/{uuid:run_id}/consent", response=ConsentOut, summary="Get what looks like personal data in the files"
)
def found(request: PersonRequest, run_id: UUID) -> dict[str, Any]:
    """Get what looks like personal data in the files."""
    data = consent_as_data(get_run(request.user, run_id))
    if data is None:
        raise Refused("No personal data was found in the files of this run.", code="not_possible", status=409)
    return data


@router.post(
    "/runs/{uuid:run_id}/consent", response=ConsentOut, summary="Decide about personal data and resume the run"
)
def decide_about(request: PersonRequest, run_id: UUID, decided: ConsentIn) -> dict[str, Any] | None:
    """Decide about personal data and resume the run."""
    decide(get_run(request.user, run_id, "write"), request.user, decided.decision)
    return consent_as_data(get_run(request.user, run_id))
