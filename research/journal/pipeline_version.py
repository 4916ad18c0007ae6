"""The version of the pipeline that made a run, in the database and in files (SPEC R12; docs/decisions/journal.md)."""

from collections.abc import Mapping
from typing import Any

from research.models import Run

# Raise it by one when a run of the previous version could not be continued, or would not replay to the same report:
# when a step has another key, request or order, or when its answer leads to other rows or another report text.
# tests/research/test_versions.py fails until then, and says what else to do.
PIPELINE_VERSION = 2
FIRST = 1  # version of runs and files that name none
CHANGED = "pipeline_changed"  # event type of the entry after which another version continued the run


def versions_of(run: Run) -> list[int]:
    """Return the versions that have worked on `run`, in order."""
    changes = run.provenance.filter(event_type=CHANGED).values_list("details", flat=True)
    return [run.pipeline, *(details["to"] for details in changes)]


def versions_in(log: Mapping[str, Any]) -> list[int]:
    """Return the versions that made a provenance file, in order. Raises KeyError, TypeError or AttributeError if `log`
    is not one.
    """
    named = [log["header"].get("pipeline", FIRST)]
    named += [entry["details"]["to"] for entry in log["entries"] if entry["event_type"] == CHANGED]
    if not all(isinstance(version, int) for version in named):
        raise TypeError("The pipeline version must be a whole number.")
    return named


def versions_text(versions: list[int]) -> str:
    """Return the versions as text: "version 1", "versions 1 and 2"."""
    named = [str(version) for version in dict.fromkeys(versions)]
    return f"version {named[0]}" if len(named) == 1 else f"versions {', '.join(named[:-1])} and {named[-1]}"
