"""The form that requests a draft: the place, the instructions, and the findings and references to choose (SPEC T3)."""

import functools
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, NamedTuple, TypeVar

from django.db.models import Q
from django.http import QueryDict

from citations.models import Citation
from core.grouping import first_values, grouped
from core.uuids import uuid_in
from latex.words_of_quote import words_of_quote
from projects.models import Project
from research.models import Finding, Run
from sections.models import Section
from thesis.drafting.start import DraftRequest
from thesis.models import Draft
from thesis.pages.proposal_view import WORK_COLUMNS

MOST = 50  # findings and references offered, besides those chosen already
MOST_CHOSEN = 200  # findings and references that one form may choose
_ALIKE = 3  # rows read for each one shown, because branches of a run find the same words


class FindingRow(NamedTuple):
    """A finding to choose. `value` is its value in the form: "RUN:F1.2-3"."""

    value: str
    words: str
    source: str
    chosen: bool


class FindingGroup(NamedTuple):
    """The findings of one run, by its question."""

    run: Run
    rows: list[FindingRow]


class WorkRow(NamedTuple):
    """A reference to choose."""

    citation: Citation
    chosen: bool


Row = TypeVar("Row", FindingGroup, WorkRow)


@dataclass(frozen=True)
class Choices(Generic[Row]):
    """Rows to choose from. `total` is how many match the search, `there_are` whether the thesis has any at all."""

    rows: list[Row]
    chosen: int
    shown: int
    total: int
    there_are: bool


def finding_choices(project: Project, words: str = "", chosen: Sequence[str] = ()) -> Choices[FindingGroup]:
    """Return the `chosen` findings ("RUN:F3"), then at most 50 others that contain all `words`, newest run first."""
    every = Finding.objects.filter(run__project=project, is_superseded=False, run__support=None)
    rows = (
        every.select_related("run", "source")
        .only("finding_id", "content", "run__question", "source__title")
        .order_by("-run__created_at", "run_id", "id")
    )
    known = named_findings(chosen)
    ticked = list(rows.filter(_named(known))[:MOST_CHOSEN]) if known else []
    found = _distinct(_holding(rows, words)[: MOST * _ALIKE], but={row.pk for row in ticked})[:MOST]
    total = _holding(every, words).count()
    by_run = grouped(
        (row.run, FindingRow(f"{row.run_id}:{row.finding_id}", row.content, row.source.title, is_ticked))
        for row, is_ticked in [*((row, True) for row in ticked), *((row, False) for row in found)]
    )
    groups = [FindingGroup(run, of_run) for run, of_run in by_run.items()]
    there_are = bool(total or ticked) or (bool(words) and every.exists())
    return Choices(groups, len(ticked), len(found) + len(ticked), total, there_are)


def work_choices(project: Project, words: str = "", chosen: Sequence[str] = ()) -> Choices[WorkRow]:
    """Return the references with the keys `chosen`, then at most 50 others that contain all `words`, latest first."""
    every = Citation.objects.filter(project=project)
    rows = every.only(*WORK_COLUMNS).order_by("-serial", "cite_key")
    keys = list(dict.fromkeys(chosen))[:MOST_CHOSEN]
    ticked = list(rows.filter(cite_key__in=keys)) if keys else []
    found = list(rows.matching(words).exclude(pk__in=[row.pk for row in ticked])[:MOST])
    total = every.matching(words).count()
    both = [*(WorkRow(row, True) for row in ticked), *(WorkRow(row, False) for row in found)]
    return Choices(both, len(ticked), len(both), total, bool(total or ticked) or (bool(words) and every.exists()))


def named_findings(values: Iterable[str]) -> list[dict[str, str]]:
    """Return form values "RUN:F3" as a draft stores them, [{"run", "finding_id"}]. Invalid values are left out."""
    parts = (value.partition(":") for value in dict.fromkeys(values))
    found = ({"run": str(uuid_in(run) or ""), "finding_id": finding_id[:12]} for run, _, finding_id in parts)
    return [one for one in found if one["run"]][:MOST_CHOSEN]


def _named(known: list[dict[str, str]]) -> Q:
    of_run = grouped((one["run"], one["finding_id"]) for one in known)
    return functools.reduce(operator.or_, (Q(run_id=run, finding_id__in=ids) for run, ids in of_run.items()))


def _holding(rows, words: str):  # type: ignore[no-untyped-def]
    for word in words.split()[:20]:
        rows = rows.filter(
            Q(content__icontains=word) | Q(source__title__icontains=word) | Q(run__question__icontains=word)
        )
    return rows


