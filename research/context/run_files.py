"""The state of a run's files, and the notes that each question was given (SPEC X3, X9, X10).

Once the files are read, the state of each comes from the run's snapshot (ContextBundle), before that from its log. The
pages, the API and the structured output all show the same.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import quote

from django.conf import settings
from django.urls import reverse

from contextfiles.models import ContextFile, NodeContextSlice
from jobs.models import JobEvent, State
from research.context.digest_files import reader_query
from research.models import Run
from research.plurals import counted
from text.personal_data import counts_in_words
from untrusted.file_names import shortened

NONE = {"status": "none", "files_total": 0, "files_ready": 0, "files_error": 0}
PREPARED, ATTACHED = "context_for_node_ready", "report_context_attached"  # events
SUMMARY = 3  # notes that are shown of each file (X6)
STATUS_LABELS = {
    "waiting": "Waiting",
    "reading": "Reading",
    "ready": "Read",
    "error": "Could not be read",
    "left_out": "Left out",
}

NOTE_KIND_LABELS = {
    "fact": "Fact",
    "uncertainty": "Uncertainty",
    "analysis": "Analysis",
    "constraint": "Constraint",
    "case": "Case",
    "definition": "Definition",
    "lead": "Lead",
    "conflict": "Conflict",
}


class Place(NamedTuple):
    """A passage of a file: its id, "alder.md::S1", and the address that opens it, "" when the file was deleted."""

    source: str
    address: str

    @property
    def label(self) -> str:
        """Return its id with the file's name shortened to fit on a line."""
        document, _, passage = self.source.rpartition("::")
        return f"{shortened(document)}::{passage}"


@dataclass(frozen=True)
class Item:
    """One note taken from a file. `label` is its kind in words, "" for an unknown kind."""

    kind: str
    label: str
    text: str
    why_relevant: str
    places: list[Place]


@dataclass(frozen=True)
class FileInRun:
    """A file that was chosen for a run. `status` is a key of SAID, `said` its label, `reason` why the file has it.

    `passages` and `items` (its notes) are counts, None while not known; `address` is "" once the file was deleted.
    `personal` counts the apparent personal data in it, by kind.
    """

    id: str
    name: str
    sha256: str
    format: str
    status: str
    said: str
    reason: str = ""
    passages: int | None = None
    items: int | None = None
    personal: dict[str, int] = field(default_factory=dict)
    address: str = ""
    summary: list[Item] = field(default_factory=list)

    @property
    def holds(self) -> str:
        """Return the apparent personal data in it, "2 e-mail addresses and 1 date of birth"; "" for none."""
        return counts_in_words(self.personal) if self.personal else ""


_SLICE = ("mode", "selection_reason", "selected_items", "coverage_note", "dropped_items_count")


class GivenNotes(NamedTuple):
    """The notes that one question was given: the stored `row`, and its notes with links to their passages."""

    row: NodeContextSlice
    items: list[Item]

    @property
    def as_json(self) -> str:
        """The stored row as the API returns it, for the debug panel."""
        return json.dumps({name: getattr(self.row, name) for name in _SLICE}, indent=2, ensure_ascii=False)


@dataclass(frozen=True)
class DebugPanel:
    """The content of the debug panel (X9): how far reading has come, and the notes of the question that started last.

    Once the report is being written, `attached` is how many notes it has, and `given` is None. `before` are the events
    of the questions that started earlier, latest first.
    """

    processing: dict[str, Any]
    given: GivenNotes | None = None
    attached: int | None = None
    before: list[JobEvent] = field(default_factory=list)


def files_of(run: Run) -> list[FileInRun]:
    """Return the files of `run` with their current state, in the order they were chosen. Three queries at most."""
    bundled = {file["id"]: file for file in run.context.files} if run.context else {}
    known = bundled or _read_so_far(run)
    links = FileLinks.of(run)
    unread = (file["id"] for file in run.files if file["id"] not in known)
    known |= {one: _unread(run, is_next=place == 0) for place, one in enumerate(unread)}
    return [_file(file, known[file["id"]], links) for file in run.files]


def given_to(run: Run, number: str) -> GivenNotes | None:
    """Return the notes that question `number` was given; None while there are none. Three queries at most."""
    found = run.context.slices.filter(node_id=number).first() if run.context else None
    return GivenNotes(found, FileLinks.of(run).items(found.selected_items)) if found else None


def slices_of(run: Run) -> dict[str, NodeContextSlice]:
    """Return the notes of each question, by the question's number. Two queries at most."""
    return {row.node_id: row for row in run.context.slices.all()} if run.context else {}


def numbers_given(run: Run) -> set[str]:
    """Return the numbers of the questions that were given notes from the files. One query."""
    return set(NodeContextSlice.objects.filter(bundle=run.context_id).values_list("node_id", flat=True))


def processing_of(run: Run) -> dict[str, Any]:
    """Return how far reading the files has come: {status, files_total, files_ready, files_error} (X10)."""
    return {name: run.context_processing.get(name, value) for name, value in NONE.items()}


def files_context(run: Run) -> dict[str, Any]:
    """Return the template variables for the files of `run`; those of the debug panel only if UI_DEBUG is on."""
    about: dict[str, Any] = {"files": files_of(run), "processing": processing_of(run), "prepared": numbers_given(run)}
    return about | ({"debug": debug_panel_of(run)} if settings.UI_DEBUG else {})


