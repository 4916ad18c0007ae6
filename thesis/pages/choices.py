"""What a person can choose for a draft: findings of the runs of a thesis, and its references; searched on the server (SPEC T3)."""

import functools
import operator
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from django.db.models import Q

from citations.models import Citation
from projects.models import Project
from research.models import Finding, Run

MOST = 50  # of each, beside those that are chosen already
MOST_CHOSEN = 200  # of each that one form may carry
_ALIKE = 3  # rows that are read for one that is shown: branches of a run find the same words


class FindingRow(NamedTuple):
    """A finding to tick. `value` names it in the form: "RUN:F1.2-3"."""

    value: str
    words: str
    source: str
    chosen: bool


class FindingGroup(NamedTuple):
    """The findings of one run, by its question."""

    run: Run
    rows: list[FindingRow]


class WorkRow(NamedTuple):
    citation: Citation
    chosen: bool


Row = TypeVar("Row", FindingGroup, WorkRow)


@dataclass(frozen=True)
class Choices(Generic[Row]):
    """What can be chosen. `total` is how many fit, `there_are` whether the thesis has any at all."""

    rows: list[Row]
    chosen: int
    shown: int
    total: int
    there_are: bool


def finding_choices(project: Project, words: str = "", chosen: Sequence[str] = ()) -> Choices[FindingGroup]:
    """The `chosen` findings ("RUN:F3"), then at most 50 others in which all `words` stand, newest run first."""
    every = Finding.objects.filter(run__project=project, is_superseded=False, run__support=None)
    rows = every.select_related("run", "source").only("finding_id", "content", "run__question", "source__title")
    rows = rows.order_by("-run__created_at", "run_id", "id")
    known = named_findings(chosen)
    ticked = list(rows.filter(_named(known))[:MOST_CHOSEN]) if known else []
    fitting = _holding(every, words)
    found = _distinct(_holding(rows, words)[: MOST * _ALIKE], but={row.pk for row in ticked})[:MOST]
    total = fitting.count()
    groups: dict[object, FindingGroup] = {}
    for row, is_ticked in [*((row, True) for row in ticked), *((row, False) for row in found)]:
        group = groups.setdefault(row.run_id, FindingGroup(row.run, []))
        value = f"{row.run_id}:{row.finding_id}"
        group.rows.append(FindingRow(value, row.content, row.source.title, is_ticked))
    there_are = bool(total or ticked) or (bool(words) and every.exists())
    return Choices(list(groups.values()), len(ticked), len(found) + len(ticked), total, there_are)


def work_choices(project: Project, words: str = "", chosen: Sequence[str] = ()) -> Choices[WorkRow]:
    """The references with the keys `chosen`, then at most 50 others in which all `words` stand, the latest first."""
    every = Citation.objects.filter(project=project)
    shown = ("cite_key", "title", "authors", "year", "status", "tier", "evidence_type", "retracted", "check_due_at")
    rows = every.only(*shown).order_by("-serial", "cite_key")
    keys = list(dict.fromkeys(chosen))[:MOST_CHOSEN]
    ticked = list(rows.filter(cite_key__in=keys)) if keys else []
    found = list(rows.matching(words).exclude(pk__in=[row.pk for row in ticked])[:MOST])
    total = every.matching(words).count()
    both = [*(WorkRow(row, True) for row in ticked), *(WorkRow(row, False) for row in found)]
    return Choices(both, len(ticked), len(both), total, bool(total or ticked) or (bool(words) and every.exists()))


def named_findings(values: Iterable[str]) -> list[dict[str, str]]:
    """What a form's "RUN:F3" name, as a draft keeps them: [{"run", "finding_id"}]. What names nothing is left out."""
    found = []
    for value in dict.fromkeys(values):
        run, _, finding_id = value.partition(":")
        try:
            found.append({"run": str(uuid.UUID(run)), "finding_id": finding_id[:12]})
        except ValueError:
            continue
    return found[:MOST_CHOSEN]


def _named(known: list[dict[str, str]]) -> Q:
    of_run: dict[str, list[str]] = {}
    for one in known:
        of_run.setdefault(one["run"], []).append(one["finding_id"])
    each = (Q(run_id=run, finding_id__in=ids) for run, ids in of_run.items())
    return functools.reduce(operator.or_, each)


def _holding(rows, words: str):  # type: ignore[no-untyped-def]
    for word in words.split()[:20]:
        rows = rows.filter(
            Q(content__icontains=word) | Q(source__title__icontains=word) | Q(run__question__icontains=word)
        )
    return rows


def _distinct(rows: Iterable[Finding], but: set[int]) -> list[Finding]:
    """Each words of a run once."""
    seen: dict[tuple[object, str], Finding] = {}
    for row in rows:
        if row.pk not in but:
            seen.setdefault((row.run_id, " ".join(row.content.casefold().split())), row)
    return list(seen.values())
