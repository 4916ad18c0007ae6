"""How far an analysis is: by its job while that lives, by its row once it has ended."""

from analysis.models import Analysis
from jobs.models import State

_WAITING = (State.QUEUED, State.PAUSED, State.WAITING)


def state_of(analysis: Analysis) -> str:
    """queued, running, done, failed or cancelled."""
    if analysis.ended_at is not None:
        if analysis.error is None:
            return "done"
        return "cancelled" if analysis.error.get("code") == "cancelled" else "failed"
    if analysis.job is None:
        return "failed"
    if analysis.job.state in _WAITING:
        return "queued"
    return str(analysis.job.state)


def reason_of(analysis: Analysis) -> str:
    """Why there is no result, as a sentence with what to do; "" while it runs and when there is one."""
    if analysis.error:
        return f"{analysis.error.get('message', '')} {analysis.error.get('hint', '')}".strip()
    return analysis.job.reason if analysis.job is not None else ""
