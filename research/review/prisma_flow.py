"""The PRISMA-style flow of a run's records from search to report, counted from the log alone (SPEC R15).

    flow = flow_of(run.provenance.values("event_type", "details"))

A record is one catalogue's record of a work, a reference of the thesis, or an uploaded file. Whatever the log has, the
counts add up:
    sum of identified = duplicates + screened
    screened = read + not_read + not_sought = sum of excluded + included + undecided
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from django.db.models import BooleanField, ExpressionWrapper, Q

from research.models import Run
from research.plurals import counted
from research.run_context.run_context import RunContext

SCREENED = "screening_completed"
# Why a work is not cited in the report; the first reason that applies, in this order.
RETRACTED = "retracted"
NO_TEXT = "no text to read"
NO_FINDING = "nothing in it answered the question"
NOT_USED = "findings not used in the report"
REASONS = (RETRACTED, NO_TEXT, NO_FINDING, NOT_USED)


@dataclass(frozen=True)
class Flow:
    """The counts; `identified` by provider, `excluded` by reason, `not_read_because` by error message."""

    identified: dict[str, int]
    duplicates: int
    screened: int
    read: int  # works of which a page or PDF was read
    not_read: int  # works of which pages or PDFs were requested, but none could be read
    not_read_because: dict[str, int]
    not_sought: int  # works that were judged by their abstract, record or stored text
    excluded: dict[str, int]
    included: int
    undecided: int  # works without a decision, because the run did not finish

    @property
    def total(self) -> int:
        """Return the number of records identified."""
        return sum(self.identified.values())

    @property
    def excluded_total(self) -> int:
        """Return the number of works excluded."""
        return sum(self.excluded.values())

    def as_data(self) -> dict[str, Any]:
        """Return the counts as a dict."""
        return asdict(self)


def flow_of(entries: Iterable[Mapping[str, Any]]) -> Flow:
    """Return the flow from the entries of a log in order, each with `event_type` and `details`."""
    records = _Records()
    for entry in entries:
        records.take_in(entry["event_type"], entry["details"])
    return records.flow()


@dataclass
class _Records:
    """The records of the log entries read so far. Entries on records that were never found are ignored."""

    provider: dict[str, str] = field(default_factory=dict)  # record -> provider, in the order they were found
    same_as: dict[str, str] = field(default_factory=dict)  # duplicate -> the record it is a duplicate of
    was_read: set[str] = field(default_factory=set)
    why_unread: dict[str, str] = field(default_factory=dict)
    decided: dict[str, str] = field(default_factory=dict)  # record -> reason for exclusion, "" if cited

    def take_in(self, event_type: str, details: Mapping[str, Any]) -> None:
        """Count one log entry."""
        match event_type:
            case "source_discovered":
                self.provider.setdefault(_record(details), str(details.get("provider", "")))
            case "source_deduplicated":
                self._join(str(details.get("source_id", "")), str(details.get("duplicate_of", "")))
            case "page_read":
                self.was_read.add(str(details.get("source_id", "")))
            case "page_failed" | "page_refused":
                self.why_unread.setdefault(str(details.get("source_id", "")), str(details.get("why", "")))
            case "screening_completed":
                excluded = details.get("excluded", {})
                self.decided = {record: reason for reason, records in excluded.items() for record in records}
                self.decided |= dict.fromkeys(details.get("included", []), "")

    def _join(self, duplicate: str, of: str) -> None:
        first = self._first(of)
        if {duplicate, of} <= self.provider.keys() and duplicate not in self.same_as and first != duplicate:
            self.same_as[duplicate] = first

    def _first(self, record: str) -> str:
        while record in self.same_as:
            record = self.same_as[record]
        return record

    def _works(self, records: Iterable[str]) -> list[str]:
        """Return the works of `records`, each once."""
        return list(dict.fromkeys(self._first(record) for record in records if record in self.provider))

    def flow(self) -> Flow:
        """Return the counts of the entries read so far."""
        works = self._works(self.provider)
        read = set(self._works(self.was_read))
        unread = {
            work: why for record, why in self.why_unread.items() for work in self._works([record]) if work not in read
        }
        decided: dict[str, str] = {}
        for record, reason in self.decided.items():
            for work in self._works([record]):
                # A work counts as cited if one of its records is.
                decided[work] = "" if decided.get(work) == "" else reason
        excluded = Counter(reason for reason in decided.values() if reason)
        return Flow(
            identified=dict(sorted(Counter(self.provider.values()).items())),
            duplicates=len(self.same_as),
            screened=len(works),
            read=len(read),
            not_read=len(unread),
            not_read_because=dict(sorted(Counter(unread.values()).items())),
            not_sought=len(works) - len(read) - len(unread),
            excluded={reason: excluded[reason] for reason in sorted(excluded, key=_place)},
            included=sum(not reason for reason in decided.values()),
            undecided=len(works) - len(decided),
        )


def _record(details: Mapping[str, Any]) -> str:
    """Return the record of a discovered source; the record of a file's passage is the file."""
    source_id = str(details.get("source_id", ""))
    return source_id.rpartition("::")[0] or source_id if details.get("source_type") == "file" else source_id


def _place(reason: str) -> tuple[int, str]:
    return (REASONS.index(reason) if reason in REASONS else len(REASONS)), reason


async def log_screening(inquiry: RunContext, key: str = "screening") -> None:
    """Log which works the current report cites, and why the others were excluded. `key` is the key of the step."""
    await inquiry.once(key, lambda: _screened(inquiry))


def decisions_of(run: Run) -> dict[str, list[str]]:
    """Return the records of all works by decision: {"": cited ones, reason: excluded ones}, each sorted by id."""
    rows = run.sources.annotate(has_text=ExpressionWrapper(~Q(text=""), BooleanField())).values_list(
        "source_id", "document", "source_type", "duplicate_of", "is_passage", "number", "retracted", "has_text"
    )
    stands: dict[str, str] = {}
    told, gone, cited = set[str](), set[str](), set[str]()
    for source_id, document, source_type, duplicate_of, is_passage, number, retracted, has_text in rows:
        if source_type == "file" or (duplicate_of is None and not is_passage):
            stands[document] = document if source_type == "file" else source_id
        for documents, is_one in ((told, has_text), (gone, retracted), (cited, number)):
            documents |= {document} if is_one else set()
    found = set(run.findings.filter(is_superseded=False).values_list("source__document", flat=True))
    decided: dict[str, list[str]] = {}
    for document, record in sorted(stands.items(), key=lambda one: one[1]):
        whys = {"": document in cited, RETRACTED: document in gone, NO_TEXT: document not in told}
        whys |= {NO_FINDING: document not in found, NOT_USED: True}
        decided.setdefault(next(why for why, is_so in whys.items() if is_so), []).append(record)
    return decided


def _screened(inquiry: RunContext) -> None:
    decided = decisions_of(inquiry.run)
    included = decided.pop("", [])
    excluded = {reason: decided[reason] for reason in REASONS if reason in decided}
    total = len(included) + sum(map(len, excluded.values()))
    said = "; ".join(f"{reason}: {len(records):,}" for reason, records in excluded.items())
    summary = f"{counted(len(included), 'work')} of {total:,} are in the report.{said and f' Excluded: {said}.'}"
    inquiry.log("synthesis", SCREENED, summary, {"included": included, "excluded": excluded})


def flow_of_run(run: Run) -> Flow:
    """Return the flow of `run`, from its log."""
    wanted = ("source_discovered", "source_deduplicated", "page_read", "page_failed", "page_refused", SCREENED)
    return flow_of(run.provenance.filter(event_type__in=wanted).values("event_type", "details"))
