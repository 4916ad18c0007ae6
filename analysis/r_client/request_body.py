"""The body of a request to the R service, within the limits of its contract ("Limits")."""

import json
import math
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from analysis.r_client.errors import EngineError

CONTRACT = "1"
SEED = 20250101
MOST_BYTES = 20_000_000
MOST_ROWS = 50_000
MOST_COLUMNS = 30
MOST_CHARACTERS = 10_000  # of a cell
FORMATS = ("svg", "png", "pdf")


def body(
    columns: Sequence[Mapping[str, Any]],
    params: Mapping[str, Any],
    *,
    alpha: float = 0.05,
    conf_level: float = 0.95,
    seed: int = SEED,
    digits: int = 2,
    figures: Sequence[str] = FORMATS,
) -> dict[str, Any]:
    """Return a request with `columns` ({id, name, type, levels, values}); a sample size has none.

    Infinities become the strings "Inf" and "-Inf", NaN becomes missing. Raises EngineError too_large for more than 30
    columns or 50,000 rows, or a cell of more than 10,000 characters.
    """
    check_size(columns)
    data = {"data": {"columns": [{**one, "values": list(map(_finite, one["values"]))} for one in columns]}}
    return {
        "contract": CONTRACT,
        "request_id": str(uuid.uuid4()),
        "seed": seed,
        "locale": "en-GB",
        "alpha": alpha,
        "conf_level": conf_level,
        "params": dict(params),
        "output": {"figures": list(figures), "digits": digits, "script": True},
        **(data if columns else {}),
    }


def check_size(columns: Sequence[Mapping[str, Any]]) -> None:
    """Check the limits of the R service. Raises EngineError too_large for too many columns, rows or characters."""
    if len(columns) > MOST_COLUMNS:
        raise too_large(
            f"{len(columns)} columns are too many for one analysis: at most {MOST_COLUMNS}.", "Choose fewer variables."
        )
    for column in columns:
        rows = len(column["values"])
        if rows > MOST_ROWS:
            raise too_large(f"{rows:,} rows are too many: at most {MOST_ROWS:,}.", "Keep the rows that are needed.")
        for row, value in enumerate(column["values"], 1):
            if isinstance(value, str) and len(value) > MOST_CHARACTERS:
                raise too_large(
                    f"Row {row} of {column['name'][:60]} has more than {MOST_CHARACTERS:,} characters.",
                    "Shorten it, or leave the column out.",
                    column["id"],
                )


def _finite(value: Any) -> Any:
    """Return the value of a cell; NaN as None and infinities as "Inf" or "-Inf", which JSON cannot represent."""
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return None if math.isnan(value) else ("Inf" if value > 0 else "-Inf")


def encoded(request: Mapping[str, Any]) -> bytes:
    """Return the request as JSON. Raises EngineError too_large above 20 MB, bad_option for a non-finite number."""
    try:
        data = json.dumps(request, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:  # half of a surrogate pair cannot be encoded as UTF-8
        data = json.dumps(request, allow_nan=False, separators=(",", ":")).encode()
    except ValueError:
        raise EngineError("bad_option", "An option is not a finite number.", field="params", status=422) from None
    if len(data) > MOST_BYTES:
        raise too_large("The chosen columns have more than 20 MB.", "Choose fewer variables.")
    return data


def too_large(message: str, hint: str, column: str = "") -> EngineError:
    """Return the error for data beyond the limits of the R service."""
    return EngineError("too_large", message, field="data.columns", column=column, hint=hint, status=413)
