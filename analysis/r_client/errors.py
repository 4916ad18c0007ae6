"""What R answered instead of a result, in words that can be shown."""

from dataclasses import asdict, dataclass
from typing import Any

HOW_TO_START = (
    "Where Scholium runs, install R with docker/setup run and start Scholium again; "
    "or set R_PLUMBER_URLS to where the R service runs."
)


@dataclass
class EngineError(Exception):
    """An error of the R service's contract, or one on the way to it.

    `code` is one of the contract's (unknown_column, not_numeric, ... busy, timeout, internal), or "absent" when no
    process answers; `message` says what and where, `hint` how to mend it, `suggest` names another analysis.
    """

    code: str
    message: str
    field: str = ""
    column: str = ""
    hint: str = ""
    suggest: str = ""
    status: int = 0  # of HTTP

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()

    def as_dict(self) -> dict[str, str]:
        """As it is kept with an analysis: {code, message, field, column, hint, suggest}."""
        return {key: value for key, value in asdict(self).items() if key != "status"}


def absent() -> EngineError:
    """No process of the service answers."""
    return EngineError("absent", "The analysis engine is not running.", hint=HOW_TO_START, status=503)


def error_in(status: int, answer: Any) -> EngineError:
    """Return the error in an answer's JSON; `internal` when it has none."""
    error = answer.get("error") if isinstance(answer, dict) else None
    if not isinstance(error, dict) or not isinstance(error.get("code"), str):
        return EngineError("internal", "The analysis engine gave no answer that can be read.", status=status)
    return EngineError(
        **{key: str(error.get(key) or "") for key in ("code", "message", "field", "column", "hint", "suggest")},
        status=status,
    )
