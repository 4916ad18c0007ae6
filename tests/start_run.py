"""Research runs for tests: options that are not given have the defaults of the form."""

from typing import Any

from projects.models import Project, User
from research.models import Run
from research.setup import start
from research.setup.budget import Budget
from research.setup.start import RunRequest


def run_request(question: str, **asked: Any) -> RunRequest:
    """Return a request with these options; the limits are budget, budget_tokens, budget_calls and budget_minutes."""
    columns = {"budget": "usd"} | {f"budget_{name}": name for name in ("tokens", "calls", "minutes")}
    limits = {limit: asked.pop(name) for name, limit in columns.items() if name in asked}
    return RunRequest(question, budget=Budget(**limits), **asked)


def start_run(project: Project, user: User, question: str, *, enqueue: bool = True, **asked: Any) -> Run:
    return start.start_run(project, user, run_request(question, **asked), enqueue=enqueue)
