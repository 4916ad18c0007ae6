"""What is left of an entry of the log, or of a step of the journal, when a file that the run read was deleted.

Both keep their place and their hash. Text is replaced by NOTE; numbers, hashes, and the names of files, sources and
catalogues stay. The log says in an entry of its own (DELETED) which entries that were, with the hash of each before and
after, so that what was taken out can still be told from what somebody changed.
"""

import re
from collections.abc import Mapping
from typing import Any

NOTE = "[deleted with its file]"
DELETED = "text_deleted"  # the entry of the log that says what was taken out of it
# Entries that hold no text of a file: ends of the run, and what catalogues and pages on the web gave.
_WITHOUT_TEXT = frozenset(
    {"run_completed", "run_failed", "run_cancelled", "run_reopened", "pipeline_changed", "budget_raised", DELETED}
    | {"engine_chosen", "tools_enabled", "provider_skipped", "provider_failed", "library_indexed"}
    | {"source_deduplicated", "page_read", "page_failed", "page_refused", "screening_completed"}
)
# Details that name things, and quote nothing.
_NAMES = frozenset(
    {"file", "sha256", "format", "status", "provider", "kind", "source_id", "source_ids", "source_type", "duplicate_of"}
    | {
        "engine",
        "model",
        "role",
        "host",
        "decision",
        "prompt_version",
        "query_type",
        "node",
        "parent",
        "mode",
        "by",
        "at",
    }
)
_HASH = re.compile(r"[0-9a-f]{64}")
KEPT_STEP = "begin"  # the first one: the engine, and the names and hashes of the files; no text of one


def blanked(event_type: str, summary: str, details: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the summary and the details of an entry without what may be text of a file. Done twice it changes nothing more."""
    if event_type in _WITHOUT_TEXT:
        return summary, dict(details)
    return NOTE, {name: value if name in _NAMES else without_text(value) for name, value in details.items()}


def without_text(value: Any) -> Any:
    """`value` with NOTE in the place of each text in it, except hashes; what things are called in it stays."""
    if isinstance(value, dict):
        return {name: one if name in _NAMES else without_text(one) for name, one in value.items()}
    if isinstance(value, list):
        return [without_text(one) for one in value]
    if not isinstance(value, str) or not value or _HASH.fullmatch(value):
        return value
    return NOTE


def blank_response(digest: str) -> dict[str, Any]:
    """Return what a step's response is replaced by: the note, and the hash that the whole step had."""
    return {"deleted": NOTE, "step_hash": digest}


def hash_before(step: Any) -> str | None:
    """Return the hash that a step had before its response was taken out; None for one that has its response."""
    is_step = isinstance(step, dict) and set(step) == {"key", "kind", "request_hash", "response"}
    response = step["response"] if is_step else None
    if not isinstance(response, dict) or set(response) != {"deleted", "step_hash"} or response["deleted"] != NOTE:
        return None
    found = response["step_hash"]
    return found if isinstance(found, str) and _HASH.fullmatch(found) else None
