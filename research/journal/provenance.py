"""The provenance log: append-only, each entry chained to the one before by its hash (SPEC R12).

hash = SHA-256 of the canonical JSON of {previous_hash, seq, timestamp, phase, event_type, summary, details};
the first entry's previous_hash is that of the header's frozen part. The last entry of a run that came to an end
(LAST) says how many entries there are, when it ended, how many steps the journal has and what its hash is. So an entry
that was edited, removed or moved, a changed header or journal, and a log cut short all show. When a file is deleted, the text
of what was read from it is taken out of the log too (erase_deleted.py); then the log vouches for what was there by its hash. A finished run that is
followed up (R17) is opened again, and its log goes on: each end vouches for all that came before it.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from core.errors import Refused
from core.fast_sql import insert
from research.journal.erase_deleted import DELETED, blanked, hash_before
from research.journal.pipeline_version import FIRST
from research.models import ProvenanceEntry, Run

FORMAT_VERSION = 1
WITH_DELETIONS = 2  # the format of a log from which text was deleted: a program that knows only 1 would call it edited
LAST = ("run_completed", "run_failed", "run_cancelled")
REOPENED = "run_reopened"  # the only entry that may follow one of them
_FROZEN = ("session_id", "query", "profile", "profile_config", "started_at")
_SINCE = ("pipeline",)  # frozen too, in the headers that have it: version 1 of the pipeline wrote none
_HASHED = ("seq", "timestamp", "phase", "event_type", "summary", "details", "previous_hash")
_COLUMNS = ("seq", "at", "phase", "event_type", "summary", "details", "previous_hash", "hash")


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def canonical(value: Any) -> bytes:
    """Return the one way to write `value` as JSON: sorted keys, no spaces, UTF-8."""
    return _CANONICAL.encode(value).encode()


def digest(value: Any) -> str:
    """SHA-256 of the canonical JSON of `value`, in hexadecimal."""
    return hashlib.sha256(canonical(value)).hexdigest()


def header_of(run: Run) -> dict[str, Any]:
    """Return the header of the log: the keys of R12, and `pipeline`, its version, from the second on."""
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
    """Return what the first entry chains to: the part of the header that never changes."""
    return digest({key: header.get(key) for key in _FROZEN} | {key: header[key] for key in _SINCE if key in header})


def hash_of(entry: Mapping[str, Any]) -> str:
    """Return the hash an entry must have, from its own fields and its `previous_hash`."""
    return digest({key: entry.get(key) for key in _HASHED})


class Entry(NamedTuple):
    """What is to be written into the log: `phase` is binding, brief, supervision, synthesis or verification."""

    phase: str
    event_type: str
    summary: str
    details: dict[str, Any]


@dataclass
class Head:
    """Where the log of a run ends: how many entries it has, and the hash that the next one chains to."""

    length: int
    hash: str

    @classmethod
    def of(cls, run: Run) -> "Head":
        length, head = Run.objects.values_list("provenance_length", "provenance_head").get(pk=run.pk)
        return cls(length, head or genesis(header_of(run)))


def append(run: Run, *entries: Entry) -> None:
    """Add `entries` at the end of the log of `run`. The run's row is locked, so that the chain never forks."""
    with transaction.atomic(savepoint=False):
        Run.objects.select_for_update(no_key=True).only("pk").get(pk=run.pk)
        Run.objects.filter(pk=run.pk).update(**chain(run, Head.of(run), entries))


def chain(run: Run, head: Head, entries: Iterable[Entry]) -> dict[str, Any]:
    """Write `entries` behind `head`, which moves on; returns what the run's row must be updated with.

    For whoever knows the head since nobody else writes into this log. Should somebody have, the number of an entry is
    taken, and the database refuses it: the chain never forks.
    """
    rows = []
    for entry in entries:
        at = timezone.now()
        details = json.loads(canonical(entry.details))  # what a reader of the log will get, exactly
        row = (head.length + 1, at, entry.phase, entry.event_type, entry.summary, details, head.hash)
        head.length, head.hash = head.length + 1, hash_of(_as_dict(row))
        rows.append((run.pk, *row, head.hash))
    insert(ProvenanceEntry, ("run_id", *_COLUMNS), rows)
    return {"provenance_length": head.length, "provenance_head": head.hash}


