"""Erasing text from log entries and journal steps when a file that the run read was deleted.

Both keep their place and their hash. Text is replaced by NOTE; numbers, hashes, and the names of files, sources and
catalogues stay. An entry of its own (DELETED) lists the changed entries with their hashes before and after, so that an
erased entry can still be told from a forged one.
"""

import re
from collections.abc import Mapping
from typing import Any

NOTE = "[deleted with its file]"
DELETED = "text_deleted"  # event type of the entry that lists what was erased
# Entries that contain no text of a file: about the run itself, and from catalogues and web pages.
_WITHOUT_TEXT = frozenset(
    {"run_completed", "run_failed", "run_cancelled", "run_reopened", "pipeline_changed", "budget_raised", DELETED}
    | {"engine_chosen", "tools_enabled", "provider_skipped", "provider_failed", "library_indexed"}
    | {"source_deduplicated", "page_read", "page_failed", "page_refused", "screening_completed"}
)
# Details that are names and never quote text.
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
KEPT_STEP = "begin"  # the first step: it has the engine and the names and hashes of the files, but no text


def erased_entry(event_type: str, summary: str, details: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the summary and details of an entry without anything that may be text of a file; idempotent."""
    if event_type in _WITHOUT_TEXT:
        return summary, dict(details)
    return NOTE, {name: value if name in _NAMES else erased_value(value) for name, value in details.items()}


def erased_value(value: Any) -> Any:
    """Return `value` with each text in it replaced by NOTE, except hashes and names."""
    if isinstance(value, dict):
        return {name: one if name in _NAMES else erased_value(one) for name, one in value.items()}
    if isinstance(value, list):
        return [erased_value(one) for one in value]
    if not isinstance(value, str) or not value or _HASH.fullmatch(value):
        return value
    return NOTE


def erased_response(digest: str) -> dict[str, Any]:
    """Return the replacement for a step's response: the note, and the hash that the whole step had."""
    return {"deleted": NOTE, "step_hash": digest}


def hash_before(step: Any) -> str | None:
    """Return the hash that a step had before its response was erased; None for a step with its response."""
    is_step = isinstance(step, dict) and set(step) == {"key", "kind", "request_hash", "response"}
    response = step["response"] if is_step else None
    if not isinstance(response, dict) or set(response) != {"deleted", "step_hash"} or response["deleted"] != NOTE:
        return None
    found = response["step_hash"]
    return found if isinstance(found, str) and _HASH.fullmatch(found) else None
