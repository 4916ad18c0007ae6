"""The provenance log: append-only, each entry chained to the one before by its hash (SPEC R12).

hash = SHA-256 of the canonical JSON of {previous_hash, seq, timestamp, phase, event_type, summary, details}; the first
entry's previous_hash is the hash of the header's frozen part. The last entry of a run that has ended (LAST) states the
number of entries, the time of the end, and the length and hash of the journal. So edited, removed or moved entries, a
changed header or journal, and a truncated log are all detected.

When a file is deleted, its text is erased from the log too (erasure.py), and the chain keeps the hashes of the
original entries. When a finished run is followed up (R17), it is reopened and its log continues: each end covers
everything before it.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from django.db import transaction
from django.utils import timezone

from core.errors import Refused
from core.fast_sql import insert
from core.grouping import first_values
from core.uuids import uuid_in
from research.journal.erasure import DELETED, erased_entry, hash_before
from research.journal.pipeline_version import FIRST
from research.models import ProvenanceEntry, Run

FORMAT_VERSION = 1
WITH_DELETIONS = 2  # the format of a log with erased text: a program that knows only format 1 would call it edited
END_EVENTS = ("run_completed", "run_failed", "run_cancelled")  # event types that end a run
REOPENED = "run_reopened"  # the only event type that may follow one of LAST
_FROZEN = ("session_id", "query", "profile", "profile_config", "started_at")
_SINCE = ("pipeline",)  # frozen as well, in headers that have it: version 1 of the pipeline did not write it
_HASHED = ("seq", "timestamp", "phase", "event_type", "summary", "details", "previous_hash")
_COLUMNS = ("seq", "at", "phase", "event_type", "summary", "details", "previous_hash", "hash")


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def canonical(value: Any) -> bytes:
    """Return the canonical JSON of `value`: sorted keys, no spaces, UTF-8."""
    return _CANONICAL.encode(value).encode()


def digest(value: Any) -> str:
    """Return the SHA-256 of the canonical JSON of `value`, in hexadecimal."""
    return hashlib.sha256(canonical(value)).hexdigest()


def header_of(run: Run) -> dict[str, Any]:
    """Return the header of the log: the keys of R12, and `pipeline` for versions of the pipeline from 2 on."""
    return {
        "session_id": str(run.pk),
        "query": run.question,
        "profile": run.profile,
        "profile_config": run.profile_config,
        "started_at": run.created_at.isoformat(),
        "completed_at": run.completed_at.isoformat() if run.completed_at else None,
        **({"pipeline": run.pipeline} if run.pipeline != FIRST else {}),
    }


def genesis(header: Mapping[str, Any]) -> str:
    """Return the hash that the first entry chains to: that of the header's fields that never change."""
    return digest({key: header.get(key) for key in _FROZEN} | {key: header[key] for key in _SINCE if key in header})


def hash_of(entry: Mapping[str, Any]) -> str:
    """Return the hash that an entry must have, computed from its fields and its `previous_hash`."""
    return digest({key: entry.get(key) for key in _HASHED})


class Entry(NamedTuple):
    """A new entry for the log; `phase` is binding, brief, supervision, synthesis or verification."""

    phase: str
    event_type: str
    summary: str
    details: dict[str, Any]


@dataclass
class Head:
    """The end of the log of a run: its number of entries, and the hash that the next one chains to."""

    length: int
    hash: str

    @classmethod
    def of(cls, run: Run) -> "Head":
        """Return the current end of the log of `run`."""
        length, head = Run.objects.values_list("provenance_length", "provenance_head").get(pk=run.pk)
        return cls(length, head or genesis(header_of(run)))


def append(run: Run, *entries: Entry) -> None:
    """Append `entries` to the log of `run`. Locks the run's row, so that the chain never forks."""
    with transaction.atomic(savepoint=False):
        Run.objects.select_for_update(no_key=True).only("pk").get(pk=run.pk)
        Run.objects.filter(pk=run.pk).update(**chain(run, Head.of(run), entries))


def chain(run: Run, head: Head, entries: Iterable[Entry]) -> dict[str, Any]:
    """Write `entries` after `head`, advance `head`, and return the columns to update in the run's row.

    For callers that know the head because nobody else writes to this log. If somebody did, the number of the entry is
    taken and the database refuses it, so the chain never forks.
    """
    rows = []
    for entry in entries:
        at = timezone.now()
        details = json.loads(canonical(entry.details))  # exactly as a reader of the log will get them
        row = (head.length + 1, at, entry.phase, entry.event_type, entry.summary, details, head.hash)
        head.length, head.hash = head.length + 1, hash_of(_as_dict(row))
        rows.append((run.pk, *row, head.hash))
    insert(ProvenanceEntry, ("run_id", *_COLUMNS), rows)
    return {"provenance_length": head.length, "provenance_head": head.hash}