def debug_panel_of(run: Run) -> DebugPanel:
    """Return the content of the debug panel for `run`. Four queries at most."""
    events = list(JobEvent.objects.filter(job=run.job_id, kind__in=(PREPARED, ATTACHED)).order_by("-seq"))
    by_node = {event.node: event for event in events[::-1] if event.kind == PREPARED}
    ready = sorted(by_node.values(), key=lambda event: -event.seq)
    if events and events[0].kind == ATTACHED:
        return DebugPanel(
            processing_of(run), attached=int(events[0].details.get("selected_items_count", 0)), before=ready
        )
    return DebugPanel(processing_of(run), given=given_to(run, ready[0].node) if ready else None, before=ready[1:])


def context_as_data(run: Run) -> dict[str, Any] | None:
    """Return {session_context_id, revision, files} for the API; None for a run without files.

    The id is None and the revision "" until all files are read.
    """
    if not run.files:
        return None
    return {
        "session_context_id": str(run.context.pk) if run.context else None,
        "revision": run.context.revision if run.context else "",
        "files": [_as_data(file) for file in files_of(run)],
    }


def files_sentence(run: Run) -> str:
    """Return sentences on which files were read, which failed and which were left out; "" for a run without files."""
    files = files_of(run)
    if not files:
        return ""
    read = [shortened(file.name) for file in files if file.status == "ready"]
    failed, left_out = (
        [f"{shortened(file.name)} ({file.reason.rstrip('.')})" for file in files if file.status == status]
        for status in ("error", "left_out")
    )
    none = f"No usable context: none of your files could be {'used' if left_out else 'read'}."
    of_all = f"{len(failed)} of {counted(len(files), 'file')}"
    said = (
        f"Read of your files: {_listed(read)}." if read else none,
        f"{of_all} could not be read: {_listed(failed)}." if failed else "",
        f"Left out: {_listed(left_out)}." if left_out else "",
    )
    return " ".join(filter(None, said))


def _listed(names: list[str], most: int = 20) -> str:
    """Return `names` as a list in a sentence: the first `most`, then how many more there are."""
    return "; ".join([*names[:most], f"{len(names) - most:,} more"] if len(names) > most else names)


class FileLinks(NamedTuple):
    """The addresses of a run's existing files, by name. `reading` is the part of a query from `reader_query`."""

    files: dict[str, str]
    reading: str = ""

    @classmethod
    def of(cls, run: Run) -> "FileLinks":
        """Return the addresses of the files of `run`."""
        ids = {file["id"]: file["name"] for file in run.files}
        there = ContextFile.objects.filter(project=run.project_id, pk__in=list(ids)).values_list("pk", flat=True)
        return cls(
            {ids[str(pk)]: reverse("contextfiles:file", args=[run.project_id, pk]) for pk in there}, reader_query(run)
        )

    def place(self, source: str, name: str = "") -> Place:
        """Return the passage `source`, which is "alder.md::S1", or "S1" with the file's `name`."""
        document, _, passage = source.rpartition("::")
        document = document or name
        at = self.files.get(document)
        return Place(f"{document}::{passage}", f"{at}?passage={quote(passage)}{self.reading}#passage" if at else "")

    def items(self, rows: Iterable[Mapping[str, Any]], name: str = "") -> list[Item]:
        """Return stored notes with their labels and links; `name` is the file's, if their sources do not name it."""
        return [
            Item(
                kind=row.get("kind", ""),
                label=NOTE_KIND_LABELS.get(row.get("kind", ""), ""),
                text=row["text"],
                why_relevant=row.get("why_relevant", ""),
                places=[self.place(source, name) for source in row.get("sources", ())],
            )
            for row in rows
        ]


def _read_so_far(run: Run) -> dict[str, dict[str, Any]]:
    """Return the results for the files read so far, by file id, from the log; names are unique within a run."""
    ids = {file["name"]: file["id"] for file in run.files}
    logged = run.provenance.filter(phase="binding", event_type__in=["file_ready", "file_error"]) if ids else []
    return {ids[entry.details["file"]]: entry.details for entry in logged if entry.details.get("file") in ids}


def _unread(run: Run, *, is_next: bool) -> dict[str, Any]:
    """Return the state of a file that has no result yet.

    Results are reported in the order of the files, so the next one without a result (`is_next`) counts as being read.
    """
    if run.job.has_ended:
        return {"status": "left_out", "error": "The run ended before it was read."}
    is_reading = run.job.state == State.RUNNING and run.context_processing.get("status") == "parsing"
    return {"status": "reading" if is_next and is_reading else "waiting"}


def _file(chosen: Mapping[str, str], known: Mapping[str, Any], links: FileLinks) -> FileInRun:
    status = known["status"]
    return FileInRun(
        id=chosen["id"],
        name=chosen["name"],
        sha256=chosen["sha256"],
        format=chosen["format"],
        status=status,
        said=STATUS_LABELS.get(status, status),
        reason=known.get("error") or chosen.get("error", ""),
        passages=known.get("segments") if status == "ready" else None,
        items=known.get("items") if status == "ready" else None,
        personal=dict(known.get("personal") or {}),
        address=links.files.get(chosen["name"], ""),
        summary=links.items((known.get("summary") or [])[:SUMMARY], chosen["name"]),
    )


def _as_data(file: FileInRun) -> dict[str, Any]:
    return {
        "id": file.id,
        "name": file.name,
        "sha256": file.sha256,
        "format": file.format,
        "status": file.status,
        "error": file.reason,
        "segments": file.passages,
        "personal": file.personal,
        "items": file.items,
        "summary": [
            {"kind": item.kind, "text": item.text, "sources": [place.source for place in item.places]}
            for item in file.summary
        ],
    }