def as_dict(row: ProvenanceEntry) -> dict[str, Any]:
    return _as_dict([getattr(row, name) for name in _COLUMNS])


def _as_dict(row: Sequence[Any]) -> dict[str, Any]:
    """Return an entry of the file from the columns of its row (_COLUMNS), or from those before its hash."""
    seq, at, *others = row
    return {"seq": seq, "timestamp": at.isoformat(), **dict(zip(_COLUMNS[2:], others, strict=False))}


def log_of(run: Run) -> dict[str, Any]:
    """Return the provenance file of `run`: {header, entries, journal, format_version}."""
    # Plain tuples: making a model object of each entry of a long log takes longer than reading it.
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
    """Return the stored steps of `run`, in the order in which they were stored: [{key, kind, request_hash, response}]."""
    return [dict(step) for step in run.steps.order_by("id").values("key", "kind", "request_hash", "response")]


def journal_hash(journal: Iterable[Any]) -> str:
    """Return what the last entry vouches for: one hash over every step's key, request and response."""
    return digest([hash_before(step) or digest(step) for step in journal])


def deletions_in(log: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what was deleted from a log, oldest first: the details of its entries on that, {files, deleted_at, by, entries, steps}."""
    return [entry["details"] for entry in log["entries"] if entry["event_type"] == DELETED]


def said_of_deletions(deletions: Iterable[Mapping[str, Any]]) -> str:
    """Return which files were deleted and when, in one sentence; "" for none."""
    said = [f"{', '.join(one['files'])} ({one['deleted_at'][:10]})" for one in deletions]
    return f"The text of these files was deleted from this run: {'; '.join(said)}." if said else ""


class Verdict(NamedTuple):
    """Whether a log holds. `row` is the number of the first bad entry, None when all are good."""

    ok: bool
    entries: int
    row: int | None
    sentence: str


def verify(log: Mapping[str, Any]) -> Verdict:
    """Check a provenance file: every hash, every link, the numbering, the end and the journal.

    Never raises for a log that is merely wrong; a file of another shape gives a verdict that says so.
    """
    header, entries = log.get("header"), log.get("entries")
    if not isinstance(header, dict) or not isinstance(entries, list):
        return Verdict(False, 0, None, "This is not a provenance file: it has no header or no entries.")
    if log.get("format_version", FORMAT_VERSION) != _format_of(entries):
        return Verdict(False, len(entries), None, "This file is of another version than this Scholium can check.")
    if added := sorted(set(map(str, header)) - {*_FROZEN, *_SINCE, "completed_at"}):
        return Verdict(False, len(entries), None, f"The header was changed: {added[0]} does not belong there.")
    try:
        return _verdict(header, entries, log.get("journal"))
    except (UnicodeError, TypeError, ValueError, LookupError, AttributeError, RecursionError):
        return Verdict(False, len(entries), None, "This file holds what no provenance log can hold.")


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
            False, count, None, "The journal lacks answers, and the log does not say that they were deleted."
        )
    chained = f"{count} of {count} entries chain."
    if deleted := said_of_deletions(deletions_in({"entries": entries})):
        chained += f" {deleted} Its hashes are kept, and so is what the log says of it."
    return _ended(header, entries, steps, chained)


def _ended(header: dict[str, Any], entries: list[dict[str, Any]], steps: list[Any], chained: str) -> Verdict:
    """Return what the ends of a log say, whose entries chain: of how many there should be, and of the journal."""
    count = len(entries)
    # What was deleted after it is no part of what an end vouches for.
    of_run = [entry for entry in entries if entry["event_type"] != DELETED]
    for entry, following in pairwise(of_run):
        if entry["event_type"] in LAST and (trouble := _trouble_at_end(entry, following, steps)):
            return Verdict(False, count, entry["seq"], f"Row {entry['seq']}: {trouble}")
    if not of_run or of_run[-1]["event_type"] not in LAST:
        if header.get("completed_at"):
            return Verdict(
                False, count, count + 1, f"Row {count + 1}: missing. The log of a finished run is cut short."
            )
        return Verdict(True, count, None, f"{chained} The log ends before its run did.")
    end, vouched = of_run[-1]["seq"], of_run[-1]["details"]
    if vouched["completed_at"] != header.get("completed_at"):
        return Verdict(
            False, count, end, f"Row {end}: the header was changed, or the log is cut short; it ended at another time."
        )
    if vouched["entries"] != end:
        return Verdict(False, count, end, f"Row {end}: the log should have {vouched['entries']} entries.")
    if vouched["journal_hash"] != journal_hash(steps):
        return Verdict(False, count, end, f"Row {end}: the journal is not the one this log vouches for.")
    return Verdict(True, count, None, chained)


def _deletions(entries: Iterable[Any]) -> dict[int, tuple[int, str, str]]:
    """Return what the log says was deleted of its entries: by number, the number of the entry that says so, the hash that the
    entry has in the chain, and the one that what is left of it must have.
    """
    found: dict[int, tuple[int, str, str]] = {}
    for entry in entries:
        # An entry that was changed itself is found out when its own turn comes.
        if isinstance(entry, dict) and entry.get("event_type") == DELETED:
            for one in entry["details"]["entries"]:
                found.setdefault(one["seq"], (entry["seq"], one["hash"], one["left"]))
    return found


def _is_blank(entry: Mapping[str, Any], told: Mapping[int, tuple[int, str, str]]) -> bool:
    """Return whether an entry whose hash does not fit is one whose text was deleted, as a later entry says, and nothing else."""
    by, before, left = told.get(entry["seq"], (0, "", ""))
    as_it_is = (entry["summary"], entry["details"])
    is_without_text = blanked(entry["event_type"], *as_it_is) == as_it_is
    return by > entry["seq"] and before == entry.get("hash") and left == hash_of(entry) and is_without_text


def _trouble_at_end(end: Mapping[str, Any], following: Mapping[str, Any], journal: list[Any]) -> str:
    """Return what is wrong about an `end` of the run after which it was opened again; else ""."""
    if following["event_type"] != REOPENED:
        return "the run ended here, and yet the log goes on."
    vouched = end["details"]
    if vouched["entries"] != end["seq"]:
        return f"the log should have {vouched['entries']} entries here."
    if vouched["journal_hash"] != journal_hash(journal[: vouched["steps"]]):
        return "the journal is not the one this log vouches for."
    return ""


def _trouble(
    entry: Any, expected: int, previous: str, later: Iterable[Any], told: Mapping[int, tuple[int, str, str]]
) -> str:
    """Return what is wrong with `entry`, which should be number `expected` and chain to `previous`; else ""."""
    if not isinstance(entry, dict):
        return "not an entry."
    if entry.get("seq") != expected:
        moved = any(isinstance(other, dict) and other.get("seq") == expected for other in later)
        return f"{'moved' if moved else 'removed'}; entry {entry.get('seq')} stands in its place."
    # No hash covers what is not part of an entry.
    if added := sorted(set(map(str, entry)) - {*_HASHED, "hash"}):
        return f"edited after it was written: {added[0]} does not belong there."
    if hash_of(entry) != entry.get("hash") and not _is_blank(entry, told):
        return f"edited after it was written ({entry.get('event_type')})."
    if entry.get("previous_hash") != previous:
        return "the header was changed." if expected == 1 else "it does not follow from the row before."
    return ""


def verify_run(run: Run) -> Verdict:
    """Check the log of `run` in the database, also against the length and head kept with the run."""
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


def named_log(named: str) -> dict[str, Any] | None:
    """Return the provenance file called `named`, a path or the id of a run; None when there is neither.

    Raises Refused for a file that is not JSON.
    """
    path = Path(named)
    if path.is_file():
        try:
            log = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=_each_once)
        except ValueError as error:
            raise Refused(f"{named} is not JSON: {error}") from None
        return log if isinstance(log, dict) else {}
    run = named_run(named)
    return log_of(run) if run else None


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON. Raises ValueError when a name stands in it twice: each program takes another one then."""
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a name stands twice in one object, so what it says is not certain")
    return made


def named_run(named: str) -> Run | None:
    """Return the run whose id is `named`, if there is one."""
    try:
        return Run.objects.filter(pk=UUID(named)).first()
    except ValueError:
        return None