def as_dict(row: ProvenanceEntry) -> dict[str, Any]:
    """Return a log entry as the provenance file has it."""
    return _as_dict([getattr(row, name) for name in _COLUMNS])


def _as_dict(row: Sequence[Any]) -> dict[str, Any]:
    """Return an entry of the file from the columns of its row (_COLUMNS), with or without the hash."""
    seq, at, *others = row
    return {"seq": seq, "timestamp": at.isoformat(), **dict(zip(_COLUMNS[2:], others, strict=False))}


def log_of(run: Run) -> dict[str, Any]:
    """Return the provenance file of `run`: {header, entries, journal, format_version}."""
    # Plain tuples: making a model object for each entry of a long log takes longer than reading it.
    entries = [_as_dict(row) for row in run.provenance.values_list(*_COLUMNS)]
    return {
        "format_version": _format_of(entries),
        "header": header_of(run),
        "entries": entries,
        "journal": journal_of(run),
    }


def _format_of(entries: Iterable[Any]) -> int:
    told = (entry.get("event_type") == DELETED for entry in entries if isinstance(entry, dict))
    return WITH_DELETIONS if any(told) else FORMAT_VERSION


def journal_of(run: Run) -> list[dict[str, Any]]:
    """Return the steps of `run` in the order they were stored: [{key, kind, request_hash, response}]."""
    return [dict(step) for step in run.steps.order_by("id").values("key", "kind", "request_hash", "response")]


def journal_hash(journal: Iterable[Any]) -> str:
    """Return one hash over the key, request and response of every step; the last entry of the log states it."""
    return digest([hash_before(step) or digest(step) for step in journal])