def _distinct(rows: Iterable[Finding], but: set[int]) -> list[Finding]:
    """Return the first of all findings of a run that have the same words, without the primary keys in `but`."""
    others = (row for row in rows if row.pk not in but)
    return list(first_values(((row.run_id, " ".join(row.content.casefold().split())), row) for row in others).values())


_FAR = 2_000_000_000  # an offset beyond any text
_QUOTED = 300  # characters of the selection that the form shows

# By the value in the form: the kind of the draft, its place, and the label
WAYS: dict[str, tuple[Draft.Kind, Draft.Place, str]] = {
    "end": (Draft.Kind.DRAFT, Draft.Place.END, "New text at the end"),
    "whole": (Draft.Kind.REWRITE, Draft.Place.WHOLE, "Rewrite the whole section"),
    "rewrite": (Draft.Kind.REWRITE, Draft.Place.RANGE, "Rewrite the selection"),
    "shorten": (Draft.Kind.SHORTEN, Draft.Place.RANGE, "Shorten the selection"),
    "continue": (Draft.Kind.CONTINUE, Draft.Place.RANGE, "Continue from here"),
}


@dataclass
class DraftFormData:
    """The form as it was sent, or as a link prefills it. `quote` is the selected text.

    `start` and `end` count code points in version `based_on` of the text; both are 0 if nothing was selected.
    """

    way: str = "end"
    instructions: str = ""
    findings: list[str] = field(default_factory=list)
    works: list[str] = field(default_factory=list)
    finding_words: str = ""
    work_words: str = ""
    follows: str = ""
    start: int = 0
    end: int = 0
    based_on: int | None = None
    quote: str = ""
    ways: list[tuple[str, str]] = field(default_factory=list)

    @property
    def words(self) -> str:
        """The selected text as it is read."""
        return words_of_quote(self.quote) if self.quote else ""

    @property
    def is_filled(self) -> bool:
        """Whether any field is filled in."""
        return bool(self.instructions or self.findings or self.works or self.follows or self.about_place)

    @property
    def about_place(self) -> bool:
        """Whether a place in the text was selected."""
        return self.based_on is not None

    def request(self, follows: Draft | None, *, only_quotes: bool = False) -> DraftRequest:
        """Return the request for a draft, without invalid findings.

        An engine that `only_quotes` cannot rewrite, so that the whole section is then drafted from scratch.
        """
        kind, place, _ = WAYS[self.way]
        kind = Draft.Kind.DRAFT if only_quotes and self.way == "whole" else kind
        asked = DraftRequest(kind, self.instructions, named_findings(self.findings), self.works, place, follows=follows)
        if place != Draft.Place.RANGE:
            return asked
        start = self.end if self.way == "continue" else self.start
        return replace(asked, start=start, end=self.end, based_on=self.based_on)


def read_draft_form(sent: QueryDict, section: Section) -> DraftFormData:
    """Read the form from a POST or a query string. Invalid values are ignored."""
    asked = DraftFormData(
        way=sent.get("way", "") if sent.get("way", "") in WAYS else "end",
        instructions=sent.get("instructions", "").replace("\r\n", "\n"),
        findings=sent.getlist("finding"),
        works=sent.getlist("work"),
        finding_words=sent.get("finding_words", "")[:200],
        work_words=sent.get("work_words", "")[:200],
        follows=str(uuid_in(sent.get("follows", "")) or ""),
    )
    start, end, based_on = (_number(sent.get(name, "")) for name in ("start", "end", "based_on"))
    if start is not None and end is not None and based_on is not None and start <= end:
        asked.start, asked.end, asked.based_on = start, end, based_on
        asked.quote = section.latex[start : min(end, start + _QUOTED)] if based_on == section.version else ""
    elif WAYS[asked.way][1] == Draft.Place.RANGE:
        asked.way = "end"
    asked.ways = [(way, words) for way, (_, place, words) in WAYS.items() if _fits(asked, section, way, place)]
    return asked


def _fits(asked: DraftFormData, section: Section, way: str, place: str) -> bool:
    """Return whether a way of drafting can be offered for this section and selection."""
    if place == Draft.Place.RANGE:
        return asked.about_place and (way == "continue") == (asked.start == asked.end)
    return way == "end" or bool(section.latex.strip())


def _number(text: str) -> int | None:
    return min(int(text), _FAR) if text.isdecimal() and len(text) < 12 else None
