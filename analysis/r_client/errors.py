"""Errors of the R service, with messages that can be shown to users."""

from dataclasses import asdict, dataclass
from typing import Any

HOW_TO_START = (
    "On the machine that runs Scholium, install R with docker/setup run and start Scholium again; "
    "or set R_PLUMBER_URLS to the address of the R service."
)


@dataclass
class EngineError(Exception):
    """An error that the R service returned, or one that happened while calling it.

    `code` is a code of the contract (unknown_column, not_numeric, ... busy, timeout, internal), or "absent" when no
    process answers. `message` says what is wrong and where, `hint` how to fix it; `suggest` names another analysis.
    """

    code: str
    message: str
    field: str = ""
    column: str = ""
    hint: str = ""
    suggest: str = ""
    status: int = 0  # HTTP status

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()

    def as_dict(self) -> dict[str, str]:
        """Return the error as it is saved with an analysis: {code, message, field, column, hint, suggest}."""
        return {key: value for key, value in asdict(self).items() if key != "status"}


def absent() -> EngineError:
    """Return the error for the case that no process of the service answers."""
    return EngineError("absent", "The analysis engine is not running.", hint=HOW_TO_START, status=503)


def error_in(status: int, answer: Any) -> EngineError:
    """Return the error that the JSON of a response describes; `internal` if it describes none."""
    error = answer.get("error") if isinstance(answer, dict) else None
    if not isinstance(error, dict) or not isinstance(error.get("code"), str):
        return EngineError("internal", "The analysis engine gave an answer that cannot be read.", status=status)
    return EngineError(
        **{key: str(error.get(key) or "") for key in ("code", "message", "field", "column", "hint", "suggest")},
        status=status,
    )