def deletions_in(log: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the deletions from a log, oldest first: [{files, deleted_at, by, entries, steps, ...}]."""
    return [entry["details"] for entry in log["entries"] if entry["event_type"] == DELETED]


def deletions_sentence(deletions: Iterable[Mapping[str, Any]]) -> str:
    """Return a sentence that lists the deleted files and their dates; "" for none."""
    said = [f"{', '.join(one['files'])} ({one['deleted_at'][:10]})" for one in deletions]
    return f"The text of these files was deleted from this run: {'; '.join(said)}." if said else ""


class Verdict(NamedTuple):
    """The result of verifying a log. `row` is the number of the first bad entry, None when all are good."""

    ok: bool
    entries: int
    row: int | None
    sentence: str


def verify(log: Mapping[str, Any]) -> Verdict:
    """Verify a provenance file: every hash and link, the numbering, the end and the journal.

    Never raises for an invalid log; for anything that is not a provenance file, the verdict says so.
    """
    header, entries = log.get("header"), log.get("entries")
    if not isinstance(header, dict) or not isinstance(entries, list):
        return Verdict(False, 0, None, "This is not a provenance file: it has no header or no entries.")
    if log.get("format_version", FORMAT_VERSION) != _format_of(entries):
        return Verdict(False, len(entries), None, "This version of Scholium cannot verify the format of this file.")
    if added := sorted(set(map(str, header)) - {*_FROZEN, *_SINCE, "completed_at"}):
        return Verdict(False, len(entries), None, f"The header was changed: {added[0]} does not belong there.")
    try:
        return _verdict(header, entries, log.get("journal"))
    except (UnicodeError, TypeError, ValueError, LookupError, AttributeError, RecursionError):
        return Verdict(False, len(entries), None, "This file has values that are not valid in a provenance log.")


def _verdict(header: dict[str, Any], entries: list[Any], journal: Any) -> Verdict:
    previous, count = genesis(header), len(entries)
    told = _deletions(entries)
    for expected, entry in enumerate(entries, start=1):
        if trouble := _trouble(entry, expected, previous, entries[expected:], told):
            return Verdict(False, count, expected, f"Row {expected}: {trouble}")
        previous = entry["hash"]
    steps = journal if isinstance(journal, list) else []
    if any(hash_before(step) for step in steps) and not told:
        return Verdict(
            False, count, None, "Answers are missing from the journal, and the log does not say that they were deleted."
        )
    chained = f"{count} of {count} entries chain."
    if deleted := deletions_sentence(deletions_in({"entries": entries})):
        chained += f" {deleted} Its hashes are kept, and so is the log’s record of the deletion."
    return _ended(header, entries, steps, chained)


def _ended(header: dict[str, Any], entries: list[dict[str, Any]], steps: list[Any], chained: str) -> Verdict:
    """Return the verdict on a log whose entries chain: compare entries and journal with what its ends state."""
    count = len(entries)
    # An end does not cover deletions that came after it.
    of_run = [entry for entry in entries if entry["event_type"] != DELETED]
    for entry, following in pairwise(of_run):
        if entry["event_type"] in END_EVENTS and (trouble := _trouble_at_end(entry, following, steps)):
            return Verdict(False, count, entry["seq"], f"Row {entry['seq']}: {trouble}")
    if not of_run or of_run[-1]["event_type"] not in END_EVENTS:
        if header.get("completed_at"):
            return Verdict(
                False, count, count + 1, f"Row {count + 1}: missing. The log of a finished run is cut short."
            )
        return Verdict(True, count, None, f"{chained} The run had not ended when this log was saved.")
    end, vouched = of_run[-1]["seq"], of_run[-1]["details"]
    if vouched["completed_at"] != header.get("completed_at"):
        return Verdict(
            False,
            count,
            end,
            f"Row {end}: the header was changed or the log is cut short; the times of the end differ.",
        )
    if vouched["entries"] != end:
        return Verdict(False, count, end, f"Row {end}: the log should have {vouched['entries']} entries.")
    if vouched["journal_hash"] != journal_hash(steps):
        return Verdict(False, count, end, f"Row {end}: the journal does not match this log.")
    return Verdict(True, count, None, chained)


def _deletions(entries: Iterable[Any]) -> dict[int, tuple[int, str, str]]:
    """Return the entries whose text was deleted, by number: (number of the deletion's entry, hash before, after)."""
    # If one of these entries itself was forged, that is detected when its own turn comes.
    told = (entry for entry in entries if isinstance(entry, dict) and entry.get("event_type") == DELETED)
    return first_values(
        (one["seq"], (entry["seq"], one["hash"], one["left"])) for entry in told for one in entry["details"]["entries"]
    )


def _is_blank(entry: Mapping[str, Any], told: Mapping[int, tuple[int, str, str]]) -> bool:
    """Return whether an entry with a wrong hash is explained by a later entry which says that its text was deleted."""
    by, before, left = told.get(entry["seq"], (0, "", ""))
    as_it_is = (entry["summary"], entry["details"])
    is_without_text = erased_entry(entry["event_type"], *as_it_is) == as_it_is
    return by > entry["seq"] and before == entry.get("hash") and left == hash_of(entry) and is_without_text


def _trouble_at_end(end: Mapping[str, Any], following: Mapping[str, Any], journal: list[Any]) -> str:
    """Return what is wrong with an `end` of the run after which it was reopened; else ""."""
    if following["event_type"] != REOPENED:
        return "the run ended here, but the log continues."
    vouched = end["details"]
    if vouched["entries"] != end["seq"]:
        return f"the log should have {vouched['entries']} entries here."
    if vouched["journal_hash"] != journal_hash(journal[: vouched["steps"]]):
        return "the journal does not match this log."
    return ""


def _trouble(
    entry: Any, expected: int, previous: str, later: Iterable[Any], told: Mapping[int, tuple[int, str, str]]
) -> str:
    """Return what is wrong with `entry`, which should be number `expected` and chain to `previous`; else ""."""
    if not isinstance(entry, dict):
        return "not an entry."
    if entry.get("seq") != expected:
        moved = any(isinstance(other, dict) and other.get("seq") == expected for other in later)
        return f"{'moved' if moved else 'removed'}; entry {entry.get('seq')} is in its place."
    # No hash covers additional fields.
    if added := sorted(set(map(str, entry)) - {*_HASHED, "hash"}):
        return f"edited after it was written: {added[0]} does not belong there."
    if hash_of(entry) != entry.get("hash") and not _is_blank(entry, told):
        return f"edited after it was written ({entry.get('event_type')})."
    if entry.get("previous_hash") != previous:
        return "the header was changed." if expected == 1 else "it does not follow from the row before."
    return ""


def verify_run(run: Run) -> Verdict:
    """Verify the log of `run` in the database, also against the length and hash that are stored with the run."""
    run.refresh_from_db(fields=["provenance_length", "provenance_head", "completed_at"])
    verdict = verify(log_of(run))
    if not verdict.ok:
        return verdict
    if verdict.entries != run.provenance_length:
        row = verdict.entries + 1
        return Verdict(False, verdict.entries, row, f"Row {row}: removed. The log should have {run.provenance_length}.")
    last = run.provenance.last()
    if last is not None and last.hash != run.provenance_head:
        return Verdict(False, verdict.entries, last.seq, f"Row {last.seq}: edited together with its hash.")
    return verdict


def find_log(named: str) -> dict[str, Any] | None:
    """Return the provenance log called `named`, the path of a file or the id of a run; None if there is neither.

    Raises Refused for a file that is not JSON.
    """
    path = Path(named)
    if path.is_file():
        try:
            log = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=_each_once)
        except ValueError as error:
            raise Refused(f"{named} is not JSON: {error}") from None
        return log if isinstance(log, dict) else {}
    run = find_run(named)
    return log_of(run) if run else None


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object as a dict. Raises ValueError for a duplicate name, which programs read differently."""
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("an object has the same name twice, so its value is ambiguous")
    return made


def find_run(named: str) -> Run | None:
    """Return the run whose id is `named`, if there is one."""
    run_id = uuid_in(named)
    return Run.objects.filter(pk=run_id).first() if run_id else None
