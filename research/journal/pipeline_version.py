"""Which version of the pipeline made a run, in rows and in files (SPEC R12; docs/decisions/journal.md)."""

from collections.abc import Mapping
from typing import Any

from research.models import Run

# Raise it by one when a run that the version before has begun could not be gone on with, or would not be replayed the
# same: when a step is asked for under another key, with another request or in another order, or when other rows or words
# follow from what it was answered. tests/research/test_versions.py fails until then, and says what else is to be done.
PIPELINE_VERSION = 2
FIRST = 1  # of runs and files that name none
CHANGED = "pipeline_changed"  # the entry of the log from which on another version has gone on with the run


def versions_of(run: Run) -> list[int]:
    """Return the versions that have worked on `run`, in their order."""
    changes = run.provenance.filter(event_type=CHANGED).values_list("details", flat=True)
    return [run.pipeline, *(details["to"] for details in changes)]


def versions_in(log: Mapping[str, Any]) -> list[int]:
    """Return the same for a provenance file. Raises KeyError, TypeError or AttributeError for a file of another shape."""
    named = [log["header"].get("pipeline", FIRST)]
    named += [entry["details"]["to"] for entry in log["entries"] if entry["event_type"] == CHANGED]
    if not all(isinstance(version, int) for version in named):
        raise TypeError("A version is a whole number.")
    return named


def said_of(versions: list[int]) -> str:
    """Return the versions in words: "version 1", "versions 1 and 2"."""
    named = [str(version) for version in dict.fromkeys(versions)]
    return f"version {named[0]}" if len(named) == 1 else f"versions {', '.join(named[:-1])} and {named[-1]}"
